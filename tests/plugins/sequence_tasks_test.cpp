// Generated sequences against each task's rule, and models that train on them.

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "catch.h"
#include "core/config/yaml.h"
#include "core/data/batches.h"
#include "core/data/dataset.h"
#include "core/registry/fields.h"
#include "core/train/samples_trained_on.h"
#include "core/train/task.h"
#include "helpers.h"
#include "temporary_folder.h"
#include "train/training.h"

namespace yatlab {
namespace {

using testing::error_of;
using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t kNot = -1;  // not scored

std::shared_ptr<Dataset> sequences(const std::string& yaml) {
  return Registry<Dataset>::create(parse_yaml("{name: sequence_task, " + yaml + "}", "test"));
}
std::map<std::string, Split> loaded(const std::string& yaml, std::uint64_t seed = 7) {
  DataContext context;
  context.seed = seed;
  return sequences(yaml)->load(context);
}
Numbers row_of(const Tensor& t, std::int64_t i) {
  const Tensor row = t[i].contiguous();
  return {row.data_ptr<std::int64_t>(), row.data_ptr<std::int64_t>() + row.numel()};
}
Numbers only_last(const Numbers& x, std::int64_t answer) {
  Numbers out(x.size(), kNot);
  out.back() = answer;
  return out;
}
std::int64_t how_often(const Numbers& x, std::int64_t token) { return std::count(x.begin(), x.end(), token); }
std::int64_t sum(const Numbers& x) {
  std::int64_t out = 0;
  for (const auto t : x) out += t;
  return out;
}
std::size_t place_of(const Numbers& x, std::int64_t token) {
  return static_cast<std::size_t>(std::find(x.begin(), x.end(), token) - x.begin());
}

/// A task's answers, derived from the tokens alone. -2: unpredictable.
constexpr std::int64_t kUnknowable = -2;
struct Rule {
  std::size_t length;
  std::int64_t vocabulary, tokens;  ///< all occurring tokens are below `tokens`
  std::function<Numbers(const Numbers&)> answers;
};

Numbers as_given(const Numbers& x) { return x; }

const std::map<std::string, Rule>& rules() {
  static const std::map<std::string, Rule> all = {
      {"copy", {32, 32, 32, as_given}},
      {"long_copy", {128, 32, 32, as_given}},
      {"sort",
       {16, 32, 32,
        [](const Numbers& x) {
          Numbers out;
          for (std::int64_t t = 0; t < 32; ++t) out.insert(out.end(), static_cast<std::size_t>(how_often(x, t)), t);
          return out;
        }}},
      {"reverse", {32, 32, 32, [](const Numbers& x) { return Numbers(x.rbegin(), x.rend()); }}},
      {"retrieval",
       {64, 64, 64,
        [](const Numbers& x) {
          CHECK(x.back() == 62);
          CHECK(how_often(x, 62) == 1);
          CHECK(how_often(x, 63) == 1);
          CHECK(place_of(x, 63) < 62);
          return only_last(x, 63);
        }}},
      {"kv_recall",
       {22, 64, 64,
        [](const Numbers& x) {
          CHECK(x[20] == 63);
          std::map<std::int64_t, std::int64_t> values;
          for (std::size_t i = 0; i < 20; i += 2) values[x[i]] = x[i + 1];
          CHECK(values.size() == 10);
          CHECK(values.count(63) == 0);
          return only_last(x, values.at(x[21]));
        }}},
      {"first_token", {64, 32, 32, [](const Numbers& x) { return only_last(x, x[0]); }}},
      {"distant_match",
       {128, 32, 32,
        [](const Numbers& x) {
          Numbers out(128, kNot);
          if (x[0] != 0) out[64] = x[0];
          return out;
        }}},
      {"selective_copy",
       {64, 32, 32,
        [](const Numbers& x) {
          Numbers out(64, 0);
          std::size_t next = 32;
          for (std::size_t t = 0; t < 32; ++t) {
            if (x[t] == 31) out[next++] = t == 31 ? 0 : x[t + 1] == 31 ? kUnknowable : x[t + 1];
          }
          CHECK(next == 40);
          CHECK(how_often(x, 31) == 8);
          return out;
        }}},
      {"multihop",
       {64, 32, 32,
        [](const Numbers& x) {
          CHECK(how_often(x, 30) == 1);
          CHECK(how_often(x, 31) == 1);
          CHECK(place_of(x, 30) < 21);
          CHECK(place_of(x, 31) >= 21);
          CHECK(place_of(x, 31) < 42);
          return only_last(x, x[place_of(x, 31) + 1]);
        }}},
      {"stack",
       {32, 32, 32,
        [](const Numbers& x) {
          Numbers out;
          std::int64_t high = 0;
          for (const auto t : x) {
            high += t == 30 ? 1 : t == 31 ? -1 : 0;
            CHECK(high >= 0);
            out.push_back(t == 31 ? kUnknowable : 0);
          }
          return out;
        }}},
      {"induction",
       {64, 64, 64,
        [](const Numbers& x) {
          // One of the tokens that followed an earlier occurrence of the last but one; the rule does not determine which.
          std::set<std::int64_t> followers;
          for (std::size_t t = 1; t < 32; ++t) {
            if (x[t] == x[62]) followers.insert(x[t + 1]);
          }
          CHECK_FALSE(followers.empty());
          return only_last(x, followers.size() == 1 ? *followers.begin() : kUnknowable);
        }}},
      {"pattern",
       {32, 16, 16,
        [](const Numbers& x) {
          Numbers out(x.begin() + 1, x.end());
          out.push_back(x[0]);
          for (std::size_t t = 4; t < 32; ++t) CHECK(x[t] == x[t - 4]);
          return out;
        }}},
      {"counting", {32, 32, 10, [](const Numbers& x) { return only_last(x, how_often(x, 0)); }}},
      {"parity", {32, 2, 2, [](const Numbers& x) { return only_last(x, how_often(x, 1) % 2); }}},
      {"addition", {16, 32, 2, [](const Numbers& x) { return only_last(x, how_often(x, 1)); }}},
      {"modular", {16, 8, 7, [](const Numbers& x) { return only_last(x, sum(x) % 7); }}},
      {"majority",
       {32, 8, 5,
        [](const Numbers& x) {
          std::int64_t best = 0;
          for (std::int64_t t = 1; t < 5; ++t) best = how_often(x, t) > how_often(x, best) ? t : best;
          return only_last(x, best);
        }}},
      {"noisy_copy",
       {64, 32, 32,
        [](const Numbers& x) {
          Numbers out(x.begin(), x.begin() + 32);
          CHECK(how_often(out, 31) == 0);
          out.resize(64, 0);
          return out;
        }}},
      {"compression",
       {32, 16, 16,
        [](const Numbers& x) {
          Numbers out;
          for (std::size_t t = 0; t < 32; ++t) {
            if (t == 0 || x[t] != x[t - 1]) out.push_back(x[t]);
          }
          out.resize(32, 0);
          return out;
        }}},
      {"histogram",
       {32, 16, 5,
        [](const Numbers& x) {
          Numbers out(32, 0);
          for (std::int64_t t = 0; t < 5; ++t) out[static_cast<std::size_t>(t)] = std::min<std::int64_t>(how_often(x, t), 15);
          return out;
        }}},
  };
  return all;
}

}  // namespace

TEST_CASE("targets of every sequence task follow from its tokens", "[sequence_tasks]") {
  for (const auto& [name, rule] : rules()) {
    INFO(name);
    const auto set = sequences("task: " + name);
    CHECK(set->input_shape() == Numbers{static_cast<std::int64_t>(rule.length)});
    CHECK(set->num_classes() == rule.vocabulary);
    const auto splits = loaded("test_samples: 200, task: " + name);
    std::int64_t known = 0, highest = 0;
    for (std::int64_t i = 0; i < 200; ++i) {
      const auto x = row_of(splits.at("test").inputs, i), y = row_of(splits.at("test").targets, i), expected = rule.answers(x);
      REQUIRE(y.size() == rule.length);
      REQUIRE(expected.size() == rule.length);
      highest = std::max(highest, *std::max_element(x.begin(), x.end()));
      CHECK(*std::min_element(x.begin(), x.end()) >= 0);
      CHECK(*std::max_element(y.begin(), y.end()) < rule.vocabulary);
      for (std::size_t t = 0; t < rule.length; ++t) {
        if (expected[t] == kUnknowable) {
          CHECK(y[t] >= 0);
          continue;
        }
        CHECK(y[t] == expected[t]);
        known += expected[t] != kNot;
      }
    }
    CHECK(highest == rule.tokens - 1);
    CHECK(known > 50);
  }
}

TEST_CASE("the bigram table is the same for all sequences and seeds", "[sequence_tasks]") {
  std::map<std::int64_t, std::set<std::int64_t>> seen;
  for (const std::uint64_t seed : {1, 2}) {
    const auto test = loaded("task: bigram, test_samples: 100", seed).at("test");
    for (std::int64_t i = 0; i < 100; ++i) {
      const auto x = row_of(test.inputs, i), y = row_of(test.targets, i);
      for (std::size_t t = 0; t < x.size(); ++t) seen[x[t]].insert(y[t]);
    }
  }
  REQUIRE(seen.size() == 32);
  std::set<std::int64_t> answers;
  for (const auto& [token, next] : seen) {
    CHECK(next.size() == 1);
    answers.insert(*next.begin());
  }
  CHECK(answers.size() > 15);
}

TEST_CASE("every task has a rule and can be selected", "[sequence_tasks]") {
  const auto text = error_of([] { sequences("task: juggling"); });
  for (const auto& entry : rules()) CHECK(text.find(entry.first) != std::string::npos);
  CHECK(rules().size() + 1 == 22);  // and bigram
}

TEST_CASE("a sequence depends only on seed, split, task and index", "[sequence_tasks]") {
  const auto a = loaded("task: sort"), again = loaded("task: sort"), other = loaded("task: sort", 8);
  const auto few = loaded("task: sort, train_samples: 100, test_samples: 3");
  const auto get = [](const std::map<std::string, Split>& splits, const Numbers& rows) { return picked(splits.at("train"), rows).inputs; };
  CHECK(a.at("train").size() == 1 << 20);
  CHECK(at::equal(get(a, {0, 5, 99}), get(again, {0, 5, 99})));
  CHECK(at::equal(get(a, {99, 0, 5}), get(few, {0, 5, 99}).index_select(0, at::tensor(Numbers{2, 0, 1}))));
  CHECK(at::equal(a.at("test").inputs.narrow(0, 0, 3), few.at("test").inputs));
  CHECK_FALSE(at::equal(get(a, {0}), get(other, {0})));
  CHECK_FALSE(at::equal(get(a, {0}), get(loaded("task: copy, length: 16"), {0})));

  // No sequence of 32 tokens occurs twice, in training or test.
  const auto copy = loaded("task: copy");
  Numbers rows(2000);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int64_t>(i);
  std::set<Numbers> different;
  const Tensor train = get(copy, rows);
  for (std::int64_t i = 0; i < train.size(0); ++i) different.insert(row_of(train, i));
  for (std::int64_t i = 0; i < 1024; ++i) different.insert(row_of(copy.at("test").inputs, i));
  CHECK(different.size() == 3024);
}

TEST_CASE("provenance distinguishes tasks and sizes", "[sequence_tasks]") {
  std::set<std::string> sums;
  for (const char* yaml : {"task: copy", "task: copy", "task: reverse", "task: copy, length: 31", "task: copy, test_samples: 5"}) {
    const auto set = sequences(yaml);
    set->load({});
    CHECK(set->provenance().name == "sequence_task");
    sums.insert(set->provenance().sha256);
  }
  CHECK(sums.size() == 4);
}

TEST_CASE("every batch of every seed is new and reproducible from any step", "[sequence_tasks]") {
  const auto splits = loaded("task: copy");
  std::set<Numbers> seen;
  for (const std::uint64_t seed : {1, 2}) {
    Batches whole(splits.at("train"), 16), later(splits.at("train"), 16);
    whole.start_epoch(true, shuffle_seed(seed, 0));
    later.start_epoch(true, shuffle_seed(seed, 0));
    for (std::int64_t step = 0; step < 20; ++step) {
      const auto batch = whole.get(step);
      for (std::int64_t i = 0; i < 16; ++i) seen.insert(row_of(batch.inputs, i));
      CHECK(at::equal(batch.targets, batch.inputs));
    }
    CHECK(at::equal(later.get(13).inputs, whole.get(13).inputs));
  }
  CHECK(seen.size() == 2 * 20 * 16);
}

namespace {

testing::Setup recall_setup() {
  testing::Setup s;
  s.architecture = parse_yaml(
      "{name: transformer, layers: 1, heads: 2, width: 16, context: 22, tied: false, embedding_std: 1.0, residual_scaling: false, "
      "norm: {place: none}, mlp: {kind: none}}",
      "test");
  s.op = testing::spec("dot");
  s.task = testing::spec("scored_positions");
  s.optimizer = testing::spec("adamw", {{"lr", 0.01}});
  s.input_shape = {22};
  s.classes = 64;
  s.splits = loaded("task: kv_recall, test_samples: 20");
  s.params.steps = 14;
  s.params.eval_steps = 5;
  s.params.log_every = 1;
  return s;
}

}  // namespace

TEST_CASE("an interrupted training on fresh sequences resumes bitwise identically", "[sequence_tasks][resume]") {
  const auto s = recall_setup();
  const TemporaryFolder whole, parts;
  testing::Recorder expected, rows;
  const auto one = testing::train(s, whole.path(), expected);
  for (const int stop : {4, 5}) testing::train(s, parts.path(), rows, testing::after(stop));
  const auto other = testing::train(s, parts.path(), rows);
  CHECK(other.outcome.resumed);
  CHECK(other.model == one.model);
  CHECK(rows.rows == expected.rows);

  auto later = s;
  later.seed = 4;
  const TemporaryFolder there;
  testing::Recorder different;
  testing::train(later, there.path(), different);
  CHECK_FALSE(different.rows == expected.rows);
}

TEST_CASE("only models with attention learn to recall the first token", "[sequence_tasks][slow]") {
  auto s = recall_setup();
  s.architecture.set("context", 8);
  s.architecture.set("width", 32);
  s.input_shape = {8};
  s.classes = 6;
  s.splits = loaded("task: first_token, length: 8, vocabulary: 6, test_samples: 300");
  s.params.batch_size = 32;
  s.params.steps = 300;
  s.params.eval_steps = 300;
  const TemporaryFolder with, without;
  testing::Recorder rows;
  CHECK(testing::train(s, with.path(), rows).outcome.metrics.at("test/accuracy") > 0.95);
  s.architecture.set("layers", 0);
  CHECK(testing::train(s, without.path(), rows).outcome.metrics.at("test/accuracy") < 0.35);
}

TEST_CASE("only scored positions count", "[sequence_tasks]") {
  const auto task = Registry<Task>::create(Node("scored_positions"));
  const Tensor logits = at::tensor({2., 0., 0., 0., 3., 0., 0., 0., 1., 5., 5., 9.}, at::kFloat).view({2, 2, 3}).requires_grad_(true);
  const Tensor targets = at::tensor(Numbers{0, -1, -1, 1}).view({2, 2});
  const double e = std::exp(1.0), first = std::log(e * e + 2) - 2, second = std::log(2 * std::pow(e, 5) + std::pow(e, 9)) - 5;
  const Tensor loss = task->loss(logits, targets);
  CHECK(loss.item<double>() == Approx((first + second) / 2).epsilon(1e-6));
  loss.backward();
  CHECK(logits.grad()[0][1].abs().max().item<double>() == 0);
  CHECK(logits.grad()[1][0].abs().max().item<double>() == 0);
  CHECK(logits.grad()[1][1][0].item<double>() > 0);
  // A part of a batch may have no scored position.
  CHECK(task->loss(logits, at::full({2, 2}, -1, at::kLong)).item<double>() == 0);
}

TEST_CASE("evaluation averages over scored positions of all batches", "[sequence_tasks]") {
  struct Given final : Architecture {
    void build(const BuildContext&) override {}
    Tensor forward(const Tensor& inputs) override {
      return at::one_hot(inputs, 4).to(at::kFloat) * 50 + (inputs.eq(3).any().item<bool>() ? NAN : 0);
    }
  };
  Given model;  // predicts its input
  const auto task = Registry<Task>::create(Node("scored_positions"));
  const Split split{at::tensor(Numbers{0, 1, 2, 1, 1, 0}).view({3, 2}), at::tensor(Numbers{0, 1, 2, -1, 0, -1}).view({3, 2})};
  const auto measured = task->evaluate(model, split, 2);
  CHECK(measured.at("accuracy") == 0.75);
  CHECK(measured.at("loss") == Approx(50.0 / 4).epsilon(1e-5));
  const auto broken = task->evaluate(model, {at::tensor(Numbers{0, 3}).view({1, 2}), at::tensor(Numbers{0, -1}).view({1, 2})}, 2);
  CHECK(std::isnan(broken.at("accuracy")));
  CHECK(std::isnan(broken.at("loss")));
}

TEST_CASE("settings that do not fit a sequence task are rejected", "[sequence_tasks]") {
  const auto says = [](const std::string& yaml, const std::string& text) {
    const auto error = error_of([&] { sequences(yaml); });
    INFO(yaml << ": " << error);
    CHECK(error.find(text) != std::string::npos);
  };
  says("task: induction, length: 5", "a length of 5 is too small for the task 'induction'");
  says("task: induction, length: 5", "set dataset.length=6 or more");
  says("task: modular, vocabulary: 6", "a vocabulary of 6 is too small for the task 'modular'");
  says("task: kv_recall, vocabulary: 10", "set dataset.vocabulary=11 or more");
  says("task: kv_recall, length: 3", "a length of 3");
  says("task: copy, length: 0", "length");
  says("task: copy, train_samples: 0", "train_samples");
  says("task: jugling", "task");
  for (const auto& entry : rules()) {  // the smallest allowed sizes work
    INFO(entry.first);
    std::int64_t length = 1, vocabulary = 1;
    const auto make = [&] { loaded(fmt::format("task: {}, length: {}, vocabulary: {}", entry.first, length, vocabulary)); };
    while (error_of(make).find("a length of") != std::string::npos) ++length;
    while (error_of(make).find("a vocabulary of") != std::string::npos) ++vocabulary;
    CHECK(error_of(make) == "no error");
    CHECK(length <= 6);
    CHECK(vocabulary <= 7);
  }
}

TEST_CASE("language_modeling rejects sequences with unscored positions", "[sequence_tasks]") {
  const auto task = Registry<Task>::create(Node("language_modeling"));
  const auto observed = [&](const std::string& yaml) { return error_of([&] { task->observe(loaded(yaml).at("train")); }); };
  CHECK(observed("task: first_token").find("use task=scored_positions") != std::string::npos);
  CHECK(observed("task: copy") == "no error");
}

}  // namespace yatlab

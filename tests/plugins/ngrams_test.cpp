#include "plugins/language/analyses/ngram_scores.h"

#include <ATen/ATen.h>

#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "catch.h"
#include "core/config/yaml.h"
#include "core/measure/analysis.h"
#include "core/model/language_model.h"
#include "core/train/samples_trained_on.h"
#include "plugins/language/datasets/token_windows.h"

namespace yatlab {
namespace {

using Text = std::vector<std::vector<std::int64_t>>;

/// Windows of all tokens of each row except the last; targets are shifted by one.
TextWindows windows(const Text& rows) {
  std::vector<Tensor> all;
  for (const auto& row : rows) all.push_back(at::tensor(row, at::kLong));
  const Tensor t = at::stack(all);
  return {t.narrow(1, 0, t.size(1) - 1), t.narrow(1, 1, t.size(1) - 1)};
}

/// The same with maps, from the definition.
std::vector<double> slow(const Text& train, const Text& test, std::int64_t vocabulary, std::int64_t orders) {
  std::map<std::vector<std::int64_t>, std::map<std::int64_t, double>> follows;
  for (const auto& row : train) {
    for (std::size_t t = 1; t < row.size(); ++t) {
      for (std::size_t size = 0; size <= t && size < static_cast<std::size_t>(orders); ++size) {
        follows[{row.begin() + static_cast<std::ptrdiff_t>(t - size), row.begin() + static_cast<std::ptrdiff_t>(t)}][row[t]] += 1;
      }
    }
  }
  std::vector<double> out(static_cast<std::size_t>(orders), 0.0);
  double n = 0;
  for (const auto& row : test) {
    for (std::size_t t = 1; t < row.size(); ++t) {
      ++n;
      double p = 1 / static_cast<double>(vocabulary);
      for (std::size_t size = 0; size < static_cast<std::size_t>(orders); ++size) {
        if (size <= t) {
          const auto it = follows.find({row.begin() + static_cast<std::ptrdiff_t>(t - size), row.begin() + static_cast<std::ptrdiff_t>(t)});
          if (it != follows.end()) {
            double all = 0, own = 0;
            for (const auto& [token, count] : it->second) {
              all += count;
              if (token == row[t]) own = count;
            }
            const auto different = static_cast<double>(it->second.size());
            p = (own + different * p) / (all + different);
          }
        }
        out[size] -= std::log(p);
      }
    }
  }
  for (auto& loss : out) loss /= n;
  return out;
}

}  // namespace

TEST_CASE("n-gram losses by hand", "[ngrams]") {
  // After 0 came 1 twice and 0 once; after 1 came 0 once. Targets: 1, 0, 1, 0: two of each.
  const auto losses = ngram_losses(windows({{0, 1, 0}, {0, 0, 1}}), windows({{0, 1}}), 4, 2);
  // Order 1: c(1) = 2 of 4, two kinds, below 1/4: (2 + 2/4) / (4 + 2).
  const double unigram = 2.5 / 6;
  CHECK(losses[0] == Approx(-std::log(unigram)));
  // Order 2: after 0 three targets, two kinds, 1 twice.
  CHECK(losses[1] == Approx(-std::log((2 + 2 * unigram) / (3 + 2))));
}

TEST_CASE("n-gram losses agree with the definition at window starts and for unseen tokens", "[ngrams]") {
  Text train, test;
  std::uint64_t state = 7;
  const auto next = [&] { return static_cast<std::int64_t>((state = state * 6364136223846793005U + 1442695040888963407U) >> 61U); };
  for (auto* text : {&train, &test}) {
    for (int row = 0; row < 30; ++row) {
      text->emplace_back();
      for (int i = 0; i < 12; ++i) text->back().push_back(text == &test && i == 5 ? 9 : next());
    }
  }
  const auto fast = ngram_losses(windows(train), windows(test), 10, 6), expected = slow(train, test, 10, 6);
  for (std::size_t i = 0; i < 6; ++i) CHECK(fast[i] == Approx(expected[i]).epsilon(1e-12));
}

TEST_CASE("samples_trained_on returns the samples of the completed steps", "[ngrams]") {
  TrainerParams p;
  p.batch_size = 4;
  p.shuffle = false;
  using Samples = std::vector<std::int64_t>;
  CHECK(samples_trained_on(10, p, 1, 0).empty());
  CHECK(samples_trained_on(10, p, 1, 2) == Samples{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(samples_trained_on(10, p, 1, 3).size() == 10);  // the last batch is smaller
  CHECK(samples_trained_on(10, p, 1, 50).size() == 10);
  p.drop_last = true;
  CHECK(samples_trained_on(10, p, 1, 50) == Samples{0, 1, 2, 3, 4, 5, 6, 7});
  p.shuffle = true;
  CHECK(samples_trained_on(10, p, 1, 2).size() == 8);
  CHECK(samples_trained_on(10, p, 1, 50).size() == 10);  // another two left out each epoch
  CHECK(samples_trained_on(1000, p, 1, 3) != samples_trained_on(1000, p, 2, 3));
}

TEST_CASE("samples of several text files are selected like those of one", "[ngrams]") {
  const auto run = [](Token from) {
    std::vector<Token> tokens;
    for (Token t = from; t < from + 21; ++t) tokens.push_back(t);
    return token_run(std::move(tokens));
  };
  const Split several = windows_of_runs({run(100), run(200)}, 5, {}, 1), one = token_windows(run(100), 5, {});
  REQUIRE(several.rows);
  const Split here = picked(several, {5, 1}), there = picked(one, {3, 1});
  CHECK(here.inputs[0].equal(at::tensor(std::vector<std::int64_t>{205, 206, 207, 208, 209}).to(at::kShort)));
  CHECK(here.targets[0][4].item<std::int64_t>() == 210);
  CHECK(here.inputs[1].equal(there.inputs[1]));
  CHECK(here.targets[1].equal(there.targets[1]));
}

TEST_CASE("ngrams: models that learned pairs or token frequencies are distinguished", "[ngrams]") {
  // Text in which each token determines the next.
  Text rows;
  for (std::int64_t r = 0; r < 40; ++r) {
    rows.emplace_back();
    for (std::int64_t i = 0; i < 9; ++i) rows.back().push_back((r + i) % 5);
  }
  const auto text = windows(rows);
  std::map<std::string, Split> splits{{"train", {text.inputs, text.targets}},
                                      {"test", {text.inputs.narrow(0, 0, 10), text.targets.narrow(0, 0, 10)}}};
  const auto data = Registry<Dataset>::create("generated_text");
  const auto task = Registry<Task>::create("language_modeling");
  const auto first = [](std::int64_t n) {
    std::vector<std::int64_t> out(static_cast<std::size_t>(n));
    std::iota(out.begin(), out.end(), std::int64_t{0});
    return out;
  };
  const auto look = [&](double sharpness, const std::string& more = "") {
    const Tensor next = at::one_hot(at::arange(5, at::kLong).add(1).remainder(5), 5).to(at::kFloat) * sharpness;
    struct Table final : Architecture, LanguageModel {
      explicit Table(Tensor t) : table(std::move(t)) {}
      void build(const BuildContext&) override {}
      Tensor forward(const Tensor& tokens) override { return hidden(tokens); }
      Tensor hidden(const Tensor& tokens) override { return at::embedding(table, token_numbers(tokens)); }
      Tensor head() const override { return at::eye(5); }
      Tensor table;
    } model(next);
    const TrainedArm arm{
        model, {},    splits,
        *data, *task, nullptr,
        5,     3,     [&](std::int64_t most) { return picked(splits.at("train"), first(std::min<std::int64_t>(most, 8))); }};
    return Registry<Analysis>::create(parse_yaml("{name: ngrams, orders: 3" + more + "}", "test"))->analyse(arm);
  };
  const auto sharp = look(20), dull = look(0);
  CHECK(sharp.metrics.at("ngrams/passed") == 3);
  CHECK(dull.metrics.at("ngrams/passed") == 1);
  CHECK(dull.metrics.at("ngrams/loss_2") < dull.metrics.at("ngrams/loss_1"));
  CHECK(sharp.artifacts.at("ngrams")["samples"] == 8);
  CHECK(look(20, ", tokens: 31").artifacts.at("ngrams")["samples"] == 3);
  CHECK(look(20, ", tokens: 1").artifacts.at("ngrams")["samples"] == 1);
  // Only samples that were trained on are counted.
  const auto counted = ngram_losses({text.inputs.narrow(0, 0, 8), text.targets.narrow(0, 0, 8)},
                                    {splits["test"].inputs, splits["test"].targets}, data->num_classes(), 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(sharp.metrics.at("ngrams/loss_" + std::to_string(i + 1)) == Approx(counted[i]));
}

}  // namespace yatlab

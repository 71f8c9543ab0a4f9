// The architecture label_prototypes and the task multilabel: one against the other, and against dense formulas.
#include <ATen/ATen.h>
#include <torch/autograd.h>

#include <optional>

#include "catch.h"
#include "core/base/error.h"
#include "core/data/safetensors.h"
#include "core/model/label_scorer.h"
#include "core/train/trainer.h"
#include "helpers.h"
#include "plugins/extreme/architectures/label_ranker.h"
#include "plugins/extreme/tasks/ranking_metrics.h"
#include "plugins/extreme/tasks/top_k.h"
#include "temporary_folder.h"
#include "train/sparse.h"

namespace yatlab {
namespace {

using testing::csr_of;
using testing::error_of;
using testing::random_labels;
using testing::random_sparse;
using testing::spec;
using Parameters = std::vector<std::pair<std::string, Node>>;

constexpr std::int64_t kFeatures = 30, kLabels = 23;

std::shared_ptr<Architecture> model_of(const Node& op, Parameters parameters = {}) {
  parameters.emplace_back("dim", 8);
  const auto model = Registry<Architecture>::create(spec("label_prototypes", parameters));
  BuildContext context;
  context.op = Registry<Operator>::create(op);
  context.input_shape = {kFeatures};
  context.num_classes = kLabels;
  context.seed = 2;
  model->build(context);
  return model;
}

std::shared_ptr<Task> task_of(const Parameters& parameters = {}, const char* normalizer = nullptr) {
  const auto task = Registry<Task>::create(spec("multilabel", parameters));
  task->set_normalizer(normalizer ? Registry<Normalizer>::create(normalizer) : nullptr);
  return task;
}

Tensor parameter(const Architecture& model, const std::string& name) { return model.named_parameters()[name].detach(); }

/// Documents whose labels follow from their features: label l goes with features l and l + 5.
std::map<std::string, Split> documents() {
  at::manual_seed(31);
  const auto make = [](std::int64_t n) {
    const Tensor labels = random_labels(n, kLabels, 0.1);
    Tensor words = (at::rand({n, kFeatures}) < 0.05).to(at::kFloat);
    for (std::int64_t l = 0; l < kLabels; ++l) {
      words.select(1, l).add_(labels.select(1, l));
      words.select(1, l + 5).add_(labels.select(1, l));
    }
    return Split{csr_of(words), csr_of(labels)};
  };
  return {{"train", make(300)}, {"test", make(80)}};
}

struct Silent final : TrainObserver {
  std::vector<Metrics> rows;
  void on_metrics(const TrainTime&, const Metrics& metrics) override { rows.push_back(metrics); }
  void on_progress(const Progress&) override {}
  HistoryMark mark_history() override { return {static_cast<std::int64_t>(rows.size())}; }
  bool rewind_history(const HistoryMark& mark) override {
    rows.resize(static_cast<std::size_t>(mark.position));
    return true;
  }
};

bool go_on() { return false; }

struct Trained {
  std::string model;
  TrainOutcome outcome;
};

Trained train(const Node& op, const Parameters& architecture, const Parameters& task, const std::map<std::string, Split>& splits,
              const std::function<bool()>& stop = go_on, const TemporaryFolder* folder = nullptr, std::optional<double> clip = std::nullopt,
              const char* optimizer_name = "adam", const char* normalizer = nullptr) {
  const auto model = model_of(op, architecture);
  const auto t = task_of(task, normalizer);
  t->observe(splits.at("train"));
  const auto optimizer = Registry<Optimizer>::create(spec(optimizer_name, {{"lr", 0.05}}));
  optimizer->attach(model->parameters());
  TrainerParams params;
  params.epochs = 20;
  params.batch_size = 64;
  params.grad_clip = clip;
  const TemporaryFolder own;
  Silent silent;
  silent.rows.resize(50);
  Trained out;
  out.outcome = Trainer(params, 9, (folder ? folder : &own)->path())
                    .run(*model, *t, splits, *optimizer, *Registry<Schedule>::create("constant"), silent, stop);
  NamedTensors all;
  for (const auto& p : model->named_parameters()) all.emplace_back(p.key(), p.value().detach());
  out.model = dump_safetensors(all);
  return out;
}

}  // namespace

TEST_CASE("label_prototypes scores the mean of embeddings against every prototype", "[multilabel]") {
  at::manual_seed(21);
  const Tensor x = random_sparse(6, kFeatures, 0.3);
  const auto mean = [&](const Architecture& m, bool weighted) {
    const Tensor factors = weighted ? x : x.ne(0).to(at::kFloat);
    return at::matmul(factors / factors.abs().sum(1, true), parameter(m, "embeddings"));
  };
  const auto unit = [](const Tensor& t) { return t / t.norm(2, {1}, true); };

  const auto dot = model_of(spec("dot"), {{"normalize_query", true}});
  CHECK(at::allclose(dot->forward(csr_of(x)), at::matmul(unit(mean(*dot, false)), parameter(*dot, "labels.weight").t()), 1e-5, 1e-6));

  const auto weighted = model_of(spec("dot"), {{"values", "weighted"}, {"normalize_prototypes", true}});
  CHECK(at::allclose(weighted->forward(csr_of(x)), at::matmul(mean(*weighted, true), unit(parameter(*weighted, "labels.weight")).t()), 1e-5,
                     1e-6));
  CHECK(at::equal(weighted->forward(csr_of(x)), weighted->forward(x)));  // dense inputs are accepted

  const auto yat = model_of(spec("yat", {{"epsilon", 0.01}}), {{"logits", "log"}, {"log_floor", 0.05}});
  const Tensor q = mean(*yat, false), w = parameter(*yat, "labels.weight");
  const Tensor dots = at::matmul(q, w.t());
  const Tensor scores = dots.square() / ((q.unsqueeze(1) - w.unsqueeze(0)).square().sum(2) + 0.01);
  REQUIRE((scores < 0.05).any().item<bool>());
  REQUIRE((scores > 0.05).any().item<bool>());
  CHECK(at::allclose(yat->forward(csr_of(x)), scores.clamp_min(0.05).log(), 1e-4, 1e-5));
  CHECK(yat->may_be_negative());
  CHECK_FALSE(model_of(spec("yat"))->may_be_negative());
}

TEST_CASE("label_prototypes in blocks gives the same ranking as whole scores", "[multilabel]") {
  at::manual_seed(22);
  const Tensor x = csr_of(random_sparse(17, kFeatures, 0.2));
  const auto whole = model_of(spec("dot"));
  const auto expected = top_k_labels(whole->forward(x).detach(), 5);
  for (const std::int64_t block : {1, 4, 22, 23, 500}) {
    const auto model = model_of(spec("dot"), {{"block", block}});
    const auto found = dynamic_cast<LabelRanker&>(*model).top_k(x, 5);
    CHECK(at::equal(found.indices, expected.indices));
    CHECK(at::allclose(found.scores, expected.scores));
    CHECK_FALSE(found.scores.requires_grad());
  }
}

TEST_CASE("the training loss is the loss of all logits", "[multilabel]") {
  const auto splits = documents();
  const Split& train = splits.at("train");
  struct Case {
    const char* loss;
    Node op;
    const char* logits;
  };
  for (const auto& c : {Case{"cross_entropy", spec("dot"), "raw"}, Case{"cross_entropy", spec("yat"), "log"},
                        Case{"one_vs_all", spec("euclidean"), "raw"}, Case{"one_vs_all", spec("yat"), "log"}}) {
    const auto model = model_of(c.op, {{"logits", c.logits}, {"scale", "multiply"}, {"learn_alpha", false}});
    for (const std::int64_t block : {0, 7}) {
      INFO(c.loss << " " << c.logits << ", block " << block);
      const auto task = task_of({{"loss", c.loss}, {"block", block}});
      const Tensor plain = task->loss(model->forward(train.inputs), train.targets);
      const Tensor fused = task->training_loss(*model, train.inputs, train.targets);
      CHECK(fused.item<double>() == Approx(plain.item<double>()).epsilon(1e-5));
      const auto inputs = model->parameters();
      const auto want = torch::autograd::grad({plain}, inputs), got = torch::autograd::grad({fused}, inputs);
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto dense = [](const Tensor& t) { return t.is_sparse() ? t.to_dense() : t; };
        CHECK(at::allclose(dense(got[i]), dense(want[i]), 1e-3, 1e-6));
      }
    }
  }
}

TEST_CASE("bfloat16 is used for scores in training only", "[multilabel]") {
  const auto splits = documents();
  const Split& split = splits.at("train");
  const auto dense = [](const Tensor& t) { return t.is_sparse() ? t.to_dense() : t; };
  struct Case {
    const char* op;
    const char* logits;
  };
  for (const auto& [op, logits] : {Case{"dot", "raw"}, Case{"euclidean", "raw"}, Case{"yat", "raw"}, Case{"yat", "log"}}) {
    const bool positive = std::string(op) == "yat";
    const Parameters wide{{"logits", logits}, {"scale", "multiply"}, {"learn_alpha", !positive}, {"normalize_prototypes", !positive}};
    Parameters narrow = wide;
    narrow.emplace_back("precision", "bfloat16");
    const auto in_float = model_of(spec(op), wide), in_bfloat16 = model_of(spec(op), narrow);
    for (const std::int64_t block : {0, 7}) {
      INFO(op << ", " << logits << ", block " << block);
      const auto task = task_of({{"block", block}});
      task->observe(split);
      const Tensor expected = task->training_loss(*in_float, split.inputs, split.targets);
      const Tensor found = task->training_loss(*in_bfloat16, split.inputs, split.targets);
      REQUIRE(found.scalar_type() == at::kFloat);
      CHECK(found.item<double>() == Approx(expected.item<double>()).epsilon(5e-3));
      CHECK(found.item<double>() != expected.item<double>());
      const auto want = torch::autograd::grad({expected}, in_float->parameters()),
                 got = torch::autograd::grad({found}, in_bfloat16->parameters());
      for (std::size_t i = 0; i < want.size(); ++i) {
        REQUIRE(got[i].scalar_type() == at::kFloat);
        // The slope of log E near E = 0 is dominated by the rounding of E.
        if (std::string(logits) == "log") continue;
        CHECK(at::norm(dense(got[i]) - dense(want[i])).item<double>() < 0.02 * at::norm(dense(want[i])).item<double>());
      }
      CHECK(task->evaluate(*in_bfloat16, split, 64) == task->evaluate(*in_float, split, 64));  // ranked in float32
    }
    const auto learned = [&, name = op](const Parameters& architecture) {
      return train(spec(name), architecture, {}, splits).outcome.metrics.at("test/P@1");
    };
    CHECK(learned(narrow) == Approx(learned(wide)).margin(0.1));
  }
}

TEST_CASE("softmax of log scores trains like softermax of scores", "[multilabel]") {
  const auto splits = documents();
  const Split& train = splits.at("train");
  const auto logs = model_of(spec("yat"), {{"logits", "log"}}), raw = model_of(spec("yat"));
  const double a = task_of()->training_loss(*logs, train.inputs, train.targets).item<double>();
  CHECK(task_of({}, "softermax")->training_loss(*raw, train.inputs, train.targets).item<double>() == Approx(a).epsilon(1e-5));
  CHECK(task_of({}, "softmax")->training_loss(*logs, train.inputs, train.targets).item<double>() == Approx(a).epsilon(1e-5));
  const double b = task_of({{"loss", "one_vs_all"}})->training_loss(*logs, train.inputs, train.targets).item<double>();
  CHECK(task_of({{"loss", "one_vs_all"}}, "soft_sigmoid")->training_loss(*raw, train.inputs, train.targets).item<double>() ==
        Approx(b).epsilon(1e-5));
}

TEST_CASE("one-vs-all with soft-sigmoid agrees with double at scores of any magnitude", "[multilabel]") {
  const auto task = task_of({{"loss", "one_vs_all"}}, "soft_sigmoid");
  const Tensor targets = csr_of(at::tensor({1.0F, 0.0F, 1.0F, 0.0F, 0.0F, 1.0F, 0.0F, 1.0F}).view({2, 4}));
  for (const double size : {1e-8, 1e-3, 1.0, 1e3, 1e8, 1e30}) {
    const Tensor scores = (at::tensor({1.0F, 2.0F, 0.5F, 0.1F, 3.0F, 0.7F, 1.1F, 5.0F}).view({2, 4}) * size).set_requires_grad(true);
    const Tensor exact = scores.detach().to(at::kDouble).set_requires_grad(true), labels = targets.to_dense().to(at::kDouble);
    // -ln(x / (1 + x)) for labels and ln(1 + x) for others, summed over labels, averaged over samples.
    const Tensor expected = (labels * (exact.log1p() - exact.log()) + (1 - labels) * exact.log1p()).sum() / 2;
    const Tensor loss = task->loss(scores, targets);
    INFO(size);
    CHECK(loss.item<double>() == Approx(expected.item<double>()).epsilon(1e-6));
    const Tensor slope = torch::autograd::grad({loss}, {scores})[0], right = torch::autograd::grad({expected}, {exact})[0];
    CHECK(at::allclose(slope.to(at::kDouble), right, 1e-5, 1e-37));
  }
}

TEST_CASE("one-vs-all with soft-sigmoid still trains with saturated weights", "[multilabel]") {
  const auto splits = documents();
  const Parameters ova{{"loss", "one_vs_all"}};
  for (const double alpha : {1.0, 1e12}) {
    const Parameters scaled{{"scale", "multiply"}, {"alpha_init", alpha}, {"learn_alpha", false}};
    const auto trained = train(spec("yat"), scaled, ova, splits, go_on, nullptr, std::nullopt, "adam", "soft_sigmoid");
    INFO("alpha " << alpha);
    CHECK(trained.outcome.state == TrainOutcome::State::kCompleted);  // not diverged
    CHECK(std::isfinite(trained.outcome.metrics.at("train/loss")));
    if (alpha == 1) CHECK(trained.outcome.metrics.at("test/P@1") > 0.2);  // by chance: 0.1
  }
}

TEST_CASE("training on sparse rows learns and all implementations agree", "[multilabel]") {
  const auto splits = documents();
  const Parameters log{{"logits", "log"}};
  const auto with = [&](const char* name, const Node& value) {
    Parameters out = log;
    out.emplace_back(name, value);
    return out;
  };
  const auto trained = train(spec("yat"), log, {}, splits);
  CHECK(trained.outcome.metrics.at("test/P@1") > 0.5);  // by chance: 0.1
  CHECK(trained.outcome.metrics.count("test/psp_raw@5"));
  // Dense gradients of the embeddings, and dense inputs in batches of the same order, give the same bytes.
  const bool dense_gradients = train(spec("yat"), with("sparse_gradients", false), {}, splits).model == trained.model;
  CHECK(dense_gradients);
  auto dense = splits;
  for (auto& [name, split] : dense) split.inputs = split.inputs.to_dense();
  const bool dense_inputs = train(spec("yat"), log, {}, dense).model == trained.model;
  CHECK(dense_inputs);
  // Blocks of labels do not change rankings; in training they only change how sums are rounded.
  CHECK(train(spec("yat"), with("block", 3), {}, splits).outcome.metrics == trained.outcome.metrics);
  CHECK(train(spec("yat"), log, {{"block", 5}}, splits).outcome.metrics.at("train/loss") ==
        Approx(trained.outcome.metrics.at("train/loss")).epsilon(0.2));
  // Interrupted inside an epoch.
  const TemporaryFolder folder;
  REQUIRE(train(
              spec("yat"), log, {}, splits, [n = 0]() mutable { return ++n == 13; }, &folder)
              .outcome.state == TrainOutcome::State::kInterrupted);
  const bool resumed = train(spec("yat"), log, {}, splits, go_on, &folder).model == trained.model;
  CHECK(resumed);
}

TEST_CASE("sparse gradients are clipped by the norm that dense ones have", "[multilabel]") {
  const auto splits = documents();
  const auto loss = [&](bool sparse, std::optional<double> clip) {
    return train(spec("dot"), {{"sparse_gradients", sparse}}, {}, splits, go_on, nullptr, clip, "sgd").outcome.metrics.at("train/loss");
  };
  const double clipped = loss(false, 0.01);
  CHECK(clipped > loss(false, std::nullopt) + 0.01);  // the limit has an effect
  CHECK(loss(true, 0.01) == Approx(clipped).epsilon(1e-5));
}

TEST_CASE("evaluation ranks by the whole score matrix", "[multilabel]") {
  const auto splits = documents();
  const Split& train = splits.at("train");
  const Split& test = splits.at("test");
  const auto model = model_of(spec("dot"));
  const auto task = task_of({{"propensity_a", 0.6}, {"propensity_b", 2.6}});
  task->observe(train);
  const auto expected = ranking_metrics(top_k_labels(model->forward(test.inputs).detach(), 5).indices, test.targets,
                                        propensities(train.targets.to_dense().sum(0).to(at::kLong), train.size(), 0.6, 2.6));
  CHECK(task->evaluate(*model, test, 1000) == expected);
  CHECK(task->evaluate(*model, test, 7) == expected);
  CHECK(expected.count("PSP@3"));
}

TEST_CASE("multilabel and label_prototypes reject invalid settings", "[multilabel]") {
  CHECK(error_of([] {
          model_of(spec("dot"), {{"logits", "log"}});
        }) ==
        "architecture.logits=log needs scores that are never negative\n"
        "  at: architecture.logits\n"
        "  why: this operator (or its scale) can give negative scores\n"
        "  try: use architecture.logits=raw, or operator=yat");
  CHECK(error_of([] { task_of({}, "soft_sigmoid"); }) ==
        "task.loss=cross_entropy needs weights that sum to 1 over the labels\n"
        "  at: normalizer\n"
        "  try: use normalizer=null (softmax) or normalizer=softermax");
  CHECK(error_of([] {
          task_of({{"loss", "one_vs_all"}}, "softmax");
        }) ==
        "task.loss=one_vs_all needs a normalizer that maps each score separately\n"
        "  at: normalizer\n"
        "  try: use normalizer=null (sigmoid) or normalizer=soft_sigmoid");
  CHECK(error_of([] {
          task_of({{"block", 100}}, "softermax");
        }) ==
        "task.block works for softmax and the sigmoid only\n"
        "  at: task.block\n"
        "  why: other normalizers need all labels at once\n"
        "  try: use normalizer=null; softermax of power 1 is softmax with architecture.logits=log");
  CHECK(error_of([] {
          task_of()->observe({at::ones({2, 3}), at::zeros({2}, at::kLong)});
        }) ==
        "task 'multilabel' needs a data set with several labels per sample\n"
        "  at: task\n"
        "  try: use task=classification, or a data set such as dataset=eurlex4k");
}

}  // namespace yatlab

#pragma once

// What `yatlab plugin new` writes. @name@ and @Class@ are replaced; the build writes, compiles and
// tests one of each kind, so that these stay true.

namespace yatlab::scaffold_templates {

// ---------------------------------------------------------------------------------------- operator
constexpr char kOperator[] = R"~(
#include <ATen/ATen.h>

#include "core/ops/operator.h"
#include "core/ops/pairwise.h"

namespace yatlab {
namespace {

/// score(x, w) = exp(-gamma |x - w|^2) + bias: 1 where x = w, falling to 0 with the distance.
class @Class@ final : public Operator {
 public:
  struct Params {
    double gamma = 1.0;
    static void declare(Fields& f, Params& p) {
      f.field("gamma", p.gamma, "how fast the score falls with the squared distance").positive();
    }
  };
  explicit @Class@(const Params& p) : p_(p) {}

  Tensor scores(const Tensor& x, const Tensor& w, const Tensor& bias) const override {
    return add_bias(at::exp(-p_.gamma * squared_distances(x, w)), bias, x.scalar_type());
  }

  OperatorTraits traits() const override {
    OperatorTraits t;
    t.symmetric = true;
    t.non_negative = true;
    t.bounded = true;
    return t;
  }

  std::int64_t flops(std::int64_t batch, std::int64_t units, std::int64_t dim) const override {
    return 2 * batch * units * dim + 2 * (batch + units) * dim + 6 * batch * units;
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Operator, @Class@, "@name@", "exp(-gamma |x - w|^2)");

}  // namespace
}  // namespace yatlab
)~";

constexpr char kOperatorConfig[] = R"~(
# exp(-gamma |x - w|^2)
name: @name@
gamma: 1.0
)~";

constexpr char kOperatorTest[] = R"~(
#include <ATen/ATen.h>

#include <cmath>

#include "catch.h"
#include "core/base/error.h"
#include "core/ops/operator.h"

namespace yatlab {

TEST_CASE("@name@: values and slopes agree with the formula", "[operator][@name@]") {
  Node spec = Node::map();
  spec.set("name", "@name@");
  spec.set("gamma", 0.5);
  const auto op = Registry<Operator>::create(spec);

  const auto x = at::tensor({0.0, 0.0, 1.0, 2.0}, at::kDouble).view({2, 2}).requires_grad_();
  const auto w = at::tensor({0.0, 0.0, 1.0, 0.0, 1.0, 2.0}, at::kDouble).view({3, 2});
  const auto scores = op->scores(x, w);
  const double squared_distance[] = {0, 1, 5, 5, 4, 0};
  for (int i = 0; i < 6; ++i) {
    CHECK(scores.view(-1)[i].item<double>() == Approx(std::exp(-0.5 * squared_distance[i])));
  }

  // d/dx exp(-gamma |x - w|^2) = -2 gamma (x - w) score
  scores.index({0, 1}).backward();
  CHECK(x.grad().index({0, 0}).item<double>() == Approx(std::exp(-0.5)));
  CHECK(x.grad().index({0, 1}).item<double>() == Approx(0).margin(1e-12));
}

TEST_CASE("@name@: keeps what its traits promise", "[operator][@name@]") {
  const auto op = Registry<Operator>::create("@name@");
  const auto x = at::randn({5, 3}), w = at::randn({4, 3}), bias = at::randn({4});
  CHECK(op->traits().symmetric);
  CHECK(at::allclose(op->scores(x, w), op->scores(w, x).t()));
  CHECK(op->scores(x, w).min().item<double>() >= 0);
  CHECK(at::allclose(op->scores(x, w, bias), op->scores(x, w) + bias));
  CHECK(op->flops(5, 4, 3) > 0);
}

TEST_CASE("@name@: refuses a gamma that is not positive", "[operator][@name@]") {
  Node spec = Node::map();
  spec.set("name", "@name@");
  spec.set("gamma", 0.0);
  CHECK_THROWS_AS(Registry<Operator>::create(spec), Error);
}

}  // namespace yatlab
)~";

// -------------------------------------------------------------------------------------- normalizer
constexpr char kNormalizer[] = R"~(
#include <ATen/ATen.h>

#include <limits>

#include "core/ops/normalizer.h"

namespace yatlab {
namespace {

/// exp(s / T) / sum exp(s / T): softmax with a temperature T.
class @Class@ final : public Normalizer {
 public:
  struct Params {
    double temperature = 1.0;
    static void declare(Fields& f, Params& p) {
      f.field("temperature", p.temperature, "scores are divided by it: small is sharp").positive();
    }
  };
  explicit @Class@(const Params& p) : p_(p) {}

  Tensor normalize(const Tensor& scores, std::int64_t dim, const Tensor& mask) const override {
    return log_normalize(scores, dim, mask).exp();
  }

  Tensor log_normalize(const Tensor& scores, std::int64_t dim, const Tensor& mask) const override {
    const Tensor scaled = scores / p_.temperature;
    if (!mask.defined()) return at::log_softmax(scaled, dim);
    constexpr double kNever = -std::numeric_limits<double>::infinity();
    const Tensor drop = mask.logical_not();
    // Filled twice: a row that is masked whole would come out as NaN.
    return at::log_softmax(scaled.masked_fill(drop, kNever), dim).masked_fill(drop, kNever);
  }

  bool needs_non_negative() const override { return false; }
  bool competitive() const override { return true; }

 private:
  Params p_;
};

YATLAB_REGISTER(Normalizer, @Class@, "@name@", "softmax with a temperature");

}  // namespace
}  // namespace yatlab
)~";

constexpr char kNormalizerConfig[] = R"~(
# softmax with a temperature
name: @name@
temperature: 1.0
)~";

constexpr char kNormalizerTest[] = R"~(
#include <ATen/ATen.h>

#include <cmath>

#include "catch.h"
#include "core/ops/normalizer.h"

namespace yatlab {

TEST_CASE("@name@: closed form", "[normalizer][@name@]") {
  Node spec = Node::map();
  spec.set("name", "@name@");
  spec.set("temperature", 2.0);
  const auto normalizer = Registry<Normalizer>::create(spec);
  const auto weights = normalizer->normalize(at::tensor({0.0, 2.0 * std::log(3.0)}, at::kDouble));
  CHECK(weights[0].item<double>() == Approx(0.25));
  CHECK(weights[1].item<double>() == Approx(0.75));
}

TEST_CASE("@name@: masks, sums and logarithms", "[normalizer][@name@]") {
  const auto normalizer = Registry<Normalizer>::create("@name@");
  const auto scores = at::randn({2, 3}, at::kDouble);
  const auto mask = at::tensor({1, 0, 1, 0, 0, 0}).to(at::kBool).view({2, 3});
  const auto weights = normalizer->normalize(scores, -1, mask);
  CHECK(weights.index({0, 1}).item<double>() == 0);
  CHECK(weights[0].sum().item<double>() == Approx(1));
  CHECK(weights[1].abs().sum().item<double>() == 0);  // masked whole: all zeros
  CHECK(at::allclose(normalizer->log_normalize(scores), normalizer->normalize(scores).log()));
  CHECK(normalizer->competitive());
}

}  // namespace yatlab
)~";

// ------------------------------------------------------------------------------------ architecture
constexpr char kArchitecture[] = R"~(
#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/train/architecture.h"

namespace yatlab {
namespace {

/// One weight row per class; the class's score is operator(input, row).
class @Class@ final : public Architecture {
 public:
  struct Params {
    double std = 0.1;
    static void declare(Fields& f, Params& p) {
      f.field("std", p.std, "standard deviation of the initial weights").positive();
    }
  };
  explicit @Class@(const Params& p) : p_(p) {}

  void build(const BuildContext& context) override {
    if (!context.op) {
      throw config_error("@name@ needs an operator", "operator", {}, "add operator=yat, for example");
    }
    op_ = context.op;
    std::int64_t dim = 1;
    for (const auto size : context.input_shape) dim *= size;
    const auto stream = at::detail::createCPUGenerator(derive_seed(context.seed, "init"));
    weight_ = register_parameter("weight", at::randn({context.num_classes, dim}, stream) * p_.std);
    for (const auto& [name, value] : op_->parameters()) register_parameter("operator_" + name, value);
  }

  Tensor forward(const Tensor& inputs) override { return op_->scores(inputs.flatten(1), weight_); }

  Tensor prototypes() const override { return weight_; }
  void set_prototypes(const Tensor& rows) override {
    const at::NoGradGuard no_grad;
    weight_.copy_(rows);
  }
  bool may_be_negative() const override { return !op_ || !op_->traits().non_negative; }

 private:
  Params p_;
  std::shared_ptr<Operator> op_;
  Tensor weight_;
};

YATLAB_REGISTER(Architecture, @Class@, "@name@", "one weight row per class");

}  // namespace
}  // namespace yatlab
)~";

constexpr char kArchitectureConfig[] = R"~(
# one weight row per class
name: @name@
std: 0.1
)~";

constexpr char kArchitectureTest[] = R"~(
#include <ATen/ATen.h>

#include "catch.h"
#include "core/train/architecture.h"

namespace yatlab {
namespace {

class @Class@Dot final : public Operator {
 public:
  Tensor scores(const Tensor& x, const Tensor& w, const Tensor&) const override {
    return at::matmul(x, w.t());
  }
  OperatorTraits traits() const override { return {}; }
  std::int64_t flops(std::int64_t b, std::int64_t n, std::int64_t d) const override { return 2 * b * n * d; }
};

std::shared_ptr<Architecture> built_@name@(std::uint64_t seed) {
  auto model = Registry<Architecture>::create("@name@");
  BuildContext context;
  context.op = std::make_shared<@Class@Dot>();
  context.input_shape = {4, 2};
  context.num_classes = 3;
  context.seed = seed;
  model->build(context);
  return model;
}

}  // namespace

TEST_CASE("@name@: scores are the operator's, and learn", "[architecture][@name@]") {
  const auto model = built_@name@(1);
  const auto inputs = at::randn({5, 4, 2});
  const auto scores = model->forward(inputs);
  CHECK(scores.sizes() == at::IntArrayRef({5, 3}));
  CHECK(at::allclose(scores, at::matmul(inputs.flatten(1), model->prototypes().t())));
  scores.sum().backward();
  CHECK(model->prototypes().grad().abs().sum().item<double>() > 0);
}

TEST_CASE("@name@: the seed alone decides the first weights", "[architecture][@name@]") {
  CHECK(at::equal(built_@name@(1)->prototypes(), built_@name@(1)->prototypes()));
  CHECK_FALSE(at::equal(built_@name@(1)->prototypes(), built_@name@(2)->prototypes()));
}

TEST_CASE("@name@: prototypes can be replaced", "[architecture][@name@]") {
  const auto model = built_@name@(1);
  const auto inputs = at::randn({2, 8});
  const auto before = model->forward(inputs).detach().clone();
  model->set_prototypes(-model->prototypes().detach());
  CHECK(at::allclose(model->forward(inputs), -before));
}

}  // namespace yatlab
)~";

// ----------------------------------------------------------------------------------------- dataset
constexpr char kDataset[] = R"~(
#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include "core/base/hash.h"
#include "core/data/dataset.h"

namespace yatlab {
namespace {

/// Two Gaussian clouds in the plane around (-1, 0) and (1, 0), one per class.
class @Class@ final : public Dataset {
 public:
  struct Params {
    std::int64_t samples = 1000;
    double spread = 0.5;
    static void declare(Fields& f, Params& p) {
      f.field("samples", p.samples, "points in each of train and test").min(2);
      f.field("spread", p.spread, "standard deviation of each cloud").positive();
    }
  };
  explicit @Class@(const Params& p) : p_(p) {}

  DataShape shape() const override {
    return {DataShape::Inputs::kDense, DataShape::Targets::kClasses, input_shape(), num_classes(), DataShape::usual_splits()};
  }

  std::map<std::string, Split> load(const DataContext& context) override {
    std::map<std::string, Split> splits{{"train", generate(context.seed, "train")},
                                        {"test", generate(context.seed, "test")}};
    std::string bytes;
    for (const auto& [name, split] : splits) {
      bytes.append(static_cast<const char*>(split.inputs.data_ptr()), split.inputs.nbytes());
    }
    provenance_ = {"@name@", sha256(bytes), "embedded", "", {}};
    return splits;
  }

  const Provenance& provenance() const override { return provenance_; }
  std::vector<std::int64_t> input_shape() const override { return {2}; }
  std::int64_t num_classes() const override { return 2; }

 private:
  Split generate(std::uint64_t seed, const char* which) const {
    const auto stream = at::detail::createCPUGenerator(derive_seed(seed, std::string("data/") + which));
    Split split;
    split.targets = at::arange(p_.samples, at::kLong) % 2;
    split.inputs = at::randn({p_.samples, 2}, stream) * p_.spread;
    split.inputs.select(1, 0).add_(split.targets * 2 - 1);
    return split;
  }

  Params p_;
  Provenance provenance_;
};

YATLAB_REGISTER(Dataset, @Class@, "@name@", "two Gaussian clouds in the plane");

}  // namespace
}  // namespace yatlab
)~";

constexpr char kDatasetConfig[] = R"~(
# two Gaussian clouds in the plane
name: @name@
samples: 1000
spread: 0.5
)~";

constexpr char kDatasetTest[] = R"~(
#include <ATen/ATen.h>

#include "catch.h"
#include "core/data/dataset.h"

namespace yatlab {

TEST_CASE("@name@: shapes and classes are as declared", "[dataset][@name@]") {
  const auto data = Registry<Dataset>::create("@name@");
  const auto splits = data->load({});
  for (const char* which : {"train", "test"}) {
    const auto& split = splits.at(which);
    CHECK(split.inputs.scalar_type() == at::kFloat);
    CHECK(split.targets.scalar_type() == at::kLong);
    CHECK(split.inputs.sizes().slice(1) == at::IntArrayRef(data->input_shape()));
    CHECK(split.targets.min().item<std::int64_t>() == 0);
    CHECK(split.targets.max().item<std::int64_t>() == data->num_classes() - 1);
  }
  // The sign of the first coordinate tells the clouds apart: P(N(1, 0.5) > 0) = 97.7 %.
  const auto& test = splits.at("test");
  const auto guess = test.inputs.select(1, 0).gt(0).to(at::kLong);
  CHECK(guess.eq(test.targets).to(at::kDouble).mean().item<double>() == Approx(0.977).margin(0.02));
}

TEST_CASE("@name@: the seed alone decides the points", "[dataset][@name@]") {
  const auto load = [](std::uint64_t seed) {
    const auto data = Registry<Dataset>::create("@name@");
    DataContext context;
    context.seed = seed;
    data->load(context);
    return data->provenance().sha256;
  };
  CHECK(load(1) == load(1));
  CHECK(load(1) != load(2));
}

}  // namespace yatlab
)~";

// ---------------------------------------------------------------------------------------- analysis
constexpr char kAnalysis[] = R"~(
#include <ATen/ATen.h>

#include <algorithm>

#include "core/measure/analysis.h"

namespace yatlab {
namespace {

/// Share of the test samples whose best score leads the second best by less than `margin`.
class @Class@ final : public Analysis {
 public:
  struct Params {
    double margin = 0.1;
    static void declare(Fields& f, Params& p) {
      f.field("margin", p.margin, "a smaller lead counts as undecided").non_negative();
    }
  };
  explicit @Class@(const Params& p) : p_(p) {}

  Findings analyse(const TrainedArm& arm) const override {
    const at::NoGradGuard no_grad;
    const Split& test = arm.splits.at("test");
    std::int64_t undecided = 0;
    for (std::int64_t begin = 0; begin < test.size(); begin += arm.eval_batch_size) {
      const auto count = std::min(arm.eval_batch_size, test.size() - begin);
      const Tensor best = std::get<0>(arm.model.forward(test.inputs.narrow(0, begin, count)).topk(2, 1));
      undecided += (best.select(1, 0) - best.select(1, 1)).lt(p_.margin).sum().item<std::int64_t>();
    }
    Findings found;
    found.metrics["@name@/undecided"] = static_cast<double>(undecided) / static_cast<double>(test.size());
    return found;
  }

  FindingNames names(const ArmParts&) const override { return {{"@name@/undecided"}, {}}; }

 private:
  Params p_;
};

YATLAB_REGISTER(Analysis, @Class@, "@name@", "share of test samples with a narrow lead");

}  // namespace
}  // namespace yatlab
)~";

constexpr char kAnalysisConfig[] = R"~(
# share of test samples with a narrow lead
name: @name@
margin: 0.1
)~";

constexpr char kAnalysisTest[] = R"~(
#include <ATen/ATen.h>

#include "catch.h"
#include "core/measure/analysis.h"

namespace yatlab {
namespace {

/// Hands its inputs on as scores, so that a test can write the scores down.
class @Class@Echo final : public Architecture {
 public:
  void build(const BuildContext&) override {}
  Tensor forward(const Tensor& inputs) override { return inputs; }
};

}  // namespace

TEST_CASE("@name@: counts narrow leads", "[analysis][@name@]") {
  @Class@Echo model;
  const auto data = Registry<Dataset>::create("xor");
  const auto task = Registry<Task>::create("classification");
  std::map<std::string, Split> splits;
  splits["test"].inputs = at::tensor({1.0, 0.0, 1.0, 0.95, 0.2, 0.9, 0.5, 0.5}).view({4, 2});
  splits["test"].targets = at::zeros({4}, at::kLong);
  const TrainedArm arm{model, {}, splits, *data, *task, nullptr, 0, 3};  // batches of 3 and 1

  const auto found = Registry<Analysis>::create("@name@")->analyse(arm);
  CHECK(found.metrics.at("@name@/undecided") == Approx(0.5));
}

}  // namespace yatlab
)~";

// ------------------------------------------------------------------------------------------- claim
constexpr char kClaim[] = R"~(
#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>

#include "core/measure/claim.h"
#include "core/ops/search.h"

namespace yatlab {
namespace {

/// E(w, x) never exceeds `bound` times E(w, w): attacked by gradient ascent over both.
class @Class@ final : public Claim {
 public:
  struct Params {
    double bound = 1;
    static void declare(Fields& f, Params& p) { f.field("bound", p.bound, "the factor as printed").positive(); }
  };
  explicit @Class@(const Params& p) : p_(p) {}

  std::string title() const override { return "@Class@"; }
  std::string how() const override { return "gradient ascent with random restarts over w and x"; }

  void check(const ClaimContext& context, Evidence& evidence) const override {
    const auto op = context.op.make();
    const auto restarts = context.scaled(64, 8);
    const auto starts = at::randn({restarts, 2, 3}, at::make_generator<at::CPUGeneratorImpl>(context.seed),
                                  at::TensorOptions().dtype(at::kDouble));
    const auto ratio = [&](const Tensor& points) {
      const auto w = points.narrow(1, 0, 1), x = points.narrow(1, 1, 1);
      return (op->scores(x, w) / op->scores(w, w)).reshape({-1});
    };
    const auto worst = maximise(ratio, starts, {});
    const auto sizes = fmt::format("d = 3, {} restarts", restarts);
    evidence.at_most(Role::kCore, "largest E(w,x) / E(w,w)", worst.value, p_.bound, 1e-9, sizes);
    evidence.tried(sizes);
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, @Class@, "@name@", "E(w,x) ≤ E(w,w) for all w and x");

}  // namespace
}  // namespace yatlab
)~";

constexpr char kClaimTest[] = R"~(
#include "catch.h"
#include "core/measure/claim.h"

namespace yatlab {
namespace {

Evidence @Class@Evidence(const char* op, const Node& claim) {
  Node spec = Node::map();
  spec.set("name", op);
  const ClaimContext context{OperatorChoice(spec), 0, 0.1};
  Evidence evidence;
  Registry<Claim>::create(claim)->check(context, evidence);
  return evidence;
}

}  // namespace

TEST_CASE("@name@: true of the cosine, and a false bound is refuted", "[claim][@name@]") {
  CHECK(@Class@Evidence("cosine", Node("@name@")).status() == ClaimStatus::kHolds);
  Node half = Node::map();
  half.set("name", "@name@");
  half.set("bound", 0.5);
  CHECK(@Class@Evidence("cosine", half).status() == ClaimStatus::kRefuted);
  CHECK(@Class@Evidence("dot", Node("@name@")).status() == ClaimStatus::kRefuted);
}

}  // namespace yatlab
)~";

// ------------------------------------------------------------------------------------------- study
constexpr char kStudy[] = R"~(
#include <ATen/ATen.h>

#include <cmath>

#include "core/measure/study.h"

namespace yatlab {
namespace {

/// The operator's score between two unit vectors, against the angle between them.
class @Class@ final : public Study {
 public:
  struct Params {
    std::int64_t points = 91;
    static void declare(Fields& f, Params& p) { f.field("points", p.points, "angles between 0 and 180 degrees").min(2); }
  };
  explicit @Class@(const Params& p) : p_(p) {}

  Findings run(const StudyContext& context) const override {
    const auto angle = at::linspace(0, M_PI, p_.points, at::TensorOptions().dtype(at::kDouble));
    const auto x = at::stack({angle.cos(), angle.sin()}, 1);
    const auto score = context.op->make()->scores(x, x.narrow(0, 0, 1)).squeeze(1);
    Findings found;
    found.metrics["@name@/aligned"] = score[0].item<double>();
    found.metrics["@name@/opposed"] = score[-1].item<double>();
    found.artifacts["@name@"] = {{"angle", tensor_to_json(angle)}, {"score", tensor_to_json(score)}};
    return found;
  }

  FindingNames names(const ArmParts&) const override { return {{"@name@/aligned", "@name@/opposed"}, {"@name@"}}; }
  void check(const ArmParts& arm) const override { arm.require_operator("study '@name@'"); }

 private:
  Params p_;
};

YATLAB_REGISTER(Study, @Class@, "@name@", "score between unit vectors against their angle");

}  // namespace
}  // namespace yatlab
)~";

constexpr char kStudyTest[] = R"~(
#include "catch.h"
#include "core/measure/study.h"

namespace yatlab {

TEST_CASE("@name@: the cosine runs from 1 to -1", "[study][@name@]") {
  Node spec = Node::map();
  spec.set("name", "cosine");
  StudyContext context;
  context.op = std::make_shared<OperatorChoice>(spec);
  const auto found = Registry<Study>::create("@name@")->run(context);
  CHECK(found.metrics.at("@name@/aligned") == Approx(1));
  CHECK(found.metrics.at("@name@/opposed") == Approx(-1));
  CHECK(found.artifacts.at("@name@").contains("angle"));
}

}  // namespace yatlab
)~";

// ------------------------------------------------------------------------------------- initializer
constexpr char kInitializer[] = R"~(
#include <ATen/ATen.h>

#include "core/train/initializer.h"

namespace yatlab {
namespace {

/// Uniform in [-limit, limit].
class @Class@ final : public Initializer {
 public:
  struct Params {
    double limit = 0.1;
    static void declare(Fields& f, Params& p) {
      f.field("limit", p.limit, "largest absolute value of a weight").positive();
    }
  };
  explicit @Class@(const Params& p) : p_(p) {}

  void fill(Tensor& weight, at::Generator generator) const override {
    const at::NoGradGuard no_grad;
    weight.uniform_(-p_.limit, p_.limit, generator);
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Initializer, @Class@, "@name@", "uniform in [-limit, limit]");

}  // namespace
}  // namespace yatlab
)~";

constexpr char kInitializerConfig[] = R"~(
# uniform in [-limit, limit]
name: @name@
limit: 0.1
)~";

constexpr char kInitializerTest[] = R"~(
#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <cmath>

#include "catch.h"
#include "core/train/initializer.h"

namespace yatlab {

TEST_CASE("@name@: spreads weights evenly between its limits", "[initializer][@name@]") {
  Node spec = Node::map();
  spec.set("name", "@name@");
  spec.set("limit", 0.5);
  const auto initializer = Registry<Initializer>::create(spec);
  auto weight = at::empty({100, 100});
  initializer->fill(weight, at::detail::createCPUGenerator(7));
  CHECK(weight.abs().max().item<double>() <= 0.5);
  CHECK(weight.mean().item<double>() == Approx(0).margin(0.01));
  CHECK(weight.std().item<double>() == Approx(0.5 / std::sqrt(3.0)).margin(0.01));

  auto again = at::empty({100, 100});
  initializer->fill(again, at::detail::createCPUGenerator(7));
  CHECK(at::equal(weight, again));
}

}  // namespace yatlab
)~";

}  // namespace yatlab::scaffold_templates

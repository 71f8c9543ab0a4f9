#include "core/model/label_loss.h"

#include <ATen/ATen.h>
#include <torch/autograd.h>

#include <cmath>
#include <limits>
#include <memory>

#include "catch.h"
#include "core/base/error.h"
#include "core/model/label_loss_kernel.h"
#include "core/ops/normalizer.h"
#include "core/ops/stacked_operator.h"
#include "helpers.h"
#include "ops/either_body.h"
#include "train/sparse.h"

namespace yatlab {
namespace {

using testing::csr_of;
using testing::random_labels;
using testing::spec;
using Kind = LabelLossOptions::Kind;

/// An operator between given queries and rows, times a learned factor.
struct Scorer final : LabelScorer {
  std::shared_ptr<Operator> op;
  Tensor rows, factor;
  double floor = 0;
  at::ScalarType type;  // of scores

  Scorer(const Node& node, Tensor w, double floor_)
      : op(Registry<Operator>::create(node)), rows(std::move(w)), floor(floor_), type(rows.scalar_type()) {
    factor = at::scalar_tensor(1.7, rows.options()).requires_grad_();
  }
  Tensor queries(const Tensor& inputs) override { return inputs; }
  Tensor label_rows() const override { return rows; }
  Tensor block_scores(const Tensor& q, const Tensor& w) const override {
    return w.dim() == 3 ? stacked_scores(*op, q, w, {}, factor) : op->scaled_scores(q.to(type), w.to(type), {}, factor);
  }
  std::vector<Tensor> score_parameters() const override { return {factor}; }
  double log_floor() const override { return floor; }
};

/// The loss by definition, over the whole matrix of logits.
Tensor plain_loss(const Scorer& scorer, const Tensor& q, const Tensor& labels, Kind kind) {
  Tensor z = scorer.block_scores(q, scorer.rows).to(q.scalar_type());
  if (scorer.floor > 0) z = z.clamp_min(scorer.floor).log();
  const Tensor t = labels.to(z.scalar_type());
  if (kind == Kind::kOneVsAll) return at::binary_cross_entropy_with_logits(z, t, {}, {}, at::Reduction::Sum) / q.size(0);
  return -(t / t.sum(1, true).clamp_min(1) * at::log_softmax(z, 1)).sum() / q.size(0);
}

/// Relative, but absolute for tensors below 1: a scale has no effect in softmax over logarithms.
double largest_error(const Tensor& got, const Tensor& want) {
  return (got - want).abs().max().item<double>() / std::max(1.0, want.abs().max().item<double>());
}

struct Case {
  const char* name;
  Node op;
  double floor;
};

std::vector<Case> cases() {
  return {{"dot", spec("dot"), 0},
          {"euclidean", spec("euclidean"), 0},
          {"yat, raw", spec("yat", {{"epsilon", 0.1}}), 0},
          {"yat, log", spec("yat", {{"epsilon", 0.1}}), 1e-9},
          {"yat, log, a floor that is felt", spec("yat", {{"epsilon", 0.1}}), 0.2}};
}

}  // namespace

TEST_CASE("label_loss agrees with its definition for any block size", "[label_loss]") {
  ON_EITHER_BODY;
  at::manual_seed(11);
  for (const auto type : {at::kDouble, at::kFloat}) {
    const double close = type == at::kDouble ? 1e-10 : 2e-5;
    const Tensor q = at::randn({6, 5}, type).requires_grad_();
    Tensor labels = random_labels(6, 37, 0.1);
    labels[2].zero_();  // a row without labels
    const Tensor targets = csr_of(labels);
    for (const auto& c : cases()) {
      for (const auto kind : {Kind::kSoftmax, Kind::kOneVsAll}) {
        const Scorer scorer(c.op, at::randn({37, 5}, type).requires_grad_(), c.floor);
        const Tensor expected = plain_loss(scorer, q, labels, kind);
        const torch::autograd::variable_list inputs{q, scorer.rows, scorer.factor};
        const auto want = torch::autograd::grad({expected}, inputs);
        for (const std::int64_t block : {0, 1, 5, 16, 36, 37, 1000}) {
          INFO(c.name << ", block " << block << (kind == Kind::kOneVsAll ? ", one-vs-all" : ", softmax"));
          LabelLossOptions options;
          options.kind = kind;
          options.block = block;
          const Tensor loss = label_loss(scorer, q, targets, options);
          CHECK(loss.item<double>() == Approx(expected.item<double>()).epsilon(close));
          const auto got = torch::autograd::grad({loss * 3.0}, inputs);
          for (std::size_t i = 0; i < 3; ++i) CHECK(largest_error(got[i], want[i] * 3.0) < close * 10);
          at::NoGradGuard no_grad;  // without gradients: the same loss
          CHECK(label_loss(scorer, q, targets, options).item<double>() == Approx(expected.item<double>()).epsilon(close));
        }
      }
    }
  }
}

TEST_CASE("label_loss of a stack equals that of each member with its gradients", "[label_loss][stack]") {
  at::manual_seed(12);
  const auto type = GENERATE(at::kDouble, at::kFloat);
  const double close = type == at::kDouble ? 1e-10 : 2e-5;  // log(s): the gradient of a small s is large, and so is its rounding error
  const std::int64_t members = 3, batch = 6, count = 37;
  const Tensor q = at::randn({members, batch, 5}, type).requires_grad_(), rows = at::randn({members, count, 5}, type).requires_grad_();
  const Tensor factors = (at::rand({members}, type) + 0.5).requires_grad_(), weights = at::tensor({1.0, -2.0, 0.5}, type);
  std::vector<Tensor> targets;
  for (std::int64_t m = 0; m < members; ++m) targets.push_back(random_labels(batch, count, 0.1 + 0.1 * static_cast<double>(m)));
  targets[1][2].zero_();  // a row without labels
  std::vector<Tensor> sparse;
  for (const auto& t : targets) sparse.push_back(csr_of(t));
  const Tensor all = concatenate_sparse_rows(sparse);
  for (const auto& c : cases()) {
    for (const auto kind : {Kind::kSoftmax, Kind::kOneVsAll}) {
      for (const std::int64_t block : {0, 5, 37}) {
        INFO(c.name << ", block " << block << (kind == Kind::kOneVsAll ? ", one-vs-all" : ", softmax"));
        LabelLossOptions options;
        options.kind = kind;
        options.block = block;
        Scorer stack(c.op, rows, c.floor);
        stack.factor = factors;
        const Tensor losses = label_loss(stack, q, all, options);
        REQUIRE(losses.sizes() == at::IntArrayRef({members}));
        const auto got = torch::autograd::grad({(losses * weights).sum()}, {q, rows, factors});
        for (std::int64_t m = 0; m < members; ++m) {
          Scorer own(c.op, rows[m].detach().requires_grad_(), c.floor);
          own.factor = factors[m].detach().requires_grad_();
          const Tensor queries = q[m].detach().requires_grad_();
          const Tensor loss = label_loss(own, queries, sparse[static_cast<std::size_t>(m)], options);
          CHECK(losses[m].item<double>() == Approx(loss.item<double>()).epsilon(close));
          const auto want = torch::autograd::grad({loss * weights[m]}, {queries, own.rows, own.factor});
          for (std::size_t i = 0; i < 3; ++i) CHECK(largest_error(got[i][m], want[i]) < close * 10);
        }
        const at::NoGradGuard no_grad;
        CHECK(label_loss(stack, q, all, options).allclose(losses));
      }
    }
  }
  Scorer stack(spec("dot"), rows, 0);
  stack.factor = factors;
  CHECK_THROWS_AS(label_loss(stack, q, sparse[0], {}), Error);  // targets of one member only
}

TEST_CASE("label_loss of bfloat16 scores is summed in float", "[label_loss]") {
  ON_EITHER_BODY;
  at::manual_seed(16);
  const Tensor q = at::randn({6, 16}).requires_grad_();
  for (const std::int64_t count : {37, 700}) {
    Tensor labels = random_labels(6, count, 0.1);
    labels[2].zero_();
    const Tensor targets = csr_of(labels);
    for (const auto& c : cases()) {
      for (const auto kind : {Kind::kSoftmax, Kind::kOneVsAll}) {
        Scorer scorer(c.op, at::randn({count, 16}).requires_grad_(), c.floor);
        scorer.type = at::kBFloat16;
        const Tensor expected = plain_loss(scorer, q, labels, kind);
        const torch::autograd::variable_list inputs{q, scorer.rows, scorer.factor};
        const auto want = torch::autograd::grad({expected}, inputs);
        for (const std::int64_t block : {0, 5, 37, 512}) {
          INFO(c.name << ", " << count << " labels, block " << block << (kind == Kind::kOneVsAll ? ", one-vs-all" : ", softmax"));
          LabelLossOptions options;
          options.kind = kind;
          options.block = block;
          const Tensor loss = label_loss(scorer, q, targets, options);
          REQUIRE(loss.scalar_type() == at::kFloat);
          CHECK(loss.item<double>() == Approx(expected.item<double>()).epsilon(2e-5));
          const auto got = torch::autograd::grad({loss}, inputs);
          for (std::size_t i = 0; i < 3; ++i) {
            REQUIRE(got[i].scalar_type() == at::kFloat);
            // The gradient of each score is rounded to 8 bits in both; products in blocks are rounded differently.
            CHECK((got[i] - want[i]).abs().max().item<double>() < 0.03 * std::max(0.1, want[i].abs().max().item<double>()));
          }
        }
      }
    }
  }
}

TEST_CASE("label_loss by softmax depends only on differences of scores", "[label_loss]") {
  ON_EITHER_BODY;
  at::manual_seed(15);
  for (const auto type : {at::kDouble, at::kFloat}) {
    const double close = type == at::kDouble ? 1e-10 : 2e-3;  // a score of 1,400 has that much rounding error in float
    Tensor labels = random_labels(4, 9, 0.2);
    labels[0][3] = 1;
    const Tensor targets = csr_of(labels);
    for (const double sign : {-1.0, 1.0}) {
      const Tensor q = at::full({4, 2}, 20, type) + 0.1 * at::randn({4, 2}, type);
      const Scorer scorer(spec("dot"), sign * 20 + 0.05 * at::randn({9, 2}, type), 0);
      const double expected = plain_loss(scorer, q, labels, Kind::kSoftmax).item<double>();
      for (const std::int64_t block : {0, 1, 4}) {
        INFO(sign << ", block " << block);
        LabelLossOptions options;
        options.kind = Kind::kSoftmax;
        options.block = block;
        CHECK(label_loss(scorer, q, targets, options).item<double>() == Approx(expected).epsilon(close));
      }
    }
  }
}

TEST_CASE("label_loss passes a finite difference check in double", "[label_loss]") {
  ON_EITHER_BODY;
  at::manual_seed(12);
  const Tensor q = at::randn({3, 4}, at::kDouble), w = at::randn({11, 4}, at::kDouble);
  const Tensor targets = csr_of(random_labels(3, 11, 0.3));
  for (const auto& c : {cases()[0], cases()[3]}) {
    for (const auto kind : {Kind::kSoftmax, Kind::kOneVsAll}) {
      INFO(c.name);
      LabelLossOptions options;
      options.kind = kind;
      options.block = 4;
      const auto value = [&](const Tensor& queries, const Tensor& rows) {
        return label_loss(Scorer(c.op, rows, c.floor), queries, targets, options);
      };
      const Tensor x = q.clone().requires_grad_(), r = w.clone().requires_grad_();
      const auto found = torch::autograd::grad({value(x, r)}, {x, r});
      at::NoGradGuard no_grad;
      for (int i = 0; i < 2; ++i) {
        const Tensor& at_point = i == 0 ? q : w;
        for (std::int64_t k = 0; k < at_point.numel(); ++k) {
          const auto shifted = [&](double by) {
            Tensor moved = at_point.clone();
            moved.view(-1)[k] += by;
            return (i == 0 ? value(moved, w) : value(q, moved)).item<double>();
          };
          const double h = 1e-6, slope = (shifted(h) - shifted(-h)) / (2 * h);
          CHECK(found[static_cast<std::size_t>(i)].view(-1)[k].item<double>() == Approx(slope).margin(1e-7));
        }
      }
    }
  }
}

TEST_CASE("softmax of log scores is softermax, the sigmoid of log scores soft-sigmoid", "[label_loss]") {
  at::manual_seed(13);
  const Tensor q = at::randn({8, 6}, at::kDouble), labels = random_labels(8, 50, 0.05).to(at::kDouble);
  const Scorer scorer(spec("yat", {{"epsilon", 0.01}}), at::randn({50, 6}, at::kDouble), 1e-9);
  const Tensor scores = scorer.block_scores(q, scorer.rows);
  REQUIRE(scores.min().item<double>() > 1e-8);  // the floor has no effect
  LabelLossOptions options;
  const auto softermax = Registry<Normalizer>::create("softermax");
  const Tensor shares = labels / labels.sum(1, true).clamp_min(1);
  CHECK(label_loss(scorer, q, csr_of(labels), options).item<double>() ==
        Approx(-(shares * softermax->log_normalize(scores)).sum().item<double>() / 8).epsilon(1e-9));
  options.kind = Kind::kOneVsAll;
  const Tensor p = Registry<Normalizer>::create("soft_sigmoid")->normalize(scores);
  CHECK(label_loss(scorer, q, csr_of(labels), options).item<double>() ==
        Approx(-(labels * p.log() + (1 - labels) * (1 - p).log()).sum().item<double>() / 8).epsilon(1e-9));
}

TEST_CASE("label_loss stays finite where exponentials overflow", "[label_loss]") {
  ON_EITHER_BODY;
  const Tensor q = at::tensor({1000.0F, -1000.0F}).view({2, 1}).requires_grad_();
  const Tensor w = at::tensor({-1.0F, 0.5F, 1.0F}).view({3, 1}).requires_grad_();
  const Scorer scorer(spec("dot"), w, 0);
  const Tensor targets = csr_of(at::tensor({1.0F, 0.0F, 0.0F, 1.0F, 0.0F, 0.0F}).view({2, 3}));
  for (const std::int64_t block : {0, 1}) {
    LabelLossOptions options;
    options.block = block;
    const Tensor loss = label_loss(scorer, q, targets, options);
    // Row 0: the true logit is 2 * 1700 below the largest; row 1: it is the largest.
    CHECK(loss.item<double>() == Approx(1700.0).epsilon(1e-6));
    for (const auto& g : torch::autograd::grad({loss}, {q, w})) CHECK(g.isfinite().all().item<bool>());
    options.kind = Kind::kOneVsAll;
    CHECK(label_loss(scorer, q, targets, options).item<double>() == Approx((1700.0 + 850 + 1700) / 2).epsilon(1e-6));
  }
}

TEST_CASE("label_loss supports a single backward pass", "[label_loss]") {
  const Tensor q = at::ones({2, 3}).requires_grad_();
  const Scorer scorer(spec("dot"), at::ones({4, 3}).requires_grad_(), 0);
  const Tensor loss = label_loss(scorer, q, csr_of(at::ones({2, 4})), {});
  loss.backward({}, true);
  CHECK_THROWS(loss.backward());
  CHECK_THROWS_AS(label_loss(scorer, q, csr_of(at::ones({2, 5})), {}), Error);
}

TEST_CASE("the kernel's exponential is accurate to 2 ulp", "[label_loss]") {
  double worst = 0;
  for (double x = -87.2; x < 88.7; x += 0.00137) {
    const auto f = static_cast<float>(x);
    const double exact = std::exp(static_cast<double>(f));
    worst = std::max(worst, std::abs(static_cast<double>(kernel::exp_of(f)) - exact) / exact);
  }
  CHECK(worst < 2.4e-7);
  CHECK(kernel::exp_of(0.0F) == 1.0F);
  CHECK(kernel::exp_of(-88.0F) == 0.0F);
  CHECK(kernel::exp_of(-1e30F) == 0.0F);
  CHECK(std::isfinite(kernel::exp_of(1e30F)));
  CHECK(kernel::exp_of(-std::numeric_limits<float>::infinity()) == 0.0F);
  CHECK(std::isfinite(kernel::exp_of(std::numeric_limits<float>::infinity())));
  CHECK(std::isnan(kernel::exp_of(std::numeric_limits<float>::quiet_NaN())));  // and does not convert one to an integer
}

}  // namespace yatlab

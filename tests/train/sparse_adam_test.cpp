#include <ATen/ATen.h>

#include "catch.h"
#include "helpers.h"
#include "plugins/kernels/optimizers/adam_update.h"

namespace yatlab {
namespace {

using testing::spec;

constexpr std::int64_t kRows = 7;

/// Rows with a gradient in step t: none in step 3, one row that comes and goes, one that never occurs.
Tensor touched(int t, bool every_row, std::int64_t rows) {
  Tensor mask = at::zeros({rows, 1});
  for (std::int64_t r = 0; r < rows - 1; ++r) {
    if (every_row || (t != 3 && t % (r % 11 + 1) == 0)) mask[r] = 1;
  }
  if (every_row) mask.fill_(1);
  return mask;
}

struct Run {
  std::int64_t dim, rows;
  Tensor weight = at::arange(rows * dim, at::kFloat).view({rows, dim}).sin().requires_grad_();
  std::shared_ptr<Optimizer> optimizer;

  explicit Run(const Node& node, std::int64_t d = 16, std::int64_t r = kRows)
      : dim(d), rows(r), optimizer(Registry<Optimizer>::create(node)) {
    optimizer->attach({weight});
  }

  void step(int t, bool sparse, bool every_row) {
    const Tensor mask = touched(t, every_row, rows);
    const Tensor dense = (at::arange(rows * dim, at::kFloat).view({rows, dim}) + t * 1.3).cos() * mask;
    if (!sparse) {
      weight.mutable_grad() = dense;
    } else {
      const Tensor index = mask.flatten().nonzero().t().contiguous();
      weight.mutable_grad() = at::sparse_coo_tensor(index, dense.index_select(0, index[0]), {rows, dim});
    }
    optimizer->step(optimizer->base_lr() * (t % 2 ? 1.0 : 0.5));
  }
  Tensor state(const std::string& name) const {
    for (const auto& [key, tensor] : optimizer->state()) {
      if (key == name) return tensor;
    }
    return {};
  }
};

}  // namespace

TEST_CASE("Adam on sparse gradients gives the bytes of dense Adam", "[sparse_adam]") {
  for (const auto& node : {spec("adam", {{"lr", 0.1}}), spec("adam", {{"lr", 0.1}, {"weight_decay", 0.1}}),
                           spec("adamw", {{"lr", 0.1}, {"weight_decay", 0.1}})}) {
    // 64 rows are processed at a time: fewer, and several times as many.
    for (const auto& [rows, dim] :
         {std::pair<std::int64_t, std::int64_t>{7, 1}, {7, 5}, {7, 8}, {7, 16}, {7, 33}, {64, 5}, {300, 1}, {300, 5}, {300, 33}}) {
      INFO("rows " << rows << ", dim " << dim);
      Run dense(node, dim, rows), sparse(node, dim, rows);
      for (int t = 1; t <= 30; ++t) {
        dense.step(t, false, false);
        sparse.step(t, true, false);
      }
      CHECK(at::equal(dense.weight, sparse.weight));
      CHECK(at::equal(dense.state("first.0"), sparse.state("first.0")));
      CHECK(at::equal(dense.state("second.0"), sparse.state("second.0")));
    }
  }
}

TEST_CASE("Adam sums duplicate entries of a sparse gradient", "[sparse_adam]") {
  Run once(spec("adam")), twice(spec("adam"));
  const Tensor rows = at::ones({1, 16});
  once.weight.mutable_grad() = at::sparse_coo_tensor(at::tensor({2}, at::kLong).unsqueeze(0), rows * 3, {kRows, 16});
  twice.weight.mutable_grad() = at::sparse_coo_tensor(at::tensor({2, 2}, at::kLong).unsqueeze(0), at::cat({rows, rows * 2}), {kRows, 16});
  once.optimizer->step(0.1);
  twice.optimizer->step(0.1);
  CHECK(at::equal(once.weight, twice.weight));
}

TEST_CASE("lazy Adam is bitwise identical while every row has a gradient", "[sparse_adam]") {
  Run dense(spec("adam", {{"lr", 0.1}})), lazy(spec("adam", {{"lr", 0.1}, {"lazy", true}}));
  for (int t = 1; t <= 30; ++t) {
    dense.step(t, false, true);
    lazy.step(t, true, true);
  }
  CHECK(at::equal(dense.weight, lazy.weight));
  CHECK(at::equal(dense.state("second.0"), lazy.state("second.0")));
}

TEST_CASE("lazy Adam catches up the moments of dense Adam and skips idle rows", "[sparse_adam]") {
  Run dense(spec("adam", {{"lr", 0.1}})), lazy(spec("adam", {{"lr", 0.1}, {"lazy", true}}));
  const Tensor start = lazy.weight.detach().clone();
  for (int t = 1; t <= 30; ++t) {
    const Tensor before = lazy.weight.detach().clone();
    dense.step(t, false, false);
    lazy.step(t, true, false);
    const Tensor mask = touched(t, false, kRows);
    const Tensor unchanged = lazy.weight.detach().sub(before).mul(1 - mask);
    CHECK(unchanged.abs().max().item<float>() == 0);  // rows without a gradient do not move
    for (const char* moment : {"first.0", "second.0"}) {
      const Tensor difference = (dense.state(moment) - lazy.state(moment)) * mask;
      CHECK(difference.abs().max().item<double>() < 1e-7);
    }
  }
  CHECK(at::equal(lazy.weight.detach()[kRows - 1], start[kRows - 1]));
  CHECK(lazy.state("seen.0")[0].item<std::int64_t>() == 30);  // row 0 had a gradient in every step but 3
  CHECK(lazy.state("seen.0")[kRows - 1].item<std::int64_t>() == 0);
  // The effect of laziness: dense Adam keeps moving a row by its first moment.
  CHECK_FALSE(at::equal(dense.weight, lazy.weight));
}

TEST_CASE("sgd takes sparse gradients too", "[sparse_adam]") {
  const Node node = spec("sgd", {{"lr", 0.1}, {"momentum", 0.9}, {"weight_decay", 0.01}});
  Run dense(node), sparse(node);
  for (int t = 1; t <= 10; ++t) {
    dense.step(t, false, false);
    sparse.step(t, true, false);
  }
  CHECK(at::equal(dense.weight, sparse.weight));
}

}  // namespace yatlab

#include "plugins/extreme/architectures/embedding_mean.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include "catch.h"
#include "core/base/error.h"
#include "ops/either_body.h"
#include "ops/gradients.h"
#include "train/sparse.h"

namespace yatlab {
namespace {

using at::Tensor;
using gradients::relative_error;
using testing::csr_of;
using testing::random_sparse;

/// The same with a dense matrix product.
Tensor dense_mean(const Tensor& table, const Tensor& bags, BagWeights weights) {
  Tensor factors = bags.to(table.scalar_type());
  if (weights == BagWeights::kBinary) factors = factors.ne(0).to(table.scalar_type());
  factors = factors / factors.abs().sum(1, true).clamp_min(1e-30);
  return at::matmul(factors, table);
}

}  // namespace

TEST_CASE("embedding_mean equals the dense product, values and gradients", "[embedding_mean]") {
  ON_EITHER_BODY;
  at::manual_seed(3);
  Tensor bags = random_sparse(9, 40, 0.2);
  bags[4].zero_();            // an empty row
  bags.select(1, 7).zero_();  // a feature that does not occur
  for (const auto weights : {BagWeights::kBinary, BagWeights::kValues}) {
    for (const auto type : {at::kFloat, at::kDouble}) {
      for (const std::int64_t dim : {1, 5, 64}) {
        INFO("dim " << dim << ", " << (type == at::kFloat ? "float" : "double"));
        const Tensor table = at::randn({40, dim}, type).requires_grad_();
        const Tensor mean = embedding_mean(table, csr_of(bags), weights);
        const Tensor expected = dense_mean(table, bags, weights);
        CHECK(relative_error(mean, expected) < 1e-6);
        CHECK(mean[4].abs().max().item<double>() == 0);
        const Tensor out = at::randn_like(mean);
        const Tensor want = torch::autograd::grad({expected}, {table}, {out})[0];
        const Tensor got = torch::autograd::grad({mean}, {table}, {out})[0];
        if (on_general_body) {
          CHECK_FALSE(got.is_sparse());
          CHECK(relative_error(got, want) < 1e-6);
          continue;
        }
        REQUIRE(got.is_sparse());
        CHECK(got.is_coalesced());
        CHECK(relative_error(got.to_dense(), want) < 1e-6);
        // Exactly the features that occur, ascending.
        CHECK(at::equal(got._indices()[0], bags.ne(0).any(0).nonzero().flatten()));
        const Tensor whole = torch::autograd::grad({embedding_mean(table, csr_of(bags), weights, false)}, {table}, {out})[0];
        CHECK_FALSE(whole.is_sparse());
        CHECK(at::equal(whole, got.to_dense()));
      }
    }
  }
}

TEST_CASE("embedding_mean of a stack is bitwise identical to its members'", "[embedding_mean][stack]") {
  at::manual_seed(5);
  const std::int64_t members = 3, rows = 7, dim = GENERATE(1, 5, 64);
  std::vector<Tensor> bags;
  for (std::int64_t m = 0; m < members; ++m) bags.push_back(random_sparse(rows, 40, 0.2));
  bags[1].zero_();     // one without entries
  bags[2][0].zero_();  // and one whose first row is empty
  std::vector<Tensor> sparse;
  for (const auto& b : bags) sparse.push_back(csr_of(b));
  for (const auto weights : {BagWeights::kBinary, BagWeights::kValues}) {
    for (const bool sparse_gradient : {true, false}) {
      const Tensor table = at::randn({members, 40, dim}).requires_grad_(), out = at::randn({members, rows, dim});
      const Tensor mean = embedding_mean(table, concatenate_sparse_rows(sparse), weights, sparse_gradient);
      const Tensor got = torch::autograd::grad({mean}, {table}, {out})[0];
      CHECK(got.is_sparse() == sparse_gradient);
      CHECK(got.sizes() == table.sizes());
      const Tensor whole = sparse_gradient ? got.to_dense() : got;
      for (std::int64_t m = 0; m < members; ++m) {
        const Tensor own = table[m].detach().requires_grad_();
        const Tensor alone = embedding_mean(own, sparse[static_cast<std::size_t>(m)], weights, false);
        CHECK(at::equal(mean[m], alone));
        CHECK(at::equal(whole[m], torch::autograd::grad({alone}, {own}, {out[m]})[0]));
      }
    }
  }
}

TEST_CASE("embedding_mean is bitwise identical on one and two threads", "[embedding_mean]") {
  at::manual_seed(4);
  const Tensor bags = csr_of(random_sparse(200, 300, 0.1));
  const Tensor table = at::randn({300, 32}).requires_grad_();
  const int before = at::get_num_threads();
  Tensor means[2], found[2];
  for (int i = 0; i < 2; ++i) {
    at::set_num_threads(i + 1);
    means[i] = embedding_mean(table, bags, BagWeights::kValues);
    found[i] = torch::autograd::grad({means[i].square().sum()}, {table})[0].to_dense();
  }
  at::set_num_threads(before);
  CHECK(at::equal(means[0], means[1]));
  CHECK(at::equal(found[0], found[1]));
}

TEST_CASE("embedding_mean rejects tables that do not fit", "[embedding_mean]") {
  const Tensor bags = csr_of(at::ones({2, 3}));
  CHECK_THROWS_AS(embedding_mean(at::ones({4, 2}), bags, BagWeights::kBinary), Error);
  CHECK_THROWS_AS(embedding_mean(at::ones({3, 2}, at::kLong), bags, BagWeights::kBinary), Error);
  CHECK_THROWS_AS(embedding_mean(at::ones({3, 3, 2}), bags, BagWeights::kBinary), Error);  // 2 rows for 3 members
}

}  // namespace yatlab

#include "core/model/precision.h"

#include <ATen/ATen.h>

#include <limits>

#include "catch.h"
#include "core/system/cpu.h"

using at::Tensor;
using namespace yatlab;

namespace {

bool libtorch_multiplies() {
  const bool out = CpuFlags::here().fast_bfloat16();
  if (out) WARN("skipped: this CPU has fast bfloat16 instructions");
  return out;
}

Tensor random(at::IntArrayRef sizes) { return at::randn(sizes).to(at::kBFloat16); }
Tensor rounded(const Tensor& t) { return t.to(at::kBFloat16); }
Tensor f(const Tensor& t) { return t.to(at::kFloat); }

/// Matrices of the same size that differ in their strides: plain, transposed, every other column, one row again and again.
std::vector<Tensor> layouts(std::int64_t rows, std::int64_t columns) {
  return {random({rows, columns}), random({columns, rows}).t(), random({rows, 2 * columns}).slice(1, 0, 2 * columns, 2),
          random({1, columns}).expand({rows, columns})};
}

}  // namespace

TEST_CASE("without fast bfloat16 instructions products are those of float32, rounded", "[ops][precision]") {
  if (libtorch_multiplies()) return;
  for (const auto& a : layouts(33, 70)) {
    for (const auto& b : layouts(70, 21)) {
      INFO(a.strides() << " " << b.strides());
      CHECK(at::equal(at::mm(a, b), rounded(at::mm(f(a), f(b)))));
      CHECK(at::equal(at::matmul(a, b), at::mm(a, b)));
      for (const auto& c : layouts(33, 21)) {
        const Tensor sum = rounded(at::addmm(f(c), f(a), f(b), 0.5, 2));
        CHECK(at::equal(at::addmm(c, a, b, 0.5, 2), sum));
        if (c.stride(0) == 0) continue;  // cannot be written
        CHECK(at::equal(c.clone(at::MemoryFormat::Preserve).addmm_(a, b, 0.5, 2), sum));
        Tensor kept = c;
        CHECK(at::equal(kept.addmm_(a, b, 0.5, 2), sum));  // in a part of a larger matrix, too
        CHECK(at::equal(c, sum));
      }
    }
  }
}

TEST_CASE("without fast bfloat16 instructions batches of products are those of float32, rounded", "[ops][precision]") {
  if (libtorch_multiplies()) return;
  for (const std::int64_t inner : {1, 3, 64}) {
    const Tensor a = random({4, 5, inner}), b = random({4, 7, inner}).transpose(1, 2), c = random({4, 5, 7});
    CHECK(at::equal(at::bmm(a, b), rounded(at::bmm(f(a), f(b)))));
    const Tensor sum = rounded(at::baddbmm(f(c), f(a), f(b), 2, -1));
    CHECK(at::equal(at::baddbmm(c, a, b, 2, -1), sum));
    CHECK(at::equal(c.clone().baddbmm_(a, b, 2, -1), sum));
    Tensor out = at::empty({0}, at::kBFloat16);
    CHECK(at::equal(at::baddbmm_out(out, c, a, b, 2, -1), sum));
    CHECK(at::equal(at::bmm_out(out, a, b), at::bmm(a, b)));
  }
}

TEST_CASE("products in float32 keep what LibTorch promises", "[ops][precision]") {
  const Tensor a = random({3, 4}), b = random({4, 5}), c = random({3, 5});
  Tensor out = at::empty({0}, at::kBFloat16);
  CHECK(at::equal(at::mm_out(out, a, b), at::mm(a, b)));
  CHECK(at::equal(at::addmm_out(out, c, a, b), at::addmm(c, a, b)));
  CHECK(at::equal(at::mm_out(out, a, b), out));
  // With beta = 0 the first matrix is not read.
  const Tensor missing = at::full({3, 5}, std::numeric_limits<float>::quiet_NaN()).to(at::kBFloat16);
  CHECK(at::equal(at::addmm(missing, a, b, 0), at::mm(a, b)));
  CHECK(at::addmm(missing, a, b).isnan().all().item<bool>());
  CHECK(at::mm(random({3, 0}), random({0, 5})).abs().sum().item<float>() == 0);
  CHECK(at::mm(random({0, 4}), b).sizes() == at::IntArrayRef({0, 5}));
  CHECK_THROWS(at::mm(a, f(b)));
  CHECK_THROWS(at::mm(a, c));
  Tensor row = random({1, 5}), rows = random({1, 3, 5});
  CHECK_THROWS(row.addmm_(a, b));
  CHECK_THROWS(rows.baddbmm_(a.expand({2, 3, 4}), b.expand({2, 4, 5})));
  CHECK(row.sizes() == at::IntArrayRef({1, 5}));
  CHECK(at::mm(a.to(at::kDouble), b.to(at::kDouble)).scalar_type() == at::kDouble);

  const Tensor x = a.detach().requires_grad_();
  at::mm(x, b).sum().backward();
  CHECK(at::allclose(f(x.grad()), f(b).sum(1).expand({3, 4}), 0.02, 0.02));
}

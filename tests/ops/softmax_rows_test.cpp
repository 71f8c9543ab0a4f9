#include "core/ops/softmax_rows.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "catch.h"
#include "core/ops/exponential.h"

namespace yatlab {

TEST_CASE("floats are rounded to bfloat16 as in ATen and converted back", "[softmax_rows]") {
  std::mt19937 random(5);
  std::vector<std::uint32_t> patterns;
  for (int i = 0; i < 200'000; ++i) patterns.push_back(static_cast<std::uint32_t>(random()));
  for (std::uint32_t high : {0x0000U, 0x0001U, 0x007fU, 0x0080U, 0x3f80U, 0x3f81U, 0x7f7fU, 0x7f80U, 0x8000U, 0xbf80U, 0xff7fU, 0xff80U}) {
    // Halfway between two neighbours, and a little less and more.
    for (std::uint32_t low : {0U, 1U, 0x7fffU, 0x8000U, 0x8001U, 0xffffU}) patterns.push_back(high << 16 | low);
  }
  std::vector<float> values(patterns.size()), back(patterns.size());
  std::memcpy(values.data(), patterns.data(), patterns.size() * sizeof(float));
  std::vector<std::uint16_t> bits(patterns.size());
  const auto n = static_cast<std::int64_t>(patterns.size());
  kernel::narrow(values.data(), n, bits.data());
  kernel::widen(bits.data(), n, back.data());
  int differ = 0;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const c10::BFloat16 expected(values[i]);
    if (values[i] != values[i]) {
      differ += back[i] == back[i];
    } else {
      differ += bits[i] != expected.x || back[i] != static_cast<float>(expected);
    }
  }
  CHECK(differ == 0);
}

TEST_CASE("the kernel's exponential is accurate to 2 ulp and handles underflow and NaN", "[softmax_rows]") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  CHECK(std::isnan(kernel::exponential(nan)));
  CHECK(std::isnan(kernel::exponential(-nan)));
  CHECK(kernel::exponential(-infinity) == 0);
  CHECK(kernel::exponential(-87.4F) == 0);
  CHECK(kernel::exponential(-3e38F) == 0);
  CHECK(std::isfinite(kernel::exponential(infinity)));
  CHECK(kernel::exponential(infinity) > 3e38F);
  CHECK(kernel::exponential(0.0F) == 1);
  double worst = 0;
  for (float x = -87.3F; x < 88.7F; x += 1e-4F) {
    const double exact = std::exp(static_cast<double>(x));
    worst = std::max(worst, std::abs(static_cast<double>(kernel::exponential(x)) - exact) / exact);
  }
  CHECK(worst < 2.4e-7);  // 2 units are at most 2.4e-7
}

TEST_CASE("a row with a NaN anywhere becomes NaN", "[softmax_rows]") {
  for (const std::int64_t n : {1, 31, 32, 33, 100, 1025}) {
    for (std::int64_t at = 0; at < n; at += std::max<std::int64_t>(1, n / 7)) {
      std::vector<float> row(static_cast<std::size_t>(n), 0.5F);
      row[static_cast<std::size_t>(at)] = std::numeric_limits<float>::quiet_NaN();
      INFO(at << " of " << n);
      CHECK(std::isnan(kernel::log_sum_row(row.data(), n)));
      CHECK(std::isnan(kernel::softmax_row(row.data(), n, 1, 1)));
      CHECK(std::all_of(row.begin(), row.end(), [](float y) { return std::isnan(y); }));
    }
  }
}

TEST_CASE("softmax of a row agrees with its definition at every length and without overflow", "[softmax_rows]") {
  for (const std::int64_t n : {1, 2, 31, 32, 33, 100, 1024, 1025, 3000}) {
    for (const double scale : {1.0, -0.3, 200.0}) {
      const at::Tensor x = at::sin(at::arange(n, at::kDouble) * 1.3) * 5, g = at::cos(at::arange(n, at::kDouble));
      const at::Tensor y = at::softmax(x * scale, 0), back = scale * y * (g - (y * g).sum());
      const auto check = [&](auto zero, double tolerance) {
        using T = decltype(zero);
        const auto type = c10::CppTypeToScalarType<T>::value;
        INFO(n << " " << scale << " " << c10::toString(type));
        at::Tensor row = x.to(type).clone(), slope = g.to(type).clone();
        const double log_sum = kernel::softmax_row(row.data_ptr<T>(), n, static_cast<T>(scale), T(1));
        CHECK((row.to(at::kDouble) - y).abs().max().item<double>() < tolerance);
        CHECK(log_sum == Approx(at::logsumexp(x * scale, 0).item<double>()).epsilon(tolerance * 10));
        kernel::softmax_row_backward(row.data_ptr<T>(), slope.data_ptr<T>(), n, static_cast<T>(scale));
        CHECK((slope.to(at::kDouble) - back).abs().max().item<double>() < tolerance * std::max(1.0, std::abs(scale)));
      };
      check(0.0F, scale == 200 ? 2e-4 : 2e-6);
      check(0.0, 1e-12);
    }
  }
}

}  // namespace yatlab

#include "core/ops/yat.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <cmath>
#include <tuple>

#include "catch.h"
#include "core/base/error.h"
#include "core/ops/pairwise.h"
#include "core/ops/vector_code.h"
#include "ops/gradients.h"
#include "ops/slow_reference.h"

using at::Tensor;
using gradients::relative_error;
using yatlab::BiasPlace;
using yatlab::yat;
using yatlab::YatOptions;

namespace {

Tensor matrix(std::initializer_list<double> values, at::IntArrayRef shape) {
  return at::tensor(std::vector<double>(values), at::kDouble).view(shape);
}

YatOptions with_epsilon(double epsilon) {
  YatOptions o;
  o.epsilon = epsilon;
  return o;
}

Tensor random(at::IntArrayRef shape, at::ScalarType type = at::kDouble, double scale = 1) {
  return (at::randn(shape, at::kDouble) * scale).to(type);
}

}  // namespace

TEST_CASE("yat: scores agree with the paper's XOR table for w = [1, -1]", "[yat]") {
  const Tensor x = matrix({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2});
  const Tensor w = matrix({1, -1}, {1, 2});
  for (const double epsilon : {1e-12, 1e-5, 1e-2, 1.0, 1e3}) {
    for (const auto type : {at::kDouble, at::kFloat, at::kBFloat16}) {
      const Tensor y = yat(x.to(type), w.to(type), with_epsilon(epsilon)).to(at::kDouble);
      const double tolerance = type == at::kDouble ? 1e-14 : type == at::kFloat ? 1e-6 : 4e-3;
      CHECK(y[0][0].item<double>() == 0);
      CHECK(y[1][0].item<double>() == Approx(1 / (5 + epsilon)).epsilon(tolerance));
      CHECK(y[2][0].item<double>() == Approx(1 / (1 + epsilon)).epsilon(tolerance));
      CHECK(y[3][0].item<double>() == 0);
    }
  }
}

TEST_CASE("yat: at x = w the score is |w|^4 / epsilon for every epsilon", "[yat]") {
  at::manual_seed(1);
  for (const auto type : {at::kDouble, at::kFloat, at::kBFloat16}) {
    for (const std::int64_t dim : {1, 3, 7, 17, 784}) {
      const Tensor w = random({5, dim}, type, 3);
      const Tensor norm = w.to(at::kDouble).square().sum(1);
      for (const double epsilon : {1e-12, 1e-5, 1.0, 1e3}) {
        const Tensor y = yat(w, w, with_epsilon(epsilon)).to(at::kDouble).diagonal();
        INFO("type " << c10::toString(type) << " dim " << dim << " epsilon " << epsilon);
        const double tolerance = type == at::kDouble ? 1e-11 : type == at::kFloat ? 1e-5 : 2e-2;
        CHECK(((y * epsilon / (norm * norm)) - 1).abs().max().item<double>() < tolerance);
      }
    }
  }
}

TEST_CASE("yat: orthogonal vectors score 0", "[yat]") {
  const Tensor x = matrix({3, 0, 0, 0, 2, 0}, {2, 3});
  const Tensor w = matrix({0, 0, 7, 0, 0, -0.5}, {2, 3});
  CHECK(yat(x, w).abs().max().item<double>() == 0);
}

TEST_CASE("yat: far along a ray the score tends to |w|^2 cos^2", "[yat]") {
  const Tensor w = matrix({2, 1}, {1, 2});
  const Tensor u = matrix({std::cos(0.3), std::sin(0.3)}, {1, 2});
  const double dot = 2 * std::cos(0.3) + std::sin(0.3);
  for (const double radius : {1e6, 1e9}) {
    CHECK(yat(u * radius, w).item<double>() == Approx(dot * dot).epsilon(20 / radius));
  }
}

TEST_CASE("yat: scores are symmetric and even under a joint sign change", "[yat]") {
  at::manual_seed(2);
  const Tensor x = random({6, 5}), w = random({4, 5});
  CHECK(relative_error(yat(x, w), yat(w, x).t()) < 1e-14);
  CHECK(relative_error(yat(x, -w), yat(-x, w)) < 1e-14);
}

TEST_CASE("yat: scores agree with the slow reference for every shape, type and option", "[yat]") {
  at::manual_seed(3);
  double worst_double = 0, worst_float = 0, worst_bf16 = 0, worst_half = 0;
  for (const std::int64_t rows : {1, 3, 17}) {
    for (const std::int64_t units : {1, 7, 16, 33, 515}) {
      for (const std::int64_t dim : {1, 2, 17, 64, 131}) {
        for (const bool after : {false, true}) {
          const Tensor x = random({rows, dim}), w = random({units, dim}), b = random({units});
          slow::Problem p;
          p.epsilon = 0.01;
          p.scale = 1.75;
          p.bias_after = after;
          YatOptions o;
          o.epsilon = p.epsilon;
          o.bias_place = after ? BiasPlace::kAfter : BiasPlace::kInside;
          const auto error = [&](at::ScalarType type) {
            const Tensor a = x.to(type), c = w.to(type);
            o.bias = b.to(type);
            o.scale = at::scalar_tensor(p.scale, at::kDouble);
            const Tensor y = yat(a, c, o);
            REQUIRE(y.scalar_type() == type);
            REQUIRE(y.sizes() == at::IntArrayRef({rows, units}));
            return relative_error(y, slow::yat(a, c, o.bias, p));
          };
          worst_double = std::max(worst_double, error(at::kDouble));
          worst_float = std::max(worst_float, error(at::kFloat));
          worst_bf16 = std::max(worst_bf16, error(at::kBFloat16));
          worst_half = std::max(worst_half, error(at::kHalf));
        }
      }
    }
  }
  CHECK(worst_double < 1e-12);
  CHECK(worst_float < 1e-5);
  CHECK(worst_bf16 < 3e-2);
  CHECK(worst_half < 4e-3);
}

TEST_CASE("yat: fused and composed forms agree", "[yat]") {
  at::manual_seed(4);
  const Tensor x = random({9, 20}), w = random({13, 20});
  YatOptions o;
  o.bias = random({13});
  o.learned_epsilon = at::scalar_tensor(0.3, at::kDouble);
  o.scale = at::scalar_tensor(1.2, at::kDouble);
  for (const auto place : {BiasPlace::kInside, BiasPlace::kAfter}) {
    o.bias_place = place;
    CHECK(relative_error(yat(x, w, o), yatlab::yat_composed(x, w, o)) < 1e-13);
  }
}

TEST_CASE("yat: nearly equal vectors keep full precision in float", "[yat]") {
  at::manual_seed(5);
  const Tensor w = random({4, 300}, at::kFloat, 2);
  for (const double apart : {1e-1, 1e-2, 1e-3, 1e-4}) {
    const Tensor x = w + random({4, 300}, at::kFloat, apart);
    for (const double epsilon : {1e-12, 1e-6, 1.0}) {
      slow::Problem p;
      p.epsilon = epsilon;
      const Tensor y = yat(x, w, with_epsilon(epsilon)).diagonal();
      const Tensor expected = slow::yat(x, w, {}, p).diagonal();
      INFO("apart " << apart << " epsilon " << epsilon);
      CHECK(((y.to(at::kDouble) / expected) - 1).abs().max().item<double>() < 1e-3);
    }
  }
}

TEST_CASE("yat: zero vectors, huge and tiny values stay finite", "[yat]") {
  for (const auto type : {at::kFloat, at::kDouble, at::kBFloat16}) {
    const Tensor zero = at::zeros({2, 5}, type);
    CHECK(yat(zero, zero, with_epsilon(1e-12)).abs().max().item<double>() == 0);
    for (const double size : {1e-30, 1e-18, 1e15, 1e18}) {
      const Tensor x = at::ones({1, 5}, type) * size, w = -x;
      const double y = yat(x, w).item<double>();
      // (5 s^2)^2 / (20 s^2 + epsilon)
      const double expected = 25 * std::pow(size, 4) / (20 * size * size + 1e-5);
      INFO("size " << size << " type " << c10::toString(type));
      CHECK(y == Approx(expected).epsilon(type == at::kBFloat16 ? 2e-2 : 1e-5).margin(1e-37));
    }
  }
}

TEST_CASE("yat: leading dimensions broadcast and strides do not matter", "[yat]") {
  at::manual_seed(6);
  const Tensor w2 = random({7, 4}), w4 = random({2, 1, 7, 4}), b = random({7});
  const Tensor x3 = random({3, 5, 4});
  YatOptions o;
  o.bias = b;
  const Tensor flat = yat(x3, w2, o);
  REQUIRE(flat.sizes() == at::IntArrayRef({3, 5, 7}));
  const Tensor wide = yat(x3, w4, o);
  REQUIRE(wide.sizes() == at::IntArrayRef({2, 3, 5, 7}));
  for (std::int64_t j = 0; j < 3; ++j) {
    CHECK(relative_error(flat[j], slow::yat(x3[j], w2, b)) < 1e-13);
    for (std::int64_t i = 0; i < 2; ++i) {
      CHECK(relative_error(wide[i][j], slow::yat(x3[j], w4[i][0], b)) < 1e-13);
    }
  }
  const Tensor turned = random({4, 10}).t().slice(0, 0, 10, 2);
  REQUIRE_FALSE(turned.is_contiguous());
  CHECK(relative_error(yat(turned, w2), slow::yat(turned, w2)) < 1e-13);
  CHECK(relative_error(yat(x3[0], random({4, 7}).t()), yat(x3[0], w2)) > 0);
  // One set of rows against several sets of units.
  const Tensor many = yat(x3[0], w4.expand({2, 3, 7, 4}), o);
  REQUIRE(many.sizes() == at::IntArrayRef({2, 3, 5, 7}));
  CHECK(relative_error(many[1][2], slow::yat(x3[0], w4[1][0], b)) < 1e-13);
}

TEST_CASE("yat: empty batches, zero units and zero dimensions work", "[yat]") {
  const auto leaf = [](at::IntArrayRef shape) { return at::zeros(shape, at::kFloat).set_requires_grad(true); };
  for (const auto& [rows, units, dim] : {std::tuple{0, 3, 4}, {2, 0, 4}, {2, 3, 0}, {0, 0, 0}}) {
    const Tensor x = leaf({rows, dim}), w = leaf({units, dim});
    const Tensor y = yat(x, w);
    REQUIRE(y.sizes() == at::IntArrayRef({rows, units}));
    CHECK(y.abs().sum().item<double>() == 0);
    const auto g = torch::autograd::grad({y.sum()}, {x, w});
    CHECK(g[0].sizes() == x.sizes());
    CHECK(g[1].sizes() == w.sizes());
  }
}

TEST_CASE("yat: empty nested batches work and NaN rows do not affect others", "[yat]") {
  CHECK(yat(at::zeros({2, 0, 4}), at::zeros({3, 4})).sizes() == at::IntArrayRef({2, 0, 3}));
  CHECK(yat(at::zeros({2, 5, 0}), at::zeros({3, 0})).sizes() == at::IntArrayRef({2, 5, 3}));
  // If units do not fill a vector, a row is read together with the beginning of the next one.
  at::manual_seed(9);
  for (const auto type : {at::kFloat, at::kDouble, at::kBFloat16}) {
    const Tensor x0 = random({6, 8}, type), w = random({5, 8}, type).set_requires_grad(true);
    Tensor broken = x0.clone();
    broken.slice(0, 3).fill_(std::nan(""));
    const auto run = [&](const Tensor& given) {
      const Tensor x = given.clone().set_requires_grad(true), y = yat(x, w);
      return at::cat({y.detach(), torch::autograd::grad({y.slice(0, 0, 3).sum()}, {x})[0]}, 1).slice(0, 0, 3);
    };
    CHECK(at::equal(run(x0), run(broken)));
  }
}

TEST_CASE("yat: results are bitwise identical for any number of threads", "[yat]") {
  at::manual_seed(7);
  const Tensor x0 = random({300, 40}, at::kFloat), w0 = random({1000, 40}, at::kFloat);
  const auto run = [&](int threads) {
    at::set_num_threads(threads);
    const Tensor x = x0.clone().set_requires_grad(true), w = w0.clone().set_requires_grad(true);
    const Tensor b = at::full({1000}, 0.1F).set_requires_grad(true);
    YatOptions o;
    o.bias = b;
    const Tensor y = yat(x, w, o);
    auto all = torch::autograd::grad({y.square().sum()}, {x, w, b});
    all.push_back(y.detach());
    return all;
  };
  const int before = at::get_num_threads();
  const auto one = run(1), two = run(2), four = run(4);
  at::set_num_threads(before);
  for (std::size_t i = 0; i < one.size(); ++i) {
    CAPTURE(i);
    CHECK(at::equal(one[i], two[i]));
    CHECK(at::equal(one[i], four[i]));
  }
}

TEST_CASE("yat: mismatched shapes and types are rejected with both named", "[yat]") {
  const auto message = [](const Tensor& x, const Tensor& w, const Tensor& b = {}) {
    YatOptions o;
    o.bias = b;
    try {
      yat(x, w, o);
    } catch (const yatlab::Error& e) {
      return std::string(e.why());
    }
    return std::string("no error");
  };
  CHECK(message(at::zeros({2, 3}), at::zeros({4, 5})) == "x is [2, 3], w is [4, 5]");
  CHECK(message(at::zeros({3}), at::zeros({4, 3})) == "x is [3], w is [4, 3]");
  CHECK(message(at::zeros({2, 3}), at::zeros({4, 3}), at::zeros({3})) == "w is [4, 3], bias is [3]");
  CHECK(message(at::zeros({2, 3}, at::kLong), at::zeros({4, 3})) == "x is Long, w is Float");
}

TEST_CASE("yat: weights of another type are converted to the type of x", "[yat]") {
  at::manual_seed(8);
  const Tensor x = random({3, 9}, at::kBFloat16), w = random({5, 9}, at::kFloat);
  const Tensor y = yat(x, w);
  CHECK(y.scalar_type() == at::kBFloat16);
  CHECK(relative_error(y, slow::yat(x, w.to(at::kBFloat16))) < 3e-2);
}

TEST_CASE("yat: every instruction set of this machine gives the same scores and gradients", "[yat]") {
  at::manual_seed(9);
  const std::string best = yatlab::kernel::instruction_set_name();
  for (const auto type : {at::kDouble, at::kFloat, at::kBFloat16}) {
    const Tensor x = random({7, 37}, type), w = random({45, 37}, type), g = random({7, 45}, type);
    const auto run = [&] {
      const Tensor a = x.clone().set_requires_grad(true), b = w.clone().set_requires_grad(true);
      const Tensor y = yat(a, b, with_epsilon(0.1));
      auto out = torch::autograd::grad({y}, {a, b}, {g});
      out.push_back(y.detach());
      return out;
    };
    const auto expected = run();
    int tried = 0;
    for (const char* isa : {"generic", "avx2", "avx512"}) {
      if (!yatlab::kernel::use_instruction_set(isa)) continue;
      CHECK(yatlab::kernel::instruction_set_name() == std::string(isa));
      ++tried;
      const auto got = run();
      for (std::size_t i = 0; i < got.size(); ++i) {
        INFO(isa << " " << c10::toString(type) << " output " << i);
        CHECK(relative_error(got[i], expected[i]) < (type == at::kDouble ? 1e-13 : type == at::kFloat ? 1e-5 : 1e-2));
      }
    }
    CHECK(tried >= 1);
    REQUIRE(yatlab::kernel::use_instruction_set(best));
  }
}

TEST_CASE("yat: batches of small bf16 matrices are summed in float", "[yat]") {
  at::manual_seed(10);
  for (const auto& [rows, units, dim] : {std::tuple{1, 5, 64}, std::tuple{3, 2, 60}, std::tuple{8, 8, 64}}) {
    INFO(rows << " x " << units << " x " << dim);
    const Tensor x = random({50, rows, dim}, at::kBFloat16), w = random({50, units, dim}, at::kBFloat16);
    const Tensor exact = at::matmul(x.to(at::kDouble), w.to(at::kDouble).transpose(1, 2));
    // Half a unit in the last of 8 bits, and float's own errors where terms cancel.
    const Tensor allowed = exact.abs() / 256 + 1e-4;
    CHECK((yatlab::inner_products(x, w).to(at::kDouble) - exact).abs().le(allowed).all().item<bool>());
    const Tensor distance = (x.to(at::kDouble).unsqueeze(2) - w.to(at::kDouble).unsqueeze(1)).square().sum(-1);
    const Tensor expected = exact.square() / (distance + 0.1);
    // The product's rounding counts twice, and the result is rounded once more.
    CHECK((yat(x, w, with_epsilon(0.1)).to(at::kDouble) - expected).abs().le(expected * 0.016 + 1e-4).all().item<bool>());
  }
}

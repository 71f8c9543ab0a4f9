// Rows so long that their squares overflow float, and so short that they underflow: every body against sums in long double.
#include <ATen/ATen.h>
#include <torch/autograd.h>

#include <cmath>
#include <limits>
#include <string>

#include "catch.h"
#include "core/base/error.h"
#include "core/ops/kernel_choice.h"
#include "core/ops/pairwise.h"
#include "core/ops/yat.h"
#include "ops/either_body.h"
#include "ops/gradients.h"
#include "ops/slow_reference.h"

using at::Tensor;
using yatlab::yat;
using yatlab::YatOptions;

namespace {

enum class Way { kFused, kDifferentiable, kComposed };
const char* name_of(Way way) { return way == Way::kFused ? "fused" : way == Way::kComposed ? "composed" : "differentiable"; }

/// One row per size, in random directions.
Tensor rows_of(std::initializer_list<double> sizes, std::int64_t dim, at::ScalarType type) {
  const Tensor directions = at::randn({static_cast<std::int64_t>(sizes.size()), dim}, at::kDouble);
  return (directions / directions.norm(2, {1}, true) * at::tensor(std::vector<double>(sizes), at::kDouble).unsqueeze(1)).to(type);
}

/// Largest relative error of a number within the type's range; 1 where it should be infinite but is not.
double number_error(const Tensor& found, const Tensor& exact) {
  const Tensor y = found.detach().to(at::kDouble), expected = exact.to(found.scalar_type()).to(at::kDouble);
  const Tensor error = at::where(at::isinf(expected), (y != expected).to(at::kDouble),
                                 ((y - exact).abs() - 1e-44).clamp_min(0) / exact.abs().clamp_min(1e-300));
  return at::isnan(error).any().item<bool>() ? 1e9 : error.max().item<double>();
}

/// Largest error of a row relative to its length.
double row_error(const Tensor& found, const Tensor& exact) {
  const Tensor error = ((found.detach().to(at::kDouble) - exact).norm(2, {1}) - 1e-42).clamp_min(0) / exact.norm(2, {1}).clamp_min(1e-300);
  return at::isnan(error).any().item<bool>() ? 1e9 : error.max().item<double>();
}

struct Errors {
  double value = 0, gradient = 0;
};

Errors errors_of(Way way, const Tensor& x0, const Tensor& w0, double epsilon) {
  const Tensor x = x0.clone().set_requires_grad(true), w = w0.clone().set_requires_grad(true);
  YatOptions o;
  o.epsilon = epsilon;
  const Tensor y = way == Way::kComposed ? yatlab::yat_composed(x, w, o) : yat(x, w, o);
  const slow::Problem problem{epsilon};
  const Tensor exact = slow::yat(x0, w0, {}, problem);
  // Gradients of the finite scores.
  const Tensor g = at::isfinite(exact.to(y.scalar_type())).to(y.scalar_type()) * gradients::weights_like(exact).to(y.scalar_type());
  const auto slopes = torch::autograd::grad({y}, {x, w}, {g}, true, way == Way::kDifferentiable);
  const auto expected = slow::yat_gradient(x0, w0, {}, g, problem);
  CHECK(y.scalar_type() == x0.scalar_type());
  return {number_error(y, exact), std::max(row_error(slopes[0], expected.x), row_error(slopes[1], expected.w))};
}

}  // namespace

TEST_CASE("yat: rows whose squares overflow float have right scores and gradients", "[yat][range]") {
  at::manual_seed(61);
  for (const std::int64_t dim : {2, 5, 64}) {
    for (const auto type : {at::kFloat, at::kBFloat16}) {
      const Tensor x = rows_of({1, 3e19, 1e-3, 1e25, 1e18, 1.2e19}, dim, type);
      Tensor w = rows_of({1, 1e-10, 1e10, 1.2e19, 1e24, 2}, dim, type);
      w[3].copy_(x[5]);  // the same vector: |w|^4 / epsilon is beyond every type
      for (const Way way : {Way::kFused, Way::kDifferentiable, Way::kComposed}) {
        INFO(name_of(way) << " " << c10::toString(type) << " dim " << dim);
        const auto errors = errors_of(way, x, w, 1e-5);
        CHECK(errors.value < (type == at::kFloat ? 1e-5 : 1e-2));
        CHECK(errors.gradient < (type == at::kFloat ? 1e-5 : 1e-2));
        // Two rows alone, in both orders: either one may be the long one.
        const auto one = errors_of(way, x.narrow(0, 1, 1), w.narrow(0, 0, 1), 1e-5),
                   other = errors_of(way, w.narrow(0, 0, 1), x.narrow(0, 1, 1), 1e-5);
        CHECK(std::max(one.value, other.value) < (type == at::kFloat ? 1e-5 : 1e-2));
      }
    }
  }
  // Far out the score is |w|^2 cos^2, not 0; two long rows that are orthogonal score 0, not NaN.
  const Tensor far = at::tensor({3e30F, 4e30F}).view({1, 2}), w = at::tensor({5.0F, 0.0F, -4e30F, 3e30F}).view({2, 2});
  CHECK(yat(far, w)[0][0].item<double>() == Approx(9));
  CHECK(yat(far, w)[0][1].item<double>() == 0);
  CHECK(yatlab::yat_composed(far, w)[0][0].item<double>() == Approx(9));
  CHECK(yatlab::yat_composed(far, w)[0][1].item<double>() == 0);
}

TEST_CASE("yat: all options agree with double for rows that overflow float", "[yat][range]") {
  at::manual_seed(62);
  const Tensor x = at::cat({at::randn({3, 4, 5}), at::randn({3, 2, 5}) * 1e22}, 1), w = at::randn({3, 7, 5}), b = at::randn({7});
  for (const auto place : {yatlab::BiasPlace::kInside, yatlab::BiasPlace::kAfter}) {
    const auto run = [&](at::ScalarType type, bool composed) {
      std::vector<Tensor> in;
      for (const Tensor& t : {x, w, b, at::full({1}, 0.3), at::full({1}, 1.7)}) in.push_back(t.to(type).clone().set_requires_grad(true));
      YatOptions o;
      o.bias = in[2];
      o.bias_place = place;
      o.learned_epsilon = in[3];
      o.scale = in[4];
      const Tensor y = composed ? yatlab::yat_composed(in[0], in[1], o) : yat(in[0], in[1], o);
      auto out = torch::autograd::grad({(y.to(at::kDouble) * gradients::weights_like(y.to(at::kDouble))).sum()}, in);
      out.push_back(y.detach());
      return out;
    };
    const auto exact = run(at::kDouble, false);
    for (const bool composed : {false, true}) {
      const auto found = run(at::kFloat, composed);
      for (std::size_t i = 0; i < found.size(); ++i) {
        INFO("output " << i << (composed ? " composed" : " fused"));
        CHECK(found[i].scalar_type() == at::kFloat);
        CHECK(gradients::relative_error(found[i], exact[i]) < 1e-5);
      }
    }
  }
}

TEST_CASE("yat: the composed form computes overflowing float16 products in float", "[yat][range]") {
  const Tensor x = at::full({1, 1}, 1e4).to(at::kHalf), w = at::full({1, 1}, -10.0).to(at::kHalf);
  const double expected = 1e10 / (10010.0 * 10010.0 + 1e-5);
  CHECK(yatlab::yat_composed(x, w).item<double>() == Approx(expected).epsilon(1e-3));
  CHECK(yat(x, w).item<double>() == Approx(expected).epsilon(1e-3));
}

TEST_CASE("yat: rows whose squares underflow float keep full precision", "[yat][range]") {
  at::manual_seed(63);
  for (const double epsilon : {1e-12, 1e-5}) {
    for (const Way way : {Way::kFused, Way::kDifferentiable, Way::kComposed}) {
      const Tensor x = rows_of({1e-3, 1e-10, 1e-18, 1e-20, 1e-25, 1e-30}, 5, at::kFloat),
                   w = rows_of({1, 1e-6, 1e-12, 1e-20, 1e-30}, 5, at::kFloat);
      INFO(name_of(way) << " epsilon " << epsilon);
      const auto errors = errors_of(way, x, w, epsilon);
      CHECK(errors.value < 1e-5);
      CHECK(errors.gradient < 1e-4);
    }
  }
  // An epsilon that is 0 in float counts as the smallest number: no 0 / 0.
  YatOptions o;
  o.epsilon = 1e-60;
  const Tensor zero = at::zeros({1, 3});
  CHECK(yat(zero, zero, o).item<double>() == 0);
  CHECK(yatlab::yat_composed(zero, zero, o).item<double>() == 0);
}

TEST_CASE("yat and distances: rows that overflow double are rejected and NaN never scores 0", "[yat][pairwise][range]") {
  const auto message = [](auto&& act) {
    try {
      act();
    } catch (const yatlab::Error& e) {
      return e.message() + ": " + e.why();
    }
    return std::string("no error");
  };
  const Tensor x = at::full({1, 2}, 1e160, at::kDouble), w = at::ones({3, 2}, at::kDouble);
  const std::string why = " of rows this long cannot be computed: the square of a length above 9e153 overflows, even in double";
  CHECK(message([&] { yat(x, w); }) == "operator yat" + why);
  CHECK(message([&] { yat(w, x); }) == "operator yat" + why);
  CHECK(message([&] { yatlab::yat_composed(x, w); }) == "operator yat" + why);
  CHECK(message([&] { yatlab::squared_distances(x, w); }) == "squared distances" + why);
  for (const double value : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    for (const auto type : {at::kFloat, at::kDouble, at::kBFloat16}) {
      const Tensor odd = at::tensor({value, 1.0}, at::kDouble).to(type).view({1, 2}), units = w.to(type);
      INFO(value << " " << c10::toString(type));
      CHECK((yat(odd, units) != 0).all().item<bool>());
      CHECK((yatlab::yat_composed(odd, units) != 0).all().item<bool>());
      CHECK((yatlab::squared_distances(odd, units) != 0).all().item<bool>());
    }
  }
}

TEST_CASE("yat and distances: rows of NaN and infinity do not affect other rows", "[yat][pairwise][range]") {
  ON_EITHER_BODY;
  at::manual_seed(66);
  for (const auto type : {at::kFloat, at::kDouble, at::kBFloat16}) {
    const Tensor w = at::randn({5, 8}, at::kDouble).to(type);
    Tensor x = at::randn({4, 8}, at::kDouble).to(type);
    x[1].copy_(w[2] * 1.001);
    x[2].copy_(w[4]);
    Tensor more = at::cat({x, x.slice(0, 0, 2)});
    const Tensor calm = more.clone();
    more[4].fill_(std::nan(""));
    more[5].fill_(std::numeric_limits<double>::infinity());
    const double tolerance = type == at::kDouble ? 1e-12 : type == at::kFloat ? 1e-6 : 1e-2;  // rows beside infinity are computed in double
    const auto same = [&](auto&& scores) {
      return gradients::relative_error(scores(more).slice(0, 0, 4), scores(calm).slice(0, 0, 4)) < tolerance;
    };
    INFO(c10::toString(type));
    CHECK(same([&](const Tensor& rows) { return yat(rows, w); }));
    CHECK(same([&](const Tensor& rows) { return yatlab::yat_composed(rows, w); }));
    CHECK(same([&](const Tensor& rows) { return yatlab::squared_distances(rows, w); }));
    CHECK(yatlab::squared_distances(more, w)[2][4].item<double>() == 0);
  }
}

TEST_CASE("squared distances of rows that overflow float are returned in double with gradients", "[pairwise][range]") {
  at::manual_seed(64);
  Tensor x = rows_of({1, 1e20, 1e30}, 5, at::kFloat), w = rows_of({1, 1e20, 3}, 5, at::kFloat);
  x[1] = w[1] * (1 + 1e-6);
  x.set_requires_grad(true);
  w.set_requires_grad(true);
  const Tensor found = yatlab::squared_distances(x, w);
  const Tensor direct = (x.to(at::kDouble).unsqueeze(1) - w.to(at::kDouble).unsqueeze(0)).square().sum(-1);
  CHECK(found.scalar_type() == at::kDouble);
  CHECK(number_error(found, direct.detach()) < 1e-10);
  const auto g = torch::autograd::grad({found.sqrt().sum()}, {x, w}), expected = torch::autograd::grad({direct.sqrt().sum()}, {x, w});
  CHECK(gradients::relative_error(g[0], expected[0]) < 1e-6);
  CHECK(gradients::relative_error(g[1], expected[1]) < 1e-6);
  CHECK(yatlab::squared_distances(at::ones({2, 3}), at::ones({2, 3})).scalar_type() == at::kFloat);
}

TEST_CASE("unit_rows normalises rows of any magnitude on every kernel", "[pairwise][range]") {
  at::manual_seed(65);
  const auto check = [](const char* body) {
    for (const auto type : {at::kFloat, at::kDouble, at::kBFloat16}) {
      const bool is_double = type == at::kDouble;
      const Tensor rows = rows_of({1, 1e-3, is_double ? 1e200 : 1e30, is_double ? 1e308 : 3.3e38, 1e-5}, 7, type).set_requires_grad(true);
      const Tensor unit = yatlab::unit_rows(rows, 1e-8);
      INFO(body << " " << c10::toString(type));
      CHECK((unit.detach().to(at::kDouble).norm(2, {1}) - 1).abs().max().item<double>() < 1e-6);
      const Tensor wide =
          at::where(rows.detach().to(at::kDouble).abs() > 1e150, rows.detach().to(at::kDouble) * 1e-160, rows.detach().to(at::kDouble));
      CHECK(gradients::relative_error(unit, wide / wide.norm(2, {1}, true)) < 1e-6);
      const Tensor slope = torch::autograd::grad({(unit * gradients::weights_like(unit)).sum()}, {rows})[0];
      CHECK(at::isfinite(slope).all().item<bool>());
    }
    // Rows shorter than the floor are divided by it, even if float cannot hold their squares.
    const Tensor tiny = at::tensor({3e-30F, 4e-30F}).view({1, 2});
    CHECK(yatlab::unit_rows(tiny, 1e-8).abs().max().item<double>() == Approx(4e-22));
    CHECK(at::allclose(yatlab::unit_rows(tiny, 1e-40), at::tensor({0.6F, 0.8F}).view({1, 2})));
    CHECK(yatlab::unit_rows(at::zeros({2, 3}), 1e-8).abs().max().item<double>() == 0);
    CHECK(yatlab::unit_rows(at::zeros({0, 3}), 1e-8).sizes() == at::IntArrayRef({0, 3}));
  };
  check("fast");
  const yatlab::ForceGenericKernels general;
  check("general");
}

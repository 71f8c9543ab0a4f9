// Next to a prototype, where |x|^2 + |w|^2 - 2 x.w cancels: values and derivatives of every body against sums in long double.
#include <ATen/ATen.h>
#include <torch/autograd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>

#include "catch.h"
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

/// Four units, and for each a row at this fraction of its norm from it, after rounding to the type.
struct Neighbours {
  Tensor x, w;
  Neighbours(std::int64_t dim, double gap, at::ScalarType type) {
    const Tensor units = at::randn({4, dim}, at::kDouble), away = at::randn({4, dim}, at::kDouble);
    w = units.to(type);
    x = (units + away / away.norm(2, {1}, true) * units.norm(2, {1}, true) * gap).to(type);
  }
};

/// Error of the gradient at each row of `own`, relative to the size of its two parts, which may cancel: 2 n w / D and
/// 2 n^2 (x - w) / D^2. The worst row.
double gradient_error(const Tensor& found, const Tensor& expected, const Tensor& own, const Tensor& other, double epsilon) {
  const Tensor a = own.to(at::kDouble), b = other.to(at::kDouble);
  const Tensor n = (a * b).sum(1), distance = (a - b).square().sum(1), quotient = n / (distance + epsilon);
  const Tensor size = 2 * quotient.abs() * b.norm(2, {1}) + 2 * quotient.square() * distance.sqrt();
  return ((found.detach().to(at::kDouble) - expected).norm(2, {1}) / size.clamp_min(1e-300)).max().item<double>();
}

struct Worst {
  double value = 0, gradient = 0;
  std::string value_at, gradient_at;
  void see(double v, double g, const std::string& where) {
    if (!(v <= value)) value = v, value_at = where;
    if (!(g <= gradient)) gradient = g, gradient_at = where;
  }
};

enum class Body { kFused, kDifferentiable, kComposed, kGeneral, kGeneralDifferentiable };

const char* name_of(Body body) {
  switch (body) {
    case Body::kFused:
      return "fused";
    case Body::kDifferentiable:
      return "fused, its gradients differentiable";
    case Body::kComposed:
      return "composed";
    case Body::kGeneral:
      return "general";
    case Body::kGeneralDifferentiable:
      break;
  }
  return "general, its gradients differentiable";
}

Worst worst_of(Body body, at::ScalarType type) {
  at::manual_seed(7);
  Worst worst;
  std::optional<yatlab::ForceGenericKernels> general;
  if (body == Body::kGeneral || body == Body::kGeneralDifferentiable) general.emplace();
  const bool differentiable = body == Body::kDifferentiable || body == Body::kGeneralDifferentiable;
  for (const std::int64_t dim : {1, 2, 5, 64, 785, 4097}) {
    for (const double gap : {0.0, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.2, 0.3, 0.5, 1.0}) {
      const Neighbours near(dim, gap, type);
      for (const double epsilon : {1e-12, 1e-5, 1e-2, 1.0, 1e3}) {
        const Tensor x = near.x.clone().set_requires_grad(true), w = near.w.clone().set_requires_grad(true);
        YatOptions o;
        o.epsilon = epsilon;
        const Tensor y = body == Body::kComposed ? yatlab::yat_composed(x, w, o) : yat(x, w, o);
        // Each row's own unit: the others are far, and their products may cancel, which a distance cannot correct.
        const Tensor own = at::eye(4, at::kFloat).to(y.scalar_type());
        const auto gradients = torch::autograd::grad({y}, {x, w}, {own}, true, differentiable);
        const slow::Problem problem{epsilon};
        const Tensor expected = slow::yat(near.x, near.w, {}, problem).diagonal();
        const auto slopes = slow::yat_gradient(near.x, near.w, {}, own, problem);
        const Tensor found = y.detach().to(at::kDouble).diagonal();
        const double value = ((found - expected).abs() / expected.abs().clamp_min(1e-300)).max().item<double>();
        worst.see(value,
                  std::max(gradient_error(gradients[0], slopes.x, near.x, near.w, epsilon),
                           gradient_error(gradients[1], slopes.w, near.w, near.x, epsilon)),
                  "d = " + std::to_string(dim) + ", gap " + std::to_string(gap) + ", epsilon " + std::to_string(epsilon));
      }
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("yat: values and gradients keep full precision near a prototype on every kernel", "[yat][close]") {
  struct Limits {
    at::ScalarType type;
    double value, gradient;
  };
  // In float: a dozen roundings are already 7e-7 at d = 1 (that of x.w counts twice, those of a distance up to four times), and sums of
  // products add theirs. Over 20 draws at most 6.8e-7 up to d = 64 and 1.2e-6 at 4,097; with OpenBLAS's kernels for AVX2 1.7e-6.
  for (const auto& [type, value, gradient] : {Limits{at::kDouble, 1e-11, 1e-10}, {at::kFloat, 2e-6, 1e-5}, {at::kBFloat16, 1.3e-2, 3e-2}}) {
    for (const Body body : {Body::kFused, Body::kDifferentiable, Body::kComposed, Body::kGeneral, Body::kGeneralDifferentiable}) {
      const auto worst = worst_of(body, type);
      INFO(c10::toString(type) << ", " << name_of(body));
      INFO("value " << worst.value << " at " << worst.value_at);
      INFO("gradient " << worst.gradient << " at " << worst.gradient_at);
      CHECK(worst.value <= value);
      CHECK(worst.gradient <= gradient);
    }
  }
}

TEST_CASE("yat: at x = w the Hessian agrees with the formula", "[yat][close]") {
  // y = (w.x)^2 / (|x - w|^2 + e) around x = w: d2y = (2/e) w w^T - (2/e^2) |w|^4 I
  const Tensor w = at::tensor({0.3, -0.2, 0.5, 0.1, 0.7}, at::kDouble).view({1, 5});
  for (const double epsilon : {1e-5, 0.1, 10.0}) {
    const Tensor x = w.clone().set_requires_grad(true);
    YatOptions o;
    o.epsilon = epsilon;
    const Tensor first = torch::autograd::grad({yat(x, w, o)}, {x}, {at::ones({1, 1}, at::kDouble)}, true, true)[0];
    Tensor hessian = at::empty({5, 5}, at::kDouble);
    for (std::int64_t i = 0; i < 5; ++i) hessian[i] = torch::autograd::grad({first[0][i]}, {x}, {}, true, false)[0][0];
    const double norm = (w * w).sum().item<double>();
    const Tensor expected = at::matmul(w.t(), w) * (2 / epsilon) - at::eye(5, at::kDouble) * (2 * norm * norm / epsilon / epsilon);
    INFO("epsilon " << epsilon << "\n" << hessian << "\n" << expected);
    CHECK(gradients::relative_error(hessian, expected) < 1e-9);
  }
}

TEST_CASE("yat: second derivatives near a prototype agree with the formula", "[yat][close]") {
  ON_EITHER_BODY;
  at::manual_seed(8);
  const auto outer = [](const Tensor& a, const Tensor& b) { return at::outer(a, b); };
  for (const std::int64_t dim : {1, 2, 5, 17}) {
    for (const double gap : {1e-8, 1e-6, 1e-4, 1e-3, 0.01, 0.1, 0.3, 1.0}) {
      const Neighbours near(dim, gap, at::kDouble);
      for (const double epsilon : {1e-12, 1e-5, 1e-2, 1.0, 1e3}) {
        INFO("d = " << dim << ", gap " << gap << ", epsilon " << epsilon);
        YatOptions o;
        o.epsilon = epsilon;
        const Tensor x = near.x[0].clone().set_requires_grad(true), w = near.w[0].clone().set_requires_grad(true);
        const Tensor y = yat(x.unsqueeze(0), w.unsqueeze(0), o);
        const Tensor first = torch::autograd::grad({y}, {x}, {at::ones_like(y)}, true, true)[0];
        Tensor of_x = at::empty({dim, dim}, at::kDouble), of_w = of_x.clone();
        for (std::int64_t i = 0; i < dim; ++i) {
          const auto row = torch::autograd::grad({first[i]}, {x, w}, {}, true, false);
          of_x[i] = row[0];
          of_w[i] = row[1];
        }
        // y = n^2 / D with n = w.x, u = x - w, D = u.u + e: the derivatives' terms, which may cancel.
        const Tensor a = near.x[0], b = near.w[0], u = a - b, one = at::eye(dim, at::kDouble);
        const double n = a.dot(b).item<double>(), d = u.dot(u).item<double>() + epsilon;
        const std::vector<Tensor> in_x = {2 / d * outer(b, b), -4 * n / d / d * (outer(b, u) + outer(u, b)),
                                          8 * n * n / d / d / d * outer(u, u), -2 * n * n / d / d * one};
        const std::vector<Tensor> in_w = {2 / d * outer(b, a),          2 * n / d * one,         4 * n / d / d * outer(b, u),
                                          -4 * n / d / d * outer(u, a), 2 * n * n / d / d * one, -8 * n * n / d / d / d * outer(u, u)};
        const auto check = [&](const Tensor& found, const std::vector<Tensor>& terms) {
          Tensor sum = at::zeros_like(found);
          double size = 0;
          for (const auto& term : terms) {
            sum += term;
            size += term.norm().item<double>();
          }
          CHECK((found - sum).norm().item<double>() <= 1e-9 * size);
        };
        check(of_x, in_x);
        check(of_w, in_w);
      }
    }
  }
}

TEST_CASE("squared distances: zero rows, units or dimensions work", "[pairwise][close]") {
  for (const auto& [rows, units, dim] : {std::tuple{0, 3, 2}, {3, 0, 2}, {0, 0, 2}, {2, 3, 0}}) {
    INFO(rows << " " << units << " " << dim);
    const Tensor x = at::ones({2, rows, dim}, at::kDouble).set_requires_grad(true), w = at::ones({units, dim}, at::kDouble);
    const Tensor d = yatlab::squared_distances(x, w);
    CHECK(d.sizes() == at::IntArrayRef({2, rows, units}));
    CHECK(torch::autograd::grad({d.sum()}, {x})[0].sizes() == x.sizes());
    CHECK(yatlab::yat_composed(x.detach(), w).sizes() == d.sizes());
  }
}

TEST_CASE("squared distances: small ones and all their derivatives are exact", "[pairwise][close]") {
  at::manual_seed(3);
  const Tensor far = at::randn({2, 3, 4}, at::kDouble);
  const Tensor x = at::cat({far, far + 1e-7 * at::randn({2, 3, 4}, at::kDouble)}, 1);  // [2, 6, 4]
  for (const Tensor& w : {far[0].clone(), far.clone(), far[1].unsqueeze(0).clone()}) {
    const auto f = [](const std::vector<Tensor>& in) { return yatlab::squared_distances(in[0], in[1]); };
    const Tensor direct = (x.unsqueeze(-2) - w.unsqueeze(-3)).square().sum(-1);
    const Tensor found = f({x, w});
    REQUIRE(found.sizes() == direct.sizes());
    CHECK(((found - direct).abs() / direct.clamp_min(1e-300)).max().item<double>() < 1e-11);
    CHECK((found == 0).sum().item<std::int64_t>() == (direct == 0).sum().item<std::int64_t>());
    const auto g = gradients::gradient(f, {x, w});
    const auto expected = gradients::gradient(
        [](const std::vector<Tensor>& in) { return (in[0].unsqueeze(-2) - in[1].unsqueeze(-3)).square().sum(-1); }, {x, w});
    CHECK(gradients::relative_error(g[0], expected[0]) < 1e-13);
    CHECK(gradients::relative_error(g[1], expected[1]) < 1e-13);
    CHECK(gradients::second_order_error(f, {x, w}) < 1e-8);
  }
}

// Our kernels on a device against double precision: more rows and units than a block holds, and numbers that do not fill one; close pairs; all
// further parameters of the formula. If a device has no kernels of ours, this tests the equivalent tensor operations.
#include <ATen/ATen.h>
#include <torch/autograd.h>

#include <functional>
#include <utility>
#include <vector>

#include "catch.h"
#include "core/ops/causal_softmax.h"
#include "core/ops/yat.h"
#include "guarded_device/tested_devices.h"

namespace yatlab::testing {
namespace {

using at::Tensor;

Tensor varied(at::IntArrayRef size, double phase) {
  std::int64_t n = 1;
  for (const auto s : size) n *= s;
  return at::arange(n, at::kDouble).mul(0.7).add(phase).sin().add(at::arange(n, at::kDouble).mul(0.113).sin()).view(size);
}

/// Rows and units, some of them close together: at gaps of 0, 1e-4, 0.01 and 0.3 of their length.
std::pair<Tensor, Tensor> rows_and_units(at::IntArrayRef rows, at::IntArrayRef units) {
  const Tensor x = varied(rows, 0.2), w = varied(units, 1.1);
  const Tensor x_rows = x.view({-1, rows.back()}), w_rows = w.view({-1, units.back()});
  int i = 0;
  for (const double gap : {0.0, 1e-4, 0.01, 0.3}) {
    const std::int64_t at = (units.size() < 2 ? 1 : units[units.size() - 2]) - 1 - i;
    w_rows[at].copy_(x_rows[3 * i + 1] * (1 + gap));
    ++i;
  }
  return {x, w};
}

struct Accuracy {
  at::ScalarType type;
  double value, gradient;
};

/// The worst error of a row, relative to its own length, or to a hundredth of the longest.
double worst(const Tensor& found, const Tensor& right) {
  const Tensor f = found.detach().cpu().to(at::kDouble), r = right.detach();
  const Tensor lengths = at::norm(r, 2, {-1});
  return (at::norm(f - r, 2, {-1}) / (lengths + 0.01 * lengths.max() + 1e-300)).max().item<double>();
}

void check_yat(at::IntArrayRef rows, at::IntArrayRef units,
               const std::function<YatOptions(const std::function<Tensor(const Tensor&)>&)>& options) {
  for (const auto& a : {Accuracy{at::kDouble, 1e-11, 1e-9}, {at::kFloat, 2e-6, 1e-5}, {at::kBFloat16, 0.03, 0.06}}) {
    const auto [x_exact, w_exact] = rows_and_units(rows, units);
    const Tensor x = x_exact.to(a.type), w = w_exact.to(a.type);
    const auto calculate = [&](const c10::Device& device, at::ScalarType type) {
      std::vector<Tensor> inputs;
      const auto leaf = [&](const Tensor& t) {
        inputs.push_back(t.to(a.type).to(device, type).detach().requires_grad_(true));
        return inputs.back();
      };
      const Tensor own_x = leaf(x), own_w = leaf(w);
      const YatOptions o = options(leaf);
      const Tensor y = device.is_cpu() ? yat_composed(own_x, own_w, o) : yat(own_x, own_w, o);
      const Tensor weights = varied(y.sizes(), 0.3).abs().to(a.type).to(device, type);
      auto out = torch::autograd::grad({(y * weights).sum()}, inputs);
      at::NoGradGuard no_grad;
      out.push_back(device.is_cpu() ? y : yat(own_x, own_w, o));  // the path that keeps no intermediate results
      out.insert(out.begin(), y);
      return out;
    };
    const auto right = calculate(c10::Device(at::kCPU), at::kDouble);
    for (const auto& device : tested_devices()) {
      const auto found = calculate(device, a.type);
      REQUIRE(found.size() == right.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        const bool value = i == 0 || i + 1 == found.size();
        INFO(device << ", " << c10::toString(a.type) << ", " << rows << " x " << units << ", " << (value ? "value" : "gradient") << " "
                    << i);
        REQUIRE(found[i].sizes() == right[i].sizes());
        CHECK(worst(found[i], right[i]) <= (value ? a.value : a.gradient));
      }
    }
  }
}

}  // namespace

TEST_CASE("yat on a device agrees with double precision", "[guarded][kernels]") {
  using Leaf = std::function<Tensor(const Tensor&)>;
  const auto plain = [](const Leaf&) {
    YatOptions o;
    o.epsilon = 0.05;
    return o;
  };
  const auto shapes = std::vector<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>>{
      {{150, 33}, {133, 33}},     {{130, 64}, {256, 64}},        {{2, 70, 16}, {132, 16}},
      {{3, 70, 16}, {3, 65, 16}}, {{2, 3, 20, 8}, {2, 1, 9, 8}}, {{13, 5}, {4, 5}}};
  for (const auto& [rows, units] : shapes) check_yat(rows, units, plain);

  for (const auto& [rows, units] : {shapes[0], shapes[3]}) {
    const std::int64_t n = units[units.size() - 2];
    const auto own = units.size() == 3 ? std::vector<std::int64_t>{units[0], 1, n} : std::vector<std::int64_t>{n};
    for (const bool after : {false, true}) {
      check_yat(rows, units, [&](const Leaf& leaf) {  // one number each, as our layers learn them
        YatOptions o;
        o.bias = leaf(varied({n}, 2));
        o.bias_place = after ? BiasPlace::kAfter : BiasPlace::kInside;
        o.learned_epsilon = leaf(at::full({1}, 0.07, at::kDouble));
        o.scale = leaf(at::full({1}, 1.3, at::kDouble));
        return o;
      });
      check_yat(rows, units, [&](const Leaf& leaf) {  // one per unit and layer
        YatOptions o;
        o.bias = leaf(varied(own, 2));
        o.bias_place = after ? BiasPlace::kAfter : BiasPlace::kInside;
        o.learned_epsilon = leaf(varied(own, 0.4).abs() + 0.05);
        o.scale = leaf(varied(own, 0.9));
        return o;
      });
    }
  }
}

TEST_CASE("second derivatives of yat work on a device", "[guarded][kernels]") {
  const auto second = [](const c10::Device& device) {
    const Tensor x = varied({7, 5}, 0.2).to(device).requires_grad_(true), w = varied({9, 5}, 1.1).to(device);
    YatOptions o;
    o.epsilon = 0.1;
    const Tensor y = yat(x, w, o);
    const Tensor g = torch::autograd::grad({(y * y).sum()}, {x}, {}, true, true)[0];
    return torch::autograd::grad({g.square().sum()}, {x})[0].detach().cpu();
  };
  const Tensor right = second(c10::Device(at::kCPU));
  for (const auto& device : tested_devices()) {
    INFO(device);
    CHECK(worst(second(device), right) <= 1e-9);
  }
}

TEST_CASE("rows whose norm overflows float do not score 0 on a device", "[guarded][kernels]") {
  const Tensor x = at::full({3, 4}, 1e20, at::kFloat), w = varied({5, 4}, 1.1).to(at::kFloat);
  for (const auto& device : tested_devices()) {
    INFO(device);
    const Tensor y = yat(x.to(device), w.to(device)).cpu();
    CHECK((y == 0).sum().item<std::int64_t>() == 0);
  }
}

TEST_CASE("causal softmax on a device agrees with double precision", "[guarded][kernels]") {
  struct Shape {
    std::vector<std::int64_t> sizes;
    std::int64_t first;
  };
  for (const auto& a : {Accuracy{at::kDouble, 1e-12, 1e-11}, {at::kFloat, 2e-6, 1e-5}, {at::kBFloat16, 0.01, 0.02}}) {
    for (const auto& shape : {Shape{{3, 150, 150}, 0}, {{2, 3, 260, 260}, 0}, {{2, 7, 13}, 3}, {{1, 1, 1}, 0}, {{2, 40, 128}, 88}}) {
      const Tensor scores = (varied(shape.sizes, 0.2) * 5).to(a.type), grad = varied(shape.sizes, 1.7).to(a.type);
      const double factor = 0.6;
      const Tensor right = general_causal_softmax(scores.to(at::kDouble), factor, shape.first);
      for (const auto& device : tested_devices()) {
        INFO(device << ", " << c10::toString(a.type) << ", " << shape.sizes);
        const Tensor y = causal_softmax_forward(scores.to(device), factor, shape.first);
        CHECK(worst(y, right) <= a.value);
        const Tensor d = causal_softmax_backward(grad.to(device), y, factor, shape.first);
        const Tensor own = y.cpu().to(at::kDouble);  // the stored, rounded weights
        CHECK(worst(d, general_causal_softmax_backward(grad.to(at::kDouble), own, factor, shape.first)) <= a.gradient);
      }
    }
  }
}

}  // namespace yatlab::testing

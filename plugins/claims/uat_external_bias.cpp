#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/measure/claim.h"
#include "core/verdict/statistics.h"
#include "plugins/claims/gram.h"

namespace yatlab {
namespace {

using namespace claims::kernels;

struct Target {
  const char* name;
  Tensor (*f)(const Tensor& x);  // [P, d] -> [P], values of about 1
};

const std::vector<Target>& targets(std::int64_t d) {
  static const std::vector<Target> line = {
      {"|x|", [](const Tensor& x) { return x.select(1, 0).abs(); }},
      {"tanh(8x)", [](const Tensor& x) { return (8 * x.select(1, 0)).tanh(); }},
      {"sin(3 pi x)", [](const Tensor& x) { return (3 * M_PI * x.select(1, 0)).sin(); }},
      {"1", [](const Tensor& x) { return at::ones({x.size(0)}, x.options()); }},
  };
  static const std::vector<Target> space = {
      {"max(x1, x2)", [](const Tensor& x) { return at::maximum(x.select(1, 0), x.select(1, 1)); }},
      {"sin(2 x1) sin(2 x2)", [](const Tensor& x) { return (2 * x.select(1, 0)).sin() * (2 * x.select(1, 1)).sin(); }},
      {"exp(-3|x|^2)", [](const Tensor& x) { return (-3 * x.square().sum(1)).exp(); }},
      {"-1 + x1", [](const Tensor& x) { return x.select(1, 0) - 1; }},
  };
  return d == 1 ? line : space;
}

/// All points of a regular grid on [-1, 1]^d: [m^d, d].
Tensor grid(std::int64_t m, std::int64_t d) {
  const Tensor axis = at::linspace(-1, 1, m, at::kDouble);
  const std::vector<Tensor> axes(static_cast<std::size_t>(d), axis);
  std::vector<Tensor> columns;
  for (const auto& c : at::meshgrid(axes, "ij")) columns.push_back(c.reshape({-1}));
  return at::stack(columns, 1);
}

/// The span of the units with an inner bias is dense in C(X).
class UatExternalBias final : public Claim {
 public:
  struct Params {
    double second_derivative = 2;
    static void declare(Fields& f, Params& p) {
      f.field("second_derivative", p.second_derivative, "d^2 g / db^2 over the inverse quadratic kernel, as printed");
    }
  };
  explicit UatExternalBias(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    identity(context, evidence);
    double slowest = 0, largest = 0;
    std::string slowest_at, largest_at;
    const std::int64_t widest = context.scaled(512, 128);
    const std::vector<double> all = {0.1, 1.0};
    const std::vector<double> epsilons(all.begin(), all.begin() + context.scaled(2, 1));
    for (const std::int64_t d : {1, 2, 3}) {
      for (const double epsilon : epsilons) {
        context.tick(0.1 + 0.25 * static_cast<double>(d), fmt::format("read-outs, d = {}", d));
        const auto errors = curve(context, d, epsilon, widest);
        for (std::size_t t = 0; t < targets(d).size(); ++t) {
          const std::string name = fmt::format("{} in d = {}, eps = {:g}", targets(d)[t].name, d, epsilon);
          const double ratio = errors.back()[t] / errors.front()[t];
          if (ratio > slowest) slowest = ratio, slowest_at = name;
          if (errors.back()[t] > largest) largest = errors.back()[t], largest_at = name;
          std::string trace;
          for (const auto& e : errors) trace += fmt::format("{}{:.2g}", trace.empty() ? "" : ", ", e[t]);
          if (epsilon == 0.1) evidence.note("sup error, widths " + widths_text(widest), errors.back()[t], name + ": " + trace);
        }
      }
    }
    evidence.at_most(Role::kCore, fmt::format("sup error at {} units / at 4, slowest target", widest), slowest, 0, 0.3, slowest_at);
    evidence.at_most(Role::kCore, fmt::format("sup error at {} units, hardest target", widest), largest, 0, 0.35, largest_at);
    without_bias(context, evidence, widest);
    evidence.set("epsilons", epsilons.size());
    evidence.set("widths", widths_text(widest));
  }

 private:
  static std::vector<std::int64_t> widths(std::int64_t widest) {
    std::vector<std::int64_t> out;
    for (const std::int64_t n : {4, 16, 64, 128, 256, 512}) {
      if (n <= widest) out.push_back(n);
    }
    return out;
  }
  static std::string widths_text(std::int64_t widest) { return fmt::format("4, 16, ..., {}", widths(widest).back()); }

  void identity(const ClaimContext& context, Evidence& evidence) const {
    auto g = generator_of(context.seed);
    double worst = 0;
    std::string where;
    for (const double epsilon : {1e-3, 0.1, 10.0}) {
      const auto op = context.op.with_epsilon(epsilon);
      for (const std::int64_t d : {1, 2, 16}) {
        for (const double h : {0.01, 0.5, 10.0}) {
          const std::int64_t n = 12;
          const Tensor x = normals({context.scaled(100, 20), d}, g), w = normals({n, d}, g), b = normals({n}, g);
          const Tensor up = op->scores(x, w, b + h), mid = op->scores(x, w, b), down = op->scores(x, w, b - h);
          const Tensor apart = (x.unsqueeze(1) - w.unsqueeze(0)).square().sum(2);
          const Tensor kernel = p_.second_derivative / (epsilon + apart);
          const Tensor size = (up.abs() + 2 * mid.abs() + down.abs()) / (h * h) + kernel;
          const double gap = (((up - 2 * mid + down) / (h * h) - kernel).abs() / size).max().item<double>();
          if (gap >= worst) worst = gap, where = fmt::format("d = {}, h = {}, eps = {:g}", d, h, epsilon);
        }
      }
    }
    evidence.at_most(Role::kCore, "three terms against 2 / (eps + |x - w|^2): largest difference, relative to the terms", worst, 0, 1e-10,
                     where + "; d = 1, 2, 16, h = 0.01..10");
  }

  /// Weights in and around the domain; biases of all sizes, so that the numerators differ.
  static std::pair<Tensor, Tensor> units(std::int64_t n, std::int64_t d, const at::Generator& g) {
    return {1.3 * (2 * uniforms({n, d}, g) - 1), 2 * normals({n}, g)};
  }
  /// The sup error of the readout per target, on points not used in the fit. a: [P, n] -> [T]
  static std::vector<double> fit(const Tensor& features, const Tensor& wanted, const Tensor& test_features, const Tensor& test) {
    const Tensor norms = features.norm(2, 0, true).clamp_min(1e-300);
    const Tensor solution = std::get<0>(at::linalg_lstsq(features / norms, wanted, 1e-12, "gelsy"));
    const Tensor error = (at::matmul(test_features / norms, solution) - test).abs().amax(0);
    std::vector<double> out;
    for (std::int64_t t = 0; t < error.numel(); ++t) out.push_back(error[t].item<double>());
    return out;
  }
  static Tensor wanted(const Tensor& x) {
    std::vector<Tensor> columns;
    for (const auto& t : targets(x.size(1))) columns.push_back(t.f(x));
    return at::stack(columns, 1);
  }
  static Tensor fit_points(std::int64_t d) { return grid(d == 1 ? 601 : d == 2 ? 37 : 11, d); }
  static Tensor test_points(std::int64_t d) { return grid(d == 1 ? 1741 : d == 2 ? 67 : 19, d); }

  std::vector<std::vector<double>> curve(const ClaimContext& context, std::int64_t d, double epsilon, std::int64_t widest) const {
    const auto op = context.op.with_epsilon(epsilon);
    auto g = generator_of(context.seed + static_cast<std::uint64_t>(d));
    const auto [w, b] = units(widest, d, g);
    const Tensor x = fit_points(d), t = test_points(d);
    const Tensor a = op->scores(x, w, b), at_test = op->scores(t, w, b);
    const Tensor y = wanted(x), y_test = wanted(t);
    std::vector<std::vector<double>> out;
    for (const auto n : widths(widest)) {
      auto errors = fit(a.slice(1, 0, n), y, at_test.slice(1, 0, n), y_test);
      // The spans are nested, so more units reach any error that fewer reach, whatever least squares returns.
      for (std::size_t i = 0; !out.empty() && i < errors.size(); ++i) errors[i] = std::min(errors[i], out.back()[i]);
      out.push_back(std::move(errors));
    }
    return out;
  }

  void without_bias(const ClaimContext& context, Evidence& evidence, std::int64_t widest) const {
    const auto op = context.op.with_epsilon(0.1);
    auto g = generator_of(context.seed + 9);
    const Tensor w = units(widest, 1, g).first;
    const Tensor x = fit_points(1), t = test_points(1);  // both contain 0
    const auto one = [](const Tensor& p) { return at::ones({p.size(0), 1}, at::kDouble); };
    const double error = fit(op->scores(x, w), one(x), op->scores(t, w), one(t))[0];
    evidence.note("sup error for f = 1 without a bias, as in the paper's language models", error,
                  fmt::format("{} units, [-1, 1], eps = 0.1", widest));
    evidence.set("units", widest);
    evidence.set("without", error);
    const auto sharp = context.op.with_epsilon(1e-5);
    const auto drawn = units(widest, 1, g);
    const Tensor &far = drawn.first, &b = drawn.second;  // C++17 does not let a lambda capture structured bindings
    const Tensor outside = far + 1.5 * far.sign();
    evidence.note(
        "sup error for all four targets, d = 1, weights outside the domain, eps = 1e-5",
        [&] {
          const auto e = fit(sharp->scores(x, outside, b), wanted(x), sharp->scores(t, outside, b), wanted(t));
          return *std::max_element(e.begin(), e.end());
        }(),
        "units on the domain are needles of width sqrt(eps) then; those outside are smooth, but nearly dependent");
  }

  Params p_;
};

YATLAB_REGISTER(Claim, UatExternalBias, "thm:uat-external-bias");

}  // namespace
}  // namespace yatlab

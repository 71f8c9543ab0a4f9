#include "core/verdict/statistics.h"
#include "plugins/claims/boundary.h"

namespace yatlab {
namespace {

using namespace claims;

class DecisionBoundary final : public Claim {
 public:
  struct Params {
    std::int64_t degree = 4;
    static void declare(Fields& f, Params& p) { f.field("degree", p.degree, "degree of the surface in x, as printed").range(1, 6); }
  };
  explicit DecisionBoundary(const Params& p) : p_(p) {}

  void check(const ClaimContext& c, Evidence& e) const override {
    auto g = generator(c.seed);
    const std::int64_t order = p_.degree;
    Expansion found;
    double done = 0;
    for (const double epsilon : {1e-3, 0.1, 1.0, 10.0}) {
      for (const std::int64_t d : {2, 3, 8}) {
        expand(c, epsilon, d, g, found);
        c.tick(++done / 13, "expanding the polynomial");
      }
    }
    e.part("equation");
    e.at_most(Role::kCore, "largest relative difference of (E_i - E_j) D_i D_j from the printed polynomial", found.off, 0, 1e-9,
              found.where);
    e.part("quartic");
    e.at_most(Role::kCore, fmt::format("largest relative difference of order {} along lines", order + 1), found.above, 0, 1e-8);
    e.at_least(Role::kCore, fmt::format("typical relative difference of order {} along lines", order), found.leading, 1e-4, 0,
               found.where_leading);
    if (order == 4) {
      e.at_most(Role::kCorrected, "quartic part, relative to |x|^2 <w_i - w_j, x><w_i + w_j, x>", found.formula, 0, 1e-8);
    }

    const auto op = c.op.with_epsilon(1);
    const int crossings = sign_changes(*op, row({1, 0}), row({0.5, 1}), 1e-3);
    e.part("smooth");
    e.at_most(Role::kCore, "sign changes of E_i - E_j on a small circle around 0 (at most 2 for a smooth curve)", crossings, 2, 0,
              "w_i = (1, 0), w_j = (0.5, 1), eps = 1, radius 1e-3");
    e.at_most(Role::kCorrected, "largest gradient of the polynomial where <w_i, x> = <w_j, x> = 0 (singular points)", found.singular, 0,
              1e-10);
    measure_shift(*op, e);
    measure_plane(*op, g, e);
    e.set("crossings", crossings);
    e.counterexample_stands(crossings > 2);
    e.set("triples", c.scaled(1024, 64));
  }

 private:
  /// Results over all dimensions and epsilons: maxima of relative differences; `leading` is a minimum.
  struct Expansion {
    double off = 0;          ///< between the product and the printed polynomial
    double above = 0;        ///< differences of the order above the degree
    double leading = 1e300;  ///< differences of the order of the degree, typical size
    double formula = 0;      ///< between the quartic part and its formula
    double singular = 0;     ///< gradients where both products vanish
    std::string where, where_leading;
  };

  void expand(const ClaimContext& c, double epsilon, std::int64_t d, at::Generator& g, Expansion& out) const {
    const std::int64_t order = p_.degree;
    const auto op = c.op.with_epsilon(epsilon);
    const std::int64_t n = c.scaled(1024, 64);
    const Tensor wi = normal({n, d}, g), wj = normal({n, d}, g), x = normal({n, d}, g), v = directions(n, d, g);
    const auto product = [&](const Tensor& p) { return boundary_polynomial(*op, p, wi, wj, epsilon); };
    const Tensor si = (wi * x).sum(-1), sj = (wj * x).sum(-1);
    const Tensor Di = (wi - x).square().sum(-1) + epsilon, Dj = (wj - x).square().sum(-1) + epsilon;
    const double gap =
        ((product(x) - (si.square() * Dj - sj.square() * Di)).abs() / (si.square() * Dj + sj.square() * Di)).max().item<double>();
    if (!(gap <= out.off)) {
      out.off = gap;
      out.where = fmt::format("d = {}, eps = {:g}", d, epsilon);
    }
    // Differences of the orders `degree` and `degree + 1` with step 1 along a line.
    std::vector<Tensor> values;
    Tensor size;
    for (std::int64_t t = 0; t <= order + 1; ++t) {
      values.push_back(product(x + (static_cast<double>(t) - 0.5 * static_cast<double>(order + 1)) * v));
      size = t ? at::maximum(size, values.back().abs()) : values.back().abs();
    }
    const Tensor highest = differences(values, order);
    out.above = std::max(out.above, (differences(values, order + 1).abs() / size).max().item<double>());
    const double typical = (highest.abs() / size).median().item<double>();
    if (!(typical >= out.leading)) {
      out.leading = typical;
      out.where_leading = fmt::format("d = {}, eps = {:g}, median of {} lines", d, epsilon, n);
    }
    if (order == 4) {
      const Tensor expected = 24 * ((wi * v).sum(-1).square() - (wj * v).sum(-1).square());
      out.formula = std::max(out.formula, ((highest - expected).abs() / size).max().item<double>());
    }
    // A point where both products vanish: orthogonal to both prototypes (the origin when d = 2).
    Tensor p = normal({n, d}, g);
    const Tensor a = unit(wi), b = unit(wj - (wj * a).sum(-1, true) * a);
    for (int again = 0; again < 2; ++again) p = p - (p * a).sum(-1, true) * a - (p * b).sum(-1, true) * b;
    const Tensor slope = norms(boundary_gradient(*op, p, wi, wj, epsilon)) / (wi.square().sum(-1) + wj.square().sum(-1) + epsilon).square();
    out.singular = std::max(out.singular, slope.max().item<double>());
  }

  /// The first difference of order k.
  static Tensor differences(std::vector<Tensor> y, std::int64_t k) {
    for (; k > 0; --k) {
      for (std::size_t i = 0; i + 1 < y.size(); ++i) y[i] = y[i + 1] - y[i];
      y.pop_back();
    }
    return y[0];
  }

  // w_i = (1, 0), w_j = (-1, delta): for delta = 0 the surface is the plane x_1 = 0. For delta > 0 another sheet of it is at x_1 ~ sqrt(delta (1 +
  // x_2^2 + 1)/2) on the line x_2 = -1.
  static void measure_shift(const Operator& op, Evidence& e) {
    std::vector<double> shifts, moved;
    for (double delta = 1e-6; delta < 2e-3; delta *= 10) {
      const Tensor wj = row({-1, delta});
      const auto at = [&](double x1) { return (paired(op, row({x1, -1}), row({1, 0})) - paired(op, row({x1, -1}), wj)).item<double>(); };
      double low = 0.5 * std::sqrt(delta), high = 1;
      if (!(at(low) < 0 && at(high) > 0)) continue;
      for (int i = 0; i < 60; ++i) (at(0.5 * (low + high)) < 0 ? low : high) = 0.5 * (low + high);
      shifts.push_back(delta);
      moved.push_back(low);
    }
    if (shifts.size() >= 3) {
      const double exponent = fit_power_law(shifts, moved).slope;
      e.part("Lipschitz in its parameters");
      e.at_least(Role::kCore, "exponent of the surface's shift in the shift of w_j (1 if Lipschitz in its parameters)", exponent, 1, 0.05,
                 fmt::format("w_i = (1, 0), w_j = (-1, delta), eps = 1, x_2 = -1: delta = 1e-4 moves x_1 from 0 to {:.3g}", moved[2]));
    }
  }

  /// Equal norms: the surface contains the bisecting plane.
  static void measure_plane(const Operator& op, at::Generator& g, Evidence& e) {
    const Tensor u = directions(64, 3, g), mirrored = directions(64, 3, g);
    Tensor on = normal({64, 3}, g);
    const Tensor across = unit(u - mirrored);
    on = on - (on * across).sum(-1, true) * across;
    e.note("equal norms: largest |E_i - E_j| on the plane <w_i - w_j, x> = 0, which is a factor of the polynomial",
           (paired(op, on, u) - paired(op, on, mirrored)).abs().max().item<double>());
  }

  Params p_;
};

YATLAB_REGISTER(Claim, DecisionBoundary, "thm:decision-boundary");

}  // namespace
}  // namespace yatlab

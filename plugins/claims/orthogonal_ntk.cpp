#include <algorithm>

#include "core/verdict/statistics.h"
#include "plugins/claims/ntk.h"

namespace yatlab {
namespace {

using namespace claims::tangent;

/// E over the unit sphere of (u.x)^2 (u.y)^2, by Stroud's cubature of degree 5: exact for this integrand.
double sphere_moment(const Tensor& x, const Tensor& y) {
  const std::int64_t d = x.numel();
  const auto n = static_cast<double>(d);
  const double* a = x.data_ptr<double>();
  const double* b = y.data_ptr<double>();
  double axes = 0, diagonals = 0;
  for (std::int64_t i = 0; i < d; ++i) {
    axes += 2 * a[i] * a[i] * b[i] * b[i];
    for (std::int64_t j = 0; j < i; ++j) {
      for (const int sign : {1, -1}) {
        const double u = a[i] + sign * a[j], v = b[i] + sign * b[j];
        diagonals += 2 * u * u * v * v / 4;
      }
    }
  }
  return axes * (4 - n) / (2 * n * (n + 2)) + diagonals / (n * (n + 2));
}

/// The claim: the tangent kernel at 90 degrees vanishes relative to |x|^2 |x'|^2, for isotropic weights.
class OrthogonalNtk final : public Claim {
 public:
  struct Params {
    double relative_exponent = -2;
    double numerator_factor = 2;
    static void declare(Fields& f, Params& p) {
      f.field("relative_exponent", p.relative_exponent,
              "power of d with which, in the proof, T1 at 90 degrees falls relative to the aligned case");
      f.field("numerator_factor", p.numerator_factor, "c in E[(u.x)^2 (u.x')^2] = (|x|^2|x'|^2 + c (x.x')^2) / (d(d + 2))");
    }
  };
  explicit OrthogonalNtk(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    const std::vector<std::int64_t> dims = context.effort >= 0.5 ? std::vector<std::int64_t>{2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}
                                                                 : std::vector<std::int64_t>{2, 8, 64, 1024};
    const std::int64_t samples = context.scaled(200000, 6000);
    const auto units = operator_units(context.op.with_epsilon(1));
    double away = 0, largest = 0;
    std::string away_where, largest_where;
    std::vector<double> d_values, t1_share, t2_share, scaled_share;
    Number circle;
    double circle_aligned = 0;
    double last_normal = 0, last_wide = 0;
    double done = 0;
    for (const Start start : kStarts) {
      for (const std::int64_t d : dims) {
        const auto k = at_angles(units, {0, M_PI / 2}, start, d, samples, context.seed);
        const auto right = entry(k.total, 0, 1), aligned = entry(k.total, 0, 0);
        const auto t1 = entry(k.features, 0, 1), t1_aligned = entry(k.features, 0, 0);
        const auto t2 = entry(k.gradients, 0, 1), t2_aligned = entry(k.gradients, 0, 0);
        if (start == Start::kSphere && d == 2) {
          circle = right;
          circle_aligned = aligned.value;
        }
        const double sigmas = std::abs(right.value) / std::max(right.error, 1e-300);
        const auto where = fmt::format("{}, d = {}, eps = 1, |x| = |x'| = 1: K(90°) = {:.4g} +- {:.1g}, K(0°) = {:.4g}", to_string(start),
                                       d, right.value, right.error, aligned.value);
        if (right.error > 0 && sigmas > away) {
          away = sigmas;
          away_where = where;
        }
        if (std::abs(right.value) / aligned.value > largest) {
          largest = std::abs(right.value) / aligned.value;
          largest_where = where;
        }
        if (start == Start::kNormal) {
          d_values.push_back(static_cast<double>(d));
          t1_share.push_back(t1.value / t1_aligned.value);
          t2_share.push_back(std::abs(t2.value) / t2_aligned.value);
          last_normal = right.value / aligned.value;
        }
        if (start == Start::kWideNormal) last_wide = right.value / aligned.value;
        if (start == Start::kScaledNormal) scaled_share.push_back(std::max(std::abs(right.value) / aligned.value, 1e-12));
        context.tick(++done / (4 * static_cast<double>(dims.size())), "expectations over w");
      }
    }
    // A true value of 0 is within 5 standard errors.
    evidence.at_most(Role::kCore, "|K| at exactly 90 degrees, in its standard errors (0 as the angle tends to 90 degrees)", away, 0, 5,
                     away_where);
    moment(context, evidence);
    const auto range = fmt::format("d = {} .. {}, w ~ N(0, I), eps = 1", dims.front(), dims.back());
    // The exponent is for large d.
    const std::size_t tail = t1_share.size() / 2;
    const auto slope = [&](const std::vector<double>& y) {
      const std::vector<double> xs(d_values.begin() + static_cast<std::ptrdiff_t>(tail), d_values.end());
      std::vector<double> ys(y.begin() + static_cast<std::ptrdiff_t>(tail), y.end());
      for (double& v : ys) v = std::max(v, 1e-12);
      return fit_power_law(xs, ys).slope;
    };
    evidence.at_most(Role::kDetail, "power of d with which T1(90°) / T1(0°) falls", slope(t1_share), p_.relative_exponent, 0.3, range);
    evidence.at_most(Role::kDetail, "power of d with which |T2(90°)| / T2(0°) falls (\"vanish or become O(1/d)\")", slope(t2_share), -1,
                     0.3, range);
    evidence.at_most(Role::kReading, "largest |K(90°)| / K(0°): \"strong decay\"", largest, 0.1, 0, largest_where);
    evidence.equals(Role::kCorrected, "T1(90°) / T1(0°) in the highest dimension", t1_share.back(), 1.0 / 3, 0.05, range);
    evidence.equals(Role::kCorrected, "K(90°) / K(0°) in the highest dimension, against 1 / (3 + 4/σ²), σ = 1", last_normal, 1.0 / 7, 0.03,
                    range);
    evidence.equals(Role::kCorrected, "the same, w ~ N(0, 9 I): σ = 3", last_wide, 9.0 / 31, 0.03, "eps = 1");
    evidence.at_most(Role::kCorrected, "power of d with which |K(90°)| / K(0°) falls when w ~ N(0, I/d)", slope(scaled_share), -1, 0.3,
                     "eps = 1");
    evidence.set("lowest", dims.front());
    evidence.set("highest", dims.back());
    evidence.set("samples", samples);
    evidence.set("right", fmt::format("{:.3g} +- {:.1g}", circle.value, circle.error));
    evidence.set("aligned", circle_aligned);
    evidence.counterexample_stands(std::abs(circle.value) > 5 * circle.error);
  }

 private:
  void moment(const ClaimContext& context, Evidence& evidence) const {
    auto g = generator_of(context.seed);
    double worst = 0;
    for (const std::int64_t d : {2, 3, 5, 17, 64}) {
      for (int trial = 0; trial < 4; ++trial) {
        Tensor x = normals({d}, g), y = normals({d}, g);
        if (trial == 0) y = x.clone();
        if (trial == 1) y = y - x * ((x * y).sum() / (x * x).sum());
        const double xx = (x * x).sum().item<double>(), yy = (y * y).sum().item<double>(), xy = (x * y).sum().item<double>();
        const double printed = (xx * yy + p_.numerator_factor * xy * xy) / static_cast<double>(d * (d + 2));
        worst = std::max(worst, std::abs(sphere_moment(x, y) / printed - 1));
      }
    }
    evidence.at_most(Role::kDetail, "relative error of E[(u.x)^2 (u.x')^2] as printed", worst, 0, 1e-10,
                     "d = 2 .. 64, by cubature of degree 5");
  }

  Params p_;
};

YATLAB_REGISTER(Claim, OrthogonalNtk, "thm:orthogonal-ntk");

}  // namespace
}  // namespace yatlab

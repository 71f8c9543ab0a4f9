#include <algorithm>

#include "core/verdict/statistics.h"
#include "plugins/claims/ntk.h"

namespace yatlab {
namespace {

using namespace claims::tangent;

struct Place {
  const char* name;
  Domain domain;
  std::int64_t d;
};
constexpr Place kPlaces[] = {{"[-1, 1]", Domain::kCube, 1},         {"the square", Domain::kCube, 2},
                             {"the cube, d = 3", Domain::kCube, 3}, {"the cube, d = 5", Domain::kCube, 5},
                             {"the circle", Domain::kSphere, 2},    {"the sphere, d = 3", Domain::kSphere, 3},
                             {"the ball, d = 3", Domain::kBall, 3}};

/// Eigenvalues of the ReLU kernel on S^2 for spherical harmonics of even degree l (those of odd degree > 1 are 0):
/// the integral of k(cos t) P_l(cos t) sin t / 2 over t.
void relu_on_sphere(std::vector<double>& degree, std::vector<double>& value) {
  constexpr std::int64_t kSteps = 40000;
  const Tensor t = (at::arange(kSteps, at::kDouble) + 0.5) * (M_PI / kSteps);
  const Tensor c = t.cos(), k = (t.sin() + 2 * (M_PI - t) * c) / (2 * M_PI), weight = k * t.sin() * (0.5 * M_PI / kSteps);
  Tensor before = at::ones_like(c), p = c.clone();
  for (int l = 1; l < 120; ++l) {
    const Tensor next = ((2 * l + 1) * c * p - l * before) / (l + 1);
    before = p;
    p = next;
    if (l % 2 == 0 || l < 29) continue;  // p is of degree l + 1
    degree.push_back(l + 1);
    value.push_back(std::abs((weight * p).sum().item<double>()));
  }
}

/// The decay rate of the eigenvalues of tangent kernels.
class NtkSpectrum final : public Claim {
 public:
  struct Params {
    double exponent = 2, relu_exponent = 1;
    static void declare(Fields& f, Params& p) {
      f.field("exponent", p.exponent, "c in λ_k = O(k^(-c/d)) for the product");
      f.field("relu_exponent", p.relu_exponent, "c in k^(-c/d) for ReLU");
    }
  };
  explicit NtkSpectrum(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    const std::int64_t n = context.scaled(400, 120), draws = context.scaled(2000, 400);
    const auto units = operator_units(context.op.with_epsilon(1));
    double slack = 1e300, lead = 1e300, gauss_off = 0, relu_off = 0, steepening = 1e300;
    std::string slack_where, lead_where, gauss_where, relu_where, steep_where;
    double done = 0;
    for (const auto& place : kPlaces) {
      auto g = generator_of(context.seed + static_cast<std::uint64_t>(place.d));
      const auto dim = static_cast<double>(place.d);
      const Tensor x = domain_points(place.domain, n, place.d);
      const auto spectrum = kernel_spectrum(expected_ntk(
                                                units, x,
                                                [&](std::int64_t c) {
                                                  return normals({c, place.d}, g);
                                                },
                                                std::max<std::int64_t>(2, draws / 250), 250)
                                                .total.mean);
      const std::int64_t first_rank = place.d == 1 ? 3 : 8;
      const auto usable = std::count_if(spectrum.begin() + (first_rank - 1), spectrum.begin() + n / 5,
                                        [&](double value) { return value > 1e-11 * spectrum.front(); });
      if (usable < 3) {  // for example cosine on a line
        evidence.note(fmt::format("fitted exponent on {}", place.name), std::numeric_limits<double>::infinity(), "of finite rank");
        continue;
      }
      // A constant input acts as bias; without it the ReLU kernel has rank two in d = 1.
      const Tensor biased = at::cat({x, at::ones({n, 1}, at::kDouble)}, 1);
      const auto relu = kernel_spectrum(relu_ntk(biased, biased, {}));
      const auto gauss = kernel_spectrum(at::exp(-0.5 * at::cdist(x, x).square()));
      const auto fit = [&](const std::vector<double>& s) { return fit_decay(s, first_rank, n / 5); };
      const auto of_op = fit(spectrum), of_relu = fit(relu), of_gauss = fit(gauss);
      const double claimed = p_.exponent / dim, claimed_relu = p_.relu_exponent / dim;
      const auto text = fmt::format("{}: operator k^-{:.2f}, ReLU k^-{:.2f}, Gaussian k^-{:.2f}; claimed {:.2f}, {:.2f}, {:.2f}",
                                    place.name, of_op.exponent, of_relu.exponent, of_gauss.exponent, claimed, claimed_relu, claimed);
      evidence.note(fmt::format("fitted exponent on {}", place.name), of_op.exponent, text);
      const auto hold = [&](double value, double& worst, std::string& where, bool largest) {
        if (largest ? value > worst : value < worst) {
          worst = value;
          where = text;
        }
      };
      hold(of_op.exponent - claimed, slack, slack_where, false);
      // In d = 5 a few hundred points reach harmonics of degree 2 or 3: too few for a comparison of rates.
      if (place.d <= 3) hold(of_op.exponent - of_relu.exponent, lead, lead_where, false);
      hold(std::abs(of_gauss.exponent - claimed), gauss_off, gauss_where, true);
      hold(std::abs(of_relu.exponent - claimed_relu), relu_off, relu_where, true);
      // A power law is a straight line in log-log; a faster decay gets steeper.
      const auto middle = std::max<std::int64_t>(12, (of_op.last + 8) / 2);
      if (of_op.last > middle + 3) {
        hold(fit_decay(spectrum, middle, of_op.last).exponent - fit_decay(spectrum, 4, middle).exponent, steepening, steep_where, false);
      }
      context.tick(++done / 7, place.name);
    }
    evidence.counterexample_stands(!gauss_where.empty());
    if (!slack_where.empty())
      evidence.at_least(Role::kCore, "fitted exponent of the product minus the claimed 2/d, smallest", slack, 0, 0.1, slack_where);
    if (!lead_where.empty())
      evidence.at_least(Role::kCore, "exponent of the product minus that of ReLU, smallest (d <= 3)", lead, 0, 0, lead_where);
    evidence.at_most(Role::kDetail, "\"matches the Gaussian kernel\": |Gaussian's exponent - 2/d|, largest", gauss_off, 0, 0.3,
                     gauss_where);
    evidence.at_most(Role::kDetail, "ReLU: |exponent - 1/d|, largest", relu_off, 0, 0.3, relu_where);
    evidence.at_least(Role::kReading, "claimed exponent in d = 3; every continuous kernel on a compact domain has λ_k = o(1/k)",
                      p_.exponent / 3, 1, 0, "Mercer: the λ_k fall and have a finite sum");
    evidence.at_least(Role::kCorrected,
                      "the product: exponent over later ranks minus that over earlier ones, smallest (faster than any power)", steepening,
                      0, 0, steep_where);
    std::vector<double> degree, value;
    relu_on_sphere(degree, value);
    evidence.equals(Role::kCorrected, "ReLU on the sphere S²: exponent in k, half of that in the degree, d/(d - 1) = 3/2",
                    -fit_power_law(degree, value).slope / 2, 1.5, 0.02, "degrees 30 .. 120, by quadrature");
    evidence.set("gauss", gauss_where);
    evidence.set("relu", relu_where);
    evidence.set("points", n);
    evidence.set("draws", draws);
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, NtkSpectrum, "prop:ntk-spectrum");

}  // namespace
}  // namespace yatlab

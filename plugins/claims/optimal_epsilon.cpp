#include <limits>

#include "core/verdict/statistics.h"
#include "plugins/claims/geometry.h"

namespace yatlab {
namespace {

using namespace claims;

/// How a prototype and the clean input lie to each other.
struct Layout {
  const char* name;
  bool independent;  ///< else x = w + offset
  double offset;     ///< |x - w| / |w|, across w
};

struct Ratios {
  double spread, error;  ///< |mean|^2 / trace of the covariance, |clean|^2 / mean squared error
};

Ratios signal_to_noise(const Tensor& noisy, const Tensor& clean) {
  const Tensor mean = noisy.mean(0, true);
  const double spread = (noisy - mean).square().sum(-1).mean().item<double>();
  const double error = (noisy - clean).square().sum(-1).mean().item<double>();
  return {mean.square().sum().item<double>() / spread, clean.square().sum().item<double>() / error};
}

class OptimalEpsilon final : public Claim {
 public:
  struct Params {
    double exponent = 1;
    static void declare(Fields& f, Params& p) { f.field("exponent", p.exponent, "exponent of σ² (and of d) in the optimal ε, as printed"); }
  };
  explicit OptimalEpsilon(const Params& p) : p_(p) {}

  void check(const ClaimContext& c, Evidence& e) const override {
    const std::vector<Layout> layouts{{"x = w", false, 0}, {"|x - w| = |w|/2", false, 0.5}, {"x, w independent", true, 0}};
    const std::vector<double> sigmas{0.03, 0.12, 0.5};
    const std::vector<std::int64_t> dims{4, 16, 64, 256};
    const char* const names[2][2] = {{"grad_x, variance", "grad_x, squared error"}, {"grad_w, variance", "grad_w, squared error"}};
    const std::int64_t n = c.scaled(800, 300);
    const double step = 0.5;
    auto g = generator(c.seed);
    std::int64_t cases = 0, interior = 0;
    double best_exponent = std::numeric_limits<double>::quiet_NaN(), smallest_loss = 1e300;
    std::string where_exponent, where_loss;
    double done = 0;
    for (const auto& layout : layouts) {
      // [gradient][definition]: log sigma^2 and log optimum, each less its mean over the sigmas of the same d.
      std::vector<double> noise[2][2], optimum[2][2];
      for (const std::int64_t d : dims) {
        std::vector<double> noise_here[2][2], optimum_here[2][2];
        for (const double sigma : sigmas) {
          const Tensor w = directions(1, d, g);
          Tensor side = directions(1, d, g);
          if (!layout.independent) side = unit(side - (side * w).sum(-1, true) * w) * layout.offset;
          const Tensor x = layout.independent ? side : w + side;
          const Tensor noisy = x + sigma * normal({n, d}, g);
          const double floor = static_cast<double>(d) * sigma * sigma;
          double best[2][2] = {{-1, -1}, {-1, -1}}, where[2][2] = {}, last[2][2] = {}, at_floor[2][2] = {};
          for (double power = -4; power <= 6 + 1e-9; power += step) {
            const auto op = c.op.with_epsilon(floor * std::pow(10.0, power));
            for (int which = 0; which < 2; ++which) {
              const auto slope = [&](const Tensor& points) {
                const Tensor all = w.expand_as(points);
                return which ? gradient_in_w(*op, points, all) : gradient(*op, points, all);
              };
              const auto r = signal_to_noise(slope(noisy), slope(x));
              const double values[2] = {r.spread, r.error};
              for (int k = 0; k < 2; ++k) {
                if (values[k] > best[which][k] * (1 + 1e-9)) {
                  best[which][k] = values[k];
                  where[which][k] = power;
                }
                last[which][k] = values[k];
                if (std::abs(power) < 1e-9) at_floor[which][k] = values[k];
              }
            }
          }
          for (int which = 0; which < 2; ++which) {
            for (int k = 0; k < 2; ++k) {
              ++cases;
              // A maximum of its own: clearly above what ever larger epsilon give.
              if (where[which][k] < 5.9 && where[which][k] > -3.9 && best[which][k] > 1.03 * last[which][k]) {
                ++interior;
                noise_here[which][k].push_back(std::log(sigma * sigma));
                optimum_here[which][k].push_back(std::log(floor) + where[which][k] * std::log(10.0));
              }
              const double loss = best[which][k] / at_floor[which][k];
              if (loss < smallest_loss) {
                smallest_loss = loss;
                where_loss = fmt::format("{}; {}; d = {}, sigma = {:g}", layout.name, names[which][k], d, sigma);
              }
            }
          }
          c.tick(++done / 37, "measuring gradient noise");
        }
        for (int which = 0; which < 2; ++which) {
          for (int k = 0; k < 2; ++k) {
            const double middle = mean(noise_here[which][k]), level = mean(optimum_here[which][k]);
            for (std::size_t i = 0; i < noise_here[which][k].size() && noise_here[which][k].size() > 1; ++i) {
              noise[which][k].push_back(noise_here[which][k][i] - middle);
              optimum[which][k].push_back(optimum_here[which][k][i] - level);
            }
          }
        }
      }
      for (int which = 0; which < 2; ++which) {
        for (int k = 0; k < 2; ++k) {
          if (noise[which][k].size() < 6) continue;  // too few to speak of a law
          const double slope = fit_line(noise[which][k], optimum[which][k]).slope;
          e.note(fmt::format("fitted exponent of the best epsilon in sigma^2 at fixed d: {}; {}", layout.name, names[which][k]), slope,
                 fmt::format("{} of {} cases have a finite best epsilon", noise[which][k].size(), dims.size() * sigmas.size()));
          if (!(std::abs(slope - p_.exponent) >= std::abs(best_exponent - p_.exponent))) {
            best_exponent = slope;
            where_exponent = fmt::format("{}; {}", layout.name, names[which][k]);
          }
        }
      }
    }
    e.equals(Role::kCore, "exponent of the best epsilon in sigma^2, the nearest to the printed one among all readings", best_exponent,
             p_.exponent, 0.25, where_exponent);
    e.note("share of all cases in which some finite epsilon is clearly (3 %) better than ever larger ones",
           static_cast<double>(interior) / static_cast<double>(cases), fmt::format("{} cases", cases));
    // x = w, |w| = 1, little noise: grad_x = 2s/D (w - s n/D) has SNR 1/(sigma^2 ((1 - y)^2 + (d - 1)y^2)) with y =
    // |w|^2/(eps + d sigma^2).
    const double sigma = 0.01;
    const Tensor w = unit(at::ones({1, 8}, at::kDouble)), noisy = w + sigma * normal({c.scaled(100000, 10000), 8}, g);
    const auto ratio = [&](double epsilon) {
      const Tensor slopes = gradient(*c.op.with_epsilon(epsilon), noisy, w.expand_as(noisy));
      return signal_to_noise(slopes, slopes).spread * sigma * sigma;
    };
    double off = 0;
    for (const double epsilon : {0.1, 1.0, 8.0, 100.0, 1e4}) {
      const double y = 1 / (epsilon + 8 * sigma * sigma);
      off = std::max(off, std::abs(ratio(epsilon) * ((1 - y) * (1 - y) + 7 * y * y) - 1));
    }
    e.at_most(Role::kCorrected, "x = w: largest relative difference of the SNR of grad_x from its closed form", off, 0, 0.05,
              "d = 8, sigma = 0.01, eps = 0.1..1e4");
    e.at_least(Role::kCorrected, "x = w: SNR at eps = d|w|^2 over that at eps = infinity (exact: d/(d - 1) = 8/7)", ratio(8) / ratio(1e6),
               8.0 / 7, 0.02);
    e.note("x = w: SNR at eps = d sigma^2, over the best", ratio(8 * sigma * sigma) / ratio(8), "d = 8, sigma = 0.01");
    e.note("best SNR over that at epsilon = d sigma^2, smallest case", smallest_loss, where_loss);
    const double near = ratio(8 * sigma * sigma), best = ratio(8);
    e.set("near", near);
    e.set("best", best);
    e.set("far", ratio(1e6));
    e.counterexample_stands(best > near);
    e.set("noise", n);
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, OptimalEpsilon, "rem:optimal-epsilon");

}  // namespace
}  // namespace yatlab

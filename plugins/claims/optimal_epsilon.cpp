#include <array>
#include <limits>

#include "core/verdict/statistics.h"
#include "plugins/claims/geometry.h"

namespace yatlab {
namespace {

using namespace claims;

/// The position of a prototype relative to the clean input.
struct Layout {
  const char* name;
  bool independent;  ///< else x = w + offset
  double offset;     ///< |x - w| / |w|, orthogonal to w
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
    const std::int64_t n = c.scaled(800, 300);
    auto g = generator(c.seed);
    Totals totals;
    double done = 0;
    for (const auto& layout : layouts) {
      Readings<Logs> logs;
      for (const std::int64_t d : dims) {
        Readings<Logs> here;
        for (const double sigma : sigmas) {
          measure_case(c, {layout, d, sigma, n}, g, here, totals);
          c.tick(++done / 37, "measuring gradient noise");
        }
        add_less_means(here, logs);
      }
      fit_exponents(layout, logs, dims.size() * sigmas.size(), e, totals);
    }
    e.equals(Role::kCore, "exponent of the best epsilon in sigma^2, the nearest to the printed one among all readings",
             totals.best_exponent, p_.exponent, 0.25, totals.where_exponent);
    e.note("share of all cases in which some finite epsilon is clearly (3 %) better than ever larger ones",
           static_cast<double>(totals.interior) / static_cast<double>(totals.cases), fmt::format("{} cases", totals.cases));
    compare_closed_form(c, g, totals, e);
    e.set("noise", n);
  }

 private:
  /// One for each gradient (with respect to x, w) and each definition of its noise (variance, squared error).
  template <class T>
  using Readings = std::array<std::array<T, 2>, 2>;
  static constexpr const char* kReadings[2][2] = {{"grad_x, variance", "grad_x, squared error"},
                                                  {"grad_w, variance", "grad_w, squared error"}};

  struct Case {
    const Layout& layout;
    std::int64_t d;
    double sigma;
    std::int64_t n;  ///< noisy inputs
  };
  /// The best ratio among epsilons; `where` is in powers of ten times d sigma^2.
  struct Peak {
    double best = -1, where = 0, last = 0, at_floor = 0;
  };
  /// log sigma^2 and the logarithm of the best epsilon, for cases that have one.
  struct Logs {
    std::vector<double> noise, optimum;
  };
  struct Totals {
    std::int64_t cases = 0, interior = 0;
    double best_exponent = std::numeric_limits<double>::quiet_NaN(), smallest_loss = 1e300;
    std::string where_exponent, where_loss;
  };

  static Readings<Peak> find_peaks(const ClaimContext& c, const Tensor& w, const Tensor& x, const Tensor& noisy, double floor) {
    const double step = 0.5;
    Readings<Peak> out;
    for (double power = -4; power <= 6 + 1e-9; power += step) {
      const auto op = c.op.with_epsilon(floor * std::pow(10.0, power));
      for (std::size_t which = 0; which < 2; ++which) {
        const auto slope = [&](const Tensor& points) {
          const Tensor all = w.expand_as(points);
          return which ? gradient_in_w(*op, points, all) : gradient(*op, points, all);
        };
        const auto r = signal_to_noise(slope(noisy), slope(x));
        const double values[2] = {r.spread, r.error};
        for (std::size_t k = 0; k < 2; ++k) {
          auto& peak = out[which][k];
          if (values[k] > peak.best * (1 + 1e-9)) {
            peak.best = values[k];
            peak.where = power;
          }
          peak.last = values[k];
          if (std::abs(power) < 1e-9) peak.at_floor = values[k];
        }
      }
    }
    return out;
  }

  static void measure_case(const ClaimContext& c, const Case& at, at::Generator& g, Readings<Logs>& here, Totals& totals) {
    const auto& [layout, d, sigma, n] = at;
    const Tensor w = directions(1, d, g);
    Tensor side = directions(1, d, g);
    if (!layout.independent) side = unit(side - (side * w).sum(-1, true) * w) * layout.offset;
    const Tensor x = layout.independent ? side : w + side;
    const Tensor noisy = x + sigma * normal({n, d}, g);
    const double floor = static_cast<double>(d) * sigma * sigma;
    const auto peaks = find_peaks(c, w, x, noisy, floor);
    for (std::size_t which = 0; which < 2; ++which) {
      for (std::size_t k = 0; k < 2; ++k) {
        const auto& peak = peaks[which][k];
        ++totals.cases;
        // A true interior maximum: clearly above the values for ever larger epsilon.
        if (peak.where < 5.9 && peak.where > -3.9 && peak.best > 1.03 * peak.last) {
          ++totals.interior;
          here[which][k].noise.push_back(std::log(sigma * sigma));
          here[which][k].optimum.push_back(std::log(floor) + peak.where * std::log(10.0));
        }
        const double loss = peak.best / peak.at_floor;
        if (loss < totals.smallest_loss) {
          totals.smallest_loss = loss;
          totals.where_loss = fmt::format("{}; {}; d = {}, sigma = {:g}", layout.name, kReadings[which][k], d, sigma);
        }
      }
    }
  }

  /// Adds the logarithms for one d, each minus its mean over the sigmas.
  static void add_less_means(const Readings<Logs>& of_one_d, Readings<Logs>& out) {
    for (std::size_t which = 0; which < 2; ++which) {
      for (std::size_t k = 0; k < 2; ++k) {
        const auto& [noise, optimum] = of_one_d[which][k];
        const double middle = mean(noise), level = mean(optimum);
        for (std::size_t i = 0; i < noise.size() && noise.size() > 1; ++i) {
          out[which][k].noise.push_back(noise[i] - middle);
          out[which][k].optimum.push_back(optimum[i] - level);
        }
      }
    }
  }

  void fit_exponents(const Layout& layout, const Readings<Logs>& logs, std::size_t cases, Evidence& e, Totals& totals) const {
    for (std::size_t which = 0; which < 2; ++which) {
      for (std::size_t k = 0; k < 2; ++k) {
        const auto& [noise, optimum] = logs[which][k];
        if (noise.size() < 6) continue;  // too few for a power law
        const double slope = fit_line(noise, optimum).slope;
        e.note(fmt::format("fitted exponent of the best epsilon in sigma^2 at fixed d: {}; {}", layout.name, kReadings[which][k]), slope,
               fmt::format("{} of {} cases have a finite best epsilon", noise.size(), cases));
        if (!(std::abs(slope - p_.exponent) >= std::abs(totals.best_exponent - p_.exponent))) {
          totals.best_exponent = slope;
          totals.where_exponent = fmt::format("{}; {}", layout.name, kReadings[which][k]);
        }
      }
    }
  }

  // x = w, |w| = 1, little noise: grad_x = 2s/D (w - s n/D) has SNR 1/(sigma^2 ((1 - y)^2 + (d - 1)y^2)) with y =
  // |w|^2/(eps + d sigma^2).
  static void compare_closed_form(const ClaimContext& c, at::Generator& g, const Totals& totals, Evidence& e) {
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
    e.note("best SNR over that at epsilon = d sigma^2, smallest case", totals.smallest_loss, totals.where_loss);
    const double near = ratio(8 * sigma * sigma), best = ratio(8);
    e.set("near", near);
    e.set("best", best);
    e.set("far", ratio(1e6));
    e.counterexample_stands(best > near);
  }

  Params p_;
};

YATLAB_REGISTER(Claim, OptimalEpsilon, "rem:optimal-epsilon");

}  // namespace
}  // namespace yatlab

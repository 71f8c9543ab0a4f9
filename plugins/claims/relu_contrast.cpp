#include <algorithm>

#include "plugins/claims/ntk.h"

namespace yatlab {
namespace {

using namespace claims::tangent;

/// The ReLU kernel's formula and value at 90 degrees, against the product's.
class ReluContrast final : public Claim {
 public:
  struct Params {
    double cosine_factor = 1;
    static void declare(Fields& f, Params& p) { f.field("cosine_factor", p.cosine_factor, "c in K_ReLU ∝ sin θ + c (π - θ) cos θ"); }
  };
  explicit ReluContrast(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    const std::int64_t samples = context.scaled(200000, 6000);
    const std::vector<double> angles = {0, M_PI / 6, M_PI / 4, M_PI / 3, M_PI / 2, 2 * M_PI / 3};
    const auto relu = at_angles(relu_units(), angles, Start::kNormal, 3, samples, context.seed);
    std::vector<std::pair<double, double>> rows;
    for (const double a : angles) rows.emplace_back(1, a);
    const Tensor x = in_plane(rows), closed = relu_ntk(x, x, {});
    double off = 0, low = 1e300, high = 0;
    for (std::size_t j = 0; j < angles.size(); ++j) {
      const auto i = static_cast<std::int64_t>(j);
      const double t = angles[j], exact = closed[0][i].item<double>();
      off = std::max(off, std::abs(entry(relu.total, 0, i).value - exact) / entry(relu.total, 0, i).error);
      if (t > M_PI / 2) continue;  // the two forms change sign at different angles
      const double ratio = exact / (std::sin(t) + p_.cosine_factor * (M_PI - t) * std::cos(t));
      low = std::min(low, ratio);
      high = std::max(high, ratio);
    }
    evidence.at_most(Role::kDetail, "K_ReLU / (sin θ + (π - θ) cos θ): largest over smallest, for θ = 0 .. 90°", high / low, 1, 1e-9,
                     "2 at 0° (1 against π / 2π), 1 at 90°");
    evidence.at_least(Role::kCore, "K_ReLU(90°) / K_ReLU(0°), which is not zero", closed[0][4].item<double>() / closed[0][0].item<double>(),
                      0.1, 0, "1 / (2π)");
    evidence.at_most(Role::kCorrected, "K_ReLU = (sin θ + 2(π - θ) cos θ) / (2π): distance from Monte Carlo in standard errors", off, 0, 5,
                     fmt::format("{} draws of w, d = 3, six angles", samples));

    const auto units = operator_units(context.op.with_epsilon(1));
    double away = 0, share = 0, least = 1e300;
    std::string away_where, share_where;
    double done = 0;
    for (const Start start : kStarts) {
      for (const std::int64_t d : {2, 4, 16, 128, 1024}) {
        const auto k = at_angles(units, {0, M_PI / 2}, start, d, samples / 2, context.seed + 7);
        const auto right = entry(k.total, 0, 1);
        const double ratio = std::abs(right.value) / entry(k.total, 0, 0).value;
        const auto where = fmt::format("{}, d = {}, eps = 1: K(90°) = {:.4g} +- {:.1g}, K(90°) / K(0°) = {:.4g}", to_string(start), d,
                                       right.value, right.error, ratio);
        if (right.error > 0 && std::abs(right.value) / right.error > away) {
          away = std::abs(right.value) / right.error;
          away_where = where;
        }
        if (ratio > share) {
          share = ratio;
          share_where = where;
        }
        least = std::min(least, ratio);
        context.tick(++done / 20, "expectations over w");
      }
    }
    evidence.at_most(Role::kCore, "|K| of the product at 90 degrees, in its standard errors", away, 0, 5, away_where);
    evidence.at_most(Role::kReading, "\"stronger separation\": largest |K(90°)| / K(0°) of the product against ReLU's 1 / (2π)", share,
                     1 / (2 * M_PI), 0, share_where);
    evidence.note("smallest |K(90°)| / K(0°) of the product", least);
    evidence.set("draws", samples / 2);
    const double relu_right = closed[0][4].item<double>(), relu_aligned = closed[0][0].item<double>();
    evidence.set("relu_aligned", relu_aligned);
    evidence.set("relu_right", relu_right);
    evidence.set("ratio", relu_aligned / relu_right);
    evidence.set("printed", p_.cosine_factor * M_PI);
    evidence.set("share", relu_right / relu_aligned);
    evidence.set("sigma", std::sqrt(4 / (relu_aligned / relu_right - 3)));  // 1 / (3 + 4 / sigma^2) = ReLU's share
    evidence.set("operator", away_where);
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, ReluContrast, "rem:relu-contrast");

}  // namespace
}  // namespace yatlab

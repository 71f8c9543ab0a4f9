#include <algorithm>

#include "core/verdict/statistics.h"
#include "plugins/claims/ntk.h"

namespace yatlab {
namespace {

using namespace claims::tangent;

/// The limit of the tangent kernel of m^-p sum_i a_i E(w_i, x), a_i ~ N(0, m^-q), as m grows.
class NtkLimit final : public Claim {
 public:
  struct Params {
    double readout_power = 1;
    double output_power = 0;
    static void declare(Fields& f, Params& p) {
      f.field("readout_power", p.readout_power, "q in a_i ~ N(0, m^-q); printed: 1");
      f.field("output_power", p.output_power, "p in f = m^-p sum_i a_i E(w_i, x); printed: 0");
    }
  };
  explicit NtkLimit(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    const auto op = context.op.with_epsilon(1);
    const auto units = operator_units(op);
    auto g = generator_of(context.seed);
    const auto draw = [&](std::int64_t n) { return normals({n, 3}, g); };
    const Tensor x = at::tensor(std::vector<double>{1, 0, 0, 0.6, 0.8, 0, -0.5, 0.5, 0.7}, at::kDouble).view({3, 3});
    const auto limit = expected_ntk(units, x, draw, 40, context.scaled(20000, 500));
    context.tick(0.3, "networks of growing width");

    std::vector<double> widths, first, second, deviation;
    const std::int64_t repeats = context.scaled(40, 10);
    for (std::int64_t m = 64; m <= 4096; m *= 4) {
      const auto width = static_cast<double>(m);
      double values = 0, slopes = 0, off = 0;
      for (std::int64_t r = 0; r < repeats; ++r) {
        const auto unit = unit_gradients(units, x, draw(m));
        const Tensor a2 = normals({m}, g).square();
        const Tensor features = at::mm(unit.values, unit.values.t());
        const Tensor weighted = (unit.gradients * a2.view({1, m, 1})).reshape({3, -1});
        const Tensor moving = at::mm(weighted, unit.gradients.reshape({3, -1}).t());
        // The scaling of the claim, then the one with a limit.
        const double outer = std::pow(width, -2 * p_.output_power);
        values += outer * features[0][1].item<double>();
        slopes += outer * std::pow(width, -p_.readout_power) * moving[0][1].item<double>();
        off += ((features + moving) / width - limit.total.mean).square().sum().item<double>();
      }
      const auto n = static_cast<double>(repeats);
      widths.push_back(width);
      first.push_back(values / n);
      second.push_back(std::abs(slopes / n));
      deviation.push_back(std::sqrt(off / n) / limit.total.mean.norm().item<double>());
    }
    const auto range = fmt::format("m = 64 .. 4096, {} networks each, d = 3, eps = 1", repeats);
    evidence.equals(Role::kDetail, "power of m with which the first sum of K_m grows (0: it converges)", fit_power_law(widths, first).slope,
                    0, 0.2, range);
    evidence.equals(Role::kDetail, "power of m with which the second sum of K_m grows", fit_power_law(widths, second).slope, 0, 0.2, range);
    evidence.at_most(Role::kCore,
                     "with f = m^(-1/2) Σ a_i E(w_i, x), a_i ~ N(0, 1): relative distance of K_m from the printed expectation at m = 4096",
                     deviation.back(), 0, 0.15, range);
    evidence.equals(Role::kCorrected, "power of m with which that distance falls", fit_power_law(widths, deviation).slope, -0.5, 0.2,
                    range);
    context.tick(0.6, "eigenvalues");
    definiteness(context, evidence, units, g);
    const auto at_one = [&](double w) {
      return op->scores(at::ones({1, 1}, at::kDouble), at::full({1, 1}, w, at::kDouble)).item<double>();
    };
    evidence.set("plus", at_one(1));
    evidence.set("minus", at_one(-1));
    evidence.set("mean", (at_one(1) * at_one(1) + at_one(-1) * at_one(-1)) / 2);
    evidence.set("where", range + "; eigenvalues on 2 to 24 points, d = 1, 2, 3");
  }

 private:
  static void definiteness(const ClaimContext& context, Evidence& evidence, const UnitFunction& units, const at::Generator& g) {
    double margin = 1e300, strict = 1e300;
    std::string where;
    for (const std::int64_t d : {1, 2, 3}) {
      const std::int64_t n = d == 1 ? 4 : 8;
      const Tensor half = domain_points(Domain::kBall, n, d) + 0.01;
      for (const bool mirrored : {false, true}) {
        const Tensor x = mirrored ? at::cat({half, -half}) : half;
        const auto k = expected_ntk(
            units, x,
            [&](std::int64_t c) {
              return normals({c, d}, g);
            },
            8, context.scaled(4000, 300));
        const double share = claims::kernels::smallest_share(k.total.mean).item<double>();
        margin = std::min(margin, share + claims::kernels::share_rounding(x.size(0)));
        if (share < strict) {
          strict = share;
          where = fmt::format("d = {}, {} points{}", d, x.size(0), mirrored ? ", x and -x" : "");
        }
      }
    }
    evidence.at_least(Role::kCore, "smallest eigenvalue / largest of the limit, beyond rounding", margin, 0, 0, where);
    evidence.at_least(Role::kCorrected, "smallest eigenvalue / largest on distinct points other than 0", strict, 1e-14, 0, where);
    const Tensor special = at::tensor(std::vector<double>{0, 0, 1, 0, 0, 1}, at::kDouble).view({3, 2});
    const auto k = expected_ntk(
        units, special,
        [&](std::int64_t c) {
          return normals({c, 2}, g);
        },
        20, context.scaled(20000, 500));
    evidence.set("origin", entry(k.total, 0, 0).value);
    evidence.at_least(Role::kReading, "K(0, 0): > 0 if the kernel is strictly definite", entry(k.total, 0, 0).value, 1e-12, 0,
                      "d = 2, eps = 1");
    evidence.equals(Role::kReading, "K(x, x') / K(x, x) at 90 degrees, which E itself makes 0",
                    entry(k.total, 1, 2).value / entry(k.total, 1, 1).value, 0, 5 * entry(k.total, 1, 2).error / entry(k.total, 1, 1).value,
                    "d = 2, eps = 1, w ~ N(0, I)");
  }

  Params p_;
};

YATLAB_REGISTER(Claim, NtkLimit, "prop:ntk");

}  // namespace
}  // namespace yatlab

#include <algorithm>

#include "core/verdict/statistics.h"
#include "plugins/claims/ntk.h"

namespace yatlab {
namespace {

using namespace claims::tangent;

/// The claim: for orthogonal inputs of different classes, tangent kernel entries are far smaller than for inputs of the same class.
class ClassSeparation final : public Claim {
 public:
  struct Params {
    double much_less = 0.1;
    static void declare(Fields& f, Params& p) { f.field("much_less", p.much_less, "largest share that counts as \"≪\"").positive(); }
  };
  explicit ClassSeparation(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    const auto units = operator_units(context.op.with_epsilon(1));
    const std::int64_t samples = context.scaled(150000, 6000);
    double wide_share = 0;
    double order = -std::numeric_limits<double>::infinity(), ratio = 0, scaled = 0;
    std::string order_where, ratio_where;
    double done = 0;
    for (const Start start : kStarts) {
      for (const std::int64_t d : {2, 8, 64, 1024}) {
        const auto k = at_angles(units, {0, M_PI / 2, std::acos(0.5), std::acos(0.9)}, start, d, samples, context.seed);
        const auto apart = entry(k.total, 0, 1);
        if (start == Start::kNormal && d == 1024) wide_share = apart.value / entry(k.total, 0, 0).value;
        for (const auto& [index, cosine] : {std::make_pair(2, 0.5), std::make_pair(3, 0.9)}) {
          const auto same = entry(k.total, 0, index);
          const double share = apart.value / same.value;
          const auto where = fmt::format("{}, d = {}, same class at cosine {}, eps = 1: {:.4g} against {:.4g}", to_string(start), d, cosine,
                                         apart.value, same.value);
          if (share > order) {
            order = share;
            order_where = where;
          }
          if (cosine > 0.8 && std::abs(share) > ratio) {
            ratio = std::abs(share);
            ratio_where = where;
          }
          if (cosine > 0.8 && start == Start::kScaledNormal && d == 1024) scaled = std::abs(share);
        }
        context.tick(++done / 17, "expectations over w");
      }
    }
    evidence.at_most(Role::kCore, "largest K(x_i, x_j) / K(x_i, x_k), inputs of one norm", order, 1, 0, order_where);
    evidence.at_most(Role::kDetail, "largest |K(x_i, x_j)| / K(x_i, x_k) at cosine 0.9, where \"≪\" is read as a tenth", ratio,
                     p_.much_less, 0, ratio_where);
    const double norms = by_norms(context, units, samples);
    evidence.at_most(Role::kReading, "K(x_i, x_j) / K(x_i, x_k) when x_k is short, |x_k| = 0.1", norms, 1, 0,
                     "w ~ N(0, I), d = 64, eps = 1, |x_i| = |x_j| = 1, x_k = 0.1 x_i");
    evidence.at_most(Role::kCorrected, "|K(x_i, x_j)| / K(x_i, x_k) with w ~ N(0, I/d), d = 1024, cosine 0.9", scaled, 0.01, 0, "eps = 1");
    evidence.set("share", wide_share);
    evidence.counterexample_stands(wide_share > p_.much_less);
    evidence.set("samples", samples);
  }

 private:
  static double by_norms(const ClaimContext& context, const UnitFunction& units, std::int64_t samples) {
    auto g = generator_of(context.seed + 1);
    const Tensor x = in_plane({{1, 0}, {1, M_PI / 2}, {0.1, 0}});
    const auto k = expected_ntk(
        units, x, [&](std::int64_t n) { return draw_beside_plane(Start::kNormal, 64, n, g); }, 16, std::max<std::int64_t>(8, samples / 16));
    return entry(k.total, 0, 1).value / entry(k.total, 0, 2).value;
  }

  Params p_;
};

YATLAB_REGISTER(Claim, ClassSeparation, "cor:class-separation");

}  // namespace
}  // namespace yatlab

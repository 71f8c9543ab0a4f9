#include <algorithm>

#include "core/report/statistics.h"
#include "plugins/claims/ntk.h"

namespace yatlab {
namespace {

using namespace claims::tangent;

/// Inputs of different classes, orthogonal, are said to have far smaller entries in the tangent kernel than those of one.
class ClassSeparation final : public Claim {
 public:
  struct Params {
    double much_less = 0.1;
    static void declare(Fields& f, Params& p) { f.field("much_less", p.much_less, "what counts as \"≪\": at most this share").positive(); }
  };
  explicit ClassSeparation(const Params& p) : p_(p) {}

  std::string title() const override { return "Implicit Class Separation"; }
  std::string how() const override {
    return "The limiting kernel between x_i and x_j at 90 degrees against x_k of its own class at cosine 0.5 and 0.9, by Monte Carlo over "
           "w; "
           "four starts, d = 2..1024; then with inputs of different norms. Proof gap: it rests on thm:orthogonal-ntk, which fails.";
  }

  void check(const ClaimContext& context, Evidence& evidence) const override {
    const auto units = operator_units(context.op.with_epsilon(1));
    const std::int64_t samples = context.scaled(150000, 6000);
    double order = -std::numeric_limits<double>::infinity(), ratio = 0, scaled = 0;
    std::string order_where, ratio_where;
    double done = 0;
    for (const Start start : kStarts) {
      for (const std::int64_t d : {2, 8, 64, 1024}) {
        const auto k = at_angles(units, {0, M_PI / 2, std::acos(0.5), std::acos(0.9)}, start, d, samples, context.seed);
        const auto apart = entry(k.total, 0, 1);
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
    evidence.counterexample(
        "w ~ N(0, I), unit vectors, d large, so that |w - x|² ≈ d: d² K(x_i, x_j) → E[a²b²] = 1 at 90°, d² K(x_i, x_i) → E[a⁴] + 4 E[a²] = "
        "7 "
        "(a, b independent standard normal): one seventh, even for x_k = x_i");
    evidence.corrected(
        "for inputs of one norm K(x_i, x_j) < K(x_i, x_k), but K(x_i, x_j) / K(x_i, x_i) → 1/(3 + 4/σ²) when w ~ N(0, σ² I) and d grows "
        "(unit x); \"≪\" needs "
        "w ~ N(0, I/d) with large d (ratio O(1/d)), and inputs of comparable norm");
    evidence.tried(fmt::format("d = 2, 8, 64, 1024, four starts, {} draws of w each", samples));
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

YATLAB_REGISTER(Claim, ClassSeparation, "cor:class-separation",
                "if xᵢ·xⱼ ≈ 0 for different classes, K^NTK(xᵢ,xⱼ) ≪ K^NTK(xᵢ,xₖ) for xₖ of the class of xᵢ");

}  // namespace
}  // namespace yatlab

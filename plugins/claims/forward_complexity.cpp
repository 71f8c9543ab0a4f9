#include <fmt/format.h>

#include <cmath>

#include "core/measure/claim.h"
#include "core/verdict/statistics.h"
#include "plugins/claims/cost.h"
#include "plugins/claims/gram.h"

namespace yatlab {
namespace {

using namespace claims::kernels;
using namespace claims::cost;

struct Shape {
  std::int64_t batch, units, dim;
  double volume() const { return static_cast<double>(batch) * static_cast<double>(units) * static_cast<double>(dim); }
  std::string text() const { return fmt::format("B = {}, n = {}, d = {}", batch, units, dim); }
};

/// 2Bnd + Bd + nd + 5Bn operations forward.
class ForwardComplexity final : public Claim {
 public:
  struct Params {
    double gemm = 2, norms = 1, elementwise = 5, exponent = 1;
    static void declare(Fields& f, Params& p) {
      f.field("gemm", p.gemm, "operations of the matrix product, over Bnd, as printed");
      f.field("norms", p.norms, "operations of the row norms, over Bd, as printed");
      f.field("elementwise", p.elementwise, "operations of the element-wise step, over Bn, as printed");
      f.field("exponent", p.exponent, "exponent of Bnd in the Theta, as printed");
    }
  };
  explicit ForwardComplexity(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    const double epsilon = 0.1;
    const auto op = context.op.with_epsilon(epsilon);
    auto g = generator_of(context.seed);
    std::vector<double> volumes, counts;
    double gap = 0, worst_gemm = 0, worst_norms = 0, worst_elements = 0, leading = 0;
    const std::int64_t largest = context.scaled(96, 24);
    for (const std::int64_t d : {std::int64_t{8}, largest}) {
      for (const std::int64_t n : {std::int64_t{12}, largest}) {
        for (const std::int64_t b : {std::int64_t{8}, largest}) {
          const Tensor x = normals({b, d}, g), w = normals({n, d}, g);
          const ForwardRun run = counted_forward(CountedMatrix(x), CountedMatrix(w), epsilon);
          gap = std::max(gap, relative_gap(run.y.tensor(), op->scores(x, w)));
          const auto per = [](std::int64_t count, std::int64_t size) { return static_cast<double>(count) / static_cast<double>(size); };
          worst_gemm = std::max(worst_gemm, std::abs(per(run.count.gemm, b * n * d) - p_.gemm));
          worst_norms = std::max(worst_norms, per(run.count.w_norms, n * d));
          worst_elements = std::max(worst_elements, per(run.count.elementwise, b * n));
          volumes.push_back(Shape{b, n, d}.volume());
          counts.push_back(static_cast<double>(run.count.total()));
          leading = per(run.count.total(), b * n * d);
        }
      }
    }
    evidence.at_most(Role::kCore, "the four steps give the operator's scores: largest relative difference", gap, 0, 1e-10,
                     fmt::format("B, n, d = 8..{}", largest));
    evidence.at_most(Role::kDetail, "|operations of S = X W' / (Bnd) - 2|", worst_gemm, 0, 1e-12, "a sum of d products: 2d");
    evidence.at_most(Role::kContext, "operations of the row norms / (nd)", worst_norms, p_.norms, 1e-12,
                     "d products and d additions, counted like those of the matrix product");
    evidence.at_most(Role::kDetail, "element-wise operations / (Bn)", worst_elements, p_.elementwise, 1e-12,
                     "square, add, double, subtract, divide; epsilon goes into the row norms");
    theta(evidence, *op);
    evidence.note("all operations / (Bnd) at the largest size counted", leading, Shape{largest, largest, largest}.text());
    timed(context, evidence, *op);
    const CountedMatrix pair(vector_of({1, 2}));
    const auto by_hand = counted_forward(pair, pair, epsilon).count;
    evidence.set("product", by_hand.gemm);
    evidence.set("norm", by_hand.w_norms);
    evidence.set("sizes", counts.size());
    evidence.set("largest", largest);
  }

 private:
  /// The operator's own count: T / (Bnd) stays between two constants, and the leading one is the product's.
  void theta(Evidence& evidence, const Operator& op) const {
    std::vector<double> volumes, counts;
    double low = std::numeric_limits<double>::infinity(), high = 0;
    for (const std::int64_t d : {1, 16, 256, 4096}) {
      for (const std::int64_t n : {1, 16, 256, 4096}) {
        for (const std::int64_t b : {1, 16, 256, 4096}) {
          const double count = static_cast<double>(op.flops(b, n, d)), volume = Shape{b, n, d}.volume();
          low = std::min(low, count / volume);
          high = std::max(high, count / volume);
          if (std::min({b, n, d}) >= 256) {
            volumes.push_back(volume);
            counts.push_back(count);
          }
        }
      }
    }
    evidence.equals(Role::kCore, "exponent of Bnd in the operator's own count", fit_power_law(volumes, counts).slope, p_.exponent, 0.01,
                    "B, n, d = 256..4096");
    evidence.at_least(Role::kCore, "smallest count / (Bnd)", low, p_.gemm, 0, "B, n, d = 1..4096");
    evidence.at_most(Role::kCore, "largest count / (Bnd): bounded", high, 20, 0, "B = n = d = 1");
  }

  void timed(const ClaimContext& context, Evidence& evidence, const Operator& op) const {
    auto g = generator_of(context.seed + 1);
    std::vector<double> volumes, seconds;
    at::NoGradGuard no_grad;
    const std::int64_t top = context.scaled(768, 192);
    for (const std::int64_t d : {top / 4, top / 2, top}) {
      for (const std::int64_t n : {top / 4, top / 2, top}) {
        context.tick(0.3 + 0.6 * static_cast<double>(d) / static_cast<double>(top), "timing the forward pass");
        for (const std::int64_t b : {top / 4, top / 2, top}) {
          const Tensor x = normals({b, d}, g).to(at::kFloat), w = normals({n, d}, g).to(at::kFloat);
          volumes.push_back(Shape{b, n, d}.volume());
          seconds.push_back(median_seconds(context.scaled(7, 3), [&] { op.scores(x, w); }));
        }
      }
    }
    evidence.note("exponent of Bnd in the measured time", fit_power_law(volumes, seconds).slope,
                  fmt::format("float, B, n, d = {}..{}, medians", top / 4, top));
  }

  Params p_;
};

YATLAB_REGISTER(Claim, ForwardComplexity, "thm:forward-complexity");

}  // namespace
}  // namespace yatlab

#include <fmt/format.h>

#include <cmath>

#include "core/measure/claim.h"
#include "plugins/claims/cost.h"
#include "plugins/claims/gram.h"

namespace yatlab {
namespace {

using namespace claims::kernels;
using namespace claims::cost;

/// One neuron's operations, in the form of the table: coefficient of d, and the rest.
struct Row {
  double slope, rest;
  double at(double d) const { return slope * d + rest; }
};

Counted sum_of_products(const std::vector<Counted>& a, const std::vector<Counted>& b) {
  Counted sum = a[0] * b[0];
  for (std::size_t i = 1; i < a.size(); ++i) sum = sum + a[i] * b[i];
  return sum;
}

/// The per-neuron table, and the sentence "approximately 2x the FLOPs of Linear+ReLU".
class FlopSingle final : public Claim {
 public:
  struct Params {
    double naive_slope = 5, naive_rest = 1, optimized_slope = 4, optimized_rest = 4;
    double gelu_ratio = 1.03, naive_ratio = 2.5, optimized_ratio = 2;
    static void declare(Fields& f, Params& p) {
      f.field("naive_slope", p.naive_slope, "operations per dimension of the naive neuron, as printed");
      f.field("naive_rest", p.naive_rest, "further operations of the naive neuron, as printed");
      f.field("optimized_slope", p.optimized_slope, "operations per dimension of the optimized neuron, as printed");
      f.field("optimized_rest", p.optimized_rest, "further operations of the optimized neuron, as printed");
      f.field("gelu_ratio", p.gelu_ratio, "Linear+GELU over Linear+ReLU, as printed");
      f.field("naive_ratio", p.naive_ratio, "naive over Linear+ReLU, as printed");
      f.field("optimized_ratio", p.optimized_ratio, "optimized over Linear+ReLU, as printed");
    }
  };
  explicit FlopSingle(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    const double epsilon = 0.1;
    const auto op = context.op.with_epsilon(epsilon);
    auto g = generator_of(context.seed);
    double gap = 0, linear = 0, naive = 0, optimized = 0;
    const std::vector<std::int64_t> dims = {2, 16, 64, 768, context.scaled(4096, 1024)};
    for (const std::int64_t d : dims) {
      const Tensor x = normals({1, d}, g), w = normals({1, d}, g);
      const std::vector<Counted> a = CountedMatrix(x).entries, b = CountedMatrix(w).entries;
      Counted plain, quick;
      const auto linear_count = operations_of([&] {
        const Counted score = sum_of_products(a, b) + Counted{0.5};
        Counted::count(std::max(score.value, 0.0));
      });
      const auto naive_count = operations_of([&] {
        std::vector<Counted> apart;
        for (std::size_t i = 0; i < a.size(); ++i) apart.push_back(a[i] - b[i]);
        const Counted s = sum_of_products(a, b);
        plain = s * s / (sum_of_products(apart, apart) + Counted{epsilon});
      });
      const Counted w_norm{(w * w).sum().item<double>()};  // cached
      const auto optimized_count = operations_of([&] {
        const Counted s = sum_of_products(a, b);
        quick = s * s / (sum_of_products(a, a) + w_norm - Counted{2} * s + Counted{epsilon});
      });
      const double exact = op->scores(x, w).item<double>();
      gap = std::max({gap, std::abs(plain.value / exact - 1), std::abs(quick.value / exact - 1)});
      const double size = static_cast<double>(d);
      linear = std::max(linear, std::abs(static_cast<double>(linear_count) - (2 * size + 1)));
      naive = std::max(naive, std::abs(static_cast<double>(naive_count) - Row{p_.naive_slope, p_.naive_rest}.at(size)));
      optimized = std::max(optimized, std::abs(static_cast<double>(optimized_count) - Row{p_.optimized_slope, p_.optimized_rest}.at(size)));
    }
    const std::string sizes = fmt::format("d = 2..{}", dims.back());
    evidence.at_most(Role::kCore, "both neurons give the operator's score: largest relative difference", gap, 0, 1e-9, sizes);
    evidence.at_most(Role::kCore, "|operations of Linear + ReLU - (2d + 1)|", linear, 0, 0, sizes + "; with a bias");
    evidence.at_most(Role::kCore, "|operations of the naive neuron - (5d + 1)|", naive, 0, 0, sizes);
    evidence.at_most(Role::kCore, "|operations of the optimized neuron - (4d + 4)|", optimized, 0, 0,
                     sizes + "; |w|^2 cached, |x|^2 taken anew by every neuron");
    ratios(evidence);
    in_a_layer(evidence, *op);
    evidence.set("sizes", sizes);
  }

 private:
  void ratios(Evidence& evidence) const {
    double gelu = 0, naive = 0, optimized = 0;
    std::string gelu_at;
    for (const double d : {64.0, 128.0, 256.0, 768.0, 3072.0}) {
      const double linear = 2 * d + 1;
      const double off = std::abs((2 * d + 15) / linear - p_.gelu_ratio);
      if (off > gelu) {
        gelu = off;
        gelu_at = fmt::format("d = {}: {:.4f}", d, (2 * d + 15) / linear);
      }
      naive = std::max(naive, std::abs(Row{p_.naive_slope, p_.naive_rest}.at(d) / linear - p_.naive_ratio));
      optimized = std::max(optimized, std::abs(Row{p_.optimized_slope, p_.optimized_rest}.at(d) / linear - p_.optimized_ratio));
    }
    // Half a unit of the last printed digit.
    evidence.at_most(Role::kDetail, "|(2d + 15)/(2d + 1) - 1.03|", gelu, 0, 0.005, gelu_at + ", d = 64..3072");
    evidence.at_most(Role::kDetail, "|(5d + 1)/(2d + 1) - 2.5|", naive, 0, 0.05, "d = 64..3072");
    evidence.at_most(Role::kDetail, "|(4d + 4)/(2d + 1) - 2.0|", optimized, 0, 0.05, "d = 64..3072");
  }

  /// "approximately 2x the FLOPs of Linear+ReLU" refers to the layer, whose overhead the same section puts below 5 %.
  void in_a_layer(Evidence& evidence, const Operator& op) const {
    const double b = 32, n = 3072, d = 768, linear = 2 * d + 1;
    const std::string where = "B = 32, n = 3072, d = 768";
    evidence.equals(Role::kDetail, "forward operations of the layer by thm:forward-complexity / (Bn (2d + 1))",
                    (2 * b * n * d + b * d + n * d + 5 * b * n) / (b * n * linear), p_.optimized_ratio, 0.05, where);
    evidence.equals(Role::kCorrected, "the operator's own count / (Bn (2d + 1))",
                    static_cast<double>(op.flops(32, 3072, 768)) / (b * n * linear), 1, 0.05, where);
    const double rows = 2 * d + 5 + d / n + d / b, single = Row{p_.optimized_slope, p_.optimized_rest}.at(d);
    evidence.set("dim", static_cast<std::int64_t>(d));
    evidence.set("units", static_cast<std::int64_t>(n));
    evidence.set("batch", static_cast<std::int64_t>(b));
    evidence.set("linear", linear);
    evidence.set("rows", fmt::format("{:.6g}", rows));
    evidence.set("rows_ratio", rows / linear);
    evidence.set("single", single);
    evidence.set("single_ratio", single / linear);
    // 1 + 14/(2d + 1) = the printed ratio
    evidence.set("gelu_dim", fmt::format("{:.0f}", (14 / (p_.gelu_ratio - 1) - 1) / 2));
  }

  Params p_;
};

YATLAB_REGISTER(Claim, FlopSingle, "tab:flop_single");

}  // namespace
}  // namespace yatlab

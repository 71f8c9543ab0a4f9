#include <fmt/format.h>

#include <cmath>

#include "core/measure/claim.h"
#include "plugins/claims/cost.h"
#include "plugins/claims/gram.h"

namespace yatlab {
namespace {

using namespace claims::kernels;
using namespace claims::cost;

/// The table that compares the layer with a linear one, and its caption.
class ComplexitySummary final : public Claim {
 public:
  struct Params {
    double overhead = 0.05;
    std::int64_t least_dim = 64, least_units = 64, least_batch = 16;
    static void declare(Fields& f, Params& p) {
      f.field("overhead", p.overhead, "the caption's bound on the overhead, as printed").positive();
      f.field("least_dim", p.least_dim, "smallest d for which the bound is claimed, as printed").min(1);
      f.field("least_units", p.least_units, "smallest n for which the bound is claimed, as printed").min(1);
      f.field("least_batch", p.least_batch, "smallest B for which the bound is claimed, as printed").min(1);
    }
  };
  explicit ComplexitySummary(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    const Size corner{static_cast<double>(p_.least_batch), static_cast<double>(p_.least_units), static_cast<double>(p_.least_dim)};
    const std::string at_corner = fmt::format("B = {}, n = {}, d = {}", p_.least_batch, p_.least_units, p_.least_dim);
    double worst = 0, formula_gap = 0;
    std::string worst_at;
    for (double b = corner.batch; b <= 4096; b *= 2) {
      for (double n = corner.units; n <= 8192; n *= 2) {
        for (double d = corner.dim; d <= 8192; d *= 2) {
          const Size size{b, n, d};
          if (rows_ratio(size) > worst) {
            worst = rows_ratio(size);
            worst_at = fmt::format("B = {}, n = {}, d = {}", b, n, d);
          }
          formula_gap = std::max(formula_gap, std::abs((printed(size) - 1) / (rows_ratio(size) - 1) - 1));
        }
      }
    }
    const double bound = 1 + p_.overhead;
    evidence.at_most(Role::kCore, "largest ratio of the table's rows, forward and backward", worst, bound, 0,
                     worst_at + "; sizes up to B = 4096, n = d = 8192");
    evidence.at_most(Role::kDetail, "the printed overhead formula", printed(corner), bound, 0, at_corner);
    evidence.at_most(Role::kDetail, "the printed overhead against that of the rows, largest relative difference", formula_gap, 0, 0.1,
                     "it is the forward pass alone, over 2Bnd");
    evidence.at_most(Role::kReading, "ratio of the rows, forward pass alone", forward_ratio(corner), bound, 0, at_corner);
    const double asymptotic = std::abs((corrected(corner) - 1) / (limit_ratio(corner) - 1) - 1);
    evidence.at_most(Role::kCorrected, "1 + 4/(3d) + 1/(3n) + 1/(3B) against the rows over 6Bnd", asymptotic, 0, 1e-12, at_corner);

    const auto op = context.op.make();
    const auto counted = [&](std::int64_t b, std::int64_t n, std::int64_t d) {
      return static_cast<double>(op->flops(b, n, d)) / (2 * static_cast<double>(b) * static_cast<double>(n) * static_cast<double>(d));
    };
    evidence.at_most(Role::kCore, "the operator's own forward count / (2Bnd), large layers", counted(4096, 3072, 768), bound, 0,
                     "B = 4096, n = 3072, d = 768");
    evidence.at_most(Role::kReading, "the operator's own forward count / (2Bnd), the caption's smallest layer",
                     counted(p_.least_batch, p_.least_units, p_.least_dim), bound, 0, at_corner);
    timed(context, evidence, *op);
    evidence.set("dim", p_.least_dim);
    evidence.set("units", p_.least_units);
    evidence.set("batch", p_.least_batch);
    evidence.set("printed", fmt::format("{:.5g}", printed(corner)));
    evidence.set("rows", fmt::format("{:.5g}", rows_ratio(corner)));
  }

 private:
  struct Size {
    double batch, units, dim;
    double product() const { return batch * units * dim; }
    double entries() const { return batch * units; }
    double norms() const { return batch * dim + units * dim; }
  };
  // The rows as printed.
  static double linear(const Size& s) { return 6 * s.product() + 3 * s.entries(); }
  static double yat(const Size& s) { return 6 * s.product() + 11 * s.entries() + 2 * s.norms(); }
  static double rows_ratio(const Size& s) { return yat(s) / linear(s); }
  static double limit_ratio(const Size& s) { return 1 + (yat(s) - linear(s)) / (6 * s.product()); }
  static double forward_ratio(const Size& s) { return (2 * s.product() + s.norms() + 5 * s.entries()) / (2 * s.product() + s.entries()); }
  static double printed(const Size& s) { return 1 + 1 / (2 * s.units) + 1 / (2 * s.batch) + 2 / s.dim; }
  static double corrected(const Size& s) { return 1 + 4 / (3 * s.dim) + 1 / (3 * s.units) + 1 / (3 * s.batch); }

  void timed(const ClaimContext& context, Evidence& evidence, const Operator& op) const {
    auto g = generator_of(context.seed);
    struct Case {
      std::int64_t batch, units, dim;
    };
    const std::int64_t top = context.scaled(512, 128);
    const std::vector<Case> cases = {{p_.least_batch, p_.least_units, p_.least_dim}, {top, top, top}, {top, 4 * top, top}};
    for (const auto& c : cases) {
      context.tick(0.3, fmt::format("timing B = {}, n = {}, d = {}", c.batch, c.units, c.dim));
      const Tensor x = normals({c.batch, c.dim}, g).to(at::kFloat).requires_grad_();
      const Tensor w = normals({c.units, c.dim}, g).to(at::kFloat).requires_grad_();
      const Tensor bias = at::zeros({c.units}).requires_grad_();
      const std::int64_t repeats = context.scaled(15, 3);
      const double layer = step_seconds(repeats, {x, w}, [&] { return op.scores(x, w); });
      const double linear = step_seconds(repeats, {x, w, bias}, [&] { return at::linear(x, w, bias); });
      const std::string where = fmt::format("B = {}, n = {}, d = {}, float, this machine", c.batch, c.units, c.dim);
      // A time is not a count: the element-wise passes move memory, which the count ignores.
      evidence.note("time of a training step of the layer / of a linear one", layer / linear, where);
    }
  }

  Params p_;
};

YATLAB_REGISTER(Claim, ComplexitySummary, "tab:complexity_summary");

}  // namespace
}  // namespace yatlab

#include "plugins/claims/xor_points.h"

namespace yatlab {
namespace {

using namespace claims;

class XorSolution final : public Claim {
 public:
  struct Params {
    std::vector<double> distances{5, 1};
    static void declare(Fields& f, Params& p) {
      f.field("distances", p.distances, "squared distances of (0,1) and (1,0) from w in the table's 1/(5 + ε) and 1/(1 + ε)");
    }
  };
  explicit XorSolution(const Params& p) : p_(p) {}

  void check(const ClaimContext& c, Evidence& e) const override {
    double zero = 0, positive = 1e300, table = 0, products = 0;
    std::string where;
    const Tensor x = xor_points(), w = xor_weights();
    const std::vector<double> dots{0, -1, 1, 0};
    const auto measured = numbers((x * w).sum(-1));
    for (std::size_t i = 0; i < 4; ++i) products = std::max(products, std::abs(measured[i] - dots[i]));
    int count = 0;
    for (double power = -6; power <= 3; power += 0.5, ++count) {
      const double epsilon = std::pow(10.0, power);
      const auto y = numbers(paired(*c.op.with_epsilon(epsilon), x, w));
      zero = std::max({zero, std::abs(y[0]), std::abs(y[3])});
      positive = std::min({positive, y[1], y[2]});
      const double gap = std::max(std::abs(y[1] * (p_.distances.at(0) + epsilon) - 1), std::abs(y[2] * (p_.distances.at(1) + epsilon) - 1));
      if (!(gap <= table)) {
        table = gap;
        where = fmt::format("eps = {:.3g}: E(0,1) = {:.6g}, E(1,0) = {:.6g}", epsilon, y[1], y[2]);
      }
    }
    e.equals(Role::kDetail, "largest difference of w.x from the table", products, 0, 0);
    e.equals(Role::kCore, "largest |E| of class 0", zero, 0, 0);
    e.at_least(Role::kCore, "smallest E of class 1 times 1001", positive * 1001, 0.5, 0, "eps = 1e-6..1e3; at eps = 1e3 it is 1/1005");
    e.at_most(Role::kDetail, "largest relative difference from the table's 1/(5 + eps), 1/(1 + eps)", table, 0, 1e-12, where);
    // How far a point of class 0 may move before threshold 0 classifies it as 1: not at all, except along the line orthogonal to w.
    const double nudged = score(*c.op.with_epsilon(1), {1 + 1e-6, 1}, {1, -1});
    e.note("E at (1 + 1e-6, 1), eps = 1: threshold 0 leaves class 0 no margin", nudged);
    e.set("count", count);
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, XorSolution, "thm:xor-solution");

}  // namespace
}  // namespace yatlab

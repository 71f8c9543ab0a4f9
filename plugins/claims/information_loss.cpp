#include <map>

#include "plugins/claims/geometry.h"

namespace yatlab {
namespace {

using namespace claims;

/// Mutual information in bits of a joint distribution [U, X], rows u, columns x; it sums to 1.
double mutual_information(const Tensor& joint) {
  const Tensor product = joint.sum(1, true) * joint.sum(0, true);
  return at::where(joint > 0, joint * at::log2(joint.clamp_min(1e-300) / product.clamp_min(1e-300)), at::zeros_like(joint))
      .sum()
      .item<double>();
}

/// The joint distribution [U, T(X)]: columns whose outputs (rows of [X, m]) agree to 1e-9 are merged.
Tensor merged(const Tensor& joint, const Tensor& outputs) {
  const Tensor rounded = (outputs * 1e9).round().contiguous();
  std::map<std::vector<double>, std::int64_t> seen;
  std::vector<std::int64_t> target;
  for (std::int64_t i = 0; i < rounded.size(0); ++i) {
    auto key = numbers(rounded[i]);
    for (double& k : key) k += 0.0;  // -0 is 0
    target.push_back(seen.emplace(std::move(key), static_cast<std::int64_t>(seen.size())).first->second);
  }
  return at::zeros({joint.size(0), static_cast<std::int64_t>(seen.size())}, at::kDouble)
      .index_add_(1, at::tensor(target, at::kLong), joint);
}

class InformationLoss final : public Claim {
 public:
  struct Params {
    double allowed_gain = 0;
    static void declare(Fields& f, Params& p) {
      f.field("allowed_gain", p.allowed_gain,
              "bits that a representation may gain over its input; 0 as stated (a negative number demands a loss)");
    }
  };
  explicit InformationLoss(const Params& p) : p_(p) {}

  void check(const ClaimContext& c, Evidence& e) const override {
    auto g = generator(c.seed);
    const auto op = c.op.with_epsilon(1);
    std::vector<double> grid;
    for (int i = -4; i <= 4; ++i) {
      for (int j = -4; j <= 4; ++j) {
        grid.push_back(i);
        grid.push_back(j);
      }
    }
    const Tensor x = at::tensor(grid, at::kDouble).view({-1, 2});
    double gain = -1e300, invertible = 0, relu_kept = 0, unit_kept = 0;
    std::string where;
    const std::int64_t trials = c.scaled(300, 30);
    for (std::int64_t trial = 0; trial < trials; ++trial) {
      Tensor joint = uniform({3, x.size(0)}, g).pow(4);
      joint /= joint.sum();
      const double before = mutual_information(joint);
      const Tensor W = (4 * uniform({1 + trial % 3, 2}, g) - 2).round(), b = (2 * uniform({W.size(0)}, g) - 1).round();
      const double relu = mutual_information(merged(joint, at::relu(at::matmul(x, W.t()) + b)));
      const double unit_bits = mutual_information(merged(joint, op->scores(x, W.narrow(0, 0, 1), {})));
      for (const auto& [name, bits] : {std::make_pair("ReLU", relu), std::make_pair("operator", unit_bits)}) {
        if (bits - before > gain) {
          gain = bits - before;
          where = fmt::format("{}: {:.4f} bits before, {:.4f} after", name, before, bits);
        }
      }
      const Tensor turned = at::matmul(x, at::tensor({2.0, 1.0, 1.0, 1.0}, at::kDouble).view({2, 2}));
      invertible = std::max(invertible, std::abs(mutual_information(merged(joint, turned)) - before));
      relu_kept += relu / before / static_cast<double>(trials);
      unit_kept += unit_bits / before / static_cast<double>(trials);
      if (trial % 50 == 0) c.tick(static_cast<double>(trial) / static_cast<double>(trials), "counting bits");
    }
    e.at_most(Role::kCore, "largest gain of information about U, in bits", gain, p_.allowed_gain, 1e-12, where);
    e.at_most(Role::kCorrected, "largest change under an invertible map, in bits", invertible, 0, 1e-12);
    e.note("mean share of the information kept by ReLU layers of 1..3 units", relu_kept);
    e.note("mean share kept by one unit of the operator, which is not invertible either", unit_kept);
    e.set("trials", trials);
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Claim, InformationLoss, "rem:information-loss");

}  // namespace
}  // namespace yatlab

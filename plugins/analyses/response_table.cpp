#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/experiment/analysis.h"
#include "core/ops/operator.h"

namespace yatlab {

/// Responses of one hand-set unit at given points: nothing is trained (paper, thm:xor-solution).
class ResponseTable final : public Analysis {
 public:
  struct Params {
    std::vector<double> weight = {1, -1};
    std::vector<Node> points = {point(0, 0), point(0, 1), point(1, 0), point(1, 1)};
    static void declare(Fields& f, Params& p) {
      f.field("weight", p.weight, "the unit's weight vector");
      f.field("points", p.points, "where it is evaluated: a list of vectors");
    }

   private:
    static Node point(int a, int b) { return Node(Node::List{Node(a), Node(b)}); }
  };
  explicit ResponseTable(const Params& p) : p_(p) {}

  Findings analyse(const TrainedArm& arm) const override {
    if (!arm.op) throw config_error("analysis 'response_table' needs an operator");
    at::NoGradGuard no_grad;
    const Tensor w = at::tensor(p_.weight, at::kDouble).view({1, -1});
    Findings out;
    for (const auto& point : p_.points) {
      std::vector<double> x;
      std::string name;
      for (const auto& c : point.as_list()) {
        x.push_back(c.as_double());
        name += fmt::format("{}{:g}", name.empty() ? "" : ",", c.as_double());
      }
      if (x.size() != p_.weight.size()) {
        throw config_error(fmt::format("response_table: point {} and the weight differ in length", point.to_flow()));
      }
      const double score = arm.op->scores(at::tensor(x, at::kDouble).view({1, -1}), w).item<double>();
      out.metrics["response/(" + name + ")"] = score;
    }
    return out;
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Analysis, ResponseTable, "response_table", "responses of a hand-set unit at given points");

}  // namespace yatlab

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/measure/analysis.h"
#include "core/ops/operator.h"

namespace yatlab {

/// Responses of one hand-set unit at given points, without training (paper, thm:xor-solution).
class ResponseTable final : public Analysis {
 public:
  struct Params {
    std::vector<double> weight = {1, -1};
    std::vector<Node> points = {point(0, 0), point(0, 1), point(1, 0), point(1, 1)};
    static void declare(Fields& f, Params& p) {
      f.field("weight", p.weight, "the unit's weight vector");
      f.field("points", p.points, "inputs to evaluate it at: a list of vectors");
    }

   private:
    static Node point(int a, int b) { return Node(Node::List{Node(a), Node(b)}); }
  };
  explicit ResponseTable(const Params& p) : p_(p) {}

  FindingNames names(const ArmParts&) const override {
    FindingNames out;
    for (const auto& point : p_.points) {
      const auto name = name_of(coordinates(point));
      out.metrics.push_back(MetricDoc(name).called("K" + name.substr(name.find('('))).neither().shown());
    }
    return out;
  }
  void check(const ArmParts& arm) const override {
    arm.require_operator("analysis 'response_table'");
    for (const auto& point : p_.points) coordinates(point);
  }

  Findings analyse(const TrainedArm& arm) const override {
    if (!arm.op) throw config_error("analysis 'response_table' needs an operator");
    at::NoGradGuard no_grad;
    const Tensor w = at::tensor(p_.weight, at::kDouble).view({1, -1});
    Findings out;
    for (const auto& point : p_.points) {
      const auto x = coordinates(point);
      out.metrics[name_of(x)] = arm.op->scores(at::tensor(x, at::kDouble).view({1, -1}), w).item<double>();
    }
    return out;
  }

 private:
  std::vector<double> coordinates(const Node& point) const {
    std::vector<double> x;
    for (const auto& c : point.as_list()) x.push_back(c.as_double());
    if (x.size() != p_.weight.size()) {
      throw config_error(fmt::format("response_table: point {} and the weight differ in length", point.to_flow()), {}, {},
                         fmt::format("give each point {} numbers", p_.weight.size()));
    }
    return x;
  }
  static std::string name_of(const std::vector<double>& x) {
    std::string name;
    for (const double c : x) name += fmt::format("{}{:g}", name.empty() ? "" : ",", c);
    return "response/(" + name + ")";
  }

  Params p_;
};

YATLAB_REGISTER(Analysis, ResponseTable, "response_table", "responses of a hand-set unit at given points");

}  // namespace yatlab

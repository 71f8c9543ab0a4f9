#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/measure/study.h"
#include "plugins/kernels/studies/plane.h"

namespace yatlab {
namespace {

/// Which of some hand-set prototypes has the highest score at every point of a square, and the boundaries between the regions (paper,
/// fig:decision_boundaries). For operators with an epsilon also the quartic of thm:decision-boundary, (wi.x)^2 (|wj - x|^2 + eps) = (wj.x)^2 (|wi -
/// x|^2 + eps), and the share of points where its sign agrees with the operator's choice between every two prototypes.
class DecisionRegions final : public Study {
 public:
  struct Params {
    std::string artifact = "decision_regions";
    std::vector<Node> prototypes = {row(1.6, 0.4), row(0.4, 1.2)};
    Plane plane;
    static void declare(Fields& f, Params& p) {
      f.field("artifact", p.artifact, "name of the artifact and first part of the metrics' names");
      f.field("prototypes", p.prototypes, "one prototype for each class: a list of pairs");
      Plane::declare(f, p.plane);
    }

   private:
    static Node row(double x, double y) { return Node(Node::List{Node(x), Node(y)}); }
  };
  explicit DecisionRegions(const Params& p) : p_(p) {
    p_.plane.check("decision_regions");
    for (const auto& row : p_.prototypes) {
      if (!row.is_list() || row.size() != 2) {
        throw config_error(fmt::format("decision_regions: prototype {} is not a pair", shortened(row.to_flow())), {}, {},
                           "write prototypes: [[1.6, 0.4], [0.4, 1.2]]");
      }
      for (const auto& c : row.as_list()) rows_.push_back(c.as_double());
    }
    if (p_.prototypes.size() < 2)
      throw config_error("decision_regions needs at least two prototypes", {}, {}, "write prototypes: [[1.6, 0.4], [0.4, 1.2]]");
  }

  FindingNames names(const ArmParts& arm) const override {
    FindingNames out{{}, {p_.artifact}};
    if (has_quartic(*arm.op, arm.operator_spec)) {
      out.metrics.push_back(MetricDoc(p_.artifact + "/quartic_agreement")
                                .called("points where the quartic and the scores choose alike")
                                .higher()
                                .percent()
                                .shown());
    }
    for (std::size_t c = 0; c < p_.prototypes.size(); ++c) {
      out.metrics.push_back(MetricDoc(share_of(static_cast<std::int64_t>(c)))
                                .called(fmt::format("plane won by prototype {}", c))
                                .neither()
                                .percent()
                                .shown());
    }
    return out;
  }
  void check(const ArmParts& arm) const override { arm.require_operator("study 'decision_regions'"); }

  Findings run(const StudyContext& context) const override {
    if (!context.op) throw config_error("study 'decision_regions' needs an operator", "operator");
    at::NoGradGuard no_grad;
    const auto op = context.op->make();
    const Tensor w = at::tensor(rows_, at::kDouble).view({-1, 2});
    const Tensor x = p_.plane.points();
    const Tensor scores = op->scores(x, w);
    Findings out;
    auto json = decision_to_json(p_.plane, scores);
    json["prototypes"] = tensor_to_json(w);
    auto& classes = json["prototype_classes"] = nlohmann::ordered_json::array();
    for (std::int64_t c = 0; c < w.size(0); ++c) classes.push_back(c);
    json["uses_epsilon"] = op->traits().has_epsilon;
    if (has_quartic(*op, context.op->spec())) {
      const double epsilon = context.op->spec().at("epsilon").as_double();
      json["epsilon"] = epsilon;
      const double agreement = agree(x, w, scores, epsilon);
      json["quartic_agreement"] = agreement;
      out.metrics[p_.artifact + "/quartic_agreement"] = agreement;
    }
    for (std::int64_t c = 0; c < w.size(0); ++c) {
      out.metrics[share_of(c)] = class_regions(scores).eq(c).to(at::kDouble).mean().item<double>();
    }
    out.artifacts[p_.artifact] = std::move(json);
    return out;
  }

 private:
  static bool has_quartic(const Operator& op, const Node& spec) { return op.traits().has_epsilon && spec.has("epsilon"); }
  std::string share_of(std::int64_t c) const { return fmt::format("{}/share_{}", p_.artifact, c); }

  /// Share of points and pairs on which the quartic and the scores agree. Ties within rounding count as agreement.
  static double agree(const Tensor& x, const Tensor& w, const Tensor& scores, double epsilon) {
    const Tensor dots = x.mm(w.t()).square();
    const Tensor near = (x.unsqueeze(1) - w.unsqueeze(0)).square().sum(-1) + epsilon;
    double same = 0, all = 0;
    for (std::int64_t i = 0; i < w.size(0); ++i) {
      for (std::int64_t j = 0; j < i; ++j) {
        const Tensor left = dots.select(1, i) * near.select(1, j), right = dots.select(1, j) * near.select(1, i);
        const Tensor tie = (left - right).abs() <= 1e-9 * (left + right);
        const Tensor alike = (left > right).eq(scores.select(1, i) > scores.select(1, j));
        same += at::logical_or(alike, tie).sum().item<double>();
        all += static_cast<double>(x.size(0));
      }
    }
    return same / all;
  }

  Params p_;
  std::vector<double> rows_;
};

YATLAB_REGISTER(Study, DecisionRegions, "decision_regions", "regions and boundaries of hand-set prototypes");

}  // namespace
}  // namespace yatlab

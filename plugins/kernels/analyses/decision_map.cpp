#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/figure/raster.h"
#include "core/measure/analysis.h"
#include "plugins/kernels/architectures/prototypes.h"
#include "plugins/kernels/studies/plane.h"

namespace yatlab {
namespace {

/// Sets a model's biases to zero; its destructor restores them and the prototypes, also after an exception.
class ZeroBiases {
 public:
  explicit ZeroBiases(Architecture& model) : model_(model), prototypes_(model.prototypes().detach().clone()) {
    at::NoGradGuard no_grad;
    for (auto& p : model.named_parameters()) {
      const std::string& name = p.key();
      if (name.size() < 4 || name.compare(name.size() - 4, 4, "bias") != 0) continue;
      biases_.emplace_back(p.value(), p.value().detach().clone());
      p.value().zero_();
    }
  }
  ~ZeroBiases() {
    at::NoGradGuard no_grad;
    model_.set_prototypes(prototypes_);
    for (auto& [parameter, saved] : biases_) parameter.copy_(saved);
  }
  ZeroBiases(const ZeroBiases&) = delete;
  ZeroBiases& operator=(const ZeroBiases&) = delete;

 private:
  Architecture& model_;
  Tensor prototypes_;
  std::vector<std::pair<Tensor, Tensor>> biases_;
};

/// The decision map of a trained model with two inputs: the class it predicts at every point of a square, the boundaries between classes, its
/// prototypes and some of the data (paper, fig:decision_boundaries). Models with prototypes are also mapped with computed ones in place of the
/// trained: the mean of each class, or of k clusters of it if it has k prototypes. Their biases are then 0, since they belong to the trained
/// prototypes. A learned scale is kept.
class DecisionMap final : public Analysis {
 public:
  struct Params {
    Plane plane;
    std::string split = "train";
    std::int64_t points = 200;
    bool hand_set = true;
    static void declare(Fields& f, Params& p) {
      Plane::declare(f, p.plane);
      f.field("split", p.split, "split whose points are shown");
      f.field("points", p.points, "maximum number of points to show").non_negative();
      f.field("hand_set", p.hand_set, "also map the model with class means as prototypes");
    }
  };
  explicit DecisionMap(const Params& p) : p_(p) { p_.plane.check("decision_map"); }

  FindingNames names(const ArmParts& arm) const override {
    const MetricDoc unbounded = MetricDoc("decision/unbounded").called("classes whose region reaches to infinity").neither().percent();
    if (!with_means(arm.model->prototypes(), std::max<std::int64_t>(1, arm.data.num_classes))) return {{unbounded}, {"decision_map"}};
    auto metrics = with_prefix("hand_set/", arm.task->metrics(arm), "{} of hand-set prototypes");
    metrics.push_back(unbounded);
    return {metrics, {"decision_map", "decision_map_hand_set"}};
  }
  void check(const ArmParts& arm) const override {
    const auto& shape = arm.data.input_shape;
    if (!shape.empty() && shape != std::vector<std::int64_t>{2}) throw no_plane();
    arm.require_split(p_.split, "analysis 'decision_map'");
  }
  void check_data(const ArmParts& arm, const ArmData& data) const override {
    const auto classes = data.dataset.num_classes();
    if (!with_means(arm.model->prototypes(), classes)) return;
    for (std::int64_t c = 0; c < classes; ++c) points_of(data.splits.at("train"), c, data.dataset);
  }

  Findings analyse(const TrainedArm& arm) const override {
    const auto shape = arm.dataset.input_shape();
    if (shape != std::vector<std::int64_t>{2}) throw no_plane();
    const auto split = arm.splits.find(p_.split);
    if (split == arm.splits.end()) throw config_error("decision_map: no split '" + p_.split + "'", "decision_map.split");
    Findings out;
    const Tensor scores = scores_of(arm, split->second);
    if (class_regions(scores).isnan().all().item<bool>()) {
      out.not_finite = "scores in the plane are not finite";
      return out;
    }
    out.metrics["decision/unbounded"] = unbounded_share(arm, split->second);
    out.artifacts["decision_map"] = map(arm, split->second, scores);
    out.media.push_back({"decision_map", picture(scores, split->second), "the class that is predicted at every point; dots are data"});
    const Tensor trained = arm.model.prototypes();
    if (!with_means(trained, arm.dataset.num_classes())) return out;
    const ZeroBiases zero_biases(arm.model);
    const Split& train = arm.splits.at("train");
    const std::int64_t classes = arm.dataset.num_classes();
    std::vector<Tensor> means;
    for (std::int64_t c = 0; c < classes; ++c) {
      means.push_back(cluster_means(points_of(train, c, arm.dataset), trained.size(0) / classes));
    }
    arm.model.set_prototypes(at::cat(means).to(trained.scalar_type()));
    const auto metrics = arm.task.evaluate(arm.model, arm.splits.at("test"), arm.eval_batch_size);
    for (const auto& [name, value] : metrics) out.metrics["hand_set/" + name] = value;
    out.artifacts["decision_map_hand_set"] = map(arm, split->second, scores_of(arm, split->second));
    return out;
  }

 private:
  static Error no_plane() {
    return config_error("analysis 'decision_map' needs inputs of two numbers", "dataset", "it draws the plane",
                        "use dataset=moons, or remove the analysis");
  }
  /// The points of a class. Throws if there are none.
  static Tensor points_of(const Split& split, std::int64_t c, const Dataset& dataset) {
    const Tensor rows = split.targets.eq(c).nonzero().view(-1);
    if (rows.numel() > 0) return split.inputs.index_select(0, rows);
    throw config_error(
        fmt::format("decision_map: class '{}' has no training points", dataset.class_names().at(static_cast<std::size_t>(c))),
        "decision_map.hand_set", "hand-set prototypes are the means of the classes",
        "use more training points, or set hand_set: false in this analysis");
  }
  /// Whether class means (or cluster means) can replace such prototypes.
  bool with_means(const Tensor& prototypes, std::int64_t classes) const {
    return p_.hand_set && prototypes.defined() && classes > 0 && prototypes.size(0) % classes == 0;
  }

  /// The scores at the plane's points.
  Tensor scores_of(const TrainedArm& arm, const Split& shown) const {
    at::NoGradGuard no_grad;
    return arm.model.forward(p_.plane.points().to(shown.inputs.options()));
  }

  /// The share of classes that are predicted somewhere on a circle of 1,000 times the plane's half width.
  double unbounded_share(const TrainedArm& arm, const Split& shown) const {
    at::NoGradGuard no_grad;
    constexpr std::int64_t kDirections = 3600;
    const Tensor angles = at::arange(kDirections, at::kDouble) * (2 * M_PI / static_cast<double>(kDirections));
    const Tensor far = at::stack({angles.cos(), angles.sin()}, 1) * (1000 * p_.plane.half_width) + at::tensor(p_.plane.center, at::kDouble);
    const Tensor regions = class_regions(arm.model.forward(far.to(shown.inputs.options())));
    std::set<double> classes;
    for (std::int64_t i = 0; i < kDirections; ++i) {
      if (const auto c = regions[i].item<double>(); !std::isnan(c)) classes.insert(c);
    }
    return static_cast<double>(classes.size()) / static_cast<double>(arm.dataset.num_classes());
  }

  Image picture(const Tensor& scores, const Split& shown) const {
    Heat heat = p_.plane.grid(class_regions(scores));
    const auto n = std::min(p_.points, shown.size());
    const Tensor points = shown.inputs.narrow(0, 0, n).to(at::kCPU, at::kDouble).contiguous();
    for (std::int64_t i = 0; i < n; ++i) {
      const double column = std::floor((points[i][0].item<double>() - heat.x0) / heat.cell),
                   row = std::floor((points[i][1].item<double>() - heat.y0) / heat.cell);
      if (column < 0 || row < 0 || column >= static_cast<double>(heat.columns) || row >= static_cast<double>(heat.rows)) continue;
      heat.values[(heat.rows - 1 - static_cast<std::size_t>(row)) * heat.columns + static_cast<std::size_t>(column)] = kNaN;  // white
    }
    ColorScale scale;
    scale.map = ColorMap::kCategories;
    return heat_image(heat, scale, 2);
  }

  nlohmann::ordered_json map(const TrainedArm& arm, const Split& shown, const Tensor& scores) const {
    auto json = decision_to_json(p_.plane, scores);
    const Tensor w = arm.model.prototypes();
    if (w.defined() && w.dim() == 2 && w.size(1) == 2) {
      json["prototypes"] = tensor_to_json(w);
      auto& classes = json["prototype_classes"] = nlohmann::ordered_json::array();
      const auto n = w.size(0), c = arm.dataset.num_classes();
      for (std::int64_t i = 0; i < n; ++i) classes.push_back(n % c == 0 ? i / (n / c) : i);
    }
    const auto n = std::min(p_.points, shown.size());
    json["points"] = tensor_to_json(shown.inputs.narrow(0, 0, n));
    const Tensor targets = shown.targets.narrow(0, 0, n).to(at::kCPU).contiguous();
    json["targets"] = std::vector<std::int64_t>(targets.data_ptr<std::int64_t>(), targets.data_ptr<std::int64_t>() + n);
    json["split"] = p_.split;
    return json;
  }

  /// k means of the rows by Lloyd's algorithm. The first centre is the point nearest to the mean; each next one is the point farthest from those
  /// chosen.
  static Tensor cluster_means(const Tensor& given, std::int64_t k) {
    const Tensor rows = given.to(at::kDouble);
    if (k == 1) return rows.mean(0, true);
    const auto distances = [&](const Tensor& to) { return (rows.unsqueeze(1) - to.unsqueeze(0)).square().sum(-1); };
    Tensor centers = rows[distances(rows.mean(0, true)).argmin().item<std::int64_t>()].unsqueeze(0);
    while (centers.size(0) < k) {
      const auto far = std::get<0>(distances(centers).min(1)).argmax().item<std::int64_t>();
      centers = at::cat({centers, rows[far].unsqueeze(0)});
    }
    for (int round = 0; round < 50; ++round) {
      const Tensor nearest = distances(centers).argmin(1);
      Tensor moved = centers.clone();
      for (std::int64_t c = 0; c < k; ++c) {
        const Tensor mine = nearest.eq(c).nonzero().view(-1);
        if (mine.numel() > 0) moved[c].copy_(rows.index_select(0, mine).mean(0));
      }
      if (moved.equal(centers)) break;
      centers = moved;
    }
    return centers;
  }

  Params p_;
};

YATLAB_REGISTER(Analysis, DecisionMap, "decision_map", "class regions of a trained model with two inputs, and of class means");

}  // namespace
}  // namespace yatlab

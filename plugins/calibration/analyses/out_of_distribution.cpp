#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/measure/analysis.h"
#include "core/model/initialize.h"
#include "core/ops/nmn.h"
#include "plugins/calibration/scores/class_scores.h"

namespace yatlab {
namespace {

/// Whether a classifier can distinguish known samples from those of another data set, by its largest weight (Hendrycks and Gimpel 2017), its largest
/// score, and, in networks, the largest score of a first-layer unit: the area under the ROC curve, and the share of unknown samples accepted by the
/// threshold that keeps 95 % of the known ones.
class OutOfDistribution final : public Analysis {
 public:
  struct Params {
    ComponentRef dataset;
    std::string label, split = "test", known = "test";
    std::optional<std::int64_t> limit;
    double kept = 0.95, sure = 0.9;
    static void declare(Fields& f, Params& p) {
      f.component("dataset", p.dataset, "dataset", "data set of samples unknown to the model, with the shape of the arm's").required();
      f.field("label", p.label, "LABEL in the metrics' names, ood/LABEL/auroc_confidence; empty: the data set's name");
      f.field("split", p.split, "split of the unknown data set");
      f.field("known", p.known, "split of the arm's own data set");
      f.field("limit", p.limit, "number of samples to use from each split, the first ones; null: all").min(1);
      f.field("kept", p.kept, "share of known samples that the threshold of the fpr_... metrics accepts").range(0.01, 1);
      f.field("sure", p.sure, "confidence above which an unknown sample counts in the share 'sure'").range(0, 1);
    }
  };
  explicit OutOfDistribution(const Params& p) : p_(p), label_(p.label.empty() ? p.dataset.name() : p.label) {}

  FindingNames names(const ArmParts& arm) const override {
    std::vector<MetricDoc> docs = {
        MetricDoc("confidence").called("mean confidence in {}").lower().percent(),
        MetricDoc("sure").called(fmt::format("share of {{}} with a confidence above {:g} %", 100 * p_.sure)).lower().percent()};
    const auto add = [&](const char* name, const char* by) {
      docs.push_back(MetricDoc(std::string("auroc_") + name).called(fmt::format("AUROC against {{}}, by {}", by)).higher().percent());
      if (docs.size() == 3) docs.back().shown();
      docs.push_back(MetricDoc(std::string("fpr_") + name)
                         .called(fmt::format("share of {{}} let through at {:g} % kept, by {}", 100 * p_.kept, by))
                         .lower()
                         .percent());
    };
    add("confidence", "the largest weight");
    add("score", "the largest score");
    if (first_layer(*arm.model, arm.data.input_shape)) add("unit", "the first layer's largest score");
    for (auto& doc : docs) doc.title.replace(doc.title.find("{}"), 2, label_);
    return {with_prefix(prefix(), docs, "{}"), {"ood_" + label_}};
  }

  void check(const ArmParts& arm) const override {
    if (arm.data.targets != DataShape::Targets::kUnknown && arm.data.targets != DataShape::Targets::kClasses) {
      throw config_error("analysis 'out_of_distribution' needs one class for each sample", "analyses", {}, "remove it");
    }
    arm.require_split(p_.known, "analysis 'out_of_distribution'");
    const auto other = Registry<Dataset>::create(p_.dataset)->shape();
    if (!arm.data.input_shape.empty() && !other.input_shape.empty()) require_same(arm.data.input_shape, other.input_shape);
    const auto& splits = other.splits;
    if (splits.empty() || std::find(splits.begin(), splits.end(), p_.split) != splits.end()) return;
    throw config_error(fmt::format("'{}' has no split '{}'", p_.dataset.name(), p_.split), "out_of_distribution.split", {},
                       fmt::format("it has {}", fmt::join(splits, ", ")));
  }

  void check_data(const ArmParts&, const ArmData& data) const override {
    split_of(data.splits, p_.known, "known");
    split_of(unknown_data(data.dataset, data.other_data).splits, p_.split, "split");
  }

  Findings analyse(const TrainedArm& arm) const override {
    const auto other = unknown_data(arm.dataset, arm.other_data);
    const auto& there = other.dataset->provenance();
    const auto known = of(arm, arm.splits, p_.known, "known"), unknown = of(arm, other.splits, p_.split, "split");
    Findings out;
    for (const auto& [samples, name] : {std::pair{&known, p_.known}, std::pair{&unknown, p_.split + "' of '" + label_}}) {
      if (at::isfinite(samples->score).all().item<bool>() && at::isfinite(samples->confidence).all().item<bool>()) continue;
      out.not_finite = fmt::format("scores on '{}' are not finite", name);
      return out;
    }
    const auto compare = [&](const char* name, const Tensor& a, const Tensor& b) {
      out.metrics[prefix() + "auroc_" + name] = auroc(a, b);
      out.metrics[prefix() + "fpr_" + name] = false_positive_rate(a, b, p_.kept);
    };
    compare("confidence", known.confidence, unknown.confidence);
    compare("score", known.score, unknown.score);
    if (known.unit.defined()) compare("unit", known.unit, unknown.unit);
    out.metrics[prefix() + "confidence"] = unknown.confidence.mean().item<double>();
    out.metrics[prefix() + "sure"] = unknown.confidence.gt(p_.sure).to(at::kDouble).mean().item<double>();
    auto& json = out.artifacts["ood_" + label_];
    json = {{"dataset", there.name},
            {"sha256", there.sha256},
            {"split", p_.split},
            {"samples", unknown.score.size(0)},
            {"known", known.score.size(0)}};
    for (const auto& [name, value] : out.metrics) json[name.substr(prefix().size())] = value;
    return out;
  }

 private:
  /// For each sample, [N]: the largest weight, score, and score of a first-layer unit (undefined if there is none).
  struct Largest {
    Tensor confidence, score, unit;
  };

  std::string prefix() const { return "ood/" + label_ + "/"; }

  /// Throws if the arm's model cannot read it, or if it is not the data set that was asked for.
  OtherData unknown_data(const Dataset& own, const std::function<OtherData(const Node&)>& other_data) const {
    auto other = other_data(p_.dataset.node);
    require_same(own.input_shape(), other.dataset->input_shape());
    const auto& there = other.dataset->provenance();
    if (!there.substituted_for.empty() && own.provenance().substituted_for.empty()) {
      throw data_error(fmt::format("'{}' would replace '{}'", there.name, there.substituted_for), "out_of_distribution.dataset",
                       "the arm's own data are real, so these metrics would look real too",
                       fmt::format("'yatlab data list' shows where '{}' is searched for; or remove the analysis", there.substituted_for));
    }
    return other;
  }

  static const Split& split_of(const std::map<std::string, Split>& splits, const std::string& name, const char* key) {
    const auto found = splits.find(name);
    if (found == splits.end()) {
      throw config_error(fmt::format("out_of_distribution: no split '{}'", name), std::string("out_of_distribution.") + key);
    }
    return found->second.in_tensors("analysis 'out_of_distribution'");
  }

  void require_same(const std::vector<std::int64_t>& own, const std::vector<std::int64_t>& other) const {
    if (own == other) return;
    throw config_error(fmt::format("analysis 'out_of_distribution': samples of '{}' have shape [{}], the arm's have [{}]",
                                   p_.dataset.name(), fmt::join(other, ", "), fmt::join(own, ", ")),
                       "out_of_distribution.dataset", "the arm's model cannot read them",
                       own == std::vector<std::int64_t>{28, 28}
                           ? "write dataset: mnist, or fashion_mnist"
                           : "write dataset: {name: images, folder: ...} or a different data set with the arm's shape");
  }

  /// The first layer of a network on flattened inputs; null if there is none.
  static Nmn* first_layer(const Architecture& model, const std::vector<std::int64_t>& input_shape) {
    for (const auto& child : model.children()) {
      auto* const layer = dynamic_cast<Nmn*>(child.get());
      if (layer) return layer->options().inputs == flat_size(input_shape) ? layer : nullptr;
    }
    return nullptr;
  }

  Largest of(const TrainedArm& arm, const std::map<std::string, Split>& splits, const std::string& name, const char* key) const {
    Tensor inputs = split_of(splits, name, key).inputs;
    if (p_.limit) inputs = inputs.narrow(0, 0, std::min(*p_.limit, inputs.size(0)));
    const Tensor scores = class_scores(arm.model, inputs, arm.eval_batch_size);
    Largest out{log_class_weights(scores, arm.normalizer.get()).amax(1).exp(), scores.amax(1), {}};
    auto* const layer = first_layer(arm.model, arm.dataset.input_shape());
    if (!layer) return out;
    const at::NoGradGuard no_grad;
    std::vector<Tensor> units;
    for (const auto& batch : inputs.split(arm.eval_batch_size)) units.push_back(layer->forward(batch.flatten(1)).amax(1));
    out.unit = at::cat(units).to(at::kCPU, at::kDouble);
    return out;
  }

  Params p_;
  std::string label_;
};

YATLAB_REGISTER(Analysis, OutOfDistribution, "out_of_distribution",
                "how well confidence, scores and units distinguish known samples from another data set's");

}  // namespace
}  // namespace yatlab

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/data/batches.h"
#include "core/data/sparse_rows.h"
#include "core/model/label_loss.h"
#include "core/train/arm_parts.h"
#include "core/train/stacked_task.h"
#include "plugins/extreme/architectures/label_ranker.h"
#include "plugins/extreme/tasks/ranking_metrics.h"
#include "plugins/extreme/tasks/top_k.h"

namespace yatlab {
namespace {

/// Many labels for each sample; targets are CSR [N, L]. Measured by the head of the ranking of labels:
/// P@k, nDCG@k, PSP@k, PSnDCG@k, recall@k, coverage@k, psp_raw@k for k = 1, 3, 5 (plugins/extreme/tasks/ranking_metrics.h).
class Multilabel final : public StackedTask {
 public:
  enum class Loss { kCrossEntropy, kOneVsAll };

  struct Params {
    Loss loss = Loss::kCrossEntropy;
    std::int64_t block = 0;
    double propensity_a = 0.55, propensity_b = 1.5;
    static void declare(Fields& f, Params& p) {
      f.choice("loss", p.loss, {{"cross_entropy", Loss::kCrossEntropy}, {"one_vs_all", Loss::kOneVsAll}},
               "cross-entropy against labels normalised to sum to 1, or binary cross-entropy summed over labels");
      f.field("block", p.block,
              "number of labels scored at once in training; 0: all. With fewer than all, memory does not grow with batch x labels, "
              "and cross_entropy scores every label twice")
          .non_negative();
      f.field("propensity_a", p.propensity_a, "A of the propensity model: 0.55; WikiLSHTC 0.5, Amazon 0.6").positive();
      f.field("propensity_b", p.propensity_b, "B of the propensity model: 1.5; WikiLSHTC 0.4, Amazon 2.6").positive();
    }
  };
  explicit Multilabel(const Params& p) : p_(p) {}

  void set_normalizer(std::shared_ptr<Normalizer> normalizer) override {
    if (normalizer && normalizer->competitive() != (p_.loss == Loss::kCrossEntropy)) {
      throw config_error(p_.loss == Loss::kCrossEntropy ? "task.loss=cross_entropy needs weights that sum to 1 over the labels"
                                                        : "task.loss=one_vs_all needs a normalizer that maps each score separately",
                         "normalizer", {},
                         p_.loss == Loss::kCrossEntropy ? "use normalizer=null (softmax) or normalizer=softermax"
                                                        : "use normalizer=null (sigmoid) or normalizer=soft_sigmoid");
    }
    if (normalizer && p_.block > 0) {
      throw config_error("task.block works for softmax and the sigmoid only", "task.block", "other normalizers need all labels at once",
                         "use normalizer=null; softermax of power 1 is softmax with architecture.logits=log");
    }
    normalizer_ = std::move(normalizer);
  }

  void check(const ArmParts& arm) const override {
    if (arm.data.targets != DataShape::Targets::kUnknown && arm.data.targets != DataShape::Targets::kLabelSets) throw wrong_data();
  }
  std::vector<MetricDoc> metrics(const ArmParts&) const override { return ranking_metric_docs(); }

  void observe(const Split& train) override {
    if (!is_sparse_rows(train.targets)) {
      throw wrong_data();
    }
    propensities_ = propensities(column_counts(train.targets), train.size(), p_.propensity_a, p_.propensity_b);
  }

  /// outputs: logits [B, L]
  Tensor loss(const Tensor& outputs, const Tensor& targets) const override {
    const Tensor labels = targets.to_dense().to(outputs.options());
    if (p_.loss == Loss::kOneVsAll) {
      if (!normalizer_) return at::binary_cross_entropy_with_logits(outputs, labels, {}, {}, at::Reduction::Sum) / outputs.size(0);
      const Tensor yes = normalizer_->log_normalize(outputs, -1);
      const Tensor no = normalizer_->log_complement(outputs, -1);
      return -(labels * yes + (1 - labels) * no).sum() / outputs.size(0);
    }
    const Tensor logs = normalizer_ ? normalizer_->log_normalize(outputs, -1) : at::log_softmax(outputs, -1);
    const Tensor shares = labels / labels.sum(-1, true).clamp_min(1);
    return -(shares * logs).sum() / outputs.size(0);
  }

  Tensor training_loss(Architecture& model, const Tensor& inputs, const Tensor& targets) const override {
    auto* const scorer = in_blocks(model);
    return scorer ? loss_in_blocks(*scorer, inputs, targets) : Task::training_loss(model, inputs, targets);
  }

  Tensor stacked_training_loss(Architecture& model, const Tensor& inputs, const Tensor& targets) const override {
    auto* const scorer = in_blocks(model);
    return scorer ? loss_in_blocks(*scorer, inputs, targets) : StackedTask::stacked_training_loss(model, inputs, targets);
  }

  Metrics evaluate(Architecture& model, const Split& split, std::int64_t batch) const override {
    at::NoGradGuard no_grad;
    auto* const ranker = dynamic_cast<LabelRanker*>(&model);
    std::vector<Tensor> ranked;
    bool finite = true;
    for (std::int64_t begin = 0; begin < split.size(); begin += batch) {
      const Tensor inputs = row_range(split.inputs, begin, std::min(batch, split.size() - begin));
      const TopK head = ranker ? ranker->top_k(inputs, kHead) : top_k_labels(model.forward(inputs), kHead);
      ranked.push_back(head.indices);
      finite = finite && head.finite;
    }
    auto out = ranking_metrics(at::cat(ranked), split.targets, propensities_);
    if (finite) return out;
    for (auto& metric : out) metric.second = std::numeric_limits<double>::quiet_NaN();
    return out;
  }

 private:
  static Error wrong_data() {
    return config_error("task 'multilabel' needs a data set with several labels per sample", "task", {},
                        "use task=classification, or a data set such as dataset=eurlex4k");
  }
  /// Null where scores are to be held whole.
  LabelScorer* in_blocks(Architecture& model) const { return normalizer_ ? nullptr : dynamic_cast<LabelScorer*>(&model); }
  /// Of a stack, too.
  Tensor loss_in_blocks(LabelScorer& scorer, const Tensor& inputs, const Tensor& targets) const {
    LabelLossOptions options;
    options.kind = p_.loss == Loss::kOneVsAll ? LabelLossOptions::Kind::kOneVsAll : LabelLossOptions::Kind::kSoftmax;
    options.block = p_.block;
    return label_loss(scorer, scorer.queries(inputs), targets, options);
  }
  static constexpr std::int64_t kHead = 5;  // the largest k of the metrics

  Params p_;
  std::shared_ptr<Normalizer> normalizer_;
  Propensities propensities_;
};

YATLAB_REGISTER(Task, Multilabel, "multilabel", "many labels per sample: cross-entropy or one-vs-all, P@k and related metrics");

}  // namespace
}  // namespace yatlab

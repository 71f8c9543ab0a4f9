#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/metric_doc.h"
#include "core/data/dataset.h"
#include "core/model/architecture.h"
#include "core/ops/normalizer.h"
#include "core/record/metric_row.h"

namespace yatlab {

struct ArmParts;

/// What training minimises and what an evaluation measures.
class Task {
 public:
  virtual ~Task() = default;

  /// The experiment's normalizer; null when it names none.
  virtual void set_normalizer(std::shared_ptr<Normalizer> normalizer) = 0;

  /// Throws a config error where the arm's data or model do not fit this task. Called when an arm is planned, after `set_normalizer`.
  virtual void check(const ArmParts&) const {}

  /// The metrics that `evaluate` returns for this arm. Tables, figures and stopping rules are checked against them before anything runs;
  /// reports take titles, units and directions from them.
  virtual std::vector<MetricDoc> metrics(const ArmParts& arm) const = 0;

  /// Called once with the training split before training (for label frequencies, say).
  virtual void observe(const Split& train);

  /// outputs: the architecture's output for a batch; targets: the batch's targets -> scalar, mean over the batch, differentiable.
  virtual Tensor loss(const Tensor& outputs, const Tensor& targets) const = 0;

  /// The loss of one training batch, by default loss(model.forward(inputs), targets). Override it where the outputs need not be held whole.
  virtual Tensor training_loss(Architecture& model, const Tensor& inputs, const Tensor& targets) const;

  /// Metrics of a whole split ("accuracy", "loss", ...), without gradients, in batches of `batch`. Where a score is not finite, metrics of the
  /// scores are NaN (plugins/kernels/tasks/finite_scores.h).
  virtual Metrics evaluate(Architecture& model, const Split& split, std::int64_t batch) const = 0;

  /// The metric that shows that scores or loss are not finite, and so that training has diverged; nothing where none does. A metric may be NaN for
  /// another reason (a mean over no samples). By default "loss", if it is measured and not finite; without a loss the first metric, if all are NaN.
  virtual std::optional<std::string> not_finite(const Metrics& measured) const;

  /// The loss on a split of the best constant prediction, for `trainer.diverged_evaluations`; nothing where unknown.
  virtual std::optional<double> constant_loss(const Split& split) const;
};

YATLAB_KIND(Task, "task", "loss and metrics")

}  // namespace yatlab

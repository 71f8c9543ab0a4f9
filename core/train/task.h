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

  /// Throws a config error where this task cannot work: other data than it is for, a model that cannot do what it asks. Called when an arm
  /// is planned, after `set_normalizer`.
  virtual void check(const ArmParts&) const {}

  /// What `evaluate` measures in such an arm: tables, figures and stopping rules are checked against it before anything runs, and its
  /// titles, units and directions are those of reports.
  virtual std::vector<MetricDoc> metrics(const ArmParts& arm) const = 0;

  /// Looks at the training split, once and before everything else (label frequencies, say).
  virtual void observe(const Split& train);

  /// outputs: what the architecture returned for a batch; targets: that batch's targets.
  /// -> scalar, mean over the batch, differentiable.
  virtual Tensor loss(const Tensor& outputs, const Tensor& targets) const = 0;

  /// The loss of one training batch. Tasks that need not hold the outputs whole override it; by
  /// default loss(model.forward(inputs), targets).
  virtual Tensor training_loss(Architecture& model, const Tensor& inputs, const Tensor& targets) const;

  /// True when it trains models in a stack (core/train/training_stack.h): `training_loss` is `loss` of what the model returns, or
  /// `stacked_training_loss` is overridden, too.
  virtual bool stacks() const { return false; }
  /// The losses of a stack's S members. outputs: [S, B, ...], targets: [S, B, ...], or sparse [S * B, ...] -> [S]. By default `loss` of one
  /// after the other.
  virtual Tensor stacked_loss(const Tensor& outputs, const Tensor& targets) const;
  /// The losses of one training batch of each member, whose models are `model` (Architecture::stacks): inputs as that takes them, targets
  /// as `stacked_loss` does -> [S]. By default stacked_loss(model.forward(inputs), targets).
  virtual Tensor stacked_training_loss(Architecture& model, const Tensor& inputs, const Tensor& targets) const;

  /// Metrics of a whole split, without gradients, in batches of `batch` ("accuracy", "loss", ...). Where a score is not a finite number nothing
  /// is measured: what follows from scores is NaN (plugins/kernels/tasks/finite_scores.h), and not what the largest of them would be.
  virtual Metrics evaluate(Architecture& model, const Split& split, std::int64_t batch) const = 0;

  /// The same of a stack's members, whose scores `model` returns at once: [S, B, ...] of inputs [1, B, ...]. Empty, as by default, where each is to be
  /// measured alone.
  virtual std::vector<Metrics> stacked_evaluate(Architecture& model, std::int64_t members, const Split& split, std::int64_t batch) const;

  /// Which of a split's metrics says that the model's scores, or its loss, are not finite numbers: the run has diverged then. A metric that is NaN for
  /// another reason (a mean over no samples) says nothing of the kind. By default "loss", where that is measured and no finite number; of a task that
  /// measures none the first metric, where all of them are NaN.
  virtual std::optional<std::string> not_finite(const Metrics& measured) const;

  /// The loss on a split of the best prediction that does not look at its input; nothing where a task does not know it.
  /// For `trainer.diverged_evaluations`.
  virtual std::optional<double> constant_loss(const Split& split) const;
};

YATLAB_KIND(Task, "task", "loss and metrics")

}  // namespace yatlab

#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "core/data/sparse_rows.h"
#include "core/model/label_loss.h"

namespace yatlab {

/// The passes of `label_loss` over blocks of scores as tensor operations, for every device. The host reads nothing.
class GeneralLabelLoss {
 public:
  /// floor: LabelScorer::log_floor. The true labels are moved to `device`.
  GeneralLabelLoss(const SparseRows& targets, LabelLossOptions::Kind kind, double floor, const at::Device& device);

  /// Processes the scores [B, n] of the labels [first, first + n): adds to the sums if `sum`, and to the other terms of the loss. Fills `gradient`
  /// unless null.
  void block(std::int64_t first, const Tensor& scores, Tensor* gradient, bool sum);
  /// Starts another pass over all blocks: the terms of the loss are reset, except the sums.
  void restart();
  /// The mean loss, a double on the device.
  Tensor loss() const;

 private:
  Tensor softmax_gradient(const Tensor& scores) const;
  void subtract(std::int64_t first, const Tensor& scores, Tensor* gradient);

  LabelLossOptions::Kind kind_;
  double floor_;
  std::int64_t batch_;
  Tensor rows_, labels_;  // [E] for all E true labels
  Tensor shares_;         // [E] double: the weight of its logit
  Tensor has_labels_;     // [B, 1] double, 1 or 0
  Tensor top_, sum_;      // [B, 1] double
  Tensor rest_;           // [] double
};

}  // namespace yatlab

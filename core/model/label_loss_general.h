#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "core/data/sparse_rows.h"
#include "core/model/label_loss.h"

namespace yatlab {

/// The passes of `label_loss` over blocks of scores as tensor operations, for every device. Nothing is read by the host.
class GeneralLabelLoss {
 public:
  /// floor: LabelScorer::log_floor. The true labels are sent to `device`.
  GeneralLabelLoss(const SparseRows& targets, LabelLossOptions::Kind kind, double floor, const at::Device& device);

  /// Scores [B, n] of the labels [first, first + n): adds to the sums if `sum`, and to the rest of the loss; fills their gradient if there is one.
  void block(std::int64_t first, const Tensor& scores, Tensor* gradient, bool sum);
  /// Another walk over all blocks begins: what was added to the loss, but for the sums, is forgotten.
  void restart();
  /// The mean loss, a double on the device.
  Tensor loss() const;

 private:
  Tensor softmax_gradient(const Tensor& scores) const;
  void subtract(std::int64_t first, const Tensor& scores, Tensor* gradient);

  LabelLossOptions::Kind kind_;
  double floor_;
  std::int64_t batch_;
  Tensor rows_, labels_;  // [E] of every true label
  Tensor shares_;         // [E] double: what its logit weighs
  Tensor has_labels_;     // [B, 1] double, 1 or 0
  Tensor top_, sum_;      // [B, 1] double
  Tensor rest_;           // [] double
};

}  // namespace yatlab

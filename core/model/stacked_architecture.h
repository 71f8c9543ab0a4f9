#pragma once

#include <string>
#include <vector>

#include "core/model/architecture.h"

namespace yatlab {

/// An architecture that trains in stacks (core/train/training_stack.h). With parameters and buffers of shape [S, ...] its `forward` takes inputs
/// [G, B, ...] and returns the members' scores [S, B, classes]. G divides S: the first S / G members see the first batch, and so on.
/// Sparse inputs (core/data/sparse_rows.h) are [S * B, ...]: the rows of the members' batches one after the other.
class StackedArchitecture : public Architecture {
 public:
  /// False where its parameters leave no stack possible.
  virtual bool stacks() const { return true; }
  /// False where a stack takes as long as separate trainings: `launcher.stack=auto` does not stack it.
  virtual bool faster_in_stacks() const { return true; }
  /// Parameters that only determine where tensors start: they may differ from member to member.
  virtual std::vector<std::string> stacked_parameters() const { return {}; }
};

/// Null where the model does not train in stacks.
const StackedArchitecture* as_stacked(const Architecture& model);

/// inputs: [B, ...] -> [B, d]; in a stack [G, B, sample], with samples of `sample_dims` dimensions -> [G, B, d]
Tensor flat_samples(const Tensor& inputs, std::size_t sample_dims);
/// One number for each member, shaped to multiply [S, B, n]. A single number stays as it is.
Tensor for_members(const Tensor& number);

}  // namespace yatlab

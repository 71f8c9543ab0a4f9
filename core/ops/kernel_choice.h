#pragma once

#include <ATen/core/Tensor.h>

namespace yatlab {

/// Whether a body that was written for the CPU's memory may take a tensor. What it does is also there composed of tensor operations, the general
/// body, which runs on every device.
bool use_cpu_kernel(const at::Tensor& t);

/// Whether bodies that were written for one kind of device are to be left aside on all of them: YATLAB_KERNELS=general in the environment, for who
/// doubts one of ours, or `ForceGenericKernels`.
bool general_bodies_asked();

/// For tests: as long as one lives no tensor may, in any thread, so that what other devices do is done on the CPU.
class ForceGenericKernels {
 public:
  ForceGenericKernels();
  ~ForceGenericKernels();
  ForceGenericKernels(const ForceGenericKernels&) = delete;
  ForceGenericKernels& operator=(const ForceGenericKernels&) = delete;
};

}  // namespace yatlab

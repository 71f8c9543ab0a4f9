#pragma once

#include <ATen/core/Tensor.h>

namespace yatlab {

/// Whether a kernel for CPU memory may be used on this tensor. Each such kernel also has a general implementation from tensor operations, which runs
/// on every device.
bool use_cpu_kernel(const at::Tensor& t);

/// Whether device-specific kernels are disabled on all devices: by YATLAB_KERNELS=general in the environment, to rule out a faulty kernel, or by
/// `ForceGenericKernels`.
bool generic_kernels_forced();

/// For tests: while one exists, CPU kernels are disabled in every thread, so that the CPU runs the code of other devices.
class ForceGenericKernels {
 public:
  ForceGenericKernels();
  ~ForceGenericKernels();
  ForceGenericKernels(const ForceGenericKernels&) = delete;
  ForceGenericKernels& operator=(const ForceGenericKernels&) = delete;
};

}  // namespace yatlab

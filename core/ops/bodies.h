#pragma once

#include <ATen/core/Tensor.h>

namespace yatlab {

/// Whether a body that was written for the CPU's memory may take a tensor. What it does is also there composed of tensor operations, the general
/// body, which runs on every device.
bool takes_cpu_body(const at::Tensor& t);

/// Whether bodies that were written for one kind of device are to be left aside on all of them: YATLAB_BODIES=general in the environment, for who
/// doubts one of ours, or `GeneralBodies`.
bool general_bodies_asked();

/// For tests: as long as one lives no tensor may, in any thread, so that what other devices do is done on the CPU.
class GeneralBodies {
 public:
  GeneralBodies();
  ~GeneralBodies();
  GeneralBodies(const GeneralBodies&) = delete;
  GeneralBodies& operator=(const GeneralBodies&) = delete;
};

}  // namespace yatlab

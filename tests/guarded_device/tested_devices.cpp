#include "guarded_device/tested_devices.h"

#include <ATen/Context.h>
#include <torch/cuda.h>

#include "guarded_device/guarded_device.h"

namespace yatlab::testing {

bool guarded_device_works() { return !at::hasCUDA(); }

std::vector<c10::Device> tested_devices() {
  if (torch::cuda::is_available()) return {c10::Device(c10::kCUDA, 0)};
  add_guarded_device();
  return {kGuarded};
}

std::string name_of(const c10::Device& device) { return device.is_cuda() ? "cuda" : "guarded"; }

}  // namespace yatlab::testing

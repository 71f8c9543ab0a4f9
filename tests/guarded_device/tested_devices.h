// The devices whose numbers are compared with the CPU's.
#pragma once

#include <c10/core/Device.h>

#include <string>
#include <vector>

namespace yatlab::testing {

/// CUDA's first where there is one, else the guarded one. As trainer.device names them: `name_of`.
std::vector<c10::Device> tested_devices();
/// Where LibTorch has CUDA its autograd takes no other kind of device, and there is nothing for tests of the guarded one itself.
bool guarded_device_works();
std::string name_of(const c10::Device& device);

}  // namespace yatlab::testing

// The devices whose results are compared with the CPU's.
#pragma once

#include <c10/core/Device.h>

#include <string>
#include <vector>

namespace yatlab::testing {

/// The first CUDA device if there is one, else the guarded one. `name_of` gives the name for trainer.device.
std::vector<c10::Device> tested_devices();
/// False if LibTorch has CUDA: its autograd then accepts no other kind of device, so tests of the guarded device itself cannot run.
bool guarded_device_works();
std::string name_of(const c10::Device& device);

}  // namespace yatlab::testing

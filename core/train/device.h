#pragma once

#include <c10/core/Device.h>

#include <string>

namespace yatlab {

/// `trainer.device`: "cpu", "cuda" or "cuda:1". Config error for anything else, whatever this machine has.
c10::Device device_of(const std::string& name);

/// Why the device cannot be used here ("this LibTorch was built without CUDA"); empty when it can.
std::string why_absent(const c10::Device& device);

}  // namespace yatlab

#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <string>

namespace yatlab {

/// `trainer.device`: "cpu", "cuda" or "cuda:1". Config error for anything else, whatever this machine has.
c10::Device device_of(const std::string& name);

/// The device of one of several ranks. Those of one machine take a GPU each, by their number there (`local_rank`), unless this process sees
/// (`visible`) one GPU alone: then a scheduler has given each its own (Slurm's --gpus-per-task, CUDA_VISIBLE_DEVICES), which all call cuda:0.
c10::Device device_of_rank(const std::string& name, std::int64_t local_rank, std::int64_t visible);
/// GPUs that this process sees.
std::int64_t visible_gpus();

/// Why the device cannot be used here ("this LibTorch was built without CUDA"); empty when it can.
std::string why_absent(const c10::Device& device);

}  // namespace yatlab

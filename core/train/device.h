#pragma once

#include <ATen/core/Generator.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <string>

namespace yatlab {

/// A kind of device besides cpu and cuda that `trainer.device` may name: what another backend of LibTorch brings. A plugin's entry point adds it.
struct DeviceKind {
  std::string name;      ///< "xpu": one is `trainer.device=xpu` or xpu:0
  c10::DeviceType type;  ///< tensor operations on it must be there; bodies written for the CPU's memory are not used
  /// Why such a device cannot be used here; empty when it can.
  std::function<std::string(const c10::Device&)> why_absent = {};
  /// A generator whose numbers `at::rand` takes there; by default a copy of LibTorch's own for the device.
  std::function<at::Generator(std::uint64_t seed)> generator = {};
};

/// Throws a config error where the name is taken.
void add_device_kind(DeviceKind kind);

/// `trainer.device`: "cpu", "cuda" or "cuda:1", or an added kind. Config error for anything else, whatever this machine has.
c10::Device device_of(const std::string& name);

/// The device of one of several ranks. Those of one machine take a GPU each, by their number there (`local_rank`), unless this process sees
/// (`visible`) one GPU alone: then a scheduler has given each its own (Slurm's --gpus-per-task, CUDA_VISIBLE_DEVICES), which all call cuda:0.
c10::Device device_of_rank(const std::string& name, std::int64_t local_rank, std::int64_t visible);
/// GPUs that this process sees.
std::int64_t visible_gpus();

/// Why the device cannot be used here ("this LibTorch was built without CUDA"); empty when it can.
std::string why_absent(const c10::Device& device);

/// A generator for random numbers that are drawn on the device, so that none has to be sent there. Each kind of device has numbers of its own.
at::Generator generator_on(const c10::Device& device, std::uint64_t seed);

}  // namespace yatlab

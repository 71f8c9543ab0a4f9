#pragma once

#include <ATen/core/Generator.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <string>

namespace yatlab {

/// A kind of device besides cpu and cuda that `trainer.device` may name, from another backend of LibTorch. A plugin's entry point adds it.
struct DeviceKind {
  std::string name;      ///< "xpu": selected by `trainer.device=xpu` or xpu:0
  c10::DeviceType type;  ///< tensor operations must be available on it; kernels for CPU memory are not used
  /// Why such a device cannot be used here; empty when it can.
  std::function<std::string(const c10::Device&)> why_absent = {};
  /// A generator whose numbers `at::rand` uses on that device; by default a copy of LibTorch's own for the device.
  std::function<at::Generator(std::uint64_t seed)> generator = {};
};

/// Throws a config error if the name is taken.
void add_device_kind(DeviceKind kind);

/// `trainer.device`: "cpu", "cuda" or "cuda:1", or an added kind. Config error for anything else, whether or not this machine has the device.
c10::Device device_of(const std::string& name);

/// The device of one of several ranks. Ranks on one machine use one GPU each, selected by `local_rank`. If this process sees only one GPU
/// (`visible`), a scheduler has assigned one per process (Slurm's --gpus-per-task, CUDA_VISIBLE_DEVICES), and each is cuda:0.
c10::Device device_of_rank(const std::string& name, std::int64_t local_rank, std::int64_t visible);
/// Number of GPUs that this process sees.
std::int64_t visible_gpus();

/// Why the device cannot be used here ("this LibTorch was built without CUDA"); empty when it can.
std::string why_absent(const c10::Device& device);

/// A generator for random numbers that are drawn on the device, so that none are transferred. Each kind of device produces different numbers.
at::Generator generator_on(const c10::Device& device, std::uint64_t seed);

}  // namespace yatlab

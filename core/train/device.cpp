#include "core/train/device.h"

#include <fmt/format.h>
#include <torch/cuda.h>

#include "core/base/error.h"
#include "core/base/text.h"

namespace yatlab {

c10::Device device_of(const std::string& name) {
  const auto colon = name.find(':');
  const auto kind = name.substr(0, colon);
  const auto index = colon == std::string::npos ? "" : name.substr(colon + 1);
  const bool numbered = colon != std::string::npos;
  const bool number = !index.empty() && index.size() <= 3 && index.find_first_not_of("0123456789") == std::string::npos;
  if (kind == "cpu" && !numbered) return c10::Device(c10::kCPU);
  if (kind == "cuda" && !numbered) return c10::Device(c10::kCUDA);
  if (kind == "cuda" && number) return c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(std::stoi(index) & 0x7F));
  throw config_error(fmt::format("trainer.device: '{}' is not a device", name), {}, {}, "use cpu, cuda or cuda:0");
}

c10::Device device_of_rank(const std::string& name, std::int64_t local_rank, std::int64_t visible) {
  if (name != "cuda") return device_of(name);
  return device_of(fmt::format("cuda:{}", visible == 1 ? 0 : local_rank));
}

std::int64_t visible_gpus() { return torch::cuda::is_available() ? static_cast<std::int64_t>(torch::cuda::device_count()) : 0; }

std::string why_absent(const c10::Device& device) {
  if (device.is_cpu()) return {};
  if (!torch::cuda::is_available()) return "no CUDA device can be used: this LibTorch was built without CUDA, or there is no GPU or driver";
  const auto count = static_cast<int>(torch::cuda::device_count());
  if (device.has_index() && device.index() >= count) return fmt::format("there are {} CUDA devices, counted from 0", count);
  return {};
}

}  // namespace yatlab

#include "core/train/device.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <fmt/format.h>
#include <torch/cuda.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"

namespace yatlab {
namespace {

struct AddedKinds {
  std::mutex mutex;
  std::vector<DeviceKind> kinds;
};
AddedKinds& added() {
  static AddedKinds& all = *new AddedKinds;
  return all;
}

template <class Is>
std::optional<DeviceKind> added_kind(const Is& is) {
  auto& all = added();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto it = std::find_if(all.kinds.begin(), all.kinds.end(), is);
  return it == all.kinds.end() ? std::nullopt : std::optional(*it);
}

std::optional<DeviceKind> kind_of_type(c10::DeviceType type) {
  return added_kind([&](const DeviceKind& k) { return k.type == type; });
}

std::string usable_names() {
  auto& all = added();
  const std::lock_guard<std::mutex> lock(all.mutex);
  std::string out = "use cpu, cuda or cuda:0";
  for (const auto& kind : all.kinds) out += ", or " + kind.name;
  return out;
}

}  // namespace

void add_device_kind(DeviceKind kind) {
  if (kind.name == "cpu" || kind.name == "cuda" || added_kind([&](const DeviceKind& k) { return k.name == kind.name; })) {
    throw config_error(fmt::format("the device kind '{}' already exists", kind.name), "trainer.device", {}, "give it a different name");
  }
  auto& all = added();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.kinds.push_back(std::move(kind));
}

c10::Device device_of(const std::string& name) {
  const auto colon = name.find(':');
  const auto kind = name.substr(0, colon);
  const auto index = colon == std::string::npos ? "" : name.substr(colon + 1);
  const bool numbered = colon != std::string::npos;
  const bool number = !index.empty() && index.size() <= 3 && index.find_first_not_of("0123456789") == std::string::npos;
  const auto of_type = [&](c10::DeviceType type) {
    return number ? c10::Device(type, static_cast<c10::DeviceIndex>(std::stoi(index) & 0x7F)) : c10::Device(type);
  };
  if (kind == "cpu" && !numbered) return c10::Device(c10::kCPU);
  if (kind == "cuda" && (number || !numbered)) return of_type(c10::kCUDA);
  const auto other = added_kind([&](const DeviceKind& k) { return k.name == kind; });
  if (other && (number || !numbered)) return of_type(other->type);
  throw config_error(fmt::format("trainer.device: '{}' is not a device", name), {}, {}, usable_names());
}

c10::Device device_of_rank(const std::string& name, std::int64_t local_rank, std::int64_t visible) {
  if (name != "cuda") return device_of(name);
  return device_of(fmt::format("cuda:{}", visible == 1 ? 0 : local_rank));
}

std::int64_t visible_gpus() { return torch::cuda::is_available() ? static_cast<std::int64_t>(torch::cuda::device_count()) : 0; }

std::string why_absent(const c10::Device& device) {
  if (device.is_cpu()) return {};
  if (const auto kind = kind_of_type(device.type())) return kind->why_absent ? kind->why_absent(device) : std::string();
  if (!torch::cuda::is_available())
    return "no CUDA device is available: this LibTorch was built without CUDA, or there is no GPU or driver";
  const auto count = static_cast<int>(torch::cuda::device_count());
  if (device.has_index() && device.index() >= count) return fmt::format("there are {} CUDA devices, counted from 0", count);
  return {};
}

at::Generator generator_on(const c10::Device& device, std::uint64_t seed) {
  if (device.is_cpu()) return at::make_generator<at::CPUGeneratorImpl>(seed);
  const auto kind = kind_of_type(device.type());
  if (kind && kind->generator) return kind->generator(seed);
  at::Generator out = at::globalContext().defaultGenerator(device).clone();
  out.set_current_seed(seed);
  return out;
}

}  // namespace yatlab

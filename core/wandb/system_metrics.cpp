#include "core/wandb/system_metrics.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

namespace yatlab::wandb {
namespace {

/// "MemTotal:  123 kB" of /proc/meminfo or /proc/self/status, in kB (or as it stands); 0 when absent.
double proc_value(const char* file, const std::string& name) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.compare(0, name.size() + 1, name + ":") == 0) return std::strtod(line.c_str() + name.size() + 1, nullptr);
  }
  return 0;
}

}  // namespace

/// NVML, as far as it is needed. Its ABI has not changed in ten years.
struct SystemMetrics::Gpus {
  using Device = void*;
  struct Utilization {
    unsigned gpu, memory;
  };
  struct Memory {
    unsigned long long total, free, used;
  };
  struct Library {
    void* handle = dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);
    template <class F>
    F* find(const char* name) const {
      return handle ? reinterpret_cast<F*>(dlsym(handle, name)) : nullptr;
    }
  } library;
  std::vector<Device> devices;
  int (*shutdown)() = library.find<int()>("nvmlShutdown");
  int (*utilization)(Device, Utilization*) = library.find<int(Device, Utilization*)>("nvmlDeviceGetUtilizationRates");
  int (*memory)(Device, Memory*) = library.find<int(Device, Memory*)>("nvmlDeviceGetMemoryInfo");
  int (*temperature)(Device, int, unsigned*) = library.find<int(Device, int, unsigned*)>("nvmlDeviceGetTemperature");
  int (*power)(Device, unsigned*) = library.find<int(Device, unsigned*)>("nvmlDeviceGetPowerUsage");
  int (*power_limit)(Device, unsigned*) = library.find<int(Device, unsigned*)>("nvmlDeviceGetEnforcedPowerLimit");
  int (*clock)(Device, int, unsigned*) = library.find<int(Device, int, unsigned*)>("nvmlDeviceGetClockInfo");
  int (*device_name)(Device, char*, unsigned) = library.find<int(Device, char*, unsigned)>("nvmlDeviceGetName");
  bool ready = false;

  Gpus() {
    auto* init = library.find<int()>("nvmlInit_v2");
    auto* get_count = library.find<int(unsigned*)>("nvmlDeviceGetCount_v2");
    auto* get_device = library.find<int(unsigned, Device*)>("nvmlDeviceGetHandleByIndex_v2");
    if (!init || !get_count || !get_device || init() != 0) return;
    ready = true;
    unsigned count = 0;
    if (get_count(&count) != 0) return;
    for (unsigned i = 0; i < count; ++i) {
      Device device = nullptr;
      if (get_device(i, &device) == 0) devices.push_back(device);
    }
  }
  ~Gpus() {
    if (ready && shutdown) shutdown();
    if (library.handle) dlclose(library.handle);
  }

  void sample(std::vector<std::pair<std::string, double>>& out) const {
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const auto add = [&](const char* name, double value) { out.emplace_back(fmt::format("gpu.{}.{}", i, name), value); };
      const auto device = devices[i];
      Utilization use{};
      if (utilization && utilization(device, &use) == 0) {
        add("gpu", use.gpu);
        add("memory", use.memory);
      }
      Memory m{};
      if (memory && memory(device, &m) == 0 && m.total > 0) {
        add("memoryAllocated", 100.0 * static_cast<double>(m.used) / static_cast<double>(m.total));
        add("memoryAllocatedBytes", static_cast<double>(m.used));
      }
      unsigned value = 0, limit = 0;
      if (temperature && temperature(device, 0, &value) == 0) add("temp", value);
      if (power && power(device, &value) == 0) {
        add("powerWatts", value / 1000.0);
        if (power_limit && power_limit(device, &limit) == 0 && limit > 0) add("powerPercent", 100.0 * value / limit);
      }
      if (clock && clock(device, 1, &value) == 0) add("smClock", value);
    }
  }
};

SystemMetrics::SystemMetrics(fs::path disk) : disk_(std::move(disk)), gpus_(std::make_unique<Gpus>()) { sample(); }
SystemMetrics::~SystemMetrics() = default;

std::vector<std::pair<std::string, double>> SystemMetrics::sample() {
  std::vector<std::pair<std::string, double>> out;
  std::ifstream stat("/proc/stat");
  std::string word;
  stat >> word;
  double total = 0, idle = 0, value = 0;
  for (int i = 0; i < 8 && stat >> value; ++i) {
    total += value;
    if (i == 3 || i == 4) idle += value;  // idle, waiting for a disk
  }
  if (total > total_) out.emplace_back("cpu", 100 * (total - idle - busy_) / (total - total_));
  busy_ = total - idle;
  total_ = total;

  const double memory = proc_value("/proc/meminfo", "MemTotal"), available = proc_value("/proc/meminfo", "MemAvailable");
  const double resident = proc_value("/proc/self/status", "VmRSS");
  if (memory > 0) {
    out.emplace_back("memory_percent", 100 * (1 - available / memory));
    out.emplace_back("proc.memory.percent", 100 * resident / memory);
  }
  out.emplace_back("proc.memory.availableMB", available / 1024);
  out.emplace_back("proc.memory.rssMB", resident / 1024);
  out.emplace_back("proc.cpu.threads", proc_value("/proc/self/status", "Threads"));
  std::error_code ec;
  const auto space = fs::space(disk_, ec);
  if (!ec && space.capacity > 0) {
    out.emplace_back("disk./.usagePercent", 100.0 * (1 - static_cast<double>(space.free) / static_cast<double>(space.capacity)));
  }
  gpus_->sample(out);
  return out;
}

nlohmann::ordered_json SystemMetrics::hardware() const {
  nlohmann::ordered_json out;
  const auto cores = std::thread::hardware_concurrency();
  out["cpu_count"] = cores;
  out["cpu_count_logical"] = cores;
  out["memory"] = {{"total", fmt::format("{:.0f}", 1024 * proc_value("/proc/meminfo", "MemTotal"))}};
  if (gpus_->devices.empty()) return out;
  auto list = nlohmann::ordered_json::array();
  for (const auto device : gpus_->devices) {
    char name[96] = "";
    Gpus::Memory m{};
    if (gpus_->device_name) gpus_->device_name(device, name, sizeof name);
    if (gpus_->memory) gpus_->memory(device, &m);
    list.push_back({{"name", name}, {"memoryTotal", std::to_string(m.total)}});
  }
  out["gpu"] = list.front().at("name");
  out["gpu_count"] = list.size();
  out["gpu_nvidia"] = list;
  return out;
}

}  // namespace yatlab::wandb

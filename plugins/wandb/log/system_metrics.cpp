#include "plugins/wandb/log/system_metrics.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

namespace yatlab::wandb {
namespace {

/// "MemTotal:  123 kB" of /proc/meminfo or /proc/self/status, in kB (or the file's unit); 0 when absent.
double proc_value(const fs::path& file, const std::string& name) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.compare(0, name.size() + 1, name + ":") == 0) return std::strtod(line.c_str() + name.size() + 1, nullptr);
  }
  return 0;
}

}  // namespace

/// The part of NVML in use. Its ABI has not changed in ten years.
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

SystemMetrics::SystemMetrics(fs::path disk, fs::path proc)
    : disk_(std::move(disk)), proc_(std::move(proc)), network_(network()), disks_(disks()), gpus_(std::make_unique<Gpus>()) {
  sample();
}
SystemMetrics::~SystemMetrics() = default;

// "cpu  user nice system idle iowait irq softirq steal ...", then the same for each core.
void SystemMetrics::sample_cores(Values& out) {
  std::ifstream stat(proc_ / "stat");
  for (std::string line; std::getline(stat, line) && line.compare(0, 3, "cpu") == 0;) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    double total = 0, idle = 0, value = 0;
    for (int i = 0; i < 8 && words >> value; ++i) {
      total += value;
      if (i == 3 || i == 4) idle += value;  // idle, and waiting for a disk
    }
    auto& before = cores_[name];
    if (total > before.total) {
      const double percent = 100 * (total - idle - before.busy) / (total - before.total);
      out.emplace_back(name == "cpu" ? name : fmt::format("cpu.{}.cpu_percent", name.substr(3)), percent);
    }
    before = {total - idle, total};
  }
}

// Summed over all interfaces: "eth0: bytes packets ... (8 numbers in) bytes packets ... (8 out)".
SystemMetrics::Transfer SystemMetrics::network() const {
  Transfer out;
  std::ifstream in(proc_ / "net/dev");
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::istringstream numbers(line.substr(colon + 1));
    double value = 0;
    for (int i = 0; i < 9 && numbers >> value; ++i) {
      if (i == 0) out.in += value;
      if (i == 8) out.out += value;
    }
  }
  return out;
}

// The device that holds the folder, by its number; if there is none (overlays, networks), all whole disks.
std::map<std::string, SystemMetrics::Transfer> SystemMetrics::disks() const {
  struct ::stat status {};
  const bool known = ::stat(disk_.c_str(), &status) == 0;
  std::map<std::string, Transfer> own, all;
  std::ifstream in(proc_ / "diskstats");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    unsigned major = 0, minor = 0;
    std::string name;
    double reads = 0, merged = 0, sectors_in = 0, milliseconds = 0, writes = 0, merged_writes = 0, sectors_out = 0;
    if (!(words >> major >> minor >> name >> reads >> merged >> sectors_in >> milliseconds >> writes >> merged_writes >> sectors_out))
      continue;
    const Transfer transfer{512 * sectors_in, 512 * sectors_out};
    if (known && major == ::major(status.st_dev) && minor == ::minor(status.st_dev)) own[name] = transfer;
    const bool memory = name.rfind("loop", 0) == 0 || name.rfind("ram", 0) == 0 || name.rfind("zram", 0) == 0;
    if (!memory && fs::exists("/sys/block/" + name)) all[name] = transfer;
  }
  return own.empty() ? all : own;
}

std::vector<std::pair<std::string, double>> SystemMetrics::sample() {
  Values out;
  sample_cores(out);
  const double memory = proc_value(proc_ / "meminfo", "MemTotal"), available = proc_value(proc_ / "meminfo", "MemAvailable");
  const double resident = proc_value(proc_ / "self/status", "VmRSS");
  if (memory > 0) {
    out.emplace_back("memory_percent", 100 * (1 - available / memory));
    out.emplace_back("proc.memory.percent", 100 * resident / memory);
  }
  out.emplace_back("proc.memory.availableMB", available / 1024);
  out.emplace_back("proc.memory.rssMB", resident / 1024);
  out.emplace_back("proc.cpu.threads", proc_value(proc_ / "self/status", "Threads"));
  const auto now = network();
  out.emplace_back("network.sent", std::max(0.0, now.out - network_.out));
  out.emplace_back("network.recv", std::max(0.0, now.in - network_.in));
  std::error_code ec;
  const auto space = fs::space(disk_, ec);
  if (!ec && space.capacity > 0) {
    const auto used = static_cast<double>(space.capacity - space.free);
    out.emplace_back("disk./.usagePercent", 100 * used / static_cast<double>(space.capacity));
    out.emplace_back("disk./.usageGB", used / (1 << 30));
  }
  for (const auto& [name, disk] : disks()) {
    const auto before = disks_.find(name);
    if (before == disks_.end()) continue;
    out.emplace_back(fmt::format("disk.{}.in", name), std::max(0.0, disk.in - before->second.in) / (1 << 20));
    out.emplace_back(fmt::format("disk.{}.out", name), std::max(0.0, disk.out - before->second.out) / (1 << 20));
  }
  gpus_->sample(out);
  return out;
}

nlohmann::ordered_json SystemMetrics::hardware() const {
  nlohmann::ordered_json out;
  const auto cores = std::thread::hardware_concurrency();
  out["cpu_count"] = cores;
  out["cpu_count_logical"] = cores;
  out["memory"] = {{"total", fmt::format("{:.0f}", 1024 * proc_value(proc_ / "meminfo", "MemTotal"))}};
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

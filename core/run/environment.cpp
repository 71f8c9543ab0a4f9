#include "core/run/environment.h"

#include <torch/version.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/process.h"
#include "core/base/text.h"
#include "core/compose/identity.h"
#include "core/registry/plugin_library.h"

namespace yatlab {
namespace {

std::string cpu_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("model name", 0) == 0) return trim(line.substr(line.find(':') + 1));
  }
  return "unknown";
}

/// As NVIDIA's driver names it; LibTorch has no name for it without CUDA's headers.
std::string gpu_model() {
  std::error_code failed;
  for (const auto& gpu : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", failed)) {
    std::ifstream in(gpu.path() / "information");
    for (std::string line; std::getline(in, line);) {
      if (line.rfind("Model:", 0) == 0) return trim(line.substr(line.find(':') + 1));
    }
  }
  return "an unknown GPU";
}

}  // namespace

nlohmann::ordered_json describe_environment(const std::string& command, bool on_gpu) {
  nlohmann::ordered_json out{{"command", command}};
  out["host"] = host_name();
  out["cpu"] = cpu_model();
  if (on_gpu) out["gpu"] = gpu_model();
  out["cores"] = std::thread::hardware_concurrency();
  out["compiler"] = __VERSION__;
  out["cxx_standard"] = __cplusplus;
  out["libtorch"] = TORCH_VERSION;
  out["code"] = code_hash();
  const auto built_from = source_revision();
  out["git"] = {{"revision", built_from.revision}, {"dirty", built_from.changed}};
  for (const char* name :
       {"OMP_NUM_THREADS", "OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "YATLAB_DATA", "SOURCE_DATE_EPOCH"}) {
    if (const char* value = std::getenv(name)) out["variables"][name] = value;
  }
  out["plugins"] = nlohmann::ordered_json::array();
  for (const auto& plugin : loaded_plugins()) {
    out["plugins"].push_back(
        {{"name", plugin.name}, {"version", plugin.version}, {"sha256", plugin.sha256}, {"components", plugin.components}});
  }
  return out;
}

}  // namespace yatlab

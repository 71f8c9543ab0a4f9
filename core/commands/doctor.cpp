#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <torch/version.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/print.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/cli/blas.h"
#include "core/cli/command.h"
#include "core/ops/torch_operators.h"
#include "core/system/cpu.h"
#include "core/train/device.h"
#include "core/train/threads.h"

namespace yatlab::cli {
namespace {

/// Prints one finding: what, value, and advice if something can be improved.
void row(bool good, const std::string& what, const std::string& value, const std::string& advice = {}) {
  say("  {} {:<14} {}\n", good ? "ok  " : "poor", what, value);
  if (!good && !advice.empty()) say("       {:<14} -> {}\n", "", advice);
}

/// GFLOP/s of a 512 x 768 x 3072 product: the median of several, after a warm-up.
double matmul_rate(at::ScalarType type) {
  at::NoGradGuard no_grad;
  const auto a = at::randn({512, 768}).to(type), b = at::randn({768, 3072}).to(type);
  at::mm(a, b);
  std::vector<double> seconds;
  for (int i = 0; i < 7; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    at::mm(a, b);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + 3, seconds.end());
  return 2.0 * 512 * 768 * 3072 / seconds[3] / 1e9;
}

void show_gnuplot() {
  std::string version;
  try {
    version = trim(run_process({"gnuplot", "--version"}).output);
  } catch (const Error&) {  // not installed
  }
  row(!version.empty(), "figures", version.empty() ? "gnuplot is missing" : version, "apt-get install gnuplot-nox fonts-dejavu-core");
}

void show_blas() {
  const auto blas = describe_openblas();
  if (blas.loaded) {
    row(true, "BLAS", fmt::format("{}, kernels {}", blas.config, blas.core));
  } else if (at::hasMKL()) {
    row(true, "BLAS", "MKL, LibTorch's own");
  } else {
    row(false, "BLAS", "not OpenBLAS; Debian's reference BLAS is 30 times slower", "apt-get install libopenblas0-pthread (run.sh does)");
  }
}

void show_cuda() {
  if (!at::hasCUDA()) {
    row(true, "CUDA", "not in this LibTorch (TORCH_ROOT chooses another)");
    return;
  }
  const auto gpus = visible_gpus();
  row(gpus > 0, "CUDA", fmt::format("{} device{} (trainer.device=cuda)", gpus, gpus == 1 ? "" : "s"),
      "nvidia-smi shows whether there is a driver");
  const bool ours = has_kernels_for(c10::DispatchKey::CUDA);
  row(ours, "CUDA kernels", ours ? "built" : "not built: operators run as plain tensor operations, which are correct but slower",
      "put nvcc on the PATH, remove build/release and build again");
}

void show_speed(int threads) {
  set_compute_threads(threads);
  const double fp32 = matmul_rate(at::kFloat), bf16 = matmul_rate(at::kBFloat16);
  row(fp32 > 25.0 * threads, "fp32 matmul", fmt::format("{:.0f} GFLOP/s with {} threads", fp32, threads),
      fmt::format("OpenBLAS may run old kernels: try OPENBLAS_CORETYPE={}", best_blas_kernels()));
  const auto& cpu = CpuFlags::here();
  const bool amx = cpu.has("amx_bf16");
  const char* how = amx ? "AMX" : cpu.fast_bfloat16() ? "AVX512-BF16" : "computed in float32: this CPU has no fast bfloat16 instructions";
  row(!cpu.fast_bfloat16() || bf16 > (amx ? 2 : 1.2) * fp32, "bf16 matmul", fmt::format("{:.0f} GFLOP/s ({})", bf16, how),
      fmt::format("{} is available but not used: a newer LibTorch or oneDNN is needed", how));
}

void show_disk() {
  struct statvfs fs {};
  if (statvfs(".", &fs) != 0) return;
  const double free = static_cast<double>(fs.f_bavail) * static_cast<double>(fs.f_frsize) / 1e9;
  row(free > 5, "disk", fmt::format("{:.1f} GB free here", free), "runs and data need a few GB");
}

void show_data() {
  std::vector<std::string> found;
  for (const std::string& root :
       {std::string("data"), std::string(std::getenv("YATLAB_DATA") ? std::getenv("YATLAB_DATA") : ""), std::string("../shared/data")}) {
    std::error_code ec;
    if (!root.empty() && std::filesystem::is_directory(root, ec)) found.push_back(root);
  }
  row(!found.empty(), "data", found.empty() ? "no data folder yet" : join(found, ", "),
      "nothing to do: data is downloaded when first needed; 'yatlab data list' shows more");
}

void show_wandb() {
  const char* key = std::getenv("WANDB_API_KEY");
  const char* mode = std::getenv("WANDB_MODE");
  row(true, "W&B", fmt::format("API key {}, mode {}", key && *key ? "is set" : "is not set", mode ? mode : "(default)"));
}

}  // namespace

int doctor_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const auto& cpu = CpuFlags::here();
  row(true, "yatlab", fmt::format("{}, C++{}, {}", YATLAB_VERSION, __cplusplus / 100 % 100, __VERSION__));
  row(true, "LibTorch", TORCH_VERSION);
  show_blas();
  row(cores > 1, "CPU",
      fmt::format("{} cores{}{}{}", cores, cpu.has("avx2") ? ", AVX2" : "", cpu.has("avx512f") ? ", AVX-512" : "",
                  cpu.has("amx_bf16") ? ", AMX" : ""),
      "one core runs one job at a time");
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return fmt::format("{}={}", name, value ? value : "(unset)");
  };
  row(std::getenv("OMP_WAIT_POLICY") || std::getenv("GOMP_SPINCOUNT"), "threads", set("OMP_WAIT_POLICY") + ", " + set("GOMP_SPINCOUNT"),
      "start bin/yatlab or run.sh, or set GOMP_SPINCOUNT=5000: OpenMP threads that spin while they wait take cores from OpenBLAS");
  show_speed(cores);
  show_cuda();
  show_gnuplot();
  show_disk();
  show_data();
  show_wandb();
  return 0;
}

}  // namespace yatlab::cli

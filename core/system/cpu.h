#pragma once

#include <string>

namespace yatlab {

/// The features of a processor by the kernel's names (the flags of /proc/cpuinfo): "avx2", "avx512_bf16", "amx_bf16".
class CpuFlags {
 public:
  /// Parses the text of /proc/cpuinfo.
  explicit CpuFlags(const std::string& cpuinfo);
  /// The flags of this machine; empty if there is no /proc/cpuinfo.
  static const CpuFlags& here();

  bool has(const std::string& flag) const;
  /// Whether products are faster in bfloat16 than in float32: with AMX, or with AVX512-BF16 unless the CPU is Intel's, whose AVX512-BF16 has
  /// half of float32's rate (docs/measurements/performance.md).
  bool fast_bfloat16() const { return has("amx_bf16") || (has("avx512_bf16") && !intel_); }

 private:
  std::string flags_;
  bool intel_ = false;
};

}  // namespace yatlab

#pragma once

#include <string>

namespace yatlab {

/// What a processor can do, as the kernel names it (the flags of /proc/cpuinfo): "avx2", "avx512_bf16", "amx_bf16".
class CpuFlags {
 public:
  /// From the text of /proc/cpuinfo.
  explicit CpuFlags(const std::string& cpuinfo);
  /// This machine's; without any where there is no /proc/cpuinfo.
  static const CpuFlags& here();

  bool has(const std::string& flag) const;
  /// Products of bfloat16 have instructions of their own.
  bool multiplies_bfloat16() const { return has("avx512_bf16") || has("amx_bf16"); }

 private:
  std::string flags_;
};

}  // namespace yatlab

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
  /// Whether bfloat16 products have their own instructions.
  bool multiplies_bfloat16() const { return has("avx512_bf16") || has("amx_bf16"); }

 private:
  std::string flags_;
};

}  // namespace yatlab

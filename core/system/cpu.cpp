#include "core/system/cpu.h"

#include <sstream>

#include "core/base/files.h"

namespace yatlab {

CpuFlags::CpuFlags(const std::string& cpuinfo) {
  std::istringstream lines(cpuinfo);
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(':');
    if (line.compare(0, 9, "vendor_id") == 0) intel_ = line.find("GenuineIntel") != std::string::npos;
    if (colon == std::string::npos || line.compare(0, 5, "flags") != 0) continue;
    flags_ = line.substr(colon + 1) + " ";
    return;  // all cores have the same
  }
}

const CpuFlags& CpuFlags::here() {
  static const CpuFlags flags(fs::exists("/proc/cpuinfo") ? read_file("/proc/cpuinfo") : std::string());
  return flags;
}

bool CpuFlags::has(const std::string& flag) const { return flags_.find(" " + flag + " ") != std::string::npos; }

}  // namespace yatlab

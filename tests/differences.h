#pragma once

#include <map>
#include <string>
#include <vector>

namespace yatlab::testing {

/// Names of entries that differ between two maps from name to content, for failure messages that say more than "not equal".
inline std::vector<std::string> differences(const std::map<std::string, std::string>& a, const std::map<std::string, std::string>& b) {
  std::vector<std::string> out;
  for (const auto& [name, bytes] : a) {
    const auto it = b.find(name);
    if (it == b.end() || it->second != bytes) out.push_back(name);
  }
  for (const auto& [name, bytes] : b) {
    if (!a.count(name)) out.push_back(name);
  }
  return out;
}

}  // namespace yatlab::testing

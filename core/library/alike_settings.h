#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/files.h"

namespace yatlab {

/// Reads the settings of jobs of one arm, as flat_settings of their configs. Their files are nearly equal: if one differs from the first only in the
/// values of a few lines, only these are parsed.
class AlikeSettings {
 public:
  /// Throws as read_job_file does.
  std::map<std::string, std::string> read(const fs::path& job_directory);
  /// Files that were parsed as a whole; for tests.
  std::size_t parsed() const { return parsed_; }

 private:
  std::optional<std::map<std::string, std::string>> like_the_first(const std::vector<std::string>& lines) const;

  std::vector<std::string> lines_;              ///< of the first file
  std::vector<std::vector<std::string>> keys_;  ///< keys that each line sets: a component's name counts twice
  std::map<std::string, std::string> settings_;
  std::size_t parsed_ = 0;
};

}  // namespace yatlab

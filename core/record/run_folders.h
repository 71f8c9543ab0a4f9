#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/files.h"

namespace yatlab {

/// A run as its place tells: `results/<experiment>/<id>`.
struct RunFolder {
  std::string experiment, id;
  fs::path path;
  std::string name() const { return experiment + "/" + id; }
};

/// All runs below `results`, the newest first; what is not a run (a report, what a dead process had begun) is left out. Folders that
/// cannot be read are as if they were not there.
std::vector<RunFolder> run_folders(const fs::path& results);

/// The id that `results/<experiment>/latest` points to; "" when it points nowhere.
std::string latest_id(const fs::path& results, const std::string& experiment);

/// When a run was begun, in seconds since 1970, as its id ("2026-11-21_14-02-11-3fa9c1", local time) says; nothing for other names.
std::optional<std::int64_t> begun_at(const std::string& id);

/// "12 s", "5 min", "3 h", "9 d": how long ago.
std::string age_text(std::int64_t seconds);

}  // namespace yatlab

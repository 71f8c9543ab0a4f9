#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/files.h"

namespace yatlab {

/// A run identified by its folder: `results/<experiment>/<id>`.
struct RunFolder {
  std::string experiment, id;
  fs::path path;
  std::string name() const { return experiment + "/" + id; }
};

/// All runs below `results`, the newest first. Skips entries that are not runs (reports, leftovers of dead processes) and folders that cannot be
/// read.
std::vector<RunFolder> run_folders(const fs::path& results);

/// The id that `results/<experiment>/latest` points to; "" if there is none.
std::string latest_id(const fs::path& results, const std::string& experiment);

/// The start of a run in seconds since 1970, from its id ("2026-11-21_14-02-11-3fa9c1", local time); nullopt for other names.
std::optional<std::int64_t> begun_at(const std::string& id);

/// A duration in short: "12 s", "5 min", "3 h", "9 d".
std::string age_text(std::int64_t seconds);

}  // namespace yatlab

#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/base/files.h"

namespace yatlab {

/// All that the page shows of a run but its curves. `now`: seconds since 1970. Throws a data error where the folder holds no run.
nlohmann::ordered_json run_json(const fs::path& run, std::int64_t now);

/// A figure of a run's report, drawn from what is there now: [{id, caption, note, svg}], or {error, why} where it cannot be drawn yet. Throws a config
/// error where the report has no such figure.
nlohmann::ordered_json figure_json(const fs::path& run, const std::string& id);

}  // namespace yatlab

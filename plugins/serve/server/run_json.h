#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/base/files.h"

namespace yatlab {

/// Everything that the page shows of a run except its curves. `now`: seconds since 1970. Throws a data error if the folder holds no run.
nlohmann::ordered_json run_json(const fs::path& run, std::int64_t now);

/// A figure of a run's report, drawn from the present data: [{id, caption, note, svg}], or {error, why} if it cannot be drawn yet. Throws a data
/// error if the report has no such figure.
nlohmann::ordered_json figure_json(const fs::path& run, const std::string& id);

}  // namespace yatlab

#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "core/base/files.h"

namespace yatlab {

/// All that the page shows of a run but its curves. `now`: seconds since 1970. Throws a data error where the folder holds no run.
nlohmann::ordered_json run_json(const fs::path& run, std::int64_t now);

}  // namespace yatlab

#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/base/files.h"
#include "core/base/node.h"

namespace yatlab {

/// The values of a config that are not maps, by dotted key, in its order. Empty maps count.
std::vector<std::pair<std::string, const Node*>> settings_of(const Node& config);

/// Where each value of a composed experiment was set: {"optimizer.lr": "configs/optimizer/adam.yaml:3:5", ...}.
nlohmann::ordered_json setting_sources(const Node& experiment);

/// What `setting_sources` gave when the run was made (sources.json in its folder). Empty for runs that did not record it.
std::map<std::string, std::string> read_setting_sources(const fs::path& run);

}  // namespace yatlab

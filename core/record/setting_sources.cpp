#include "core/record/setting_sources.h"

#include <nlohmann/json.hpp>

#include "core/base/json_text.h"

namespace yatlab {
namespace {

void add_settings(const Node& node, const std::string& key, std::vector<std::pair<std::string, const Node*>>& out) {
  if (!node.is_map() || (node.size() == 0 && !key.empty())) {
    out.emplace_back(key, &node);
    return;
  }
  for (const auto& [name, value] : node.as_map()) add_settings(value, key.empty() ? name : key + "." + name, out);
}

}  // namespace

std::vector<std::pair<std::string, const Node*>> settings_of(const Node& config) {
  std::vector<std::pair<std::string, const Node*>> out;
  add_settings(config, "", out);
  return out;
}

nlohmann::ordered_json setting_sources(const Node& experiment) {
  auto out = nlohmann::ordered_json::object();
  for (const auto& [key, value] : settings_of(experiment)) {
    if (const auto source = value->origin().describe(); !source.empty()) out[key] = source;
  }
  return out;
}

std::map<std::string, std::string> read_setting_sources(const fs::path& run) {
  std::map<std::string, std::string> out;
  const auto path = run / "sources.json";
  if (!is_there(path)) return out;
  const auto json = parse_json(read_json_text(path), false);
  if (!json.is_object()) return out;
  for (const auto& [key, source] : json.items()) {
    if (source.is_string()) out[key] = source.get<std::string>();
  }
  return out;
}

}  // namespace yatlab

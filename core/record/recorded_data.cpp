#include "core/record/recorded_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/json_text.h"
#include "core/base/text.h"

namespace yatlab {
namespace {

using Json = nlohmann::ordered_json;

/// The one value that each setting of a data set has at all points which use the data set with this index: {"task": "sort"}.
std::map<std::string, std::string> data_settings(const Json& summary, std::size_t index) {
  std::map<std::string, std::set<std::string>> values;
  const auto arms = summary.value("arms", Json::object());
  for (const auto& [name, arm] : arms.items()) {
    for (const auto& point : arm.value("points", Json::array())) {
      const auto used = point.value("datasets", Json::array());
      if (std::find(used.begin(), used.end(), Json(index)) == used.end()) continue;
      const auto params = point.value("params", Json::object());
      for (const auto& [key, value] : params.items()) {
        if (key.rfind("dataset.", 0) == 0) values[key.substr(8)].insert(value.is_string() ? value.get<std::string>() : dump_json(value));
      }
    }
  }
  std::map<std::string, std::string> out;
  for (const auto& [key, all] : values) {
    if (all.size() == 1) out[key] = *all.begin();
  }
  return out;
}

RecordedData recorded(const Json& json) {
  const auto text = [&](const char* key) { return yatlab::text_in(json, key); };
  DatasetUse use{text("name"), text("sha256"), text("tier"), text("substituted_for")};
  return {use, use.name};
}

}  // namespace

std::vector<RecordedData> recorded_data(const Json& summary) {
  std::vector<RecordedData> out;
  const auto several = summary.value("datasets", Json::array());
  for (const auto& each : several) out.push_back(recorded(each));
  if (const auto one = summary.find("dataset"); several.empty() && one != summary.end() && one->is_object()) out.push_back(recorded(*one));
  std::map<std::string, std::size_t> named;
  for (const auto& data : out) ++named[data.use.name];
  for (std::size_t i = 0; i < several.size(); ++i) {
    if (named[out[i].use.name] == 1) continue;
    std::vector<std::string> words;
    for (const auto& [key, value] : data_settings(summary, i)) words.push_back(key + ": " + value);
    if (!words.empty()) out[i].title = fmt::format("{} ({})", out[i].use.name, join(words, ", "));
  }
  for (const auto& each : summary.value("other_datasets", Json::array())) out.push_back(recorded(each));
  return out;
}

}  // namespace yatlab

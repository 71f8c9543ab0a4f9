#include "core/verdict/metric_docs.h"

#include <algorithm>

#include "core/base/json_text.h"
#include "core/verdict/format.h"
#include "core/verdict/verdict.h"

namespace yatlab {
namespace {

using Json = nlohmann::ordered_json;

template <class Value>
std::string name_in(const std::vector<std::pair<std::string, Value>>& names, Value value) {
  return std::find_if(names.begin(), names.end(), [&](const auto& entry) { return entry.second == value; })->first;
}

template <class Value>
std::optional<Value> named(const std::vector<std::pair<std::string, Value>>& names, const Json& entry, const char* key) {
  const auto text = entry.find(key);
  for (const auto& [name, value] : names) {
    if (text != entry.end() && *text == name) return value;
  }
  return std::nullopt;
}

}  // namespace

Json metric_docs_json(const std::vector<MetricDoc>& docs) {
  Json out = Json::array();
  for (const auto& doc : docs) {
    Json& entry = out.emplace_back(Json{{"name", doc.name}});
    if (!doc.title.empty()) entry["title"] = doc.title;
    if (!doc.unit.empty()) entry["unit"] = doc.unit;
    if (doc.better) entry["better"] = name_in(directions(), *doc.better);
    if (doc.format) entry["format"] = name_in(number_formats(), *doc.format);
    if (doc.tabulated) entry["shown"] = true;
  }
  return out;
}

std::vector<MetricDoc> metric_docs_of(const Json& list) {
  std::vector<MetricDoc> out;
  if (!list.is_array()) return out;
  for (const auto& entry : list) {
    const auto name = entry.is_object() ? text_in(entry, "name") : std::string();
    if (name.empty()) continue;
    MetricDoc doc(name);
    doc.title = text_in(entry, "title");
    doc.unit = text_in(entry, "unit");
    doc.better = named(directions(), entry, "better");
    doc.format = named(number_formats(), entry, "format");
    const auto shown = entry.find("shown");
    doc.tabulated = shown != entry.end() && *shown == true;
    out.push_back(std::move(doc));
  }
  return out;
}

}  // namespace yatlab

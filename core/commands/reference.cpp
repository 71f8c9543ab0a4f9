#include "core/commands/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/function_doc.h"
#include "core/experiment/experiment_params.h"
#include "core/experiment/paper_file.h"
#include "core/experiment/report_config.h"

namespace yatlab::cli {
namespace {

/// Maps with free keys whose values are declared elsewhere.
struct DeclaredMap {
  const char* name;
  const char* doc;
  std::vector<Field> fields;
};
const std::vector<DeclaredMap>& declared_maps() {
  static const std::vector<DeclaredMap> kMaps{
      {"metrics", "metrics.NAME: how a metric is shown", Schema::of<MetricInfo>().fields},
      {"tables", "tables.ID: one table", Schema::of<TableSpec>().fields},
      {"tables.columns", "an item of tables.ID.columns that is not a plain metric name", Schema::of<ColumnSpec>().fields},
      {"tables.compare", "tables.ID.compare: arms against a baseline", Schema::of<CompareSpec>().fields},
      {"requires", "metrics.NAME.requires.METRIC, tables.ID.compare.requires.METRIC: when nothing is decided",
       Schema::of<Requirement>().fields},
      {"paper.sample", "paper.ARM.METRIC of several runs: mean ± standard deviation, or the value of each",
       Schema::of<PrintedSample>().fields},
      {"paper.fitted", "paper.fitted: the protocol was chosen because it gives the paper's numbers", Schema::of<Fitted>().fields},
      {"paper.itself", "an item of paper.itself: a number of the paper against others that it prints", Schema::of<PaperCheck>().fields},
      {"paper.yaml", "a paper's file, paper.yaml", Schema::of<PaperFileParams>().fields},
      {"paper.yaml.itself", "an item of 'itself' in paper.yaml: as in paper.itself", Schema::of<PaperCheck>().fields},
      {"paper.yaml.short", "a sentence of 'short' in paper.yaml", Schema::of<ShortAnswerParams>().fields},
      {"paper.yaml.claims", "a claim in paper.yaml", Schema::of<ClaimParams>().fields},
      {"paper.yaml.claims.rows", "a row of a claim: what decides it", Schema::of<ClaimRowParams>().fields},
      {"paper.yaml.after", "a paragraph of 'after' in paper.yaml", Schema::of<ParagraphParams>().fields}};
  return kMaps;
}

constexpr const char* kMustBeGiven = "required";
constexpr const char* kDialect = "https://json-schema.org/draft/2020-12/schema";

std::string default_text(const Field& field) {
  const Node& value = field.default_value;
  if (value.is_missing()) return kMustBeGiven;
  if (field.type == FieldType::kComponent && value.is_map()) return value.at("name").to_flow();
  return value.to_flow();
}

Topic::Entry entry_of(const Field& field, const std::string& name) {
  if (field.type == FieldType::kGroup) return {name, "", "map", fmt::format("{}: `describe {}`", field.doc, name)};
  const bool declared = field.type == FieldType::kMap &&
                        std::any_of(declared_maps().begin(), declared_maps().end(), [&](const auto& m) { return name == m.name; });
  return {name, default_text(field), field.type_text(), declared ? fmt::format("{}: `describe {}`", field.doc, name) : field.doc};
}

/// The field at a dotted path through groups.
const Field* field_at(const std::string& path) {
  const std::vector<Field>* fields = &experiment_schema().fields;
  const Field* found = nullptr;
  for (const auto& segment : split(path, '.')) {
    const auto it = std::find_if(fields->begin(), fields->end(), [&](const Field& f) { return f.name == segment; });
    if (it == fields->end()) return nullptr;
    found = &*it;
    fields = &found->fields;
  }
  return found;
}

Topic functions_topic(const std::string& name, const std::string& doc, const std::vector<FunctionDoc>& functions) {
  Topic out{name, doc, {}};
  for (const auto& f : functions) out.entries.push_back({f.signature, std::nullopt, "", f.doc});
  return out;
}

std::string cell(std::string text) {
  for (auto at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, "\\");
  return text;
}
std::string code(const std::string& text) { return text.empty() ? "" : "`" + cell(text) + "`"; }

}  // namespace

std::vector<Topic::Entry> entries_of(const std::vector<Field>& fields, const std::string& prefix, bool whole) {
  std::vector<Topic::Entry> out;
  for (const auto& f : fields) {
    if (whole && f.type == FieldType::kGroup) {
      const auto inner = entries_of(f.fields, prefix + f.name + ".", true);
      out.insert(out.end(), inner.begin(), inner.end());
    } else {
      out.push_back(entry_of(f, prefix + f.name));
    }
  }
  return out;
}

std::optional<Topic> find_topic(const std::string& word) {
  if (word == "experiment")
    return Topic{word, "the top-level keys of an experiment file", entries_of(experiment_schema().fields, "", false)};
  if (word == "functions")
    return functions_topic(word, "functions for values: after '=' in an override, and in 'sweep:'", override_functions());
  if (word == "resolvers") return functions_topic(word, "resolvers of interpolations, in any value", interpolation_resolvers());
  for (const auto& map : declared_maps()) {
    if (word == map.name) return Topic{word, map.doc, entries_of(map.fields, "", true)};
  }
  const Field* field = field_at(word);
  if (!field) return std::nullopt;
  if (field->type == FieldType::kGroup) return Topic{word, field->doc, entries_of(field->fields, word + ".", true)};
  return Topic{word, "a key of an experiment", {entry_of(*field, word)}};
}

std::vector<std::string> topic_names() {
  std::vector<std::string> out{"experiment"};
  for (const auto& key : topic_keys()) {
    if (field_at(key)->type == FieldType::kGroup) out.push_back(key);
  }
  for (const auto& map : declared_maps()) out.emplace_back(map.name);
  out.insert(out.end(), {"functions", "resolvers"});
  return out;
}

std::vector<std::string> topic_keys() {
  std::vector<std::string> out;
  const std::function<void(const std::vector<Field>&, const std::string&)> visit = [&](const std::vector<Field>& fields,
                                                                                       const std::string& prefix) {
    for (const auto& f : fields) {
      out.push_back(prefix + f.name);
      if (f.type == FieldType::kGroup) visit(f.fields, prefix + f.name + ".");
    }
  };
  visit(experiment_schema().fields, "");
  return out;
}

std::string to_text(const std::vector<Topic::Entry>& entries) {
  std::string out;
  for (const auto& e : entries) {
    out += "  " + e.name;
    if (e.value && !e.value->empty()) out += " = " + *e.value;
    if (!e.type.empty()) out += fmt::format("   ({})", e.type);
    out += fmt::format("\n      {}\n", e.doc);
  }
  return out;
}

std::string to_markdown(const Topic& topic) {
  const bool keys = !topic.entries.empty() && topic.entries.front().value;
  std::string out = keys ? "| key | default | type | meaning |\n|---|---|---|---|\n" : "| written | meaning |\n|---|---|\n";
  for (const auto& e : topic.entries) {
    out += keys ? fmt::format("| {} | {} | {} | {} |\n", code(e.name), *e.value == kMustBeGiven ? *e.value : code(*e.value), cell(e.type),
                              cell(e.doc))
                : fmt::format("| {} | {} |\n", code(e.name), cell(e.doc));
  }
  return out;
}

namespace {

using Json = nlohmann::ordered_json;

const std::vector<Field>* declared_as(const std::string& name) {
  for (const auto& map : declared_maps()) {
    if (name == map.name) return &map.fields;
  }
  return nullptr;
}

Json schema_of(const Field& field, const std::string& name);
Json value_schema(const Field& field, const std::string& name);

Json object_of(const std::vector<Field>& fields, const std::string& prefix) {
  Json out = {{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
  for (const auto& field : fields) {
    out["properties"][field.name] = schema_of(field, prefix + field.name);
    if (field.default_value.is_missing()) out["required"].push_back(field.name);
  }
  return out;
}

void add_range(const Field& field, Json& out) {
  if (field.min) out[field.exclusive_min ? "exclusiveMinimum" : "minimum"] = *field.min;
  if (field.max) out[field.exclusive_max ? "exclusiveMaximum" : "maximum"] = *field.max;
}

Json plain_type(FieldType type) {
  switch (type) {
    case FieldType::kBool:
      return {{"type", "boolean"}};
    case FieldType::kInt:
      return {{"type", "integer"}};
    case FieldType::kFloat:
      return {{"type", "number"}};
    case FieldType::kString:
      return {{"type", {"string", "number", "boolean"}}};
    case FieldType::kMap:
    case FieldType::kGroup:
      return {{"type", "object"}};
    default:
      return Json::object();
  }
}

Json text_with_interpolation() { return {{"type", "string"}, {"pattern", "\\$\\{"}}; }

/// {NAME: value} with free names.
Json map_to(const Json& value) { return {{"type", "object"}, {"additionalProperties", value}}; }

/// {low, high}
Json range_schema() {
  return {{"type", "object"},
          {"properties", {{"low", {{"type", "number"}}}, {"high", {{"type", "number"}}}}},
          {"required", {"low", "high"}},
          {"additionalProperties", false}};
}

/// A printed sample of which `required` are given, and `optional` may be.
Json sample_schema(const std::vector<std::string>& required, const std::vector<std::string>& optional) {
  Json out = {{"type", "object"}, {"properties", Json::object()}, {"required", required}, {"additionalProperties", false}};
  for (const auto& field : Schema::of<PrintedSample>().fields) {
    const auto is_in = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), field.name) != names.end();
    };
    if (!is_in(required) && !is_in(optional)) continue;
    auto& value = out["properties"][field.name] = {{"description", field.doc}};
    value.update(value_schema(field, ""));
    if (field.name == "values") value["minItems"] = 2;
  }
  return out;
}

/// `paper`, of an experiment or a table: {ARM: {METRIC: what the paper prints}}, and keys about all of it.
Json paper_schema() {
  const Json number = {{"type", "number"}}, null = {{"type", "null"}};
  const Json amount = {{"type", "number"}, {"minimum", 0}};
  const Json growing = {{"type", "object"},
                        {"properties", {{"at_least", amount}, {"share", amount}}},
                        {"required", {"at_least", "share"}},
                        {"additionalProperties", false}};
  const Json tolerance = {{"anyOf", {amount, growing}}};
  const Json cell = {{"anyOf",
                      {number, text_with_interpolation(), range_schema(), sample_schema({"mean", "std", "n"}, {"where"}),
                       sample_schema({"values"}, {"seeds", "where"})}}};
  auto fitted = object_of(*declared_as("paper.fitted"), "paper.fitted.");
  fitted.erase("required");  // a file may change only a part of what it inherits
  Json out = map_to(map_to(cell));
  out["properties"] = {
      {"tolerance", map_to(tolerance)},
      {"dataset", {{"type", {"string", "number", "null"}}}},
      {"at", {{"type", "object"}}},
      {"where", {{"type", {"string", "number"}}}},
      {"fitted", {{"anyOf", {fitted, null}}}},
      {"itself", {{"anyOf", {{{"type", "array"}, {"items", object_of(*declared_as("paper.itself"), "paper.itself.")}}, null}}}}};
  return out;
}

/// `compare.paper`: {ARM: {METRIC: a direction, or a relative change}}.
Json direction_schema() {
  return map_to(map_to({{"anyOf", {{{"enum", {"lower", "higher", "diverges"}}}, {{"type", "number"}}, range_schema()}}}));
}

Json seeds_schema() {
  const Json seed = {{"type", "integer"}, {"minimum", 0}};
  return {{"anyOf", {seed, {{"type", "array"}, {"items", seed}, {"minItems", 1}}, {{"type", "string"}}}}};
}

/// The schema of a field, without the alternative that every value has (an interpolation).
Json value_schema(const Field& field, const std::string& name) {
  if (name == "paper" || name == "tables.paper") return paper_schema();
  if (name == "tables.compare.paper") return direction_schema();
  Json out = plain_type(field.type);
  add_range(field, out);
  if (field.type == FieldType::kEnum) out["enum"] = field.choices;
  if (field.type == FieldType::kComponent) out["type"] = {"string", "object"};
  if (field.type == FieldType::kGroup) out = object_of(field.fields, name + ".");
  if (field.type == FieldType::kList) {
    out = {{"type", "array"}, {"items", plain_type(field.item_type)}};
    if (field.item_type != FieldType::kAny) add_range(field, out["items"]);
    if (const auto* items = declared_as(name)) {
      out["items"] = object_of(*items, name + ".");
      if (name == "tables.columns") out["items"] = {{"anyOf", {{{"type", "string"}}, out["items"]}}};
    }
  }
  if (field.type == FieldType::kMap && field.item_type == FieldType::kString) out["additionalProperties"] = plain_type(FieldType::kString);
  if (const auto* entries = field.type == FieldType::kMap ? declared_as(name) : nullptr) {
    const auto object = object_of(*entries, name + ".");
    // At the top level, keys of a map are the user's own names: metrics.NAME, tables.ID.
    if (name.find('.') == std::string::npos)
      out["additionalProperties"] = object;
    else
      out = object;
  }
  return out;
}

Json schema_of(const Field& field, const std::string& name) {
  Json out = {{"description", field.doc}};
  if (!field.default_value.is_missing() && field.type != FieldType::kGroup) out["default"] = to_json(field.default_value);
  if (name == "seeds") out.update(seeds_schema());
  if (field.type == FieldType::kAny) return out;
  out["anyOf"] = {value_schema(field, name), text_with_interpolation()};
  if (field.nullable) out["anyOf"].push_back({{"type", "null"}});
  return out;
}

}  // namespace

Json experiment_json_schema() {
  Json out = {{"$schema", kDialect}, {"title", "An experiment of Yatlab"}};
  out.update(object_of(experiment_schema().fields, ""));
  out["properties"]["defaults"] = {{"description", "files of configs/ that it is composed of, in order"}, {"type", "array"}};
  return out;
}

Json paper_json_schema() {
  Json out = {{"$schema", kDialect}, {"title", "A paper of Yatlab: paper.yaml"}};
  out.update(object_of(*declared_as("paper.yaml"), "paper.yaml."));
  return out;
}

std::string rewrite_reference(const std::string& page, const std::string& source) {
  const std::string begin = "<!-- describe ", end = "<!-- end -->";
  std::string out;
  std::size_t at = 0;
  for (std::size_t mark = page.find(begin); mark != std::string::npos; mark = page.find(begin, at)) {
    const auto line_end = page.find(" -->", mark), stop = page.find(end, mark);
    const auto where = fmt::format("{}:{}", source, std::count(page.begin(), page.begin() + static_cast<std::ptrdiff_t>(mark), '\n') + 1);
    if (line_end == std::string::npos || stop == std::string::npos || line_end > stop) {
      throw config_error("this part of the reference is not closed", where, {}, "close it with " + end);
    }
    const std::string word = trim(page.substr(mark + begin.size(), line_end - mark - begin.size()));
    const auto topic = find_topic(word);
    if (!topic) throw config_error(fmt::format("there is no topic '{}'", word), where, {}, suggestion(word, topic_names()));
    out += page.substr(at, mark - at) + fmt::format("{}{} -->\n{}", begin, word, to_markdown(*topic));
    at = stop;
  }
  if (at == 0)
    throw config_error(fmt::format("'{}' has no part of the reference", source), {}, {},
                       begin + "TOPIC --> begins one, " + end + " ends it");
  return out + page.substr(at);
}

}  // namespace yatlab::cli

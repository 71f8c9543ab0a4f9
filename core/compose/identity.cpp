#include "core/compose/identity.h"

#include "core/experiment/experiment_params.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/hash.h"
#include "core/base/json_text.h"
#include "core/compose/built_from.h"
#include "core/compose/job_type.h"
#include "core/registry/plugin_library.h"

namespace yatlab {
namespace {

/// Lists of components in a frozen config.
const std::map<std::string, std::string> kLists = {{"studies", "study"}};

using See = std::function<void(const Component&, const Node&, const std::string&)>;

void see_component(const std::string& kind, const Node& spec, const std::string& path, const See& see);

void see_fields(const std::vector<Field>& fields, const Node& values, const std::string& path, const See& see) {
  for (const auto& field : fields) {
    const Node* value = values.find(field.name);
    if (!value || value->is_null()) continue;
    const auto place = path + "." + field.name;
    if (field.type == FieldType::kGroup) see_fields(field.fields, *value, place, see);
    if (field.type == FieldType::kComponent) see_component(field.kind, *value, place, see);
    if (field.type == FieldType::kList && !field.kind.empty()) {
      for (const auto& name : value->as_list()) {
        const auto* component = component_table(field.kind).find(name.as_string());
        if (component) see(*component, name, place);  // the component with the list reports unknown names
      }
    }
  }
}

void see_component(const std::string& kind, const Node& spec, const std::string& path, const See& see) {
  if (spec.is_null()) return;
  const auto& component = component_table(kind).at(spec.at("name").as_string());
  see(component, spec, path);
  see_fields(component.schema.fields, spec, path, see);
}

/// A source that the build did not scan (a component registered in some other way) may use anything, so all code counts.
std::string source_hash(const std::string& source) {
  const auto* const end = built_from().end;
  const auto it =
      std::lower_bound(built_from().hashes, end, source, [](const auto& entry, const std::string& name) { return entry[0] < name; });
  return it != end && source == (*it)[0] ? (*it)[1] : built_from().all;
}

std::string code_of(const Component& component) {
  if (component.library.empty()) return source_hash(component.source);
  for (const auto& plugin : loaded_plugins()) {
    if (plugin.path == component.library) return plugin.sha256;
  }
  return {};
}

std::string identity(Node frozen, const JobType& type) {
  const auto uses = uses_of(type, frozen);
  if (auto* trainer = frozen.find("trainer")) {
    for (const auto& field : experiment_schema().find("trainer")->fields) {
      if (field.steers) trainer->erase(field.name);
    }
  }
  if (auto* architecture = frozen.find("architecture")) {
    const Node* const sum = architecture->find("weights_sha256");
    if (sum && !sum->is_null()) architecture->erase("weights");  // the path of the weights does not affect results
  }
  return dump_json(nlohmann::json(to_json(frozen))) + "\n" + dump_json(nlohmann::json(uses));  // sorted: key order does not matter
}

}  // namespace

void each_component(const Node& frozen, const See& see) {
  for (const auto& [key, value] : frozen.as_map()) {
    if (const auto list = kLists.find(key); list != kLists.end()) {
      for (const auto& spec : value.as_list()) see_component(list->second, spec, key, see);
    } else if (find_component_table(key)) {
      see_component(key, value, key, see);
    }
  }
}

std::map<std::string, std::string> uses_of(const JobType& type, const Node& frozen) {
  std::map<std::string, std::string> out{{type.name(), source_hash(type.source())}};
  each_component(frozen, [&](const Component& component, const Node&, const std::string&) {
    out[component.kind + "/" + component.name] = code_of(component);
  });
  return out;
}

std::string job_hash(const Node& frozen, const JobType& type) { return sha256(identity(frozen, type)); }

JobHashes::JobHashes(Node frozen, const JobType& type) {
  const std::string place = "\"the seed's place\"";
  frozen.set("seed", place.substr(1, place.size() - 2));
  const auto text = identity(std::move(frozen), type);
  const auto at = text.find(place);
  before_ = text.substr(0, at);
  behind_ = text.substr(at + place.size());
}

std::string JobHashes::of(std::int64_t seed) const { return sha256(before_ + std::to_string(seed) + behind_); }

std::set<std::string> libraries_of(const Node& frozen) {
  std::set<std::string> out;
  each_component(frozen, [&](const Component& component, const Node&, const std::string&) {
    if (!component.library.empty()) out.insert(component.library);
  });
  return out;
}

SourceRevision source_revision() { return {built_from().revision, built_from().changed}; }

std::string code_hash() {
  std::string all;
  for (const auto* it = built_from().hashes; it != built_from().end; ++it) all += std::string((*it)[0]) + " " + (*it)[1] + "\n";
  return sha256(all).substr(0, 16);
}

}  // namespace yatlab

#include "core/config/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/compose.h"
#include "core/config/synonyms.h"
#include "core/registry/registry.h"

namespace yatlab {

std::string join_key(const std::string& prefix, const std::string& key) { return prefix.empty() ? key : prefix + "." + key; }

namespace {

bool names_another(const Node& target, const Node& source) {
  const Node* theirs = source.find("name");
  const Node* ours = target.find("name");
  return theirs && ours && theirs->is_string() && !theirs->is_missing() && !theirs->is_interpolation() && *theirs != *ours;
}

}  // namespace

void merge_into(Node& target, const Node& source, const std::string& path, ReplacedValues& history, const ComponentTest& is_component) {
  const bool replaced = is_component && names_another(target, source) && is_component(path);
  if (target.is_map() && source.is_map() && !replaced) {
    target.set_default(false);
    for (const auto& [key, value] : source.as_map()) {
      if (Node* present = target.find(key)) {
        merge_into(*present, value, join_key(path, key), history, is_component);
      } else {
        target.as_map().emplace_back(key, value);
      }
    }
    return;
  }
  if (source.is_missing()) return;
  history[path].push_back(std::move(target));
  target = source;
}

Node& make_path(Node& root, const std::string& path, const Origin& origin) {
  Node* at = &root;
  std::string done;
  if (path.empty()) return root;
  const auto segments = split(path, '.');
  for (std::size_t i = 0; i < segments.size(); ++i) {
    std::string segment = segments[i];
    if (at->is_null()) {
      *at = Node::map();
      at->set_origin(origin);
    }
    if (at->is_map() && !at->has(segment)) {  // an existing key may itself contain dots
      std::string longer = segment;
      for (std::size_t j = i + 1; j < segments.size(); ++j) {
        longer += "." + segments[j];
        if (!at->has(longer)) continue;
        segment = longer;
        i = j;
        break;
      }
    }
    at->set_default(false);
    if (at->is_list()) {
      Node* item = at->find_path(segment);
      if (!item) {
        throw config_error(fmt::format("'{}' has no item {}", done, segment), origin.describe(),
                           fmt::format("the list has {} items", at->size()), "items are counted from 0");
      }
      at = item;
    } else if (at->is_map()) {
      Node* next = at->find(segment);
      if (!next) {
        next = &at->set(segment, Node());
        next->set_origin(origin);
      }
      at = next;
    } else {
      throw config_error(fmt::format("'{}' cannot contain '{}'", done, segment), origin.describe(),
                         fmt::format("it is {}, not a map", describe_value(*at)),
                         fmt::format("replace all of it: {}={{{}: ...}}", done, segment));
    }
    done = join_key(done, segment);
  }
  return *at;
}

PathSplit split_existing(const Node& root, const std::string& path) {
  PathSplit out;
  for (const auto& segment : split(path, '.')) {
    const auto longer = join_key(out.existing, segment);
    if (!root.find_path(longer)) {
      out.missing = segment;
      return out;
    }
    out.existing = longer;
  }
  return out;
}

std::vector<std::string> places_of(const Node& root, const std::string& key) {
  std::vector<std::string> out;
  const std::function<void(const Node&, const std::string&)> visit = [&](const Node& node, const std::string& path) {
    if (!node.is_map()) return;
    for (const auto& [name, value] : node.as_map()) {
      if (name == key) out.push_back(join_key(path, name));
      visit(value, join_key(path, name));
    }
  };
  visit(root, "");
  return out;
}

std::string missing_key_hint(const Node& root, const std::string& path) {
  const auto [existing, missing] = split_existing(root, path);
  const Node* parent = root.find_path(existing);
  std::vector<std::string> keys;
  if (parent && parent->is_map()) {
    for (const auto& entry : parent->as_map()) {
      if (entry.first != missing) keys.push_back(entry.first);
    }
  }
  // A key may itself contain dots (arms.yat_0.01).
  const auto behind = [&](std::size_t n) { return n < path.size() ? path.substr(n) : std::string(); };  // parts may be empty: "a..b"
  const auto rest = existing.empty() ? path : behind(existing.size() + 1);
  if (const auto near = nearest(rest, keys); near.find('.') != std::string::npos)
    return fmt::format("did you mean '{}'?", join_key(existing, near));
  if (const auto near = nearest(missing, keys); !near.empty()) {
    return fmt::format("did you mean '{}'?", join_key(existing, near) + behind(join_key(existing, missing).size()));
  }
  const auto last = path.substr(path.rfind('.') == std::string::npos ? 0 : path.rfind('.') + 1);
  auto places = places_of(root, last);
  places.erase(std::remove(places.begin(), places.end(), path), places.end());
  if (!places.empty() && places.size() <= 4) return fmt::format("'{}' exists at {}", last, join(places, ", "));
  if (keys.empty()) return {};
  return fmt::format("{}: {}", existing.empty() ? "keys here" : "keys of '" + existing + "'", join(keys, ", "));
}

namespace {

const Component* component_of(const Field& field, const Node& node) {
  const Node* name = node.find("name");
  if (!name || !name->is_string()) return nullptr;
  const auto* table = find_component_table(field.kind);
  return table ? table->find(name->as_string()) : nullptr;
}

/// Integers, and infinity in either language: `inf` on the command line, `.inf` in a file.
std::optional<double> as_float(const Node& value) {
  if (value.is_int()) return value.as_double();
  if (!value.is_string()) return {};
  auto text = lower(value.as_string());
  const bool negative = text[0] == '-';
  if (negative || text[0] == '+') text.erase(0, 1);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return text == "inf" || text == ".inf" ? std::optional(negative ? -kInfinity : kInfinity) : std::nullopt;
}

void widen(Node& value, const Field& field) {
  const auto widen_one = [](Node& item) {
    if (const auto number = as_float(item)) item = Node(*number).set_origin(item.origin()).set_default(item.is_default());
  };
  if (field.type == FieldType::kFloat) {
    widen_one(value);
  } else if (field.type == FieldType::kList && field.item_type == FieldType::kFloat && value.is_list()) {
    for (auto& item : value.as_list()) widen_one(item);
  }
}

void canonicalise_fields(const std::vector<Field>& fields, Node& node) {
  if (!node.is_map()) return;
  for (const auto& field : fields) {
    Node* value = node.find(field.name);
    if (!value) continue;
    widen(*value, field);
    if (field.type == FieldType::kGroup) {
      canonicalise_fields(field.fields, *value);
    } else if (field.type != FieldType::kComponent) {
      continue;
    } else if (const auto* component = component_of(field, *value)) {
      Node* name = value->find("name");
      if (name->as_string() != component->name) {
        Node canonical(component->name);
        canonical.set_origin(name->origin()).set_default(name->is_default());
        *name = std::move(canonical);
      }
      canonicalise_fields(component->schema.fields, *value);
    }
  }
}

/// What to write instead of another program's key; "" for an unknown one. Of wandb: {mode: offline} it sees wandb.mode, too.
std::string synonym_of(const std::string& key, const Node& value) {
  if (value.is_map() && value.size() == 1) {
    const auto& [name, item] = value.as_map().front();
    if (auto inner = synonym_of(join_key(key, name), item); !inner.empty()) return inner;
  }
  if (value.is_map()) {
    std::vector<std::pair<std::string, std::string>> settings;
    for (const auto& [name, item] : value.as_map()) settings.emplace_back(name, item.to_flow());
    if (auto all = map_synonym(key, settings, !value.origin().text.empty()); !all.empty()) return all;
  }
  const auto text = value.is_string() ? value.as_string() : value.to_flow();
  return value.origin().text.empty() ? file_key_synonym(key, text) : key_synonym(key, text);
}

/// One value for a key that holds several settings, where another key or one of its settings was meant.
void refuse_single_value(const Field& field, const Node& value, const std::string& here) {
  if (field.type != FieldType::kGroup && field.type != FieldType::kMap) return;
  if (!value.is_string() && !value.is_bool()) return;
  if (value.is_interpolation() || value.is_missing() || (value.is_string() && value.as_string() == "None")) return;
  const auto hint = value_synonym(here, value.is_string() ? value.as_string() : value.to_flow(), !value.origin().text.empty());
  if (hint.empty()) return;
  throw config_error(fmt::format("'{}' must be {}, found {}", here, field.type_text(), describe_value(value)), value.origin().describe(),
                     field.doc, hint);
}

/// `tracker.name=run1`, which chooses a tracker here.
void refuse_run_name(const Field& field, const Node& value, const std::string& here) {
  const Node* name = value.is_map() ? value.find("name") : nullptr;
  if (field.kind != "tracker" || !name || !name->is_string() || component_of(field, value)) return;
  const auto typed = name->origin().text.str();
  if (typed.find("tracker.name=") == std::string::npos) return;
  throw config_error(fmt::format("unknown tracker '{}'", shortened(name->as_string())), name->origin().describe(),
                     fmt::format("'{}.name' chooses the tracker: 'yatlab list tracker' shows them", here),
                     "to name the run, write " + shell_word("tracker.run_name=" + name->as_string()));
}

void check_fields(const std::vector<Field>& fields, const Node& node, const std::string& path, const std::string& owner, const Node& root) {
  if (!node.is_map()) return;
  for (const auto& [key, value] : node.as_map()) {
    const auto field = std::find_if(fields.begin(), fields.end(), [&, &name = key](const Field& f) { return f.name == name; });
    const auto here = join_key(path, key);
    if (field == fields.end()) {
      if (key == "name" && !owner.empty()) continue;
      if (std::any_of(fields.begin(), fields.end(), [](const Field& f) { return f.rest; })) continue;
      std::vector<std::string> names;
      for (const auto& f : fields) names.push_back(f.name);
      std::string hint;
      if (const auto near = nearest(key, names); !near.empty()) hint = fmt::format("did you mean '{}'?", join_key(path, near));
      auto places = places_of(root, key);
      places.erase(std::remove(places.begin(), places.end(), here), places.end());
      if (hint.empty() && !places.empty() && places.size() <= 4) {
        hint = fmt::format("'{}' belongs to {}", key, join(places, ", "));
      }
      if (hint.empty()) {
        hint = names.empty() ? fmt::format("{} takes no parameters", owner) : "keys here: " + join(names, ", ");
      }
      if (auto synonym = synonym_of(here, value); !synonym.empty()) hint = std::move(synonym);
      if (const Node* name = node.find("name"); name && !owner.empty() && !name->origin().text.empty()) {
        hint += fmt::format("; to replace the component with its values write '{}={{name: {}}}'", path, name->to_flow());
      }
      throw config_error(fmt::format("unknown key '{}'", here), value.origin().describe(),
                         owner.empty() ? "" : fmt::format("{} has no such parameter", owner), hint);
    }
    refuse_single_value(*field, value, here);
    if (field->type == FieldType::kGroup) {
      check_fields(field->fields, value, here, "", root);
    } else if (field->type == FieldType::kComponent) {
      refuse_run_name(*field, value, here);
      if (const auto* component = component_of(*field, value)) {
        check_fields(component->schema.fields, value, here, fmt::format("{} '{}'", field->kind, component->name), root);
      }
    }
  }
}

}  // namespace

void canonicalise(const Schema& schema, Node& node) { canonicalise_fields(schema.fields, node); }

void check_keys(const Schema& schema, const Node& root) { check_fields(schema.fields, root, "", "", root); }

void convert_to_field(Node& value, const Field& field) {
  const Origin origin = value.origin();
  if (value.is_interpolation() || value.is_missing()) return;
  widen(value, field);
  read_text(field, value);
  if (field.type == FieldType::kBool && value.is_string()) {
    const std::string word = lower(value.as_string());
    if (word == "yes" || word == "on") value = Node(true).set_origin(origin);
    if (word == "no" || word == "off") value = Node(false).set_origin(origin);
  }
}

void strip_defaults(Node& node) {
  if (!node.is_map()) return;
  auto& map = node.as_map();
  map.erase(std::remove_if(map.begin(), map.end(), [](const auto& e) { return e.second.is_default(); }), map.end());
  for (auto& entry : map) strip_defaults(entry.second);
}

bool is_of_option(const Node& value, const std::string& kind) {
  return fs::path(value.origin().source.str()).parent_path().filename() == kind;
}

const Field* find_field(const Schema& root, const Node& config, const std::string& path) {
  const std::vector<Field>* fields = &root.fields;
  const Node* node = &config;
  const Field* found = nullptr;
  for (const auto& segment : split(path, '.')) {
    if (!fields) return nullptr;
    const auto it = std::find_if(fields->begin(), fields->end(), [&](const Field& f) { return f.name == segment; });
    if (it == fields->end()) return nullptr;
    found = &*it;
    node = node ? node->find(segment) : nullptr;
    fields = nullptr;
    if (found->type == FieldType::kGroup) {
      fields = &found->fields;
    } else if (found->type == FieldType::kComponent && node) {
      if (const auto* component = component_of(*found, *node)) fields = &component->schema.fields;
    }
  }
  return found;
}

}  // namespace yatlab

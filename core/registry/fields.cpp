#include "core/registry/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/registry/registry.h"
#include "core/system/shell.h"

namespace yatlab {
namespace {

const char* type_word(FieldType type) {
  switch (type) {
    case FieldType::kBool:
      return "bool";
    case FieldType::kInt:
      return "integer";
    case FieldType::kFloat:
      return "float";
    case FieldType::kString:
      return "string";
    case FieldType::kEnum:
      return "choice";
    case FieldType::kList:
      return "list";
    case FieldType::kMap:
      return "map";
    case FieldType::kComponent:
      return "component";
    case FieldType::kGroup:
      return "group";
    case FieldType::kAny:
      return "any value";
  }
  return "?";
}

bool type_fits(FieldType type, const Node& value) {
  switch (type) {
    case FieldType::kBool:
      return value.is_bool();
    case FieldType::kInt:
      return value.is_int();
    case FieldType::kFloat:
      return value.is_number();
    case FieldType::kString:
    case FieldType::kEnum:
      return value.is_string();
    case FieldType::kList:
      return value.is_list();
    case FieldType::kMap:
    case FieldType::kComponent:
    case FieldType::kGroup:
      return value.is_map();
    case FieldType::kAny:
      return true;
  }
  return false;
}

std::string bounds_text(const Field& f) {
  if (f.min && f.max) return fmt::format(" in {}{}, {}{}", f.exclusive_min ? "(" : "[", *f.min, *f.max, f.exclusive_max ? ")" : "]");
  if (f.min) return fmt::format(" {} {}", f.exclusive_min ? ">" : ">=", *f.min);
  if (f.max) return fmt::format(" {} {}", f.exclusive_max ? "<" : "<=", *f.max);
  return "";
}

void check_bounds(const Field& f, const Node& value, const std::string& path) {
  if (!value.is_number()) return;
  const double v = value.as_double();
  const auto refuse = [&](const std::string& must_be) {
    throw config_error(fmt::format("'{}' is {}, but must be {}", path, value.to_flow(), must_be), value.origin().describe(), f.doc);
  };
  const bool low = f.min && (f.exclusive_min ? !(v > *f.min) : !(v >= *f.min));
  const bool high = f.max && (f.exclusive_max ? !(v < *f.max) : !(v <= *f.max));
  if (low || high) refuse(trim(bounds_text(f)));
  if (std::isnan(v)) refuse("a number");
  const auto type = f.type == FieldType::kList ? f.item_type : f.type;
  if (f.unlimited) return;
  if (type == FieldType::kFloat) {
    if (!std::isfinite(v)) refuse("finite");
    if (std::abs(v) > std::numeric_limits<float>::max()) refuse("finite in float32 (magnitude at most 3.4e38)");
    if (f.min && *f.min == 0 && f.exclusive_min && static_cast<float>(v) == 0) refuse("> 0 in float32 (at least 1e-45)");
  }
  if (type != FieldType::kInt) return;
  constexpr double kLargestSize = kLargestInteger;
  if (!f.max && v > kLargestSize) refuse(fmt::format("<= {}", kLargestInteger));
  if (!f.min && v < -kLargestSize) refuse(fmt::format(">= {}", -kLargestInteger));
}

/// What to write instead of a value of the wrong type; "" if nothing is known.
std::string hint_for_type(const Field& f, const Node& value, const std::string& key) {
  const bool typed = value.origin().source.str() == "command line";
  const auto write = [&](const std::string& right) {
    const auto text = fmt::format(fmt::runtime(typed ? "{}={}" : "{}: {}"), typed ? key : key.substr(key.rfind('.') + 1), right);
    return "write " + (typed ? shell_word(text) : text);
  };
  if (value.is_string() && value.as_string() == "None") {
    if (f.type == FieldType::kList) return write("[]");
    return f.nullable ? write("null") : "null is not possible here: leave it out for the default";
  }
  const bool number = f.type == FieldType::kInt || f.type == FieldType::kFloat;
  if (number && value.is_string()) {
    const auto text = trim(value.as_string());
    char* end = nullptr;
    const double parsed = std::strtod(text.c_str(), &end);
    const bool whole = text.find_first_not_of("+-0123456789") == std::string::npos;
    if (!text.empty() && text.size() < 40 && *end == '\0' && std::isfinite(parsed) && (whole || f.type == FieldType::kFloat))
      return write(text) + ", without quotes";
  }
  if (f.type == FieldType::kList && type_fits(f.item_type, value)) return fmt::format("'{}=[{}]'", key, value.to_flow());
  const auto fits = [&](const Node& item) { return type_fits(f.type, item); };
  const bool scalar = number || f.type == FieldType::kBool || f.type == FieldType::kString || f.type == FieldType::kEnum;
  if (scalar && value.is_list() && value.size() > 1 && value.size() <= 8 &&
      std::all_of(value.as_list().begin(), value.as_list().end(), fits)) {
    const auto list = value.to_flow();
    auto values = list.substr(1, list.size() - 2);
    if (!typed) return fmt::format("to try each value, write sweep: {{{}: {}}}", key, list);
    values.erase(std::remove(values.begin(), values.end(), ' '), values.end());
    return "to try each value, write -m " + shell_word(key + "=" + values);
  }
  return {};
}

void complete_component(const Field& f, Node& value, const std::string& origin) {
  if (value.is_string() && !value.is_interpolation() && !value.is_missing()) {
    Node map = Node::map();
    map.set_origin(value.origin()).set_default(value.is_default());
    map.set("name", value);
    value = std::move(map);
  }
  if (!value.is_map()) return;
  const Node* name = value.find("name");
  // `init: {std: 1}` changes a parameter of the default component.
  if (!name && f.default_value.is_map()) {
    Node fallback = f.default_value.at("name");
    fallback.set_origin_deep({origin, 0, 0, {}}).set_default(true);
    value.as_map().insert(value.as_map().begin(), {"name", std::move(fallback)});
    name = value.find("name");
  }
  if (!name || !name->is_string() || name->is_interpolation() || name->is_missing()) return;
  if (auto* table = find_component_table(f.kind)) {
    if (const auto* component = table->find(name->as_string())) {
      component->schema.complete(value, f.kind + "/" + component->name);
    }
  }
}

}  // namespace

std::string Field::type_text() const {
  std::string out;
  if (type == FieldType::kEnum) {
    out = "one of " + join(choices, ", ");
  } else if (type == FieldType::kList) {
    out = item_type == FieldType::kAny ? "list" : fmt::format("list of {}s", type_word(item_type));
    out += bounds_text(*this);
  } else if (type == FieldType::kComponent) {
    out = kind;
  } else {
    out = type_word(type) + bounds_text(*this);
  }
  return nullable ? out + " or null" : out;
}

const Field* Schema::find(const std::string& name) const {
  for (const auto& f : fields) {
    if (f.name == name) return &f;
  }
  return nullptr;
}

const Field* Schema::rest() const {
  for (const auto& f : fields) {
    if (f.rest) return &f;
  }
  return nullptr;
}

std::vector<std::string> Schema::names() const {
  std::vector<std::string> out;
  for (const auto& f : fields) out.push_back(f.name);
  return out;
}

void Schema::complete(Node& value, const std::string& origin) const {
  if (value.is_null()) value = Node(Node::map()).set_origin({origin, 0, 0, {}}).set_default(true);
  if (!value.is_map()) return;
  auto& map = value.as_map();
  map.erase(std::remove_if(map.begin(), map.end(),
                           [&](const auto& entry) { return entry.first != "name" && entry.second.is_default() && !find(entry.first); }),
            map.end());
  for (const auto& f : fields) {
    Node* present = value.find(f.name);
    if (!present) {
      Node fallback = f.default_value;
      fallback.set_origin_deep({"default of " + origin, 0, 0, {}}).set_default(true);
      present = &value.set(f.name, std::move(fallback));
    }
    read_text(f, *present);
    if (f.type == FieldType::kGroup) {
      Schema{f.fields}.complete(*present, origin + "." + f.name);
    } else if (f.type == FieldType::kComponent) {
      complete_component(f, *present, origin);
    } else if (f.type == FieldType::kMap && present->is_map() && f.default_value.is_map()) {
      // Declared settings among a map's entries (figures.format, figures.width) stay; entries that are maps are replaced as a whole.
      for (const auto& [key, given] : f.default_value.as_map()) {
        if (given.is_map() || present->has(key)) continue;
        Node fallback = given;
        fallback.set_origin_deep({"default of " + origin, 0, 0, {}}).set_default(true);
        present->set(key, std::move(fallback));
      }
    }
  }
}

void read_text(const Field& field, Node& value) {
  const auto is_text = [](FieldType type) { return type == FieldType::kString || type == FieldType::kEnum; };
  const auto is_plain = [](FieldType type) { return type == FieldType::kBool || type == FieldType::kInt || type == FieldType::kFloat; };
  const auto read = [&](FieldType type, Node& item) {
    if (is_text(type) && (item.is_number() || item.is_bool())) {
      item = Node(text_of_scalar(item)).set_origin(item.origin()).set_default(item.is_default());
    } else if (is_plain(type) && !item.spelling().empty()) {
      item.spell({});
    }
  };
  read(field.type, value);
  if (!is_text(field.item_type) && !is_plain(field.item_type)) return;
  const auto concerns = [&](const Node& item) {
    return !item.spelling().empty() || (is_text(field.item_type) && (item.is_number() || item.is_bool()));
  };
  const Node& now = value;  // const: reading it makes no copy of shared data
  if (now.is_list() && std::any_of(now.as_list().begin(), now.as_list().end(), concerns)) {
    for (auto& item : value.as_list()) read(field.item_type, item);
  } else if (now.is_map() && std::any_of(now.as_map().begin(), now.as_map().end(), [&](const auto& e) { return concerns(e.second); })) {
    for (auto& entry : value.as_map()) read(field.item_type, entry.second);
  }
}

void Schema::read_texts(Node& value) const {
  if (!value.is_map()) return;
  for (const auto& f : fields) {
    Node* present = value.find(f.name);
    if (!present) continue;
    read_text(f, *present);
    if (f.type == FieldType::kGroup) Schema{f.fields}.read_texts(*present);
    const Node* name = f.type == FieldType::kComponent ? present->find("name") : nullptr;
    const auto* table = name && name->is_string() ? find_component_table(f.kind) : nullptr;
    if (const auto* component = table ? table->find(name->as_string()) : nullptr) component->schema.read_texts(*present);
  }
}

void Schema::check(const Node& value, const std::string& path, bool resolved, const std::vector<std::string>& extra) const {
  if (!value.is_map()) {
    throw config_error(fmt::format("'{}' must be a map, found {}", path, shortened(value.to_flow())), value.origin().describe());
  }
  const std::string prefix = path.empty() ? "" : path + ".";
  for (const auto& [key, item] : value.as_map()) {
    if (std::find(extra.begin(), extra.end(), key) != extra.end()) continue;
    const Field* f = find(key);
    const std::string here = prefix + key;
    if (!f && rest()) continue;
    if (!f) {
      throw config_error(fmt::format("unknown key '{}'", here), item.origin().describe(), fields.empty() ? "it takes no parameters" : "",
                         suggestion(key, names()));
    }
    if (item.is_missing()) {
      if (!resolved) continue;
      throw config_error(fmt::format("'{}' is required", here), item.origin().describe(), f->doc,
                         fmt::format("set it, for example with {}=...", here));
    }
    if (item.is_interpolation() && !resolved) continue;
    if (item.is_null() && f->nullable) continue;
    if (!type_fits(f->type, item)) {
      const bool wide = f->type == FieldType::kInt && item.is_float() && std::fabs(item.as_double()) >= 9.2e18;
      throw config_error(fmt::format("'{}' must be {}, found {}", here, f->type_text(), describe_value(item)), item.origin().describe(),
                         wide ? "integers have 64 bits: " + f->doc : f->doc, hint_for_type(*f, item, here));
    }
    check_bounds(*f, item, here);
    if (f->type == FieldType::kEnum && std::find(f->choices.begin(), f->choices.end(), item.as_string()) == f->choices.end()) {
      throw config_error(fmt::format("'{}' cannot be '{}'", here, shortened(item.as_string())), item.origin().describe(), {},
                         suggestion(item.as_string(), f->choices));
    }
    if (f->type == FieldType::kList) {
      for (std::size_t i = 0; i < item.size(); ++i) {
        const Node& element = item.as_list()[i];
        if (element.is_interpolation() && !resolved) continue;
        if (!type_fits(f->item_type, element)) {
          throw config_error(fmt::format("'{}.{}' must be {}, found {}", here, i, type_word(f->item_type), describe_value(element)),
                             element.origin().describe(), f->doc);
        }
        check_bounds(*f, element, fmt::format("{}.{}", here, i));
      }
    }
    if (f->type == FieldType::kGroup) Schema{f->fields}.check(item, here, resolved);
    if (f->type == FieldType::kComponent) {
      const Node* name = item.find("name");
      if (!name) {
        throw config_error(fmt::format("'{}' has no 'name'", here), item.origin().describe(),
                           fmt::format("it must be the name of a {}", f->kind), fmt::format("'yatlab list {}' shows the choices", f->kind));
      }
      if ((name->is_interpolation() || name->is_missing()) && !resolved) continue;
      if (name->is_missing()) {
        throw config_error(fmt::format("'{}.name' is required", here), name->origin().describe(), f->doc,
                           fmt::format("'yatlab list {}' shows the choices", f->kind));
      }
      const auto& component = component_table(f->kind).at(name->as_string(), name->origin().describe());
      component.schema.check(item, here, resolved, {"name"});
    }
  }
}

Node value_in(const Node& node, const Field& field, const std::vector<Field>& fields) {
  const Node* given = node.find(field.name);
  Node value = given ? *given : field.default_value;
  if (!field.rest || !node.is_map()) return value;
  for (const auto& [key, item] : node.as_map()) {
    const auto named = [&, &key = key](const Field& f) { return f.name == key; };
    if (key == "name" || std::any_of(fields.begin(), fields.end(), named)) continue;
    if (const Node* other = value.find(key)) {
      throw config_error(fmt::format("'{}' is given twice", key), item.origin().describe(),
                         fmt::format("it is also in '{}', at {}", field.name, other->origin().describe()), "remove one of them");
    }
    value.set(key, item);
  }
  return value;
}

void Schema::detach() {
  const std::function<void(std::vector<Field>&)> clear = [&](std::vector<Field>& list) {
    for (auto& f : list) {
      f.assign = nullptr;
      clear(f.fields);
    }
  };
  clear(fields);
}

}  // namespace yatlab

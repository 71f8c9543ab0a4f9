#pragma once

#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>

namespace yatlab::testing {

/// Whether `value` fits a JSON Schema. Throws for a keyword that it does not know, so that none is ignored.
inline bool fits(const nlohmann::json& value, const nlohmann::json& schema) {
  static const std::set<std::string> kRemarks = {"$schema", "title", "description", "default"};
  const auto is = [&](const std::string& type) {
    return type == "object"    ? value.is_object()
           : type == "array"   ? value.is_array()
           : type == "string"  ? value.is_string()
           : type == "boolean" ? value.is_boolean()
           : type == "null"    ? value.is_null()
           : type == "integer"
               ? value.is_number_integer() ||
                     (value.is_number() && value.get<double>() == static_cast<double>(static_cast<std::int64_t>(value.get<double>())))
           : type == "number" ? value.is_number()
                              : throw std::runtime_error("unknown type " + type);
  };
  const auto number = [&] { return value.get<double>(); };
  const nlohmann::json none = nlohmann::json::object();
  for (const auto& [key, rule] : schema.items()) {
    bool good = true;
    if (kRemarks.count(key) || key == "properties") {
    } else if (key == "type") {
      good = false;
      for (const auto& type : rule.is_array() ? rule : nlohmann::json::array({rule})) good = good || is(type.get<std::string>());
    } else if (key == "enum") {
      good = std::find(rule.begin(), rule.end(), value) != rule.end();
    } else if (key == "anyOf") {
      good = std::any_of(rule.begin(), rule.end(), [&](const auto& one) { return fits(value, one); });
    } else if (key == "pattern") {
      good = !value.is_string() || std::regex_search(value.get<std::string>(), std::regex(rule.get<std::string>()));
    } else if (key == "minimum") {
      good = !value.is_number() || number() >= rule.get<double>();
    } else if (key == "maximum") {
      good = !value.is_number() || number() <= rule.get<double>();
    } else if (key == "exclusiveMinimum") {
      good = !value.is_number() || number() > rule.get<double>();
    } else if (key == "exclusiveMaximum") {
      good = !value.is_number() || number() < rule.get<double>();
    } else if (key == "minItems") {
      good = !value.is_array() || value.size() >= rule.get<std::size_t>();
    } else if (key == "items") {
      good = !value.is_array() || std::all_of(value.begin(), value.end(), [&](const auto& item) { return fits(item, rule); });
    } else if (key == "required") {
      good = !value.is_object() ||
             std::all_of(rule.begin(), rule.end(), [&](const auto& name) { return value.contains(name.template get<std::string>()); });
    } else if (key == "additionalProperties") {
      const auto& known = schema.contains("properties") ? schema["properties"] : none;
      if (!value.is_object()) continue;
      for (const auto& [name, item] : value.items()) {
        if (known.contains(name)) continue;
        good = good && (rule.is_boolean() ? rule.get<bool>() : fits(item, rule));
      }
    } else {
      throw std::runtime_error("unknown keyword " + key);
    }
    if (!good) return false;
  }
  if (value.is_object() && schema.contains("properties")) {
    for (const auto& [name, item] : value.items()) {
      if (schema["properties"].contains(name) && !fits(item, schema["properties"][name])) return false;
    }
  }
  return true;
}

}  // namespace yatlab::testing

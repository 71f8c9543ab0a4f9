#include "core/base/node.h"
#include "core/base/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text.h"

namespace yatlab {
namespace {

[[noreturn]] void wrong_type(const Node& node, const char* wanted) {
  throw config_error(fmt::format("expected {}, found {}", wanted, describe_value(node)), node.origin().describe());
}

// A plain scalar needs no quotes in flow style if no reader could take it for another type.
bool plain_in_flow(const std::string& s) {
  if (s.empty()) return false;
  if (std::isspace(static_cast<unsigned char>(s.front())) || std::isspace(static_cast<unsigned char>(s.back()))) {
    return false;
  }
  for (char c : s) {
    const auto u = static_cast<unsigned char>(c);
    if (!(std::isalnum(u) || u >= 0x80 || std::string_view("_-./+*@$ ").find(c) != std::string_view::npos)) {
      return false;
    }
  }
  const auto first = static_cast<unsigned char>(s.front());
  if (!(std::isalpha(first) || first == '_' || first == '/' || first >= 0x80)) return false;
  std::string lower;
  for (char c : s) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const char* reserved : {"null", "true", "false", "yes", "no", "on", "off", "inf", "nan"}) {
    if (lower == reserved) return false;
  }
  return true;
}

}  // namespace

std::string Origin::describe() const {
  if (!text.empty()) return fmt::format("{} ({})", source.str(), text.str());
  if (line > 0) return fmt::format("{}:{}:{}", source.str(), line, column);
  return source;
}

bool Node::is_missing() const { return is_string() && std::get<std::string>(value_) == "???"; }

bool Node::is_interpolation() const {
  if (!is_string()) return false;
  const auto& s = std::get<std::string>(value_);
  for (std::size_t at = s.find("${"); at != std::string::npos; at = s.find("${", at + 2)) {
    std::size_t backslashes = 0;
    while (backslashes < at && s[at - 1 - backslashes] == '\\') ++backslashes;
    if (backslashes % 2 == 0) return true;
  }
  return false;
}

const char* Node::type_name() const {
  static constexpr const char* kNames[] = {"null", "bool", "integer", "float", "string", "list", "map"};
  return kNames[value_.index()];
}

bool Node::as_bool() const {
  if (!is_bool()) wrong_type(*this, "a bool");
  return std::get<bool>(value_);
}
std::int64_t Node::as_int() const {
  if (!is_int()) wrong_type(*this, "an integer");
  return std::get<std::int64_t>(value_);
}
double Node::as_double() const {
  if (is_int()) return static_cast<double>(std::get<std::int64_t>(value_));
  if (!is_float()) wrong_type(*this, "a number");
  return std::get<double>(value_);
}
const std::string& Node::as_string() const& {
  if (!is_string()) wrong_type(*this, "a string");
  return std::get<std::string>(value_);
}
const Node::List& Node::as_list() const& {
  if (!is_list()) wrong_type(*this, "a list");
  return items();
}
Node::List& Node::as_list() & {
  if (!is_list()) wrong_type(*this, "a list");
  return std::get<Box<List>>(value_).change();
}
const Node::Map& Node::as_map() const& {
  if (!is_map()) wrong_type(*this, "a map");
  return entries();
}
Node::Map& Node::as_map() & {
  if (!is_map()) wrong_type(*this, "a map");
  return std::get<Box<Map>>(value_).change();
}
std::string Node::as_string() && {
  if (!is_string()) wrong_type(*this, "a string");
  return std::get<std::string>(std::move(value_));
}
Node::List Node::as_list() && { return std::move(as_list()); }
Node::Map Node::as_map() && { return std::move(as_map()); }

const Node* Node::find(std::string_view key) const& {
  if (!is_map()) return nullptr;
  for (const auto& [k, v] : entries()) {
    if (k == key) return &v;
  }
  return nullptr;
}
Node* Node::find(std::string_view key) & {
  if (!has(key)) return nullptr;
  auto& map = as_map();
  return &std::find_if(map.begin(), map.end(), [&](const auto& entry) { return entry.first == key; })->second;
}
const Node& Node::at(std::string_view key) const& {
  const Node* found = find(key);
  if (!found) throw config_error(fmt::format("there is no key '{}'", key), origin_.describe());
  return *found;
}
Node Node::at(std::string_view key) && {
  Node* found = find(key);
  if (!found) throw config_error(fmt::format("there is no key '{}'", key), origin_.describe());
  return std::move(*found);
}
Node& Node::set(std::string key, Node value) & {
  if (is_null()) value_ = Box<Map>({});
  if (Node* found = find(key)) {
    *found = std::move(value);
    return *found;
  }
  return as_map().emplace_back(std::move(key), std::move(value)).second;
}
bool Node::erase(std::string_view key) {
  if (!is_map()) return false;
  auto& map = as_map();
  for (auto it = map.begin(); it != map.end(); ++it) {
    if (it->first == key) {
      map.erase(it);
      return true;
    }
  }
  return false;
}

template <class Self>
Self* Node::found_path(Self& self, std::string_view dotted) {
  if (dotted.empty()) return &self;
  const auto first = dotted.find('.');
  if (self.is_list()) {
    const auto head = dotted.substr(0, first);
    const auto length = static_cast<std::int64_t>(self.size());  // negative indices count from the end
    std::int64_t index = 0;
    const auto [end, ec] = std::from_chars(head.data(), head.data() + head.size(), index);
    if (ec != std::errc{} || end != head.data() + head.size() || index >= length || index < -length) return nullptr;
    auto& item = self.as_list()[static_cast<std::size_t>(index < 0 ? index + length : index)];
    if (first == std::string_view::npos) return &item;
    return first + 1 < dotted.size() ? found_path(item, dotted.substr(first + 1)) : nullptr;
  }
  // A key may itself contain dots (arms.yat_0.01): try the shortest that leads on.
  for (auto dot = first;; dot = dotted.find('.', dot + 1)) {
    auto* next = self.find(dotted.substr(0, dot));
    if (dot == std::string_view::npos) return next;
    if (!next || dot + 1 == dotted.size()) continue;
    if (auto* found = found_path(*next, dotted.substr(dot + 1))) return found;
  }
}
const Node* Node::find_path(std::string_view dotted) const& { return found_path(*this, dotted); }
Node* Node::find_path(std::string_view dotted) & { return found_path(*this, dotted); }

void Node::push_back(Node value) {
  if (is_null()) value_ = Box<List>({});
  as_list().push_back(std::move(value));
}
std::size_t Node::size() const {
  if (is_list()) return items().size();
  if (is_map()) return entries().size();
  return 0;
}

Node& Node::set_origin_deep(const Origin& o) & {
  origin_ = o;
  if (is_list()) {
    for (auto& item : as_list()) item.set_origin_deep(o);
  } else if (is_map()) {
    for (auto& entry : as_map()) entry.second.set_origin_deep(o);
  }
  return *this;
}

Node& Node::freeze() & {
  if (is_list()) {
    auto& box = std::get<Box<List>>(value_);
    if (box.frozen()) return *this;
    for (auto& item : box.change()) item.freeze();
    box.freeze();
  } else if (is_map()) {
    auto& box = std::get<Box<Map>>(value_);
    if (box.frozen()) return *this;
    for (auto& entry : box.change()) entry.second.freeze();
    box.freeze();
  }
  return *this;
}

bool Node::operator==(const Node& other) const {
  if (is_float() && other.is_float()) {
    const double a = std::get<double>(value_), b = std::get<double>(other.value_);
    return a == b || (std::isnan(a) && std::isnan(b));
  }
  if (is_map() && other.is_map()) {  // key order does not matter
    if (size() != other.size()) return false;
    for (std::size_t i = 0; i < size(); ++i) {
      const auto& [key, value] = entries()[i];
      const Node* theirs = other.entries()[i].first == key ? &other.entries()[i].second : other.find(key);
      if (!theirs || !(value == *theirs)) return false;
    }
    return true;
  }
  return value_ == other.value_;
}

std::string Node::to_flow() const {
  if (is_null()) return "null";
  if (is_bool()) return as_bool() ? "true" : "false";
  if (is_int()) return std::to_string(as_int());
  if (is_float()) return format_double(as_double());
  if (is_string()) {
    const auto& s = as_string();
    if (plain_in_flow(s)) return s;
    // Only double quotes can hold control characters on one line; JSON's escapes are YAML's too.
    if (std::any_of(s.begin(), s.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; })) {
      return dump_json_replacing(nlohmann::json(s));
    }
    std::string out = "'";
    for (char c : s) {
      if (c == '\'') out += '\'';
      out += c;
    }
    return out + "'";
  }
  std::string out;
  if (is_list()) {
    for (const auto& item : as_list()) out += (out.empty() ? "" : ", ") + item.to_flow();
    return "[" + out + "]";
  }
  for (const auto& [key, value] : as_map()) {
    out += (out.empty() ? "" : ", ") + Node(key).to_flow() + ": " + value.to_flow();
  }
  return "{" + out + "}";
}

std::string format_double(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
  char buffer[64];
  const auto [end, ec] = std::to_chars(buffer, buffer + sizeof buffer, v);
  std::string out(buffer, end);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

std::string scalar_to_text(const Node& scalar) {
  if (scalar.is_string()) return scalar.as_string();
  if (!scalar.is_float()) return scalar.to_flow();
  const double v = scalar.as_double();
  if (!std::isfinite(v)) return format_double(v);
  const double magnitude = std::fabs(v);
  const bool fixed = v == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
  char buffer[64];
  const auto [end, ec] = std::to_chars(buffer, buffer + sizeof buffer, v, fixed ? std::chars_format::fixed : std::chars_format::scientific);
  std::string out(buffer, end);
  if (fixed && out.find('.') == std::string::npos) out += ".0";
  return out;
}

std::string text_of_scalar(const Node& scalar) { return scalar.spelling().empty() ? scalar_to_text(scalar) : scalar.spelling(); }

nlohmann::ordered_json to_json(const Node& node) {
  if (node.is_null()) return nullptr;
  if (node.is_bool()) return node.as_bool();
  if (node.is_int()) return node.as_int();
  if (node.is_float()) {
    // JSON has no inf or nan: they are written as strings.
    const double v = node.as_double();
    if (!std::isfinite(v)) return format_double(v);
    return v;
  }
  if (node.is_string()) return node.as_string();
  if (node.is_list()) {
    auto out = nlohmann::ordered_json::array();
    for (const auto& item : node.as_list()) out.push_back(to_json(item));
    return out;
  }
  auto out = nlohmann::ordered_json::object();
  auto& entries = out.get_ref<nlohmann::ordered_json::object_t&>();
  using Entries = nlohmann::ordered_json::object_t::Container;  // this does not search for the key first: keys of a map are unique
  for (const auto& [key, value] : node.as_map()) entries.Entries::emplace_back(key, to_json(value));
  return out;
}

namespace {

Node from_json_at(const nlohmann::ordered_json& json, int level) {
  constexpr int kDeepest = 500;  // recursion uses the call stack
  if (level > kDeepest) throw data_error(fmt::format("this JSON is nested more than {} levels deep", kDeepest));
  if (json.is_null()) return {};
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > std::uint64_t{INT64_MAX}) return json.get<double>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array()) {
    Node out = Node::list();
    for (const auto& item : json) out.push_back(from_json_at(item, level + 1));
    return out;
  }
  Node out = Node::map();
  for (const auto& [key, value] : json.items()) out.as_map().emplace_back(key, from_json_at(value, level + 1));  // keys are unique
  return out;
}

}  // namespace

std::string describe_value(const Node& node) {
  return node.is_null() ? "null" : fmt::format("{} {}", node.type_name(), shortened(node.to_flow()));
}

Node from_json(const nlohmann::ordered_json& json) { return from_json_at(json, 0); }

}  // namespace yatlab

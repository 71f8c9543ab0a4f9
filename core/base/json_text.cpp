#include "core/base/json_text.h"

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/error.h"

namespace yatlab {

std::string text_in(const nlohmann::ordered_json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string why_unbounded(std::string_view json) {
  constexpr std::size_t kDeepest = 500, kMostKeys = 20000;
  std::vector<std::size_t> keys;  // key count of each open object or list
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_text) {
      if (c == '\\') ++i;
      in_text = c != '"';
    } else if (c == '"') {
      in_text = true;
    } else if (c == '{' || c == '[') {
      keys.push_back(0);
      if (keys.size() > kDeepest) return fmt::format("it is nested more than {} levels deep", kDeepest);
    } else if (c == '}' || c == ']') {
      if (!keys.empty()) keys.pop_back();
    } else if (c == ':' && !keys.empty() && ++keys.back() > kMostKeys) {
      return fmt::format("an object in it has more than {} keys", kMostKeys);
    }
  }
  return {};
}

std::string read_json_text(const fs::path& path) {
  auto out = read_file(path);
  if (const auto why = why_unbounded(out); !why.empty()) throw data_error(fmt::format("cannot read '{}'", path.string()), {}, why);
  return out;
}

std::string dump_json(const nlohmann::json& value, int indent) { return value.dump(indent); }
std::string dump_json(const nlohmann::ordered_json& value, int indent) { return value.dump(indent); }
std::string dump_json_replacing(const nlohmann::json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}
std::string dump_json_replacing(const nlohmann::ordered_json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}
std::string dump_json_ascii(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

nlohmann::json parse_json(std::string_view text, bool throws) { return nlohmann::json::parse(text, nullptr, throws); }
nlohmann::ordered_json parse_ordered_json(std::string_view text, bool throws) {
  return nlohmann::ordered_json::parse(text, nullptr, throws);
}

}  // namespace yatlab

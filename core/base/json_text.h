#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/base/files.h"

namespace yatlab {

/// The text under a key of an object; "" if it is missing or not a text.
std::string text_in(const nlohmann::ordered_json& object, const char* key);

/// Why JSON text from any source is refused: more than 500 levels, or an object of more than 20,000 keys (an ordered object's cost is quadratic in
/// their number). "" if it is accepted. It does not check the syntax; the parser does.
std::string why_unbounded(std::string_view json);

/// JSON as text, on one line (`indent` < 0) or several; throws nlohmann::json::type_error for texts that are not UTF-8. Use these functions for
/// dumping and parsing: calling nlohmann's own compiles them again in each file.
std::string dump_json(const nlohmann::json& value, int indent = -1);
std::string dump_json(const nlohmann::ordered_json& value, int indent = -1);
/// The same, with invalid UTF-8 bytes replaced by U+FFFD.
std::string dump_json_replacing(const nlohmann::json& value, int indent = -1);
std::string dump_json_replacing(const nlohmann::ordered_json& value, int indent = -1);
/// The same in ASCII.
std::string dump_json_ascii(const nlohmann::ordered_json& value);

/// Parses JSON. On invalid text throws nlohmann::json::parse_error, or if `throws` is false, returns a value that is_discarded().
nlohmann::json parse_json(std::string_view text, bool throws = true);
nlohmann::ordered_json parse_ordered_json(std::string_view text, bool throws = true);

/// Reads a JSON file for parsing. Throws as `read_file` does, and a data error for text that why_unbounded refuses.
std::string read_json_text(const fs::path& path);

}  // namespace yatlab

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/base/files.h"

namespace yatlab {

/// The text under a key of an object; "" where there is none, or what is there is no text.
std::string text_in(const nlohmann::ordered_json& object, const char* key);

/// Why JSON text is not parsed, whoever wrote it: more than 500 levels, or an object of more than 20,000 keys (an ordered object's cost grows with
/// their square). "" when it is. Whether it is JSON at all is the parser's to say.
std::string why_unbounded(std::string_view json);

/// JSON as text, on one line (`indent` < 0) or on many; throws nlohmann::json::type_error for texts that are not UTF-8. Here and nowhere else, as
/// parsing is: who calls nlohmann's own compiles them anew.
std::string dump_json(const nlohmann::json& value, int indent = -1);
std::string dump_json(const nlohmann::ordered_json& value, int indent = -1);
/// The same with U+FFFD for bytes that are not UTF-8.
std::string dump_json_replacing(const nlohmann::json& value, int indent = -1);
std::string dump_json_replacing(const nlohmann::ordered_json& value, int indent = -1);
/// The same in ASCII.
std::string dump_json_ascii(const nlohmann::ordered_json& value);

/// Text that is not JSON: throws nlohmann::json::parse_error, or with `throws` false is a value that is_discarded().
nlohmann::json parse_json(std::string_view text, bool throws = true);
nlohmann::ordered_json parse_ordered_json(std::string_view text, bool throws = true);

/// A file of JSON, to be parsed. Throws as `read_file` does, and a data error for text that is not parsed.
std::string read_json_text(const fs::path& path);

}  // namespace yatlab

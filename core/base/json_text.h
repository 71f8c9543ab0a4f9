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

/// A file of JSON, to be parsed. Throws as `read_file` does, and a data error for text that is not parsed.
std::string read_json_text(const fs::path& path);

}  // namespace yatlab

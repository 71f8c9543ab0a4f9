#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace yatlab {

/// The text under a key of an object; "" where there is none, or what is there is no text.
std::string text_in(const nlohmann::ordered_json& object, const char* key);

}  // namespace yatlab

#pragma once

#include <string>

namespace yatlab::testing {

/// Whether `text` holds `part`.
inline bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace yatlab::testing

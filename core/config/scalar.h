#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/node.h"
#include "core/base/utf8.h"

namespace yatlab {

/// The double nearest to a decimal text with '_' between digits ("1_0.5e-3", "inf", "nan").
double read_double(std::string_view text);

/// Parses an unquoted word as null, bool, integer or float by the override grammar (any case of null,
/// true, false, inf and nan; no leading zeros; '_' only between digits); nullopt for other words. Integers that do not
/// fit 64 bits are floats.
std::optional<Node> type_override_word(std::string_view text);

/// "a map", "an integer", "null".
std::string with_article(const Node& node);

}  // namespace yatlab

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/node.h"
#include "core/base/utf8.h"

namespace yatlab {

/// Decimal integer with '_' between digits and an optional sign; empty when it is none. Throws a
/// config error when it does not fit 64 bits.
std::optional<std::int64_t> read_integer(std::string_view text);

/// The double nearest to a decimal text with '_' between digits ("1_0.5e-3", "inf", "nan").
double read_double(std::string_view text);

/// Null, bool, integer or float as the override grammar types an unquoted word (any case of null,
/// true, false, inf and nan; no leading zeros; '_' only between digits); else nothing.
std::optional<Node> type_override_word(std::string_view text);

/// Text of a scalar as Python's str() gives it, and so as Hydra shows it in casts and
/// interpolations: 1000000.0, 1e-05, "true" for bools, "null".
std::string scalar_to_text(const Node& scalar);

/// "a map", "an integer", "null".
std::string with_article(const Node& node);

}  // namespace yatlab

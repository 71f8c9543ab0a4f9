#pragma once

#include <string>
#include <string_view>

namespace yatlab {

/// `text`, an override or a value, with quotes around those items of its lists that hold '=' and have no quotes:
/// `+arms.x=[operator=dot]` becomes `+arms.x=['operator=dot']`. The same text where there is nothing to quote, and
/// where it holds quotes or calls, whose '=' mean something else.
std::string quote_items(std::string_view text);

}  // namespace yatlab

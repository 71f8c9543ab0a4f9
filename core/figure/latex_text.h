#pragma once

#include <string>
#include <string_view>

namespace yatlab {

/// Text -> LaTeX: specials escaped, $math$ kept, Greek and symbols translated, the letter yat -> `\yat{}`.
std::string latex_text(std::string_view text);
/// Text with $math$ -> plain Unicode ("$\Delta\|w\|$" -> "Δ‖w‖").
std::string plain_text(std::string_view text);

}  // namespace yatlab

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"

namespace yatlab {

/// A cell's text, and how many columns of a terminal it takes (its colours take none).
struct TextCell {
  std::string text;
  std::size_t width = 0;
  TextCell() = default;
  explicit TextCell(std::string t) : text(std::move(t)), width(display_width(text)) {}
};

/// Rows of equally many cells as lines: the first row is the heads, the first `labels` cells of each row are its labels.
/// Columns that a terminal of `width` has no room for (0: it has room for all) stand in blocks below each other, each with the labels again
/// and without rows that are empty there. Labels that take more than half of it go on in further lines; no other cell is broken or cut.
std::string text_grid(const std::vector<std::vector<TextCell>>& rows, std::size_t labels, std::size_t width);

/// What stands for letters that were cut.
constexpr const char* kEllipsis = "…";

/// A text of at most `width` columns, 8 or more: a longer one loses letters before its last third, and has `kEllipsis` there.
std::string cut_in_the_middle(std::string_view utf8, std::size_t width);

}  // namespace yatlab

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"

namespace yatlab {

/// A cell's text, and its width in terminal columns (colour codes take none).
struct TextCell {
  std::string text;
  std::size_t width = 0;
  TextCell() = default;
  explicit TextCell(std::string t) : text(std::move(t)), width(display_width(text)) {}
};

/// Rows with equal numbers of cells as lines: the first row is the header, the first `labels` cells of each row are its labels. Columns that do not
/// fit a terminal of `width` (0: all fit) go into further blocks below, each with the labels repeated and without rows that are empty there. Labels
/// wider than half the terminal wrap onto further lines; no other cell is broken or cut.
std::string text_grid(const std::vector<std::vector<TextCell>>& rows, std::size_t labels, std::size_t width);

/// Marks where letters were cut.
constexpr const char* kEllipsis = "…";

/// Shortens a text to `width` columns, 8 or more: letters before its last third are replaced by `kEllipsis`.
std::string cut_in_the_middle(std::string_view utf8, std::size_t width);

}  // namespace yatlab

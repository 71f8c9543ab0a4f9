#include "core/table/text_grid.h"

#include <algorithm>
#include <numeric>

namespace yatlab {
namespace {

constexpr std::size_t kGridMargin = 2, kCellGap = 2;
constexpr std::size_t kShortestLabel = 12;

using GridRow = std::vector<TextCell>;

/// The byte length of the longest prefix that takes at most this many columns.
std::size_t beginning(std::string_view utf8, std::size_t columns) {
  std::size_t end = 0;
  for (std::size_t next = 0; next < utf8.size(); end = next) {
    do ++next;
    while (next < utf8.size() && (static_cast<unsigned char>(utf8[next]) & 0xC0) == 0x80);
    if (display_width(utf8.substr(0, next)) > columns) break;
  }
  return end;
}

/// A label in lines of at most `width` columns: broken at blanks and after joining signs, else anywhere.
std::vector<std::string> label_lines(std::string_view label, std::size_t width) {
  const std::string indent(kCellGap, ' ');
  std::vector<std::string> out;
  for (std::string rest(label);;) {
    if (display_width(rest) <= width) {
      out.push_back(std::move(rest));
      return out;
    }
    auto end = beginning(rest, width);
    const auto sign = rest.find_last_of(" _-,=/.", end - 1);
    if (sign != std::string::npos && sign > width / 2) end = sign + 1;
    out.push_back(rest.substr(0, end));
    rest = indent + rest.substr(end);
  }
}

bool is_empty(const GridRow& row, std::size_t first, std::size_t last) {
  return std::all_of(row.begin() + static_cast<std::ptrdiff_t>(first), row.begin() + static_cast<std::ptrdiff_t>(last),
                     [](const TextCell& cell) { return cell.width == 0; });
}

/// The widths of all columns; labels are narrowed if the rows are wider than the terminal.
std::vector<std::size_t> widths_in(const std::vector<GridRow>& rows, std::size_t labels, std::size_t width) {
  std::vector<std::size_t> out(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) out[c] = std::max(out[c], row[c].width);
  }
  const auto own = out.begin() + static_cast<std::ptrdiff_t>(labels);
  const auto widest = own == out.end() ? 0 : *std::max_element(own, out.end());
  auto of_labels = std::accumulate(out.begin(), own, kCellGap * labels);
  const auto all = kGridMargin + of_labels + std::accumulate(own, out.end(), kCellGap * (out.size() - labels));
  if (labels == 0 || width == 0 || all <= width + kCellGap) return out;
  const auto room = std::min(width / 2, width - std::min(width, kGridMargin + widest));
  while (of_labels > room) {
    auto& longest = *std::max_element(out.begin(), own);
    if (longest <= kShortestLabel) break;
    --longest;
    --of_labels;
  }
  return out;
}

void append_row(std::string& out, const GridRow& row, const std::vector<std::size_t>& widths, std::size_t labels, std::size_t first,
                std::size_t last) {
  std::vector<std::vector<std::string>> parts;
  std::size_t lines = 1;
  for (std::size_t c = 0; c < labels; ++c) {
    parts.push_back(label_lines(row[c].text, widths[c]));
    lines = std::max(lines, parts.back().size());
  }
  for (std::size_t i = 0; i < lines; ++i) {
    std::string line(kGridMargin, ' ');
    const auto add = [&](const std::string& text, std::size_t taken, std::size_t column) {
      line += text + std::string(std::max(column, taken) - taken + kCellGap, ' ');
    };
    for (std::size_t c = 0; c < labels; ++c) {
      const auto text = i < parts[c].size() ? parts[c][i] : std::string();
      add(text, display_width(text), widths[c]);
    }
    for (std::size_t c = first; c < last && i == 0; ++c) add(row[c].text, row[c].width, widths[c]);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
}

}  // namespace

std::string text_grid(const std::vector<GridRow>& rows, std::size_t labels, std::size_t width) {
  if (rows.empty()) return {};
  const auto widths = widths_in(rows, labels, width);
  const auto columns = widths.size();
  const auto of_labels =
      std::accumulate(widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(labels), kGridMargin + kCellGap * labels);
  std::string out;
  for (auto first = labels; first < columns || out.empty();) {
    auto last = first;
    // As many columns as fit beside the labels, at least one.
    for (auto used = of_labels; last < columns && (last == first || width == 0 || used + widths[last] <= width); ++last)
      used += widths[last] + kCellGap;
    if (!out.empty()) out += "\n";
    for (const auto& row : rows) {
      if (is_empty(row, first, last) && !is_empty(row, labels, columns)) continue;
      append_row(out, row, widths, labels, first, last);
    }
    first = last;
  }
  return out;
}

std::string cut_in_the_middle(std::string_view utf8, std::size_t width) {
  if (display_width(utf8) <= width) return std::string(utf8);
  const auto tail = (width - 1) / 3;
  auto from = utf8.size();
  while (from > 0 && display_width(utf8.substr(from)) < tail) {
    do --from;
    while (from > 0 && (static_cast<unsigned char>(utf8[from]) & 0xC0) == 0x80);
  }
  return std::string(utf8.substr(0, beginning(utf8, width - 1 - tail))) + kEllipsis + std::string(utf8.substr(from));
}

}  // namespace yatlab

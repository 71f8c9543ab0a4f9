#include <fmt/format.h>

#include <algorithm>

#include "core/base/print.h"
#include "core/base/text.h"
#include "core/figure/latex_text.h"
#include "core/table/table_parts.h"

namespace yatlab {

std::string markdown_text(std::string_view text) {
  std::string out;
  for (char c : for_terminal(text)) {
    // Characters that start markup, or end the cell.
    if (std::string_view("\\|*_`<>[]#").find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out;
}

std::string to_markdown(const Table& given) {
  const Table table = as_shown(given);
  std::vector<std::string> heads = key_headers(table);
  const std::size_t keys = heads.size();
  const bool show_n = n_varies(table);
  if (show_n) heads.emplace_back("n");
  for (const auto& column : table.columns) heads.push_back(plain_text(heading(column)));
  std::string out = "**" + markdown_text(plain_text(table.title)) + "**\n\n";
  const auto write = [&](const std::vector<std::string>& cells) { out += "| " + join(cells, " | ") + " |\n"; };
  std::vector<std::string> cells;
  for (const auto& head : heads) cells.push_back(markdown_text(head));
  write(cells);
  cells.clear();
  for (std::size_t i = 0; i < heads.size(); ++i) cells.emplace_back(i < keys ? ":--" : "--:");
  write(cells);
  for (const auto& row : table.rows) {
    cells.clear();
    for (const auto& key : row_keys(table, row)) cells.push_back(markdown_text(key));
    if (show_n) cells.push_back(std::to_string(row_n(row)));
    bool any_paper = false;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const auto parts = value_parts(row.cells[c], table.columns[c]);
      std::string text = markdown_text(parts.text());
      cells.push_back(row.cells[c].bold ? "**" + text + "**" : text);
      any_paper = any_paper || row.cells[c].paper;
    }
    write(cells);
    if (!any_paper) continue;
    cells.assign(keys + (show_n ? 1 : 0), "");
    cells[0] = "*paper*";
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      std::string text;
      if (const auto& paper = row.cells[c].paper) {
        const auto parts = paper_parts(*paper, table.columns[c]);
        text = parts.value + (parts.difference.empty() ? "" : " (" + parts.difference + ")");
        text += " " + verdict_name(paper->judgement);
      }
      cells.push_back(text);
    }
    write(cells);
  }
  out += "\n";
  constexpr std::size_t kUnfolded = 12;  // more comparisons are folded away
  const bool folded = table.comparisons.size() > kUnfolded;
  if (folded) out += fmt::format("<details>\n<summary>{} paired comparisons</summary>\n\n", table.comparisons.size());
  for (const auto& line : table.comparisons) {
    out += "- " + markdown_text(plain_text(comparison_text(table, line))) + "\n";
  }
  if (folded) out += "\n</details>\n";
  if (!table.comparisons.empty()) out += "\n";
  if (!table.caption.empty()) out += markdown_text(plain_text(table.caption)) + "\n\n";
  std::vector<std::string> notes;
  for (const auto& note : table.notes) notes.push_back(markdown_text(note));
  return out + join(notes, " ") + "\n";
}

}  // namespace yatlab

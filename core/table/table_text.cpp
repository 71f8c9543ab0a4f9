#include <fmt/format.h>

#include <algorithm>

#include "core/base/print.h"
#include "core/base/text.h"
#include "core/figure/latex_text.h"
#include "core/table/table_parts.h"

namespace yatlab {
namespace {

constexpr const char* kGap = "  ";
constexpr const char* kIndent = "  ";

// The terminal code of a verdict's colour; "" for those that need no attention.
const char* colour_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kReproduced:
      return "[32m";
    case Verdict::kConsistent:
    case Verdict::kBetter:
      return "[36m";
    case Verdict::kWorse:
      return "[31m";
    case Verdict::kDiffers:
      return "[33m";
    case Verdict::kInconclusive:
    case Verdict::kUndertrained:
    case Verdict::kNotComparable:
      return "[2m";
  }
  return "";
}

// Text and how many columns of the terminal it takes (escape sequences take none).
struct Piece {
  std::string text;
  std::size_t width = 0;
  Piece() = default;
  explicit Piece(std::string t) : text(std::move(t)), width(display_width(text)) {}
};

struct Block {
  Piece header;
  std::vector<Piece> values, papers;  // one a row
  std::size_t width = 0;
};

Block make_block(const Table& table, std::size_t c, const TextStyle& style) {
  const TableColumn& column = table.columns[c];
  std::vector<ValueParts> values;
  std::vector<PaperParts> papers;
  int mean_width = 0, std_width = 0, paper_width = 0, difference_width = 0;
  const auto widen = [](int& width, const std::string& text) { width = std::max(width, static_cast<int>(display_width(text))); };
  for (const auto& row : table.rows) {
    const TableCell& cell = row.cells[c];
    values.push_back(value_parts(cell, column));
    if (!values.back().unit.empty() || !values.back().std.empty()) widen(mean_width, values.back().mean);
    widen(std_width, values.back().std);
    papers.push_back(cell.paper ? paper_parts(*cell.paper, column) : PaperParts{});
    widen(paper_width, papers.back().value);
    widen(difference_width, papers.back().difference);
  }
  Block block;
  block.header = Piece(plain_text(column.header));
  block.width = block.header.width;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const TableCell& cell = table.rows[r].cells[c];
    std::string text = pad(values[r].mean, -mean_width);
    if (!values[r].std.empty()) text += " ± " + pad(values[r].std, -std_width);
    text += values[r].unit;
    if (!values[r].interval.empty()) text += " " + values[r].interval;
    if (!values[r].n.empty()) text += " " + values[r].n;
    if (cell.bold) text += " *";
    Piece value(text);
    if (cell.bold && style.colour) value.text = terminal_code("[1m") + value.text + terminal_code("[0m");
    Piece paper;
    if (cell.paper) {
      std::string lead = pad(papers[r].value, -paper_width) + kGap;
      if (difference_width > 0) lead += pad(papers[r].difference, -difference_width) + kGap;
      const Verdict verdict = cell.paper->judgement.verdict;
      const std::string word = fmt::format("{} {}", mark(verdict), verdict_name(cell.paper->judgement));
      paper = Piece(lead + word);
      if (style.colour) paper.text = lead + terminal_code(colour_of(verdict)) + word + terminal_code("[0m");
    }
    block.width = std::max({block.width, value.width, paper.width});
    block.values.push_back(std::move(value));
    block.papers.push_back(std::move(paper));
  }
  return block;
}

void append(std::string& line, std::size_t& at, const Piece& piece, std::size_t width) {
  line += piece.text;
  line += std::string(width > piece.width ? width - piece.width : 0, ' ');
  at += std::max(width, piece.width);
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string to_text(const Table& table, const TextStyle& style) {
  const auto width = static_cast<std::size_t>(std::max(40, style.width));
  std::vector<std::string> heads = key_headers(table);
  std::vector<std::vector<std::string>> keys;
  for (const auto& row : table.rows) keys.push_back(row_keys(table, row));
  if (n_varies(table)) {
    heads.emplace_back("n");
    for (std::size_t r = 0; r < keys.size(); ++r) keys[r].push_back(std::to_string(row_n(table.rows[r])));
  }
  std::vector<std::size_t> key_widths;
  std::size_t key_width = 0;
  const bool any_paper = std::any_of(table.rows.begin(), table.rows.end(), [](const TableRow& row) {
    return std::any_of(row.cells.begin(), row.cells.end(), [](const TableCell& c) { return c.paper.has_value(); });
  });
  for (std::size_t k = 0; k < heads.size(); ++k) {
    std::size_t w = display_width(heads[k]);
    for (const auto& row : keys) w = std::max(w, display_width(row[k]));
    if (k == 0 && any_paper) w = std::max<std::size_t>(w, 7);  // "  paper"
    key_widths.push_back(w);
    key_width += w + 2;
  }

  std::vector<Block> blocks;
  for (std::size_t c = 0; c < table.columns.size(); ++c) blocks.push_back(make_block(table, c, style));

  std::string out = trimmed(plain_text(table.title));
  for (std::size_t first = 0; first < blocks.size();) {
    // As many columns as fit beside the keys, at least one.
    std::size_t last = first, used = 2 + key_width;
    while (last < blocks.size() && (last == first || used + blocks[last].width <= width)) {
      used += blocks[last].width + 2;
      ++last;
    }
    const auto print = [&](const std::vector<std::string>& row_heads, auto piece_of) {
      std::string line = kIndent;
      std::size_t at = 2;
      for (std::size_t k = 0; k < heads.size(); ++k) {
        append(line, at, Piece(row_heads[k]), key_widths[k]);
        line += kGap;
      }
      for (std::size_t c = first; c < last; ++c) {
        append(line, at, piece_of(blocks[c]), blocks[c].width);
        line += kGap;
      }
      out += trimmed(line);
    };
    print(heads, [](const Block& b) { return b.header; });
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      print(keys[r], [r](const Block& b) { return b.values[r]; });
      const bool paper =
          std::any_of(blocks.begin() + static_cast<std::ptrdiff_t>(first), blocks.begin() + static_cast<std::ptrdiff_t>(last),
                      [r](const Block& b) { return b.papers[r].width > 0; });
      if (!paper) continue;
      std::vector<std::string> blank(heads.size());
      blank[0] = "  paper";
      print(blank, [r](const Block& b) { return b.papers[r]; });
    }
    first = last;
    if (first < blocks.size()) out += "\n";
  }
  if (table.rows.empty()) out += std::string(kIndent) + "no rows\n";
  for (const auto& line : table.comparisons) out += wrapped(kIndent, plain_text(comparison_text(table, line)), width);
  std::string notes;
  for (const auto& note : table.notes) {
    if (note.rfind("Bold:", 0) == 0) {
      notes += "*" + note.substr(5) + " ";
    } else {
      notes += note + " ";
    }
  }
  out += wrapped(kIndent, trim(notes), width);
  return out;
}

}  // namespace yatlab

#include <fmt/format.h>

#include <algorithm>

#include "core/base/files.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/figure/latex_text.h"
#include "core/table/table_parts.h"
#include "core/table/text_grid.h"

namespace yatlab {
namespace {

constexpr const char* kGap = "  ";
constexpr const char* kIndent = "  ";

// The terminal code of a verdict's colour; "" for verdicts that need no attention.
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

struct Block {
  std::vector<TextCell> values, papers;  // one per row
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
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const TableCell& cell = table.rows[r].cells[c];
    std::string text = pad(values[r].mean, -mean_width);
    if (!values[r].std.empty()) text += " ± " + pad(values[r].std, -std_width);
    text += values[r].unit;
    if (!values[r].interval.empty()) text += " " + values[r].interval;
    if (!values[r].n.empty()) text += " " + values[r].n;
    if (cell.bold) text += " *";
    TextCell value(text);
    if (cell.bold && style.colour) value.text = terminal_code("[1m") + value.text + terminal_code("[0m");
    TextCell paper;
    if (cell.paper) {
      std::string lead = pad(papers[r].value, -paper_width) + kGap;
      if (difference_width > 0) lead += pad(papers[r].difference, -difference_width) + kGap;
      const Verdict verdict = cell.paper->judgement.verdict;
      const std::string word = verdict_name(cell.paper->judgement);
      paper = TextCell(lead + word);
      if (style.colour) paper.text = lead + terminal_code(colour_of(verdict)) + word + terminal_code("[0m");
    }
    block.values.push_back(std::move(value));
    block.papers.push_back(std::move(paper));
  }
  return block;
}

/// Wraps a comparison without breaking intervals, "95 %" or "p = 0.01".
std::string wrapped_comparison(const std::string& text, std::size_t width) {
  constexpr char kHeld = '\x01';
  std::string held = text;
  int brackets = 0;
  for (std::size_t i = 0; i < held.size(); ++i) {
    brackets += (held[i] == '[') - (held[i] == ']');
    const bool before = i + 1 < held.size() && (held[i + 1] == '%' || held[i + 1] == '=' || held[i + 1] == '<');
    const bool behind = i > 0 && (held[i - 1] == '=' || held[i - 1] == '<');
    if (held[i] == ' ' && (brackets > 0 || before || behind)) held[i] = kHeld;
  }
  auto out = wrapped(kIndent, held, width);
  std::replace(out.begin(), out.end(), kHeld, ' ');
  return out;
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string to_text(const Table& given, const TextStyle& style) {
  const Table table = as_shown(given);
  const auto width = static_cast<std::size_t>(std::max(40, style.width));
  std::vector<std::string> heads = key_headers(table);
  std::vector<std::vector<std::string>> keys;
  for (const auto& row : table.rows) keys.push_back(row_keys(table, row));
  if (n_varies(table)) {
    heads.emplace_back("n");
    for (std::size_t r = 0; r < keys.size(); ++r) keys[r].push_back(std::to_string(row_n(table.rows[r])));
  }
  std::vector<Block> blocks;
  for (std::size_t c = 0; c < table.columns.size(); ++c) blocks.push_back(make_block(table, c, style));
  const auto row_of = [&](const std::vector<std::string>& labels, auto cell_of) {
    std::vector<TextCell> row;
    for (const auto& label : labels) row.emplace_back(label);
    for (std::size_t c = 0; c < blocks.size(); ++c) row.push_back(cell_of(c));
    return row;
  };
  std::vector<std::vector<TextCell>> rows;
  rows.push_back(row_of(heads, [&](std::size_t c) { return TextCell(plain_text(heading(table.columns[c]))); }));
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    rows.push_back(row_of(keys[r], [&](std::size_t c) { return blocks[c].values[r]; }));
    if (std::none_of(blocks.begin(), blocks.end(), [r](const Block& b) { return b.papers[r].width > 0; })) continue;
    std::vector<std::string> blank(heads.size());
    blank[0] = "  paper";
    rows.push_back(row_of(blank, [&](std::size_t c) { return blocks[c].papers[r]; }));
  }
  std::string out = trimmed(plain_text(table.title)) + text_grid(rows, heads.size(), width);
  if (table.rows.empty()) out += std::string(kIndent) + "no rows\n";
  constexpr std::size_t kShown = 24;  // the files have all
  for (std::size_t i = 0; i < std::min(kShown, table.comparisons.size()); ++i)
    out += wrapped_comparison(plain_text(comparison_text(table, table.comparisons[i])), width);
  if (table.comparisons.size() > kShown)
    out += fmt::format("{}and {} more comparisons: tables/{}.md\n", kIndent, table.comparisons.size() - kShown, safe_file_name(table.id));
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

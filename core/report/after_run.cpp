#include "core/report/after_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/figure/latex_text.h"
#include "core/report/claims_report.h"
#include "core/system/called_as.h"
#include "core/table/table_parts.h"

namespace yatlab {
namespace {

constexpr std::size_t kLongTable = 14;  // rows

std::size_t lines_of(const std::string& text) { return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')); }

bool has_paper(const Table& table) {
  return std::any_of(table.rows.begin(), table.rows.end(), [](const TableRow& row) {
    return std::any_of(row.cells.begin(), row.cells.end(), [](const TableCell& cell) { return cell.paper.has_value(); });
  });
}

void drop_not_comparable(Table& table) {
  for (auto& row : table.rows) {
    for (auto& cell : row.cells) {
      if (cell.paper && cell.paper->judgement.verdict == Verdict::kNotComparable) cell.paper.reset();
    }
  }
}

/// Arms that beat every other, each with the columns where it does: "ⵟ (Acc., Inverted), Linear (Δ‖w‖)"; "" for none.
std::string winners(const std::vector<Table>& tables) {
  std::vector<std::pair<std::string, std::vector<std::string>>> out;
  for (const auto& table : tables) {
    for (const auto& row : table.rows) {
      for (std::size_t c = 0; c < row.cells.size(); ++c) {
        if (!row.cells[c].bold) continue;
        const auto keys = row_keys(table, row);
        const auto who = plain_text(join(keys, " "));
        auto known = std::find_if(out.begin(), out.end(), [&](const auto& entry) { return entry.first == who; });
        if (known == out.end()) known = out.insert(out.end(), {who, {}});
        const auto column = plain_text(table.columns[c].header);
        if (std::find(known->second.begin(), known->second.end(), column) == known->second.end()) known->second.push_back(column);
      }
    }
  }
  std::vector<std::string> texts;
  for (const auto& [who, columns] : out) texts.push_back(fmt::format("{} ({})", who, join(columns, ", ")));
  return join(texts, ", ");
}

/// "the paper's numbers: 3 reproduced, 1 differs; its directions: same direction (2), opposite direction (1)"; "" if nothing is comparable.
std::string agreement(const std::vector<Table>& tables) {
  std::map<Verdict, std::size_t> verdicts;
  std::vector<std::pair<std::string, std::size_t>> found;
  for (const auto& table : tables) {
    for (const auto& row : table.rows) {
      for (const auto& cell : row.cells) {
        if (cell.paper) ++verdicts[cell.paper->judgement.verdict];
      }
    }
    for (const auto& line : table.comparisons) {
      if (!line.paper.anything()) continue;
      const auto text = direction_text(line);
      auto known = std::find_if(found.begin(), found.end(), [&](const auto& entry) { return entry.first == text; });
      if (known == found.end()) known = found.insert(found.end(), {text, 0});
      ++known->second;
    }
  }
  std::vector<std::string> numbers, directions, out;
  for (const auto verdict : all_verdicts()) {
    if (verdicts.count(verdict) > 0) numbers.push_back(counted_verdict(verdicts[verdict], to_string(verdict)));
  }
  for (const auto& [text, n] : found) directions.push_back(fmt::format("{} ({})", text, n));
  if (!numbers.empty()) out.push_back("the paper's numbers: " + join(numbers, ", "));
  if (!directions.empty()) out.push_back("its directions: " + join(directions, ", "));
  return join(out, "; ");
}

/// Each note of the tables once, without those repeated by the last lines, or explaining hidden parts.
std::string notes_of(const std::vector<Table>& tables, bool paper) {
  std::vector<std::string> out;
  for (const auto& table : tables) {
    for (const auto& note : table.notes) {
      const auto begins = [&](const char* text) { return note.rfind(text, 0) == 0; };
      if (begins("Run ") || begins("Holm p") || (!paper && (begins("Under each value:") || begins("Fitted protocol:")))) continue;
      const auto text = begins("Bold:") ? "*" + note.substr(5) : note;
      if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(text);
    }
  }
  return join(out, " ");
}

}  // namespace

std::string text_after_run(const RunView& run, const ReportContents& contents, const std::vector<std::string>& problems,
                           const TextStyle& style) {
  const auto columns = static_cast<std::size_t>(std::max(40, style.width));
  auto tables = contents.tables;
  bool several = false;
  for (auto& table : tables) {
    drop_not_comparable(table);
    for (const auto& row : table.rows) several = several || row_n(row) > 1;
  }
  const bool comparable = several && run.scale.empty();
  const bool paper = std::any_of(tables.begin(), tables.end(), has_paper);

  std::string end;
  if (const auto best = winners(tables); !best.empty()) {
    end += wrapped("", "best: " + best, columns);
  } else if (!tables.empty()) {
    end += several ? "best: no arm is better than every other by more than chance\n"
                   : "best: one seed cannot tell; 'seeds=range(0,5)' runs five\n";
  }
  if (const auto agrees = comparable ? agreement(tables) : ""; !agrees.empty()) end += wrapped("", agrees, columns);
  if (const auto notes = notes_of(tables, paper); !notes.empty()) end += wrapped("", notes, columns);
  for (const auto& problem : problems) end += "not reported: " + as_called(problem) + "\n";

  std::string out;
  if (!contents.claims.empty()) out += claims_text(run, contents.claims, style) + "\n";
  std::vector<std::string> left_out;
  for (auto& table : tables) {
    table = as_shown(table);
    table.comparisons.clear();
    table.notes.clear();
    std::string more;
    if (table.rows.size() > 2 * kLongTable) {
      more = fmt::format("  ... and {} more rows\n", table.rows.size() - kLongTable);
      table.rows.erase(table.rows.begin() + kLongTable, table.rows.end());
    }
    const auto text = to_text(table, style) + more;
    if (&table != &tables.front() && lines_of(out) + lines_of(text) + lines_of(end) + 1 > kLinesAfterRun) {
      left_out.push_back(plain_text(table.title));
      continue;
    }
    out += text;
  }
  if (!left_out.empty()) out += wrapped("", fmt::format("in report.html, too: {}", join(left_out, "; ")), columns);
  return out + end;
}

}  // namespace yatlab

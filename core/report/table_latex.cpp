#include <fmt/format.h>

#include <cctype>

#include "core/base/text.h"
#include "core/report/letter.h"
#include "core/report/table_parts.h"

namespace yatlab {
namespace {

// Under a table; \newcommand{\yatnote}[1]{} before it leaves out all notes, as report.captions=short does.
constexpr const char* kNoteMacro =
    "% The note below the table: \\newcommand{\\yatnote}[1]{} in the document, or report.captions=short, leaves it out.\n"
    "\\providecommand{\\yatnote}[1]{\\par\\vspace{4pt}\\parbox{\\linewidth}{\\footnotesize #1\\par}}\n";

std::string caption_text(const Table& table) {
  std::string caption = latex_text(table.title);
  if (!caption.empty() && caption.back() != '.') caption += '.';
  if (!table.caption.empty()) caption += " " + latex_text(table.caption);
  return caption;
}

std::string note_text(const Table& table) {
  std::vector<std::string> all;
  for (const auto& note : table.notes) all.push_back(latex_text(note));
  for (const auto& line : table.comparisons) all.push_back(latex_text(comparison_text(table, line)) + ".");
  return join(all, " ");
}

std::string latex_number(const std::string& text, const std::string& unit_text) {
  // Signs must be math, digits may be: $-4.50$\,\%
  const std::string math = "$" + latex_text(text) + "$";
  std::string out;
  for (char c : math) {
    if (c != '$') out += c;
  }
  if (const auto e = out.find('e'); e != std::string::npos) {
    out = out.substr(0, e) + "\\cdot 10^{" + out.substr(e + 1) + "}";
  }
  return "$" + out + "$" + (unit_text.empty() ? "" : "\\,\\%");
}

std::string latex_label(std::string_view label) {
  std::string out;
  for (char c : label) {
    const auto u = static_cast<unsigned char>(c);
    out += std::isalnum(u) || std::string_view(":-./_").find(c) != std::string_view::npos ? c : '-';
  }
  return out;
}

}  // namespace

std::string to_latex(const Table& table) {
  std::vector<std::string> heads = key_headers(table);
  const std::size_t keys = heads.size();
  const bool show_n = n_varies(table);
  std::string out = fmt::format("% Table {} of run {}/{}, written by yatlab.\n", safe_file_name(table.id), safe_file_name(table.experiment),
                                safe_file_name(table.run_id));
  out += "% Needs \\usepackage{booktabs}; compiles with pdflatex, XeLaTeX and LuaLaTeX.\n" + yat_latex() +
         (table.config.report.captions == ReportParams::Captions::kShort ? "" : kNoteMacro) + "\\begin{table}[htbp]\n\\centering\n";
  out += "\\caption{" + caption_text(table) + "}\n\\label{" + latex_label(table.label) + "}\n";
  // Wide tables are set smaller rather than past the margin.
  if (heads.size() + table.columns.size() >= 6) out += "\\footnotesize\\setlength{\\tabcolsep}{3pt}\n";
  out += "\\begin{tabular}{" + std::string(keys, 'l') + (show_n ? "r" : "") + std::string(table.columns.size(), 'r') + "}\n\\toprule\n";
  std::vector<std::string> cells;
  for (const auto& head : heads) cells.push_back(latex_text(head));
  if (show_n) cells.emplace_back("$n$");
  for (const auto& column : table.columns) cells.push_back(latex_text(column.header));
  const auto write = [&] { out += join(cells, " & ") + " \\\\\n"; };
  write();
  out += "\\midrule\n";
  bool previous_had_paper = false;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const TableRow& row = table.rows[r];
    if (r > 0 && previous_had_paper) out += "\\addlinespace\n";
    cells.clear();
    for (const auto& key : row_keys(table, row)) cells.push_back(latex_text(key));
    if (show_n) cells.push_back(std::to_string(row_n(row)));
    bool any_paper = false;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const auto parts = value_parts(row.cells[c], table.columns[c]);
      std::string text;
      if (row.cells[c].sample.values.empty()) {
        text = latex_text(parts.mean);
      } else {
        text = latex_number(parts.mean, "");
        if (!parts.std.empty()) text += " $\\pm$ " + latex_number(parts.std, "");
        if (!parts.unit.empty()) text += "\\,\\%";
        if (!parts.interval.empty()) text += " $" + parts.interval + "$";
        // \boldmath reaches the digits, which are in math mode.
        if (row.cells[c].bold) text = "{\\boldmath\\bfseries " + text + "}";
      }
      cells.push_back(text);
      any_paper = any_paper || row.cells[c].paper;
    }
    write();
    previous_had_paper = any_paper;
    if (!any_paper) continue;
    for (const bool verdicts : {false, true}) {
      cells.assign(keys + (show_n ? 1 : 0), "");
      cells[0] = verdicts ? "\\quad\\footnotesize verdict" : "\\quad\\footnotesize paper";
      for (std::size_t c = 0; c < table.columns.size(); ++c) {
        std::string text;
        if (const auto& paper = row.cells[c].paper) {
          const auto& column = table.columns[c];
          const auto parts = paper_parts(*paper, column);
          if (verdicts) {
            text = verdict_name(paper->judgement);
          } else {
            std::vector<std::string> ends;
            for (const auto& end : paper_values(paper->number, column)) ends.push_back(latex_number(end, ""));
            text = join(ends, " to ") + (unit(column.info.format).empty() ? "" : "\\,\\%");
            if (!parts.difference.empty()) text += " (" + latex_number(parts.difference, "") + ")";
          }
          text = "\\footnotesize " + text;
        }
        cells.push_back(text);
      }
      write();
    }
  }
  out += "\\bottomrule\n\\end{tabular}\n";
  if (table.config.report.captions == ReportParams::Captions::kFull) out += "\\yatnote{" + note_text(table) + "}\n";
  return out + "\\end{table}\n";
}

}  // namespace yatlab

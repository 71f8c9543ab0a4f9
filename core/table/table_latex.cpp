#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

#include "core/base/text.h"
#include "core/figure/latex_text.h"
#include "core/figure/yat_letter.h"
#include "core/table/latex_grid.h"
#include "core/table/table_parts.h"

namespace yatlab {
namespace {

// For notes under a table; \newcommand{\yatnote}[1]{} before it hides all notes, as report.captions=short does.
constexpr const char* kNoteMacro =
    "% The note below the table: \\newcommand{\\yatnote}[1]{} in the document, or report.captions=short, leaves it out.\n"
    "\\providecommand{\\yatnote}[1]{\\par\\vspace{4pt}{\\footnotesize\\leftskip=0pt\\rightskip=0pt plus 3em\\parfillskip=0pt plus 1fil\n"
    "  \\parindent=0pt\\emergencystretch=3em\\relax #1\\par}}\n";
// More comparisons than these become a list.
constexpr std::size_t kSentences = 3;
// A table higher than this, in points, is not a float, as it would not fit a page. A plain article's page has 550.
constexpr double kFloatHeight = 500;

std::string caption_text(const Table& table) {
  std::string caption = latex_text(table.title);
  if (!caption.empty() && caption.back() != '.') caption += '.';
  if (!table.caption.empty()) caption += " " + latex_text(table.caption);
  return caption;
}

/// Lets names of runs and parameters break after punctuation.
std::string breakable(const std::string& tex) {
  std::string out;
  bool math = false;
  for (std::size_t i = 0; i < tex.size(); ++i) {
    out += tex[i];
    if (tex[i] == '$') math = !math;
    if (tex[i] == '\\' && i + 1 < tex.size()) {
      out += tex[++i];
      if (tex[i] == '_') out += "\\allowbreak{}";
    } else if (!math && (tex[i] == '/' || tex[i] == '=') && i + 1 < tex.size() && tex[i + 1] != ' ') {
      out += "\\allowbreak{}";
    }
  }
  return out;
}

std::string sentences(const Table& table) {
  std::vector<std::string> all;
  for (const auto& note : table.notes) all.push_back(latex_text(note));
  if (table.comparisons.size() <= kSentences) {
    for (const auto& line : table.comparisons) all.push_back(latex_text(comparison_text(table, line)) + ".");
  } else if (const auto of = std::find_if(table.comparisons.begin(), table.comparisons.end(), [](const auto& l) { return l.documents; });
             of != table.comparisons.end()) {
    all.push_back(latex_text(
        fmt::format("Intervals of {} are over seeds and {} documents.", comparison_parts(table, *of).metric, of->documents->documents)));
  }
  return breakable(join(all, " "));
}

/// Sets minus signs and exponents in math: "1.2e−05" -> "1.2 \cdot 10^{-05}".
std::string math_number(const std::string& text) {
  std::string out;
  for (char c : "$" + latex_text(text) + "$") {
    if (c != '$') out += c;
  }
  if (const auto e = out.find('e'); e != std::string::npos) out = out.substr(0, e) + " \\cdot 10^{" + out.substr(e + 1) + "}";
  return out;
}

std::string latex_label(std::string_view label) {
  std::string out;
  for (char c : label) {
    const auto u = static_cast<unsigned char>(c);
    out += std::isalnum(u) || std::string_view(":-./_").find(c) != std::string_view::npos ? c : '-';
  }
  return out;
}

/// The columns that the LaTeX table shows.
std::vector<std::size_t> shown_columns(const Table& table) {
  std::vector<std::size_t> out;
  if (table.latex.columns.empty()) {
    out.resize(table.columns.size());
    std::iota(out.begin(), out.end(), std::size_t{0});
  }
  for (const auto& metric : table.latex.columns) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].metric == metric) out.push_back(c);
    }
  }
  return out;
}

/// The unit of percentages appears once, in the header.
LatexCell head_cell(const TableColumn& column) {
  std::string text = latex_text(heading(column));
  if (is_percent(column.info.format) && text.find('%') == std::string::npos) text += text.empty() ? "\\%" : " (\\%)";
  return latex_cell(text);
}

LatexCell value_cell(const TableCell& cell, const TableColumn& column) {
  const auto parts = value_parts(cell, column);
  if (cell.sample.values.empty()) return latex_cell(latex_text(parts.mean));
  LatexCell out;
  out.words = {"$" + math_number(parts.mean) + (parts.std.empty() ? "" : " \\pm " + math_number(parts.std)) + "$"};
  if (!parts.interval.empty()) out.words.push_back("$" + parts.interval + "$");
  if (!parts.n.empty()) out.words.push_back(latex_text(parts.n));
  out.bold = cell.bold;
  return out;
}

LatexGrid grid_of(const Table& table) {
  const auto columns = shown_columns(table);
  const bool show_n = n_varies(table);
  LatexGrid grid;
  for (const auto& head : key_headers(table)) grid.head.push_back(latex_cell(latex_text(head)));
  grid.keys = grid.head.size();
  grid.align = std::string(grid.keys, 'l');
  if (show_n) grid.head.push_back(latex_cell("$n$"));
  for (const auto c : columns) grid.head.push_back(head_cell(table.columns[c]));
  grid.align += std::string(grid.head.size() - grid.keys, 'r');

  bool previous_had_paper = false;
  for (const auto& row : table.rows) {
    LatexRow values;
    values.space = previous_had_paper;
    for (const auto& key : row_keys(table, row)) values.cells.push_back(latex_cell(breakable(latex_text(key))));
    if (show_n) values.cells.push_back(latex_cell(std::to_string(row_n(row))));
    bool any_paper = false;
    for (const auto c : columns) {
      values.cells.push_back(value_cell(row.cells[c], table.columns[c]));
      any_paper = any_paper || row.cells[c].paper;
    }
    grid.rows.push_back(std::move(values));
    previous_had_paper = any_paper && table.latex.paper != LatexParams::Paper::kNone;
    if (!previous_had_paper) continue;
    for (const bool verdicts : {false, true}) {
      if (verdicts && table.latex.paper == LatexParams::Paper::kNumbers) continue;
      LatexRow minor;
      minor.minor = true;
      minor.cells.assign(grid.keys + (show_n ? 1 : 0), latex_cell(""));
      minor.cells[0] = latex_cell(verdicts ? "\\quad{}verdict" : "\\quad{}paper");
      for (const auto c : columns) {
        const auto& paper = row.cells[c].paper;
        if (!paper) {
          minor.cells.push_back(latex_cell(""));
        } else if (verdicts) {
          minor.cells.push_back(latex_cell(latex_text(verdict_name(paper->judgement))));
        } else {
          const auto difference = paper_parts(*paper, table.columns[c]).difference;
          std::vector<std::string> numbers;
          for (const auto& number : paper_values(paper->number, table.columns[c])) numbers.push_back(math_number(number));
          LatexCell cell{{"$" + join(numbers, paper->number.sample ? " \\pm " : "$ to $") + "$"}};
          if (!difference.empty()) cell.words.push_back("($" + math_number(difference) + "$)");
          minor.cells.push_back(std::move(cell));
        }
      }
      grid.rows.push_back(std::move(minor));
    }
  }
  return grid;
}

/// A list of comparisons: difference, intervals, p and, where the paper states a direction, the verdict.
LatexGrid comparisons_of(const Table& table) {
  const auto& lines = table.comparisons;
  const auto any = [&](const auto& has) { return std::any_of(lines.begin(), lines.end(), has); };
  const auto adjusted = [](const ComparisonLine& l) { return l.p_adjusted && l.test.p && *l.p_adjusted != *l.test.p; };
  const bool verdicts = any([](const ComparisonLine& l) { return l.paper.anything(); });
  const bool holm = any(adjusted);
  const bool flips = any([](const ComparisonLine& l) { return l.test.p_sign_flip && !l.deterministic; });
  const bool counts = any([&](const ComparisonLine& l) { return l.test.n != lines.front().test.n; });
  LatexGrid grid;
  grid.keys = 2;
  // With adjusted p-values the intervals are adjusted, too: the others would contradict them.
  for (const char* head : {"paired difference", "", "mean", holm ? "adjusted 95\\,\\% CI" : "95\\,\\% CI", holm ? "Holm $p$" : "$p$"})
    grid.head.push_back(latex_cell(head));
  if (flips) grid.head.push_back(latex_cell("sign-flip $p$"));
  if (counts) grid.head.push_back(latex_cell("$n$"));
  if (verdicts) grid.head.push_back(latex_cell("the paper's direction"));
  grid.align = "ll" + std::string(grid.head.size() - 2, 'r');
  for (const auto& line : lines) {
    const auto parts = comparison_parts(table, line);
    LatexRow row;
    const auto add = [&](const std::string& tex) { row.cells.push_back(latex_cell(tex)); };
    const auto p = [](const std::optional<double>& value) {
      const std::string text = value ? format_p(*value) : "";
      return text.empty() ? "--" : "$" + text.substr(text.rfind("p = ", 0) == 0 ? 4 : 2) + "$";
    };
    const auto interval = [](const std::string& low, const std::string& high) {
      return low.empty() ? "--" : "$[" + math_number(low) + ", " + math_number(high) + "]$";
    };
    const std::optional<double> none;
    add(breakable(latex_text(parts.who)));
    add(latex_text(parts.metric));
    add(line.test.n == 0 ? "--" : "$" + math_number(parts.difference) + "$" + (parts.percent ? "\\,\\%" : ""));
    const bool own = holm && !parts.adjusted_low.empty();
    add(own ? interval(parts.adjusted_low, parts.adjusted_high) : interval(parts.low, parts.high));
    add(p(line.deterministic ? none : holm && line.p_adjusted ? line.p_adjusted : line.test.p));
    if (flips) add(p(line.deterministic ? none : line.test.p_sign_flip));
    if (counts) add(std::to_string(line.test.n));
    if (verdicts) add(latex_text(direction_text(line)));
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

double text_height(const std::string& tex, double size, double width) {
  return std::ceil(latex_width(tex) * size / 10 / width) * 1.2 * size;
}

}  // namespace

std::string to_latex(const Table& given) {
  const Table table = as_shown(given);
  const bool notes = table.config.report.captions == ReportParams::Captions::kFull;
  const LatexGrid grid = grid_of(table);
  const bool listed = notes && table.comparisons.size() > kSentences;
  const LatexGrid comparisons = listed ? comparisons_of(table) : LatexGrid();

  // Fits one of two columns if \footnotesize is small enough; else spans the page.
  double width = kLatexColumn;
  LatexSetting setting = fit_latex(grid, width);
  const bool easily = setting.size <= 2 && setting.key_width == 0 && setting.blocks.size() == 1 && !listed;
  if (table.latex.span == LatexParams::Span::kPage || (table.latex.span == LatexParams::Span::kAuto && !easily)) {
    width = kLatexPage;
    setting = fit_latex(grid, width);
  }
  const LatexSetting list_setting = fit_latex(comparisons, width);

  const std::string caption = "\\caption{" + caption_text(table) + "}", label = "\\label{" + latex_label(table.label) + "}";
  const std::string note = notes ? sentences(table) : "";
  double height = latex_height(grid, setting) + text_height(caption_text(table), 10, width) + 20 + text_height(note, 8, width);
  if (listed) height += latex_height(comparisons, list_setting) + 10;
  const bool is_float = height <= kFloatHeight;

  const std::string packages = is_float ? "booktabs" : "booktabs,longtable";
  std::string out = fmt::format(
      "% Table {} of run {}/{}, written by yatlab.\n"
      "% Needs \\usepackage{{{}}}; compiles with pdflatex, XeLaTeX and LuaLaTeX, in one column and in two.\n{}{}",
      safe_file_name(table.id), safe_file_name(table.experiment), safe_file_name(table.run_id), packages, yat_latex(),
      notes ? kNoteMacro : "");
  const auto below = [&](const std::string& list) {
    if (!notes) return std::string();
    return "\\yatnote{" + note + (listed ? "\\par\\smallskip\n{" + latex_type(list_setting) + list + "\\par}" : "") + "}\n";
  };
  if (is_float) {
    const std::string environment = width == kLatexPage ? "table*" : "table";
    return out + "\\begin{" + environment + "}[htbp]\n\\centering\n" + caption + "\n" + label + "\n" + latex_type(setting) +
           latex_tabulars(grid, setting) + below(latex_tabulars(comparisons, list_setting)) + "\\end{" + environment + "}\n";
  }
  if (width != kLatexPage) {
    width = kLatexPage;
    setting = fit_latex(grid, width);
  }
  return out + on_one_column("\\begingroup\\setlength{\\LTcapwidth}{\\linewidth}\n" + latex_type(setting) +
                             latex_longtables(grid, setting, caption + label) + "\\endgroup\n" +
                             below(latex_longtables(comparisons, fit_latex(comparisons, width), "")));
}

}  // namespace yatlab

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/figure/latex_text.h"
#include "core/report/html_parts.h"
#include "core/table/table_parts.h"

namespace yatlab::html {
namespace {

// The page shows this many rows and comparisons of a table; the files beside it have all.
constexpr std::size_t kShownRows = 500;
// Tables with more cells leave the list of all numbers to their CSV.
constexpr std::size_t kListed = 160;

std::string interval_text(const Interval& interval, const TableColumn& column) {
  const auto plain = is_percent(column.info.format)                    ? NumberFormat::kPercent
                     : column.info.format == NumberFormat::kScientific ? NumberFormat::kScientific
                                                                       : NumberFormat::kNumber;
  return fmt::format("[{}, {}]{}", format_value(interval.low, plain, column.decimals), format_value(interval.high, plain, column.decimals),
                     unit(column.info.format));
}

std::string spread_text(const ValueParts& parts) { return parts.text().substr(parts.mean.size()); }

// The text shown on hovering.
std::string cell_details(const TableCell& cell, const TableColumn& column) {
  std::vector<std::string> out;
  const auto parts = value_parts(cell, column);
  out.push_back(parts.mean + spread_text(parts));
  if (cell.ci95) out.push_back("95 % interval " + interval_text(*cell.ci95, column));
  const auto& s = cell.sample;
  std::string n = fmt::format("n = {}", s.values.size());
  if (!s.not_finite.empty()) n += ", " + not_finite_text(s);
  if (s.diverged) n += fmt::format(", {} diverged", s.diverged);
  if (s.failed) n += fmt::format(", {} failed", s.failed);
  if (s.unfinished) n += fmt::format(", {} unfinished", s.unfinished);
  out.push_back(n);
  return join(out, "; ");
}

std::string cell_html(const Table& table, std::size_t r, std::size_t c, const std::string& prefix) {
  const TableRow& row = table.rows[r];
  const TableCell& cell = row.cells[c];
  const TableColumn& column = table.columns[c];
  const auto parts = value_parts(cell, column);
  std::string attributes =
      fmt::format(" data-arm=\"{}\" data-metric=\"{}\" data-n=\"{}\" data-mean=\"{}\"", text(column.arm.empty() ? row.arm : column.arm),
                  text(column.metric), cell.sample.values.size(), number(cell.mean));
  if (cell.std) attributes += fmt::format(" data-std=\"{}\"", number(*cell.std));
  if (!row.point.empty()) attributes += fmt::format(" data-point=\"{}\"", text(point_label(row.point)));
  std::string out = fmt::format("<td class=\"num{}\"{}>", cell.bold ? " best" : "", attributes);
  const std::string tip = fmt::format("{}-{}-{}", prefix, r, c);
  const bool any = !cell.sample.values.empty() || !cell.sample.not_finite.empty();
  const std::string value =
      fmt::format("<span class=\"mean\">{}</span><span class=\"spread\">{}</span>", text(parts.mean), text(spread_text(parts)));
  if (!cell.paper) {
    if (!any) return out + value + "</td>";
    return out + fmt::format("<span class=\"value\" data-tip=\"{}\">{}</span></td>", text(cell_details(cell, column)), value);
  }
  const auto paper = paper_parts(*cell.paper, column);
  out += fmt::format("<span class=\"value\">{}</span>", value);
  out += fmt::format(
      "<span class=\"paper\" data-paper=\"{}\">paper {}{}</span>"
      "<button type=\"button\" class=\"why\" aria-describedby=\"{}\">{}</button>"
      "<span class=\"tip\" role=\"tooltip\" id=\"{}\"><b>{}</b> {}<br>{}</span></td>",
      number(cell.paper->number.value.low), text(paper.value),
      paper.difference.empty() ? "" : " <span class=\"difference\">" + text(paper.difference) + "</span>", tip,
      badge(cell.paper->judgement), tip, verdict_name(cell.paper->judgement), text(cell.paper->judgement.why),
      text("ours: " + cell_details(cell, column)));
  return out;
}

// One line for each number: the text that the table shows on hovering.
std::string all_numbers(const Table& table, const std::string& files) {
  if (table.rows.size() * table.columns.size() > kListed) return {};
  const bool paper = std::any_of(table.rows.begin(), table.rows.end(), [](const TableRow& row) {
    return std::any_of(row.cells.begin(), row.cells.end(), [](const TableCell& c) { return c.paper.has_value(); });
  });
  std::string out =
      "<details class=\"numbers\"><summary>Every number, with its interval</summary>\n"
      "<div class=\"scroll\" role=\"region\" aria-label=\"Every number\" tabindex=\"0\"><table>\n<thead><tr>"
      "<th scope=\"col\">row</th><th scope=\"col\">column</th><th scope=\"col\" class=\"num\">ours</th>"
      "<th scope=\"col\" class=\"num\">95 % interval</th><th scope=\"col\" class=\"num\">n</th>";
  if (paper) {
    out +=
        "<th scope=\"col\" class=\"num\">paper</th><th scope=\"col\" class=\"num\">ours − paper</th>"
        "<th scope=\"col\" class=\"num\">tolerance</th><th scope=\"col\">verdict</th><th scope=\"col\">why</th>";
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const auto& cell = row.cells[c];
      const auto& column = table.columns[c];
      if (cell.sample.planned == 0 || (cell.sample.values.empty() && cell.sample.not_finite.empty() && !cell.paper)) continue;
      const auto parts = value_parts(cell, column);
      out += fmt::format(
          "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"num\">{}</td><td class=\"num\">{}</td>"
          "<td class=\"num\">{}</td>",
          text(join(row_keys(table, row), ", ")), text(plain_text(column.header)), text(parts.mean + spread_text(parts)),
          cell.ci95 ? text(interval_text(*cell.ci95, column)) : "", cell.sample.values.size());
      if (paper && cell.paper) {
        const auto p = paper_parts(*cell.paper, column);
        // Tolerances are printed as written, without a sign.
        const auto plain = is_percent(column.info.format) ? NumberFormat::kPercent : NumberFormat::kNumber;
        out +=
            fmt::format("<td class=\"num\">{}</td><td class=\"num\">{}</td><td class=\"num\">{}</td><td>{}</td><td class=\"prose\">{}</td>",
                        text(p.value), text(p.difference), text(format_exact(cell.paper->number.tolerance, plain) + unit(plain)),
                        badge(cell.paper->judgement), text(cell.paper->judgement.why));
      } else if (paper) {
        out += "<td></td><td></td><td></td><td></td><td></td>";
      }
      out += "</tr>\n";
    }
  }
  out += "</tbody></table></div>\n";
  if (!files.empty()) out += fmt::format("<p class=\"small\">With every seed's value: <a href=\"{}.csv\">csv</a></p>\n", link(files));
  return out + "</details>\n";
}

// ": all of them", with a link, if there are files.
std::string all_in(const std::string& files, std::string_view format) {
  return files.empty() ? "" : fmt::format(": <a href=\"{}.{}\">all of them</a>", link(files), format);
}

}  // namespace

std::string table(const Table& given, const std::string& files, const std::string& prefix) {
  const Table table = as_shown(given);
  const std::string id = prefix + identifier(table.id);
  const bool long_table = table.rows.size() > 16;
  std::string out =
      fmt::format("<figure class=\"table\" id=\"{}\">\n<figcaption><h3>{}</h3></figcaption>\n", id, text(plain_text(table.title)));
  out += fmt::format("<div class=\"scroll{}\" role=\"region\" aria-label=\"{}\" tabindex=\"0\"><table class=\"results{}\">\n<thead><tr>",
                     long_table ? " tall" : "", text(plain_text(table.title)), table.rows.size() > 6 ? " sortable" : "");
  const auto heads = key_headers(table);
  for (const auto& head : heads) {
    out += head.empty() ? "<th scope=\"col\"><span class=\"hidden\">arm</span></th>" : fmt::format("<th scope=\"col\">{}</th>", text(head));
  }
  const bool show_n = n_varies(table);
  if (show_n) out += "<th scope=\"col\" class=\"num\">n</th>";
  for (const auto& column : table.columns) {
    out += fmt::format("<th scope=\"col\" class=\"num\" title=\"{}\">{}</th>", text(column.metric), text(plain_text(heading(column))));
  }
  out += "</tr></thead>\n<tbody>\n";
  const auto rows = std::min(table.rows.size(), kShownRows), lines_shown = std::min(table.comparisons.size(), kShownRows);
  for (std::size_t r = 0; r < rows; ++r) {
    out += "<tr>";
    for (const auto& key : row_keys(table, table.rows[r])) out += fmt::format("<th scope=\"row\">{}</th>", text(plain_text(key)));
    if (show_n) out += fmt::format("<td class=\"num\">{}</td>", row_n(table.rows[r]));
    for (std::size_t c = 0; c < table.columns.size(); ++c) out += cell_html(table, r, c, id);
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
  if (table.rows.empty()) out += "<p>No rows.</p>\n";
  if (rows < table.rows.size()) {
    out +=
        fmt::format("<p class=\"small\">The first {} of {}{}</p>\n", rows, counted(table.rows.size(), "row", "rows"), all_in(files, "csv"));
  }
  if (!table.comparisons.empty()) {
    std::string lines;
    for (std::size_t i = 0; i < lines_shown; ++i) {
      const auto& line = table.comparisons[i];
      lines +=
          fmt::format("<li data-difference=\"{}\">{}</li>\n", number(line.test.difference), text(plain_text(comparison_text(table, line))));
    }
    if (lines_shown < table.comparisons.size()) {
      lines += fmt::format("<li>and {} more{}</li>\n", table.comparisons.size() - lines_shown, all_in(files, "md"));
    }
    if (table.comparisons.size() > 8) {
      out += fmt::format("<details class=\"numbers\"><summary>{}</summary><ul class=\"comparisons\">\n{}</ul></details>\n",
                         counted(table.comparisons.size(), "paired comparison", "paired comparisons"), lines);
    } else {
      out += "<ul class=\"comparisons\">\n" + lines + "</ul>\n";
    }
  }
  out += all_numbers(given, files);
  if (!table.caption.empty()) out += fmt::format("<p class=\"caption\">{}</p>\n", text(plain_text(table.caption)));
  // The top of the page shows notes on the run that all tables share.
  std::vector<std::string> notes;
  for (const auto& note : table.notes) {
    if (note.rfind("Run ", 0) != 0) notes.push_back(note);
  }
  std::string links;
  for (const char* format : {"csv", "tex", "md"}) {
    if (!files.empty()) links += fmt::format(" <a href=\"{}.{}\">{}</a>", link(files), format, format);
  }
  return out + fmt::format("<p class=\"small\">{} <span class=\"files\">{}</span></p>\n</figure>\n", text(join(notes, " ")), trim(links));
}

}  // namespace yatlab::html

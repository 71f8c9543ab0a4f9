#include "core/table/table_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/verdict/display_titles.h"

namespace yatlab {

ValueParts value_parts(const TableCell& cell, const TableColumn& column) {
  if (cell.sample.values.empty()) {
    const bool diverged = cell.sample.planned > 0 && cell.sample.diverged == cell.sample.planned;
    return {cell.sample.none_finite() ? "not finite" : diverged ? "diverged" : "–", "", "", "", ""};
  }
  ValueParts out;
  if (cell.own_n) out.n = fmt::format("(n = {})", *cell.own_n);
  const NumberFormat format = column.info.format;
  out.mean = format_value(cell.mean, format, column.decimals);
  out.unit = unit(format);
  if (column.info.share && cell.ci95) {
    out.interval = fmt::format("[{}, {}]", format_value(cell.ci95->low, NumberFormat::kPercent, column.decimals),
                               format_value(cell.ci95->high, NumberFormat::kPercent, column.decimals));
    return out;
  }
  // A deterministic value has no spread to show.
  if (cell.std && !(column.info.deterministic && *cell.std == 0)) {
    const auto plain = is_percent(format)                    ? NumberFormat::kPercent
                       : format == NumberFormat::kScientific ? NumberFormat::kScientific
                                                             : NumberFormat::kNumber;
    out.std = format_value(*cell.std, plain, column.decimals);
  }
  return out;
}

std::string ValueParts::text() const {
  return mean + (std.empty() ? "" : " ± " + std) + unit + (interval.empty() ? "" : " " + interval) + (n.empty() ? "" : " " + n);
}

std::string paper_value(double value, const TableColumn& column) {
  std::string exact = format_exact(value, column.info.format);
  const auto point = exact.find('.');
  const bool exponent = exact.find('e') != std::string::npos;
  // As the paper prints it; closed forms with a dozen digits get the column's decimals.
  const bool long_tail =
      point != std::string::npos && !exponent && exact.size() - point - 1 > static_cast<std::size_t>(column.decimals) + 2;
  return long_tail ? format_value(value, column.info.format, column.decimals) : exact;
}

std::vector<std::string> paper_values(const PaperNumber& number, const TableColumn& column) {
  if (number.sample) {
    const auto text = sample_text(*number.sample, column.info.format, false);
    const std::string sign = " ± ";
    const auto mean = text.find(sign), std = mean + sign.size();
    return {text.substr(0, mean), text.substr(std, text.size() - std - unit(column.info.format).size())};
  }
  std::vector<std::string> out = {paper_value(number.value.low, column)};
  if (number.value.width() > 0) out.push_back(paper_value(number.value.high, column));
  return out;
}

PaperParts paper_parts(const PaperCell& paper, const TableColumn& column) {
  PaperParts out;
  out.value = join(paper_values(paper.number, column), paper.number.sample ? " ± " : " to ") + unit(column.info.format);
  if (!std::isnan(paper.difference) && paper.judgement.verdict != Verdict::kNotComparable) {
    out.difference = format_difference(paper.difference, column.info.format, column.decimals);
  }
  return out;
}

std::vector<std::string> key_headers(const Table& table) {
  std::vector<std::string> out;
  out = parameter_titles(table.swept, table.config.parameters);
  if (table.show_arm || out.empty()) out.emplace_back();
  return out;
}

std::vector<std::string> row_keys(const Table& table, const TableRow& row) {
  std::vector<std::string> out;
  for (const auto& name : table.swept) {
    const auto at = std::find_if(row.point.begin(), row.point.end(), [&](const auto& entry) { return entry.first == name; });
    out.push_back(at == row.point.end() ? "–" : format_parameter(at->second));
  }
  if (table.show_arm || out.empty()) out.push_back(row.label);
  return out;
}

const std::string& heading(const TableColumn& column) { return column.arm.empty() ? column.header : column.arm_label; }

std::size_t row_n(const TableRow& row) {
  std::size_t n = 0;
  for (const auto& cell : row.cells) n = std::max(n, cell.sample.values.size());
  return n;
}

bool n_varies(const Table& table) {
  return std::any_of(table.rows.begin(), table.rows.end(), [&](const TableRow& row) { return row_n(row) != row_n(table.rows.front()); });
}

ComparisonParts comparison_parts(const Table& table, const ComparisonLine& line) {
  ComparisonParts out;
  MetricInfo info = table.config.metric(line.metric);
  out.metric = info.title;
  for (const auto& column : table.columns) {
    if (column.metric != line.metric) continue;
    out.metric = column.header;
    info = column.info;
  }
  const PairedTest& test = line.test;
  out.percent = is_percent(info.format);
  // One decimal more than the spread of the differences requires keeps narrow intervals readable.
  const std::vector<double> spread = test.std && !line.without_spread ? std::vector<double>{*test.std} : std::vector<double>{};
  int decimals = std::max(decimals_for(info.format, spread, {test.difference}), out.percent ? 2 : 0);
  if (line.adjusted) decimals = decimals_beside_zero(info.format, decimals, *line.adjusted);
  if (test.ci95) decimals = decimals_beside_zero(info.format, decimals, line.documents ? line.documents->ci95 : *test.ci95);
  const bool contrast = !line.contrast.name.empty();
  std::string first = contrast ? line.contrast.name : table.config.arm_label(line.arm), second = table.config.arm_label(line.baseline),
              where;
  if (!line.baseline_point.empty()) {
    first += fmt::format(" ({})", point_title(line.point, table.config.parameters));
    second += fmt::format(" ({})", point_title(line.baseline_point, table.config.parameters));
  } else if (!line.point.empty()) {
    where = " at " + point_title(line.point, table.config.parameters);
  }
  out.who = contrast ? first + where : fmt::format("{} − {}{}", first, second, where);
  out.difference = format_difference(test.difference, info.format, decimals);
  const auto plain = out.percent                                ? NumberFormat::kPercent
                     : info.format == NumberFormat::kScientific ? NumberFormat::kScientific
                                                                : NumberFormat::kNumber;
  if (test.ci95 && !line.deterministic) {
    const auto& wider = line.documents ? line.documents->ci95 : *test.ci95;
    out.low = format_value(wider.low, plain, decimals);
    out.high = format_value(wider.high, plain, decimals);
  }
  if (line.adjusted && !line.deterministic) {
    out.adjusted_low = format_value(line.adjusted->low, plain, decimals);
    out.adjusted_high = format_value(line.adjusted->high, plain, decimals);
  }
  return out;
}

std::string measured_comparison(const Table& table, const ComparisonLine& line) {
  const auto parts = comparison_parts(table, line);
  const PairedTest& test = line.test;
  std::string out = fmt::format("{}, {}: ", parts.who, parts.metric);
  out += test.n == 0 ? "no seed has both" : parts.difference + (parts.percent ? " points" : "");
  if (line.change && line.change->n > 0) {
    const auto relative = [](double v) { return format_value(v, NumberFormat::kSignedPercent, 1); };
    out += fmt::format(", {} %", relative(line.change->difference));
    if (line.change->ci95 && !line.deterministic)
      out += fmt::format(" [{}, {}]", relative(line.change->ci95->low), relative(line.change->ci95->high));
  }
  if (!parts.low.empty()) {
    const auto over = line.documents ? fmt::format(" over seeds and {} documents", line.documents->documents) : "";
    out += fmt::format(", 95 % CI{} [{}, {}], {}", over, parts.low, parts.high, format_p(*test.p));
    if (line.p_adjusted && *line.p_adjusted != *test.p) {
      out += ", Holm " + format_p(*line.p_adjusted);
      if (!parts.adjusted_low.empty()) out += fmt::format(" [{}, {}]", parts.adjusted_low, parts.adjusted_high);
    }
  }
  if (line.without_spread) out += fmt::format(" (the same for each of {} seeds)", test.n);
  // Values that do not depend on the seed are not a sample.
  if (!line.deterministic && test.n > 0) {
    out += fmt::format(" (paired over {} seed{}", test.n, test.n == 1 ? "" : "s");
    if (test.p_sign_flip) out += ", sign-flip " + format_p(*test.p_sign_flip);
    out += ")";
  }
  for (const auto& [arm, sample] : line.not_finite) out += fmt::format("; {} {}", table.config.arm_label(arm), not_finite_text(sample));
  return out;
}

std::string expectation_text(const PaperExpectation& expected) {
  const auto percent = [](double v) { return format_exact(v, NumberFormat::kSignedPercent); };
  switch (expected.kind) {
    case PaperExpectation::Kind::kNothing:
      break;
    case PaperExpectation::Kind::kLower:
      return "lower";
    case PaperExpectation::Kind::kHigher:
      return "higher";
    case PaperExpectation::Kind::kDiverges:
      return "it diverges";
    case PaperExpectation::Kind::kChange:
      return fmt::format("{} to {} %", percent(expected.change.low), percent(expected.change.high));
  }
  return "";
}

std::string direction_text(const ComparisonLine& line) {
  return line.verdict + (line.verdict.empty() || line.data == compared_on::kPaper ? ""
                         : line.data == compared_on::kSmaller                     ? ", at a smaller scale"
                                                                                  : ", on substitute data");
}

std::string comparison_text(const Table& table, const ComparisonLine& line) {
  std::string out = measured_comparison(table, line);
  if (!line.paper.anything()) return out;
  return out + fmt::format("; the paper says {}: {}", expectation_text(line.paper), direction_text(line)) +
         (line.why.empty() ? "" : " (" + line.why + ")");
}

}  // namespace yatlab

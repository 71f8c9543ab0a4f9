#include "core/table/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/base/text.h"
#include "core/figure/latex_text.h"
#include "core/record/point_index.h"
#include "core/table/best_points.h"
#include "core/table/protocol.h"
#include "core/table/table_parts.h"
#include "core/table/unmet_requirements.h"
#include "core/verdict/display_titles.h"

namespace yatlab {

std::vector<std::string> arms_of(const RunView& run, const TableSpec& spec) {
  if (spec.arms.empty()) return run.arms;
  std::vector<std::string> out;
  for (const auto& arm : spec.arms) {
    if (std::find(run.arms.begin(), run.arms.end(), arm) != run.arms.end()) out.push_back(arm);
  }
  return out;
}

namespace {

/// Cells with fewer seeds than others in the row show their own number.
void set_own_n(TableRow& row) {
  const auto n = row_n(row);
  for (auto& cell : row.cells) {
    if (!cell.sample.values.empty() && cell.sample.values.size() < n) cell.own_n = cell.sample.values.size();
  }
}

std::string format_name(NumberFormat format) {
  for (const auto& [name, value] : number_formats()) {
    if (value == format) return name;
  }
  return "number";
}

TableCell make_cell(const RunView& run, const ReportConfig& config, const TableSpec& spec, const std::string& arm, const Node::Map& point,
                    const std::string& metric) {
  TableCell cell;
  cell.sample = cell.tested = run.sample(arm, point, metric);
  cell.mean = mean(cell.sample.values);
  cell.std = sample_std(cell.sample.values);
  cell.ci95 = reported_interval(cell.sample.values, config.metric(metric).share);
  if (const auto* number = config.paper_number(spec.id, arm, metric, point)) {
    const double nearest = std::isnan(cell.mean) ? cell.mean : std::clamp(cell.mean, number->value.low, number->value.high);
    cell.paper = PaperCell{*number, cell.mean - nearest, judge_number(run, config, *number, point)};
  }
  return cell;
}

/// A cell that leads its group, and the p-value of its lead.
struct Lead {
  TableCell* cell;
  double p;  ///< the largest of its tests against the others; 0 if there is nothing to test
};

/// Groups of rows to compare: those of one point, with arms that lack a swept parameter at each of its values; in a table of best points, all rows.
std::vector<std::vector<std::size_t>> groups_of(const Table& table, const TableSpec& spec, const std::vector<Node::Map>& points) {
  std::vector<std::vector<std::size_t>> out;
  if (spec.rows == TableSpec::Rows::kBest) {
    out.emplace_back(table.rows.size());
    std::iota(out.back().begin(), out.back().end(), std::size_t{0});
    return out;
  }
  PointIndex index;
  std::vector<std::vector<std::size_t>> rows;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const auto number = index.add(table.rows[r].point);
    if (number == rows.size()) rows.emplace_back();
    rows[number].push_back(r);
  }
  for (const auto& point : points) {
    std::vector<std::size_t> group;
    for (const auto number : index.parts_of(point)) group.insert(group.end(), rows[number].begin(), rows[number].end());
    std::sort(group.begin(), group.end());
    out.push_back(std::move(group));
  }
  return out;
}

/// The best arm of a group, if there are others and it beats each of them.
std::optional<Lead> lead_of(Table& table, std::size_t column, const std::vector<std::size_t>& rows) {
  const auto& info = table.columns[column].info;
  if (info.better == Direction::kNone) return std::nullopt;
  const double sign = info.better == Direction::kHigher ? 1 : -1;
  TableCell* best = nullptr;
  for (auto row : rows) {
    TableCell& cell = table.rows[row].cells[column];
    if (!cell.sample.not_finite.empty() || !cell.tested.not_finite.empty()) return std::nullopt;  // the leader is unknown
    if (!cell.sample.values.empty() && (!best || sign * (cell.mean - best->mean) > 0)) best = &cell;
  }
  if (!best || best->sample.only_survivors()) return std::nullopt;
  Lead out{best, 0};
  std::size_t others = 0;
  for (auto row : rows) {
    const TableCell& cell = table.rows[row].cells[column];
    if (&cell == best || cell.sample.values.empty()) continue;
    ++others;
    if (info.deterministic) {
      if (cell.mean == best->mean) return std::nullopt;
      continue;
    }
    const auto [a, b] = paired(best->tested, cell.tested);
    const auto test = paired_test(a, b);
    if (test.n < kFewestPairs || sign * test.difference <= 0) return std::nullopt;
    out.p = std::max(out.p, *test.p);
  }
  return others > 0 ? std::optional<Lead>(out) : std::nullopt;
}

/// The leads of one column. A row in several groups leads only if it leads in all of them.
std::vector<Lead> leads_of(Table& table, std::size_t column, const std::vector<std::vector<std::size_t>>& groups) {
  std::vector<Lead> out;
  std::vector<std::size_t> in(table.rows.size()), ahead(table.rows.size());
  std::vector<double> p(table.rows.size());
  for (const auto& group : groups) {
    const auto lead = lead_of(table, column, group);
    for (const auto row : group) {
      ++in[row];
      if (!lead || lead->cell != &table.rows[row].cells[column]) continue;
      ++ahead[row];
      p[row] = std::max(p[row], lead->p);
    }
  }
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (ahead[row] > 0 && ahead[row] == in[row]) out.push_back({&table.rows[row].cells[column], p[row]});
  }
  return out;
}

/// Sets the best arm bold if its lead over every other is significant, seed by seed, after Holm's adjustment for all leads that the table could have
/// marked.
void mark_best(const std::vector<Lead>& leads) {
  std::vector<double> p;
  for (const auto& lead : leads) p.push_back(lead.p);
  const auto adjusted = holm(p);
  for (std::size_t i = 0; i < leads.size(); ++i) leads[i].cell->bold = adjusted[i] < kSignificant;
}

/// How the choice among points affects the numbers shown.
std::string choice_note(const Table& table, const BestPoints& best) {
  std::size_t fewest = 0, most = 0;
  std::vector<std::string> instead;
  for (const auto& row : table.rows) {
    const auto n = best.candidates(row.arm);
    fewest = most == 0 ? n : std::min(fewest, n);
    most = std::max(most, n);
    const TableColumn& column = table.columns.front();
    const auto& cell = row.cells.front();
    if (!best.flatters(row.arm) || cell.tested.values.empty() || cell.tested.planned < 2) continue;
    const auto shown = [&](double value) { return format_value(value, column.info.format, column.decimals); };
    instead.push_back(fmt::format("{} {}{}", row.label, shown(mean(cell.tested.values)), unit(column.info.format)));
  }
  if (most < 2) return {};
  const std::string of = fewest == most ? std::to_string(most) : fmt::format("{} to {}", fewest, most);
  const std::string by = table.config.metric(best.chooser()).title;
  if (best.held_back()) return fmt::format("Each at its best of {} points by {}: samples held back choose, the others are shown.", of, by);
  std::string out = fmt::format("Each at its best of {} points by {}, chosen by the very runs that are shown, which flatters it", of, by);
  if (instead.empty()) return out + "; one seed cannot tell by how much.";
  return out + fmt::format(". Tests and comparisons take each seed at the point that the other seeds choose: {} {}.",
                           table.columns.front().header, join(instead, ", "));
}

/// `fewest`, `most`: seeds behind a cell. `measured`: some have values that are not finite.
std::string spread_note(std::size_t fewest, std::size_t most, bool measured) {
  if (most == 0) return measured ? "No value is finite." : "No job has finished.";
  if (most == 1) return "One seed: no spread.";
  const std::string n = fewest == most ? std::to_string(most) : fmt::format("{} to {}", fewest, most);
  return fmt::format("Mean ± standard deviation over n = {} seeds.", n);
}

std::vector<std::string> make_notes(const RunView& run, const Table& table, const std::optional<BestPoints>& best) {
  std::vector<std::string> notes;
  std::size_t fewest = 0, most = 0;
  bool bold = false, tested = false, paper = false;
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      const auto& cell = row.cells[c];
      bold = bold || cell.bold;
      tested = tested || (cell.bold && !table.columns[c].info.deterministic);
      paper = paper || cell.paper;
      const auto n = cell.sample.values.size();
      if (n == 0) continue;  // reported below: not finite, diverged, failed or not finished
      fewest = most == 0 ? n : std::min(fewest, n);
      most = std::max(most, n);
    }
  }
  const bool measured = std::any_of(table.rows.begin(), table.rows.end(), [](const TableRow& row) {
    return std::any_of(row.cells.begin(), row.cells.end(), [](const TableCell& cell) { return cell.sample.none_finite(); });
  });
  notes.push_back(spread_note(fewest, most, measured));
  if (table.arms_across) notes.push_back(fmt::format("One column for each arm: {}.", table.columns.front().header));
  if (best) {
    if (auto note = choice_note(table, *best); !note.empty()) notes.push_back(std::move(note));
  }
  const bool shares = std::any_of(table.columns.begin(), table.columns.end(), [](const TableColumn& c) { return c.info.share; });
  if (shares) notes.push_back("Shares of seeds: 95 % Wilson interval.");
  if (paper) notes.push_back("Under each value: the paper's, ours minus the paper's, and the verdict.");
  if (bold) {
    notes.push_back(tested
                        ? "Bold: better than every other arm, seed by seed (paired t-test, p < 0.05 after Holm's adjustment for the table)."
                        : "Bold: better than every other arm.");
  }
  if (table.config.fitted && paper) notes.push_back(fmt::format("Fitted protocol: {}.", table.config.fitted->text));
  const auto adjusted = std::count_if(table.comparisons.begin(), table.comparisons.end(),
                                      [](const ComparisonLine& line) { return line.p_adjusted.has_value(); });
  const auto added = std::count_if(table.comparisons.begin(), table.comparisons.end(),
                                   [](const ComparisonLine& line) { return line.added && line.p_adjusted.has_value(); });
  if (adjusted > 1 && added > 0) {
    notes.push_back(fmt::format("Holm p: adjusted for the {} comparisons of the file's own arms; of added arms for all {}; it decides.",
                                adjusted - added, adjusted));
  } else if (adjusted > 1) {
    notes.push_back(
        "Holm p decides. It and the interval behind it are adjusted for several comparisons: what the paper claims, and all others.");
  }
  // An experiment without a paper gets no note about one.
  const bool paper_here = table.config.has_paper();
  const std::string beside = paper_here ? "; not comparable with the paper" : "";
  std::vector<std::string> real, substitutes;
  for (const auto& data : run.datasets()) {
    auto& list = data.substituted_for.empty() ? real : substitutes;
    const std::string text =
        data.substituted_for.empty() ? data.name : fmt::format("{} is used instead of {}", data.name, data.substituted_for);
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
  }
  if (!real.empty()) notes.push_back(fmt::format("Data: {}.", join(real, ", ")));
  if (!substitutes.empty()) {
    notes.push_back(fmt::format("SUBSTITUTE DATA: {}{}.", join(substitutes, ", "), beside));
  }
  if (!run.scale.empty()) {
    notes.push_back(fmt::format("Scale '{}'{}.", run.scale, paper_here ? ": not comparable with the paper" : ""));
  }
  for (auto& note : protocol_notes(run, table)) notes.push_back(std::move(note));
  for (const auto& row : table.rows) {
    if (row.cells.empty()) continue;
    const Sample& sample = row.cells.front().sample;
    if (sample.planned == sample.values.size() &&
        std::all_of(row.cells.begin(), row.cells.end(), [](const TableCell& cell) { return cell.sample.not_finite.empty(); }))
      continue;
    const std::string who =
        row.point.empty() ? row.label : fmt::format("{} ({})", row.label, point_title(row.point, table.config.parameters));
    std::vector<std::pair<std::string, std::vector<std::string>>> lost;  // the text, and its columns
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      const auto text = not_finite_text(row.cells[c].sample);
      if (text.empty()) continue;
      auto known = std::find_if(lost.begin(), lost.end(), [&](const auto& entry) { return entry.first == text; });
      if (known == lost.end()) known = lost.insert(lost.end(), {text, {}});
      known->second.push_back(plain_text(table.columns[c].header));
    }
    for (const auto& [text, columns] : lost) notes.push_back(fmt::format("{}: {} {}.", who, join(columns, ", "), text));
    if (sample.diverged > 0) {
      notes.push_back(fmt::format("{}: {} of {} seeds diverged.", who, sample.diverged, sample.planned));
    }
    if (sample.failed > 0) {
      notes.push_back(fmt::format("{}: {} of {} seeds failed.", who, sample.failed, sample.planned));
    }
    if (sample.unfinished > 0) {
      notes.push_back(fmt::format("{}: {} of {} seeds not finished.", who, sample.unfinished, sample.planned));
    }
  }
  notes.push_back(fmt::format("Run {}/{}.", run.experiment, run.run_id));
  return notes;
}

}  // namespace

std::vector<std::string> not_comparable_reasons(const RunView& run, const PaperNumber& number, const std::string& arm,
                                                const Node::Map& point) {
  std::vector<std::string> out;
  const auto add = [&](std::string reason) {
    if (std::find(out.begin(), out.end(), reason) == out.end()) out.push_back(std::move(reason));
  };
  for (const JobView* job : run.jobs_of(arm, point)) {
    if (!job->dataset) continue;
    if (!job->dataset->substituted_for.empty()) {
      add(fmt::format("substitute data: {} is used instead of {}", job->dataset->name, job->dataset->substituted_for));
    } else if (!number.dataset.empty() && job->dataset->name != number.dataset) {
      add(fmt::format("measured on {}, the paper's number is for {}", job->dataset->name, number.dataset));
    }
  }
  if (!run.scale.empty()) add(fmt::format("run at scale '{}'", run.scale));
  if (const auto changes = protocol_changes(run, arm, point, number.metric); !changes.empty())
    add(fmt::format("protocol changed by {}", join(changes, " ")));
  return out;
}

namespace {

std::optional<Judgement> unmet_number(const RunView& run, const ReportConfig& config, const std::vector<Requirement>& requirements,
                                      const std::string& arm, const Node::Map& point) {
  const auto unmet = unmet_by(run, config, requirements, arm, point);
  if (!unmet) return std::nullopt;
  return Judgement{unmet->otherwise == Requirement::Else::kUndertrained ? Verdict::kUndertrained : Verdict::kInconclusive, unmet->why};
}

}  // namespace

Judgement judge_number(const RunView& run, const ReportConfig& config, const PaperNumber& number, const Node::Map& point) {
  const auto sample = run.sample(number.arm, point, number.metric);
  const auto info = config.metric(number.metric);
  VerdictInput in;
  in.paper = number.value;
  in.sample = number.sample;
  in.share = info.share;
  in.unmet = unmet_number(run, config, info.requirements, number.arm, point);
  if (config.fitted && config.fitted->covers(number.arm)) in.fitted = config.fitted->text;
  in.tolerance = number.tolerance;
  in.values = sample.values;
  in.seeds = sample.seeds;
  in.direction = info.better;
  in.deterministic = info.deterministic;
  in.diverged = sample.diverged;
  in.not_finite = sample.not_finite.size();
  in.failed = sample.failed + sample.unfinished;
  in.not_comparable = not_comparable_reasons(run, number, number.arm, point);
  in.format = format_name(info.format);
  return judge(in);
}

Table build_table(const RunView& run, const ReportConfig& config, const TableSpec& spec) {
  Table table;
  table.id = spec.id;
  table.label = spec.label.empty() ? spec.id : spec.label;
  table.title = spec.title.empty() ? config.title : spec.title;
  table.caption = spec.caption;
  table.experiment = run.experiment;
  table.run_id = run.run_id;
  table.config = config;
  table.latex = spec.latex;
  table.arms_across = spec.across == TableSpec::Across::kArms;
  for (const auto& column : spec.columns) {
    TableColumn out;
    out.metric = column.metric;
    out.info = config.metric(column.metric);
    out.header = column.header.empty() ? out.info.title : column.header;
    if (column.format) {
      for (const auto& [name, format] : number_formats()) {
        if (name == *column.format) out.info.format = format;
      }
    }
    table.columns.push_back(std::move(out));
  }
  const auto arms = arms_of(run, spec);
  const auto points = run.points_at(spec.at);
  const bool one_point = points.size() == 1 && points.front().empty();
  table.show_arm = arms.size() > 1 || one_point;
  if (!one_point) {
    for (const auto& point : points) {
      for (const auto& entry : point) {
        if (std::find(table.swept.begin(), table.swept.end(), entry.first) == table.swept.end()) {
          table.swept.push_back(entry.first);
        }
      }
    }
  }
  std::map<std::string, PointIndex> added;  // by arm
  const auto add_row = [&](const std::string& arm, const Node::Map& at) {
    const auto point = run.point_of(arm, at);
    if (!point) return;
    // An arm that lacks a swept parameter is the same at several points, and gets one row.
    auto& known = added[arm];
    if (const auto before = known.size(); known.add(*point) != before && point->size() < at.size()) return;
    TableRow row;
    row.arm = arm;
    row.label = config.arm_label(arm);
    row.point = *point;
    for (const auto& column : table.columns) {
      row.cells.push_back(make_cell(run, config, spec, arm, *point, column.metric));
    }
    table.rows.push_back(std::move(row));
  };
  std::optional<BestPoints> best;
  if (spec.rows == TableSpec::Rows::kBest) {
    best.emplace(run, config, spec);
    for (const auto& arm : arms) {
      // An arm without any value keeps a row that shows this.
      if (const auto at = best->of(arm)) {
        add_row(arm, *at);
        for (auto& cell : table.rows.back().cells) {
          cell.tested = best->sample(arm, table.columns[static_cast<std::size_t>(&cell - table.rows.back().cells.data())].metric);
        }
      } else if (!points.empty()) {
        add_row(arm, points.front());
      }
    }
  } else if (spec.rows == TableSpec::Rows::kArms) {
    // First the arms that are present at every point: they belong to no single one.
    for (const auto& arm : arms) {
      for (const auto& point : points) {
        if (const auto own = run.point_of(arm, point); own && own->size() < point.size()) add_row(arm, point);
      }
    }
    for (const auto& point : points) {
      for (const auto& arm : arms) add_row(arm, point);
    }
  } else {
    for (const auto& arm : arms) {
      for (const auto& point : points) add_row(arm, point);
    }
  }
  for (auto& row : table.rows) set_own_n(row);
  const auto groups = groups_of(table, spec, points);
  std::vector<Lead> leads;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::vector<double> stds, means;
    double largest = 0;
    for (const auto& row : table.rows) {
      const auto& cell = row.cells[c];
      if (cell.std) stds.push_back(*cell.std);
      means.push_back(cell.mean);
      if (std::isfinite(cell.mean)) largest = std::max(largest, std::abs(cell.mean));
    }
    TableColumn& column = table.columns[c];
    // Fixed decimals would print 0.0000 or a dozen digits.
    if (column.info.format == NumberFormat::kNumber && largest > 0 && (largest < 1e-3 || largest >= 1e6)) {
      column.info.format = NumberFormat::kScientific;
    }
    column.decimals = decimals_for(column.info.format, stds, means);
    if (spec.columns[c].digits) column.decimals = static_cast<int>(*spec.columns[c].digits);
    if (!spec.bold) continue;
    for (const auto& lead : leads_of(table, c, groups)) leads.push_back(lead);
  }
  mark_best(leads);
  table.comparisons = compare_arms(run, config, spec);
  table.notes = make_notes(run, table, best);
  return table;
}

Table as_shown(const Table& table) {
  if (!table.arms_across) return table;
  Table out = table;
  out.arms_across = out.show_arm = false;
  out.rows.clear();
  out.columns.clear();
  const auto& column = table.columns.front();
  for (const auto& row : table.rows) {
    if (std::any_of(out.columns.begin(), out.columns.end(), [&](const TableColumn& c) { return c.arm == row.arm; })) continue;
    out.columns.push_back(column);
    out.columns.back().arm = row.arm;
    out.columns.back().arm_label = row.label;
  }
  TableCell none;  // of an arm that lacks the point
  none.mean = std::nan("");
  PointIndex points;
  for (const auto& row : table.rows) {
    const auto at = points.add(row.point);
    if (at == out.rows.size()) {
      out.rows.push_back({"", column.header, row.point, std::vector<TableCell>(out.columns.size(), none)});
    }
    for (std::size_t c = 0; c < out.columns.size(); ++c) {
      if (out.columns[c].arm == row.arm) out.rows[at].cells[c] = row.cells.front();
    }
  }
  for (auto& row : out.rows) set_own_n(row);
  return out;
}

}  // namespace yatlab

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/figure/latex_text.h"
#include "core/record/point_index.h"
#include "core/report/claims_report.h"
#include "core/report/default_figures.h"
#include "core/report/html.h"
#include "core/report/paper_readme.h"
#include "core/report/recorded_report.h"
#include "core/report/report_parts.h"
#include "core/report/reproducibility.h"
#include "core/report/summary.h"
#include "core/report/verdict_counts.h"
#include "core/report/verdict_page.h"
#include "core/table/latex_grid.h"
#include "core/table/table_parts.h"
#include "core/verdict/display_titles.h"
#include "core/verdict/statistics.h"

namespace yatlab {

std::string measured_text(const Sample& sample, NumberFormat format) {
  if (sample.values.empty()) return sample.none_finite() ? "not finite" : "–";
  const double m = mean(sample.values);
  const auto s = sample_std(sample.values);
  const int decimals = decimals_for(format, s ? std::vector<double>{*s} : std::vector<double>{}, {m});
  std::string out = format_value(m, format, decimals);
  if (s) {
    const auto plain = is_percent(format)                    ? NumberFormat::kPercent
                       : format == NumberFormat::kScientific ? NumberFormat::kScientific
                                                             : NumberFormat::kNumber;
    out += " ± " + format_value(*s, plain, decimals);
  }
  return out + unit(format) + (sample.not_finite.empty() ? "" : fmt::format(" ({})", not_finite_text(sample)));
}

NumberFormat format_of(const ReportConfig& config, const PaperNumber& number) {
  for (const auto& table : config.tables) {
    if (table.id != number.table) continue;
    for (const auto& column : table.columns) {
      if (column.metric != number.metric || !column.format) continue;
      for (const auto& [name, format] : number_formats()) {
        if (name == *column.format) return format;
      }
    }
  }
  return config.metric(number.metric).format;
}

std::string printed_text(const PaperNumber& number, NumberFormat format) {
  if (number.sample) return sample_text(*number.sample, format);
  std::string out = format_exact(number.value.low, format);
  if (number.value.width() > 0) out += " to " + format_exact(number.value.high, format);
  return out + unit(format);
}

bool gives(const Sample& sample, const PaperNumber& number) {
  if (sample.values.empty() || sample.only_survivors()) return false;
  const double m = mean(sample.values);
  return number.value.low - number.tolerance <= m && m <= number.value.high + number.tolerance;
}

namespace {

std::string dataset_text(const RunView& run, const std::string& arm, const Node::Map& point) {
  std::vector<std::string> out;
  for (const JobView* job : run.jobs_of(arm, point)) {
    if (!job->dataset) continue;
    std::string text = job->dataset->name;
    if (!job->dataset->substituted_for.empty()) text += " for " + job->dataset->substituted_for;
    if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(text);
  }
  return join(out, ", ");
}

/// "the means of 14 of 16 protocols are within the tolerance": of the candidates for the fitted protocol.
std::string protocols_that_give(const PaperNumber& number, const Fitted& fitted, const RunView& sweep) {
  std::size_t all = 0, give = 0;
  for (const auto& arm : fitted.arms_of(number.arm)) {
    for (const auto& point : sweep.points_of(arm)) {
      const auto sample = sweep.sample(arm, point, number.metric);
      if (sample.values.empty()) continue;
      ++all;
      give += gives(sample, number);
    }
  }
  return all == 0 ? std::string() : fmt::format("the means of {} of {} protocols are within the tolerance", give, all);
}

// A number without its own point in a sweep shows the nearest point.
Score score_number(const RunView& run, const ReportConfig& config, const PaperNumber& number) {
  const NumberFormat format = format_of(config, number);
  const auto info = config.metric(number.metric);
  Score out;
  out.id = number.id;
  out.experiment = run.experiment;
  out.paper = printed_text(number, format) + (number.where.empty() ? "" : ", " + number.where);
  out.run = run.run_id;
  out.formula = !info.formula.empty();
  out.measurement = measurement_name(number.id, number.arm, number.metric, info.formula, {});
  std::vector<Node::Map> points;
  for (auto& point : run.points_of(number.arm)) {
    if (point_matches(number.at, point)) points.push_back(std::move(point));
  }
  if (points.empty()) {
    out.measured = "–";
    out.verdict = "not run";
    out.why = "the run holds no such arm or point";
    return out;
  }
  const Node::Map* nearest_point = nullptr;
  double nearest_distance = 0;
  std::size_t giving = 0;
  for (const auto& point : points) {
    const auto sample = run.sample(number.arm, point, number.metric);
    giving += gives(sample, number) && not_comparable_reasons(run, number, number.arm, point).empty();
    if (sample.values.empty()) continue;
    const double m = mean(sample.values), distance = std::abs(m - std::clamp(m, number.value.low, number.value.high));
    if (!nearest_point || distance < nearest_distance) {
      nearest_point = &point;
      nearest_distance = distance;
    }
  }
  const Node::Map& point = nearest_point ? *nearest_point : points.front();
  const auto sample = run.sample(number.arm, point, number.metric);
  const auto judgement = judge_number(run, config, number, point);
  out.measured = measured_text(sample, format);
  out.n = std::to_string(sample.values.size());
  out.dataset = dataset_text(run, number.arm, point);
  out.verdict = verdict_name(judgement);
  out.why = judgement.why;
  out.measurement = measurement_name(number.id, number.arm, number.metric, info.formula, sample.values);
  if (judgement.fitted && run.protocols) {
    if (const auto text = protocols_that_give(number, *config.fitted, *run.protocols); !text.empty()) out.why += "; " + text;
  }
  out.points = points.size();
  out.giving = giving;
  if (out.swept()) out.at = point_title(point, config.parameters);
  return out;
}

// "3 of 16 give it"
std::string reproducing(const Score& s) { return fmt::format("{} of {} give it", s.giving, s.points); }

/// "xor/2026-...", with a remark if the run is missing here.
std::string run_text(const std::string& experiment, const std::string& run, bool recorded) {
  return run.empty() ? std::string() : experiment + "/" + run + (recorded ? " (recorded)" : "");
}

// The scorecard's part on sweeps: how near the nearest point comes, and how many come near enough.
std::string swept_section(const std::vector<Score>& scores) {
  std::string rows;
  for (const auto& s : scores) {
    if (!s.swept()) continue;
    rows += fmt::format("| {} | {} | {} | {} | {} | {} |\n", markdown_text(s.id), markdown_text(s.paper), markdown_text(s.measured), s.n,
                        markdown_text(s.at), reproducing(s));
  }
  if (rows.empty()) return {};
  return "\n## Sweeps\n\nThe same numbers against every point of a sweep. The nearest point was chosen by the paper's number: "
         "it shows what a protocol can give, and is not a verdict. A point gives a number if its mean lies within the tolerance.\n\n"
         "| number | paper | nearest | n | at | points |\n|:--|--:|--:|--:|:--|:--|\n" +
         rows;
}

/// What the paper says of one arm against another, and what was found.
struct Order {
  std::string text, paper_says, verdict, data, why;
};

/// "diverges at 2 of 4 learning rates": one arm at several points of a sweep.
Order divergence_over_points(const Table& table, const RunView& run, const std::vector<ComparisonLine>& lines) {
  const auto& first = lines.front();
  std::vector<std::string> seeds;
  for (const auto& line : lines) seeds.push_back(fmt::format("{} of {}", line.diverged, line.ended));
  const auto points = run.swept.size() == 1 ? parameter_titles(run.swept, table.config.parameters).front() + "s" : "points";
  const auto diverging = std::count_if(lines.begin(), lines.end(), [](const auto& line) { return line.verdict == direction::kDiverges; });
  return {fmt::format("{}: {}", table.id, plain_text(table.config.arm_label(first.arm))), expectation_text(first.paper),
          fmt::format("diverges at {} of {} {}", diverging, lines.size(), plain_text(points)), first.data,
          join(seeds, ", ") + " seeds diverged"};
}

/// `seen`: comparisons already reported. Two tables, or two experiments with the same runs, may make the same one; the first counts.
std::vector<Order> orders_of(const RunView& run, const ReportConfig& config, std::set<std::string>& seen) {
  std::vector<Order> out;
  for (const auto& spec : config.tables) {
    const Table table = build_table(run, config, spec);
    std::vector<std::vector<ComparisonLine>> rows;
    for (const auto& line : table.comparisons) {
      if (!line.paper.anything()) continue;
      const auto key = join({line.metric, line.arm, line.baseline, point_label(line.point), point_label(line.baseline_point),
                             format_double(line.test.difference), std::to_string(line.test.n)},
                            "\n");
      if (!seen.insert(key).second) continue;
      const bool over_points = line.paper.kind == PaperExpectation::Kind::kDiverges && spec.rows != TableSpec::Rows::kBest;
      const auto same = std::find_if(rows.begin(), rows.end(), [&](const auto& row) {
        return over_points && row.front().paper.kind == line.paper.kind && row.front().metric == line.metric &&
               row.front().arm == line.arm && row.front().baseline == line.baseline;
      });
      if (same == rows.end()) {
        rows.push_back({line});
      } else {
        same->push_back(line);
      }
    }
    for (const auto& row : rows) {
      const auto& line = row.front();
      out.push_back(row.size() > 1 ? divergence_over_points(table, run, row)
                                   : Order{fmt::format("{}: {}", spec.id, plain_text(measured_comparison(table, line))),
                                           expectation_text(line.paper), line.verdict, line.data, line.why});
    }
  }
  return out;
}

std::string statements_section(const std::vector<Statements>& all) {
  std::string out;
  for (const auto& statements : all) {
    out += fmt::format("\n{}. Run `{}`; every check, with its tolerance and worst case: [{}]({}).\n\n{}", count_claims(statements.rows),
                       statements.run, statements.link, statements.link, claims_short_table(statements.rows));
  }
  if (out.empty()) return {};
  return "\n## Statements\n\nThe paper's statements, checked numerically, each in a paragraph: [STATEMENTS.md](STATEMENTS.md). "
         "The rule of the verdicts is in [docs/results.md](../../docs/results.md#statements).\n" +
         out;
}

/// STATEMENTS.md, the gravest verdict first; "" without statements.
std::string statements_page(const std::vector<Statements>& all) {
  std::string out;
  for (const auto& statements : all) {
    out += fmt::format("\n{}.\nRun `{}`; every check, with its tolerance and worst case: [{}]({}).\n{}", count_claims(statements.rows),
                       statements.run, statements.link, statements.link, claims_paragraphs(statements.rows));
  }
  if (out.empty()) return {};
  return "# Statements\n\nThe paper's statements, checked numerically; the rule of the verdicts is in "
         "[docs/results.md](../../docs/results.md#statements).\n"
         "The paper's numbers: [SCORECARD.md](SCORECARD.md).\n" +
         out;
}

/// The paper's statements on one arm against another, beyond single numbers.
std::string directions_section(const std::vector<Order>& orders) {
  if (orders.empty()) return {};
  std::string out =
      "\n## Directions\n\nWhat the paper says of one arm against another. A paired test decides, adjusted by Holm for its family. Under a "
      "fitted protocol the recorded protocols decide.\n";
  for (const bool own : {true, false}) {
    std::string rows;
    for (const auto& o : orders) {
      if ((o.data == compared_on::kPaper) != own) continue;
      rows += fmt::format("| {} | {} | {} | {} | {} |\n", markdown_text(o.text), markdown_text(o.paper_says), o.verdict, o.data,
                          markdown_text(o.why));
    }
    if (rows.empty()) continue;
    out += fmt::format("\n### {}\n\n| comparison | the paper says | verdict | data | why |\n|:--|:--|:--|:--|:--|\n{}",
                       own ? "On the paper's own data" : "On substitute data or at a smaller size", rows);
  }
  return out;
}

/// Numbers of the paper, compared with other numbers in it.
std::string itself_section(const std::vector<PaperCheck>& checks) {
  if (checks.empty()) return {};
  std::string out =
      "\n## The paper against itself\n\nWhat the paper prints, compared with other numbers that it prints; nothing is run for it.\n\n"
      "| where | the paper says | its own numbers | verdict |\n|:--|:--|:--|:--|\n";
  for (const auto& c : checks) {
    out += fmt::format("| {} | {} | {} | {} |\n", markdown_text(c.table), markdown_text(c.says), markdown_text(c.found()),
                       c.agrees() ? "agrees" : "does not agree");
  }
  return out;
}

std::string score_rows(const std::vector<Score>& scores, bool comparable) {
  std::string out;
  for (const auto& s : scores) {
    if (s.swept() || (s.verdict != to_string(Verdict::kNotComparable)) != comparable) continue;
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", markdown_text(s.id), markdown_text(s.paper), markdown_text(s.measured),
                       s.n, markdown_text(s.dataset), s.verdict, markdown_text(s.why));
  }
  if (out.empty()) return out;
  return "| number | paper | measured | n | dataset | verdict | why |\n|:--|--:|--:|--:|:--|:--|:--|\n" + out;
}

std::string folded(const std::string& summary, const std::string& text) {
  return text.empty() ? text : fmt::format("\n<details>\n<summary>{}</summary>\n{}\n</details>\n", summary, text);
}

/// The claims, then the numbers on the paper's own data; the rest is collapsed.
std::string scorecard(const std::vector<Score>& scores, const std::vector<Order>& orders, const std::vector<PaperCheck>& itself,
                      const std::vector<Statements>& statements, const std::vector<PaperClaim>& claims, const std::string& runs) {
  std::string out = "# Scorecard\n\n";
  if (!claims.empty())
    out += "## Claims\n\n" + claim_counts_text(claims) + " On one page, with what the marks mean: [VERDICT.md](VERDICT.md).\n\n" +
           claims_table(claims) + "\n## Numbers on the paper's own data\n\n";
  out +=
      "One row for each number of the paper. `measured` is the mean ± standard deviation over n seeds; the rule of the verdicts is in "
      "[docs/results.md](../../docs/results.md#verdicts). The summary counts measurements: one that is compared with several numbers "
      "counts once, "
      "with the verdict that says the least for the paper.\n\n";
  out += verdict_counts_text(count_verdicts(scores)) + "\n\n" + score_rows(scores, true);
  if (const auto rows = score_rows(scores, false); !rows.empty())
    out += folded("Numbers on substitute data or at another size: not comparable", "\n" + rows);
  return out + folded("Directions", directions_section(orders)) + folded("The paper against itself", itself_section(itself)) +
         folded("Sweeps", swept_section(scores)) + folded("Statements", statements_section(statements)) +
         folded("Runs", runs.empty() ? runs : "\n" + runs);
}

std::string terminal_scorecard(const std::vector<Score>& scores) {
  const std::vector<std::string> heads = {"number", "paper", "measured", "n", "verdict"};
  std::vector<std::vector<std::string>> rows = {heads};
  for (const auto& s : scores) {
    rows.push_back({s.id, s.paper, s.measured, s.n, s.swept() ? "nearest; " + reproducing(s) : s.verdict});
  }
  std::vector<std::size_t> widths(heads.size());
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], display_width(row[c]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line = " ";
    for (std::size_t c = 0; c < row.size(); ++c) {
      const int width = static_cast<int>(widths[c]);
      line += " " + pad(row[c], c == 0 || c + 1 == row.size() ? width : -width) + " ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

// Run directories of an experiment, newest first: their names begin with the time.
std::vector<fs::path> runs_of(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const auto& path : entries_if_there(folder)) {
    if (!fs::is_symlink(path) && is_folder(path) && is_there(path / "plan.json")) out.push_back(path);
  }
  std::sort(out.rbegin(), out.rend());
  return out;
}

}  // namespace

fs::path latest_full_run(const fs::path& results_root, const std::string& experiment) {
  for (const auto& folder : runs_of(results_root / experiment)) {
    try {
      // Only the plan is needed, not the config.
      const RunView run = RunView::load(folder, Node::map());
      if (run.complete() && run.scale.empty() && run.as_written) return folder;
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::kFile) throw;
      continue;  // skip folders that are not runs
    }
  }
  return {};
}

namespace {

/// Rewrites the tables of an experiment without its run from its summary, which the scorecard also uses. A table with a column that the summary lacks
/// (the experiment has changed since) stays unchanged.
void set_recorded_tables(const RecordedExperiment& recorded, const fs::path& directory) {
  const auto write = [&](const fs::path& path, const std::string& bytes) {
    if (std::find(recorded.files.begin(), recorded.files.end(), path) != recorded.files.end()) write_file_atomic(path, bytes);
  };
  for (const auto& table : recorded.contents.tables) {
    bool whole = true;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      whole =
          whole && std::any_of(table.rows.begin(), table.rows.end(), [&](const TableRow& r) { return !r.cells[c].sample.values.empty(); });
    }
    if (!whole) continue;
    const std::string base = (directory / "tables" / safe_file_name(table.id)).string();
    write(base + ".tex", to_latex(table));
    write(base + ".md", to_markdown(table));
    write(base + ".csv", to_csv(table));
  }
  if (recorded.claims.empty()) return;
  write(directory / "tables/claims.tex", on_one_column(claims_latex(recorded.run, recorded.claims)));
  write(directory / "tables/claims.md", claims_markdown(recorded.run, recorded.claims));
  write(directory / "tables/claims.csv", claims_csv(recorded.run, recorded.claims));
  auto summary = parse_ordered_json(read_json_text(directory / "summary.json"));
  summary["claims"] = claims_json(recorded.claims);
  write_file_atomic(directory / "summary.json", summary_text(summary));
}

/// Of all jobs, added up; nothing where they record no time.
std::optional<double> job_seconds(const RunView& run) {
  double out = 0;
  for (const auto& job : run.jobs) out += job.wall_s;
  return out > 0 ? std::optional(out) : std::nullopt;
}

/// The summary with the total time of the run's jobs, whose own records are not copied.
std::string with_job_time(const std::string& summary, std::optional<double> seconds) {
  if (!seconds) return summary;
  auto json = parse_ordered_json(summary);
  json["job_seconds"] = *seconds;
  return summary_text(json);
}

/// The paper's report is kept in version control. For grids with many cells, large files stay in the run: a figure's data and script, and a drawing
/// that also exists as PDF and PNG.
void leave_out_large_files(std::vector<fs::path>& files) {
  constexpr std::uintmax_t kData = 256 << 10, kDrawing = 1 << 20;
  const auto large = [&](const fs::path& path) {
    const auto kind = path.extension();
    const bool data = kind == ".csv" || kind == ".gp";
    if (path.parent_path().filename() != "figures" || !(data || kind == ".svg")) return false;
    return size_of_file(path) > (data ? kData : kDrawing);
  };
  for (const auto& path : files) {
    if (large(path)) remove_tree(path);
  }
  files.erase(std::remove_if(files.begin(), files.end(), [](const fs::path& path) { return !is_there(path); }), files.end());
}

bool is_file(const fs::path& path) {
  std::error_code ec;
  return fs::is_regular_file(fs::symlink_status(path, ec));
}

/// The still existing tables and figures in an experiment's folder that an earlier report has listed.
std::vector<fs::path> written_earlier(const fs::path& directory, const fs::path& list) {
  std::vector<fs::path> out;
  if (!is_file(list)) return out;
  const auto json = parse_json(read_json_text(list), false);
  const auto files = json.is_object() ? json.find("files") : json.end();
  if (files == json.end() || !files->is_array()) return out;
  for (const auto& item : *files) {
    if (!item.is_string()) continue;
    const fs::path name = item.get<std::string>();
    // Nothing else, whatever the list contains.
    if ((name.parent_path() == "tables" || name.parent_path() == "figures") && is_file(directory / name)) out.push_back(directory / name);
  }
  return out;
}

/// Removes tables and figures that an earlier report wrote and this one no longer has, and lists the present ones for the next report. Files in no
/// list belong to the user. A table or figure includes all files of its name: if drawn in other formats, it keeps the earlier ones. Returns the
/// removed files.
std::vector<fs::path> remove_former(const fs::path& directory, const Report& part, const ReportOptions& options) {
  const fs::path list = directory / "files.json";
  std::set<fs::path> written(part.files.begin(), part.files.end());
  std::vector<fs::path> out;
  for (const auto& path : written_earlier(directory, list)) {
    const bool here = std::any_of(part.files.begin(), part.files.end(), [&](const fs::path& file) {
      return file.parent_path() == path.parent_path() && file.stem() == path.stem();
    });
    // It is unknown which figures there would be.
    const bool unknown = path.parent_path().filename() == "figures" && (!options.figures || !part.problems.empty());
    if (here || unknown) {
      written.insert(path);
    } else {
      remove_tree(path);
      out.push_back(path);
    }
  }
  nlohmann::ordered_json names = nlohmann::ordered_json::array();
  // Tables follow from summary.json; figures do not, without the run.
  nlohmann::ordered_json sums = nlohmann::ordered_json::object();
  for (const auto& path : written) {
    const auto name = path.lexically_relative(directory).generic_string();
    names.push_back(name);
    if (path.parent_path().filename() == "figures") sums[name] = sha256_file(path);
  }
  write_file_atomic(list, dump_json(nlohmann::ordered_json{{"schema", 1}, {"files", names}, {"sha256", sums}}, 2) + "\n");
  return out;
}

}  // namespace

Report write_paper_report(const fs::path& results_root, const fs::path& out_directory, const std::vector<PaperExperiment>& experiments,
                          const ReportOptions& options) {
  Report out;
  std::vector<Score> scores;
  std::vector<Order> orders;
  std::set<std::string> compared;
  std::vector<PaperCheck> itself;
  std::vector<Statements> statements;
  std::vector<PaperPart> parts;
  std::vector<fs::path> former;
  std::vector<ReproducedExperiment> reproduced;
  std::vector<ReadmeSection> sections;
  std::vector<std::string> not_recorded;
  std::string runs;
  const auto link = [&](const fs::path& path) { return fs::relative(path, out_directory).generic_string(); };
  // The sweep from which a fitted protocol was chosen: the present run, or its record.
  const auto protocols_of = [&](const ReportConfig& config) -> std::shared_ptr<const RunView> {
    const auto found = std::find_if(experiments.begin(), experiments.end(),
                                    [&](const auto& e) { return config.fitted && e.name == config.fitted->sweep; });
    if (found == experiments.end()) return nullptr;
    try {
      if (const auto folder = latest_full_run(results_root, found->name); !folder.empty())
        return std::make_shared<const RunView>(RunView::load(folder));
      if (auto kept = read_recorded(out_directory / safe_file_name(found->name), found->config))
        return std::make_shared<const RunView>(std::move(kept->run));
    } catch (const Error& e) {  // reported with that experiment
      if (e.kind() == ErrorKind::kFile) throw;
    }
    return nullptr;
  };
  for (const auto& experiment : experiments) {
    const fs::path folder = latest_full_run(results_root, experiment.name);
    const fs::path directory = out_directory / safe_file_name(experiment.name);
    std::optional<RecordedExperiment> recorded;
    try {
      if (folder.empty()) {
        const auto protocols = experiment.config.is_null() ? nullptr : protocols_of(ReportConfig::read(experiment.config));
        recorded = read_recorded(directory, experiment.config, protocols);
      }
    } catch (const Error& e) {
      out.problems.push_back(experiment.name + ": " + e.what());
    }
    if (folder.empty() && !recorded) {
      not_recorded.push_back(experiment.name);
      parts.push_back({experiment.name, {}, {}, {}, 0, {}, {}, {}, false});
      reproduced.push_back({experiment.name});
      if (experiment.config.is_null()) continue;
      const auto config = ReportConfig::read(experiment.config);
      itself.insert(itself.end(), config.itself.begin(), config.itself.end());
      for (const auto& number : config.paper) {
        const NumberFormat format = format_of(config, number);
        Score score;
        score.id = number.id;
        score.experiment = experiment.name;
        score.paper = printed_text(number, format);
        score.measured = "–";
        score.verdict = "not run";
        score.why = "no complete run at full scale";
        score.formula = !config.metric(number.metric).formula.empty();
        score.measurement = measurement_name(number.id, number.arm, number.metric, config.metric(number.metric).formula, {});
        scores.push_back(std::move(score));
      }
      continue;
    }
    if (recorded) set_recorded_tables(*recorded, directory);
    const auto recorded_seconds = recorded ? recorded->job_seconds : std::nullopt;
    RunView run = recorded ? std::move(recorded->run) : RunView::load(folder);
    const auto config = run.config.is_null() ? ReportConfig() : report_config(run);
    reproduced.push_back(reproduced_experiment(run, config, recorded ? recorded_seconds : job_seconds(run)));
    itself.insert(itself.end(), config.itself.begin(), config.itself.end());
    if (!recorded) run.protocols = protocols_of(config);
    for (const auto& number : config.paper) {
      // Two experiments may compare runs with the same number: the first one counts.
      const bool scored = std::any_of(scores.begin(), scores.end(), [&](const Score& s) { return s.id == number.id; });
      if (scored) continue;
      scores.push_back(score_number(run, config, number));
      scores.back().recorded = recorded.has_value();
    }

    for (auto& order : orders_of(run, config, compared)) orders.push_back(std::move(order));

    ReportContents contents;
    Report part;
    if (recorded) {  // its figures stay unchanged
      if (!run.config.is_null()) renew_summary(directory / "summary.json", run, config);
      part.files = std::move(recorded->files);
      contents = std::move(recorded->contents);
    } else {
      write_file_atomic(directory / "summary.json", with_job_time(summary_text(run, config), job_seconds(run)));
      part = report_run(run, config, directory, options, contents);
      leave_out_large_files(part.files);
      for (auto& path : remove_former(directory, part, options)) former.push_back(std::move(path));
      out.files.push_back(directory / "files.json");
    }
    out.files.push_back(directory / "summary.json");
    runs += "- " + markdown_text(run_text(run.experiment, run.run_id, recorded.has_value())) + "\n";
    ReadmeSection section{experiment.name, config.title.empty() ? run.title : config.title, config.question};
    section.directory = directory;
    section.run = fmt::format("Run `{}/{}`, {} jobs, {}{}", run.experiment, run.run_id, run.jobs.size(),
                              markdown_text(made_with_text(run.made)), recorded ? ", recorded earlier" : "");
    if (auto rows = recorded ? std::move(recorded->claims) : checked_claims(run); !rows.empty()) {
      const std::string checks = link(directory / "tables" / "claims.md");
      section.claim_counts = count_claims(rows);
      statements.push_back({run_text(run.experiment, run.run_id, recorded.has_value()), checks, std::move(rows)});
    }
    parts.push_back({experiment.name, config.title, run.run_id, made_with_text(run.made), run.jobs.size(), directory, folder,
                     std::move(contents), recorded.has_value()});
    list_parts(section, part.files, config);
    sections.push_back(std::move(section));
    for (auto& path : part.files) out.files.push_back(std::move(path));
    for (auto& problem : part.problems) out.problems.push_back(experiment.name + ": " + problem);
  }
  const fs::path card = out_directory / "SCORECARD.md", readme = out_directory / "README.md";
  if (const auto text = statements_page(statements); !text.empty()) {
    write_file_atomic(out_directory / "STATEMENTS.md", text);
    out.files.push_back(out_directory / "STATEMENTS.md");
  }
  std::vector<PaperClaim> claims;
  std::vector<FoundRow> answers;
  if (!options.claims.is_null()) {
    std::vector<std::string> names;
    for (const auto& experiment : experiments) names.push_back(experiment.name);
    claims = judge_claims(options.claims, out_directory, names);
    answers = found_answers(options.claims, out_directory, names);
    add_paper_checks(options.claims, "itself", "", itself);
    const fs::path verdict = out_directory / "VERDICT.md";
    write_file_atomic(verdict, verdict_page(options.claims, claims, out_directory));
    out.files.push_back(verdict);
    const auto first_page = reproducibility_summary(options.claims, claims, verdict_counts_text(count_verdicts(scores)), reproduced);
    for (const auto& [name, text] : {std::pair("REPRODUCIBILITY.md", &first_page.markdown), {"REPRODUCIBILITY.tex", &first_page.latex}}) {
      write_file_atomic(out_directory / name, *text);
      out.files.push_back(out_directory / name);
    }
  }
  write_file_atomic(card, scorecard(scores, orders, itself, statements, claims, runs));
  const fs::path page = out_directory / "report.html";

  write_file_atomic(readme, paper_readme(sections, not_recorded, claims, answers, out_directory));
  if (options.page) write_file_atomic(page, paper_page(out_directory, scores, itself, parts, out.problems));
  out.files.push_back(card);
  out.files.push_back(readme);
  if (options.page) out.files.push_back(page);
  out.text = terminal_scorecard(scores) + "  " + verdict_counts_text(count_verdicts(scores)) + "\n";
  for (const auto& s : statements) out.text += fmt::format("  {}: {}\n", s.run, count_claims(s.rows));
  for (const auto& path : former) out.text += fmt::format("  removed, as nothing writes it any more: {}\n", path.string());
  for (const auto& problem : out.problems) out.text += "not reported: " + problem + "\n";
  return out;
}

}  // namespace yatlab

#include "core/serve/run_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/yaml.h"
#include "core/figure/gnuplot.h"
#include "core/figure/latex_text.h"
#include "core/library/run_list.h"
#include "core/library/run_status.h"
#include "core/record/run_notes.h"
#include "core/report/default_figures.h"
#include "core/report/default_tables.h"
#include "core/report/html_parts.h"
#include "core/report/report_parts.h"
#include "core/table/table_parts.h"

namespace yatlab {
namespace {

using Json = nlohmann::ordered_json;

Json cell_json(const TableCell& cell, const TableColumn& column) {
  const auto parts = value_parts(cell, column);
  Json out{{"mean", parts.mean},
           {"spread", parts.text().substr(parts.mean.size())},
           {"n", cell.sample.values.size()},
           {"planned", cell.sample.planned}};
  if (std::isfinite(cell.mean)) out["value"] = cell.mean;
  if (cell.sample.unfinished > 0) out["unfinished"] = cell.sample.unfinished;
  if (cell.bold) out["best"] = true;
  if (cell.sample.diverged > 0) out["diverged"] = cell.sample.diverged;
  if (!cell.sample.not_finite.empty()) out["not_finite"] = not_finite_text(cell.sample);
  if (cell.paper) {
    const auto paper = paper_parts(*cell.paper, column);
    const auto& judgement = cell.paper->judgement;
    out["paper"] = {{"value", paper.value},
                    {"difference", paper.difference},
                    {"mark", mark(judgement.verdict)},
                    {"verdict", verdict_name(judgement)},
                    {"class", html::verdict_class(to_string(judgement.verdict))},
                    {"why", judgement.why}};
  }
  return out;
}

Json table_json(const Table& table) {
  Json out{{"id", table.id}, {"title", plain_text(table.title)}, {"keys", key_headers(table)}};
  out["columns"] = Json::array();
  for (const auto& column : table.columns) out["columns"].push_back({{"metric", column.metric}, {"title", plain_text(column.header)}});
  out["rows"] = Json::array();
  constexpr std::size_t kRows = 500;
  for (std::size_t r = 0; r < std::min(kRows, table.rows.size()); ++r) {
    Json row{{"keys", Json::array()}, {"cells", Json::array()}};
    for (const auto& key : row_keys(table, table.rows[r])) row["keys"].push_back(plain_text(key));
    for (std::size_t c = 0; c < table.columns.size(); ++c) row["cells"].push_back(cell_json(table.rows[r].cells[c], table.columns[c]));
    out["rows"].push_back(std::move(row));
  }
  out["more"] = table.rows.size() - out["rows"].size();
  out["comparisons"] = Json::array();
  for (const auto& line : table.comparisons) {
    if (out["comparisons"].size() == kRows) break;
    out["comparisons"].push_back(plain_text(comparison_text(table, line)));
  }
  out["notes"] = Json::array();
  for (const auto& note : table.notes) out["notes"].push_back(plain_text(note));
  return out;
}

/// The column that ranks the arms: the first one of a table with a better direction.
const TableColumn* ranking(const std::vector<Table>& tables) {
  for (const auto& table : tables) {
    for (const auto& column : table.columns) {
      if (column.info.better != Direction::kNone) return &column;
    }
  }
  return nullptr;
}

Json arms_json(const RunView& run, const ReportConfig& config, const TableColumn* by) {
  Json out = Json::array();
  const bool higher = by && by->info.better == Direction::kHigher;
  double best = std::nan("");
  std::size_t winner = 0, with = 0;
  bool tied = false;
  for (const auto& arm : run.arms) {
    Json item{{"arm", arm}, {"label", plain_text(config.arm_label(arm))}};
    std::size_t done = 0, jobs = 0;
    for (const auto& job : run.jobs) jobs += job.arm == arm, done += job.arm == arm && is_over(job.state);
    item["jobs"] = jobs;
    item["done"] = done;
    const Node* arms = run.config.find("arms");
    std::vector<std::string> differs;
    if (const Node* own = arms ? arms->find(arm) : nullptr; own && own->is_list()) {
      for (const auto& word : own->as_list()) differs.push_back(format_parameter(word));
    }
    item["differs"] = differs;
    if (by) {
      const auto points = run.points_of(arm);
      const auto point = run.best_point(arm, points, by->metric, higher);
      if (point) {
        TableCell cell;
        cell.sample = run.sample(arm, *point, by->metric);
        cell.mean = mean(cell.sample.values);
        cell.std = sample_std(cell.sample.values);
        if (by->info.share) cell.ci95 = reported_interval(cell.sample.values, true);
        item["value"] = cell_json(cell, *by);
        if (points.size() > 1) item["point"] = point_label(*point), item["points"] = points.size();
        if (std::isfinite(cell.mean)) {
          ++with;
          if (cell.mean == best) tied = true;
          if (!(higher ? cell.mean <= best : cell.mean >= best)) best = cell.mean, winner = out.size(), tied = false;
        }
      }
    }
    out.push_back(std::move(item));
  }
  if (with > 1 && !tied) out[winner]["leads"] = true;
  return out;
}

}  // namespace

Json run_json(const fs::path& folder, std::int64_t now) {
  const auto run = RunView::load(folder);
  const auto config = report_config(run);
  std::vector<Table> tables;
  for (const auto& spec : all_tables(run, config)) tables.push_back(build_table(run, config, spec));
  Json out{{"run", run.experiment + "/" + run.run_id}, {"experiment", run.experiment}, {"id", run.run_id}};
  out["title"] = plain_text(config.title);
  out["scale"] = run.scale;
  out["overrides"] = run.overrides;
  if (const Node* notes = run.config.find("notes"); notes && notes->is_string()) out["asks"] = plain_text(trim(notes->as_string()));
  try {
    const auto notes = read_notes(folder);
    out["tags"] = notes.tags;
    out["note"] = notes.note;
  } catch (const Error&) {  // `yatlab runs` reports what is wrong with them
  }
  const auto* by = ranking(tables);
  if (by) {
    out["by"] = {{"metric", by->metric}, {"title", plain_text(by->header)}, {"higher", by->info.better == Direction::kHigher}};
  }
  out["arms"] = arms_json(run, config, by);
  out["tables"] = Json::array();
  for (const auto& table : tables) out["tables"].push_back(table_json(table));
  out["figures"] = Json::array();
  for (const auto& figure : all_figures(run, config))
    out["figures"].push_back({{"id", figure.id}, {"caption", plain_text(figure.caption)}});
  auto jobs = html::jobs(run, config, tables);
  const auto seen = read_run_now(folder, now);
  const auto status = status_json(seen);
  for (std::size_t i = 0; i < jobs["rows"].size() && i < status["jobs"].size(); ++i) {
    auto& row = jobs["rows"][i];
    for (const auto& [key, value] : status["jobs"][i].items()) {
      if (key != "arm" && key != "job") row[key] = value;
    }
    row["label"] = seen.jobs[i].label;
  }
  out["jobs"] = std::move(jobs);
  out["states"] = status["states"];
  out["over"] = status["over"];
  if (status.contains("left_s")) out["left_s"] = status["left_s"];
  out["titles"] = Json::object();
  for (const auto& [name, info] : config.metrics) {
    if (!info.title.empty()) out["titles"][name] = plain_text(info.title);
  }
  out["warnings"] = run.warnings;
  out["config"] = emit_yaml(run.config);
  out["page"] = is_there(folder / "report.html");
  return out;
}

Json figure_json(const fs::path& folder, const std::string& id) {
  const auto run = RunView::load(folder);
  const auto config = report_config(run);
  Json out = Json::array();
  for (const auto& spec : all_figures(run, config)) {
    if (spec.id != id) continue;
    try {
      for (const auto& figure : draw_figures(run, config, spec)) {
        out.push_back(
            {{"id", figure.id}, {"caption", plain_text(figure.caption)}, {"note", plain_text(figure.note())}, {"svg", figure_svg(figure)}});
      }
      return out;
    } catch (const Error& e) {
      return {{"error", e.message()}, {"why", e.why()}};
    }
  }
  throw config_error(fmt::format("there is no figure '{}'", visible(shortened(id))), "id", {}, "use one that /api/run lists");
}

}  // namespace yatlab

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/figure/latex_text.h"
#include "core/report/html_parts.h"
#include "core/table/table_parts.h"
#include "core/verdict/statistics.h"

namespace yatlab::html {
namespace {

using Json = nlohmann::ordered_json;

/// The column that ranks the arms: the first one of a table with a better direction.
const TableColumn* ranking(const std::vector<Table>& tables) {
  for (const auto& table : tables) {
    for (const auto& column : table.columns) {
      if (column.info.better != Direction::kNone) return &column;
    }
  }
  return nullptr;
}

std::vector<std::string> differences(const RunView& run, const std::string& arm) {
  std::vector<std::string> out;
  const Node* arms = run.config.find("arms");
  if (const Node* own = arms ? arms->find(arm) : nullptr; own && own->is_list()) {
    for (const auto& word : own->as_list()) out.push_back(format_parameter(word));
  }
  return out;
}

/// Adds the arm's value by the column, at its best point.
void add_value(Json& line, const RunView& run, const std::string& arm, const TableColumn& by) {
  const auto points = run.points_of(arm);
  const auto point = run.best_point(arm, points, by.metric, by.info.better == Direction::kHigher);
  if (!point) return;
  TableCell cell;
  cell.sample = run.sample(arm, *point, by.metric);
  cell.mean = mean(cell.sample.values);
  cell.std = sample_std(cell.sample.values);
  if (by.info.share) cell.ci95 = reported_interval(cell.sample.values, true);
  const auto parts = value_parts(cell, by);
  line["mean"] = parts.mean;
  line["spread"] = parts.text().substr(parts.mean.size());
  line["n"] = cell.sample.values.size();
  line["planned"] = cell.sample.planned;
  line["unfinished"] = cell.sample.unfinished;
  if (std::isfinite(cell.mean)) line["value"] = cell.mean;
  if (points.size() > 1) line["point"] = point_label(*point), line["points"] = points.size();
}

}  // namespace

Json arm_lines(const RunView& run, const ReportConfig& config, const std::vector<Table>& tables) {
  Json out{{"by", nullptr}, {"arms", Json::array()}};
  const auto* by = ranking(tables);
  const bool higher = by && by->info.better == Direction::kHigher;
  if (by) out["by"] = {{"metric", by->metric}, {"title", plain_text(by->header)}, {"higher", higher}};
  std::vector<std::size_t> best;
  double record = 0;
  std::size_t with = 0;
  for (const auto& arm : run.arms) {
    Json line{{"arm", arm}, {"label", plain_text(config.arm_label(arm))}, {"differs", differences(run, arm)}};
    std::size_t done = 0, jobs = 0;
    for (const auto& job : run.jobs) jobs += job.arm == arm, done += job.arm == arm && is_over(job.state);
    line["jobs"] = jobs;
    line["done"] = done;
    if (by) add_value(line, run, arm, *by);
    if (line.contains("value")) {
      const double value = line["value"];
      if (with++ == 0 || (higher ? value > record : value < record)) record = value, best.clear();
      if (value == record) best.push_back(out["arms"].size());
    }
    out["arms"].push_back(std::move(line));
  }
  if (with > 1 && best.size() == 1) out["arms"][best.front()]["leads"] = true;
  return out;
}

std::string arms(const Json& lines) {
  const auto& by = lines["by"];
  double most = 0;
  for (const auto& line : lines["arms"]) most = std::max(most, std::abs(line.value("value", 0.0)));
  std::string out =
      "<div class=\"scroll\" role=\"region\" aria-label=\"Arms\" tabindex=\"0\"><table class=\"arms\"><thead><tr><th "
      "scope=\"col\">arm</th>";
  if (!by.is_null()) {
    out += fmt::format("<th scope=\"col\" class=\"num {}\">{}</th><th scope=\"col\"></th>", by["higher"].get<bool>() ? "higher" : "lower",
                       text(by["title"].get<std::string>()));
  }
  out += "<th scope=\"col\">differs from the others by</th><th scope=\"col\" class=\"num\">jobs done</th></tr></thead>\n<tbody>\n";
  std::size_t i = 0;
  for (const auto& line : lines["arms"]) {
    const std::string label = line["label"], name = line["arm"];
    const bool leads = line.contains("leads");
    out += fmt::format(
        "<tr{} data-arm-line=\"{}\"><th scope=\"row\"><span class=\"swatch\" data-colour=\"{}\"></span>{}{}{}</th>",
        leads ? " class=\"leads\"" : "", text(name), i % 8, text(label), label == name ? "" : " <code>" + text(name) + "</code>",
        leads ? "<span class=\"winner\" title=\"the best mean; the table shows whether it is significant\">leads</span>" : "");
    if (!by.is_null()) {
      std::string note;
      if (line.value("unfinished", 0) > 0)
        note += fmt::format("<span class=\"note seeds\">{} of {} seeds so far</span>", line["n"].get<int>(), line["planned"].get<int>());
      if (line.contains("point"))
        note +=
            fmt::format("<span class=\"note\">best of {}: {}</span>", line["points"].get<int>(), text(line["point"].get<std::string>()));
      out += fmt::format("<td class=\"num\"><span class=\"mean\">{}</span><span class=\"spread\">{}</span>{}</td><td class=\"sizes\">",
                         text(line.value("mean", "–")), text(line.value("spread", "")), note);
      if (line.contains("value") && most > 0) {
        out += fmt::format(
            "<svg viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect data-colour=\"{}\" width=\"{:.1f}\" "
            "height=\"8\"/></svg>",
            i % 8, 100 * std::abs(line["value"].get<double>()) / most);
      }
      out += "</td>";
    }
    std::string list;
    for (const auto& word : line["differs"]) list += "<code>" + text(word.get<std::string>()) + "</code> ";
    out += fmt::format("<td class=\"wide\">{}</td><td class=\"num\">{} of {}</td></tr>\n", list.empty() ? "as configured" : trim(list),
                       line["done"].get<std::size_t>(), line["jobs"].get<std::size_t>());
    ++i;
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace yatlab::html

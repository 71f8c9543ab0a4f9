#include "core/report/default_figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/report/claims_report.h"
#include "core/report/plot_tools.h"
#include "core/report/titles.h"

namespace yatlab {
namespace {

/// Parameters that take more than one value.
std::vector<std::string> moved(const RunView& run) {
  std::vector<std::string> out;
  for (const auto& name : run.swept) {
    if (run.values_of(name).size() > 1) out.push_back(name);
  }
  return out;
}

bool is_numeric(const RunView& run, const std::string& parameter) {
  return std::all_of(run.jobs.begin(), run.jobs.end(), [&](const JobView& job) {
    return std::all_of(job.params.begin(), job.params.end(),
                       [&](const auto& entry) { return entry.first != parameter || entry.second.is_number(); });
  });
}

bool names_any(const Node& params, const std::vector<std::string>& names) {
  if (params.is_string()) return std::find(names.begin(), names.end(), params.as_string()) != names.end();
  if (params.is_list()) {
    return std::any_of(params.as_list().begin(), params.as_list().end(), [&](const Node& item) { return names_any(item, names); });
  }
  if (!params.is_map()) return false;
  return std::any_of(params.as_map().begin(), params.as_map().end(), [&](const auto& entry) { return names_any(entry.second, names); });
}

/// The first that has a better and a worse: of the tables' columns, else of what was measured on the test split.
std::string leading_metric(const RunView& run, const ReportConfig& config) {
  const auto measured = run.metric_names();
  const auto leads = [&](const std::string& metric) {
    return config.metric(metric).better != Direction::kNone && std::find(measured.begin(), measured.end(), metric) != measured.end();
  };
  for (const auto& table : config.tables) {
    for (const auto& column : table.columns) {
      if (leads(column.metric)) return column.metric;
    }
  }
  for (const auto& metric : measured) {
    if (metric.rfind("test/", 0) == 0 && leads(metric)) return metric;
  }
  return {};
}

FigureSpec spec_of(const std::string& id, const std::string& plot, const std::string& caption, Node::Map params) {
  FigureSpec out;
  out.id = id;
  out.plot = plot;
  out.caption = caption;
  out.params = Node::map();
  out.params.set("name", plot);
  for (auto& [key, value] : params) out.params.set(key, std::move(value));
  return out;
}

Node list_of(const std::vector<std::string>& texts) {
  Node out = Node::list();
  for (const auto& text : texts) out.push_back(text);
  return out;
}

/// Of a search, whatever figures the experiment has: those show points that it did not have.
std::vector<FigureSpec> search_figures(const RunView& run, const ReportConfig& config, const std::vector<std::string>& parameters) {
  const auto& search = *run.search;
  const auto title = metric_title(config, search.metric);
  std::vector<FigureSpec> out{
      spec_of("fig:search", "search_history", fmt::format("The search ({}): {} of its trials, one after the other.", search.method, title),
              {}),
      spec_of("fig:search_slices", "search_slices", fmt::format("The search ({}): {} against each parameter.", search.method, title), {})};
  if (parameters.size() > 1) {
    out.push_back(
        spec_of("fig:search_importance", "sweep_importance", fmt::format("What decides {}.", title), {{"metric", Node(search.metric)}}));
  }
  return out;
}

}  // namespace

ReportConfig report_config(const RunView& run) {
  auto out = ReportConfig::read(run.config);
  if (!run.search) return out;
  for (auto& table : out.tables) {
    if (table.rows != TableSpec::Rows::kArms || table.at.size() > 0) continue;
    table.rows = TableSpec::Rows::kBest;
    if (table.best_by.empty()) table.best_by = run.search->metric;
  }
  return out;
}

std::vector<FigureSpec> default_figures(const RunView& run, const ReportConfig& config) {
  const auto parameters = moved(run);
  if (run.search) return search_figures(run, config, parameters);
  const auto metric = leading_metric(run, config);
  if (parameters.empty() || metric.empty() || checks_claims(run)) return {};
  // Data sets side by side are what the experiment's own figures show.
  if (!config.figures.empty() &&
      std::none_of(parameters.begin(), parameters.end(), [&](const auto& name) { return is_numeric(run, name); })) {
    return {};
  }
  for (const auto& figure : config.figures) {
    if (names_any(figure.params, parameters)) return {};
  }
  const auto titles = parameter_titles(parameters, config.parameters);
  const auto title = metric_title(config, metric);
  const std::string what = fmt::format("Over {}: {}", join(titles, ", "), title);
  const Node metrics = list_of({metric});
  if (parameters.size() == 1) {
    return {spec_of("fig:sweep", "sweep_lines", what + ".", {{"x", parameters[0]}, {"metrics", metrics}})};
  }
  if (parameters.size() == 2) {
    return {spec_of("fig:sweep", "sweep_heatmap", what + ".", {{"x", parameters[0]}, {"y", parameters[1]}, {"metrics", metrics}})};
  }
  return {spec_of("fig:sweep", "sweep_parallel", what + ".", {{"metric", metric}}),
          spec_of("fig:sweep_importance", "sweep_importance", fmt::format("What decides {}.", title), {{"metric", metric}})};
}

}  // namespace yatlab

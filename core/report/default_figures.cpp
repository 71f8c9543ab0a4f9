#include "core/report/default_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "core/base/text.h"
#include "core/report/claims_report.h"
#include "core/report/plot_tools.h"
#include "core/verdict/display_titles.h"

namespace yatlab {
namespace {

/// Parameters with more than one value.
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

/// The first metric with a better direction: of the tables' columns, else of those shown by default, else of those on the test split.
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
  for (const auto& doc : run.docs) {
    if (doc.tabulated && leads(doc.name)) return doc.name;
  }
  for (const auto& metric : measured) {
    if (metric.rfind("test/", 0) == 0 && leads(metric)) return metric;
  }
  return {};
}

FigureSpec spec_of(const std::string& id, const std::string& plot, const std::string& caption, const Node::Map& params) {
  FigureSpec out;
  out.id = id;
  out.plot = plot;
  out.caption = caption;
  out.params = Node::map();
  out.params.set("name", plot);
  for (const auto& [key, value] : params) out.params.set(key, value);
  return out;
}

Node list_of(const std::vector<std::string>& texts) {
  Node out = Node::list();
  for (const auto& text : texts) out.push_back(text);
  return out;
}

/// Figures for a search, even if the experiment has some: its own do not show the search's points.
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

/// Whether the folder of the job, or of one of its analyses, has the artifact.
bool has_artifact(const RunView& run, const JobView& job, const std::string& name) {
  const auto in = [&](const std::string& folder) { return is_there(run.directory / folder / "artifacts" / (name + ".json")); };
  return in(job.directory) ||
         std::any_of(job.analyses.begin(), job.analyses.end(), [&](const JobView::Analysis& analysis) { return in(analysis.directory); });
}

/// Arms with a finished job that wrote it.
std::vector<std::string> arms_with(const RunView& run, const std::string& artifact) {
  std::vector<std::string> out;
  for (const auto& arm : run.arms) {
    const auto has = [&](const JobView& job) { return job.arm == arm && job.finished() && has_artifact(run, job, artifact); };
    if (std::any_of(run.jobs.begin(), run.jobs.end(), has)) out.push_back(arm);
  }
  return out;
}

/// Every kind of figure whose artifact, under its default name, the run has.
std::vector<FigureSpec> artifact_figures(const RunView& run) {
  std::vector<FigureSpec> out;
  for (const auto& plot : Registry<Plot>::table().all()) {
    PlotNeeds needs;
    try {
      needs = Registry<Plot>::create(Node(plot.name))->needs();
    } catch (const Error&) {
      continue;  // has parameters that only an experiment can set
    }
    if (needs.artifacts.size() != 1 || !needs.results.empty()) continue;
    const auto arms = arms_with(run, needs.artifacts.front());
    if (arms.empty()) continue;
    Node::Map params;
    if (plot.schema.find("arms") && arms.size() < run.arms.size()) params.emplace_back("arms", list_of(arms));
    auto caption = plot.doc;
    caption[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(caption[0])));
    out.push_back(spec_of("fig:" + plot.name, plot.name, caption + ".", params));
  }
  return out;
}

/// The training loss and the leading metric while training, where the run logged them more than once.
std::vector<FigureSpec> curve_figures(const RunView& run, const std::string& leading) {
  const auto job = std::find_if(run.jobs.begin(), run.jobs.end(), [](const JobView& j) { return j.finished(); });
  if (job == run.jobs.end()) return {};
  std::map<std::string, int> times;
  for (const auto& point : run.curve(*job)) {
    for (const auto& entry : point.metrics) ++times[entry.first];
  }
  std::vector<std::string> metrics;
  for (const auto& metric : {std::string("train/loss"), leading}) {
    if (!metric.empty() && times[metric] > 1 && std::find(metrics.begin(), metrics.end(), metric) == metrics.end())
      metrics.push_back(metric);
  }
  if (metrics.empty()) return {};
  Node::Map params = {{"metrics", list_of(metrics)}};
  if (!moved(run).empty() && !leading.empty()) params.emplace_back("best", Node(leading));
  return {spec_of("fig:learning_curves", "learning_curves", "While training: mean over seeds, and their spread.", params)};
}

/// Figures for an experiment without any of its own.
std::vector<FigureSpec> automatic_figures(const RunView& run, const ReportConfig& config, const std::string& leading) {
  if (!config.figures.empty() || checks_claims(run)) return {};
  auto out = curve_figures(run, leading);
  for (auto& figure : artifact_figures(run)) out.push_back(std::move(figure));
  return out;
}

/// Figures for a sweep if the experiment's own show none of its parameters.
std::vector<FigureSpec> sweep_figures(const RunView& run, const ReportConfig& config, const std::string& metric) {
  const auto parameters = moved(run);
  if (parameters.empty() || metric.empty() || checks_claims(run)) return {};
  // A comparison of data sets is left to the experiment's own figures.
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

}  // namespace

ReportConfig report_config(const RunView& run) {
  auto out = ReportConfig::read(run.config, false, run.docs);
  if (!run.search) return out;
  for (auto& table : out.tables) {
    if (table.rows != TableSpec::Rows::kArms || table.at.size() > 0) continue;
    table.rows = TableSpec::Rows::kBest;
    table.across = TableSpec::Across::kMetrics;
    if (table.best_by.empty()) table.best_by = run.search->metric;
  }
  return out;
}

std::vector<FigureSpec> default_figures(const RunView& run, const ReportConfig& config) {
  if (!config.report.default_figures) return {};
  if (run.search) return search_figures(run, config, moved(run));
  const auto leading = leading_metric(run, config);
  auto out = sweep_figures(run, config, leading);
  for (auto& figure : automatic_figures(run, config, leading)) out.push_back(std::move(figure));
  return out;
}

std::vector<FigureSpec> all_figures(const RunView& run, const ReportConfig& config) {
  auto out = config.figures;
  for (auto& figure : default_figures(run, config)) out.push_back(std::move(figure));
  return out;
}

}  // namespace yatlab

#include "plugins/serve/server/run_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/yaml.h"
#include "core/figure/gnuplot.h"
#include "core/figure/latex_text.h"
#include "core/library/run_list.h"
#include "core/library/run_status.h"
#include "core/report/default_figures.h"
#include "core/report/default_tables.h"
#include "core/report/html_parts.h"
#include "core/report/plot_tools.h"
#include "core/report/report_parts.h"

namespace yatlab {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Json run_json(const fs::path& folder, std::int64_t now) {
  const auto run = RunView::load(folder);
  const auto config = report_config(run);
  ReportContents contents;
  for (const auto& spec : all_tables(run, config)) contents.tables.push_back(build_table(run, config, spec));
  auto problems = run.warnings;
  try {
    contents.claims = checked_claims(run);
  } catch (const Error& e) {  // a job is writing them, or its file is damaged
    problems.push_back(e.message());
  }
  Json out{{"run", run.experiment + "/" + run.run_id}, {"experiment", run.experiment}, {"id", run.run_id}};
  out.update(html::arm_lines(run, config, contents.tables));
  const auto parts = html::run_parts(run, config, contents, problems, true);
  out["html"] = {{{"id", "head"}, {"html", "<div id=\"head\">" + parts.head + "</div>"}}};
  for (const auto& section : parts.sections) {
    if (!section.body.empty()) out["html"].push_back({{"id", section.id}, {"html", html::section(section)}});
  }
  out["figures"] = Json::array();
  for (const auto& figure : all_figures(run, config))
    out["figures"].push_back({{"id", figure.id}, {"caption", plain_text(figure.caption)}});
  auto jobs = html::jobs(run, config, contents.tables);
  const auto status = status_json(read_run_now(folder, now));
  for (std::size_t i = 0; i < jobs["rows"].size() && i < status["jobs"].size(); ++i) {
    for (const auto& [key, value] : status["jobs"][i].items()) {
      if (key != "arm" && key != "job") jobs["rows"][i][key] = value;
    }
  }
  out["jobs"] = std::move(jobs);
  out["metrics"] = Json::object();
  for (const auto& [name, info] : config.metrics)
    out["metrics"][name] = {{"title", metric_title(config, name)}, {"percent", is_percent(info.format)}};
  out["config"] = emit_yaml(run.config);
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
  throw data_error(fmt::format("there is no figure '{}'", visible(shortened(id))), "id", {}, "use one that /api/run lists");
}

}  // namespace yatlab

#include "core/report/default_tables.h"

#include <algorithm>

#include "core/report/claims_report.h"

namespace yatlab {
namespace {

constexpr const char* kTrials = "trials";

ColumnSpec column_of(const std::string& metric) {
  ColumnSpec out;
  out.metric = metric;
  return out;
}

TableSpec default_table(const RunView& run, const ReportConfig& config) {
  TableSpec spec;
  spec.id = "results";
  spec.label = "tab:" + run.experiment;
  const auto measured = run.metric_names();
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<std::string> wanted;
  for (const auto& doc : run.docs) {
    if (doc.tabulated && has(measured, doc.name)) wanted.push_back(doc.name);
  }
  const bool has_tabulated = !wanted.empty();
  for (const auto& name : measured) {
    const bool paper = std::any_of(config.paper.begin(), config.paper.end(), [&](const PaperNumber& n) { return n.metric == name; });
    if (((!has_tabulated && name.rfind("test/", 0) == 0) || paper) && !has(wanted, name)) wanted.push_back(name);
  }
  if (wanted.empty()) wanted = measured;
  if (run.search) {
    spec.rows = TableSpec::Rows::kBest;
    spec.best_by = run.search->metric;
  }
  for (const auto& name : wanted) spec.columns.push_back(column_of(name));
  return spec;
}

/// All points that a search tried: its metric, and the other metrics of the run's first table.
TableSpec trials_table(const RunView& run, const ReportConfig& config, const TableSpec& first) {
  TableSpec spec;
  spec.id = kTrials;
  spec.label = "tab:" + run.experiment + "_trials";
  spec.title = config.title + ": every trial";
  spec.caption = "In the order in which the search asked for them.";
  spec.arms = first.arms;
  spec.rows = TableSpec::Rows::kPoints;
  spec.bold = false;
  spec.columns = {column_of(run.search->metric)};
  for (const auto& column : first.columns) {
    if (column.metric != run.search->metric) spec.columns.push_back(column);
  }
  return spec;
}

}  // namespace

std::vector<TableSpec> default_tables(const RunView& run, const ReportConfig& config) {
  // Depends on the plan, not on finished jobs: else a table of metrics from an unfinished run would stay beside the statements.
  if (checks_claims(run)) return {};
  std::vector<TableSpec> out;
  if (config.tables.empty()) out.push_back(default_table(run, config));
  const auto own = std::any_of(config.tables.begin(), config.tables.end(), [](const TableSpec& table) { return table.id == kTrials; });
  if (run.search && !own) out.push_back(trials_table(run, config, out.empty() ? config.tables.front() : out.front()));
  return out;
}

std::vector<TableSpec> all_tables(const RunView& run, const ReportConfig& config) {
  auto out = config.tables;
  for (auto& spec : default_tables(run, config)) out.push_back(std::move(spec));
  return out;
}

}  // namespace yatlab

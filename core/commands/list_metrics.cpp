#include <fmt/format.h>

#include <map>

#include "core/base/error.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/cli/kinds.h"
#include "core/experiment/report_config.h"
#include "core/plan/arm_names.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

using Names = std::set<std::string> ArmNames::*;

std::string direction(const MetricInfo& info) {
  if (info.better == Direction::kHigher) return "higher is better";
  return info.better == Direction::kLower ? "lower is better" : "";
}

/// Prints each name once, with its title and direction, and with its arms if not all have it.
void print_names(const std::map<std::string, ArmNames>& arms, Names names, const std::string& head, const ReportConfig* report) {
  std::map<std::string, std::vector<std::string>> by;
  for (const auto& [arm, measured] : arms) {
    for (const auto& name : measured.*names) by[name].push_back(arm);
  }
  if (by.empty()) return;
  say("{}\n", head);
  std::vector<std::pair<std::string, std::string>> rows;
  for (const auto& [name, who] : by) {
    std::vector<std::string> notes;
    if (report) {
      const auto info = report->metric(name);
      if (!info.title.empty() && info.title != name) notes.push_back(info.unit.empty() ? info.title : info.title + ", in " + info.unit);
      if (const auto better = direction(info); !better.empty()) notes.push_back(better);
    }
    if (who.size() < arms.size()) notes.push_back(who.size() == 1 ? who.front() + " alone" : "of " + join(who, ", "));
    rows.emplace_back(name, join(notes, "; "));
  }
  print_rows(rows);
}

}  // namespace

void list_metrics_options(po::options_description& options) { add_experiment_options(options); }

int list_metrics_command(const Command& self, const std::vector<std::string>& arguments) {
  const Command metrics{"list metrics",
                        "EXPERIMENT [key=value ...]",
                        "what an experiment's arms will measure: names for tables, figures and comparisons",
                        "yatlab list metrics mnist_inversion",
                        self.run,
                        list_metrics_options};
  const auto args = parse_arguments(metrics, arguments, "options of list metrics");
  if (args.help) return 0;
  const auto planned = plan_run(plan_request(args));
  const auto report = ReportConfig::read(planned.plan->experiment, false, planned.plan->metrics);
  const auto& arms = *planned.measured;
  print_names(arms, &ArmNames::results, "metrics of finished jobs (tables, comparisons, numbers of the paper)", &report);
  print_names(arms, &ArmNames::history, "metrics while training (learning curves)", &report);
  print_names(arms, &ArmNames::artifacts, "artifacts (figures)", nullptr);
  std::vector<std::string> unknown;
  for (const auto& [arm, measured] : arms) {
    if (!measured.known) unknown.push_back(arm);
  }
  if (!unknown.empty()) say("{}: its metrics are known only once its data are loaded\n", join(unknown, ", "));
  return 0;
}

}  // namespace yatlab::cli

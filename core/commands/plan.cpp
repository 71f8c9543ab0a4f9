#include <fmt/format.h>

#include <algorithm>

#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/run/job_stacks.h"
#include "core/run/plan_sizes.h"
#include "core/run/run_estimate.h"
#include "core/system/called_as.h"
#include "core/system/terminal.h"

namespace yatlab::cli {
namespace po = boost::program_options;

void plan_options(po::options_description& options) {
  options.add_options()("json", po::bool_switch(), "plan.json instead of a table");
  add_experiment_options(options);
}

int plan_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  const auto plan = make_plan(plan_request(args));
  if (args.flag("json")) {
    print_data(stdout, plan.to_json("plan"));
    return 0;
  }
  say("{}{}: {}\n", plan.name, plan.scale.empty() ? "" : " [scale " + plan.scale + "]", plan_sizes(plan));
  const auto columns = width_to_keep();
  for (const auto& notice : plan.notices) {
    const auto line = "note: " + as_called(notice);
    say("{}", columns == 0 ? "  " + line + "\n" : wrapped("  ", line, columns));
  }
  if (plan.to_come > 0) say("  and {} more job{} as results arrive\n", plan.to_come, plan.to_come == 1 ? "" : "s");
  if (const auto text = stacks_text(plan); !text.empty()) say("  {}\n", text);
  const auto outlook = estimate_of(plan);
  if (const auto text = estimate_text(plan, outlook); !text.empty()) say("  {}\n", text);
  std::size_t width = 0;
  for (const auto& job : plan.jobs) width = std::max(width, display_width(job.label()));
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    say("  {}  {}{}\n", pad(plan.jobs[i].label(), static_cast<int>(width)), plan.jobs[i].hash.substr(0, 10),
        outlook.done[i] ? "  done" : "");
  }
  return 0;
}

}  // namespace yatlab::cli

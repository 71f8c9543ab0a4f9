#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/print.h"
#include "core/cli/command.h"
#include "core/cli/find_run.h"
#include "core/library/compare_runs.h"
#include "core/system/terminal.h"

namespace yatlab::cli {
namespace po = boost::program_options;

void compare_options(po::options_description& options) {
  options.add_options()("all", po::bool_switch(), "also what is equal, and metrics that no table shows")(
      "json", po::bool_switch(), "for machines")("results", po::value<std::string>()->default_value("results"), "folder of the runs");
}

int compare_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  if (args.words.size() != 2)
    throw config_error(fmt::format("compare needs two runs, found {}", args.words.size()), "command line", {}, self.example);
  const fs::path results = args.text("results");
  const auto comparison = compare_runs(find_run(args.words[0], results), find_run(args.words[1], results), args.flag("all"));
  if (args.flag("json")) {
    say("{}\n", dump_json_replacing(comparison_json(comparison, args.flag("all")), 2));
  } else {
    say("{}", comparison_report(comparison, args.flag("all"), width_to_keep()));
  }
  return 0;
}

}  // namespace yatlab::cli

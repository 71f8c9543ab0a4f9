#include <fmt/format.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/base/print.h"
#include "core/cli/command.h"
#include "core/library/run_list.h"
#include "core/system/terminal.h"

namespace yatlab::cli {
namespace po = boost::program_options;

void runs_options(po::options_description& options) {
  options.add_options()("json", po::bool_switch(), "for machines")("results", po::value<std::string>()->default_value("results"),
                                                                   "folder of the runs");
}

int runs_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments);
  if (args.help) {
    if (args.options.count("help") > 0)
      say("\nconditions (quote those with > or <); all must hold for one arm at one point:\n"
          "  operator.epsilon=1e-5   a setting, compared as a number if it is one; also != < >\n"
          "  'test/accuracy>0.92'    an arm's mean over its seeds; the arm and its mean are shown\n"
          "  state=failed  arm=yat   a job in that state; an arm\n"
          "  tag=best  scale=smoke  code=3fa9   of the run ('scale=full': none)\n");
    return 0;
  }
  const auto index = RunIndex::open(args.text("results"));
  const auto found = find_runs(index, args.words);
  if (args.flag("json")) {
    say("{}\n", dump_json_replacing(runs_json(found), 2));
  } else {
    say("{}", runs_text(index, found, std::time(nullptr), width_to_keep()));
  }
  return 0;
}

}  // namespace yatlab::cli

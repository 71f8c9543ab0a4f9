#include "core/run/run.h"
#include "core/cli/command.h"
#include "core/system/shell.h"

namespace yatlab::cli {
namespace po = boost::program_options;

void run_options(po::options_description& options) {
  options.add_options()("fresh", po::bool_switch(), "start a new run; reuse nothing of earlier ones")("retry-failed", po::bool_switch(),
                                                                                                      "run failed jobs again")(
      "wait", po::bool_switch(), "wait until all jobs are over, also those in a cluster's queue (launcher=slurm)")(
      "fail-fast", po::bool_switch(), "stop at the first failed job")("quiet,q", po::bool_switch(), "no progress and no tables");
  add_experiment_options(options);
}

int run_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  RunOptions run;
  run.fresh = args.flag("fresh");
  run.retry_failed = args.flag("retry-failed");
  run.wait = args.flag("wait");
  run.fail_fast = args.flag("fail-fast");
  run.quiet = args.flag("quiet");
  run.command = "yatlab run " + shell_command(arguments);
  return run_plan(plan_run(plan_request(args)), run).exit_code;
}

}  // namespace yatlab::cli

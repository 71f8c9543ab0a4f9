#include "core/commands/full_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/error.h"
#include "core/cli/blas.h"
#include "core/cli/completions.h"
#include "core/cli/programs.h"
#include "core/commands/report_paper.h"

namespace yatlab::cli {

void exec_full_program(const std::vector<std::string>& words) {
  const auto program = program_directory() / "yatlab-torch";
  choose_blas_kernels();
  exec_program(program, words);
  throw config_error(fmt::format("cannot start '{}'", program.string()), {}, std::strerror(errno),
                     "it must be in the same folder as this program; ./run.sh builds both");
}

namespace {

/// For `yatlab help COMMAND`.
int run_in_full_program(const Command& self, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{self.name};
  words.insert(words.end(), arguments.begin(), arguments.end());
  exec_full_program(words);
}

}  // namespace

// A command must be either here or among the light program's sources: otherwise the linker reports an error.
#define YATLAB_OF_RUNS(DO) DO(run) DO(job) DO(plan) DO(config) DO(repeat) DO(replay) DO(verify) DO(bundle)
#define YATLAB_OF_PARTS(DO) DO(describe) DO(data) DO(evaluate) DO(plugin)
#define YATLAB_WITHOUT_OPTIONS(DO) DO(list) DO(new) DO(doctor)
#define YATLAB_FULL_PROGRAM_COMMANDS(DO) YATLAB_OF_RUNS(DO) YATLAB_OF_PARTS(DO) YATLAB_WITHOUT_OPTIONS(DO)

#define YATLAB_STUB(name) \
  int name##_command(const Command& self, const std::vector<std::string>& arguments) { return run_in_full_program(self, arguments); }
YATLAB_FULL_PROGRAM_COMMANDS(YATLAB_STUB)

/// Only for the linker: completes_plainly passes the completion of such options on to the full program.
#define YATLAB_OPTIONS_STUB(name) \
  void name##_options(boost::program_options::options_description&) {}
YATLAB_OF_RUNS(YATLAB_OPTIONS_STUB)
YATLAB_OF_PARTS(YATLAB_OPTIONS_STUB)
YATLAB_OPTIONS_STUB(data_describe)
YATLAB_OPTIONS_STUB(list_metrics)

int report_paper(const Command& self, const std::vector<std::string>& arguments, const Arguments&, const ReportOptions&) {
  return run_in_full_program(self, arguments);
}

/// Only for the linker, as above.
Completions complete_in_experiment(const TypedExperiment&, ExperimentPart, const std::string&) { return {}; }

void run_pack_commands_in_full_program() {
  auto all = commands();
  for (auto& command : all) {
    if (*command.pack && !command.without_torch) command.run = run_in_full_program;
  }
  set_commands(std::move(all));
}

bool needs_full_program(const Command& command) {
#define YATLAB_POINTER(name) name##_command,
  static const decltype(Command::run) all[] = {YATLAB_FULL_PROGRAM_COMMANDS(YATLAB_POINTER)};
  return command.run == run_in_full_program || std::find(std::begin(all), std::end(all), command.run) != std::end(all);
}

}  // namespace yatlab::cli

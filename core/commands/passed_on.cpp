#include "core/commands/passed_on.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/error.h"
#include "core/cli/completions.h"
#include "core/cli/programs.h"
#include "core/commands/report_paper.h"

namespace yatlab::cli {

void pass_on(const std::vector<std::string>& words) {
  const auto program = program_directory() / "yatlab-torch";
  exec_program(program, words);
  throw config_error(fmt::format("cannot start '{}'", program.string()), {}, std::strerror(errno),
                     "it must be in the same folder as this program; ./run.sh builds both");
}

namespace {

/// For `yatlab help COMMAND`.
int pass_on_command(const Command& self, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{self.name};
  words.insert(words.end(), arguments.begin(), arguments.end());
  pass_on(words);
}

}  // namespace

// A command that is neither here nor among the light program's sources, or is both, is an error of the linker.
#define YATLAB_OF_RUNS(DO) DO(run) DO(job) DO(plan) DO(config) DO(repeat) DO(replay) DO(verify) DO(bundle)
#define YATLAB_OF_PARTS(DO) DO(describe) DO(data) DO(evaluate) DO(plugin)
#define YATLAB_WITHOUT_OPTIONS(DO) DO(list) DO(new) DO(doctor)
#define YATLAB_PASSED_ON(DO) YATLAB_OF_RUNS(DO) YATLAB_OF_PARTS(DO) YATLAB_WITHOUT_OPTIONS(DO)

#define YATLAB_STUB(name) \
  int name##_command(const Command& self, const std::vector<std::string>& arguments) { return pass_on_command(self, arguments); }
YATLAB_PASSED_ON(YATLAB_STUB)

/// Nothing asks for these: completes_plainly lets no option through to here.
#define YATLAB_OPTIONS_STUB(name) \
  void name##_options(boost::program_options::options_description&) {}
YATLAB_OF_RUNS(YATLAB_OPTIONS_STUB)
YATLAB_OF_PARTS(YATLAB_OPTIONS_STUB)
YATLAB_OPTIONS_STUB(data_describe)
YATLAB_OPTIONS_STUB(list_metrics)

int report_paper(const Command& self, const std::vector<std::string>& arguments, const Arguments&, const ReportOptions&) {
  return pass_on_command(self, arguments);
}

/// completes_plainly lets nothing through to here.
Completions complete_in_experiment(const TypedExperiment&, ExperimentPart, const std::string&) { return {}; }

void pass_on_commands_of_packs() {
  auto all = commands();
  for (auto& command : all) {
    if (*command.pack && !command.without_torch) command.run = pass_on_command;
  }
  set_commands(std::move(all));
}

bool is_passed_on(const Command& command) {
#define YATLAB_POINTER(name) name##_command,
  static const decltype(Command::run) all[] = {YATLAB_PASSED_ON(YATLAB_POINTER)};
  return command.run == pass_on_command || std::find(std::begin(all), std::end(all), command.run) != std::end(all);
}

}  // namespace yatlab::cli

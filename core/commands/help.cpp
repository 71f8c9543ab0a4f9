#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/cli/hydra.h"
#include "core/config/synonyms.h"
#include "core/system/called_as.h"

namespace yatlab::cli {
namespace {

void print_usage() {
  say("Yatlab: one command reads an experiment, trains every arm on every seed, and writes tables and figures.\n\n"
      "usage: {0} EXPERIMENT [key=value ...] [options]\n"
      "       {0} COMMAND ...\n\n"
      "An experiment is a .yaml file, or the name of one in experiments/: xor, sweeps/mnist_protocol.\n\ncommands:\n",
      called_as());
  std::size_t width = 0;
  for (const auto& c : commands()) width = std::max(width, display_width(c.name));
  for (const auto& c : commands()) {
    if (c.summary) say("  {}  {}\n", pad(c.name, static_cast<int>(width)), c.summary);
  }
  say("\noptions of all commands, anywhere on the line:\n"
      "  --plugin X.so  a plugin library, or a folder of them; repeatable\n"
      "  --help, -h     what a command does, its options and an example\n\n"
      "'{} help COMMAND' shows more. Exit codes: 0 done, 1 a job failed, 2 bad config or usage,\n"
      "3 data unavailable, 130/143 interrupted after saving.\n",
      called_as());
}

}  // namespace

int help_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  if (args.words.empty()) {
    print_usage();
    return 0;
  }
  const auto& word = args.words.front();
  if (word == "hydra") {
    say("{}", as_called(hydra_help()));
    return 0;
  }
  if (const auto* command = find_command(word); command && command->summary) return command->run(*command, {"--help"});
  std::vector<std::string> names{"hydra"};
  for (const auto& c : commands()) {
    if (c.summary) names.emplace_back(c.name);
  }
  const auto here = command_synonym(word);
  throw config_error(fmt::format("there is no help on '{}'", word), "command line", {},
                     here.empty() ? suggestion(word, names) : "yatlab help " + split(here, ' ').front());
}

}  // namespace yatlab::cli

#include <fmt/format.h>

#include <set>

#include "core/base/error.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/cli/find_run.h"
#include "core/library/prune_runs.h"
#include "core/system/called_as.h"
#include "core/system/disk_usage.h"
#include "core/system/shell.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

CheckpointRule checkpoint_rule(const std::string& name) {
  if (name == "keep") return CheckpointRule::kKeep;
  if (name == "keep-last") return CheckpointRule::kKeepLast;
  if (name == "none") return CheckpointRule::kNone;
  throw config_error(fmt::format("--checkpoints cannot be '{}'", visible(shortened(name))), "--checkpoints", {},
                     suggestion(name, {"keep", "keep-last", "none"}));
}

/// The same command with --yes.
std::string command_that_does_it(const Arguments& args) {
  std::string out = called_as() + " prune";
  for (const auto& word : args.words) out += " " + shell_word(word);
  for (const char* name : {"checkpoints", "results"}) {
    if (args.has(name)) out += fmt::format(" --{} {}", name, shell_word(args.text(name)));
  }
  if (args.flag("interrupted")) out += " --interrupted";
  return out + " --yes";
}

}  // namespace

void prune_options(po::options_description& options) {
  options.add_options()("yes", po::bool_switch(), "remove what is listed; without it, nothing is removed")(
      "dry-run", po::bool_switch(), "only list what would be removed (the default)")(
      "checkpoints", po::value<std::string>()->default_value("keep"), "of finished jobs: keep, keep-last, or none")(
      "interrupted", po::bool_switch(), "also runs that finished no job, even if they could continue from a checkpoint")(
      "results", po::value<std::string>()->default_value("results"), "folder of the runs");
}

int prune_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  PruneRequest request;
  request.results = args.text("results");
  request.checkpoints = checkpoint_rule(args.text("checkpoints"));
  request.interrupted = args.flag("interrupted");
  const auto all = run_folders(request.results);
  std::set<std::string> experiments;
  for (const auto& run : all) experiments.insert(run.experiment);
  if (args.words.empty()) request.runs = all;
  std::set<std::string> chosen;
  for (const auto& word : args.words) {
    if (experiments.count(word) > 0) {
      for (const auto& run : all) {
        if (run.experiment == word && chosen.insert(run.name()).second) request.runs.push_back(run);
      }
      continue;
    }
    const auto path = fs::canonical(find_run(word, request.results));
    const auto found = std::find_if(all.begin(), all.end(), [&](const RunFolder& run) { return fs::canonical(run.path) == path; });
    if (found == all.end())
      throw config_error(fmt::format("'{}' is not in {}", visible(word), request.results.string()), "command line", {},
                         "give its folder of runs: --results FOLDER");
    if (chosen.insert(found->name()).second) request.runs.push_back(*found);
    request.named.push_back(*found);
  }
  const auto plan = plan_prune(request);
  const bool doing = args.flag("yes") && !args.flag("dry-run");
  for (const auto& note : plan.notes) say_error("note: {}\n", visible(note));
  for (const auto& kept : plan.kept) say("  kept  {}\n", visible(kept));
  std::size_t width = 0;
  for (const auto& item : plan.items) width = std::max(width, display_width(visible(item.run.name())));
  for (const auto& item : plan.items) {
    say("  {}  {}  {}  {}\n", doing ? "removes" : "would remove", pad(visible(item.run.name()), static_cast<int>(width)),
        pad(bytes_text(item.bytes), -9), item.whole ? "the run: " + item.why : item.why);
  }
  if (plan.items.empty()) {
    say("nothing to remove\n");
    return 0;
  }
  if (!doing) {
    say("{} in {} place{}; nothing was removed. To remove it:\n  {}\n", bytes_text(plan.bytes()), plan.items.size(),
        plan.items.size() == 1 ? "" : "s", command_that_does_it(args));
    return 0;
  }
  const auto notes = carry_out(request, plan);
  for (const auto& note : notes) say_error("note: {}\n", visible(note));
  say("{} removed{}\n", bytes_text(plan.bytes()), notes.empty() ? "" : ", except for what the notes list");
  return notes.empty() ? 0 : 1;
}

}  // namespace yatlab::cli

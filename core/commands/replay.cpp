#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/cli/find_run.h"
#include "core/config/override.h"
#include "core/config/yaml.h"
#include "core/plan/tracker.h"
#include "core/run/replay.h"
#include "core/system/stop.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

/// The tracker's spec: its file in a folder of configs if there is one, else its name; with the parameters in `overrides`.
Node tracker_spec(const std::string& name, const std::vector<std::string>& overrides) {
  Node spec = Node::map();
  spec.set("name", Node(name));
  for (const auto& folder : config_path()) {
    const fs::path file = folder / "tracker" / (safe_file_name(name) + ".yaml");
    if (!fs::exists(file)) continue;
    spec = load_yaml(file);
    break;
  }
  for (const auto& text : overrides) {
    const auto given = parse_override(text);
    const std::string prefix = "tracker.";
    if (given.key.rfind(prefix, 0) != 0 || given.is_sweep() || !given.has_value || given.kind == OverrideKind::kDelete) {
      throw config_error(fmt::format("'{}' is not a parameter of the tracker", text), "command line",
                         "a replay trains nothing: only keys of the tracker can be set",
                         fmt::format("write tracker.key=value; 'yatlab describe tracker/{}' lists the keys", spec.at("name").as_string()));
    }
    spec.set(given.key.substr(prefix.size()), given.value);
  }
  Registry<Tracker>::create(spec)->check();
  return spec;
}

}  // namespace

void replay_options(po::options_description& options) {
  options.add_options()("tracker", po::value<std::vector<std::string>>()->composing(),
                        "wandb, tensorboard or any other ('yatlab list tracker'); repeatable")(
      "results", po::value<std::string>()->default_value("results"), "folder of the runs")("quiet,q", po::bool_switch(), "errors only");
}

int replay_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  if (args.words.empty()) throw config_error("no run given", "command line", {}, self.example);
  if (!args.has("tracker")) throw config_error("no tracker given", "command line", {}, self.example);
  const auto run = find_run(args.words.front(), args.text("results"));
  Node specs = Node::list();
  for (const auto& name : args.options["tracker"].as<std::vector<std::string>>()) {
    specs.push_back(tracker_spec(name, {args.words.begin() + 1, args.words.end()}));
  }
  const auto done = replay_run(run, specs, args.flag("quiet"));
  for (const auto& text : done.damaged) say_error("note: {}; it is not replayed\n", text);
  if (!args.flag("quiet")) {
    say("{} job{} of {} replayed{}\n", done.jobs, done.jobs == 1 ? "" : "s", run.string(),
        done.unfinished > 0 ? fmt::format("; {} not finished and skipped", done.unfinished) : "");
  }
  if (stop_signal() != 0) {
    say_error("interrupted; run the same command again to continue\n");
    return 128 + stop_signal();
  }
  return 0;
}

}  // namespace yatlab::cli

#include <fmt/format.h>

#include <cstdio>

#include "core/base/error.h"
#include "core/base/print.h"
#include "core/cli/command.h"
#include "core/system/stop.h"
#include "plugins/wandb/log/sync.h"

namespace yatlab::cli {
namespace po = boost::program_options;

static void sync_options(po::options_description& options) {
  options.add_options()("entity", po::value<std::string>()->default_value(""), "user or team to upload to, instead of the recorded one")(
      "project", po::value<std::string>()->default_value(""), "project to upload to, instead of the recorded one")(
      "again", po::bool_switch(), "also runs that were uploaded before: refused files are sent again")(
      "patience", po::value<double>()->default_value(120), "seconds without an answer after which it gives up")(
      "dry-run,n", po::bool_switch(), "only list the runs that would be uploaded");
}

static int sync_command(const Command& self, const std::vector<std::string>& arguments) {
  const SavesWhenStopped saves;
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  wandb::RequestedSettings requested;
  requested.upload = true;
  const auto settings = wandb::read_settings(requested);
  std::vector<std::filesystem::path> words(args.words.begin(), args.words.end());
  if (words.empty()) words.push_back(settings.folder);
  const auto logs = wandb::find_logs(words);
  if (args.flag("dry-run")) {
    for (const auto& log : logs) {
      if (args.flag("again") || !std::filesystem::exists(log.string() + ".synced")) say("{}\n", log.parent_path().string());
    }
    return 0;
  }
  for (const auto& notice : settings.notices) say_error("note: {}\n", notice);
  if (!settings.key) {
    throw config_error("there is no W&B API key", {}, "neither WANDB_API_KEY nor the netrc file has one",
                       "copy it from https://wandb.ai/authorize into WANDB_API_KEY");
  }
  wandb::SyncOptions sync;
  sync.upload.entity = args.text("entity");
  sync.upload.project = args.text("project");
  sync.patience = args.options["patience"].as<double>();
  sync.again = args.flag("again");
  sync.stop = [] { return stop_signal() != 0; };
  sync.say = [](const std::string& text) {
    say("{}\n", text);
    std::fflush(stdout);
  };
  const auto done = wandb::sync(logs, settings, sync);
  std::string text = fmt::format("{} of {} runs uploaded", done.uploaded + done.unended, logs.size());
  if (done.done_before > 0) text += fmt::format(", {} were uploaded before", done.done_before);
  if (done.skipped > 0) text += fmt::format(", {} skipped", done.skipped);
  if (done.failed > 0) text += fmt::format(", {} failed", done.failed);
  say("{}\n", text);
  if (stop_signal() != 0) {
    say_error("interrupted; run the same command again to continue\n");
    return 128 + stop_signal();
  }
  return done.failed > 0 ? 1 : 0;
}

YATLAB_COMMAND("sync", sync_command, sync_options);

}  // namespace yatlab::cli

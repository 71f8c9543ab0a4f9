#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plugins/wandb/log/upload.h"

namespace yatlab::wandb {

struct SyncOptions {
  UploadOptions upload;
  double patience = 120;  ///< seconds without one answer after which a sync gives up
  bool again = false;     ///< also runs that were sent
  std::function<bool()> stop;
  std::function<void(const std::string&)> say;  ///< one line per run, and what is worth knowing
};

struct SyncOutcome {
  int uploaded = 0, unended = 0, done_before = 0, skipped = 0, failed = 0;
};

/// The run folders that words on a command line mean: a run folder, its .wandb file, a folder `wandb`, or one that holds
/// such. In order of their start. Throws a config error for a word that means none.
std::vector<fs::path> find_logs(const std::vector<fs::path>& words);

/// Uploads logs, several at a time, each from where an earlier upload stopped; what is said comes oldest first. What cannot be
/// sent is said and counted; only `stop` ends it early.
SyncOutcome sync(const std::vector<fs::path>& logs, const Settings& settings, const SyncOptions& options);

}  // namespace yatlab::wandb

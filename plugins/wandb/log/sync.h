#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plugins/wandb/log/upload.h"

namespace yatlab::wandb {

struct SyncOptions {
  UploadOptions upload;
  double patience = 120;  ///< seconds without any answer after which a sync gives up
  bool again = false;     ///< also runs that were uploaded before
  std::function<bool()> stop;
  std::function<void(const std::string&)> say;  ///< receives one line per run, and notices
};

struct SyncOutcome {
  int uploaded = 0, unended = 0, done_before = 0, skipped = 0, failed = 0;
};

/// The run folders that words on a command line refer to: a run folder, its .wandb file, a folder `wandb`, or a folder that contains
/// one of these. In order of their start. Throws a config error for a word that refers to none.
std::vector<fs::path> find_logs(const std::vector<fs::path>& words);

/// Uploads logs, several at a time, each from where an earlier upload stopped; reports are in order, the oldest run first. Failures
/// are reported and counted; only `stop` ends it early.
SyncOutcome sync(const std::vector<fs::path>& logs, const Settings& settings, const SyncOptions& options);

}  // namespace yatlab::wandb

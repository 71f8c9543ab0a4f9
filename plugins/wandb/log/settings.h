#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/files.h"

namespace yatlab::wandb {

/// An API key. It cannot be streamed, formatted or copied, and is wiped on destruction.
class Secret {
 public:
  explicit Secret(std::string text) : text_(std::move(text)) {}
  ~Secret();
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  const std::string& reveal() const { return text_; }
  /// `text` with the key removed, if it contains it.
  std::string redact(std::string text) const;

 private:
  std::string text_;
};

enum class Mode { kOnline, kOffline, kDisabled };
enum class Resume { kAuto, kAllow, kMust, kNever };

/// The settings that determine where a run goes. Empty texts: not set.
struct Settings {
  Mode mode = Mode::kOffline;
  std::string base_url = "https://api.wandb.ai", app_url;
  std::string entity, project, run_id, name, notes, group, job_type, sweep_id;
  std::vector<std::string> tags;
  fs::path folder;  ///< the folder `wandb/` (or `.wandb/`) that holds runs
  Resume resume = Resume::kAuto;
  bool silent = false, console = true, git = true;
  std::string host, program, git_commit, git_remote;
  std::vector<std::string> ignore;  ///< globs of files that are not uploaded
  double http_timeout = 180;        ///< seconds for one request
  std::shared_ptr<const Secret> key;
  std::vector<std::string> notices;  ///< messages for the user, one sentence each

  /// The page of a run.
  std::string page(const std::string& of_entity, const std::string& of_project, const std::string& of_run) const;
  /// The page of all runs of a group.
  std::string group_page(const std::string& of_entity, const std::string& of_project, const std::string& of_group) const;
};

/// Settings of a config, which override the environment. Empty: not set.
struct RequestedSettings {
  std::string mode, entity, project, name, notes, group, job_type;
  std::vector<std::string> tags;
  std::string directory;  ///< parent of the folder wandb/
  bool upload = false;    ///< for `sync`: requires a key whatever WANDB_MODE says
};

/// From a config, the environment (WANDB_*), settings files and the netrc file, in this order. Removes WANDB_API_KEY from
/// the environment permanently, so that neither child processes nor /proc show it, and prevents core files
/// once the process holds a key. Call it while only one thread runs. Throws a config error for invalid values; no
/// message ever contains the key.
Settings read_settings(const RequestedSettings& requested);

/// Whether requests may carry a key there: https, or http to this machine.
bool is_safe_url(std::string_view url);
/// "https://host:port", lower case, without path or user; "" for anything but an http(s) URL.
std::string origin_of(std::string_view url);

}  // namespace yatlab::wandb

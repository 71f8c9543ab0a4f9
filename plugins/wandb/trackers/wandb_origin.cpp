#include "plugins/wandb/trackers/wandb_origin.h"

#include <pwd.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string_view>

#include "core/base/files.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/system/git.h"
#include "plugins/wandb/log/text.h"

namespace yatlab {
namespace {

using Json = nlohmann::ordered_json;

/// An address without its user and password, if any.
std::string without_user(std::string url) {
  const auto scheme = url.find("://");
  if (scheme == std::string::npos) return url;
  const auto end = url.find('/', scheme + 3);
  const auto at = url.rfind('@', end);
  if (at != std::string::npos && at > scheme) url.erase(scheme + 3, at - scheme - 2);
  return url;
}

Json program_arguments() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  Json out = Json::array();
  std::string word;
  for (bool first = true; std::getline(in, word, '\0'); first = false) {
    if (!first) out.push_back(wandb::valid_utf8(word));
  }
  return out;
}

/// The started program: `yatlab`, if the process has become `yatlab-torch` beside it.
fs::path started_program() {
  auto out = program_path();
  const auto name = out.filename().string();
  const std::string_view torch = "-torch";
  if (name.size() <= torch.size() || name.compare(name.size() - torch.size(), torch.size(), torch) != 0) return out;
  std::error_code ec;
  const auto started = out.parent_path() / name.substr(0, name.size() - torch.size());
  return fs::exists(started, ec) ? started : out;
}

}  // namespace

WandbOrigin wandb_origin(const wandb::Settings& settings, const Json& hardware) {
  WandbOrigin out;
  if (settings.git) {
    out.commit = settings.git_commit.empty() ? git_answer(".", {"rev-parse", "HEAD"}) : settings.git_commit;
    out.remote =
        without_user(settings.git_remote.empty() ? git_answer(".", {"config", "--get", "remote.origin.url"}) : settings.git_remote);
  }
  std::error_code ec;
  const auto executable = started_program();
  const passwd* user = getpwuid(geteuid());
  out.host = settings.host.empty() ? host_name() : settings.host;
  out.program = settings.program.empty() ? executable.filename().string() : settings.program;
  out.metadata = {
      {"os", "Linux"},
      {"program", out.program},
      {"args", program_arguments()},
      {"startedAt", wandb::utc_time(std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count()) + "Z"},
      {"host", out.host},
      {"username", user ? user->pw_name : ""},
      {"executable", executable.string()},
      {"root", fs::current_path(ec).string()}};
  out.metadata.update(hardware);
  if (!out.commit.empty()) out.metadata["git"] = {{"remote", out.remote}, {"commit", out.commit}};
  return out;
}

}  // namespace yatlab

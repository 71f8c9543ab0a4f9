#include "plugins/wandb/log/settings.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/system/shell.h"
#include "plugins/wandb/log/text.h"

namespace yatlab::wandb {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? trim(value) : "";
}

bool is_yes(const std::string& value) {
  const auto v = lower(value);
  return v == "1" || v == "true" || v == "yes" || v == "on";
}

bool is_no(const std::string& value) {
  const auto v = lower(value);
  return v == "0" || v == "false" || v == "no" || v == "off";
}

std::vector<std::string> comma_list(const std::string& text) {
  std::vector<std::string> out;
  for (const auto& part : split(text, ',')) {
    if (auto item = trim(part); !item.empty()) out.push_back(std::move(item));
  }
  return out;
}

std::string first_of(std::initializer_list<std::string> values) {
  for (const auto& v : values) {
    if (!v.empty()) return v;
  }
  return {};
}

/// A core file of this process would contain the key. A limit of one byte prevents both files and pipes to crash handlers.
void forbid_core_files() {
  rlimit limit{};
  ::getrlimit(RLIMIT_CORE, &limit);
  if (limit.rlim_max == 0) {
    ::prctl(PR_SET_DUMPABLE, 0);  // a limit of 0 would not stop the pipe, and cannot be raised to 1
    return;
  }
  limit.rlim_cur = 1;
  if (::setrlimit(RLIMIT_CORE, &limit) != 0) ::prctl(PR_SET_DUMPABLE, 0);
}

/// WANDB_API_KEY; removed from the environment on the first call.
std::shared_ptr<const Secret>& key_of_environment() {
  static std::shared_ptr<const Secret> kept;
  if (char* value = std::getenv("WANDB_API_KEY")) {
    auto text = trim(value);
    OPENSSL_cleanse(value, std::strlen(value));
    ::unsetenv("WANDB_API_KEY");
    kept = text.empty() ? nullptr : std::make_shared<Secret>(std::move(text));
  }
  return kept;
}

/// A valid key is 40 or more of A-Za-z0-9_, with "prefix-" in front on some servers.
std::string fault_of_key(const std::string& key) {
  const auto dash = key.rfind('-');
  const auto body = dash == std::string::npos ? key : key.substr(dash + 1);
  if (body.size() < 40) return fmt::format("it has {} characters, keys have 40 or more", body.size());
  if (!std::all_of(key.begin(), key.end(), [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; })) {
    return "it contains invalid characters";
  }
  return {};
}

/// The password for `machine` in a netrc file; null when there is none.
std::shared_ptr<const Secret> key_of_netrc(const fs::path& path, const std::string& machine) {
  std::ifstream in(path);
  std::string word, value;
  bool here = false;
  std::shared_ptr<const Secret> out;
  while (!out && in >> word) {
    if (word == "default") {
      here = true;
    } else if (word[0] == '#') {
      std::getline(in, value);
    } else if (word == "macdef") {  // up to an empty line
      for (std::getline(in, value); std::getline(in, value) && !value.empty();) {
      }
    } else if (in >> value) {
      if (word == "machine") here = value == machine;
      if (word == "password" && here) out = std::make_shared<Secret>(value);
    }
  }
  OPENSSL_cleanse(value.data(), value.size());
  return out;
}

fs::path home() { return variable("HOME"); }

std::shared_ptr<const Secret> key_of_netrc(const std::string& base_url) {
  const auto origin = origin_of(base_url);
  const auto machine = origin.substr(origin.find("://") + 3);
  std::vector<fs::path> files;
  if (const auto named = variable("NETRC"); !named.empty()) {
    files.emplace_back(named);
  } else if (!home().empty()) {
    files = {home() / ".netrc", home() / "_netrc"};
  }
  for (const auto& file : files) {
    for (const auto& name : {machine, machine.substr(0, machine.find(':'))}) {
      if (auto key = key_of_netrc(file, name)) return key;
    }
  }
  return nullptr;
}

/// [default] of one of W&B's settings files; empty if there is none.
std::map<std::string, std::string> settings_in(const fs::path& file) {
  std::map<std::string, std::string> out;
  std::ifstream in(file);
  std::string section;
  for (std::string line; std::getline(in, line);) {
    line = trim(line);
    if (line.empty() || line[0] == '#' || line[0] == ';') continue;
    if (line[0] == '[') {
      section = line;
      continue;
    }
    const auto equals = line.find('=');
    if (section == "[default]" && equals != std::string::npos) out[trim(line.substr(0, equals))] = trim(line.substr(equals + 1));
  }
  return out;
}

/// entity, project and base_url of the user's own settings file; only entity and project of the one in `folder`, which may belong to another
/// person: only the user may decide which server receives the key.
std::map<std::string, std::string> settings_files(const fs::path& folder) {
  auto config = fs::path(variable("WANDB_CONFIG_DIR"));
  if (config.empty() && !home().empty()) config = home() / ".config/wandb";
  auto out = settings_in(config / "settings");
  for (const auto& [key, value] : settings_in(folder / "settings")) {
    if (key == "entity" || key == "project") out[key] = value;
    if (key != "base_url" || !variable("WANDB_BASE_URL").empty() ||
        origin_of(value) == origin_of(first_of({out[key], Settings().base_url})))
      continue;
    const auto word = visible(shortened(value));
    throw config_error(fmt::format("'{}' names a different W&B server: {}", (folder / "settings").string(), word), {},
                       "a file in a project folder must not choose which server gets your key",
                       fmt::format("if that is your server: export WANDB_BASE_URL={}, or put base_url = {} under [default] into {}",
                                   shell_word(value), word, (config / "settings").string()));
  }
  return out;
}

double seconds_in(const char* name, double otherwise) {
  const auto text = variable(name);
  if (text.empty()) return otherwise;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (*end != '\0' || !(value > 0)) {
    throw config_error(fmt::format("{}={} is not a number of seconds", name, text), "environment");
  }
  return value;
}

Mode mode_named(const std::string& text, const char* where) {
  const auto v = lower(text);
  if (v == "online" || v == "run") return Mode::kOnline;
  if (v == "offline" || v == "dryrun") return Mode::kOffline;
  if (v == "disabled") return Mode::kDisabled;
  throw config_error(fmt::format("'{}' is not a W&B mode", text), where, {}, suggestion(text, {"online", "offline", "disabled"}));
}

Resume resume_named(const std::string& text) {
  const auto v = lower(text);
  if (v.empty() || v == "auto" || is_no(v)) return Resume::kAuto;
  if (v == "allow" || is_yes(v)) return Resume::kAllow;
  if (v == "must") return Resume::kMust;
  if (v == "never") return Resume::kNever;
  throw config_error(fmt::format("WANDB_RESUME={} is unknown", text), "environment", {},
                     suggestion(text, {"must", "allow", "never", "auto"}));
}

void check_base_url(const std::string& url) {
  const auto after = url.find("://");
  const auto authority = after == std::string::npos ? "" : url.substr(after + 3, url.find('/', after + 3) - after - 3);
  if (authority.find('@') != std::string::npos) {
    throw config_error("WANDB_BASE_URL contains a user name or a password", "environment", "URLs appear in messages",
                       "remove it from the URL; put the key into WANDB_API_KEY or ~/.netrc");
  }
  if (origin_of(url).empty()) {
    throw config_error(fmt::format("WANDB_BASE_URL={} is not a URL", url), "environment", {}, "write it as https://host");
  }
  if (!is_safe_url(url)) {
    throw config_error(fmt::format("WANDB_BASE_URL={} would send the API key unencrypted", url), "environment", {},
                       "use https; plain http is for servers on this machine only");
  }
}

void check_run_id(const std::string& id) {
  if (id.empty()) return;
  if (id.find_first_of(":;,#?/'") != std::string::npos || id != trim(id) || id == "." || id == ".." || id.size() > 64) {
    throw config_error(fmt::format("WANDB_RUN_ID={} is not a valid run ID", id), "environment", {},
                       "use up to 64 characters without : ; , # ? / '");
  }
}

/// The address of the server's web interface.
std::string user_interface(const Settings& settings) {
  std::string ui = settings.app_url;
  if (ui.empty()) {
    ui = settings.base_url;
    for (const auto& [from, to] : {std::pair<std::string, std::string>{"://api.wandb.", "://wandb."}, {"://api.", "://app."}}) {
      if (const auto at = ui.find(from); at != std::string::npos) {
        ui.replace(at, from.size(), to);
        break;
      }
    }
  }
  while (!ui.empty() && ui.back() == '/') ui.pop_back();
  return ui;
}

}  // namespace

Secret::~Secret() { OPENSSL_cleanse(text_.data(), text_.size()); }

std::string Secret::redact(std::string text) const {
  for (auto at = text.find(text_); !text_.empty() && at != std::string::npos; at = text.find(text_, at)) {
    text.replace(at, text_.size(), "***");
  }
  return text;
}

std::string origin_of(std::string_view url) {
  const auto after = url.find("://");
  if (after == std::string_view::npos) return {};
  const auto scheme = lower(url.substr(0, after));
  if (scheme != "http" && scheme != "https") return {};
  auto authority = url.substr(after + 3);
  authority = authority.substr(0, authority.find_first_of("/?#\\"));
  if (const auto user = authority.rfind('@'); user != std::string_view::npos) authority = authority.substr(user + 1);
  auto host = lower(authority);
  const std::string usual = scheme == "https" ? ":443" : ":80";
  if (host.size() > usual.size() && host.compare(host.size() - usual.size(), usual.size(), usual) == 0 && host.back() != ']') {
    host.resize(host.size() - usual.size());
  }
  return host.empty() ? "" : scheme + "://" + host;
}

bool is_safe_url(std::string_view url) {
  const auto origin = origin_of(url);
  if (origin.rfind("https://", 0) == 0) return true;
  if (origin.empty()) return false;
  auto host = origin.substr(7);
  if (host[0] == '[') return host.substr(0, host.find(']') + 1) == "[::1]";
  host = host.substr(0, host.find(':'));
  if (host == "localhost") return true;
  // 127.0.0.0/8, written as four numbers: "127.0.0.1.example.org" is another machine.
  const auto parts = split(host, '.');
  return parts.size() == 4 && parts[0] == "127" && std::all_of(parts.begin(), parts.end(), [](const std::string& p) {
           return !p.empty() && p.size() <= 3 && std::all_of(p.begin(), p.end(), [](unsigned char c) { return std::isdigit(c); });
         });
}

std::string Settings::page(const std::string& of_entity, const std::string& of_project, const std::string& of_run) const {
  return fmt::format("{}/{}/{}/runs/{}", user_interface(*this), of_entity, of_project, of_run);
}

std::string Settings::group_page(const std::string& of_entity, const std::string& of_project, const std::string& of_group) const {
  return fmt::format("{}/{}/{}/groups/{}", user_interface(*this), of_entity, of_project, url_part(of_group));
}

Settings read_settings(const RequestedSettings& requested) {
  Settings s;
  const auto& from_environment = key_of_environment();

  const fs::path parent = first_of({requested.directory, variable("WANDB_DIR"), "."});
  s.folder = fs::is_directory(parent / ".wandb") ? parent / ".wandb" : parent / "wandb";
  auto files = settings_files(s.folder);
  s.base_url = first_of({variable("WANDB_BASE_URL"), files["base_url"], s.base_url});
  while (!s.base_url.empty() && s.base_url.back() == '/') s.base_url.pop_back();
  check_base_url(s.base_url);
  if (origin_of(s.base_url) != origin_of(Settings().base_url)) s.notices.push_back("the W&B server is " + origin_of(s.base_url));
  s.app_url = variable("WANDB_APP_URL");
  s.entity = first_of({requested.entity, variable("WANDB_ENTITY"), files["entity"]});
  s.project = first_of({requested.project, variable("WANDB_PROJECT"), files["project"]});
  s.run_id = variable("WANDB_RUN_ID");
  check_run_id(s.run_id);
  s.name = first_of({requested.name, variable("WANDB_NAME")});
  s.notes = first_of({requested.notes, variable("WANDB_NOTES")});
  s.group = first_of({requested.group, variable("WANDB_RUN_GROUP")});
  s.job_type = first_of({requested.job_type, variable("WANDB_JOB_TYPE")});
  s.sweep_id = variable("WANDB_SWEEP_ID");
  s.tags = requested.tags.empty() ? comma_list(variable("WANDB_TAGS")) : requested.tags;
  s.resume = resume_named(variable("WANDB_RESUME"));
  s.silent = is_yes(variable("WANDB_SILENT")) || is_yes(variable("WANDB_QUIET"));
  s.console = lower(variable("WANDB_CONSOLE")) != "off";
  s.git = !is_yes(variable("WANDB_DISABLE_GIT"));
  s.host = variable("WANDB_HOST");
  s.program = variable("WANDB_PROGRAM");
  s.git_commit = variable("WANDB_GIT_COMMIT");
  s.git_remote = variable("WANDB_GIT_REMOTE_URL");
  s.ignore = comma_list(variable("WANDB_IGNORE_GLOBS"));
  s.http_timeout = seconds_in("WANDB_HTTP_TIMEOUT", s.http_timeout);
  if (is_yes(variable("WANDB_INSECURE_DISABLE_SSL"))) {
    s.notices.emplace_back("WANDB_INSECURE_DISABLE_SSL is ignored: certificates are always checked (SSL_CERT_FILE can name more)");
  }

  // Live when a key is in the environment, or on request.
  const auto wanted = first_of({requested.mode, variable("WANDB_MODE")});
  if (!wanted.empty()) {
    s.mode = mode_named(wanted, requested.mode.empty() ? "environment (WANDB_MODE)" : "tracker.mode");
  } else if (is_yes(variable("WANDB_DISABLED"))) {
    s.mode = Mode::kDisabled;
  } else if (from_environment) {
    s.mode = Mode::kOnline;
  }
  s.key = from_environment;
  if (!s.key && (s.mode == Mode::kOnline || requested.upload)) s.key = key_of_netrc(s.base_url);
  if (s.key) {
    forbid_core_files();
    if (const auto fault = fault_of_key(s.key->reveal()); !fault.empty()) {
      const std::string text = fmt::format("the W&B API key is invalid ({})", fault);
      if (requested.upload) throw config_error(text, {}, {}, "copy it again from https://wandb.ai/authorize");
      s.notices.push_back(text);
      s.key = nullptr;
    }
  }
  if (s.mode == Mode::kOnline && !s.key) {
    s.notices.emplace_back("there is no valid W&B API key (WANDB_API_KEY, or the netrc file): this run is logged offline");
    s.mode = Mode::kOffline;
  }
  return s;
}

}  // namespace yatlab::wandb

#include "plugins/wandb/log/settings.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <cstdlib>
#include <fstream>

#include "catch.h"
#include "core/base/error.h"
#include "temporary_folder.h"
#include "trackers/wandb/environment.h"

namespace yatlab::wandb {
namespace {

using testing::CleanEnvironment;
using testing::kKey;

std::string failure(const RequestedSettings& settings_requested = {}) {
  try {
    read_settings(settings_requested);
  } catch (const Error& e) {
    return e.kind() == ErrorKind::kConfig ? e.what() : std::string("not a config error: ") + e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("offline by default, live with a key in the environment", "[wandb][settings]") {
  CleanEnvironment environment;
  CHECK(read_settings({}).mode == Mode::kOffline);
  environment.set("WANDB_API_KEY", kKey);
  CHECK(read_settings({}).mode == Mode::kOnline);
  environment.set("WANDB_API_KEY", kKey);
  environment.set("WANDB_MODE", "dryrun");
  CHECK(read_settings({}).mode == Mode::kOffline);
  RequestedSettings settings_requested;
  settings_requested.mode = "disabled";
  CHECK(read_settings(settings_requested).mode == Mode::kDisabled);
  environment.set("WANDB_MODE", "");
  environment.set("WANDB_DISABLED", "true");
  CHECK(read_settings({}).mode == Mode::kDisabled);
  environment.set("WANDB_MODE", "onlin");
  CHECK(failure() == "'onlin' is not a W&B mode\n  at: environment (WANDB_MODE)\n  try: did you mean 'online'?");
}

TEST_CASE("online mode without a key falls back to offline with a notice", "[wandb][settings]") {
  CleanEnvironment environment;
  environment.set("WANDB_MODE", "online");
  auto s = read_settings({});
  CHECK(s.mode == Mode::kOffline);
  REQUIRE(s.notices.size() == 1);
  CHECK(s.notices[0] == "there is no valid W&B API key (WANDB_API_KEY, or the netrc file): this run is logged offline");
  environment.set("WANDB_API_KEY", "short-secret");
  s = read_settings({});
  CHECK(s.mode == Mode::kOffline);
  REQUIRE(s.notices.size() == 2);
  CHECK(s.notices[0] == "the W&B API key is invalid (it has 6 characters, keys have 40 or more)");
}

TEST_CASE("the config overrides the environment about a run's destination", "[wandb][settings]") {
  CleanEnvironment environment;
  for (const auto& [name, value] : {std::pair<const char*, const char*>{"WANDB_PROJECT", "p"},
                                    {"WANDB_ENTITY", "e"},
                                    {"WANDB_RUN_GROUP", "g"},
                                    {"WANDB_JOB_TYPE", "j"},
                                    {"WANDB_NAME", "n"},
                                    {"WANDB_NOTES", "some notes"},
                                    {"WANDB_TAGS", "a, b,,c"},
                                    {"WANDB_RUN_ID", "abc"},
                                    {"WANDB_SWEEP_ID", "s"},
                                    {"WANDB_SILENT", "true"},
                                    {"WANDB_CONSOLE", "off"},
                                    {"WANDB_DISABLE_GIT", "1"},
                                    {"WANDB_RESUME", "must"},
                                    {"WANDB_IGNORE_GLOBS", "*.png,x"},
                                    {"WANDB_HTTP_TIMEOUT", "7"},
                                    {"WANDB_BASE_URL", "https://wandb.example.org/"}}) {
    environment.set(name, value);
  }
  environment.set("WANDB_DIR", environment.home().string());
  auto s = read_settings({});
  CHECK(s.project == "p");
  CHECK(s.entity == "e");
  CHECK(s.group == "g");
  CHECK(s.job_type == "j");
  CHECK(s.name == "n");
  CHECK(s.notes == "some notes");
  CHECK(s.tags == std::vector<std::string>{"a", "b", "c"});
  CHECK(s.run_id == "abc");
  CHECK(s.sweep_id == "s");
  CHECK(s.silent);
  CHECK_FALSE(s.console);
  CHECK_FALSE(s.git);
  CHECK(s.resume == Resume::kMust);
  CHECK(s.ignore == std::vector<std::string>{"*.png", "x"});
  CHECK(s.http_timeout == 7);
  CHECK(s.base_url == "https://wandb.example.org");
  CHECK(s.folder == environment.home() / "wandb");
  fs::create_directory(environment.home() / ".wandb");
  CHECK(read_settings({}).folder == environment.home() / ".wandb");
  RequestedSettings settings_requested;
  settings_requested.project = "mine";
  settings_requested.tags = {"t"};
  s = read_settings(settings_requested);
  CHECK(s.project == "mine");
  CHECK(s.tags == std::vector<std::string>{"t"});
  CHECK(s.entity == "e");
  environment.set("WANDB_RUN_ID", "a/b");
  CHECK(failure() == "WANDB_RUN_ID=a/b is not a valid run ID\n  at: environment\n  try: use up to 64 characters without : ; , # ? / '");
}

TEST_CASE("settings files rank below the environment", "[wandb][settings]") {
  CleanEnvironment environment;
  fs::create_directories(environment.home() / ".config/wandb");
  std::ofstream(environment.home() / ".config/wandb/settings") << "[default]\nentity = team\nproject=filed\n[other]\nproject = no\n";
  auto s = read_settings({});
  CHECK(s.entity == "team");
  CHECK(s.project == "filed");
  environment.set("WANDB_ENTITY", "me");
  CHECK(read_settings({}).entity == "me");
}

TEST_CASE("a file in a project's folder cannot choose the server that gets the key", "[wandb][settings][security]") {
  CleanEnvironment environment;
  environment.set("WANDB_API_KEY", kKey);
  const auto project = environment.home() / "project";
  fs::create_directories(project / "wandb");
  std::ofstream(project / "wandb/settings") << "[default]\nentity = theirs\nbase_url = https://collects.example.org\n";
  RequestedSettings settings_requested;
  settings_requested.directory = project.string();
  const auto failure = [&] {
    try {
      read_settings(settings_requested);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  CHECK(failure().find("names a different W&B server: https://collects.example.org") != std::string::npos);
  CHECK(failure().find("export WANDB_BASE_URL=https://collects.example.org") != std::string::npos);

  // An address given by the user is used, and shown.
  const auto server_of = [&] {
    const auto s = read_settings(settings_requested);
    CHECK(std::count(s.notices.begin(), s.notices.end(), "the W&B server is " + s.base_url) == (s.base_url == Settings().base_url ? 0 : 1));
    return s.base_url;
  };
  environment.set("WANDB_BASE_URL", "https://collects.example.org");
  CHECK(server_of() == "https://collects.example.org");
  environment.set("WANDB_BASE_URL", "https://mine.example.org");
  CHECK(server_of() == "https://mine.example.org");
  environment.set("WANDB_BASE_URL", "");
  fs::create_directories(environment.home() / ".config/wandb");
  std::ofstream(environment.home() / ".config/wandb/settings") << "[default]\nbase_url = https://mine.example.org\n";
  CHECK(failure().find("names a different W&B server") != std::string::npos);
  std::ofstream(environment.home() / ".config/wandb/settings") << "[default]\nbase_url = https://collects.example.org/\n";
  CHECK(server_of() == "https://collects.example.org");
  CHECK(read_settings(settings_requested).entity == "theirs");  // the entity does not affect which server receives the key
  std::ofstream(project / "wandb/settings") << "[default]\nbase_url = https://api.wandb.ai\n";
  CHECK(failure().find("names a different W&B server: https://api.wandb.ai") != std::string::npos);
  fs::remove(environment.home() / ".config/wandb/settings");
  CHECK(server_of() == Settings().base_url);
}

TEST_CASE("the key is read from the netrc entry of the server", "[wandb][settings]") {
  CleanEnvironment environment;
  const std::string other(40, 'o');
  std::ofstream(environment.home() / ".netrc") << "machine example.org login user password " << other << "\n# machine api.wandb.ai\n"
                                               << "machine api.wandb.ai\n  login user\n  password " << kKey << "\n";
  CHECK(read_settings({}).key == nullptr);  // online mode was not requested
  environment.set("WANDB_MODE", "online");
  auto s = read_settings({});
  REQUIRE(s.key);
  CHECK(s.key->reveal() == kKey);
  environment.set("WANDB_BASE_URL", "https://example.org:8443");
  s = read_settings({});
  REQUIRE(s.key);
  CHECK(s.key->reveal() == other);
  environment.set("WANDB_BASE_URL", "https://else.example.org");
  CHECK(read_settings({}).key == nullptr);
  const auto elsewhere = environment.home() / "own";
  std::ofstream(elsewhere) << "default login user password " << kKey << "\n";
  environment.set("NETRC", elsewhere.string());
  CHECK(read_settings({}).key->reveal() == kKey);
}

TEST_CASE("the key is removed from the environment and core dumps are disabled", "[wandb][settings][security]") {
  CleanEnvironment environment;
  environment.set("WANDB_API_KEY", kKey);
  const char* where = std::getenv("WANDB_API_KEY");
  REQUIRE(std::string(where) == kKey);
  const auto s = read_settings({});
  REQUIRE(s.key);
  CHECK(s.key->reveal() == kKey);
  CHECK(std::getenv("WANDB_API_KEY") == nullptr);
  CHECK(std::string(where, 8) == std::string(8, '\0'));  // wiped in place, where /proc would show it
  CHECK(read_settings({}).key->reveal() == kKey);        // later calls still know it
  rlimit limit{};
  getrlimit(RLIMIT_CORE, &limit);
  CHECK((limit.rlim_cur == 1 || prctl(PR_GET_DUMPABLE) == 0));
  CHECK(s.key->redact("x " + kKey + kKey + " y") == "x ****** y");
}

TEST_CASE("the key is sent only over https or to this machine", "[wandb][settings][security]") {
  for (const char* good :
       {"https://api.wandb.ai", "https://h:8443/x", "http://127.0.0.1:80", "http://127.1.2.3", "http://localhost:8080", "http://[::1]:3"}) {
    CHECK(is_safe_url(good));
  }
  for (const char* bad :
       {"http://api.wandb.ai", "http://127.0.0.1.example.org", "http://localhost.example.org", "http://127.0.0.1@example.org",
        "http://example.org#@127.0.0.1", "http://example.org\\@127.0.0.1", "ftp://127.0.0.1", "http://[::2]", "http://", "127.0.0.1", ""}) {
    INFO(bad);
    CHECK_FALSE(is_safe_url(bad));
  }
  CHECK(origin_of("https://u:p@API.wandb.ai:443/x?y") == "https://api.wandb.ai");
  CHECK(origin_of("https://api.wandb.ai:8443/x") == "https://api.wandb.ai:8443");
  CleanEnvironment environment;
  environment.set("WANDB_BASE_URL", "http://wandb.example.org");
  CHECK(failure() ==
        "WANDB_BASE_URL=http://wandb.example.org would send the API key unencrypted\n  at: environment\n"
        "  try: use https; plain http is for servers on this machine only");
  environment.set("WANDB_BASE_URL", "https://me:" + kKey + "@wandb.example.org");
  const auto text = failure();
  CHECK(text.find("contains a user name or a password") != std::string::npos);
  CHECK(text.find(kKey) == std::string::npos);
}

TEST_CASE("the URL of a run is built", "[wandb][settings]") {
  Settings s;
  CHECK(s.page("e", "p", "r") == "https://wandb.ai/e/p/runs/r");
  s.base_url = "https://api.example.org";
  CHECK(s.page("e", "p", "r") == "https://app.example.org/e/p/runs/r");
  s.base_url = "http://127.0.0.1:8080";
  CHECK(s.page("e", "p", "r") == "http://127.0.0.1:8080/e/p/runs/r");
  s.app_url = "https://ui/";
  CHECK(s.page("e", "p", "r") == "https://ui/e/p/runs/r");
  CHECK(s.group_page("e", "p", "a b/c") == "https://ui/e/p/groups/a%20b%2Fc");
}

}  // namespace yatlab::wandb

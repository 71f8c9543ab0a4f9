// An environment without any W&B variable, and with a temporary home.
#pragma once

#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "temporary_folder.h"

extern char** environ;

namespace yatlab::testing {

/// Not a real key.
inline const std::string kKey = "c0ffee00c0ffee11c0ffee22c0ffee33c0ffee44";

class CleanEnvironment {
 public:
  CleanEnvironment() {
    std::vector<std::string> names{"NETRC", "HOME"};
    for (char** e = environ; *e; ++e) {
      const std::string entry = *e;
      if (entry.rfind("WANDB_", 0) == 0) names.push_back(entry.substr(0, entry.find('=')));
    }
    for (const auto& name : names) {
      remember(name);
      ::unsetenv(name.c_str());
    }
    set("HOME", home().string());
    set("WANDB_API_KEY", " ");  // forgets a key from an earlier test
  }
  ~CleanEnvironment() {
    for (const auto& [name, value] : before_) {
      value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
    }
  }
  void set(const std::string& name, const std::string& value) {
    remember(name);
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  fs::path home() const { return folder_.path(); }

 private:
  void remember(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    before_.emplace(name, value ? std::optional<std::string>(value) : std::nullopt);
  }
  TemporaryFolder folder_;
  std::map<std::string, std::optional<std::string>> before_;
};

}  // namespace yatlab::testing

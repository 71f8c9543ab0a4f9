// Settings of Weights & Biases from a user's files and environment: the netrc file, the settings file, an address, and variables
// WANDB_<NAME>=value, one per line.
#include "core/base/text.h"
#include "fuzz.h"
#include "plugins/wandb/log/settings.h"

namespace yatlab::fuzz {
namespace {

/// Sets the variables given in lines, and unsets them at the end.
class Variables {
 public:
  explicit Variables(std::string_view lines) {
    for (const auto& line : split(std::string(lines), '\n')) {
      const auto equals = line.find('=');
      const auto name = line.substr(0, equals);
      if (equals == std::string::npos || name.rfind("WANDB_", 0) != 0 || name.find('\0') != std::string::npos ||
          name == "WANDB_CONFIG_DIR" || name == "WANDB_DIR") {
        continue;
      }
      ::setenv(name.c_str(), line.substr(equals + 1).c_str(), 1);
      names_.push_back(name);
    }
  }
  ~Variables() {
    for (const auto& name : names_) ::unsetenv(name.c_str());
  }

 private:
  std::vector<std::string> names_;
};

}  // namespace

void fuzz_input(std::string_view input) {
  static const MemoryFolder folder;
  const auto parts = parts_of(input, 4);
  folder.write("netrc", parts[0]);
  folder.write("settings", parts[1]);
  ::setenv("NETRC", (folder.path() / "netrc").c_str(), 1);
  ::setenv("WANDB_CONFIG_DIR", folder.path().c_str(), 1);
  ::setenv("WANDB_DIR", folder.path().c_str(), 1);
  wandb::origin_of(parts[2]);
  wandb::is_safe_url(parts[2]);
  const Variables variables(parts[3]);
  accepted([&] {
    wandb::RequestedSettings requested;
    requested.mode = "online";
    const auto settings = wandb::read_settings(requested);
    settings.page("entity", "project", "run");
    if (!settings.key) return;
    // No address that receives a key may be unsafe, and no message or page may contain the key.
    expect(wandb::is_safe_url(settings.base_url), "a key for an address that is not safe");
  });
}

}  // namespace yatlab::fuzz

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/commands/completion/scripts.h"
#include "core/system/shell.h"

namespace yatlab::cli {
namespace {

const std::vector<std::string> kShells = {"bash", "zsh", "fish"};

std::string_view script_of(const std::string& shell) { return shell == "bash" ? kBashScript : shell == "zsh" ? kZshScript : kFishScript; }

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// The user's shell: $SHELL, or the one in the user database if a container or a service does not set it.
std::string login_shell() {
  if (auto own = variable("SHELL"); !own.empty()) return own;
  const passwd* user = getpwuid(geteuid());
  return user && user->pw_shell ? user->pw_shell : "";
}

/// The environment variable `name`, else `below` in the home folder.
fs::path user_folder(const char* name, const char* below) {
  if (const auto given = variable(name); !given.empty()) return given;
  const auto home = variable("HOME");
  if (home.empty())
    throw config_error(fmt::format("neither {} nor HOME is set", name), "command line", "there is no folder to write the script to",
                       "yatlab completion bash prints the script");
  return fs::path(home) / below;
}

/// Where the shell looks for the user's completions.
std::vector<fs::path> places_of(const std::string& shell) {
  if (shell == "fish") {
    const auto folder = user_folder("XDG_CONFIG_HOME", ".config") / "fish/completions";
    return {folder / "yatlab.fish", folder / "run.sh.fish"};
  }
  if (shell == "zsh") return {user_folder("XDG_DATA_HOME", ".local/share") / "zsh/site-functions/_yatlab"};
  // Loaded on demand by bash-completion, by the command's name.
  const fs::path own = variable("BASH_COMPLETION_USER_DIR");
  const auto folder = (own.empty() ? user_folder("XDG_DATA_HOME", ".local/share") / "bash-completion" : own) / "completions";
  return {folder / "yatlab", folder / "run.sh"};
}

/// Prints what to add to the shell's startup file if the shell does not search the folder by itself.
void print_loading_instructions(const std::string& shell, const fs::path& file) {
  if (shell == "fish") {
    say("new fish shells complete yatlab and run.sh\n");
  } else if (shell == "zsh") {
    say("for new zsh shells, add this to ~/.zshrc (before an existing compinit):\n  fpath+=({})\n  autoload -Uz compinit && compinit\n",
        shell_word(file.parent_path().string()));
  } else {
    say("new bash shells complete yatlab and run.sh if the package bash-completion is installed; without it, add this to ~/.bashrc:\n  . "
        "{}\n",
        shell_word(file.string()));
  }
}

int install(std::string shell) {
  if (shell.empty()) {
    const fs::path own = login_shell();
    shell = own.filename().string();
    if (std::find(kShells.begin(), kShells.end(), shell) == kShells.end()) {
      throw config_error(
          own.empty() ? std::string("your shell is not known") : fmt::format("there is no completion for the shell '{}'", own.string()),
          "$SHELL", {}, "choose one: yatlab completion install bash (or zsh, or fish)");
    }
  }
  const auto places = places_of(shell);
  for (const auto& file : places) {
    std::error_code ec;
    fs::create_directories(file.parent_path(), ec);
    if (ec)
      throw config_error(fmt::format("cannot create the folder '{}'", file.parent_path().string()), "command line", ec.message(),
                         fmt::format("yatlab completion {} prints the script", shell));
    write_file_atomic(file, script_of(shell));
    say("wrote {}\n", file.string());
  }
  print_loading_instructions(shell, places.front());
  return 0;
}

}  // namespace

int completion_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  const std::string verb = args.words.empty() ? "" : args.words.front();
  const std::string shell = verb == "install" ? (args.words.size() > 1 ? args.words[1] : "") : verb;
  if (args.words.size() > (verb == "install" ? 2u : 1u))
    throw config_error(fmt::format("unexpected argument '{}'", args.words.back()), "command line", {}, self.example);
  if (!(verb == "install" && shell.empty()) && std::find(kShells.begin(), kShells.end(), shell) == kShells.end()) {
    auto choices = kShells;
    if (verb != "install") choices.emplace_back("install");
    throw config_error(shell.empty() ? "no shell given" : fmt::format("there is no completion for '{}'", shell), "command line", {},
                       suggestion(shell, choices));
  }
  if (verb == "install") return install(shell);
  say("{}", script_of(verb));
  return 0;
}

}  // namespace yatlab::cli

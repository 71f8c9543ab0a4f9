#include "core/base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/error.h"
#include "core/base/output_file.h"

namespace yatlab {
namespace {

/// Null-terminated pointers for exec and similar calls; valid as long as `words` exists.
std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const auto& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& argv, const fs::path& directory) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(ErrorKind::kJob, "cannot create a pipe", {}, std::strerror(errno));
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  ::posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
  auto arguments = pointers_to(argv);
  // The user's locale must not change the decimal point.
  std::vector<std::string> kept;
  for (char** e = environ; *e; ++e) {
    const std::string_view entry = *e;
    if (entry.rfind("LC_", 0) != 0 && entry.rfind("LANG", 0) != 0) kept.emplace_back(entry);
  }
  kept.emplace_back("LC_ALL=C.UTF-8");
  auto environment = pointers_to(kept);

  pid_t child = 0;
  const int code = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (code != 0) {
    ::close(ends[0]);
    throw Error(ErrorKind::kJob, fmt::format("cannot start '{}'", argv[0]), {}, std::strerror(code));
  }
  ProcessResult result;
  char buffer[4096];
  for (;;) {
    const auto n = ::read(ends[0], buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    result.output.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

pid_t start_process(const std::vector<std::string>& argv, const fs::path& output, const std::vector<std::string>& variables) {
  const OutputFile file(output, OutputFile::Mode::kEmpty);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, file.descriptor(), 1);
  ::posix_spawn_file_actions_adddup2(&actions, file.descriptor(), 2);
  // A terminal's Ctrl-C goes to the whole process group; the parent forwards it once itself.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  auto arguments = pointers_to(argv);
  auto kept = variables;
  const auto set_here = [&](std::string_view entry) {
    const auto name = entry.substr(0, entry.find('=') + 1);
    return std::any_of(variables.begin(), variables.end(), [&](const std::string& v) { return v.compare(0, name.size(), name) == 0; });
  };
  for (char** e = environ; *e; ++e) {
    if (!set_here(*e)) kept.emplace_back(*e);
  }
  auto environment = pointers_to(kept);
  pid_t child = 0;
  const int code = ::posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environment.data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (code != 0) throw Error(ErrorKind::kJob, fmt::format("cannot start '{}'", argv[0]), {}, std::strerror(code));
  return child;
}

bool is_gone(pid_t process) { return ::kill(process, 0) != 0 && errno == ESRCH; }

fs::path program_path() {
  std::error_code ec;
  return fs::read_symlink("/proc/self/exe", ec);
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 && name[0] != '\0' ? name : "unknown";
}

}  // namespace yatlab

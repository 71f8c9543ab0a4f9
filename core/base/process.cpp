#include "core/base/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/error.h"

namespace yatlab {

ProcessResult run_process(const std::vector<std::string>& argv, const std::string& directory) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(ErrorKind::kInternal, "cannot make a pipe", {}, std::strerror(errno));
  std::vector<char*> args;
  for (const auto& a : argv) args.push_back(const_cast<char*>(a.c_str()));
  args.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw Error(ErrorKind::kInternal, "cannot fork", {}, std::strerror(errno));
  if (child == 0) {  // only async-signal-safe calls from here
    ::dup2(ends[1], STDOUT_FILENO);
    ::dup2(ends[1], STDERR_FILENO);
    const int null = ::open("/dev/null", O_RDONLY);
    ::dup2(null, STDIN_FILENO);
    if (!directory.empty() && ::chdir(directory.c_str()) != 0) ::_exit(126);
    ::execvp(args[0], args.data());
    ::_exit(127);
  }
  ::close(ends[1]);
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

}  // namespace yatlab

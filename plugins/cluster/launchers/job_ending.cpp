#include "plugins/cluster/launchers/job_ending.h"

#include <fmt/format.h>

#include <csignal>
#include <cstring>

#include "core/base/error.h"
#include "core/base/text.h"

namespace yatlab {

std::string last_lines(const fs::path& output) {
  constexpr std::size_t kShown = 10;
  std::string out;
  try {
    auto lines = split(trim(read_file(output)), '\n');
    if (lines.size() > kShown) lines.erase(lines.begin(), lines.end() - kShown);
    for (const auto& line : lines) {
      if (!line.empty()) out += "\n  " + line;
    }
  } catch (const Error&) {  // no output
  }
  return out;
}

JobEnding job_ending(int exit_code, int signal, const fs::path& output) {
  constexpr int kDone = 0, kFailed = 1, kInterrupted = 128;
  if (signal == 0) {
    if (exit_code == kDone || exit_code == kFailed || exit_code > kInterrupted) return {};
    return {fmt::format("its process ended with exit code {}", exit_code) + last_lines(output), false};
  }
  const bool lost = signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
  return {fmt::format("its process was killed by signal {} ({})", signal, ::strsignal(signal)) + last_lines(output), lost};
}

}  // namespace yatlab

#include "core/cli/programs.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/system/start_threads.h"
#include "core/system/stop.h"

namespace yatlab::cli {

std::vector<fs::path> chosen_programs(const fs::path& folder, const std::string& prefix, const std::vector<std::string>& words,
                                      const std::string& hint) {
  std::vector<fs::path> all, out;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const auto name = entry.path().filename().string();
    if (name.rfind(prefix, 0) == 0 && ::access(entry.path().c_str(), X_OK) == 0) all.push_back(entry.path());
  }
  std::sort(all.begin(), all.end());
  if (all.empty()) throw config_error(fmt::format("there are no {}* programs", prefix), folder.string(), {}, hint);
  if (words.empty()) return all;
  std::vector<std::string> names;
  for (const auto& p : all) names.push_back(p.filename().string().substr(prefix.size()));
  for (const auto& word : words) {
    const auto it = std::find(names.begin(), names.end(), word);
    if (it == names.end()) {
      throw config_error(fmt::format("there is no program '{}'", word), "command line", "programs: " + join(names, ", "),
                         suggestion(word, names));
    }
    out.push_back(all[static_cast<std::size_t>(it - names.begin())]);
  }
  return out;
}

void exec_program(const fs::path& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
}

int run_in_foreground(const fs::path& program, const std::vector<std::string>& arguments) {
  const SavesWhenStopped saves;
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    exec_program(program, arguments);
    ::_exit(127);
  }
  // A stop request to this process is also meant for the child.
  int status = 0;
  for (bool signalled = false; ::waitpid(child, &status, WNOHANG) == 0;) {
    if (stop_signal() != 0 && !std::exchange(signalled, true)) ::kill(child, stop_signal());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int run_into(const fs::path& file, const fs::path& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"-c", "exec \"$@\" >\"$0\" 2>&1", file.string(), program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_in_foreground("/bin/sh", words);
}

void each_of(std::size_t count, std::size_t workers, const std::function<void(std::size_t)>& work) {
  const SavesWhenStopped saves;
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t i = next++; i < count && stop_signal() == 0; i = next++) work(i);
  };
  const auto together = std::min(workers, count);
  auto threads = start_threads(together > 1 ? together - 1 : 0, take);
  take();
  for (auto& thread : threads) thread.join();
}

int print_counts(std::size_t passed, std::size_t failed, std::size_t left) {
  const int signal = stop_signal();
  if (signal != 0) say("interrupted: {} program{} not started\n", left, left == 1 ? " was" : "s were");
  say("{} passed, {} failed\n", passed, failed);
  if (signal != 0) return 128 + signal;
  return failed == 0 ? 0 : 1;
}

}  // namespace yatlab::cli

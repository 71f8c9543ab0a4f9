#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mutex>
#include <sstream>
#include <thread>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/cli/command.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

/// Programs beside this one whose names begin with `prefix`, sorted.
std::vector<fs::path> programs(const std::string& prefix) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(program_directory())) {
    const auto name = entry.path().filename().string();
    if (name.rfind(prefix, 0) == 0 && ::access(entry.path().c_str(), X_OK) == 0) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// Runs a program with this one's input and output. Its exit status, or 128 + signal.
int run_in_foreground(const fs::path& program, const std::vector<std::string>& arguments) {
  std::fflush(stdout);
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::vector<fs::path> chosen(const std::string& prefix, const std::vector<std::string>& words) {
  const auto all = programs(prefix);
  if (all.empty()) {
    throw config_error(fmt::format("no {}* programs beside this one", prefix), program_directory().string(), {},
                       prefix == "test_" ? "build them: ./run.sh test" : "build them: ./run.sh bench");
  }
  if (words.empty()) return all;
  std::vector<std::string> names;
  for (const auto& p : all) names.push_back(p.filename().string().substr(prefix.size()));
  std::vector<fs::path> out;
  for (const auto& word : words) {
    const auto it = std::find(names.begin(), names.end(), word);
    if (it == names.end()) throw config_error(fmt::format("nothing called '{}' to run", word), "command line", {}, suggestion(word, names));
    out.push_back(all[static_cast<std::size_t>(it - names.begin())]);
  }
  return out;
}

/// What a test program wrote to YATLAB_TEST_TOTALS (tests/main.cpp).
struct Totals {
  bool reported = false;  ///< false when it did not get to the end
  std::size_t passed = 0, failed = 0;
  std::vector<std::string> skipped;
};
Totals read_totals(const fs::path& file) {
  Totals out;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("skipped: ", 0) == 0) {
      out.skipped.push_back(line.substr(9));
    } else {
      out.reported = static_cast<bool>(std::istringstream(line) >> out.passed >> out.failed);
    }
  }
  return out;
}

}  // namespace

int test_command(const Command& self, const std::vector<std::string>& arguments) {
  po::options_description options("options");
  options.add_options()
      ("filter", po::value<std::string>()->default_value(""), "Catch2 test specification, e.g. [slow] or ~[slow]")
      ("jobs,j", po::value<std::size_t>()->default_value(std::max(1u, std::thread::hardware_concurrency())),
       "test programs at the same time; what each prints is shown when it ends (with one: at once)");
  const auto args = parse_arguments(self, arguments, options);
  if (args.help) return 0;
  auto tests = chosen("test_", args.words);
  // Those that start the program many times take longest.
  std::stable_partition(tests.begin(), tests.end(), [](const fs::path& p) { return p.filename() == "test_cli" || p.filename() == "test_docs"; });
  const auto workers = std::min(std::max<std::size_t>(1, args.options["jobs"].as<std::size_t>()), tests.size());
  std::vector<std::string> words;
  if (!args.text("filter").empty()) words.push_back(args.text("filter"));

  std::size_t passed = 0, failed = 0, done = 0;
  std::vector<std::string> broken, skipped;
  std::mutex mutex;
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < tests.size(); i = next++) {
      const auto name = tests[i].filename().string().substr(5);
      const fs::path totals = fs::temp_directory_path() / fmt::format("yatlab-tests-{}-{}", ::getpid(), name);
      const auto begin = std::chrono::steady_clock::now();
      std::vector<std::string> line{"env", "YATLAB_TEST_TOTALS=" + totals.string(), tests[i].string()};
      line.insert(line.end(), words.begin(), words.end());
      // Into a file: a process that a test left behind would keep a pipe open.
      const fs::path printed = totals.string() + ".txt";
      if (workers > 1) line.insert(line.begin(), {"-c", "exec \"$@\" >\"$0\" 2>&1", printed.string()});
      const int status = run_in_foreground(workers > 1 ? "/bin/sh" : "/usr/bin/env", workers > 1 ? line : std::vector<std::string>(line.begin() + 1, line.end()));
      auto ended = read_totals(totals);
      std::ifstream in(printed, std::ios::binary);
      const std::string output{std::istreambuf_iterator<char>(in), {}};
      std::error_code ignored;
      for (const auto& file : {totals, printed}) fs::remove(file, ignored);
      // A crash reports nothing: it counts as one failure, never as silence.
      if (!ended.reported || (status != 0 && ended.failed == 0)) ++ended.failed;
      const std::lock_guard lock(mutex);
      passed += ended.passed;
      failed += ended.failed;
      if (ended.failed > 0) broken.push_back(name);
      for (const auto& what : ended.skipped) skipped.push_back(name + ": " + what);
      fmt::print("{}[{}/{}] {:12} {} passed, {} failed  {:.1f} s\n", output, ++done, tests.size(), name, ended.passed, ended.failed,
                 std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
      std::fflush(stdout);
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < workers; ++i) threads.emplace_back(work);
  work();
  for (auto& thread : threads) thread.join();
  for (const auto& what : skipped) fmt::print("skipped in {}\n", what);
  if (!broken.empty()) fmt::print("failures in: {}\n", join(broken, ", "));
  fmt::print("{} passed, {} failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}

int bench_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments, po::options_description("options"));
  if (args.help) return 0;
  int worst = 0;
  for (const auto& program : chosen("bench_", args.words)) worst = std::max(worst, run_in_foreground(program, {}));
  return worst;
}

}  // namespace yatlab::cli

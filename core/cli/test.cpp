#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>

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
  options.add_options()("filter", po::value<std::string>()->default_value(""), "Catch2 test specification, e.g. [slow] or ~[slow]");
  const auto args = parse_arguments(self, arguments, options);
  if (args.help) return 0;
  const fs::path totals = fs::temp_directory_path() / fmt::format("yatlab-tests-{}", ::getpid());
  ::setenv("YATLAB_TEST_TOTALS", totals.c_str(), 1);
  std::size_t passed = 0, failed = 0;
  std::vector<std::string> broken, skipped;
  const auto programs_to_run = chosen("test_", args.words);
  std::size_t at = 0;
  for (const auto& program : programs_to_run) {
    const auto name = program.filename().string().substr(5);
    fmt::print("[{}/{}] {}\n", ++at, programs_to_run.size(), name);
    std::error_code ignored;
    fs::remove(totals, ignored);
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::string> words;
    if (!args.text("filter").empty()) words.push_back(args.text("filter"));
    const int status = run_in_foreground(program, words);
    auto ended = read_totals(totals);
    // A crash reports nothing: it counts as one failure, never as silence.
    if (!ended.reported || (status != 0 && ended.failed == 0)) ++ended.failed;
    passed += ended.passed;
    failed += ended.failed;
    if (ended.failed > 0) broken.push_back(name);
    for (const auto& what : ended.skipped) skipped.push_back(name + ": " + what);
    fmt::print("{:12} {} passed, {} failed  {:.1f} s\n", name, ended.passed, ended.failed,
               std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::error_code ignored;
  fs::remove(totals, ignored);
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

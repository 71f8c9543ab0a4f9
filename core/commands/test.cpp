#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

#include "core/base/print.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/cli/blas.h"
#include "core/cli/command.h"
#include "core/cli/programs.h"
#include "core/system/stop.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

/// The folder for the tests' files: TMPDIR if it is set, else in memory if there is room. Tests write and sync thousands of small files, which
/// is slow on a disk. A folder in memory is removed with this object.
class TestFiles {
 public:
  TestFiles() {
    const fs::path memory = "/dev/shm";
    const std::string name = "yatlab-tests-";
    if (const char* chosen = std::getenv("TMPDIR"); chosen != nullptr && *chosen != '\0') return;
    struct statfs system;
    if (::statfs(memory.c_str(), &system) != 0 || system.f_type != TMPFS_MAGIC) return;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(memory, ignored)) {
      const auto other = entry.path().filename().string();
      if (other.rfind(name, 0) != 0) continue;
      const auto process = static_cast<pid_t>(std::atol(other.c_str() + name.size()));
      if (process > 0 && is_gone(process)) fs::remove_all(entry.path(), ignored);  // left by killed tests
    }
    const auto space = fs::space(memory, ignored);
    const fs::path place = memory / (name + std::to_string(::getpid()));
    if (!ignored && space.available >= kRoom && fs::create_directory(place, ignored)) place_ = place;
  }
  ~TestFiles() {
    std::error_code ignored;
    if (!place_.empty()) fs::remove_all(place_, ignored);
  }
  TestFiles(const TestFiles&) = delete;
  TestFiles& operator=(const TestFiles&) = delete;
  fs::path folder() const { return place_.empty() ? fs::temp_directory_path() : place_; }

 private:
  static constexpr std::uintmax_t kRoom = std::uintmax_t{4} << 30;  // ten times the largest use
  fs::path place_;
};

/// Slow tests that a change seldom breaks: test programs that start the program many times, and tests with these tags.
const std::vector<std::string> kLongPrograms = {"cli", "docs", "guarded_device", "scaffold"};
// Without ~[.], a filter of exclusions selects hidden tests, too.
constexpr const char* kQuick = "~[slow]~[faults]~[soak]~[slurm]~[.]";

std::string program_name(const fs::path& program) { return program.filename().string().substr(5); }
bool takes_long(const fs::path& program) {
  return std::find(kLongPrograms.begin(), kLongPrograms.end(), program_name(program)) != kLongPrograms.end();
}

/// The seconds that each program took the last time, from a file in the folder of the programs.
std::map<std::string, double> read_times(const fs::path& file) {
  std::map<std::string, double> out;
  std::ifstream in(file);
  std::string name;
  for (double seconds = 0; in >> name >> seconds;) out[name] = seconds;
  return out;
}
void write_times(const fs::path& file, const std::map<std::string, double>& times) {
  std::ofstream out(file);
  for (const auto& [name, seconds] : times) out << name << ' ' << seconds << '\n';
}

/// What a test program wrote to YATLAB_TEST_TOTALS (tests/main.cpp).
struct Totals {
  bool reported = false;  ///< false if it did not finish
  std::size_t passed = 0, failed = 0;
  std::vector<std::string> skipped, names;  ///< names: failed tests, with their source positions
};
Totals read_totals(const fs::path& file) {
  Totals out;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("skipped: ", 0) == 0) {
      out.skipped.push_back(line.substr(9));
    } else if (line.rfind("failed: ", 0) == 0) {
      out.names.push_back(line.substr(8));
    } else {
      out.reported = static_cast<bool>(std::istringstream(line) >> out.passed >> out.failed);
    }
  }
  return out;
}

/// "exit status 1", "signal 9, Killed": the return value of run_in_foreground as text.
std::string ending(int status) {
  const int signal = status - 128;
  if (signal < 1 || signal >= NSIG) return fmt::format("exit status {}", status);
  return fmt::format("signal {}, {}", signal, ::strsignal(signal));
}

}  // namespace

void test_options(po::options_description& options) {
  options.add_options()("filter", po::value<std::string>()->default_value(""), "Catch2 test specification, e.g. [slow] or ~[slow]")(
      "jobs,j", po::value<std::size_t>()->default_value(std::max(1u, std::thread::hardware_concurrency())),
      "number of test programs run in parallel; the output of each is shown when it ends (with 1: as it is written)")(
      "programs", po::value<std::string>(), "folder of the test programs (default: this program's)")(
      "all", po::bool_switch(), "also the slow tests: real starts, every command of the documents, faults, LaTeX, Slurm, browsers");
}

int test_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  choose_blas_kernels();
  const fs::path folder = args.has("programs") ? fs::path(args.text("programs")) : program_directory();
  auto tests = chosen_programs(folder, "test_", args.words, "build them: ./run.sh test");
  // With folders or a filter on the command line, nothing is left out.
  const bool quick = args.words.empty() && args.text("filter").empty() && !args.flag("all") && !args.has("programs");
  std::vector<std::string> left_out;
  if (quick) {
    left_out = kLongPrograms;
    tests.erase(std::remove_if(tests.begin(), tests.end(), takes_long), tests.end());
  }
  const auto filter = quick ? kQuick : args.text("filter");
  const auto times_file = folder / (quick ? "times_of_quick_tests" : "times_of_tests");
  auto times = read_times(times_file);
  // The longest first, so that none of them runs alone at the end: by the last times, else by these.
  const auto length = [&](const fs::path& test) {
    static const std::map<std::string, double> kUsual = {{"cli", 1e3},      {"docs", 900},           {"plugins", 800},
                                                         {"scaffold", 700}, {"guarded_device", 650}, {"experiment", 600}};
    const auto name = program_name(test);
    if (const auto known = times.find(name); known != times.end()) return known->second;
    const auto usual = kUsual.find(name);
    return usual == kUsual.end() ? 0 : usual->second;
  };
  std::stable_sort(tests.begin(), tests.end(), [&](const auto& a, const auto& b) { return length(a) > length(b); });
  const auto workers = std::min(std::max<std::size_t>(1, args.options["jobs"].as<std::size_t>()), tests.size());

  std::size_t passed = 0, failed = 0, done = 0;
  std::vector<std::string> broken, skipped, names;
  std::mutex mutex;
  const TestFiles files;
  say("the tests' files: {} (TMPDIR=FOLDER for another place)\n", files.folder().string());
  double expected = 0;
  for (const auto& test : tests) expected += times.count(program_name(test)) > 0 ? times.at(program_name(test)) : 0;
  if (expected > 0) say("about {:.0f} s, judging by the last time\n", std::ceil(expected / static_cast<double>(workers)));
  std::fflush(stdout);
  each_of(tests.size(), workers, [&](std::size_t i) {
    const auto name = program_name(tests[i]);
    const fs::path totals = files.folder() / fmt::format("yatlab-tests-{}-{}", ::getpid(), name);
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::string> line{"TMPDIR=" + files.folder().string(), "YATLAB_TEST_TOTALS=" + totals.string(), tests[i].string()};
    if (!filter.empty()) line.push_back(filter);
    const fs::path printed = totals.string() + ".txt";
    const int status = workers > 1 ? run_into(printed, "/usr/bin/env", line) : run_in_foreground("/usr/bin/env", line);
    auto ended = read_totals(totals);
    std::ifstream in(printed, std::ios::binary);
    const std::string output{std::istreambuf_iterator<char>(in), {}};
    std::error_code ignored;
    for (const auto& file : {totals, printed}) fs::remove(file, ignored);
    // A crash reports nothing, so it counts as one failure.
    const bool silent = !ended.reported || (status != 0 && ended.failed == 0);
    if (silent) ++ended.failed;
    const std::lock_guard lock(mutex);
    if (silent) {
      ended.names.push_back(
          fmt::format("it ended {} ({})", ended.reported ? "abnormally after all its tests passed" : "without a result", ending(status)));
    }
    passed += ended.passed;
    failed += ended.failed;
    if (ended.failed > 0) broken.push_back(name);
    for (const auto& what : ended.skipped) skipped.push_back(name + ": " + what);
    for (const auto& what : ended.names) names.push_back(name + ": " + what);
    times[name] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    say("{}[{}/{}] {:12} {} passed, {} failed  {:.1f} s\n", output, ++done, tests.size(), name, ended.passed, ended.failed, times[name]);
    std::fflush(stdout);
  });
  if (args.text("filter").empty()) write_times(times_file, times);
  if (quick) {
    say("left out because they take long: {}, and tests tagged [slow], [faults], [soak] or [slurm]; ./run.sh test --all runs them\n",
        join(left_out, ", "));
  }
  for (const auto& what : skipped) say("skipped in {}\n", what);
  for (const auto& what : names) say("failed in {}\n", what);
  if (!broken.empty()) say("failures in: {}\n", join(broken, ", "));
  return print_counts(passed, failed, tests.size() - done);
}

int bench_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  choose_blas_kernels();
  int worst = 0;
  for (const auto& program : chosen_programs(program_directory(), "bench_", args.words, "build them: ./run.sh bench")) {
    if (stop_signal() != 0) break;
    worst = std::max(worst, run_in_foreground(program, {}));
  }
  return worst;
}

}  // namespace yatlab::cli

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <optional>
#include <thread>

#include "core/base/error.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/cli/programs.h"
#include "core/system/shell.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

/// The folders of fuzz targets, kept inputs, new inputs and findings.
struct Places {
  fs::path programs, corpora, fresh, findings;
  explicit Places(const fs::path& folder)
      : programs(folder),
        corpora(folder / "../../../tests/fuzz/corpus"),  // from build/<preset>/bin
        fresh(folder / "../new"),
        findings(folder / "../findings") {}
};

/// The path as typed in a shell, relative to the working folder if it is below it.
std::string shown(const fs::path& path) {
  const auto normal = path.lexically_normal(), here = normal.lexically_relative(fs::current_path());
  const auto text = here.empty() || *here.begin() == ".." ? normal.string() : here.string();
  return shell_word(text);
}

/// The last of `text`'s lines that begin with `prefix`, without it.
std::optional<std::string> last_line(const std::string& text, const std::string& prefix) {
  std::optional<std::string> out;
  for (const auto& line : split(text, '\n')) {
    if (line.rfind(prefix, 0) == 0) out = trim(line.substr(prefix.size()));
  }
  return out;
}

/// The output from the sanitizer's or target's error message on; without one, its last lines.
std::string error_lines(const std::string& output) {
  const auto lines = split(output, '\n');
  std::size_t begin = lines.size() - std::min<std::size_t>(lines.size(), 20);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find("runtime error:") != std::string::npos || lines[i].rfind("finding:", 0) == 0 ||
        lines[i].rfind("terminate called", 0) == 0 || lines[i].find("ERROR: ") != std::string::npos) {
      begin = i;
      break;
    }
  }
  // Keep only stack frames with a source position: not those of libFuzzer or of libraries.
  const auto is_foreign = [](const std::string& line) { return trim(line).rfind('#', 0) == 0 && line.find(" /") == std::string::npos; };
  std::string out;
  std::size_t shown = 0;
  for (std::size_t i = begin; i < lines.size() && shown < 30 && lines[i].rfind("SUMMARY", 0) != 0 && lines[i].rfind("NOTE: ", 0) != 0;
       ++i) {
    if (is_foreign(lines[i]) || trim(lines[i]).empty()) continue;
    out += "  | " + lines[i].substr(0, 300) + "\n";
    ++shown;
  }
  return out;
}

/// Runs one target: each kept input once, then new inputs for some time.
class Target {
 public:
  Target(const Places& places, fs::path program)
      : places_(places), program_(std::move(program)), name_(program_.filename().string().substr(5)) {}
  const std::string& name() const { return name_; }

  /// Appends a report to `summary`; true if nothing was found.
  bool run(double seconds, std::string& summary) {
    make_folders(places_.fresh / name_);
    make_folders(places_.findings);
    const fs::path corpus = places_.corpora / name_;
    std::vector<std::string> kept;
    if (fs::is_directory(corpus)) {
      for (const auto& file : yatlab::entries_of(corpus)) kept.push_back(file.string());
    }
    if (kept.empty()) {
      summary = fmt::format("there are no inputs in {}", shown(corpus));
      return false;
    }
    summary = fmt::format("{} kept inputs", kept.size());
    if (!call(kept, summary)) return false;
    if (seconds <= 0) return true;
    std::vector<std::string> arguments{fmt::format("-max_total_time={}", seconds), "-print_final_stats=1",
                                       fmt::format("-artifact_prefix={}/{}-", places_.findings.lexically_normal().string(), name_)};
    const fs::path dictionary = places_.corpora / ".." / (name_ + ".dict");
    if (fs::exists(dictionary)) arguments.push_back("-dict=" + dictionary.string());
    arguments.push_back((places_.fresh / name_).string());  // new inputs that increase coverage are written there
    arguments.push_back(corpus.string());
    return call(arguments, summary);
  }

 private:
  bool call(const std::vector<std::string>& arguments, std::string& summary) {
    // The target itself limits an input to two seconds of CPU time; this timeout is for inputs that hang.
    std::vector<std::string> all{"-timeout=30", "-rss_limit_mb=512", "-malloc_limit_mb=512"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const fs::path log = places_.findings / (name_ + ".log");
    const int status = run_into(log, program_, all);
    const auto output = read_file(log);
    if (const auto count = last_line(output, "stat::number_of_executed_units:")) summary += fmt::format(", {} new ones tried", *count);
    if (status == 0) return true;
    summary += fmt::format("; exit status {}\n{}", status, error_lines(output));
    auto input = last_line(output, "Running: ");  // one of the kept inputs
    bool is_new = false;
    if (const auto at = output.rfind("Test unit written to "); at != std::string::npos) {
      input = trim(output.substr(at + 21, output.find('\n', at) - at - 21));
      is_new = true;
    }
    if (!input) {
      summary += fmt::format("  complete output: {}", shown(log));
      return false;
    }
    summary += fmt::format("  input: {0}\n  again: {1} {0}", shown(*input), shown(program_));
    if (is_new) summary += fmt::format("\n  keep it once it is fixed: cp {} {}/", shown(*input), shown(places_.corpora / name_));
    return false;
  }

  const Places& places_;
  fs::path program_;
  std::string name_;
};

/// "20" -> 20; nullopt if it is not a number.
std::optional<double> as_seconds(const std::string& word) {
  if (word.empty() || !std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); }) || word.size() > 6)
    return std::nullopt;
  return std::stod(word);
}

}  // namespace

void fuzz_options(po::options_description& options) {
  options.add_options()("jobs,j", po::value<std::size_t>()->default_value(std::max(1u, std::thread::hardware_concurrency())),
                        "targets at the same time")("programs", po::value<std::string>(),
                                                    "the folder of the fuzz targets: build/fuzz/bin of a tree");
}

int fuzz_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  auto words = args.words;
  double seconds = 60;
  if (!words.empty()) {
    if (const auto last = as_seconds(words.back())) {
      seconds = *last;
      words.pop_back();
    }
  }
  const Places places(args.has("programs") ? fs::absolute(args.text("programs")) : program_directory() / "../../fuzz/bin");
  const auto programs = chosen_programs(places.programs, "fuzz_", words, "build them: ./run.sh fuzz");
  std::vector<std::string> broken;
  std::size_t done = 0;
  std::mutex mutex;
  each_of(programs.size(), std::max<std::size_t>(1, args.options["jobs"].as<std::size_t>()), [&](std::size_t i) {
    const auto begin = std::chrono::steady_clock::now();
    Target target(places, programs[i]);
    std::string summary;
    bool fine = false;
    try {
      fine = target.run(seconds, summary);
    } catch (const Error& e) {
      summary = e.what();
    }
    const std::lock_guard lock(mutex);
    if (!fine) broken.push_back(target.name());
    say("[{}/{}] {:16} {}  {:.1f} s  {}\n", ++done, programs.size(), target.name(), fine ? "passed" : "FAILED",
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), summary);
    std::fflush(stdout);
  });
  if (!broken.empty()) say("failures in: {}\n", join(broken, ", "));
  return print_counts(done - broken.size(), broken.size(), programs.size() - done);
}

}  // namespace yatlab::cli

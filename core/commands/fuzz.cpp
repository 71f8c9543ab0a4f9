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

/// Where fuzzing happens: what is built, kept in the tree, and found.
struct Places {
  fs::path programs, corpora, fresh, findings;
  explicit Places(const fs::path& folder)
      : programs(folder),
        corpora(folder / "../../../tests/fuzz/corpus"),  // from build/<preset>/bin
        fresh(folder / "../new"),
        findings(folder / "../findings") {}
};

/// As a person in the working folder types it.
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

/// From where the sanitizer or the target says what is wrong; else the end.
std::string complaint(const std::string& output) {
  const auto lines = split(output, '\n');
  std::size_t begin = lines.size() - std::min<std::size_t>(lines.size(), 20);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find("runtime error:") != std::string::npos || lines[i].rfind("finding:", 0) == 0 ||
        lines[i].rfind("terminate called", 0) == 0 || lines[i].find("ERROR: ") != std::string::npos) {
      begin = i;
      break;
    }
  }
  // Of the stack those frames that have a place in a source: not libFuzzer's own, nor libraries'.
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

/// One target: its kept inputs, each once, then new ones for a while.
class Target {
 public:
  Target(const Places& places, fs::path program)
      : places_(places), program_(std::move(program)), name_(program_.filename().string().substr(5)) {}
  const std::string& name() const { return name_; }

  /// What happened, in lines; true when nothing was found.
  bool run(double seconds, std::string& told) {
    make_folders(places_.fresh / name_);
    make_folders(places_.findings);
    const fs::path corpus = places_.corpora / name_;
    std::vector<std::string> kept;
    if (fs::is_directory(corpus)) {
      for (const auto& file : yatlab::entries_of(corpus)) kept.push_back(file.string());
    }
    if (kept.empty()) {
      told = fmt::format("there are no inputs in {}", shown(corpus));
      return false;
    }
    told = fmt::format("{} kept inputs", kept.size());
    if (!call(kept, told)) return false;
    if (seconds <= 0) return true;
    std::vector<std::string> arguments{fmt::format("-max_total_time={}", seconds), "-print_final_stats=1",
                                       fmt::format("-artifact_prefix={}/{}-", places_.findings.lexically_normal().string(), name_)};
    const fs::path dictionary = places_.corpora / ".." / (name_ + ".dict");
    if (fs::exists(dictionary)) arguments.push_back("-dict=" + dictionary.string());
    arguments.push_back((places_.fresh / name_).string());  // new ones that reach further are written there
    arguments.push_back(corpus.string());
    return call(arguments, told);
  }

 private:
  bool call(const std::vector<std::string>& arguments, std::string& told) {
    // Two seconds of a processor are counted by the target itself; this is for what never comes back.
    std::vector<std::string> all{"-timeout=30", "-rss_limit_mb=512", "-malloc_limit_mb=512"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const fs::path log = places_.findings / (name_ + ".log");
    const int status = run_into(log, program_, all);
    const auto output = read_file(log);
    if (const auto count = last_line(output, "stat::number_of_executed_units:")) told += fmt::format(", {} new ones tried", *count);
    if (status == 0) return true;
    told += fmt::format("; exit status {}\n{}", status, complaint(output));
    auto input = last_line(output, "Running: ");  // one of the kept inputs
    bool is_new = false;
    if (const auto at = output.rfind("Test unit written to "); at != std::string::npos) {
      input = trim(output.substr(at + 21, output.find('\n', at) - at - 21));
      is_new = true;
    }
    if (!input) {
      told += fmt::format("  all it printed: {}", shown(log));
      return false;
    }
    told += fmt::format("  input: {0}\n  again: {1} {0}", shown(*input), shown(program_));
    if (is_new) told += fmt::format("\n  keep it once it is fixed: cp {} {}/", shown(*input), shown(places_.corpora / name_));
    return false;
  }

  const Places& places_;
  fs::path program_;
  std::string name_;
};

/// "20" -> 20. Nothing for what is not a number.
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
    std::string told;
    bool fine = false;
    try {
      fine = target.run(seconds, told);
    } catch (const Error& e) {
      told = e.what();
    }
    const std::lock_guard lock(mutex);
    if (!fine) broken.push_back(target.name());
    say("[{}/{}] {:16} {}  {:.1f} s  {}\n", ++done, programs.size(), target.name(), fine ? "passed" : "FAILED",
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), told);
    std::fflush(stdout);
  });
  if (!broken.empty()) say("failures in: {}\n", join(broken, ", "));
  return print_counts(done - broken.size(), broken.size(), programs.size() - done);
}

}  // namespace yatlab::cli

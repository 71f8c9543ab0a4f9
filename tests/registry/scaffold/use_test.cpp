// This program contains one component of each kind: the commands shown by `plugin new` can be planned, and so can a project's experiment.

#include <fmt/format.h>

#include "catch.h"
#include "core/plan/plan.h"
#include "core/registry/scaffold.h"
#include "core/system/shell.h"
#include "temporary_folder.h"

namespace yatlab {
namespace {

const fs::path kSampleTree = YATLAB_SAMPLES, kSampleSource = YATLAB_SOURCE_DIR;

/// Splits a line like a shell.
std::vector<std::string> words_of_line(const std::string& line) {
  std::vector<std::string> out;
  std::string word;
  char quote = 0;
  for (const char c : line + " ") {
    if (c == ' ' && !quote) {
      if (!word.empty()) out.push_back(without_shell_quotes(word));
      word.clear();
      continue;
    }
    if (quote ? c == quote : c == '"' || c == '\'') quote = quote ? 0 : c;
    word += c;
  }
  return out;
}

std::string planned(PlanRequest request) {
  request.config_path = {kSampleTree / "configs", kSampleSource / "configs"};
  try {
    return make_plan(request).jobs.empty() ? "no jobs" : "planned";
  } catch (const std::exception& e) {
    return e.what();
  }
}

}  // namespace

TEST_CASE("commands suggested by plugin new work for every kind", "[scaffold]") {
  CHECK(words_of_line("a \"+b=['c d']\" 'e f'") == std::vector<std::string>{"a", "+b=['c d']", "e f"});
  for (const auto& kind : scaffold_kinds()) {
    const std::string line = scaffold_use(kind, "sample_" + kind);
    INFO(line);
    PlanRequest request;
    for (const auto& word : words_of_line(line)) {
      if (request.experiment.empty()) {
        request.experiment = kSampleSource / "experiments" / (word + ".yaml");
      } else if (word == "-m") {
        request.multirun = true;
      } else {
        request.overrides.push_back(word);
      }
    }
    CHECK(line.find("sample_" + kind) != std::string::npos);
    CHECK(planned(request) == "planned");
  }
}

TEST_CASE("a project's experiment runs for every kind", "[scaffold]") {
  const TemporaryFolder folder;
  for (const auto& kind : scaffold_kinds()) {
    std::string text = read_file(kSampleTree / "project/experiments" / ("sample_" + kind + ".yaml"));
    INFO(text);
    // The components are compiled in, so the library is not needed.
    const auto begin = text.find("plugins: {path: [../build/project.so]}");
    REQUIRE(begin != std::string::npos);
    text.erase(begin, text.find('\n', begin) - begin);
    PlanRequest request;
    request.experiment = folder.path() / (kind + ".yaml");
    write_file_unsynced(request.experiment, text);
    CHECK(planned(request) == "planned");
    CHECK(text.find('@') == std::string::npos);
  }
}

}  // namespace yatlab

// Which folders may include which, checked in the sources; CONTRIBUTING.md has the rules in words.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "core/base/files.h"
#include "core/base/manifest.h"
#include "core/base/text.h"

namespace {

using namespace yatlab;

// Each folder of core/ may include itself and those before it.
const std::vector<std::string> kLayers = {"base",    "system", "registry", "config", "verdict", "figure",  "record", "experiment",
                                          "table",   "report", "library",  "ops",    "data",    "model",   "train",  "measure",
                                          "compose", "plan",   "job",      "run",    "cli",     "commands"};

struct Include {
  std::string from, file;
};

std::vector<Include> includes_of(const fs::path& root) {
  std::vector<Include> out;
  for (const std::string folder : {"core", "plugins"}) {
    for (const auto& name : files_below(root / folder)) {
      const auto type = fs::path(name).extension();
      if (type != ".h" && type != ".cpp" && type != ".cu" && type != ".cuh") continue;
      for (const auto& line : split(read_file(root / folder / name), '\n')) {
        const std::string begin = "#include \"";
        if (line.rfind(begin, 0) == 0)
          out.push_back({folder + "/" + name, line.substr(begin.size(), line.find('"', begin.size()) - begin.size())});
      }
    }
  }
  return out;
}

/// "core/ops/yat.h": "ops"; for plugins the pack.
std::string part_of(const std::string& file) { return split(file, '/').at(1); }
bool in_core(const std::string& file) { return file.rfind("core/", 0) == 0; }
bool in_plugins(const std::string& file) { return file.rfind("plugins/", 0) == 0; }

/// Violations of the rules, one line each.
std::vector<std::string> broken_rules(const std::vector<Include>& includes) {
  std::vector<std::string> out;
  const auto layer = [](const std::string& file) { return std::find(kLayers.begin(), kLayers.end(), part_of(file)); };
  std::map<std::string, std::set<std::string>> users;
  for (const auto& [from, file] : includes) {
    const auto line = from + " includes " + file;
    if (in_core(from) && layer(from) == kLayers.end()) out.push_back(from + ": a folder without a layer");
    if (in_core(from) && in_plugins(file)) out.push_back(line);
    if (in_core(from) && in_core(file) && layer(file) > layer(from)) out.push_back(line);
    if (in_plugins(from) && in_plugins(file) && part_of(file) != part_of(from) && part_of(file) != "kernels") out.push_back(line);
    if (!in_core(file) || fs::path(from).replace_extension() == fs::path(file).replace_extension()) continue;
    users[file].insert(in_core(from) ? "core" : part_of(from));
  }
  static const std::set<std::string> kOthersToo = {"core/system/git.h",  // cmake/source_hashes.cpp
                                                   "core/ops/coordinate_rows.h",
                                                   "core/ops/feature_map.h",     // written by `plugin new`
                                                   "core/ops/formula_parts.h"};  // code written by `plugin promote`
  for (const auto& [file, packs] : users) {
    if (packs.size() == 1 && *packs.begin() != "core" && kOthersToo.count(file) == 0)
      out.push_back(file + " is included by the pack '" + *packs.begin() + "' alone: it belongs there");
  }
  return out;
}

/// A function or table that starts at column 0 or 2.
struct Block {
  std::string first;  ///< that line, without its indent
  std::size_t line = 0, lines = 0;
};

/// Whether a line may be the first of a function or of a table: not of a namespace or a type.
bool may_open_a_block(const std::string& line) {
  const auto begin = line.find_first_not_of(' ');
  if (begin != 0 && begin != 2) return false;
  const std::vector<std::string> others = {"namespace", "class ", "struct ", "enum ", "union ", "extern ", "template ", "}", "/", "#"};
  return std::none_of(others.begin(), others.end(),
                      [&](const std::string& other) { return line.compare(begin, other.size(), other) == 0; });
}

/// Blocks of more than `most` lines, up to the closing brace in their first column.
std::vector<Block> long_blocks(const std::string& text, std::size_t most) {
  std::vector<Block> out;
  const auto lines = split(text, '\n');
  const auto column = [&](std::size_t i) { return lines[i].find_first_not_of(' '); };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!may_open_a_block(lines[i])) continue;
    const auto begin = column(i);
    std::size_t open = i;  // the end of its parameters
    const std::string ends = "{;}";
    while (ends.find(lines[open].back()) == std::string::npos && open + 1 < lines.size() && !lines[open + 1].empty() &&
           column(open + 1) > begin)
      ++open;
    if (lines[open].back() != '{') continue;
    std::size_t end = open + 1;
    while (end < lines.size() && (column(end) != begin || lines[end][begin] != '}')) ++end;
    if (end - i + 1 > most) out.push_back({lines[i].substr(begin), i + 1, end - i + 1});
  }
  return out;
}

TEST_CASE("core folders include only lower layers and packs only core and kernels", "[layers]") {
  const auto includes = includes_of(YATLAB_SOURCE_DIR);
  REQUIRE(includes.size() > 1000);
  for (const auto& rule : broken_rules(includes)) FAIL_CHECK(rule);
}

// Otherwise a unit without LibTorch's precompiled header parses these headers: ten seconds.
TEST_CASE("sources built without LibTorch do not include its headers", "[layers]") {
  const fs::path root = YATLAB_SOURCE_DIR;
  std::map<std::string, std::set<std::string>> includes;
  for (const auto& [from, file] : includes_of(root)) includes[from].insert(file);
  const auto lists = read_file(root / "cmake/Targets.cmake");
  const std::string begin = "set(with_torch ";
  const auto at = lists.find(begin);
  REQUIRE(at != std::string::npos);
  std::istringstream list(lists.substr(at + begin.size(), lists.find(')', at) - at - begin.size()));
  const std::vector<std::string> with_torch{std::istream_iterator<std::string>(list), {}};
  REQUIRE(with_torch.size() > 3);
  std::size_t checked = 0;
  for (const auto& [from, direct] : includes) {
    const auto folder = part_of(from);
    if (!in_core(from) || fs::path(from).extension() != ".cpp" || (folder != "compose" && folder != "plan" && folder != "run")) continue;
    const auto name = fs::path(from).replace_extension().string().substr(5);
    if (std::find(with_torch.begin(), with_torch.end(), name) != with_torch.end()) continue;
    ++checked;
    std::set<std::string> all;
    std::vector<std::string> next = {from};
    while (!next.empty()) {
      const auto file = next.back();
      next.pop_back();
      if (!all.insert(file).second || !is_there(root / file)) continue;
      for (const auto& line : split(read_file(root / file), '\n')) {
        const bool light = line == "#include <ATen/core/Generator.h>";
        if (!light && (line.rfind("#include <ATen/", 0) == 0 || line.rfind("#include <torch/", 0) == 0))
          FAIL_CHECK(from + " includes " + file + ", and that " + line);
      }
      for (const auto& more : includes[file]) next.push_back(more);
    }
  }
  CHECK(checked > 20);
}

TEST_CASE("no folder of core has more than 40 files", "[layers]") {
  std::map<std::string, std::size_t> files;
  for (const auto& name : files_below(fs::path(YATLAB_SOURCE_DIR) / "core")) {
    if (std::count(name.begin(), name.end(), '/') == 1) ++files[name.substr(0, name.find('/'))];
  }
  CHECK(files.size() == kLayers.size());
  for (const auto& [folder, count] : files) {
    if (count > 40) FAIL_CHECK(folder + " has " + std::to_string(count));
  }
}

TEST_CASE("no function of core and plugins has more than 100 lines", "[layers]") {
  // Lists of independent entries: (file, text in its first line).
  const std::vector<std::pair<std::string, std::string>> tables = {
      {"core/figure/latex_text.cpp", "kSymbols"},          // signs by their names in LaTeX
      {"core/figure/latex_text.cpp", "is_math_macro"},     // the macros that formulas may hold
      {"core/config/synonyms.cpp", "vector<KeySynonym>"},  // other programs' keys and ours
      // Still to be split.
      {"core/report/paper_report.cpp", "write_paper_report"},
      {"core/report/summary.cpp", "build_summary"},
      {"core/run/run.cpp", "run_plan"},
      {"core/table/comparisons.cpp", "compared("},
      {"core/table/table.cpp", "build_table"},
      {"core/library/run_list.cpp", "find_runs"},
      {"core/library/export_runs.cpp", "export_runs"},
  };
  const auto is_table = [&](const std::string& file, const std::string& first) {
    return std::any_of(tables.begin(), tables.end(),
                       [&](const auto& table) { return table.first == file && first.find(table.second) != std::string::npos; });
  };
  std::size_t files = 0;
  for (const std::string folder : {"core", "plugins"}) {
    for (const auto& name : files_below(fs::path(YATLAB_SOURCE_DIR) / folder)) {
      const auto type = fs::path(name).extension();
      if (type != ".h" && type != ".cpp" && type != ".cu" && type != ".cuh") continue;
      ++files;
      const auto file = folder + "/" + name;
      for (const auto& block : long_blocks(read_file(fs::path(YATLAB_SOURCE_DIR) / file), 100)) {
        if (!is_table(file, block.first))
          FAIL_CHECK(file + ":" + std::to_string(block.line) + " has " + std::to_string(block.lines) + " lines: " + block.first);
      }
    }
  }
  CHECK(files > 500);
}

TEST_CASE("a function that is too long is noticed", "[layers]") {
  const auto lines = [](std::size_t n, const std::string& indent) {
    std::string out;
    for (std::size_t i = 0; i < n; ++i) out += indent + "f();\n\n";
    return out;
  };
  const auto found = [](const std::string& text) {
    std::vector<std::size_t> out;
    for (const auto& block : long_blocks(text, 10)) out.push_back(block.lines);
    return out;
  };
  CHECK(found("void f() {\n" + lines(4, "  ") + "}\n").empty());
  CHECK(found("void f() {\n" + lines(5, "  ") + "}\n") == std::vector<std::size_t>{12});
  CHECK(found("class A {\n  void f() {\n" + lines(5, "    ") + "  }\n};\n") == std::vector<std::size_t>{12});
  CHECK(found("void f(int a,\n       int b) {\n" + lines(6, "  ") + "}\n") == std::vector<std::size_t>{15});
  CHECK(found("namespace {\n" + lines(20, "") + "}\nstruct A {\n" + lines(20, "  ") + "};\n").empty());
}

TEST_CASE("a layer violation is noticed", "[layers]") {
  CHECK(broken_rules({{"core/ops/a.cpp", "core/train/task.h"}, {"core/cli/b.cpp", "core/train/task.h"}}) ==
        std::vector<std::string>{"core/ops/a.cpp includes core/train/task.h"});
  CHECK(broken_rules({{"core/ops/a.cpp", "plugins/claims/gram.h"}}) ==
        std::vector<std::string>{"core/ops/a.cpp includes plugins/claims/gram.h"});
  CHECK(broken_rules({{"plugins/language/a.cpp", "plugins/claims/gram.h"}}).size() == 1);
  CHECK(broken_rules({{"plugins/language/a.cpp", "plugins/kernels/datasets/generated.h"}}).empty());
  CHECK(broken_rules({{"plugins/language/a.cpp", "core/ops/b.h"}}) ==
        std::vector<std::string>{"core/ops/b.h is included by the pack 'language' alone: it belongs there"});
  CHECK(broken_rules({{"core/new/a.cpp", "core/base/b.h"}}) == std::vector<std::string>{"core/new/a.cpp: a folder without a layer"});
}

}  // namespace

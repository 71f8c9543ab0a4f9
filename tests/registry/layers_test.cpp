// Who may include whom, read off the sources: CONTRIBUTING.md says it in words.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "catch.h"
#include "core/base/files.h"
#include "core/base/manifest.h"
#include "core/base/text.h"

namespace {

using namespace yatlab;

// Each folder of core/ includes itself and those before it.
const std::vector<std::string> kLayers = {"base",    "system",  "registry", "config", "verdict", "figure", "record",  "experiment",
                                          "table",   "report",  "library",  "serve",  "ops",     "data",   "model",   "train",
                                          "measure", "compose", "plan",     "job",    "run",     "cli",    "commands"};

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

/// "core/ops/yat.h": "ops"; of plugins the pack.
std::string part_of(const std::string& file) { return split(file, '/').at(1); }
bool in_core(const std::string& file) { return file.rfind("core/", 0) == 0; }
bool in_plugins(const std::string& file) { return file.rfind("plugins/", 0) == 0; }

/// What breaks the rules, one line each.
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
                                                   "core/ops/formula_parts.h"};  // what `plugin promote` writes
  for (const auto& [file, packs] : users) {
    if (packs.size() == 1 && *packs.begin() != "core" && kOthersToo.count(file) == 0)
      out.push_back(file + " is included by the pack '" + *packs.begin() + "' alone: it belongs there");
  }
  return out;
}

TEST_CASE("folders of core include only those below them, and packs only core, themselves and kernels", "[layers]") {
  const auto includes = includes_of(YATLAB_SOURCE_DIR);
  REQUIRE(includes.size() > 1000);
  for (const auto& rule : broken_rules(includes)) FAIL_CHECK(rule);
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

TEST_CASE("a broken layer is seen", "[layers]") {
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

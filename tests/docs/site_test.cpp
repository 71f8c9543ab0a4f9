// The documentation site: `./run.sh docs`, in a tree of links to this one, and the filter that converts Markdown pages for Doxygen.

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "catch.h"
#include "core/base/files.h"
#include "core/base/process.h"
#include "holds.h"
#include "temporary_folder.h"

namespace yatlab::testing {
namespace {

const fs::path kProject = YATLAB_SOURCE_DIR;

/// This tree with another build folder, and its own pages.
class SiteTree {
 public:
  SiteTree() {
    for (const auto& entry : fs::directory_iterator(kProject)) {
      const std::string name = entry.path().filename().string();
      if (name[0] == '.' || name == "build" || name == "docs") continue;
      fs::create_symlink(entry.path(), tree() / name);
    }
    fs::copy(kProject / "docs", tree() / "docs", fs::copy_options::recursive);
  }
  fs::path tree() const { return folder_.path(); }
  fs::path site() const { return tree() / "build/docs/html"; }
  ProcessResult make() const { return run_process({"bash", "-c", "YATLAB_SETUP=skip ./run.sh docs"}, tree()); }

 private:
  TemporaryFolder folder_;
};

std::set<std::string> all_matches(const std::string& text, const std::regex& pattern) {
  std::set<std::string> out;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), none; it != none; ++it) out.insert((*it)[1].str());
  return out;
}

/// Broken links of the site's pages, each with its page.
std::set<std::string> broken_links(const fs::path& site) {
  static const std::regex link("(?:href|src)=\"([^\"]*)\""), name("(?:id|name)=\"([^\"]*)\""), elsewhere("[a-z]+:.*");
  std::map<std::string, std::set<std::string>> links, names;
  for (const auto& entry : fs::directory_iterator(site)) {
    if (entry.path().extension() != ".html") continue;
    const std::string page = entry.path().filename().string(), text = read_file(entry.path());
    links[page] = all_matches(text, link);
    names[page] = all_matches(text, name);
  }
  std::set<std::string> out;
  for (const auto& [page, targets] : links) {
    for (const auto& target : targets) {
      if (std::regex_match(target, elsewhere) || target == "#nested-classes") continue;  // Doxygen itself omits that one
      const auto hash = target.find('#');
      const std::string file = hash == 0 ? page : target.substr(0, hash);
      const bool there =
          fs::exists(site / file) && (hash == std::string::npos || !names.count(file) || names.at(file).count(target.substr(hash + 1)));
      if (!there) out.insert(page + ": " + target);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("Markdown pages are converted for Doxygen with GitHub's anchors and working links", "[docs]") {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "docs/measurements");
  const fs::path page = folder.path() / "docs/measurements/x.md";
  std::ofstream(page)
      << "# A title\n"
         "## What it's for: `w -> x`\n"
         "[up](../data.md#its-keys), [here](#again), [front](../../README.md), [code](../../core/ops), [net](https://x.org/#y)\n"
         "Type `a='b'` there.\n"
         "```\n# [no](heading.md) `c`\n```\n"
         "    [no](block.md)\n"
         "## Again\n"
         "## Again\n";
  const auto filter = kProject / "docs/site/links.awk";
  const auto out = run_process({"env", "YATLAB_SOURCE_URL=https://tree", "awk", "-f", filter.string(), page.string()});
  CHECK(out.status == 0);
  CHECK(out.output ==
        "# A title {#measurements-x}\n\n[TOC]\n"
        "## What it's for: `w -> x` {#measurements-x-what-its-for-w---x}\n"
        "[up](@ref data-its-keys), [here](@ref measurements-x-again), [front](@ref index), <a href=\"https://tree/core/ops\">code</a>, "
        "[net](https://x.org/#y)\n"
        "Type ``a='b'`` there.\n"
        "```\n# [no](heading.md) `c`\n```\n"
        "    [no](block.md)\n"
        "## Again {#measurements-x-again}\n"
        "## Again {#measurements-x-again-1}\n");
}

TEST_CASE("the documentation site has every page and no broken links and fails on warnings", "[docs][slow]") {
  if (run_process({"bash", "-c", "command -v doxygen"}).status != 0) {
    WARN("skipped: doxygen is not installed (apt-get install doxygen)");
    return;
  }
  const SiteTree tree;
  const auto made = tree.make();
  INFO(made.output);
  REQUIRE(made.status == 0);
  CHECK(holds(made.output, "build/docs/html/index.html"));
  CHECK(broken_links(tree.site()) == std::set<std::string>{});
  const std::string menu = read_file(tree.site() / "menudata.js");
  std::size_t pages = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kProject / "docs")) {
    if (entry.path().extension() != ".md") continue;
    std::string name = fs::relative(entry.path(), kProject / "docs").replace_extension().string();
    for (char& c : name) c = c == '/' ? '-' : c;
    INFO(name);
    CHECK(fs::exists(tree.site() / (name + ".html")));
    CHECK(holds(menu, "\"" + name + ".html\""));
    ++pages;
  }
  CHECK(pages > 20);
  for (const char* name : {"index", "contributing", "changelog", "operator_8h", "classyatlab_1_1Operator"})
    CHECK(fs::exists(tree.site() / (std::string(name) + ".html")));

  for (const char* name : {"experiment.schema.json", "paper.schema.json"})
    CHECK(read_file(tree.site() / name) == read_file(kProject / "docs/schemas" / name));

  // A link to a missing heading; and, for the check above, one that Doxygen does not check.
  std::ofstream(tree.site() / "new.html") << "<a href=\"data.html#nothing\">x</a>";
  CHECK(broken_links(tree.site()) == std::set<std::string>{"new.html: data.html#nothing"});
  std::ofstream(tree.tree() / "docs/data.md", std::ios::app) << "\n[x](runs.md#nothing)\n";
  const auto refused = tree.make();
  INFO(refused.output);
  CHECK(refused.status == 2);
  CHECK(holds(refused.output, "docs/data.md"));
  CHECK(holds(refused.output, "runs-nothing"));
}

}  // namespace yatlab::testing

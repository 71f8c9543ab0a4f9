#include "core/registry/scaffold.h"

#include <set>

#include "catch.h"
#include "core/base/error.h"
#include "core/registry/registry.h"
#include "temporary_folder.h"

namespace yatlab {
namespace {

std::string refusal(const std::string& kind, const std::string& name) {
  const TemporaryFolder root;
  try {
    scaffold(kind, name, root.path());
  } catch (const Error& e) {
    CHECK(e.exit_code() == 2);
    CHECK(fs::is_empty(root.path()));  // nothing was written
    return e.what();
  }
  return "no error";
}

std::string bad_name(const std::string& name, const std::string& why, const std::string& hint) {
  return "'" + name + "' cannot name a new component\n  why: " + why + "\n  try: " + hint;
}

const std::string kExample = "choose a name such as 'my_kernel'";

}  // namespace

// The executable test_scaffold, built from one of each template file, checks that they compile and pass (registry/plugins.cmake).
TEST_CASE("every kind has its templates and every template a kind", "[scaffold]") {
  CHECK(scaffold_kinds() == std::vector<std::string>{"analysis", "architecture", "claim", "dataset", "feature_map", "figure", "initializer",
                                                     "launcher", "normalizer", "operator", "optimizer", "pruner", "schedule", "study",
                                                     "sweeper", "task", "tracker"});
  const fs::path folder = fs::path(YATLAB_SOURCE_DIR) / "core/registry/templates";
  std::set<std::string> wanted, there;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file()) there.insert(entry.path().filename().string());
  }
  for (const auto& kind : scaffold_kinds()) {
    wanted.insert({kind + ".cpp.in", kind + "_test.cpp.in"});
    if (there.count(kind + ".yaml.in") > 0) wanted.insert(kind + ".yaml.in");
    // The written file is the template, except for the marks.
    const TemporaryFolder root;
    const auto files = scaffold(kind, "specimen", root.path());
    CHECK(files.size() == 2 + there.count(kind + ".yaml.in"));
    auto text = read_file(folder / (kind + ".cpp.in"));
    for (const auto& [mark, value] : {std::pair<std::string, std::string>{"@name@", "specimen"}, {"@Class@", "Specimen"}}) {
      for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark)) text.replace(at, mark.size(), value);
    }
    CHECK(read_file(root.path() / files[0]) == text);
  }
  CHECK(there == wanted);
}

TEST_CASE("a component, its config and its test are written", "[scaffold]") {
  const TemporaryFolder root;
  const auto files = scaffold("operator", "my_kernel", root.path());
  CHECK(files == std::vector<fs::path>{"plugins/lab/operators/my_kernel.cpp", "configs/operator/my_kernel.yaml",
                                       "tests/plugins/my_kernel_test.cpp"});
  const auto source = read_file(root.path() / files[0]);
  CHECK(source.rfind("#include", 0) == 0);
  CHECK(source.find("class MyKernel final : public RangedOperator {") != std::string::npos);
  CHECK(source.find("YATLAB_REGISTER(Operator, MyKernel, \"my_kernel\", ") != std::string::npos);
  CHECK(read_file(root.path() / files[1]) == "# exp(-gamma |x - w|^2)\nname: my_kernel\ngamma: 1.0\n");
  CHECK(read_file(root.path() / files[2]).find("TEST_CASE(\"my_kernel: ") != std::string::npos);
}

TEST_CASE("no template placeholder is left in generated files", "[scaffold]") {
  const TemporaryFolder root;
  for (const auto& kind : scaffold_kinds()) {
    for (const auto& file : scaffold(kind, "z9_of_" + kind, root.path())) {
      INFO(file.string());
      const auto text = read_file(root.path() / file);
      CHECK(text.find('@') == std::string::npos);
      CHECK(text.find("z9_of_" + kind) != std::string::npos);
      CHECK(text.back() == '\n');
      CHECK(text.front() != '\n');
    }
  }
}

TEST_CASE("a paper and an experiment are generated even for names invalid in C++", "[scaffold]") {
  const TemporaryFolder root;
  const auto files = scaffold_paper("operator", root.path());
  CHECK(files == std::vector<fs::path>{"experiments/operator/paper.yaml", "experiments/operator/operator_table1.yaml"});
  for (const auto& file : files) CHECK(read_file(root.path() / file).find('@') == std::string::npos);
  CHECK(read_file(root.path() / files[0]).find("\nid: operator\n") != std::string::npos);
  CHECK(read_file(root.path() / files[1]).find("\nname: operator_table1\n") != std::string::npos);
  CHECK_THROWS_WITH(scaffold_paper("operator", root.path()), Catch::Matchers::ContainsSubstring("the file already exists"));
  CHECK_THROWS_WITH(scaffold_paper("no", root.path()),
                    "'no' cannot name a new paper\n  why: YAML does not read it as a string\n  try: try 'my_no'");
  CHECK_THROWS_WITH(scaffold_paper("A", root.path()), Catch::Matchers::ContainsSubstring("choose a name such as 'my_paper'"));
  CHECK_FALSE(fs::exists(root.path() / "experiments/A"));
}

TEST_CASE("generated folders use the kind's plural", "[scaffold]") {
  const TemporaryFolder root;
  CHECK(scaffold("analysis", "a", root.path())[0] == "plugins/lab/analyses/a.cpp");
  CHECK(scaffold("dataset", "b", root.path())[1] == "configs/dataset/b.yaml");
}

TEST_CASE("invalid names are rejected with a reason", "[scaffold]") {
  CHECK(refusal("operator", "") == bad_name("", "it is empty", kExample));
  for (const char* name : {"MyKernel", "my-kernel", "my kernel", "7up", "_x", "../x", "x.y", "ⵟ", "a/b"}) {
    CHECK(refusal("operator", name) ==
          bad_name(name, "names can contain lower-case letters, digits and '_', and must begin with a letter", kExample));
  }
  for (const char* name : {"my__kernel", "my_"}) {
    CHECK(refusal("operator", name) == bad_name(name, "'_' is only allowed between two words", kExample));
  }
  CHECK(refusal("operator", std::string(65, 'a')) == bad_name(std::string(65, 'a'), "it is longer than 64 characters", kExample));
  for (const char* name : {"operator", "double", "xor", "co_await", "static_cast"}) {
    CHECK(refusal("operator", name) == bad_name(name, "it is a C++ keyword", "try 'my_" + std::string(name) + "'"));
  }
  for (const char* name : {"no", "null", "off"}) {
    CHECK(refusal("operator", name) == bad_name(name, "YAML does not read it as a string", "try 'my_" + std::string(name) + "'"));
  }
  CHECK(refusal("operator", "dataset") ==
        bad_name("dataset", "its class would be called Dataset, like one of Yatlab's own classes", "try 'my_dataset'"));
  CHECK(refusal("dataset", "data_context") ==
        bad_name("data_context", "its class would be called DataContext, like one of Yatlab's own classes", "try 'my_data_context'"));
}

TEST_CASE("kinds without a template are rejected with a list of those with one", "[scaffold]") {
  const std::string kinds =
      "\n  why: templates exist for: analysis, architecture, claim, dataset, feature_map, figure, initializer, launcher, normalizer, "
      "operator, "
      "optimizer, "
      "pruner, schedule, study, sweeper, task, tracker\n  try: ";
  CHECK(refusal("operater", "x") == "there is no template for kind 'operater'" + kinds + "did you mean 'operator'?");
  CHECK(refusal("tokenizer", "x") ==
        "there is no template for kind 'tokenizer'" + kinds + "start from a component of that kind in plugins/");
}

TEST_CASE("registered names are rejected", "[scaffold]") {
  const RegistrySnapshot before;
  Component component;
  component.kind = "operator";
  component.name = "taken";
  component.aliases = {"also_taken"};
  component.origin = "plugins/lab/operators/taken.cpp:9";
  component_table("operator").add(component);
  CHECK(refusal("operator", "taken") ==
        "operator 'taken' already exists\n  why: registered by plugins/lab/operators/taken.cpp:9\n  try: choose a different name");
  CHECK(refusal("operator", "also_taken") ==
        "operator 'also_taken' already exists\n  why: registered by plugins/lab/operators/taken.cpp:9\n  try: choose a different name");
  CHECK(refusal("normalizer", "taken") == "no error");  // a name taken by another kind
  before.restore();
}

TEST_CASE("an existing file is kept and no other file is written", "[scaffold]") {
  const TemporaryFolder root;
  write_file_atomic(root.path() / "tests/plugins/mine_test.cpp", "mine");
  try {
    scaffold("operator", "mine", root.path());
    FAIL("overwrote a file");
  } catch (const Error& e) {
    CHECK(std::string(e.what()) ==
          "the file already exists; nothing was written\n  at: tests/plugins/mine_test.cpp\n  try: choose a different name, or remove the "
          "file");
  }
  CHECK(read_file(root.path() / "tests/plugins/mine_test.cpp") == "mine");
  CHECK_FALSE(fs::exists(root.path() / "plugins"));
  CHECK_THROWS_WITH(
      scaffold("operator", "mine", root.path() / "absent"),
      "there is no such folder to write to\n  at: " + (root.path() / "absent").string() + "\n  try: run it in Yatlab's source tree");
}

TEST_CASE("a project outside the tree gets its files with the first and second component", "[scaffold][project]") {
  const TemporaryFolder folder;
  const fs::path project = folder.path() / "my-kernels";
  CHECK(scaffold_project("operator", "mine", project) == std::vector<fs::path>{"CMakeLists.txt", "README.md", "src/plugin.cpp",
                                                                               "src/mine.cpp", "configs/operator/mine.yaml",
                                                                               "tests/mine_test.cpp", "experiments/mine.yaml"});
  CHECK(plugin_project_library(project) == "my_kernels");  // a valid CMake name
  CHECK(read_file(project / "src/plugin.cpp").find("YATLAB_PLUGIN(\"my_kernels\", \"1.0\")") != std::string::npos);
  CHECK(read_file(project / "experiments/mine.yaml").find("plugins: {path: [../build/my_kernels.so]}") != std::string::npos);
  CHECK(read_file(project / "experiments/mine.yaml").find("operator=mine") != std::string::npos);

  const auto lists = read_file(project / "CMakeLists.txt");
  write_file_atomic(project / "README.md", "mine");
  CHECK(scaffold_project("study", "other", project) ==
        std::vector<fs::path>{"src/other.cpp", "tests/other_test.cpp", "experiments/other.yaml"});
  CHECK(read_file(project / "CMakeLists.txt") == lists);
  CHECK(read_file(project / "README.md") == "mine");
  CHECK_THROWS_WITH(scaffold_project("normalizer", "mine", project),
                    "the file already exists; nothing was written\n  at: src/mine.cpp\n  try: choose a different name, or remove the file");
  CHECK_FALSE(fs::exists(project / "configs/normalizer"));
  CHECK_THROWS_AS(scaffold_project("operator", "plugin", project), Error);  // src/plugin.cpp
  CHECK_THROWS_AS(scaffold_project("operator", "My", folder.path() / "absent"), Error);
  CHECK_FALSE(fs::exists(folder.path() / "absent"));
  scaffold_project("schedule", "mine", folder.path() / "test/");
  CHECK(plugin_project_library(folder.path() / "test") == "plugin_test");  // `test` is CMake's own target
}

TEST_CASE("folders that are not plugin projects are rejected with the right command", "[scaffold][project]") {
  const TemporaryFolder folder;
  const auto text = [](const fs::path& path) {
    try {
      return plugin_project_library(path);
    } catch (const Error& e) {
      CHECK(e.exit_code() == 2);
      return std::string(e.what());
    }
  };
  const std::string at = folder.path().string(), make = "\n  try: create one: yatlab plugin new operator my_kernel --project ";
  CHECK(text(folder.path() / "absent") ==
        "there is no plugin project here\n  at: " + at + "/absent\n  why: there is no such folder" + make + at + "/absent");
  CHECK(text(folder.path()) == "there is no plugin project here\n  at: " + at + "\n  why: it has no CMakeLists.txt" + make + at);
  const fs::path lists = folder.path() / "CMakeLists.txt";
  write_file_atomic(lists, "project(x)\n# yatlab_add_plugin(no)\n");
  const std::string other = "there is no plugin project here\n  at: " + lists.string() +
                            "\n  why: it does not call yatlab_add_plugin(NAME ...)" + make + "my_kernels";
  CHECK(text(folder.path()) == other);
  CHECK_THROWS_WITH(scaffold_project("operator", "mine", folder.path()), other);
  CHECK_FALSE(fs::exists(folder.path() / "src"));
  write_file_atomic(lists, "yatlab_add_plugin(\n  fine a.cpp)\n");
  CHECK(text(folder.path()) == "fine");
}

}  // namespace yatlab

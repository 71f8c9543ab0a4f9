#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_text.h"
#include "core/base/print.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/cli/papers.h"
#include "core/commands/reference.h"
#include "core/registry/plugin_library.h"
#include "core/registry/scaffold.h"
#include "core/system/called_as.h"
#include "core/system/shell.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

/// Writes the JSON Schemas that new files name in their first line, once per project: an editor then needs no network.
void write_schemas(const fs::path& root) {
  const std::pair<const char*, nlohmann::ordered_json> schemas[] = {{"experiment", experiment_json_schema()},
                                                                    {"paper", paper_json_schema()}};
  for (const auto& [name, schema] : schemas) {
    const auto file = root / "schemas" / fmt::format("{}.schema.json", name);
    const auto text = dump_json(schema, 2) + "\n";
    if (is_file(file) && read_file(file) == text) continue;
    write_file_atomic(file, text);
    say("wrote {}\n", file.lexically_normal().string());
  }
}

int new_component(const Arguments& args) {
  const std::string &kind = args.words[1], &name = args.words[2];
  const bool in_project = args.has("project");
  if (in_project && args.has("root")) {
    throw config_error("--project and --root cannot be used together", "command line", {},
                       "--project is your own folder, --root is Yatlab's source tree: remove one of them");
  }
  const fs::path root = args.text(in_project ? "project" : "root");
  if (!in_project && !args.has("root") && !fs::is_directory("plugins")) {
    throw config_error(
        "this folder is not Yatlab's source tree", fs::current_path().string(), "it has no folder plugins/",
        fmt::format("go there, or create your own project: {} plugin new {} {} --project my_kernels", called_as(), kind, name));
  }
  const auto files = in_project ? scaffold_project(kind, name, root) : scaffold(kind, name, root);
  for (const auto& file : files) say("wrote {}\n", (in_project ? root / file : file).string());
  if (in_project) write_schemas(root);
  if (!in_project) {
    say("next: edit the component, then\n  {0} test plugins\n  {0} {1}\n", called_as(), scaffold_use(kind, name));
    return 0;
  }
  if (read_file(root / "CMakeLists.txt").find("src/*.cpp") == std::string::npos) {
    say("its CMakeLists.txt does not build all of src/: add src/{}.cpp to yatlab_add_plugin\n", name);
  }
  say("next: edit the component, then\n  {0} plugin build {1}\n  {0} {2}\n", called_as(), shell_word(root.string()),
      shell_word((root / "experiments" / (name + ".yaml")).string()));
  return 0;
}

/// The command of this program after `cd root`: a relative path to run.sh no longer leads there.
std::string program_for(const fs::path& root) {
  const char* const typed = std::getenv("YATLAB_CALLED_AS");
  const fs::path program = typed ? typed : "";
  if (program.is_absolute() || program.string().find('/') == std::string::npos) return called_as();
  return shell_word(root.is_absolute() ? fs::absolute(program).lexically_normal().string()
                                       : program.lexically_normal().lexically_relative(root.lexically_normal()).string());
}

int new_paper(const Arguments& args) {
  const std::string& name = args.words[2];
  if (is_paper(name)) {
    throw config_error(fmt::format("there is already a paper '{}'", name), find_paper(name).file.string(), {}, "choose a different name");
  }
  if (args.has("project") && args.has("root")) {
    throw config_error("--project and --root cannot be used together", "command line", {}, "remove one of them");
  }
  const fs::path root = args.text(args.has("project") ? "project" : "root");
  const auto files = scaffold_paper(name, root);
  for (const auto& file : files) say("wrote {}\n", (root / file).lexically_normal().string());
  write_schemas(root);
  // Papers are found from the folder that has experiments/.
  const bool elsewhere = fs::weakly_canonical(root) != fs::weakly_canonical(fs::current_path());
  const auto program = elsewhere ? program_for(root) : called_as();
  const auto experiment = (elsewhere ? files.back() : root / files.back()).lexically_normal().string();
  say("next: write down what the paper claims and prints, then\n{3}  {0} {1}\n  {0} report {2}\n  {0} verdict {2}\n", program,
      shell_word(experiment), name, elsewhere ? "  cd " + shell_word(root.string()) + "\n" : "");
  return 0;
}

/// The CMake package `Yatlab` of this program: in its build tree, or where it is installed.
fs::path yatlab_package() {
  const fs::path above = fs::weakly_canonical(program_directory() / "..");
  std::vector<fs::path> candidates{above};
  for (const char* lib : {"lib", "lib64"}) {
    candidates.push_back(above / lib / "cmake/Yatlab");
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(above / lib, ignored)) candidates.push_back(entry.path() / "cmake/Yatlab");
  }
  for (const auto& folder : candidates) {
    if (fs::exists(folder / "YatlabConfig.cmake") && fs::exists(folder / "YatlabTargets.cmake")) return folder;
  }
  throw config_error("this installation cannot build plugin libraries", above.string(), "there is no YatlabConfig.cmake",
                     "build Yatlab here (./run.sh help), or install it with cmake --install");
}

/// The first errors of a compiler or linker, each with the lines that show where; else the output's last lines.
std::string first_errors(const std::string& output) {
  constexpr std::size_t kErrors = 5, kShown = 2, kTail = 20;
  const auto lines = split(output, '\n');
  std::string out;
  std::size_t errors = 0, left = 0;
  for (const auto& line : lines) {
    const bool error = line.find(" error: ") != std::string::npos || line.find("undefined reference") != std::string::npos ||
                       line.rfind("CMake Error", 0) == 0;
    if (error && errors == kErrors) {
      out += "  (more in the log)\n";
      break;
    }
    if (error) {
      ++errors;
      left = line.rfind("CMake Error", 0) == 0 ? 3 : kShown;
    } else if (left == 0) {
      continue;
    } else {
      --left;
    }
    out += "  " + line + "\n";
  }
  for (std::size_t i = lines.size() > kTail ? lines.size() - kTail : 0; errors == 0 && i < lines.size(); ++i) out += "  " + lines[i] + "\n";
  if (!out.empty()) out.pop_back();
  return out;
}

/// Runs a step of the build; its output is added to the log. Config error with the first errors where it fails.
void build_step(const std::vector<std::string>& argv, const fs::path& log, const char* what) {
  const auto result = run_process(argv);
  append_line(log, "$ " + shell_command(argv) + "\n" + result.output);
  if (result.status == 0) return;
  throw config_error(fmt::format("{}\n{}", what, first_errors(result.output)), "log: " + log.string());
}

int build_project(const Arguments& args) {
  const fs::path project = args.words[1];
  const std::string library = plugin_project_library(project);
  const fs::path package = yatlab_package(), build = project / "build", log = build / "plugin.log", stamp = build / "configured";
  const fs::path settings =
      package / "YatlabPluginSettings.cmake";  // compiler and LibTorch of a build tree; installations do not have this file
  make_folders(build);
  write_file_unsynced(log, "");

  const std::string wanted = package.string() + "\n" + (fs::exists(settings) ? read_file(settings) : "");
  if (!fs::exists(stamp) || read_file(stamp) != wanted) {
    remove_tree(build / "CMakeCache.txt");  // CMake cannot change the compiler of an existing cache
    std::vector<std::string> configure{"cmake", "-S", project.string(), "-B", build.string(), "-DYatlab_DIR=" + package.string()};
    if (fs::exists(settings)) {
      configure.insert(configure.end(), {"-C", settings.string()});
    } else if (!std::getenv("CMAKE_GENERATOR")) {
      configure.insert(configure.end(), {"-G", "Ninja"});  // CMake's default, make, may not be installed
    }
    build_step(configure, log, "CMake could not configure the project");
    write_file_unsynced(stamp, wanted);
  }
  const fs::path file = build / (library + ".so"), tests = build / "tests" / (library + "_tests.so");
  build_step(
      {"cmake", "--build", build.string()}, log,
      fs::exists(file) ? "the library could not be built; the existing one is older than its sources" : "the library could not be built");
  load_plugins({file});  // reports what the linker does not: undefined symbols, duplicate names
  std::vector<std::string> components;
  for (const auto& plugin : loaded_plugins()) {
    if (fs::equivalent(plugin.path, file)) components = plugin.components;
  }
  say("{}: {}\n", file.string(), join(components, ", "));

  if (args.flag("test")) {
    build_step({"cmake", "--build", build.string(), "--target", library + "_tests"}, log,
               "the tests could not be built (they need Catch2: apt-get install catch2)");
    // In a separate process, which has all built-in components: the test library's entry point runs the tests and exits.
    const auto result = run_process({program_path().string(), "--plugin", file.string(), "--plugin", tests.string(), "list"});
    say("{}", result.output);
    if (result.status != 0) throw config_error("tests failed", tests.string());
  }

  const fs::path experiments = project / "experiments";
  say("next:\n");
  if (fs::is_directory(experiments)) {
    for (const auto& entry : yatlab::entries_of(experiments)) {
      if (entry.extension() == ".yaml") say("  {} {}\n", called_as(), shell_word(entry.string()));
    }
  }
  say("  {} list --plugin {}\n", called_as(), shell_word(file.string()));
  return 0;
}

}  // namespace

void plugin_options(po::options_description& options) {
  options.add_options()("root", po::value<std::string>()->default_value("."), "new: the source tree to write into")(
      "project", po::value<std::string>(), "new: a folder outside the tree, which becomes a project of its own")(
      "test", po::bool_switch(), "build: run the project's tests as well");
}

int plugin_command(const Command& self, const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments[0] == "promote")
    return run_pack_command("formula", "plugin promote", self, {arguments.begin() + 1, arguments.end()});
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  const std::string what = args.words.empty() ? "" : args.words[0];
  if (what == "new" && args.words.size() == 3) return args.words[1] == "paper" ? new_paper(args) : new_component(args);
  if (what == "build" && args.words.size() == 2) return build_project(args);
  if (what == "build") throw config_error("expected: plugin build DIR", "command line", {}, "yatlab plugin build my_kernels");
  throw config_error("expected: plugin new KIND NAME, plugin build DIR, or plugin promote", "command line", {}, self.example);
}

int new_command(const Command& self, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"new"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return plugin_command(self, words);
}

}  // namespace yatlab::cli

#include "core/registry/scaffold.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/registry/registry.h"
#include "core/registry/scaffold_templates.h"
#include "core/system/shell.h"

namespace yatlab {
namespace {

struct Template {
  const char* kind;
  const char* folder;  ///< below plugins/lab/; for figures, below plugins/
  std::string_view component;
  std::string_view config;  ///< empty for kinds that experiments name in a list
  std::string_view test;
  const char* use;    ///< the words to type to try it in an experiment of the tree
  const char* lines;  ///< the same, as lines for a project's experiment
};

const std::vector<Template>& all_templates() {
  namespace t = scaffold_templates;
  static const std::vector<Template> all = {
      {"analysis", "analyses", t::kAnalysis, t::kAnalysisConfig, t::kAnalysisTest, "your_data analyses=[@name@]",
       "arms: {linear: [operator=dot]}\nanalyses: [@name@]\n"},
      {"architecture", "architectures", t::kArchitecture, t::kArchitectureConfig, t::kArchitectureTest,
       "your_data \"+arms.@name@=['operator=dot','architecture=@name@','~architecture.bias','~architecture.per_class']\"",
       "arms:\n  linear: [operator=dot]\n  @name@: [operator=dot, architecture=@name@]\n"},
      {"claim", "claims", t::kClaim, {}, t::kClaimTest, "claims claims=[@name@]", "arms: {cosine: [operator=cosine]}\nclaims: [@name@]\n"},
      {"dataset", "datasets", t::kDataset, t::kDatasetConfig, t::kDatasetTest, "your_data dataset=@name@",
       "arms:\n  linear: [operator=dot, dataset=@name@]\n  yat: [operator=yat, dataset=@name@]\n"},
      {"feature_map", "feature_maps", t::kFeatureMap, t::kFeatureMapConfig, t::kFeatureMapTest,
       "slay/tasks scale=smoke \"+arms.@name@=['architecture.attention.features=@name@']\"",
       "arms:\n  softmax: [operator=dot]\n  elu: [architecture.attention.features=elu]\n  @name@: "
       "[architecture.attention.features=@name@]\n"},
      {"figure",
       "figures",
       t::kFigure,
       {},
       t::kFigureTest,
       "your_data \"+figures.@name@={plot: @name@}\"",
       "arms: {linear: [operator=dot], yat: [operator=yat]}\nfigures: {@name@: {plot: @name@}}\n"},
      {"initializer", "initializers", t::kInitializer, t::kInitializerConfig, t::kInitializerTest,
       "your_data \"+arms.@name@=['operator=dot','architecture.init={name: @name@}']\"",
       "arms:\n  linear: [operator=dot]\n  @name@: [operator=dot, \"architecture.init={name: @name@}\"]\n"},
      {"launcher", "launchers", t::kLauncher, t::kLauncherConfig, t::kLauncherTest, "your_data launcher=@name@",
       "arms: {linear: [operator=dot]}\nlauncher: @name@\n"},
      {"normalizer", "normalizers", t::kNormalizer, t::kNormalizerConfig, t::kNormalizerTest,
       "your_data \"+arms.@name@=['operator=dot','normalizer=@name@']\"",
       "arms:\n  linear: [operator=dot]\n  @name@: [operator=dot, normalizer=@name@]\n"},
      {"operator", "operators", t::kOperator, t::kOperatorConfig, t::kOperatorTest, "your_data \"+arms.@name@=['operator=@name@']\"", ""},
      {"optimizer", "optimizers", t::kOptimizer, t::kOptimizerConfig, t::kOptimizerTest,
       "your_data \"+arms.@name@=['operator=dot','optimizer=@name@']\"",
       "arms:\n  linear: [operator=dot]\n  @name@: [operator=dot, optimizer=@name@]\n"},
      {"pruner", "pruners", t::kPruner, t::kPrunerConfig, t::kPrunerTest,
       "your_data sweeper=random sweeper.pruner=@name@ -m 'optimizer.lr=tag(log,interval(1e-3,1))'",
       "arms: {linear: [operator=dot]}\nsweeper: {name: random, trials: 5, pruner: {name: @name@}}\n"
       "sweep: {optimizer.lr: \"tag(log,interval(1e-3,1))\"}\n"},
      {"schedule", "schedules", t::kSchedule, t::kScheduleConfig, t::kScheduleTest,
       "your_data \"+arms.@name@=['operator=dot','schedule=@name@']\"",
       "arms:\n  linear: [operator=dot]\n  @name@: [operator=dot, schedule=@name@]\n"},
      {"study",
       "studies",
       t::kStudy,
       {},
       t::kStudyTest,
       "geometry 'studies=extend_list(@name@)'",
       "arms: {cosine: [operator=cosine]}\nstudies: [@name@]\n"},
      {"sweeper", "sweepers", t::kSweeper, t::kSweeperConfig, t::kSweeperTest, "your_data sweeper=@name@ -m optimizer.lr=0.003,0.01,0.03",
       "arms: {linear: [operator=dot]}\nsweeper: @name@\nsweep: {optimizer.lr: [0.003, 0.01, 0.03]}\n"},
      {"task", "tasks", t::kTask, t::kTaskConfig, t::kTaskTest, "your_data \"+arms.@name@=['operator=dot','task=@name@']\"",
       "arms:\n  linear: [operator=dot]\n  @name@: [operator=dot, task=@name@]\n"},
      {"tracker", "trackers", t::kTracker, t::kTrackerConfig, t::kTrackerTest, "your_data tracker=@name@",
       "arms: {linear: [operator=dot]}\ntracker: @name@\n"},
  };
  return all;
}

// One-word C++ keywords (up to C++20; those with capitals cannot occur).
constexpr const char* kKeywords[] = {
    "alignas",   "alignof",  "and",      "and_eq",       "asm",       "auto",       "bitand",        "bitor",       "bool",
    "break",     "case",     "catch",    "char",         "char8_t",   "char16_t",   "char32_t",      "class",       "co_await",
    "co_return", "co_yield", "compl",    "concept",      "const",     "const_cast", "consteval",     "constexpr",   "constinit",
    "continue",  "decltype", "default",  "delete",       "do",        "double",     "dynamic_cast",  "else",        "enum",
    "explicit",  "export",   "extern",   "false",        "float",     "for",        "friend",        "goto",        "if",
    "inline",    "int",      "long",     "mutable",      "namespace", "new",        "noexcept",      "not",         "not_eq",
    "nullptr",   "operator", "or",       "or_eq",        "private",   "protected",  "public",        "register",    "reinterpret_cast",
    "requires",  "return",   "short",    "signed",       "sizeof",    "static",     "static_assert", "static_cast", "struct",
    "switch",    "template", "this",     "thread_local", "throw",     "true",       "try",           "typedef",     "typeid",
    "typename",  "union",    "unsigned", "using",        "virtual",   "void",       "volatile",      "wchar_t",     "while",
    "xor",       "xor_eq"};

// Words that YAML does not read as strings.
constexpr const char* kYamlWords[] = {"n", "no", "null", "off", "on", "y", "yes"};

// Types in the headers that a component includes: a class with the same name would be ambiguous.
constexpr const char* kTaken =
    "Analysis Annotation Architecture Arrow Axis Bar BuildContext Check Claim ClaimContext ClaimStatus ColorMap ColorScale "
    "Component ComponentRef ComponentTable DataContext Dataset DatasetUse Dimension Error ErrorKind Evidence ExternalJob FeatureMap "
    "FeaturePlace Field "
    "FieldType Fields Figure Findings Heat Initializer JobBeginning JobSpec JobState JobView KindOf Launch Launcher Legend Line "
    "LocalProcessLauncher Marker Media MetricRow Metrics NoParams Node Normalizer Operator OperatorChoice OperatorTraits Optimizer "
    "Origin OtherData Override Panel Params Plan Plot PlotNeeds PlotRequest Progress Provenance Pruner Range Registry "
    "RegistrySnapshot Relation Report ReportConfig Role RunInfo RunView Sample Schedule Schema SearchCurve SearchParams "
    "SearchPoint SearchSetup Split StackRule Study StudyContext Surface SweepPoint Sweeper SweeperBy Task Tensor Tracker "
    "TrainedArm Trial";

std::string class_name(const std::string& name) {
  std::string out;
  for (const auto& word : split(name, '_')) {
    out += static_cast<char>(std::toupper(static_cast<unsigned char>(word[0])));
    out += word.substr(1);
  }
  return out;
}

[[noreturn]] void bad_name(const std::string& name, std::string why, std::string hint, const std::string& what = "component") {
  throw config_error(fmt::format("'{}' cannot name a new {}", name, what), {}, std::move(why), std::move(hint));
}

/// Checks a word that names a file and a folder and that YAML must read as a string. `what`: what it names; `example`: a legal name.
void check_word(const std::string& name, const std::string& what, const std::string& example) {
  const auto bad = [&](const std::string& why) { bad_name(name, why, fmt::format("choose a name such as '{}'", example), what); };
  const auto legal = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  if (name.empty()) bad("it is empty");
  if (!std::all_of(name.begin(), name.end(), legal) || name[0] < 'a')
    bad("names can contain lower-case letters, digits and '_', and must begin with a letter");
  if (name.back() == '_' || name.find("__") != std::string::npos) bad("'_' is only allowed between two words");
  if (name.size() > 64) bad("it is longer than 64 characters");
  if (std::find(std::begin(kYamlWords), std::end(kYamlWords), name) != std::end(kYamlWords))
    bad_name(name, "YAML does not read it as a string", fmt::format("try 'my_{}'", name), what);
}

void check_name(const std::string& name) {
  check_word(name, "component", "my_kernel");
  if (std::find(std::begin(kKeywords), std::end(kKeywords), name) != std::end(kKeywords)) {
    bad_name(name, "it is a C++ keyword", fmt::format("try 'my_{}'", name));
  }
  const auto type = class_name(name);
  if ((" " + std::string(kTaken) + " ").find(" " + type + " ") != std::string::npos) {
    bad_name(name, fmt::format("its class would be called {}, like one of Yatlab's own classes", type), fmt::format("try 'my_{}'", name));
  }
}

std::string fill_in(std::string_view text, const std::string& name, const std::vector<std::pair<const char*, std::string>>& more = {}) {
  std::string out(text);
  auto marks = more;
  marks.emplace_back("@name@", name);
  marks.emplace_back("@Class@", class_name(name));
  for (const auto& [mark, value] : marks) {
    for (auto at = out.find(mark); at != std::string::npos; at = out.find(mark, at + value.size())) {
      out.replace(at, std::string_view(mark).size(), value);
    }
  }
  return out;
}

/// Config error for an unknown kind or an illegal name.
const Template& checked_template(const std::string& kind, const std::string& name) {
  const auto& all = all_templates();
  const auto chosen = std::find_if(all.begin(), all.end(), [&](const Template& t) { return t.kind == kind; });
  if (chosen == all.end()) {
    const auto kinds = scaffold_kinds();
    const auto near = nearest(kind, kinds);
    throw config_error(fmt::format("there is no template for kind '{}'", kind), {}, "templates exist for: " + join(kinds, ", "),
                       near.empty() ? "start from a component of that kind in plugins/" : fmt::format("did you mean '{}'?", near));
  }
  check_name(name);
  if (auto* table = find_component_table(kind)) {
    if (const auto* other = table->find(name)) {
      throw config_error(fmt::format("{} '{}' already exists", kind, name), {}, "registered by " + other->origin,
                         "choose a different name");
    }
  }
  return *chosen;
}

using NewFiles = std::vector<std::pair<fs::path, std::string>>;

/// Writes all files, or none: config error where one already exists.
std::vector<fs::path> write_new_files(const fs::path& root, const NewFiles& files) {
  for (const auto& [path, text] : files) {
    if (fs::exists(root / path)) {
      throw config_error("the file already exists; nothing was written", path.string(), {}, "choose a different name, or remove the file");
    }
  }
  std::vector<fs::path> written;
  for (const auto& [path, text] : files) {
    write_file_atomic(root / path, text);
    written.push_back(path);
  }
  return written;
}

/// A library name from a folder's name, legal as a CMake target and as a file name.
std::string library_name(const fs::path& project) {
  fs::path full = fs::absolute(project).lexically_normal();
  if (!full.has_filename()) full = full.parent_path();  // "kernels/"
  std::string out;
  for (const char c : full.filename().string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    out += plain ? c : '_';
  }
  static const char* const kTargets[] = {"", "all", "clean", "help", "install", "test", "tests"};  // CMake's own targets
  const bool taken = std::find(std::begin(kTargets), std::end(kTargets), out) != std::end(kTargets) || (out[0] >= '0' && out[0] <= '9');
  return taken ? "plugin_" + out : out;
}

}  // namespace

std::vector<std::string> scaffold_kinds() {
  std::vector<std::string> out;
  for (const auto& t : all_templates()) out.emplace_back(t.kind);
  return out;
}

std::vector<fs::path> scaffold(const std::string& kind, const std::string& name, const fs::path& root, const ScaffoldTexts* own) {
  const Template& chosen = checked_template(kind, name);
  if (!fs::is_directory(root)) {
    throw config_error("there is no such folder to write to", root.string(), {}, "run it in Yatlab's source tree");
  }
  NewFiles files;
  // Figures are drawn without LibTorch, so they have their own pack.
  const auto pack = kind == "figure" ? fs::path("plugins") : fs::path("plugins") / "lab";
  files.emplace_back(pack / chosen.folder / (name + ".cpp"), fill_in(own ? own->component : chosen.component, name));
  if (!chosen.config.empty())
    files.emplace_back(fs::path("configs") / kind / (name + ".yaml"), fill_in(own ? own->config : chosen.config, name));
  files.emplace_back(fs::path("tests") / "plugins" / (name + "_test.cpp"), fill_in(own ? own->test : chosen.test, name));
  return write_new_files(root, files);
}

std::vector<fs::path> scaffold_project(const std::string& kind, const std::string& name, const fs::path& project) {
  namespace t = scaffold_templates;
  const Template& chosen = checked_template(kind, name);
  if (fs::exists(project) && !fs::is_directory(project)) {
    throw config_error("a project must be a folder", project.string(), "this is a file", "choose a different path");
  }
  const bool begun = fs::exists(project / "CMakeLists.txt");
  const std::string library = begun ? plugin_project_library(project) : library_name(project);
  const bool trains = kind != "claim" && kind != "study";
  const auto filled = [&](std::string_view text) {
    return fill_in(text, name,
                   {{"@use@", chosen.kind + std::string(trains ? " @name@, tried on generated data." : " @name@; nothing is trained.")},
                    {"@lines@", chosen.lines},
                    {"@library@", library}});
  };
  NewFiles files;
  if (!begun) {
    files.emplace_back("CMakeLists.txt", filled(t::kProjectLists));
    files.emplace_back("README.md", filled(t::kProjectReadme));
    files.emplace_back("src/plugin.cpp", filled(t::kProjectPlugin));
  }
  files.emplace_back("src/" + name + ".cpp", filled(chosen.component));
  if (!chosen.config.empty()) files.emplace_back("configs/" + kind + "/" + name + ".yaml", filled(chosen.config));
  files.emplace_back("tests/" + name + "_test.cpp", filled(chosen.test));
  files.emplace_back("experiments/" + name + ".yaml", filled(kind == "operator"      ? t::kProjectOperatorExperiment
                                                             : kind == "feature_map" ? t::kProjectSequences
                                                             : trains                ? t::kProjectExperiment
                                                                                     : t::kProjectUntrained));
  return write_new_files(project, files);
}

std::vector<fs::path> scaffold_paper(const std::string& name, const fs::path& root) {
  namespace t = scaffold_templates;
  check_word(name, "paper", "my_paper");
  const fs::path folder = fs::path("experiments") / name;
  return write_new_files(
      root, {{folder / "paper.yaml", fill_in(t::kPaper, name)}, {folder / (name + "_table1.yaml"), fill_in(t::kPaperExperiment, name)}});
}

std::string scaffold_use(const std::string& kind, const std::string& name) {
  for (const auto& t : all_templates()) {
    if (t.kind == kind) return fill_in(t.use, name);
  }
  return {};
}

std::string plugin_project_library(const fs::path& project) {
  const std::string hint = fmt::format("create one: yatlab plugin new operator my_kernel --project {}",
                                       shell_word(fs::exists(project / "CMakeLists.txt") ? "my_kernels" : project.string()));
  if (!fs::exists(project / "CMakeLists.txt")) {
    throw config_error("there is no plugin project here", project.string(),
                       fs::is_directory(project) ? "it has no CMakeLists.txt" : "there is no such folder", hint);
  }
  static const std::regex call("(^|\n)[ \t]*yatlab_add_plugin[ \t]*\\([ \t\n]*([A-Za-z0-9_.-]+)");
  const std::string text = read_file(project / "CMakeLists.txt");
  std::smatch found;
  if (!std::regex_search(text, found, call)) {
    throw config_error("there is no plugin project here", (project / "CMakeLists.txt").string(),
                       "it does not call yatlab_add_plugin(NAME ...)", hint);
  }
  return found[2];
}

}  // namespace yatlab

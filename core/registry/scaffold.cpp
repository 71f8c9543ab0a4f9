#include "core/registry/scaffold.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/registry/registry.h"
#include "core/registry/scaffold_templates.h"

namespace yatlab {
namespace {

struct Template {
  const char* kind;
  const char* folder;  ///< below plugins/
  std::string_view component;
  std::string_view config;  ///< empty for kinds that a list names, not a config group
  std::string_view test;
};

const std::vector<Template>& all_templates() {
  namespace t = scaffold_templates;
  static const std::vector<Template> all = {
      {"analysis", "analyses", t::kAnalysis, t::kAnalysisConfig, t::kAnalysisTest},
      {"architecture", "architectures", t::kArchitecture, t::kArchitectureConfig, t::kArchitectureTest},
      {"claim", "claims", t::kClaim, {}, t::kClaimTest},
      {"dataset", "datasets", t::kDataset, t::kDatasetConfig, t::kDatasetTest},
      {"initializer", "initializers", t::kInitializer, t::kInitializerConfig, t::kInitializerTest},
      {"normalizer", "normalizers", t::kNormalizer, t::kNormalizerConfig, t::kNormalizerTest},
      {"operator", "operators", t::kOperator, t::kOperatorConfig, t::kOperatorTest},
      {"study", "studies", t::kStudy, {}, t::kStudyTest},
  };
  return all;
}

// Names of one word that C++ keeps for itself (up to C++20; those with capitals cannot occur).
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

// Types of the headers that a component includes: a class of that name would be ambiguous.
constexpr const char* kTaken[] = {"Analysis",    "Architecture", "BuildContext",     "Check",          "Claim",       "ClaimContext",
                                  "ClaimStatus", "Component",    "ComponentRef",     "ComponentTable", "DataContext", "Dataset",
                                  "Error",       "ErrorKind",    "Evidence",         "Field",          "FieldType",   "Fields",
                                  "Findings",    "Initializer",  "KindOf",           "Metrics",        "NoParams",    "Node",
                                  "Normalizer",  "Operator",     "OperatorChoice",   "OperatorTraits", "Origin",      "Params",
                                  "Provenance",  "Registry",     "RegistrySnapshot", "Relation",       "Role",        "Schema",
                                  "Split",       "Study",        "StudyContext",     "Task",           "Tensor",      "TrainedArm"};

std::string class_name(const std::string& name) {
  std::string out;
  for (const auto& word : split(name, '_')) {
    out += static_cast<char>(std::toupper(static_cast<unsigned char>(word[0])));
    out += word.substr(1);
  }
  return out;
}

[[noreturn]] void bad_name(const std::string& name, std::string why, std::string hint) {
  throw config_error(fmt::format("'{}' cannot name a new component", name), {}, std::move(why), std::move(hint));
}

void check_name(const std::string& name) {
  constexpr const char* kExample = "choose a name such as 'my_kernel'";
  const auto legal = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  if (name.empty()) bad_name(name, "it is empty", kExample);
  if (!std::all_of(name.begin(), name.end(), legal) || name[0] < 'a') {
    bad_name(name, "names hold lower-case letters, digits and '_', and begin with a letter", kExample);
  }
  if (name.back() == '_' || name.find("__") != std::string::npos) {
    bad_name(name, "a '_' stands between two words", kExample);
  }
  if (name.size() > 64) bad_name(name, "it is longer than 64 characters", kExample);
  if (std::find(std::begin(kKeywords), std::end(kKeywords), name) != std::end(kKeywords)) {
    bad_name(name, "it is a word of C++", fmt::format("try 'my_{}'", name));
  }
  const auto type = class_name(name);
  if (std::find(std::begin(kTaken), std::end(kTaken), type) != std::end(kTaken)) {
    bad_name(name, fmt::format("its class would be called {}, as one of Yatlab's own", type), fmt::format("try 'my_{}'", name));
  }
}

std::string fill_in(std::string_view text, const std::string& name) {
  std::string out(text);
  for (const auto& [mark, value] : {std::pair{"@name@", name}, std::pair{"@Class@", class_name(name)}}) {
    for (auto at = out.find(mark); at != std::string::npos; at = out.find(mark, at + value.size())) {
      out.replace(at, std::string_view(mark).size(), value);
    }
  }
  return out;
}

}  // namespace

std::vector<std::string> scaffold_kinds() {
  std::vector<std::string> out;
  for (const auto& t : all_templates()) out.emplace_back(t.kind);
  return out;
}

std::vector<fs::path> scaffold(const std::string& kind, const std::string& name, const fs::path& root, const ScaffoldTexts* own) {
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
      throw config_error(fmt::format("{} '{}' exists already", kind, name), {}, "registered by " + other->origin, "choose another name");
    }
  }
  std::vector<std::pair<fs::path, std::string_view>> files;
  files.emplace_back(fs::path("plugins") / chosen->folder / (name + ".cpp"), own ? own->component : chosen->component);
  if (!chosen->config.empty()) files.emplace_back(fs::path("configs") / kind / (name + ".yaml"), own ? own->config : chosen->config);
  files.emplace_back(fs::path("tests") / "plugins" / (name + "_test.cpp"), own ? own->test : chosen->test);
  if (!fs::is_directory(root)) {
    throw config_error("no such folder to write to", root.string(), {}, "run it in Yatlab's source tree");
  }
  for (const auto& [path, text] : files) {
    if (fs::exists(root / path)) {
      throw config_error("a file is in the way; nothing was written", path.string(), {}, "choose another name, or remove the file");
    }
  }
  std::vector<fs::path> written;
  for (const auto& [path, text] : files) {
    write_file_atomic(root / path, fill_in(text, name));
    written.push_back(path);
  }
  return written;
}

}  // namespace yatlab

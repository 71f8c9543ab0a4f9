#include "core/cli/experiments.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/cli/hydra.h"
#include "core/config/synonyms.h"
#include "core/config/yaml.h"
#include "core/system/shell.h"

namespace yatlab::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kEnding = ".yaml";

bool ends_as_yaml(const std::string& word) {
  return word.size() > kEnding.size() && word.compare(word.size() - kEnding.size(), kEnding.size(), kEnding) == 0;
}
std::string without_ending(const std::string& word) { return ends_as_yaml(word) ? word.substr(0, word.size() - kEnding.size()) : word; }

std::vector<fs::path> yaml_files_below(const fs::path& root, bool papers) {
  std::vector<fs::path> out;
  std::error_code ec;
  for (const auto& entry : fs::recursive_directory_iterator(root, ec)) {
    if (entry.path().extension() == kEnding && (entry.path().filename() == kPaperFile) == papers)
      out.push_back(entry.path().lexically_normal());
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// The files that a word may refer to, each once.
class Candidates {
 public:
  void add(const fs::path& file) {
    std::error_code ec;
    if (!fs::is_regular_file(file, ec) || file.filename() == kPaperFile) return;
    for (const auto& have : files) {
      if (fs::equivalent(have, file, ec)) return;
    }
    files.push_back(file.lexically_normal());
  }
  std::vector<fs::path> files;
};

void add_from_root(const fs::path& root, const std::string& name, Candidates& out) {
  out.add(root / (name + std::string(kEnding)));
  const std::string folder = "experiments/";
  if (name.rfind(folder, 0) == 0) out.add(root / (name.substr(folder.size()) + std::string(kEnding)));
  if (!out.files.empty() || name.find('/') != std::string::npos) return;
  for (const auto& file : experiment_files_below(root)) {
    if (file.stem() == name) out.add(file);
  }
}

/// Suggestions for a word that is not an experiment: files whose names begin with it, else the nearest of the files and of `others`.
std::string experiment_hint(const std::string& word, const std::vector<std::string>& others) {
  const bool path = ends_as_yaml(word) || word.rfind("experiments/", 0) == 0;
  std::vector<std::string> candidates;
  for (const auto& name : experiment_names()) candidates.push_back(path ? "experiments/" + name + std::string(kEnding) : name);
  if (!path) candidates.insert(candidates.end(), others.begin(), others.end());
  std::error_code ec;
  const fs::path folder = fs::path(word).parent_path();
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, ec)) {  // below the working folder
    if (path && entry.path().extension() == kEnding) candidates.push_back((folder / entry.path().filename()).string());
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  // Files whose names begin with the word, preferably in the same folder.
  const std::string begin = lower(without_ending(word));
  std::vector<std::string> same, below;
  for (const auto& candidate : candidates) {
    if (begin.size() < 3) break;
    const fs::path file = candidate;
    if (lower(candidate).rfind(begin, 0) == 0) {
      same.push_back("'" + candidate + "'");
    } else if (!path && file.has_parent_path() && lower(file.filename().string()).rfind(begin, 0) == 0) {
      below.push_back("'" + candidate + "'");
    }
  }
  same.insert(same.end(), below.begin(), below.end());
  if (!same.empty()) return fmt::format("did you mean {}?", join(same, " or "));
  if (const auto near = nearest(word, candidates); !near.empty()) return fmt::format("did you mean '{}'?", near);
  return "see 'yatlab list experiments' and 'yatlab help'";
}

}  // namespace

std::vector<fs::path> experiment_roots() {
  std::vector<fs::path> out;
  for (const fs::path& root :
       {fs::path("experiments"), program_directory() / "../../../experiments", program_directory() / "../share/yatlab/experiments"}) {
    std::error_code ec;
    if (fs::is_directory(root, ec)) out.push_back(root.lexically_normal());
  }
  return out;
}

std::vector<fs::path> experiment_files_below(const fs::path& root) { return yaml_files_below(root, false); }

std::vector<fs::path> paper_files(const fs::path& root) {
  auto out = yaml_files_below(root, true);
  const auto own = std::find(out.begin(), out.end(), (root / kPaperFile).lexically_normal());
  if (own != out.end()) std::rotate(out.begin(), own, own + 1);
  return out;
}

std::vector<fs::path> experiment_files() {
  for (const auto& root : experiment_roots()) {
    if (auto files = experiment_files_below(root); !files.empty()) return files;
  }
  return {};
}

std::vector<std::string> experiment_names() {
  std::vector<std::string> out;
  for (const auto& root : experiment_roots()) {
    for (const auto& file : experiment_files_below(root)) out.push_back(without_ending(file.lexically_relative(root).string()));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

namespace {

/// A text at the top of a file; "" where there is none, or the file cannot be read: its errors are reported when it is run.
std::string text_at_top(const fs::path& file, const char* key) {
  try {
    const Node content = load_yaml(file);
    const Node* text = content.is_map() ? content.find(key) : nullptr;
    return text && text->is_string() ? text->as_string() : "";
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

std::string experiment_name(const fs::path& file) {
  const auto name = text_at_top(file, "name");
  return name.empty() ? file.stem().string() : name;
}

std::string experiment_title(const fs::path& file) { return visible(text_at_top(file, "title")); }

fs::path find_experiment(const std::string& word) {
  std::error_code ec;
  if (word.empty() || fs::is_regular_file(word, ec)) return word;
  Candidates found;
  const std::string name = without_ending(word);
  found.add(name + std::string(kEnding));
  if (!fs::path(name).is_absolute()) {
    Candidates in_root;
    for (const auto& root : experiment_roots()) {
      add_from_root(root, name, in_root);
      if (!in_root.files.empty()) break;  // the caller's own experiments come before the project's
    }
    for (const auto& file : in_root.files) found.add(file);
  }
  if (found.files.empty()) return {};
  if (found.files.size() == 1) return found.files.front();
  std::vector<std::string> names;
  for (const auto& file : found.files) names.push_back(file.string());
  throw config_error(fmt::format("'{}' matches {} experiments", word, names.size()), "command line", {},
                     "give the path: " + join(names, " or "));
}

bool is_override(const std::string& word) {
  std::error_code ec;  // runs' folders are called ...-seeds=0-...
  if (fs::is_regular_file(without_ending(word) + std::string(kEnding), ec)) return false;
  return !word.empty() && (word.find('=') != std::string::npos || word[0] == '~' || word[0] == '+');
}

namespace {

/// The names of the scales that a file declares; none if it cannot be read: its errors are reported when it is composed.
std::set<std::string> scales_in(const fs::path& file) {
  std::set<std::string> out;
  try {
    const Node content = load_yaml(file);
    const Node* scales = content.is_map() ? content.find("scales") : nullptr;
    if (scales && scales->is_map()) {
      for (const auto& [name, overrides] : scales->as_map()) out.insert(name);
    }
  } catch (const Error&) {
    return {};
  }
  return out;
}

/// An example to type: an experiment that needs no data and takes a minute, if it exists.
std::string with_example(const std::string& command) {
  const auto names = experiment_names();
  if (names.empty()) return {};
  const auto quick = std::find(names.begin(), names.end(), "xor");
  return fmt::format("for example: yatlab {}{}{}", command, command.empty() ? "" : " ", quick == names.end() ? names.front() : *quick);
}

}  // namespace

void refuse_bare_words(const std::vector<std::string>& words, const fs::path& experiment) {
  for (const auto& word : words) {
    if (word.empty() || is_override(word)) continue;
    const auto fail = [&](const std::string& what, const std::string& hint) {
      throw config_error(fmt::format("'{}' is not an override: {}", word, what), "command line", {}, hint);
    };
    if (scales_in(experiment).count(word) > 0) fail("it is a scale of the experiment", "write scale=" + shell_word(word));
    if (!find_experiment(word).empty()) fail("it is an experiment", "give one experiment at a time");
  }
}

fs::path required_experiment(const std::vector<std::string>& words, const std::string& command) {
  if (words.empty()) {
    throw config_error("no experiment given", "command line", {}, with_example(command));
  }
  const auto& word = words.front();
  const fs::path path = word;
  std::error_code ec;
  if (fs::exists(path / "plan.json", ec)) {  // its name may contain '='
    throw config_error(fmt::format("'{}' is a run, not an experiment", word), "command line", {},
                       fmt::format("to write its report again: yatlab report {}", shell_word(word)));
  }
  if (is_override(word)) {
    refuse_hydra_key(word);
    std::vector<std::string> right{"yatlab"};
    if (!command.empty()) right.push_back(command);
    const auto experiment =
        std::find_if(words.begin(), words.end(), [](const auto& w) { return !is_override(w) && !find_experiment(w).empty(); });
    right.push_back(experiment == words.end() ? "EXPERIMENT" : *experiment);
    for (auto it = words.begin(); it != words.end(); ++it) {
      if (it != experiment) right.push_back(*it);
    }
    throw config_error(fmt::format("'{}' is an override, but no experiment comes before it", word), "command line",
                       "the experiment comes first, then its overrides", "write " + shell_command(right));
  }
  if (path.filename() == kPaperFile) {
    throw config_error(fmt::format("'{}' describes a paper; it is not an experiment", word), "command line", {},
                       "run an experiment from the same folder; for the paper's claims: yatlab verdict");
  }
  if (path.extension() == ".so") {
    throw config_error(fmt::format("'{}' is a library, not an experiment", word), "command line", {},
                       fmt::format("load it with an option: yatlab --plugin {} list operator", shell_word(word)));
  }
  if (auto file = find_experiment(word); !file.empty()) return file;
  if (const auto here = command.empty() ? command_synonym(word) : std::string(); !here.empty()) {
    std::vector<std::string> right{"yatlab"};
    if (here != "run") {
      for (const auto& part : split(here, ' ')) right.push_back(part);
    }
    right.insert(right.end(), words.begin() + 1, words.end());
    if (here == "run" && words.size() == 1) right.push_back("EXPERIMENT");
    throw config_error(fmt::format("unknown command or experiment '{}'", word), "command line",
                       here == "run" ? "to run an experiment, give its name" : fmt::format("the command is called '{}'", here),
                       "write " + shell_command(right));
  }
  if (const auto answer = command.empty() ? command_answer(word) : std::string(); !answer.empty())
    throw config_error(fmt::format("unknown command or experiment '{}'", word), "command line", {}, answer);
  std::vector<std::string> names;
  for (const auto& c : commands()) {
    if (c.summary && command.empty()) names.emplace_back(c.name);
  }
  const bool file = ends_as_yaml(word) || word.find('/') != std::string::npos;
  const auto what = file              ? "there is no experiment file '{}'"
                    : command.empty() ? "unknown command or experiment '{}'"
                                      : "there is no experiment '{}'";
  throw config_error(fmt::format(fmt::runtime(what), word), "command line", {}, experiment_hint(word, names));
}

}  // namespace yatlab::cli

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/files.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/command_line.h"
#include "core/cli/completions.h"
#include "core/cli/experiments.h"
#include "core/cli/find_run.h"
#include "core/cli/hydra.h"
#include "core/cli/papers.h"
#include "core/library/run_index.h"
#include "core/registry/plugin_library.h"
#include "core/registry/registry.h"
#include "core/system/shell.h"

namespace yatlab::cli {
namespace {

/// Folders, and files with that ending ("": all; "/": folders only), whose names begin with the typed text.
Completions paths(const std::string& begin, const std::string& ending) {
  Completions out;
  const auto slash = begin.rfind('/');
  const auto folder = slash == std::string::npos ? std::string() : begin.substr(0, slash + 1);
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, ec)) {
    const auto name = entry.path().filename().string();
    if (name[0] == '.' && begin.size() == folder.size()) continue;
    if (entry.is_directory(ec)) {
      if (!begin.empty() || ending != ".yaml") out.push_back({folder + name + "/", {}});
    } else if (ending.empty() || entry.path().extension() == ending) {
      out.push_back({folder + name, {}});
    }
  }
  return out;
}

/// Completes one command line, as far as it is typed.
class Completer {
 public:
  explicit Completer(const std::vector<std::string>& words) {
    std::vector<std::string> plain;
    for (const auto& word : words) plain.push_back(without_shell_quotes(word));
    if (!plain.empty()) {
      current_ = plain.back();
      quoted_ = !words.back().empty() && (words.back()[0] == '\'' || words.back()[0] == '"');
      plain.pop_back();
    }
    read(plain);
  }

  Completions candidates() {
    load_plugins(libraries_);
    const auto equal = current_.find('=');
    Completions found;
    if (!open_.empty()) {
      found = option_values(open_, current_);
    } else if (begins(current_, "--") && equal != std::string::npos) {
      found = option_values(current_.substr(0, equal), current_.substr(equal + 1));
      for (auto& candidate : found) candidate.text.insert(0, current_.substr(0, equal + 1));
    } else if (begins(current_, "-")) {
      found = options();
    } else {
      found = next_word();
    }
    Completions out;
    std::set<std::string> seen;
    for (auto& candidate : found) {
      if (begins(candidate.text, current_) && seen.insert(candidate.text).second) out.push_back(std::move(candidate));
    }
    return out;
  }

 private:
  void read(const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto& word = words[i];
      if (word.size() > 1 && word[0] == '-') {
        const auto name = value_taking(word);
        if (name.empty()) continue;
        if (i + 1 == words.size()) {
          open_ = name;
          return;
        }
        const auto& value = words[++i];
        if (name == "--plugin") libraries_.emplace_back(value);
        if (name == "--config-dir") folders_.push_back(value);
        if (name == "--results") results_ = value;
        if (name == "--config-name") words_.insert(words_.begin(), value);
      } else if (!command_ && words_.empty() && find_command(word)) {
        command_ = find_command(word);
      } else {
        words_.push_back(word);
      }
    }
  }

  /// The option whose value is the next word; "" if it is not a value.
  static std::string value_taking(const std::string& word) {
    if (word == "-cd") return "--config-dir";
    if (const auto* flag = find_hydra_flag(word))
      return flag->value == HydraFlag::kRequired && word.find('=') == std::string::npos ? flag->name : "";
    const auto* option = find_option(all_options(), word);
    return option && option->takes_value && word.size() == (begins(word, "--") ? option->name : option->letter).size() ? option->name : "";
  }

  bool composes() const { return !command_ || command_->takes_experiment; }

  Completions options() const {
    Completions out;
    const auto* command = command_ ? command_ : find_command("run");
    for (const auto& option : options_of(*command, words_.empty() ? "" : words_.front())) out.push_back({option.name, option.doc});
    if (!command_ && words_.empty()) out.push_back({"--version", ""});
    return out;
  }

  Completions option_values(const std::string& name, const std::string& typed) {
    if (name == "--arm") return in_experiment(ExperimentPart::kArm, typed);
    if (name == "--explain" || name == "--package") return in_experiment(ExperimentPart::kKey, typed);
    const auto is = [&](const char* command) { return command_ && command_->name == std::string(command); };
    if (name == "--format" && is("export")) return plain_words({"csv", "jsonl"});
    if (name == "--format" && is("report")) return plain_words({"svg", "pdf", "png", "pgf"});
    if (name == "--format") return plain_words({"yaml", "json"});
    if (name == "--split") return plain_words({"test", "validation", "train"});
    if (name == "--per") return plain_words({"job", "step"});
    if (name == "--checkpoints") return plain_words({"keep", "keep-last", "none"});
    if (name == "--info") return plain_words({"all", "config", "defaults", "defaults-tree", "plugins", "searchpath"});
    if (name == "--cfg") return plain_words({"job", "all"});
    if (name == "--config-name") return experiments(typed);
    if (name == "--documents") return plain_words({"auto", "file", "blank-lines", "lines", "jsonl"});
    if (name == "--tokenizer") return components("tokenizer");
    if (name == "--plugin") return paths(typed, ".so");
    return paths(typed, "");
  }

  Completions next_word() {
    if (!command_ && words_.empty()) {
      Completions out;
      for (const auto& c : commands()) {
        if (c.summary) out.push_back({c.name, c.summary});
      }
      for (auto& candidate : experiments(current_)) out.push_back(std::move(candidate));
      return out;
    }
    if (composes()) return words_.empty() ? experiments(current_) : in_experiment(ExperimentPart::kOverride, current_);
    return words_of(command_->name);
  }

  Completions words_of(const std::string& command) const {
    const auto n = words_.size();
    if (command == "list") {
      if (n > 0 && words_[0] == "metrics")
        return n == 1 ? experiments(current_) : in_experiment(ExperimentPart::kOverride, current_, behind(1));
      auto out = kinds("");
      out.push_back({"experiments", "experiment files"});
      out.push_back({"papers", "papers whose claims are judged"});
      if (n == 0) out.push_back({"metrics", "what an experiment measures"});
      return out;
    }
    if (command == "describe") {
      const auto slash = current_.find('/');
      return slash == std::string::npos ? kinds("/") : components(current_.substr(0, slash), current_.substr(0, slash + 1));
    }
    if (command == "help" && n == 0) {
      Completions out{{"hydra", "Hydra's flags and keys, and what to use here"}};
      for (const auto& c : commands()) {
        if (c.summary) out.push_back({c.name, c.summary});
      }
      return out;
    }
    if (command == "completion")
      return n == 0                             ? plain_words({"bash", "zsh", "fish", "install"})
             : n == 1 && words_[0] == "install" ? plain_words({"bash", "zsh", "fish"})
                                                : Completions();
    if (command == "plugin")
      return n == 0                           ? plain_words({"new", "build", "promote"})
             : n == 1 && words_[0] == "build" ? paths(current_, "")
             : n == 1 && words_[0] == "new"   ? kinds_of_new()
             : words_[0] == "promote"         ? promotable(n)
                                              : Completions();
    if (command == "data") {
      if (n == 0) return plain_words({"list", "fetch", "verify", "describe", "tokenize"});
      if (words_[0] == "tokenize") return paths(current_, "");
      if (words_[0] != "describe") return components("dataset");
      if (n > 1) return keys_of_data(words_[1]);
      auto out = components("dataset");
      for (auto& candidate : experiments(current_)) out.push_back(std::move(candidate));
      return out;
    }
    if (command == "evaluate" && n > 0) return components("dataset", "dataset=");
    if (command == "model" && n == 0) return plain_words({"import", "export"});
    if (command == "test" || command == "bench") return programs(program_directory(), command + "_");
    if (command == "fuzz") return programs(program_directory() / "../../fuzz/bin", "fuzz_");
    if (command == "repeat") return experiments(current_);
    if (command == "doctor" || command == "help") return {};
    if (command == "verdict" || command == "verify") return n == 0 ? paper_ids() : Completions();
    if (command == "runs") return run_conditions();
    const bool several = command == "report" || command == "export" || command == "prune" || (command == "compare" && n < 2);
    const bool one = command == "status" || command == "replay" || command == "bundle" || command == "tag" || command == "note";
    Completions out;
    if (several || (one && n == 0)) out = runs();
    if ((command == "report" || command == "bundle") && n == 0) {
      for (auto& paper : paper_ids()) out.push_back(std::move(paper));
    }
    if (command == "tag" && n > 0) return out;
    for (auto& candidate : paths(current_, "")) out.push_back(std::move(candidate));
    return out;
  }

  Completions runs() const { return plain_words(run_words(current_, results_)); }

  /// Experiments that were run, and conditions on their runs; the keys come from the index.
  Completions run_conditions() const {
    Completions out{{"state=", "has a job in this state"},
                    {"arm=", "has this arm"},
                    {"tag=", "has this tag"},
                    {"scale=", "was run at this scale"},
                    {"code=", "was run with this code (hash)"}};
    const auto equal = current_.find('=');
    if (begins(current_, "state=")) {
      out.clear();
      for (const char* state : {"planned", "submitted", "running", "preempted", "interrupted", "completed", "diverged", "failed"})
        out.push_back({std::string("state=") + state, {}});
      return out;
    }
    if (begins(current_, "tag=")) return tag_conditions();
    if (equal != std::string::npos) return {};
    for (const auto& word : run_words("", results_)) out.push_back({word, "experiment"});
    if (current_.empty()) return out;
    const auto index = RunIndex::open(results_);
    for (const auto& name : index.setting_names()) out.push_back({name + "=", {}});
    if (!quoted_) return out;  // > and < are special characters of the shell
    for (const auto& name : index.metric_names()) {
      out.push_back({name + ">", {}});
      out.push_back({name + "<", {}});
    }
    return out;
  }

  Completions tag_conditions() const {
    Completions out;
    for (const auto& word : run_words("tag:", results_)) out.push_back({"tag=" + word.substr(4), {}});
    return out;
  }

  static Completions paper_ids() {
    Completions out;
    for (const auto& paper : papers()) out.push_back({paper.id, paper.title});
    return out;
  }

  static Completions kinds_of_new() {
    auto out = kinds("");
    out.push_back({"paper", "a paper whose claims are judged, with an experiment"});
    return out;
  }

  static Completions kinds(const std::string& after) {
    Completions out;
    for (const auto& kind : component_kinds()) out.push_back({kind + after, component_table(kind).doc()});
    return out;
  }

  static Completions components(const std::string& kind, const std::string& before = "") {
    Completions out;
    if (const auto* table = find_component_table(kind)) {
      for (const auto& c : table->listed()) out.push_back({before + c.name, c.doc});
    }
    return out;
  }

  static Completions programs(const fs::path& folder, const std::string& prefix) {
    Completions out;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      const auto name = entry.path().filename().string();
      if (begins(name, prefix)) out.push_back({name.substr(prefix.size()), {}});
    }
    return out;
  }

  static Completions experiments(const std::string& typed) {
    Completions out;
    const bool as_path = begins(typed, "experiments/");
    for (const auto& name : experiment_names()) out.push_back({as_path ? "experiments/" + name + ".yaml" : name, {}});
    for (auto& candidate : paths(typed, ".yaml")) out.push_back(std::move(candidate));
    return out;
  }

  /// EXPERIMENT:ARM or a job's folder, followed by overrides.
  Completions promotable(std::size_t n) const {
    const auto of = [&](const std::string& word) { return word.substr(0, word.find(':')); };
    if (n > 1) return in_experiment(ExperimentPart::kOverride, current_, {of(words_[1])});
    Completions out;
    if (const auto experiment = of(current_); experiment.size() < current_.size()) {
      const auto arms = in_experiment(ExperimentPart::kArm, current_.substr(experiment.size() + 1), {experiment});
      for (const auto& arm : arms) out.push_back({experiment + ":" + arm.text, arm.doc});
      return out;
    }
    for (const auto& experiment : experiments(current_)) {
      const bool folder = experiment.text.back() == '/';
      out.push_back({experiment.text + (folder ? "" : ":"), experiment.doc});
    }
    return out;
  }

  /// `dataset.KEY=` of the named data set, or an experiment's overrides.
  Completions keys_of_data(const std::string& name) const {
    const auto* table = find_component_table("dataset");
    const auto* component = table ? table->find(name) : nullptr;
    if (!component) return in_experiment(ExperimentPart::kOverride, current_, behind(1));
    Completions out;
    for (const auto& field : component->schema.fields) out.push_back({"dataset." + field.name + "=", field.doc});
    return out;
  }

  /// The words from index `first` on.
  std::vector<std::string> behind(std::size_t first) const { return {words_.begin() + static_cast<std::ptrdiff_t>(first), words_.end()}; }

  Completions in_experiment(ExperimentPart part, const std::string& typed) const { return in_experiment(part, typed, words_); }

  /// words: the experiment, and overrides.
  Completions in_experiment(ExperimentPart part, const std::string& typed, const std::vector<std::string>& words) const {
    TypedExperiment out;
    if (!words.empty()) {
      out.file = find_experiment(words.front());
      out.overrides.assign(words.begin() + 1, words.end());
    }
    out.config_folders = folders_;
    out.quoted = quoted_;
    return complete_in_experiment(out, part, typed);
  }

  const Command* command_ = nullptr;
  std::vector<std::string> words_, folders_;
  std::vector<fs::path> libraries_;
  std::string current_, open_, results_ = "results";
  bool quoted_ = false;
};

}  // namespace

bool begins(const std::string& text, const std::string& with) { return text.compare(0, with.size(), with) == 0; }

Completions plain_words(const std::vector<std::string>& words) {
  Completions out;
  for (const auto& word : words) out.push_back({word, {}});
  return out;
}

bool completes_plainly(const std::vector<std::string>& words, bool (*needs_more)(const Command&)) {
  if (words.empty() || words.front() != "--") return false;
  for (const auto& word : words) {
    if (&word != &words.front() && begins(without_shell_quotes(word), "-")) return false;  // options are every command's
  }
  if (words.size() <= 2) return true;
  const auto* command = find_command(words[1]);
  return command && !needs_more(*command);
}

int complete_command(const Command& self, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front() != "--") return parse_arguments(self, arguments).help ? 0 : 2;
  try {
    Completer line({arguments.begin() + 1, arguments.end()});
    for (const auto& candidate : line.candidates()) {
      say("{}{}{}\n", candidate.text, candidate.doc.empty() ? "" : "\t", candidate.doc);
    }
  } catch (const std::exception&) {  // an incomplete line may contain any mistake: propose nothing
  }
  return 0;
}

}  // namespace yatlab::cli

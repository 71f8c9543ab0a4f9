#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/base/files.h"
#include "core/base/shell.h"
#include "core/base/text.h"
#include "core/cli/command_line.h"
#include "core/cli/experiments.h"
#include "core/cli/find_run.h"
#include "core/cli/hydra.h"
#include "core/config/compose.h"
#include "core/config/interpolation.h"
#include "core/experiment/experiment_params.h"
#include "core/registry/plugin_library.h"
#include "core/registry/registry.h"
#include "core/runs/run_index.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

/// What a word may go on as. Texts that end in '=', '.' or '/' go on themselves.
struct Completion {
  std::string text, doc;
};
using Completions = std::vector<Completion>;

bool begins(const std::string& text, const std::string& with) { return text.compare(0, with.size(), with) == 0; }

Completions plain_words(const std::vector<std::string>& words) {
  Completions out;
  for (const auto& word : words) out.push_back({word, {}});
  return out;
}

/// Files with that ending (all: ""; folders alone: "/") that begin so, and folders.
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

/// Whether the override grammar takes it in a key.
bool addressable(const std::string& key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return std::isalnum(u) || u >= 0x80 || c == '_' || c == '-' || c == '.';
  });
}

/// An experiment as far as it is typed: composed bare and in each arm.
class Experiment {
 public:
  Experiment(fs::path file, std::vector<std::string> overrides, const std::vector<std::string>& folders) {
    request_.experiment = std::move(file);
    request_.overrides = std::move(overrides);
    request_.multirun = true;
    request_.config_path = config_path(request_.experiment);
    for (const auto& folder : folders) request_.config_path.emplace_back(folder);
    compose("");
    const Node arms = resolve_at(all_.front().config, "arms");
    for (const auto& [arm, own] : arms.as_map()) arms_.push_back(arm);
  }

  const std::vector<std::string>& arms() const { return arms_; }

  bool quoted = false;  ///< the word that is typed began with a quote

  /// `sign` ("", "+", "++", "~") and what is typed of key and value.
  Completions overrides(const std::string& typed) {
    const auto begin = typed.find_first_not_of("+~");
    const auto sign = typed.substr(0, begin);
    const auto rest = begin == std::string::npos ? std::string() : typed.substr(begin);
    const auto equal = rest.find('=');
    Completions out = equal == std::string::npos ? keys(rest, sign) : values(rest.substr(0, equal), rest.substr(equal + 1));
    const auto before = equal == std::string::npos ? sign : sign + rest.substr(0, equal + 1);
    for (auto& candidate : out) candidate.text.insert(0, before);
    return out;
  }

  /// Keys below the last '.' that is typed, with what follows: '=' a value, '.' further keys, nothing after '~' and in `bare` lists.
  Completions keys(const std::string& typed, const std::string& sign, bool bare = false) {
    compose_arms();
    const auto dot = typed.rfind('.');
    const auto parent = dot == std::string::npos ? std::string() : typed.substr(0, dot);
    Completions out;
    for (const auto& composition : all_) {
      const Node* node = composition.config.find_path(parent);
      if (!node || !node->is_map()) continue;
      const Field* owner = parent.empty() ? nullptr : find_field(experiment_schema(), composition.config, parent);
      for (const auto& [name, value] : node->as_map()) {
        const bool component_name = owner && owner->type == FieldType::kComponent && name == "name";
        if (!addressable(name) || component_name) continue;
        const auto key = parent.empty() ? name : parent + "." + name;
        const Field* field = find_field(experiment_schema(), composition.config, key);
        const auto doc = field ? field->doc : std::string();
        const bool component = field && field->type == FieldType::kComponent;
        const bool free_map = field && field->type == FieldType::kMap;
        if (sign == "~" || bare) {
          out.push_back({key, doc});
        } else if (component || !(value.is_map() || free_map)) {
          out.push_back({key + "=", doc});
        }
        if (free_map || (value.is_map() && value.size() > (component ? 1u : 0u))) out.push_back({key + ".", doc});
      }
    }
    if (!parent.empty() || bare) return out;
    for (const auto& [group, option] : all_.front().choices) {
      if (addressable(group)) out.push_back({group + "=", "now " + option});
    }
    if (sign != "+") return out;
    for (const auto& folder : request_.config_path) {
      std::error_code ec;
      for (const auto& entry : fs::directory_iterator(folder, ec)) {
        if (entry.is_directory(ec)) out.push_back({entry.path().filename().string() + "=", "configs/" + entry.path().filename().string()});
      }
    }
    return out;
  }

 private:
  void compose(const std::string& arm) {
    try {
      all_.push_back(compose_experiment(request_, arm));
    } catch (const std::exception&) {  // what is typed so far does not work: the experiment alone
      if (request_.overrides.empty()) throw;
      auto alone = request_;
      alone.overrides.clear();
      all_.push_back(compose_experiment(alone, arm));
    }
  }

  void compose_arms() {
    if (all_.size() > 1) return;
    for (const auto& arm : arms_) compose(arm);
  }

  /// Options of a group, or of a kind of components, with what they are.
  Completions options(const std::string& group) const {
    const Composer composer(request_.config_path, &experiment_schema());
    const auto* table = find_component_table(group);
    Completions out;
    for (const auto& option : composer.options(group, request_.experiment)) {
      const auto* component = table ? table->find(option) : nullptr;
      out.push_back({option, component ? component->doc : ""});
    }
    return out;
  }

  Completions values(const std::string& key, const std::string& typed) {
    // Lists and sweeps: the last item goes on.
    const auto head_end = typed.find_last_of("[,");
    std::string head = head_end == std::string::npos ? "" : typed.substr(0, head_end + 1);
    std::string item = typed.substr(head.size());
    const auto start = item.find_first_not_of(" ");
    if (start != std::string::npos) {
      head += item.substr(0, start);
      item.erase(0, start);
    }
    if (!item.empty() && (item[0] == '\'' || item[0] == '"')) {
      head += item[0];
      item.erase(0, 1);
    }
    Completions out;
    if (begins(key, "arms.") || begins(key, "scales.")) {
      if (!quoted) return {};  // the shell would take the quotes of the list away
      if (head.empty()) return {{"['", "a list of overrides"}};
      out = overrides(item);
    } else if (key == "scale") {
      const Node scales = resolve_at(all_.front().config, "scales");
      for (const auto& [name, own] : scales.as_map()) out.push_back({name, {}});
      out.push_back({"null", "the experiment as it is"});
    } else {
      out = field_values(key, head);
    }
    for (auto& candidate : out) candidate.text.insert(0, head);
    return out;
  }

  Completions field_values(const std::string& key, std::string& head) {
    const Field* field = find_field(experiment_schema(), all_.front().config, key);
    if (!field) {
      compose_arms();
      for (const auto& composition : all_) {
        if (!field) field = find_field(experiment_schema(), composition.config, key);
      }
    }
    if (!field) return key.find('.') == std::string::npos ? options(key) : Completions();
    Completions out;
    switch (field->type) {
      case FieldType::kBool: out = plain_words({"true", "false"}); break;
      case FieldType::kEnum: out = plain_words(field->choices); break;
      case FieldType::kComponent: out = options(field->kind); break;
      default: break;
    }
    static const std::vector<std::pair<std::string, std::string>> lists = {
        {"analyses", "analysis"}, {"studies", "study"}, {"claims", "claim"}, {"trackers", "tracker"}};
    for (const auto& [list, kind] : lists) {
      if (key != list) continue;
      out = options(kind);
      if (head.empty()) head = "[";
    }
    if (field->nullable) out.push_back({"null", {}});
    return out;
  }

  PlanRequest request_;
  std::vector<Composition> all_;  // bare, then each arm
  std::vector<std::string> arms_;
};

/// One line, as far as it is typed.
class Completing {
 public:
  explicit Completing(const std::vector<std::string>& words) {
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

  /// The option whose value is the next word; "" when none is.
  static std::string value_taking(const std::string& word) {
    if (word == "-cd") return "--config-dir";
    if (const auto* flag = find_hydra_flag(word)) return flag->value == HydraFlag::kRequired && word.find('=') == std::string::npos ? flag->name : "";
    const auto* option = find_option(all_options(), word);
    return option && option->takes_value && word.size() == (begins(word, "--") ? option->name : option->letter).size() ? option->name : "";
  }

  bool composes() const { return !command_ || command_->takes_experiment; }

  Completions options() const {
    Completions out;
    const auto* command = command_ ? command_ : find_command("run");
    std::vector<std::string> first;
    if (!words_.empty()) first.push_back(words_.front());
    const bool tokenizes = command->name == std::string("data") && first == std::vector<std::string>{"tokenize"};
    for (const auto& option : options_of(*command, tokenizes ? first : std::vector<std::string>())) out.push_back({option.name, option.doc});
    if (!command_ && words_.empty()) out.push_back({"--version", ""});
    return out;
  }

  Completions option_values(const std::string& name, const std::string& typed) {
    if (name == "--arm") return plain_words(experiment().arms());
    if (name == "--explain" || name == "--package") return experiment().keys(typed, "", true);
    const auto is = [&](const char* command) { return command_ && command_->name == std::string(command); };
    if (name == "--format" && is("export")) return plain_words({"csv", "jsonl"});
    if (name == "--format" && is("report")) return plain_words({"svg", "pdf", "png", "pgf"});
    if (name == "--format") return plain_words({"yaml", "json"});
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
    if (composes()) return words_.empty() ? experiments(current_) : experiment().overrides(current_);
    return words_of(command_->name);
  }

  Completions words_of(const std::string& command) const {
    const auto n = words_.size();
    if (command == "list") {
      auto out = kinds("");
      out.push_back({"experiments", "experiment files"});
      return out;
    }
    if (command == "describe") {
      const auto slash = current_.find('/');
      return slash == std::string::npos ? kinds("/") : components(current_.substr(0, slash), current_.substr(0, slash + 1));
    }
    if (command == "help" && n == 0) {
      Completions out{{"hydra", "what Hydra's flags and keys are here"}};
      for (const auto& c : commands()) {
        if (c.summary) out.push_back({c.name, c.summary});
      }
      return out;
    }
    if (command == "completion") return n == 0 ? plain_words({"bash", "zsh", "fish", "install"}) : n == 1 && words_[0] == "install" ? plain_words({"bash", "zsh", "fish"}) : Completions();
    if (command == "plugin") return n == 0 ? plain_words({"new"}) : n == 1 ? kinds("") : Completions();
    if (command == "data") {
      if (n == 0) return plain_words({"list", "fetch", "verify", "tokenize"});
      return words_[0] == "tokenize" ? paths(current_, "") : components("dataset");
    }
    if (command == "model" && n == 0) return plain_words({"import", "export"});
    if (command == "test" || command == "bench") return programs(program_directory(), command + "_");
    if (command == "fuzz") return programs(program_directory() / "../../fuzz/bin", "fuzz_");
    if (command == "doctor" || command == "help") return {};
    if (command == "runs") return run_conditions();
    const bool several = command == "report" || command == "export" || command == "prune" || (command == "compare" && n < 2);
    const bool one = command == "status" || command == "replay" || command == "tag" || command == "note";
    Completions out;
    if (several || (one && n == 0)) out = runs();
    if (command == "tag" && n > 0) return out;
    for (auto& candidate : paths(current_, "")) out.push_back(std::move(candidate));
    return out;
  }

  Completions runs() const { return plain_words(run_words(current_, results_)); }

  /// Experiments that were run, and what their runs can be asked for; the index knows the keys.
  Completions run_conditions() const {
    Completions out{{"state=", "a job is so"}, {"arm=", "has the arm"}, {"tag=", "was tagged so"}, {"scale=", "was run at the scale"}, {"code=", "of the code, by its hash"}};
    const auto equal = current_.find('=');
    if (begins(current_, "state=")) {
      out.clear();
      for (const char* state : {"planned", "submitted", "running", "preempted", "interrupted", "completed", "diverged", "failed"}) out.push_back({std::string("state=") + state, {}});
      return out;
    }
    if (begins(current_, "tag=")) return tag_conditions();
    if (equal != std::string::npos) return {};
    for (const auto& word : run_words("", results_)) out.push_back({word, "experiment"});
    if (current_.empty()) return out;
    const auto index = RunIndex::open(results_);
    for (const auto& name : index.setting_names()) out.push_back({name + "=", {}});
    if (!quoted_) return out;  // the shell takes > and < for itself
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

  static Completions kinds(const std::string& after) {
    Completions out;
    for (const auto& kind : component_kinds()) out.push_back({kind + after, component_table(kind).doc()});
    return out;
  }

  static Completions components(const std::string& kind, const std::string& before = "") {
    Completions out;
    if (const auto* table = find_component_table(kind)) {
      for (const auto& c : table->all()) out.push_back({before + c.name, c.doc});
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

  Experiment& experiment() {
    if (!experiment_) {
      const auto file = words_.empty() ? fs::path() : find_experiment(words_.front());
      experiment_.emplace(file, std::vector<std::string>(words_.begin() + (words_.empty() ? 0 : 1), words_.end()), folders_);
      experiment_->quoted = quoted_;
    }
    return *experiment_;
  }

  const Command* command_ = nullptr;
  std::vector<std::string> words_, folders_;
  std::vector<fs::path> libraries_;
  std::string current_, open_, results_ = "results";
  bool quoted_ = false;
  std::optional<Experiment> experiment_;
};

}  // namespace

int complete_command(const Command& self, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front() != "--") return parse_arguments(self, arguments, po::options_description("options")).help ? 0 : 2;
  try {
    Completing line({arguments.begin() + 1, arguments.end()});
    for (const auto& candidate : line.candidates()) {
      fmt::print("{}{}{}\n", candidate.text, candidate.doc.empty() ? "" : "\t", candidate.doc);
    }
  } catch (const std::exception&) {  // a line that is half typed may be wrong in any way: nothing to propose
  }
  return 0;
}

}  // namespace yatlab::cli

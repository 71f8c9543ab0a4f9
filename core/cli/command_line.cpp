#include "core/cli/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/cli/experiments.h"
#include "core/cli/hydra.h"
#include "core/config/synonyms.h"
#include "core/config/yaml.h"
#include "core/system/shell.h"

namespace yatlab::cli {
namespace {

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

/// Whether `word` holds its option's value itself: --name=value, -pvalue.
bool holds_value(const Option& option, const std::string& word) {
  return word.rfind("--", 0) == 0 ? word.size() > option.name.size() : word.size() > option.letter.size();
}

/// Options of the commands that compose an experiment.
const std::vector<Option>& experiment_options() {
  static const std::vector<Option> all = [] {
    std::vector<Option> out;
    for (const auto& command : commands()) {
      if (!command.takes_experiment) continue;
      for (auto& option : options_of(command)) out.push_back(std::move(option));
    }
    return out;
  }();
  return all;
}

/// `--key=value`, the form in which the agent of a W&B sweep passes overrides. Outside such a sweep a misspelt option is not one.
bool is_dashed_override(const std::string& word) {
  const auto equal = word.find('=');
  if (word.rfind("--", 0) != 0 || equal == std::string::npos || equal == 2 || find_option(experiment_options(), word)) return false;
  const auto name = word.substr(0, equal);
  if (name.find('.') != std::string::npos || std::getenv("WANDB_SWEEP_ID")) return true;
  std::vector<std::string> names;
  for (const auto& option : experiment_options()) names.push_back(option.name);
  return nearest(name, names).empty();
}

/// `--trainer.shuffle`, the form in which the agent of a W&B sweep passes true if the sweep's command has ${args_no_boolean_flags}.
bool is_bare_flag(const std::string& word) {
  if (word.rfind("--", 0) != 0 || word.size() < 3 || word.find('=') != std::string::npos || find_option(experiment_options(), word))
    return false;
  return word.find('.') != std::string::npos || std::getenv("WANDB_SWEEP_ID");
}

/// The agent leaves out false values, which then look like values that were not set.
[[noreturn]] void refuse_boolean_flags(const std::string& what, const std::string& key) {
  throw config_error(what, "command line",
                     "in a W&B sweep, ${args_no_boolean_flags} writes true as a bare flag and omits false, so a false value looks like a "
                     "key that is not swept",
                     fmt::format("use ${{args}} in the sweep's command, which writes --{0}=True; by hand write {0}=true", key));
}

/// Booleans in the agent's parameter file must also be among the overrides.
void require_swept_booleans(const std::vector<std::string>& overrides) {
  const char* file = std::getenv("WANDB_SWEEP_PARAM_PATH");
  std::error_code ec;
  if (!std::getenv("WANDB_SWEEP_ID") || !file || !fs::is_regular_file(file, ec)) return;
  const Node parameters = load_yaml(file);
  if (!parameters.is_map()) return;
  for (const auto& [key, entry] : parameters.as_map()) {
    const Node* value = entry.find("value");
    const auto sets = [&, &name = key](const std::string& word) { return word.compare(0, name.size() + 1, name + "=") == 0; };
    if (!value || !value->is_bool() || std::any_of(overrides.begin(), overrides.end(), sets)) continue;
    refuse_boolean_flags(fmt::format("the sweep sets '{}' to {}, but the command line does not contain it", key, value->to_flow()), key);
  }
}

/// Reads the words from left to right.
class Reading {
 public:
  explicit Reading(const std::vector<std::string>& words) : words_(words) {}

  CommandLine read() {
    find_command_word();
    const bool composes = !command_ || command_->takes_experiment;
    for (at_ = 0; at_ < words_.size(); ++at_) {
      if (at_ == command_at_) continue;
      if (words_[at_] == "--") {  // only words follow
        positional_.insert(positional_.end(), words_.begin() + static_cast<std::ptrdiff_t>(at_) + 1, words_.end());
        break;
      }
      if (composes && take_hydra_flag()) continue;
      if (composes && is_dashed_override(words_[at_])) {
        (positional_.empty() ? early_ : positional_).push_back(words_[at_].substr(2));  // like options, they may come before the experiment
      } else if (composes && is_bare_flag(words_[at_])) {
        refuse_bare_key();
      } else if (is_option(words_[at_])) {
        take_option();
      } else {
        positional_.push_back(words_[at_]);
      }
    }
    return composes ? experiment_line() : plain_line();
  }

 private:
  /// The first word that is neither an option nor an option's value: a command, an experiment, or a mistake.
  void find_command_word() {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const auto& word = words_[i];
      if (word == "--") return;
      if (is_option(word)) {
        if (takes_next(i)) ++i;
        continue;
      }
      command_ = find_command(word);
      if (command_) command_at_ = i;
      return;
    }
  }

  /// Whether the word after the option at `i` is its value.
  bool takes_next(std::size_t i) const {
    if (const auto* flag = find_hydra_flag(words_[i])) {
      if (words_[i].find('=') != std::string::npos) return false;
      if (flag->value == HydraFlag::kOptional) return i + 1 < words_.size() && optional_value(*flag, words_[i + 1]);
      return flag->value == HydraFlag::kRequired;
    }
    if (words_[i] == "-cd") return true;
    const auto* option = find_option(all_options(), words_[i]);
    return option && option->takes_value && !holds_value(*option, words_[i]);
  }

  /// `--info` alone is `--info all`; the word after it may be its value or the experiment.
  static bool optional_value(const HydraFlag& flag, const std::string& word) {
    if (flag.meaning != HydraMeaning::kInfo) return word.find('=') != std::string::npos;  // --shell-completion install=bash
    static const std::vector<std::string> values = {"all", "config", "defaults", "defaults-tree", "plugins", "searchpath"};
    return std::find(values.begin(), values.end(), word) != values.end();
  }

  /// The value of a flag or option at `at_`, which moves over it.
  std::string value_of(const std::string& name) {
    const auto& word = words_[at_];
    if (const auto equal = word.find('='); word.rfind("--", 0) == 0 && equal != std::string::npos) return word.substr(equal + 1);
    if (!takes_next(at_)) return {};
    if (at_ + 1 >= words_.size()) throw config_error(fmt::format("'{}' needs a value", name), "command line");
    return words_[++at_];
  }

  bool take_hydra_flag() {
    const std::string word = words_[at_];
    if (word == "-cd") {
      options_.push_back("--config-dir");
      options_.push_back(value_of(word));
      return true;
    }
    const auto* flag = find_hydra_flag(word);
    if (!flag) return false;
    const auto value = value_of(flag->name);
    switch (flag->meaning) {
      case HydraMeaning::kConfig:
        if (value == "hydra") throw config_error("there is no 'hydra' config here", "command line", {}, "write --cfg job");
        if (value != "job" && value != "all")
          throw config_error(fmt::format("--cfg cannot be '{}'", value), "command line", {}, "write --cfg job");
        shows_config_ = true;
        break;
      case HydraMeaning::kInfo:
        shows_config_ = true;
        options_.push_back("--info=" + (value.empty() ? "all" : value));
        break;
      case HydraMeaning::kName:
        name_ = value;
        break;
      case HydraMeaning::kPath:
        folder_ = value;
        break;
      case HydraMeaning::kRun:
        break;
      case HydraMeaning::kConfigOnly:
        config_only_.emplace_back(flag, value);
        break;
      case HydraMeaning::kOther:
        refused_ = {flag, value};
        break;
    }
    return true;
  }

  void take_option() {
    const auto& word = words_[at_];
    if ((!command_ || command_->takes_experiment) && !find_option(experiment_options(), word)) refuse_foreign_option();
    if (!command_ && positional_.empty() && !find_option(all_options(), word)) unknown_option(word);
    const auto* option = find_option(experiment_options(), word);
    const auto same = [&](const std::string& before) { return is_option(before) && find_option(experiment_options(), before) == option; };
    if (option && !option->takes_value && std::any_of(options_.begin(), options_.end(), same)) return;  // -m twice
    options_.push_back(word);
    if (takes_next(at_) && at_ + 1 < words_.size()) options_.push_back(words_[++at_]);
  }

  /// `--trainer.epochs 3`, or a flag of a W&B sweep.
  [[noreturn]] void refuse_bare_key() const {
    const auto& word = words_[at_];
    const auto what = fmt::format("'{}' has no value", word);
    const bool behind_experiment = !positional_.empty() && at_ + 1 < words_.size();
    if (!behind_experiment || is_option(words_[at_ + 1]) || is_override(words_[at_ + 1])) refuse_boolean_flags(what, word.substr(2));
    throw config_error(what, "command line", "a key and its value must be one word, joined by '='",
                       "write " + shell_word(word.substr(2) + "=" + words_[at_ + 1]));
  }

  /// `--epochs 3`, which is trainer.epochs=3 here.
  void refuse_foreign_option() const {
    const auto& word = words_[at_];
    const auto equal = word.find('=');
    std::string value = equal == std::string::npos ? "" : word.substr(equal + 1);
    if (equal == std::string::npos && at_ + 1 < words_.size() && !is_option(words_[at_ + 1]) && !is_override(words_[at_ + 1]))
      value = words_[at_ + 1];
    auto key = word.substr(std::min(word.find_first_not_of('-'), word.size()));
    key.resize(std::min(key.find('='), key.size()));
    std::replace(key.begin(), key.end(), '-', '_');
    const auto hint = key_synonym(key, value);
    if (hint.empty()) return;
    throw config_error(fmt::format("unknown option '{}'", word.substr(0, equal)), "command line",
                       hint.rfind("write ", 0) == 0 ? "settings of an experiment are written key=value" : "", hint);
  }

  /// `trainer.epochs = 3`, which a shell splits into three words.
  void refuse_blanks() const {
    for (std::size_t i = 1; i < positional_.size(); ++i) {
      const auto& word = positional_[i];
      if (word.empty() || (word.front() != '=' && word.back() != '=')) continue;
      const bool key_before = word.front() == '=';
      if (key_before && (i < 2 || is_override(positional_[i - 1]))) continue;
      const bool value_behind = word.back() == '=' && i + 1 < positional_.size() && !is_override(positional_[i + 1]);
      if (!key_before && !value_behind) continue;
      const auto whole = (key_before ? positional_[i - 1] : "") + word + (value_behind ? positional_[i + 1] : "");
      throw config_error(fmt::format("'{}' has spaces around '='", shortened(whole)), "command line",
                         "the shell splits it into several words", "write " + shell_word(whole));
    }
  }

  CommandLine plain_line() const {
    // In the order typed, except options before the command: `data tokenize` reads its first word.
    CommandLine out{command_, {words_.begin() + static_cast<std::ptrdiff_t>(command_at_) + 1, words_.end()}};
    out.arguments.insert(out.arguments.end(), words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(command_at_));
    return out;
  }

  CommandLine experiment_line() {
    const std::string experiment = !name_.empty()                                            ? name_
                                   : positional_.empty() || is_override(positional_.front()) ? ""
                                                                                             : positional_.front();
    if (refused_.first) refuse_hydra_flag(*refused_.first, refused_.second, experiment);
    CommandLine out{command_, std::move(options_)};
    const bool config = shows_config_ || (command_ && command_->name == std::string("config"));
    if (shows_config_) out.command = find_command("config");
    for (const auto& [flag, value] : config_only_) {
      if (!config) refuse_hydra_flag(*flag, value, experiment);
      out.arguments.push_back(flag->name);
      if (flag->value == HydraFlag::kRequired) out.arguments.push_back(value);
    }
    if (!name_.empty()) positional_.insert(positional_.begin(), name_);
    if (!folder_.empty()) move_into_folder();
    positional_.insert(positional_.begin() + (positional_.empty() ? 0 : 1), early_.begin(), early_.end());
    if (!positional_.empty()) require_swept_booleans(positional_);
    refuse_blanks();
    if (!out.command && positional_.empty()) return asks_for_help(out) ? CommandLine{find_command("help"), {}} : no_command(out);
    if (!out.command) {
      required_experiment(positional_, name_.empty() ? "" : "run");
      out.command = find_command("run");
    }
    if (std::any_of(positional_.begin(), positional_.end(), is_option)) out.arguments.emplace_back("--");
    for (auto& word : positional_) out.arguments.push_back(std::move(word));
    return out;
  }

  static bool asks_for_help(const CommandLine& line) {
    const auto& all = line.arguments;
    return std::find(all.begin(), all.end(), "--help") != all.end() || std::find(all.begin(), all.end(), "-h") != all.end();
  }

  static CommandLine no_command(const CommandLine& line) {
    if (line.arguments.empty()) return {};
    throw config_error(fmt::format("'{}' needs a command or an experiment", line.arguments.front()), "command line",
                       "neither a command nor an experiment is given", "'yatlab help' shows the commands");
  }

  [[noreturn]] static void unknown_option(const std::string& word) {
    std::vector<std::string> names{"--version"};
    for (const auto& option : all_options()) names.push_back(option.name);
    const auto near = nearest(word.substr(0, word.find('=')), names);
    throw config_error(fmt::format("unknown option '{}'", word), "command line", {},
                       near.empty() ? "'yatlab help' shows the commands" : fmt::format("did you mean '{}'?", near));
  }

  /// --config-path DIR: the experiment is DIR/NAME.yaml.
  void move_into_folder() {
    if (positional_.empty())
      throw config_error("--config-path gives a folder, but no experiment is given", "command line", {}, "add --config-name NAME");
    fs::path file = fs::path(folder_) / positional_.front();
    if (file.extension() != ".yaml") file += ".yaml";
    positional_.front() = file.string();
  }

  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
  const Command* command_ = nullptr;
  std::size_t command_at_ = kNowhere;
  std::vector<std::string> options_, positional_, early_;
  std::string name_, folder_;
  bool shows_config_ = false;
  std::vector<std::pair<const HydraFlag*, std::string>> config_only_;
  std::pair<const HydraFlag*, std::string> refused_{nullptr, {}};
};

}  // namespace

const Option* find_option(const std::vector<Option>& options, const std::string& word) {
  if (word.rfind("--", 0) == 0) {
    const auto name = word.substr(0, word.find('='));
    const auto it = std::find_if(options.begin(), options.end(), [&](const Option& o) { return o.name == name; });
    return it == options.end() ? nullptr : &*it;
  }
  const auto it =
      std::find_if(options.begin(), options.end(), [&](const Option& o) { return !o.letter.empty() && word.rfind(o.letter, 0) == 0; });
  return it == options.end() ? nullptr : &*it;
}

const std::vector<Option>& all_options() {
  static const std::vector<Option> all = [] {
    std::vector<Option> out;
    for (const auto& command : commands()) {
      for (auto& option : options_of(command)) {
        if (!find_option(out, option.name)) out.push_back(std::move(option));
      }
    }
    return out;
  }();
  return all;
}

CommandLine read_command_line(const std::vector<std::string>& words) { return Reading(words).read(); }

}  // namespace yatlab::cli

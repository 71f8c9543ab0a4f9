#include <algorithm>
#include <cctype>

#include "core/base/files.h"
#include "core/cli/command.h"
#include "core/cli/completions.h"
#include "core/config/compose.h"
#include "core/config/interpolation.h"
#include "core/experiment/experiment_params.h"
#include "core/registry/registry.h"

namespace yatlab::cli {
namespace {

/// Whether the override grammar allows it in a key.
bool addressable(const std::string& key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return std::isalnum(u) || u >= 0x80 || c == '_' || c == '-' || c == '.';
  });
}

/// The experiment composed bare and in each arm.
class Experiment {
 public:
  explicit Experiment(const TypedExperiment& typed) : quoted_(typed.quoted) {
    request_.experiment = typed.file;
    request_.overrides = typed.overrides;
    request_.multirun = true;
    request_.config_path = config_path(request_.experiment);
    for (const auto& folder : typed.config_folders) request_.config_path.emplace_back(folder);
    compose("");
    const Node arms = resolve_at(all_.front().config, "arms");
    for (const auto& [arm, own] : arms.as_map()) arms_.push_back(arm);
  }

  const std::vector<std::string>& arms() const { return arms_; }

  /// `sign` ("", "+", "++", "~"), and the typed parts of key and value.
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

  /// Keys below the last typed '.', with the next character: '=' before a value, '.' before further keys, none after '~' and in `bare` lists.
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
    } catch (const std::exception&) {  // the overrides typed so far are invalid: use the experiment alone
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

  /// Options of a group or of a kind of components, with their descriptions.
  Completions options(const std::string& group) const {
    const Composer composer(request_.config_path, &experiment_schema());
    const auto* table = find_component_table(group);
    std::map<std::string, std::string> docs;
    if (table) {
      for (const auto& component : table->listed()) docs[component.name] = component.doc;
    }
    Completions out;
    for (const auto& option : composer.options(group, request_.experiment)) out.push_back({option, docs[option]});
    return out;
  }

  Completions values(const std::string& key, const std::string& typed) {
    // Lists and sweeps: complete the last item.
    const auto head_end = typed.find_last_of("[,");
    std::string head = head_end == std::string::npos ? "" : typed.substr(0, head_end + 1);
    std::string item = typed.substr(head.size());
    const auto start = item.find_first_not_of(' ');
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
      if (!quoted_) return {};  // the shell would remove the quotes of the list
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
      case FieldType::kBool:
        out = plain_words({"true", "false"});
        break;
      case FieldType::kEnum:
        out = plain_words(field->choices);
        break;
      case FieldType::kComponent:
        out = options(field->kind);
        break;
      default:
        break;
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

  bool quoted_;
  PlanRequest request_;
  std::vector<Composition> all_;  // bare, then each arm
  std::vector<std::string> arms_;
};

}  // namespace

Completions complete_in_experiment(const TypedExperiment& typed, ExperimentPart part, const std::string& word) {
  Experiment experiment(typed);
  switch (part) {
    case ExperimentPart::kArm:
      return plain_words(experiment.arms());
    case ExperimentPart::kKey:
      return experiment.keys(word, "", true);
    case ExperimentPart::kOverride:
      return experiment.overrides(word);
  }
  return {};
}

}  // namespace yatlab::cli

#include "core/config/compose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/defaults.h"
#include "core/config/scalar.h"
#include "core/config/synonyms.h"
#include "core/config/tree.h"
#include "core/registry/registry.h"
#include "core/system/shell.h"

namespace yatlab {
namespace {

/// Lists of components at the top of an experiment, and the kind of their items.
const std::map<std::string, std::string> kListsOf = {{"analyses", "analysis"}, {"studies", "study"}};

/// Where a group's override key puts its content: "operator", "a.b" of "a/b", "pkg" of "x@pkg".
std::string package_of_key(const std::string& key) {
  const auto at = key.find('@');
  if (at == std::string::npos) {
    std::string package = key;
    std::replace(package.begin(), package.end(), '/', '.');
    return package;
  }
  const auto package = key.substr(at + 1);
  return package == "_global_" ? "" : package;
}

bool scalar_field(const Field& field) {
  switch (field.type) {
    case FieldType::kBool:
    case FieldType::kInt:
    case FieldType::kFloat:
    case FieldType::kString:
    case FieldType::kEnum:
    case FieldType::kList:
      return true;
    default:
      return false;
  }
}

bool is_option_name(const Node& value) { return value.is_string() && !value.is_interpolation() && !value.is_missing(); }

/// The state of one composition.
class Composing {
 public:
  Composing(const ConfigSources& sources, const Schema* schema) : sources_(sources), schema_(schema) {}

  Composition run(const ConfigFilePtr& primary, const std::vector<OverrideLayer>& layers) {
    DefaultsList list(sources_);
    for (const auto& layer : layers) classify(layer, list);
    merge(list.build(primary), out_.config);
    if (out_.config.is_null()) out_.config = Node::map();
    out_.config.set_origin({primary->shown, 1, 1, {}});
    out_.choices = list.chosen();
    out_.warnings = std::move(list.warnings);
    settle_choices(list);
    settle_deletions(list);
    complete();
    drop_values_of_other_components(list);
    for (const auto& item : values_) apply(item);
    complete();
    check_dropped();
    check();
    return std::move(out_);
  }

 private:
  struct Pending {
    Override override;
    bool skippable = false;
  };

  struct Dropped {
    std::string path;
    Node value;
    Origin instead;  ///< origin of the option's own value there
    const Override* by;
  };

  // ---- what each override is ----

  bool names_group(const Override& o) const {
    if (o.key.find('.') != std::string::npos) return false;
    if (schema_ && !o.has_package) {
      const Field* field = schema_->find(o.key);
      if (field && scalar_field(*field)) return false;
    }
    return sources_.group_exists(o.key);
  }

  void classify(const OverrideLayer& layer, DefaultsList& list) {
    for (Override o : layer.overrides) {
      if (o.sweep && o.key == "seeds") {  // not a sweep: every experiment has a seeds dimension
        o.value = Node(expand_sweep(o)).set_origin(o.origin);
        o.sweep.reset();
      }
      if (o.sweep) throw_not_a_sweep(o);
      classify(std::move(o), layer.skip_inapplicable, list);
    }
  }

  void classify(Override o, bool skippable, DefaultsList& list) {
    const bool group = names_group(o);
    const auto where = o.origin.describe();
    if (group && o.value.is_string()) o.value = Node(option_name(o.value.as_string())).set_origin(o.value.origin());
    if (o.kind == OverrideKind::kDelete) {
      if (!group && !(o.key.find('.') == std::string::npos && sources_.config_exists(o.key))) return value(std::move(o), skippable);
      if (o.has_value && !group) {
        throw config_error(fmt::format("'~{}' takes no value", o.key), where, "it deletes a config, not a group's choice",
                           fmt::format("write ~{}", o.key));
      }
      if (o.has_value && !o.value.is_string()) return value(std::move(o), skippable);
      GroupDeletion deletion;
      deletion.key = address(o);
      if (o.has_value) deletion.option = o.value.as_string();
      deletion.origin = o.origin;
      list.deletions.push_back(std::move(deletion));
      groups_.push_back({std::move(o), skippable});
      return;
    }
    if (!group || o.value.is_map() || o.kind == OverrideKind::kExtend) {
      if (o.has_package || o.key.find('/') != std::string::npos) {
        if (group) {
          throw config_error(fmt::format("the group '{}' takes an option, not a map", o.key), where, {},
                             fmt::format("set values by their key: {}.key=value", package_of_key(address(o))));
        }
        throw config_error(fmt::format("there is no config group '{}'", o.key), where, "looked in " + sources_.folders_text(),
                           suggestion(o.key, sources_.groups()));
      }
      return value(std::move(o), skippable);
    }
    if (o.kind == OverrideKind::kForceAdd) {
      throw config_error(fmt::format("'++' cannot be used with the group '{}'", o.key), where, {},
                         fmt::format("write {0}=... to change the choice, or +{0}=... to add the group", address(o)));
    }
    const bool names = o.value.is_string() || (o.value.is_list() && std::all_of(o.value.as_list().begin(), o.value.as_list().end(),
                                                                                [](const Node& n) { return n.is_string(); }));
    if (!names) {
      throw config_error(fmt::format("the group '{}' takes the name of an option, found {}", o.key, describe_value(o.value)), where,
                         "options: " + join(sources_.options(o.key), ", "),
                         o.value.is_null() ? fmt::format("to remove the group write ~{}", address(o)) : "quote it if it is a name");
    }
    if (o.kind == OverrideKind::kAdd) {
      DefaultItem item;
      item.is_group = true;
      item.external = true;
      item.path = o.key;
      item.has_package = o.has_package;
      item.package = o.package;
      item.value = o.value;
      item.origin = o.origin;
      list.appended.push_back(std::move(item));
    } else {
      list.choices[address(o)] = GroupChoice{o.value, o.origin, "", false};
    }
    groups_.push_back({std::move(o), skippable});
  }

  void value(Override o, bool skippable) { values_.push_back({std::move(o), skippable}); }

  /// The override key that an override addresses; `group@` is the global package.
  static std::string address(const Override& o) {
    if (!o.has_package) return o.key;
    std::string plain = o.key;
    std::replace(plain.begin(), plain.end(), '/', '.');
    if (plain == o.package) return o.key;
    return o.key + "@" + (o.package.empty() ? "_global_" : o.package);
  }

  /// Where the schema expects a component, judged by the config merged so far.
  ComponentTest component_test() const {
    if (!schema_) return {};
    return [this](const std::string& path) {
      const Field* field = find_field(*schema_, out_.config, path);
      return field && field->type == FieldType::kComponent;
    };
  }

  // ---- groups ----

  void merge(const std::vector<ResultDefault>& results, Node& into) {
    for (const auto& result : results) {
      if (!result.file->shown.empty() && std::find(out_.files.begin(), out_.files.end(), result.file->shown) == out_.files.end()) {
        out_.files.push_back(result.file->shown);
      }
      Node& target = make_path(into, result.package, result.file->content.origin());
      if (target.is_null()) {
        target = result.file->content;
      } else {
        merge_into(target, result.file->content, result.package, out_.replaced, component_test());
      }
    }
  }

  Node option_node(const std::string& group, const Node& option) {
    DefaultsList list(sources_);
    Node node;
    merge(list.build_option(group, option.as_string(), option.origin()), node);
    for (auto& warning : list.warnings) out_.warnings.push_back(std::move(warning));
    return node;
  }

  void replace(const std::string& path, Node node, const Origin& origin) {
    const bool existed = out_.config.find_path(path) != nullptr;
    Node& target = make_path(out_.config, path, origin);
    if (existed) out_.replaced[path].push_back(std::move(target));
    target = std::move(node);
  }

  /// Applies choices that no defaults list used. They replace fields of the root schema as a whole, except for values that files set along with the
  /// same choice.
  void settle_choices(const DefaultsList& list) {
    for (auto& item : groups_) {
      const Override& o = item.override;
      if (o.kind == OverrideKind::kDelete) continue;
      const auto key = address(o);
      const auto package = package_of_key(key);
      if (o.kind == OverrideKind::kAdd) {
        out_.applied.push_back(o);
        continue;
      }
      const auto& choice = list.choices.at(key);
      if (choice.origin.text != o.text || choice.origin.source != o.origin.source) continue;  // a later layer won
      const Field* field = schema_ ? find_field(*schema_, out_.config, package) : nullptr;
      const bool component = field && field->type == FieldType::kComponent && is_option_name(o.value);
      if (!choice.used && !component) {
        if (item.skippable) {
          out_.skipped.push_back(o.text);
          continue;
        }
        not_in_defaults(o, key, list);
      }
      out_.applied.push_back(o);
      if (!component) continue;
      const Node* name = out_.config.find_path(package.empty() ? "name" : package + ".name");
      const Node* file_name = nullptr;
      Node option;
      if (choice.used && name) {
        option = option_node(o.key, o.value);
        file_name = option.find("name");
        if (!file_name || *file_name == *name) continue;
        // The experiment's own content names another component: the override wins.
      } else {
        option = option_node(o.key, o.value);
      }
      see_replaced(option, package, o.value, field->kind, o);
      replace(package, std::move(option), o.origin);
      if (!choice.used) out_.choices.emplace_back(key, o.value.as_string());
    }
  }

  /// `option`, named `chosen`, is about to replace the value at `path`. If the choice is the same, values from files are merged into it; otherwise
  /// they are recorded.
  void see_replaced(Node& option, const std::string& path, const Node& chosen, const std::string& kind, const Override& o) {
    const Node* const present = out_.config.find_path(path);
    const Node* const name = present && present->is_map() ? present->find("name") : nullptr;
    if (!name) return;
    const auto* const table = find_component_table(kind);
    const auto component = [&](const Node& called) { return table && called.is_string() ? table->find(called.as_string()) : nullptr; };
    if (*name != chosen && !(component(chosen) && component(*name) == component(chosen))) {
      return see_dropped(*present, path, "", kind, o, option);
    }
    Node written = *present;
    strip_defaults(written);
    written.erase("name");
    merge_into(option, written, path, out_.replaced, component_test());
  }

  /// Records values that a file set along with the choice at `path`, which `o` replaces by `option`, but not those of the chosen option's own file.
  void see_dropped(const Node& written, const std::string& path, const std::string& inside, const std::string& kind, const Override& o,
                   const Node& option) {
    for (const auto& [key, value] : written.as_map()) {
      const auto here = join_key(inside, key);
      if (value.is_map() && !value.has("name")) {
        see_dropped(value, path, here, kind, o, option);
      } else if (key != "name" && !value.is_default() &&
                 (!is_of_option(value, kind) || value.origin().source == out_.config.origin().source)) {
        const Node* const instead = option.find_path(here);
        dropped_.push_back({join_key(path, here), value, instead ? instead->origin() : Origin(), &o});
      }
    }
  }

  /// Checks the recorded values: each still applies with the new choice, was replaced itself, or has no effect there.
  void check_dropped() {
    std::vector<std::string> lost;
    const Override* by = nullptr;
    std::string keeping;
    for (const auto& item : dropped_) {
      const Node* now = out_.config.find_path(item.path);
      if (!now || *now == item.value) continue;
      if (!now->is_default() && now->origin().describe() != item.instead.describe()) continue;
      if (by && by != item.by) continue;
      by = item.by;
      lost.push_back(fmt::format("{} ({})", format_override(item.path, item.value), item.value.origin().describe()));
      keeping += " " + shell_word(format_override(item.path, item.value));
    }
    if (!by) return;
    const auto place = package_of_key(address(*by));
    const Field* const field = find_field(*schema_, out_.config, place);
    std::string hint = "add" + keeping + " to keep it";
    const auto* const table = field ? find_component_table(field->kind) : nullptr;
    if (table && table->find(by->value.as_string()))
      hint += fmt::format(", or write {} to remove it", shell_word(fmt::format("{}={{name: {}}}", place, by->value.as_string())));
    throw config_error(fmt::format("'{}' would remove what a file sets: {}", by->text, join(lost, ", ")), by->origin.describe(),
                       "it is not in a defaults list, so the override replaces all of it", hint);
  }

  /// Keys that hold a component of a kind.
  void places_of_kind(const std::string& kind, const std::string& path, const Node& node, std::vector<std::string>& out) const {
    if (!node.is_map()) return;
    for (const auto& [key, item] : node.as_map()) {
      const auto place = join_key(path, key);
      const Field* field = find_field(*schema_, out_.config, place);
      if (field && field->type == FieldType::kComponent && field->kind == kind) out.push_back(place);
      places_of_kind(kind, place, item, out);
    }
  }

  [[noreturn]] void not_in_defaults(const Override& o, const std::string& key, const DefaultsList& list) {
    const auto known = list.known_keys();
    std::vector<std::string> same_group;
    for (const auto& k : known) {
      if (k.substr(0, k.find('@')) == o.key) same_group.push_back(k);
    }
    const auto& candidates = same_group.empty() ? known : same_group;
    std::string hint = same_group.size() == 1 ? fmt::format("did you mean '{}'?", same_group[0]) : suggestion(key, candidates);
    if (!hint.empty()) hint += "; ";
    hint += "to add it write " + shell_word("+" + o.written());
    if (key == "tracker" && o.value.is_list()) {
      std::string names = "console";
      for (const auto& name : o.value.as_list()) names += "," + name.as_string();
      hint = "write " + shell_word("trackers=[" + names + "]");
    }
    // Some kinds have no key at the top level, only inside other components: dataset.tokenizer.
    if (schema_ && !o.has_package && !schema_->find(o.key) && find_component_table(o.key)) {
      complete();  // defaults contain components too
      std::vector<std::string> inside;
      places_of_kind(o.key, "", out_.config, inside);
      for (auto& place : inside) place = format_override(place, o.value);
      hint = inside.empty() ? fmt::format("no key here takes a component of kind '{}'", o.key) : "write " + join(inside, " or ");
    }
    throw config_error(fmt::format("cannot change the choice of '{}'", key), o.origin.describe(), "the group is not in a defaults list",
                       hint);
  }

  void settle_deletions(DefaultsList& list) {
    std::size_t at = 0;
    for (auto& item : groups_) {
      if (item.override.kind != OverrideKind::kDelete) continue;
      const auto& deletion = list.deletions[at++];
      if (deletion.used) {
        out_.applied.push_back(item.override);
        settle_deleted(item.override, package_of_key(deletion.key), {});
        continue;
      }
      // Not in a defaults list, but the file itself may have it.
      const auto package = package_of_key(deletion.key);
      if (!deletion.option && !item.override.has_package && !package.empty() && out_.config.find_path(package)) {
        Override o = item.override;
        o.key = package;
        o.has_package = false;
        values_.insert(values_.begin(), {std::move(o), item.skippable});
        continue;
      }
      if (item.skippable) {
        out_.skipped.push_back(item.override.text);
        continue;
      }
      std::string chosen;
      for (const auto& [key, option] : out_.choices) {
        if (key == deletion.key) chosen = option;
      }
      throw config_error(fmt::format("'{}' deletes nothing", item.override.text), deletion.origin.describe(),
                         chosen.empty() ? "it is not in a defaults list" : fmt::format("the choice is '{}'", chosen),
                         chosen.empty() ? suggestion(deletion.key, list.known_keys()) : fmt::format("write ~{}", deletion.key));
    }
  }

  // ---- the schema ----

  void complete() {
    if (!schema_) return;
    load_named_options(schema_->fields, out_.config);
    schema_->complete(out_.config, "the experiment");
    canonicalise(*schema_, out_.config);
  }

  /// `operator: yat` in a file means the option `yat`, with the values of its file if it has one.
  void load_named_options(const std::vector<Field>& fields, Node& node) {
    if (!node.is_map()) return;
    for (const auto& field : fields) {
      Node* value = node.find(field.name);
      if (!value) continue;
      if (field.type == FieldType::kGroup) {
        load_named_options(field.fields, *value);
      } else if (field.type == FieldType::kComponent) {
        if (is_option_name(*value)) *value = option_node(field.kind, *value);
        const Node* name = value->find("name");
        if (!name && value->is_map()) name = field.default_value.find("name");
        load_options_of(field.kind, name, *value);
      } else if (const auto kind = kListsOf.find(field.name);
                 kind != kListsOf.end() && field.type == FieldType::kList && value->is_list()) {
        for (auto& item : value->as_list()) load_options_of(kind->second, item.find("name"), item);
      }
    }
  }

  /// Does the same for the parameters of a component.
  void load_options_of(const std::string& kind, const Node* name, Node& parameters) {
    const auto* table = name && name->is_string() ? find_component_table(kind) : nullptr;
    const auto* component = table ? table->find(name->as_string()) : nullptr;
    if (component) load_named_options(component->schema.fields, parameters);
  }

  /// After a group's choice has changed, values from files may be meant for the former choice. Leaves out, with a warning, values that the new
  /// component does not declare but another one of its kind does. Values of the file that changed the choice stay.
  void drop_values_of_other_components(const DefaultsList& list) {
    if (!schema_) return;
    for (const auto& [key, choice] : list.choices) {
      const auto package = package_of_key(key);
      const Field* field = find_field(*schema_, out_.config, package);
      Node* values = out_.config.find_path(package);
      const auto* table = field && field->type == FieldType::kComponent ? find_component_table(field->kind) : nullptr;
      const Node* name = table && values && values->is_map() ? values->find("name") : nullptr;
      const auto* component = name && name->is_string() ? table->find(name->as_string()) : nullptr;
      if (!component) continue;
      for (const auto& [parameter, value] : values->as_map()) {
        if (!component->schema.find(parameter)) table->load_those_with(parameter);
      }
      std::vector<const std::vector<Field>*> others;
      for (const auto& other : table->all()) others.push_back(&other.schema.fields);
      std::vector<std::string> left_out;
      leave_out(component->schema.fields, others, *values, package, choice.file, left_out);
      if (left_out.empty()) continue;
      out_.warnings.push_back(
          fmt::format("{}={} ignores what was set for a different {}: {}", key, name->as_string(), field->kind, join(left_out, ", ")));
    }
  }

  /// Whether an override deletes exactly this key: then it is no error that the key is already gone.
  bool is_deleted(const std::string& key) const {
    return std::any_of(values_.begin(), values_.end(),
                       [&](const Pending& item) { return item.override.kind == OverrideKind::kDelete && item.override.key == key; });
  }

  void leave_out(const std::vector<Field>& own, const std::vector<const std::vector<Field>*>& others, Node& values, const std::string& path,
                 const std::string& kept_file, std::vector<std::string>& left_out) {
    const auto called = [](const std::vector<Field>& fields, const std::string& name) {
      const auto it = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == name; });
      return it == fields.end() ? nullptr : &*it;
    };
    if (std::any_of(own.begin(), own.end(), [](const Field& f) { return f.rest; })) return;
    std::vector<std::string> keys;
    for (auto& [key, value] : values.as_map()) {
      if (key == "name" || value.is_default()) continue;
      std::vector<const std::vector<Field>*> inside;
      bool elsewhere = false;
      for (const auto* const fields : others) {
        const Field* const other = called(*fields, key);
        if (!other) continue;
        elsewhere = true;
        if (other->type == FieldType::kGroup) inside.push_back(&other->fields);
      }
      const Field* const field = called(own, key);
      const auto here = join_key(path, key);
      if (field && field->type == FieldType::kGroup && value.is_map()) leave_out(field->fields, inside, value, here, kept_file, left_out);
      if (field || !elsewhere || value.origin().source == kept_file || is_deleted(here)) continue;
      left_out.push_back(fmt::format("{} ({})", format_override(here, value), value.origin().describe()));
      keys.push_back(key);
    }
    for (const auto& key : keys) {
      out_.replaced[join_key(path, key)].push_back(*values.find(key));
      values.erase(key);
    }
  }

  void check() {
    if (!schema_) return;
    check_keys(*schema_, out_.config);
    schema_->check(out_.config, "", false);
  }

  /// Strips the defaults of the component that contains `path`, if any, so that a new name gets its own defaults.
  void refresh_components(const std::string& path) {
    if (!schema_) return;
    std::string prefix;
    for (const auto& segment : split(path, '.')) {
      prefix = join_key(prefix, segment);
      const Field* field = find_field(*schema_, out_.config, prefix);
      Node* node = out_.config.find_path(prefix);
      if (field && node && field->type == FieldType::kComponent) {
        strip_defaults(*node);
        break;
      }
    }
    complete();
  }

  // ---- values ----

  /// True when the missing key belongs to another component of the same kind.
  bool legal_elsewhere(const std::string& path) const {
    if (!schema_) return true;
    const auto [existing, missing] = split_existing(out_.config, path);
    if (existing.empty()) return false;
    const Field* field = find_field(*schema_, out_.config, existing);
    if (!field || field->type != FieldType::kComponent) return false;
    const auto* table = find_component_table(field->kind);
    if (!table) return false;
    const std::string& key = missing;
    table->load_those_with(key);
    return std::any_of(table->all().begin(), table->all().end(),
                       [&](const Component& c) { return c.schema.find(key) != nullptr || c.schema.rest() != nullptr; });
  }

  /// Whether the component at the missing key's place accepts undeclared keys. `named`: only if the key occurs as a word in one of its texts, as a
  /// parameter does in a formula. So an override for all arms reaches only the arms that use the key.
  bool takes_freely(const std::string& path, bool named) const {
    const auto [existing, missing] = split_existing(out_.config, path);
    const Field* field = schema_ && join_key(existing, missing) == path ? find_field(*schema_, out_.config, existing) : nullptr;
    const Node* values = field && field->type == FieldType::kComponent ? out_.config.find_path(existing) : nullptr;
    const Node* name = values && values->is_map() ? values->find("name") : nullptr;
    const auto* table = name && name->is_string() ? find_component_table(field->kind) : nullptr;
    const auto* component = table ? table->find(name->as_string()) : nullptr;
    if (!component || !component->schema.rest()) return false;
    const std::string& key = missing;
    return !named || std::any_of(values->as_map().begin(), values->as_map().end(),
                                 [&](const auto& entry) { return entry.second.is_string() && has_word(entry.second.as_string(), key); });
  }
  static bool has_word(const std::string& text, const std::string& word) {
    const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      const auto end = at + word.size();
      if ((at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end]))) return true;
    }
    return false;
  }

  /// "did you mean 'operator.epsilon'? (operator yat has it)": the nearest parameter of any component
  /// that is possible at `existing`, if the present one has nothing like `missing`.
  std::string hint_from_siblings(const std::string& existing, const std::string& missing) const {
    const Field* field = schema_ && !existing.empty() ? find_field(*schema_, out_.config, existing) : nullptr;
    const auto* table = field && field->type == FieldType::kComponent ? find_component_table(field->kind) : nullptr;
    if (!table) return {};
    std::vector<std::string> owners, keys;
    table->load_those_with(missing);
    for (const auto& component : table->all()) {
      if (component.schema.find(missing)) owners.push_back(component.name);
      for (const auto& name : component.schema.names()) keys.push_back(name);
    }
    if (!owners.empty()) return fmt::format("'{}' is a parameter of the {} {}", missing, field->kind, join(owners, ", "));
    const auto near = nearest(missing, keys);
    for (const auto& component : table->all()) {
      if (!near.empty() && component.schema.find(near)) {
        return fmt::format("did you mean '{}.{}'? ({} '{}' has it)", existing, near, field->kind, component.name);
      }
    }
    return {};
  }

  [[noreturn]] void no_such_key(const Override& o, const char* verb) const {
    const auto [existing, missing] = split_existing(out_.config, o.key);
    const Node* parent = out_.config.find_path(existing);
    std::string why;
    if (parent && !parent->is_map() && !existing.empty()) {
      why = parent->is_list() ? fmt::format("the list '{}' has {} items, counted from 0", existing, parent->size())
                              : fmt::format("'{}' is {}", existing, describe_value(*parent));
    } else {
      why = existing.empty() ? fmt::format("there is no key '{}'", missing) : fmt::format("'{}' has no key '{}'", existing, missing);
      if (const Node* name = parent ? parent->find("name") : nullptr; name && name->is_string() && !existing.empty()) {
        why += fmt::format(" (it is '{}')", name->as_string());
      }
    }
    std::string hint = missing_key_hint(out_.config, o.key);
    if (hint.find("did you mean") == std::string::npos) {
      if (auto better = hint_from_siblings(existing, missing); !better.empty()) hint = std::move(better);
    }
    if (schema_) {
      const auto equal = o.written().find('=');
      const auto value = equal == std::string::npos ? "" : o.written().substr(equal + 1);
      if (auto here = key_synonym(o.key, value); !here.empty()) hint = std::move(here);
      // Users choose the names of arms, scales and labels.
      const Field* field = existing.empty() ? nullptr : find_field(*schema_, out_.config, existing);
      if (field && field->type == FieldType::kMap && o.kind == OverrideKind::kChange)
        hint = fmt::format("{}{}to add it: {}", hint.rfind("did you", 0) == 0 ? hint : "", hint.rfind("did you", 0) == 0 ? "; " : "",
                           shell_word("+" + o.written()));
    }
    // With a schema, adding an unknown key would not help.
    if (!schema_ && o.kind != OverrideKind::kDelete) hint += (hint.empty() ? "" : "; ") + fmt::format("to add it write +{}", o.written());
    throw config_error(fmt::format("cannot {} '{}'", verb, o.key), o.origin.describe(), why, hint);
  }

  /// In a composition without schema maps are closed: merging must not add new keys.
  void check_closed(const Node& target, const Node& source, const std::string& path, const Override& o) const {
    if (schema_ || !target.is_map() || !source.is_map()) return;
    for (const auto& [key, item] : source.as_map()) {
      const auto here = join_key(path, key);
      const Node* present = target.find(key);
      if (!present) {
        throw config_error(fmt::format("cannot change '{}'", here), o.origin.describe(), fmt::format("'{}' has no key '{}'", path, key),
                           fmt::format("to add it write +{}", o.text));
      }
      check_closed(*present, item, here, o);
    }
  }

  void clear_default_flags(const std::string& path) {
    Node* at = &out_.config;
    for (const auto& segment : split(path, '.')) {
      at = at->find_path(segment);
      if (!at) return;
      at->set_default(false);
    }
  }

  void put(const Override& o) {
    const Field* field = schema_ ? find_field(*schema_, out_.config, o.key) : nullptr;
    Node value = o.value;
    const bool names_component = o.key.size() > 5 && o.key.compare(o.key.size() - 5, 5, ".name") == 0;
    const bool refresh = value.is_map() || names_component || (field && field->type == FieldType::kComponent);
    bool merge_maps = true;
    if (field) {
      convert_to_field(value, *field);
      if (field->type == FieldType::kComponent && is_option_name(value)) {
        const Node chosen = std::move(value);
        value = option_node(field->kind, chosen);
        see_replaced(value, o.key, chosen, field->kind, o);
        merge_maps = false;
      }
    }
    const bool existed = out_.config.find_path(o.key) != nullptr;
    Node& target = make_path(out_.config, o.key, o.origin);
    if (merge_maps && target.is_map() && value.is_map()) {
      merge_into(target, value, o.key, out_.replaced, component_test());
    } else {
      if (existed) out_.replaced[o.key].push_back(std::move(target));
      target = std::move(value);
    }
    clear_default_flags(o.key);
    if (refresh) refresh_components(o.key);
  }

  void apply(const Pending& item) {
    const Override& o = item.override;
    Node* present = out_.config.find_path(o.key);
    const bool must_exist = o.kind == OverrideKind::kChange || o.kind == OverrideKind::kDelete || o.kind == OverrideKind::kExtend;
    if (must_exist && !present && !(o.kind == OverrideKind::kChange && takes_freely(o.key, item.skippable))) {
      if (item.skippable && legal_elsewhere(o.key)) {
        out_.skipped.push_back(o.text);
        return;
      }
      no_such_key(o, o.kind == OverrideKind::kDelete ? "delete" : "change");
    }
    switch (o.kind) {
      case OverrideKind::kChange:
        if (present) check_closed(*present, o.value, o.key, o);
        put(o);
        break;
      case OverrideKind::kAdd:
        if (present && !present->is_null() && !present->is_missing() && !o.value.is_map() && !o.value.is_list()) {
          throw config_error(
              fmt::format("cannot add '{}'", o.key), o.origin.describe(),
              fmt::format("it already exists, with the value {}", shortened(present->to_flow())),
              fmt::format("write {} to change it, or {} to add or change", shell_word(o.text.substr(1)), shell_word("+" + o.text)));
        }
        put(o);
        break;
      case OverrideKind::kForceAdd:
        put(o);
        break;
      case OverrideKind::kExtend: {
        if (!present->is_list()) {
          throw config_error(fmt::format("cannot extend '{}'", o.key), o.origin.describe(),
                             fmt::format("it is {}, not a list", with_article(*present)), fmt::format("write {}=[...]", o.key));
        }
        out_.replaced[o.key].push_back(*present);
        for (const auto& extra : o.value.as_list()) present->push_back(extra);
        present->set_origin(o.origin);
        clear_default_flags(o.key);
        break;
      }
      case OverrideKind::kDelete:
        if (Node given = o.value; o.has_value) {
          if (const Field* field = schema_ ? find_field(*schema_, out_.config, o.key) : nullptr) convert_to_field(given, *field);
          if (*present != given) {
            throw config_error(fmt::format("cannot delete '{}'", o.key), o.origin.describe(),
                               fmt::format("its value is {}, not {}", shortened(present->to_flow()), shortened(given.to_flow())),
                               fmt::format("write ~{}", o.key));
          }
        }
        {
          const Node before = *present;
          erase(o.key);
          settle_deleted(o, o.key, before);
        }
        break;
    }
    out_.applied.push_back(o);
  }

  static bool all_default(const Node& node) {
    if (!node.is_map() || node.size() == 0) return node.is_default();
    return std::all_of(node.as_map().begin(), node.as_map().end(), [](const auto& entry) { return all_default(entry.second); });
  }

  /// Handles a deleted key that the schema declares: it becomes null if the schema allows that, else its default applies. Config error where the
  /// default would be a surprise. `before`: the former value; empty for a dropped choice.
  void settle_deleted(const Override& o, const std::string& path, const std::optional<Node>& before) {
    const Field* field = schema_ ? find_field(*schema_, out_.config, path) : nullptr;
    if (!field || out_.config.find_path(path)) return;
    const auto where = o.origin.describe();
    if (field->nullable && !(before && before->is_null())) {
      make_path(out_.config, path, o.origin) = Node().set_origin(o.origin);
      return;
    }
    const bool component = field->type == FieldType::kComponent && !field->nullable;
    if (component || field->default_value.is_missing()) {
      const Node* name = field->default_value.find("name");
      throw config_error(
          fmt::format("cannot delete '{}'", path), where,
          name ? fmt::format("it is required, so its default, {}, would replace it", shortened(name->to_flow())) : "it is required",
          component ? fmt::format("choose a different one: {}=...; choices: {}", path, join(sources_.options(field->kind), ", "))
                    : fmt::format("change it: {}=...", path));
    }
    if (before && all_default(*before)) {
      throw config_error(fmt::format("'{}' deletes nothing", o.text), where,
                         fmt::format("'{}' already has its default, {}", path, shortened(before->to_flow())),
                         fmt::format("remove the override, or change the value: {}=...", path));
    }
  }

  void erase(const std::string& path) {
    out_.replaced[path].push_back(*out_.config.find_path(path));
    // The last key may itself contain dots (arms.yat_0.01).
    for (auto dot = path.rfind('.');; dot = dot == 0 ? std::string::npos : path.rfind('.', dot - 1)) {
      const bool top = dot == std::string::npos;
      Node* parent = top ? &out_.config : out_.config.find_path(path.substr(0, dot));
      const std::string last = top ? path : path.substr(dot + 1);
      if (parent && parent->is_list()) {
        auto& list = parent->as_list();
        list.erase(list.begin() + std::stol(last));
        return;
      }
      if (top || (parent && parent->has(last))) {
        parent->erase(last);
        return;
      }
    }
  }

  const ConfigSources& sources_;
  const Schema* schema_;
  std::vector<Dropped> dropped_;
  Composition out_;
  std::vector<Pending> groups_, values_;
};

}  // namespace

OverrideLayer::OverrideLayer(const std::string& source, const std::vector<std::string>& texts, bool skip) : skip_inapplicable(skip) {
  for (const auto& text : texts) overrides.push_back(parse_override(text, source));
}

class Composer::Impl {
 public:
  std::vector<fs::path> search_path;
  const Schema* schema = nullptr;
  mutable FileCache cache;

  ConfigSources sources(const fs::path& primary) const {
    std::vector<fs::path> folders;
    if (!primary.empty()) folders.push_back(primary.parent_path());
    for (const auto& folder : search_path) {
      if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
    }
    return {std::move(folders), cache};
  }
  /// Whether `key` names a group (rather than a value) for an override.
  bool is_group(const std::string& key) const {
    if (key.find('.') != std::string::npos) return false;
    const Field* field = schema ? schema->find(key) : nullptr;
    return !(field && scalar_field(*field)) && sources({}).group_exists(key);
  }
};

Composer::Composer(std::vector<fs::path> search_path, const Schema* root_schema) : impl_(std::make_unique<Impl>()) {
  impl_->search_path = std::move(search_path);
  impl_->schema = root_schema;
}
Composer::~Composer() = default;
Composer::Composer(Composer&&) noexcept = default;
Composer& Composer::operator=(Composer&&) noexcept = default;

Composition Composer::compose(const fs::path& primary, const std::vector<OverrideLayer>& layers) const {
  const ConfigFilePtr file = impl_->cache.load(primary, "");
  if (!file) {
    std::vector<std::string> beside;
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator(primary.has_parent_path() ? primary.parent_path() : fs::path("."), ec)) {
      if (entry.path().extension() == ".yaml") beside.push_back(entry.path().filename().string());
    }
    std::sort(beside.begin(), beside.end());
    throw config_error(fmt::format("there is no experiment file '{}'", primary.string()), {}, {},
                       suggestion(primary.filename().string(), beside));
  }
  const auto sources = impl_->sources(primary);
  return Composing(sources, impl_->schema).run(file, layers);
}

Composition Composer::compose_content(const Node& content, const std::vector<OverrideLayer>& layers) const {
  auto file = std::make_shared<ConfigFile>();
  file->content = content;
  DefaultItem self;
  self.is_self = true;
  file->defaults.push_back(std::move(self));
  const auto sources = impl_->sources({});
  return Composing(sources, impl_->schema).run(file, layers);
}

std::vector<std::string> Composer::options(const std::string& group, const fs::path& primary) const {
  return impl_->sources(primary).options(group);
}

std::string Composer::explain(const Composition& composition, const std::string& key) const {
  const Node* node = composition.config.find_path(key);
  if (key.empty() || !node) {
    throw config_error(fmt::format("there is no key '{}'", key), {}, {}, missing_key_hint(composition.config, key));
  }
  const auto set_by = [](const Node& n) { return n.origin().source.empty() ? std::string("nobody") : n.origin().describe(); };
  std::string out = fmt::format("{} = {}\n", key, node->to_flow());
  if (node->is_map() && node->size() > 0) {
    out += "  set by:\n";
    for (const auto& [name, value] : node->as_map()) out += fmt::format("    {}: {}\n", name, set_by(value));
  } else {
    out += fmt::format("  set by: {}\n", set_by(*node));
  }
  for (const auto& o : composition.applied) {
    // The override that chose the group explains why its file is there.
    if (o.key.find('.') != std::string::npos || !o.value.is_string()) continue;
    const auto package = package_of_key(o.address());
    const bool covers = key == package || key.rfind(package + ".", 0) == 0;
    if (covers && node->origin().text != o.text && impl_->is_group(o.key)) {
      out += fmt::format("  chosen by: {}\n", o.origin.describe());
    }
  }
  if (const auto history = composition.replaced.find(key); history != composition.replaced.end()) {
    for (auto it = history->second.rbegin(); it != history->second.rend(); ++it) {
      out += fmt::format("  replaced: {} from {}\n", it->to_flow(), set_by(*it));
    }
  }
  if (impl_->schema) {
    if (const Field* field = find_field(*impl_->schema, composition.config, key)) {
      out += fmt::format("  type: {}\n", field->type_text());
      if (!field->doc.empty()) out += fmt::format("  meaning: {}\n", field->doc);
    }
  }
  return out;
}

}  // namespace yatlab

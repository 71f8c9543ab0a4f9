#include "core/compose/composed_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/compose/arm_families.h"
#include "core/compose/removed_arms.h"
#include "core/compose/sweeper.h"
#include "core/config/interpolation.h"
#include "core/config/synonyms.h"
#include "core/experiment/experiment_params.h"
#include "core/registry/plugin_library.h"

namespace yatlab {
namespace {

std::vector<fs::path> config_folders(const PlanRequest& request) {
  std::vector<fs::path> out = request.config_path;  // the composer puts the experiment's own folder first
  for (const auto& dir : plugin_config_dirs()) out.push_back(dir);
  return out;
}

// seeds=range(0,10) is a dimension of every experiment, not a sweep.
bool sweeps(const Override& o) { return o.is_sweep() && o.key != "seeds"; }

/// The overrides in the list of an arm or a scale. Neither may contain a sweep.
std::vector<Override> override_list(const Node& node, const std::string& kind, const std::string& name, const char* instead) {
  const auto what = fmt::format("{} '{}'", kind, name);
  if (!node.is_list()) {
    const bool dotted = node.is_map() && kind == "arm" && node.origin().line == 0 && node.size() == 1 &&
                        node.as_map().front().second.is_list();  // +arms.yat_0.05=[...]
    throw config_error(
        fmt::format("{} must be a list of overrides, found {}", what, shortened(node.to_flow())), node.origin().describe(), {},
        dotted          ? "a new name that contains a dot must be given in a map: \"+arms={'yat_0.05': ['operator=yat']}\""
        : kind == "arm" ? "write it as ['operator=yat','operator.epsilon=1e-5'], or a formula as {f: \"dot^2 / (dist2 + eps)\", eps: 1e-3}"
                        : "write it as [operator=yat, operator.epsilon=1e-5]");
  }
  std::vector<Override> out;
  for (const auto& item : node.as_list()) {
    if (!item.is_string()) {
      throw config_error(fmt::format("{}: {} is not an override", what, shortened(item.to_flow())), item.origin().describe(), {},
                         "write key=value, in quotes where YAML needs them");
    }
    auto parsed = parse_override(item.as_string(), kind + " " + name);
    if (sweeps(parsed)) {
      throw config_error(fmt::format("{} cannot sweep '{}'", what, parsed.address()), item.origin().describe(),
                         fmt::format("'{}' gives it several values", parsed.text), instead);
    }
    out.push_back(std::move(parsed));
  }
  return out;
}

/// Whether a list item is itself an override. False if it comes from an interpolation, or if its key holds one.
bool is_plain_override(const Node& item) {
  if (!item.is_string() || !item.is_interpolation()) return false;
  const auto& text = item.as_string();
  const auto equal = text.find('=');
  return equal != std::string::npos && equal < text.find("${");
}

/// Lists of overrides by name: the arms, families or scales of `config`. As on the command line, interpolations in an override's
/// value are resolved where it is applied.
Node override_lists(const Node& config, const char* key) {
  Node waiting = config;
  const auto each = [](Node& lists, const std::function<void(const std::string&, std::size_t, Node&)>& see) {
    if (!lists.is_map()) return;
    for (auto& [name, list] : lists.as_map()) {
      if (!list.is_list()) continue;
      for (std::size_t i = 0; i < list.size(); ++i) see(name, i, list.as_list()[i]);
    }
  };
  std::map<std::pair<std::string, std::size_t>, Node> kept;
  each(*waiting.find(key), [&](const std::string& name, std::size_t i, Node& item) {
    if (!is_plain_override(item)) return;
    kept[{name, i}] = item;
    item = escape_interpolations(item);
  });
  Node out = escape_interpolations(resolve_at(waiting, key));
  if (kept.empty()) return out;
  each(out, [&](const std::string& name, std::size_t i, Node& item) {
    if (const auto as_written = kept.find({name, i}); as_written != kept.end()) item = as_written->second;
  });
  return out;
}

/// `mine: {f: "dot^2 / (dist2 + eps)", eps: 1e-3}` is an arm with that operator; keys with a dot are separate overrides.
void write_out_formulas(Node& arms) {
  if (!arms.is_map()) return;
  for (auto& [name, arm] : arms.as_map()) {
    if (!arm.is_map() || !arm.has("f")) continue;
    Node overrides = Node::list();
    const auto add = [&, &arm = arm](const std::string& text) { overrides.push_back(Node(text).set_origin(arm.origin())); };
    add("operator=formula");
    add(format_override("operator.f", arm.at("f")));
    for (const auto& [key, value] : arm.as_map()) {
      if (key != "f") add(format_override((key.find('.') == std::string::npos ? "operator." : "") + key, value));
    }
    overrides.set_origin(arm.origin());
    arm = std::move(overrides);
  }
}

/// Whether two overrides set the same key in the same way, so that the later one wins.
bool same_target(const Override& a, const Override& b) {
  const auto sets = [](const Override& o) { return o.kind == OverrideKind::kChange || o.kind == OverrideKind::kForceAdd; };
  return a.address() == b.address() && (a.kind == b.kind || (sets(a) && sets(b)));
}

/// `-m seed=0,1`: says what to write for all values. Composing would name only the first.
void refuse_foreign_sweep(const Override& o) {
  if (o.kind != OverrideKind::kChange || experiment_schema().find(o.key.substr(0, o.key.find_first_of("./")))) return;
  if (const auto hint = key_synonym(o.key, o.text.substr(o.text.find('=') + 1)); !hint.empty())
    throw config_error(fmt::format("cannot change '{}'", o.key), o.origin.describe(), fmt::format("there is no key '{}'", o.key), hint);
}

/// An override that sets or deletes a key ends the sweep over it.
void end_sweeps(std::vector<Dimension>& dimensions, const std::vector<Override>& overrides) {
  for (const auto& o : overrides) {
    if (sweeps(o) || o.kind == OverrideKind::kExtend) continue;
    if (o.has_value && o.kind != OverrideKind::kDelete) {
      set_key(dimensions, o);
    } else {
      drop_key(dimensions, o.address());
    }
  }
}

SweepPoint first_point(const std::vector<Dimension>& dimensions) {
  SweepPoint out;
  for (const auto& d : dimensions) out.insert(out.end(), d.positions.front().begin(), d.positions.front().end());
  return out;
}

const Override* value_at(const SweepPoint& point, const std::string& address) {
  const auto it = std::find_if(point.begin(), point.end(), [&](const Override& o) { return o.address() == address; });
  return it == point.end() ? nullptr : &*it;
}

/// Makes each override a layer of its own, so that one of them can be strict.
void add_layers(std::vector<OverrideLayer>& layers, const std::vector<Override>& overrides, const std::string& strict) {
  for (const auto& o : overrides) layers.emplace_back(std::vector<Override>{o}, o.text != strict);
}

}  // namespace

ComposedExperiment::ComposedExperiment(const PlanRequest& request)
    : composer_(config_folders(request), &experiment_schema()), request_(request) {
  read_command_line();
  compose_base();
  read_scale();
  read_dimensions();
}

void ComposedExperiment::read_command_line() {
  for (const auto& text : request_.overrides) {
    auto parsed = parse_override(text, "command line");
    if (sweeps(parsed)) refuse_foreign_sweep(parsed);
    const auto same = std::find_if(command_line_.begin(), command_line_.end(),
                                   [&](const Override& o) { return same_target(o, parsed) && (sweeps(o) || sweeps(parsed)); });
    if (same == command_line_.end()) {
      command_line_.push_back(std::move(parsed));
    } else {
      *same = std::move(parsed);
    }
  }
}

std::vector<Dimension> ComposedExperiment::command_line_dimensions() const {
  std::vector<Dimension> out;
  std::size_t points = 1;
  for (const auto& o : command_line_) {
    if (!sweeps(o)) continue;
    const auto same = std::find_if(out.begin(), out.end(), [&](const Dimension& d) { return d.name == o.address(); });
    if (same != out.end()) {
      throw config_error(fmt::format("'{}' is swept twice", o.address()), o.origin.describe(),
                         fmt::format("'{}' sweeps it too, over different values", same->origin.text.str()), "keep one of them");
    }
    out.push_back(dimension_of(o, lister()));
    points *= out.back().size();
    check_points(points, o.origin);
  }
  return out;
}

void ComposedExperiment::compose_base() {
  const auto chosen = [&] {  // groups, and everything else at the top level
    auto layer = command_line_at(base_point_, false);
    auto& all = layer.overrides;
    all.erase(std::remove_if(all.begin(), all.end(),
                             [](const Override& o) {
                               return o.key.find('.') != std::string::npos || (o.kind == OverrideKind::kDelete && o.key == "arms");
                             }),
              all.end());
    return layer;
  };
  const auto compose_both = [&] {
    try {
      bare_ = compose_layers({chosen()}).config;
    } catch (const Error&) {  // a choice may need a value that another override sets
      bare_ = compose_layers({command_line_at(base_point_, false)}).config;
    }
    base_ = compose_layers({command_line_at(base_point_, true)});
  };
  const auto sweeping = std::find_if(command_line_.begin(), command_line_.end(), sweeps);
  if (sweeping == command_line_.end()) return compose_both();
  try {
    compose_both();
  } catch (const Error&) {  // a sweep may provide a value that the file leaves open
    base_point_ = first_point(command_line_dimensions());
    compose_both();
  }
  // A file with a sweep is a multirun.
  if (!request_.multirun && resolve_at(base_.config, "sweep").size() == 0) throw_not_a_sweep(*sweeping, declared(sweeping->key));
}

std::vector<Override> ComposedExperiment::overrides_of_scale(const std::string& name, const Origin& asked) const {
  const Node scales = override_lists(base_.config, "scales");
  if (const Node* entry = scales.find(name)) {
    return override_list(*entry, "scale", name, "give it one value here; the file's 'sweep' or -m varies it");
  }
  std::vector<std::string> names;
  for (const auto& [known, overrides] : scales.as_map()) names.push_back(known);
  throw config_error(fmt::format("unknown scale '{}'", name), asked.describe(), names.empty() ? "this experiment declares no scales" : "",
                     suggestion(name, names));
}

void ComposedExperiment::read_scale() {
  const Node& given = base_.config.at("scale");
  if (given.is_null()) return;
  const Node wanted = resolve_at(base_.config, "scale");
  if (wanted.is_null()) return;
  scale_ = wanted.as_string();
  scale_overrides_ = overrides_of_scale(scale_, given.origin());
  base_ = compose_layers({{scale_overrides_, true}, command_line_at(base_point_, true)});
}

void ComposedExperiment::read_dimensions() {
  const Node sweep = escape_interpolations(resolve_at(base_.config, "sweep"));
  dimensions_ = yatlab::read_dimensions(sweep, lister());
  condition_ = read_condition(sweep);
  if (condition_) check_arms_of(*condition_, condition_->root());
  end_sweeps(dimensions_, scale_overrides_);
  end_sweeps(dimensions_, command_line_);
  for (auto& dimension : command_line_dimensions()) merge_dimension(dimensions_, std::move(dimension));
  change_values(dimensions_, [&](const Override& o, Node& value) {
    if (const Field* field = declared(o.key)) read_text(*field, value);
  });
}

/// The declaration of `key`. For a component that only arms choose: the declaration shared by all components that have the key.
const Field* ComposedExperiment::declared(const std::string& key) const {
  if (const Field* field = find_field(experiment_schema(), base_.config, key)) return field;
  const auto dot = key.find('.');
  const Field* component = experiment_schema().find(key.substr(0, dot));
  const auto* table = component && dot != std::string::npos ? find_component_table(component->kind) : nullptr;
  const Field* out = nullptr;
  if (!table || component->type != FieldType::kComponent) return out;
  table->load_those_with(key.substr(dot + 1));
  for (const auto& each : table->all()) {
    const Field* field = each.schema.find(key.substr(dot + 1));
    if (field && out && (field->type != out->type || field->item_type != out->item_type)) return nullptr;
    if (field) out = field;
  }
  return out;
}

/// Checks that an arm named in a condition (`arm == 'yat'`) exists, or that the command line removed it.
void ComposedExperiment::check_arms_of(const Expression& condition, const Expression::Part& part) const {
  for (const auto& inner : part.parts) check_arms_of(condition, inner);
  if ((part.what != "==" && part.what != "!=") || part.parts.size() != 2) return;
  const auto is_arm = [](const Expression::Part& p) { return p.what == "name" && std::get<std::string>(p.value) == "arm"; };
  const auto& other = is_arm(part.parts[0]) ? part.parts[1] : part.parts[0];
  if ((!is_arm(part.parts[0]) && !is_arm(part.parts[1])) || other.what != "text") return;
  std::vector<std::string> names;
  for (const Node* config : {&base_.config, &bare_}) {
    if (const Node* arms = config->find("arms"); arms && arms->is_map()) {
      for (const auto& [name, overrides] : arms->as_map()) names.push_back(name);
    }
  }
  const auto& named = std::get<std::string>(other.value);
  if (std::find(names.begin(), names.end(), named) != names.end()) return;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  condition.fail(other, fmt::format("there is no arm '{}'", named), suggestion(named, names));
}

OptionLister ComposedExperiment::lister() const {
  return [this](const std::string& group) { return composer_.options(group, request_.experiment); };
}

Composition ComposedExperiment::compose_layers(const std::vector<OverrideLayer>& layers) const {
  return composer_.compose(request_.experiment, layers);
}

OverrideLayer ComposedExperiment::command_line_at(const SweepPoint& point, bool for_base) const {
  std::vector<Override> out;
  for (const auto& o : command_line_) {
    const auto dot = o.key.find('.');
    // If the bare experiment leaves a component to its arms, overrides below it apply only to arms.
    const Node* component = for_base && dot != std::string::npos ? bare_.find(o.key.substr(0, dot)) : nullptr;
    if (component && component->is_null()) continue;
    if (!sweeps(o)) {
      out.push_back(o);
    } else if (const Override* value = value_at(point, o.address())) {
      out.push_back(*value);
    }
  }
  return {std::move(out), true};
}

Node ComposedExperiment::experiment() const {
  const auto finished = [&](const Node& config) {
    Node out = resolved_experiment(config);
    forget_arms(out, removed_arms());
    out.set("arms", expanded_arms());
    experiment_schema().check(out, "", true);
    return out;
  };
  if (dimensions_.empty()) return finished(base_.config);
  try {
    return finished(base_.config);
  } catch (const Error&) {
    return finished(compose({}, first_point(dimensions_)).config);
  }
}

Node ComposedExperiment::expanded_arms() const {
  Node arms = override_lists(base_.config, "arms"), before = override_lists(bare_, "arms");
  write_out_formulas(arms);
  write_out_formulas(before);
  return expand_arms(arms, before, override_lists(base_.config, "families"));
}

std::vector<std::string> ComposedExperiment::removed_arms() const {
  std::vector<std::string> out;
  const Node before = resolve_at(bare_, "arms");
  std::set<std::string> now;
  if (const Node& arms = base_.config.at("arms"); arms.is_map()) {
    for (const auto& [arm, overrides] : arms.as_map()) now.insert(arm);
  }
  for (const auto& [arm, overrides] : before.as_map()) {
    if (now.count(arm) == 0) out.push_back(arm);
  }
  return out;
}

std::vector<Arm> ComposedExperiment::arms() const {
  std::vector<Arm> out;
  const Node arms = expanded_arms();
  for (const auto& [name, overrides] : arms.as_map()) {
    if (const auto why = why_no_folder_name(name); !why.empty()) {
      throw config_error(fmt::format("'{}' cannot name an arm", shortened(name)), overrides.origin().describe(), why,
                         "use letters, digits, '_' and '-'");
    }
    out.push_back({name, override_list(overrides, "arm", name,
                                       "write one arm for each value, or vary it for all arms with the file's 'sweep' or -m")});
  }
  if (out.empty()) out.push_back({"main", {}});
  return out;
}

Composition ComposedExperiment::compose(const Arm& arm, const SweepPoint& point, const std::string& strict) const {
  const auto written = [&](const Override& o) {  // on the command line, so it is applied there
    return std::any_of(command_line_.begin(), command_line_.end(),
                       [&](const Override& c) { return sweeps(c) && c.address() == o.address(); });
  };
  SweepPoint of_file;
  std::remove_copy_if(point.begin(), point.end(), std::back_inserter(of_file), written);
  std::vector<OverrideLayer> layers;
  add_layers(layers, scale_overrides_, strict);
  layers.emplace_back(arm.overrides, false);
  add_layers(layers, of_file, strict);
  add_layers(layers, command_line_at(point, false).overrides, strict);
  return compose_layers(layers);
}

std::vector<SweepPoint> ComposedExperiment::points(const Node& sweeper, const std::string& arm) const {
  const auto made = Registry<Sweeper>::create(sweeper);
  if (made->search()) return {first_point(dimensions_)};
  auto out = made->propose(dimensions_);
  return condition_ ? points_where(*condition_, std::move(out), resolved_experiment(base_.config), arm) : out;
}

}  // namespace yatlab

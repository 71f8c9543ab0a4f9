// Writes a run's config.yaml: one file that replaces the experiment's file, defaults lists, scale and command line, so that a copy plans the same
// jobs. Interpolations stay, since arms rely on them.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/compose/composed_experiment.h"
#include "core/compose/removed_arms.h"
#include "core/config/interpolation.h"
#include "core/config/tree.h"
#include "core/config/yaml.h"
#include "core/experiment/experiment_params.h"
#include "core/plan/plan_jobs.h"

namespace yatlab {
namespace {

/// Whether the text interpolates a value from the machine or the clock: a record must keep that value, and no arm changes it.
bool asks_its_surroundings(const std::string& text) {
  for (auto at = text.find("${"); at != std::string::npos; at = text.find("${", at + 2)) {
    const auto name = text.find_first_not_of(' ', at + 2);
    for (const char* resolver : {"oc.env", "now"}) {
      const auto end = text.find_first_not_of(' ', std::min(text.size(), name) + std::string(resolver).size());
      if (text.compare(std::min(text.size(), name), std::string(resolver).size(), resolver) == 0 && end != std::string::npos &&
          text[end] == ':')
        return true;
    }
  }
  return false;
}

bool asks_its_surroundings(const Node& config) {
  if (config.is_string()) return asks_its_surroundings(config.as_string());
  if (config.is_map()) {
    const auto& entries = config.as_map();
    return std::any_of(entries.begin(), entries.end(), [](const auto& entry) { return asks_its_surroundings(entry.second); });
  }
  if (!config.is_list()) return false;
  const auto& items = config.as_list();
  return std::any_of(items.begin(), items.end(), [](const Node& item) { return asks_its_surroundings(item); });
}

/// Replaces interpolations of machine or clock by their values in `resolved`.
void keep_surroundings(Node& config, const Node& resolved) {
  const Node& now = config;
  if (now.is_string()) {
    if (asks_its_surroundings(now.as_string())) config = escape_interpolations(resolved);
  } else if (now.is_map() && resolved.is_map()) {
    std::size_t i = 0;
    for (auto& [key, value] : config.as_map()) {
      const auto& others = resolved.as_map();
      const Node* const other = i < others.size() && others[i].first == key ? &others[i].second : resolved.find(key);
      if (other) keep_surroundings(value, *other);
      ++i;
    }
  } else if (now.is_list() && resolved.is_list() && now.size() == resolved.size()) {
    for (std::size_t i = 0; i < now.size(); ++i) keep_surroundings(config.as_list()[i], resolved.as_list()[i]);
  }
}

bool same_arm(const Node& a, const Node& b) {
  return std::all_of(a.as_map().begin(), a.as_map().end(), [&](const auto& entry) {
    const Node* other = b.find(entry.first);
    return !belongs_to_an_arm(entry.first) || (other && entry.second == *other);
  });
}

/// Whether it can be part of an override's key.
bool is_key_word(const std::string& key) {
  const auto letter = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
  };
  return !key.empty() && letter(key.front()) &&
         std::all_of(key.begin(), key.end(), [&](char c) { return letter(c) || std::isdigit(static_cast<unsigned char>(c)) || c == '-'; });
}

/// Appends the overrides that turn `have` into `want`.
void add_differences(const Node& have, const Node& want, const std::string& path, Node& out) {
  if (have == want) return;
  const auto component = [](const Node& map) { return map.find("name") ? *map.find("name") : Node(); };
  const auto words = [](const Node& map) {
    return std::all_of(map.as_map().begin(), map.as_map().end(), [](const auto& entry) { return is_key_word(entry.first); });
  };
  if (!have.is_map() || !want.is_map() || component(have) != component(want) || !words(have) || !words(want)) {
    out.push_back(Node(format_override(path, want)));
    return;
  }
  for (const auto& [key, value] : want.as_map()) {
    if (const Node* present = have.find(key)) {
      add_differences(*present, value, path + "." + key, out);
    } else {
      out.push_back(Node("+" + format_override(path + "." + key, value)));
    }
  }
  for (const auto& [key, value] : have.as_map()) {
    if (!want.has(key)) out.push_back(Node("~" + path + "." + key));
  }
}

Node differences(const Node& have, const Node& want) {
  Node out = Node::list();
  for (const auto& [key, value] : want.as_map()) {
    if (!belongs_to_an_arm(key)) continue;
    const Node* present = have.find(key);
    add_differences(present ? *present : Node(), value, key, out);
  }
  return out;
}

std::string sweep_key(const Override& o) {
  const char* sign = o.kind == OverrideKind::kAdd ? "+" : o.kind == OverrideKind::kForceAdd ? "++" : "";
  return sign + o.address();
}

/// The sweep as it is written below `sweep:` in a file.
Node written_sweep(const std::vector<Dimension>& dimensions) {
  Node out = Node::map();
  for (const auto& dimension : dimensions) {
    const auto& first = dimension.positions.front();
    if (const auto& range = dimension.range) {
      std::string text = fmt::format("interval({}, {})", format_double(range->low), format_double(range->high));
      if (range->whole) text = fmt::format("int({})", text);
      out.set(sweep_key(first.front()), range->log ? fmt::format("tag(log, {})", text) : text);
      continue;
    }
    Node columns = Node::map();
    for (std::size_t i = 0; i < first.size(); ++i) {
      Node values = Node::list();
      for (const auto& position : dimension.positions) values.push_back(position[i].value);
      columns.set(sweep_key(first[i]), std::move(values));
    }
    const bool plain = first.size() == 1 && dimension.name == first.front().address();
    if (plain) {
      out.set(columns.as_map().front().first, columns.as_map().front().second);
    } else {
      out.set(dimension.name, Node(Node::Map{{"zip", columns}}));
    }
  }
  return out;
}

std::vector<std::string> texts_of_dimensions(const std::vector<Dimension>& dimensions) {
  std::vector<std::string> out;
  for (const auto& dimension : dimensions) {
    out.push_back(dimension.name);
    if (const auto& range = dimension.range) out.push_back(fmt::format("{} {} {} {}", range->low, range->high, range->log, range->whole));
    for (const auto& position : dimension.positions) {
      for (const auto& o : position) out.push_back(o.text);
    }
  }
  return out;
}

SweepPoint first_of(const std::vector<Dimension>& dimensions, const Dimension* other = nullptr, std::size_t at = 0) {
  SweepPoint out;
  for (const auto& dimension : dimensions) {
    const auto& position = dimension.positions[&dimension == other ? at : 0];
    out.insert(out.end(), position.begin(), position.end());
  }
  return out;
}

/// Checks at most this many component values of a sweep: the first ones.
constexpr std::size_t kMostChoices = 30;

/// The key of the component that `o` chooses, if any.
std::string component_key(const Override& o) {
  const auto end = o.key.rfind(".name");
  return end != std::string::npos && end + 5 == o.key.size() ? o.key.substr(0, end) : o.key;
}

bool chooses_a_component(const Override& o) {
  const auto key = component_key(o);
  const Field* field = experiment_schema().find(key);
  return o.has_package || o.kind != OverrideKind::kChange || key.find('/') != std::string::npos || !field
             ? key.find('.') == std::string::npos
             : field->type == FieldType::kComponent;
}

/// The config with the values from the machine or the clock filled in; `of_arm`: only if keys that belong to an arm use them.
Node with_surroundings(Node config, bool of_arm = false) {
  const auto& entries = config.as_map();
  if (std::none_of(entries.begin(), entries.end(),
                   [&](const auto& entry) { return (!of_arm || belongs_to_an_arm(entry.first)) && asks_its_surroundings(entry.second); }))
    return config;
  try {
    keep_surroundings(config, resolved_experiment(config));
  } catch (const Error&) {  // a sweep fills in the missing values
  }
  return config;
}

Node named_scale(const std::string& scale) { return Node(format_override("scale", Node(scale))); }

/// The values already include the scale; this keeps its name.
void keep_scale_name(Node& experiment, const std::string& scale) {
  Node lists = experiment.at("scales").is_map() ? experiment.at("scales") : Node::map();
  lists.set(scale, Node(Node::List{named_scale(scale)}));
  experiment.set("scales", std::move(lists));
}

/// Paths of plugin libraries are relative to `folder`; the written ones are absolute.
void make_library_paths_absolute(Node& experiment, const std::filesystem::path& folder) {
  auto& libraries = *experiment.find("plugins");
  if (!libraries.is_map() || !libraries.find("path") || !libraries.at("path").is_list()) return;
  for (auto& path : libraries.find("path")->as_list()) {
    const std::filesystem::path file = path.is_string() ? path.as_string() : "";
    if (!path.is_string() || path.is_interpolation() || file.is_absolute()) continue;
    const auto found = std::filesystem::absolute(folder / file).lexically_normal();
    path = Node(found.string()).set_origin(path.origin());
  }
}

/// Where a sweep chooses components, removes the keys that belong to one choice.
void strip_swept_components(Node& experiment, const std::vector<Dimension>& dimensions) {
  for (const auto& dimension : dimensions) {
    for (const auto& o : dimension.positions.front()) {
      const auto key = component_key(o);
      const Field* const field = find_field(experiment_schema(), experiment, key);
      Node* const place = experiment.find_path(key);
      if (!field || field->type != FieldType::kComponent || !place || !place->is_map()) continue;
      strip_defaults(*place);
      auto& values = place->as_map();
      values.erase(std::remove_if(values.begin(), values.end(),
                                  [&](const auto& entry) { return entry.first != "name" && is_of_option(entry.second, field->kind); }),
                   values.end());
    }
  }
}

/// An arm's config at a point in this experiment; empty if it cannot be composed.
using ComposedHere = std::function<std::optional<Node>(const Arm&, const SweepPoint&)>;

/// The arms of the written file. Composes each arm from the written text and adds to its list the overrides that make the result the same.
class WrittenArms {
 public:
  WrittenArms(const Composer& composer, const Node& experiment, const std::string& scale, const std::vector<Dimension>& dimensions,
              ComposedHere composed_here)
      : composer_(composer), dimensions_(dimensions), composed_here_(std::move(composed_here)), lists_(experiment.at("arms")) {
    check_written_size(experiment, "the experiment");
    file_ = parse_yaml(emit_yaml(experiment), "config.yaml");
    file_.freeze();  // every arm's composition shares it
    if (!scale.empty()) scale_.push_back(parse_override(named_scale(scale).as_string(), "scale"));
    if (!lists_.is_map()) lists_ = Node::map();
    for (const auto& [name, list] : lists_.as_map()) places_.emplace(name, places_.size());
  }

  void add(const Arm& arm) {
    SweepPoint point;
    auto wanted = composed_here_(arm, point);
    if (!wanted) wanted = composed_here_(arm, point = first_of(dimensions_));
    if (!wanted) return;  // such an arm has no jobs
    const auto place = places_.find(arm.name);
    const Node* own = place == places_.end() ? nullptr : &lists_.as_map()[place->second].second;
    const auto agrees = [&](const Node& list) {
      const auto again = composed_again(list, point);
      return again && same_arm(*wanted, *again);
    };
    Node list = own ? *own : Node::list();
    if (!agrees(list)) {
      if (const auto again = composed_again(list, point)) {
        for (const auto& text : differences(*again, *wanted).as_list()) list.push_back(text);
      }
      if (!agrees(list)) list = differences(file_, *wanted);
      if (!agrees(list)) list = Node("???");
      put(arm.name, list);
    }
    if (list.is_list()) check_choices(arm, list);
  }

  Node lists() && { return std::move(lists_); }

 private:
  std::optional<Node> composed_again(const Node& list, const SweepPoint& point) const {
    try {
      std::vector<Override> overrides;
      for (const auto& item : list.as_list()) overrides.push_back(parse_override(item.as_string(), "arm"));
      std::vector<OverrideLayer> layers;
      layers.emplace_back(scale_, true);
      layers.emplace_back(std::move(overrides), false);
      for (const auto& o : point) layers.emplace_back(std::vector<Override>{o}, true);
      return composer_.compose_content(file_, layers).config;
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  void put(const std::string& name, Node list) {
    const auto [place, fresh] = places_.emplace(name, places_.size());
    if (fresh) {
      lists_.as_map().emplace_back(name, std::move(list));
    } else {
      lists_.as_map()[place->second].second = std::move(list);
    }
  }

  /// Also compares the arm at the components that sweeps choose: an error is better than different jobs.
  void check_choices(const Arm& arm, const Node& list) {
    for (const auto& dimension : dimensions_) {
      if (dimension.range || !std::any_of(dimension.positions.front().begin(), dimension.positions.front().end(), chooses_a_component))
        continue;
      for (std::size_t i = 0; i < std::min(dimension.size(), kMostChoices); ++i) {
        const auto at = first_of(dimensions_, &dimension, i);
        const auto here = composed_here_(arm, at);
        const auto again = composed_again(list, at);
        if (here && !(again && same_arm(*here, *again))) put(arm.name, Node("???"));
      }
    }
  }

  const Composer& composer_;
  const std::vector<Dimension>& dimensions_;
  const ComposedHere composed_here_;
  Node file_;  // as it will be read
  std::vector<Override> scale_;
  Node lists_;
  std::map<std::string, std::size_t> places_;  // of arms in lists_
};

}  // namespace

Node ComposedExperiment::written() const {
  Node out = with_surroundings(base_.config);
  forget_arms(out, removed_arms());
  out.set("arms", expanded_arms());
  out.set("families", Node::map());
  const auto scale = scale_overrides_.empty() ? std::string() : scale_;
  if (!scale_overrides_.empty()) keep_scale_name(out, scale_);
  const bool named_here =
      std::any_of(command_line_.begin(), command_line_.end(), [](const Override& o) { return o.key.rfind("plugins", 0) == 0; });
  make_library_paths_absolute(out, named_here ? std::filesystem::path() : request_.experiment.parent_path());
  const Node sweep = escape_interpolations(resolve_at(base_.config, "sweep"));
  if (texts_of_dimensions(yatlab::read_dimensions(sweep, lister())) != texts_of_dimensions(dimensions_)) {
    Node changed = written_sweep(dimensions_);
    if (const Node* where = sweep.find("where")) changed.set("where", *where);
    out.set("sweep", std::move(changed));
  }
  strip_swept_components(out, dimensions_);
  const auto composed_here = [&](const Arm& arm, const SweepPoint& point) -> std::optional<Node> {
    try {
      return with_surroundings(compose(arm, point).config, true);
    } catch (const Error&) {
      return std::nullopt;
    }
  };
  WrittenArms arms_there(composer_, out, scale, dimensions_, composed_here);
  for (const auto& arm : arms()) arms_there.add(arm);
  out.set("arms", std::move(arms_there).lists());
  return out;
}

}  // namespace yatlab

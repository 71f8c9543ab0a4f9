#include "core/config/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/limits.h"
#include "core/config/scalar.h"

namespace yatlab {
namespace {

constexpr const char* kWhere = "where";

/// An entry of `sweep:` as written.
struct Axis {
  std::string key;           // or the zip's name
  std::vector<Node> values;  // one per position; for a zip, each is a map of keys
  bool zipped = false;
  std::optional<Range> range = {};
};

/// An override without value for the key of a `sweep:` entry.
Override head_of(const std::string& key, const Origin& origin) {
  const auto where = origin.describe();
  if (key.find('=') != std::string::npos) {
    throw config_error(fmt::format("'{}' is not a key to sweep over", key), where, "it contains a value",
                       "write the values after ':', as a list");
  }
  Override head = parse_override(key + "=", where);
  if (head.kind == OverrideKind::kDelete) {
    throw config_error(fmt::format("a sweep cannot delete '{}'", head.address()), where, "each point must give its keys a value",
                       "use arms instead: one without the override, and one with " + key);
  }
  return head;
}

std::vector<std::string> options_of(const std::string& key, const Origin& origin, const OptionLister& options) {
  return options ? options(head_of(key, origin).key) : std::vector<std::string>{};
}

[[noreturn]] void bad_zip(const std::string& name, const Node& at, const std::string& why) {
  throw config_error(fmt::format("cannot zip '{}'", name), at.origin().describe(), why,
                     "write zip(a=[1, 2], b=[3, 4]) or {zip: {a: [1, 2], b: [3, 4]}}, with lists of equal length");
}

/// One point per position of the equally long lists in `lists`.
Axis zip(const std::string& name, const Node& lists, const OptionLister& options) {
  if (!lists.is_map() || lists.size() == 0) bad_zip(name, lists, "a zip must contain keys with lists");
  Axis out;
  out.key = name;
  out.zipped = true;
  std::size_t length = 0;
  std::string first;
  std::vector<std::pair<std::string, std::vector<Node>>> columns;
  for (const auto& [key, value] : lists.as_map()) {
    std::vector<Node> values;
    if (value.is_list()) {
      values = value.as_list();
    } else if (value.is_string()) {
      const auto parsed = parse_sweep_value(value.as_string(), value.origin());
      if (parsed.sweep) {
        values = expand_sweep(*parsed.sweep, options_of(key, value.origin(), options), value.origin().describe());
      } else if (parsed.value.is_list()) {
        values = parsed.value.as_list();
      }
    }
    if (values.empty()) bad_zip(name, value, fmt::format("'{}' is not a list of values", key));
    if (columns.empty()) {
      length = values.size();
      first = key;
    } else if (values.size() != length) {
      bad_zip(name, value, fmt::format("'{}' has {} values, but '{}' has {}", first, length, key, values.size()));
    }
    columns.emplace_back(key, std::move(values));
  }
  for (std::size_t i = 0; i < length; ++i) {
    Node point = Node::map();
    for (const auto& [key, values] : columns) point.set(key, values[i]);
    point.set_origin(lists.origin());
    out.values.push_back(std::move(point));
  }
  return out;
}

Override at_value(Override head, Node value) {
  if (value.origin().source.empty()) value.set_origin_deep({head.origin.source, 0, 0, {}});
  const char* sign = head.kind == OverrideKind::kAdd ? "+" : head.kind == OverrideKind::kForceAdd ? "++" : "";
  head.text = sign + format_override(head.address(), value);
  head.origin = {head.origin.source, 0, 0, head.text};
  head.has_value = true;
  head.sweep.reset();
  head.value = std::move(value);
  return head;
}

/// The range of an interval with its tags.
Range range_of(const Sweep& sweep, const Origin& origin) {
  const Range out{sweep.begin, sweep.end, std::find(sweep.tags.begin(), sweep.tags.end(), "log") != sweep.tags.end(), sweep.whole};
  const auto fail = [&](const std::string& why, const char* hint) {
    throw config_error(fmt::format("interval({}, {}) is not a range to search", format_double(out.low), format_double(out.high)),
                       origin.describe(), why, hint);
  };
  for (const auto& tag : sweep.tags) {
    if (tag != "log") {
      fail(fmt::format("the tag '{}' has no meaning here", tag), "write tag(log, interval(1e-5, 1)) for equal factors, or no tag");
    }
  }
  if (!std::isfinite(out.low) || !std::isfinite(out.high)) fail("its ends are not finite numbers", "write interval(start, end)");
  if (!(out.low < out.high)) fail("its start must be smaller than its end", "write interval(start, end), the smaller number first");
  if (out.log && out.low <= 0) fail("tag(log, ...) needs a start above 0", "start above 0, or remove tag(log, ...)");
  if (out.whole && std::max(std::fabs(out.low), std::fabs(out.high)) > 9e15) fail("integers must not exceed 9e15", "use a smaller number");
  return out;
}

/// The middle of the range, geometric for log ranges.
Node middle_of(const Range& range) {
  const double middle = range.log ? std::sqrt(range.low) * std::sqrt(range.high) : range.low / 2 + range.high / 2;
  return range.whole ? Node(static_cast<std::int64_t>(std::floor(middle))) : Node(middle);
}

[[noreturn]] void no_values(const std::string& key, const Origin& origin) {
  throw config_error(fmt::format("the sweep over '{}' has no values", key), origin.describe(), {},
                     "give a list, choice(...) or range(...), or remove the key");
}

Axis read_axis(const std::string& key, const Node& value, const OptionLister& options) {
  Axis out;
  out.key = key;
  if (value.is_list()) {
    out.values = value.as_list();
  } else if (value.is_map() && value.size() == 1 && value.has("zip")) {
    out = zip(key, value.at("zip"), options);
  } else if (value.is_string()) {
    ParsedValue parsed = parse_sweep_value(value.as_string(), value.origin());
    if (parsed.sweep && parsed.sweep->kind == SweepKind::kZip) return zip(key, parsed.sweep->columns, options);
    if (parsed.sweep && parsed.sweep->kind == SweepKind::kInterval) {
      out.range = range_of(*parsed.sweep, value.origin());
      out.values = {middle_of(*out.range)};
    } else if (parsed.sweep) {
      out.values = expand_sweep(*parsed.sweep, options_of(key, value.origin(), options), value.origin().describe());
    } else if (parsed.value.is_list()) {
      out.values = parsed.value.as_list();
    } else {
      out.values = {std::move(parsed.value)};
    }
  } else {
    out.values = {value};
  }
  if (out.values.empty()) no_values(key, value.origin());
  return out;
}

Dimension dimension_from(const Axis& axis, const Origin& origin) {
  check_points(axis.values.size(), origin);
  Dimension out;
  out.origin = origin;
  // Items of a list in a file have origins of their own.
  const auto head_at = [&](const std::string& key, const Node& value) {
    return head_of(key, value.origin().source.empty() ? origin : value.origin());
  };
  for (const auto& value : axis.values) {
    SweepPoint position;
    if (axis.zipped) {
      for (const auto& [key, item] : value.as_map()) position.push_back(at_value(head_at(key, item), item));
    } else {
      position.push_back(at_value(head_at(axis.key, value), value));
    }
    out.positions.push_back(std::move(position));
  }
  out.name = axis.zipped ? axis.key : out.positions.front().front().address();
  out.range = axis.range;
  return out;
}

/// The addresses of the keys that a position sets.
std::vector<std::string> keys_of(const SweepPoint& position) {
  std::vector<std::string> out;
  for (const auto& override : position) out.push_back(override.address());
  return out;
}

[[noreturn]] void bad_nest(const std::string& key, const Node& at, const std::string& why) {
  throw config_error(fmt::format("cannot nest a sweep in '{}'", key), at.origin().describe(), why,
                     "write {nest: {sgd: {optimizer.lr: [0.1, 1]}, adam: {optimizer.lr: [0.001, 0.01]}}}: each value has its own sweep, "
                     "over the same keys");
}

/// Combines each value of `key` with the points of its own inner sweep.
Dimension nest(const std::string& key, const Node& branches, const OptionLister& options) {
  if (!branches.is_map() || branches.size() == 0)
    bad_nest(key, branches, "a nested sweep must contain values of its key, each with its own sweep");
  Dimension out;
  out.name = key;
  out.nested = true;
  out.origin = branches.origin();
  for (const auto& [text, inner] : branches.as_map()) {
    if (!inner.is_map() || inner.size() == 0) bad_nest(key, inner, fmt::format("'{}' needs its own sweep", text));
    if (inner.has(kWhere)) bad_nest(key, inner, "'where' applies to the whole sweep: write it next to the outermost keys");
    Node value = parse_sweep_value(text, inner.origin()).value;
    value.set_origin_deep(inner.origin());
    const auto dimensions = read_dimensions(inner, options);
    for (const auto& dimension : dimensions) {
      if (dimension.range) bad_nest(key, inner, fmt::format("'{}' is an interval; a nested sweep needs a list of values", dimension.name));
    }
    for (auto& point : grid(dimensions)) {
      SweepPoint position{at_value(head_of(key, inner.origin()), value)};
      position.insert(position.end(), std::make_move_iterator(point.begin()), std::make_move_iterator(point.end()));
      out.positions.push_back(std::move(position));
    }
    check_points(out.positions.size(), out.origin);
    const auto own = keys_of(out.positions.back());
    if (own != out.keys()) {
      bad_nest(key, inner, fmt::format("'{}' sets {}, but the first sets {}", text, join(own, ", "), join(out.keys(), ", ")));
    }
  }
  return out;
}

std::string text_of(const SweepPoint& point) {
  std::vector<std::string> out;
  for (const auto& override : point) out.push_back(override.text);
  return join(out, ", ");
}

}  // namespace

void check_points(std::size_t points, const Origin& origin) {
  if (points > limits::kPoints) {
    throw config_error(fmt::format("the sweep has more than {} points", limits::kPoints), shortened(origin.describe()), {},
                       "sweep over fewer values, or split the sweep into several experiments");
  }
}

std::vector<std::string> Dimension::keys() const { return keys_of(positions.front()); }

SweepPoint Dimension::at(double value) const {
  const Override& example = positions.front().front();
  auto out = at_value(example, range->whole ? Node(static_cast<std::int64_t>(value)) : Node(value));
  out.value.set_origin_deep(example.value.origin());
  return {std::move(out)};
}

std::vector<Dimension> read_dimensions(const Node& sweep, const OptionLister& options) {
  if (sweep.is_null()) return {};
  if (!sweep.is_map()) {
    throw config_error("'sweep' must be a map, found " + with_article(sweep), sweep.origin().describe(), {},
                       "write 'sweep: {operator.epsilon: [1e-5, 1e-3]}'");
  }
  std::vector<Dimension> out;
  std::size_t points = 1;  // size of the grid so far: too large a grid is never listed
  for (const auto& [key, value] : sweep.as_map()) {
    if (key == kWhere) continue;
    const bool nested = value.is_map() && value.size() == 1 && value.has("nest");
    out.push_back(nested ? nest(key, value.at("nest"), options) : dimension_from(read_axis(key, value, options), value.origin()));
    points *= out.back().size();
    check_points(points, value.origin());
  }
  return out;
}

std::optional<Expression> read_condition(const Node& sweep) {
  const Node* where = sweep.is_map() ? sweep.find(kWhere) : nullptr;
  if (!where || where->is_null()) return std::nullopt;
  if (!where->is_string()) {
    throw config_error("'sweep.where' must be a string, found " + with_article(*where), where->origin().describe(), {},
                       "write where: 'optimizer.lr * trainer.batch_size < 1'");
  }
  return Expression::parse(where->as_string(), where->origin());
}

bool holds_at(const Expression& condition, const SweepPoint& point, const Node& config, const std::string& arm) {
  const auto last_part = [](const std::string& address) { return address.substr(address.find_last_of('.') + 1); };
  const auto simple = [&](const std::string& name, const Node& value) -> Expression::Value {
    if (value.is_bool()) return value.as_bool();
    if (value.is_number()) return value.as_double();
    if (value.is_string()) return value.as_string();
    throw config_error(fmt::format("'{}' is {}, which 'sweep.where' cannot use", name, with_article(value)), condition.origin().describe(),
                       {}, "use a key whose value is a number, a string, true or false");
  };
  return condition.holds([&](const std::string& name) -> Expression::Value {
    const Override* found = nullptr;
    for (const auto& override : point) {
      if (override.address() == name) return simple(name, override.value);
      if (last_part(override.address()) != name) continue;
      if (found) {
        throw config_error(fmt::format("'{}' in 'sweep.where' could mean {} or {}", name, found->address(), override.address()),
                           condition.origin().describe(), {}, "write the full key");
      }
      found = &override;
    }
    if (found) return simple(name, found->value);
    if (name == "arm") return arm;
    const Node* set = &config;
    for (const auto& key : split(name, '.')) set = set && set->is_map() ? set->find(key) : nullptr;
    if (set) return simple(name, *set);
    std::vector<std::string> known;
    for (const auto& override : point) known.push_back(override.address());
    throw config_error(fmt::format("'sweep.where' uses '{}', which is neither swept nor set", name), condition.origin().describe(), {},
                       known.empty() ? "" : suggestion(name, known));
  });
}

std::vector<SweepPoint> points_where(const Expression& condition, std::vector<SweepPoint> points, const Node& config,
                                     const std::string& arm) {
  points.erase(
      std::remove_if(points.begin(), points.end(), [&](const SweepPoint& point) { return !holds_at(condition, point, config, arm); }),
      points.end());
  if (points.empty()) {
    throw config_error(fmt::format("no point of the sweep satisfies 'where: {}' for arm '{}'", condition.text(), arm),
                       condition.origin().describe(), {}, "change the condition or the values");
  }
  return points;
}

Dimension dimension_of(const Override& override, const OptionLister& options) {
  if (override.sweep && override.sweep->kind == SweepKind::kZip) {
    return dimension_from(zip(override.address(), override.sweep->columns, options), override.origin);
  }
  Dimension out;
  out.name = override.address();
  out.origin = override.origin;
  if (override.sweep && override.sweep->kind == SweepKind::kInterval) out.range = range_of(*override.sweep, override.origin);
  auto values = out.range ? std::vector<Node>{middle_of(*out.range)}
                          : expand_sweep(override, options ? options(override.key) : std::vector<std::string>{});
  check_points(values.size(), out.origin);
  // The override without its values, which must not be copied for each position.
  const Override head{override.kind,   override.key,        override.package, override.has_package, true, {}, {}, {},
                      override.origin, override.origin.text};
  for (auto& value : values) {
    Override point = at_value(head, std::move(value));
    point.value.set_origin_deep(point.origin);
    out.positions.push_back({std::move(point)});
  }
  if (out.positions.empty()) no_values(out.name, out.origin);
  return out;
}

void set_key(std::vector<Dimension>& dimensions, const Override& override) {
  const auto alike = [](const Node& a, const Node& b) {
    return a.is_number() && b.is_number() ? a.as_double() == b.as_double() : a.to_flow() == b.to_flow();
  };
  for (auto& dimension : dimensions) {
    if (!dimension.nested || dimension.positions.front().front().address() != override.address()) continue;
    auto& positions = dimension.positions;
    std::vector<std::string> known;
    for (const auto& position : positions) {
      const auto text = position.front().value.to_flow();
      if (known.empty() || known.back() != text) known.push_back(text);
    }
    positions.erase(std::remove_if(positions.begin(), positions.end(),
                                   [&](const SweepPoint& position) { return !alike(position.front().value, override.value); }),
                    positions.end());
    if (!positions.empty()) continue;
    throw config_error(fmt::format("the nested sweep over '{}' has no values for {}", dimension.name, override.value.to_flow()),
                       override.origin.describe(), "it has values for " + join(known, ", "), "choose one of these, or add it there");
  }
  drop_key(dimensions, override.address());
}

void drop_key(std::vector<Dimension>& dimensions, const std::string& address) {
  for (auto& dimension : dimensions) {
    for (auto& position : dimension.positions) {
      position.erase(std::remove_if(position.begin(), position.end(), [&](const Override& o) { return o.address() == address; }),
                     position.end());
    }
    if (!dimension.nested) continue;
    // Positions that differed only in that key are now equal: keep one.
    std::set<std::string> seen;
    auto& positions = dimension.positions;
    positions.erase(
        std::remove_if(positions.begin(), positions.end(), [&](const SweepPoint& p) { return !seen.insert(text_of(p)).second; }),
        positions.end());
  }
  dimensions.erase(std::remove_if(dimensions.begin(), dimensions.end(), [](const Dimension& d) { return d.positions.front().empty(); }),
                   dimensions.end());
}

void merge_dimension(std::vector<Dimension>& dimensions, Dimension dimension) {
  for (auto& present : dimensions) {
    if (present.keys() == dimension.keys()) {
      present = std::move(dimension);
      return;
    }
  }
  for (const auto& key : dimension.keys()) drop_key(dimensions, key);
  dimensions.push_back(std::move(dimension));
}

void change_values(std::vector<Dimension>& dimensions, const std::function<void(const Override&, Node& value)>& change) {
  for (auto& dimension : dimensions) {
    for (auto& position : dimension.positions) {
      for (auto& o : position) {
        Node value = o.value;
        change(o, value);
        if (value == o.value) continue;
        value.set_origin_deep(o.value.origin());
        o = at_value(std::move(o), std::move(value));
      }
    }
  }
}

void check_dimensions(const std::vector<Dimension>& dimensions) {
  std::set<std::string> taken;
  for (const auto& d : dimensions) {
    for (const auto& key : d.keys()) {
      if (!taken.insert(key).second) {
        throw config_error(fmt::format("two dimensions of the sweep set '{}'", key), d.origin.describe(), {},
                           "keep one of them, or zip them");
      }
    }
    std::set<std::string> positions;
    for (const auto& position : d.positions) {
      if (!positions.insert(text_of(position)).second) {
        throw config_error(fmt::format("the sweep over '{}' has {} twice", d.name, text_of(position)), d.origin.describe(),
                           "two points would be the same", "remove one of them");
      }
    }
  }
}

std::vector<SweepPoint> grid(const std::vector<Dimension>& dimensions) {
  check_dimensions(dimensions);
  std::size_t points = 1;
  for (const auto& d : dimensions) {
    if (d.range) {
      throw config_error(
          fmt::format("a grid cannot list interval({}, {})", format_double(d.range->low), format_double(d.range->high)),
          d.origin.describe(), "it means every number between its ends, but a grid needs a finite list",
          "search it with sweeper=tpe (or random, sobol, cmaes); or use range(start, stop, step), logspace(...) or choice(...)");
    }
    points *= d.size();
    check_points(points, d.origin);
  }
  std::vector<SweepPoint> out;
  out.reserve(points);
  for (std::size_t i = 0; i < points; ++i) {
    SweepPoint point;
    std::size_t rest = i, stride = points;
    for (const auto& d : dimensions) {
      stride /= d.size();
      const SweepPoint& position = d.positions[rest / stride];
      rest %= stride;
      point.insert(point.end(), position.begin(), position.end());
    }
    out.push_back(std::move(point));
  }
  return out;
}

std::vector<std::int64_t> parse_seeds(const Node& seeds) {
  const auto where = seeds.origin().describe();
  const bool typed = where.rfind("command line", 0) == 0;
  std::string hint =
      typed ? "write seeds=3, 'seeds=[0,1,2]' or 'seeds=range(0,5)'" : "write seeds: 3, seeds: [0, 1, 2] or seeds: range(0, 5)";
  if (int first = 0, last = 0, read = 0; seeds.is_string() &&
                                         (std::sscanf(seeds.as_string().c_str(), "%d..%d%n", &first, &last, &read) == 2 ||
                                          std::sscanf(seeds.as_string().c_str(), "%d-%d%n", &first, &last, &read) == 2) &&
                                         first >= 0 && first < last && static_cast<std::size_t>(last) < limits::kPoints &&
                                         static_cast<std::size_t>(read) == seeds.as_string().size()) {
    hint = fmt::format(fmt::runtime(typed ? "{0} to {1} are 'seeds=range({0},{2})'" : "{0} to {1} are seeds: range({0}, {2})"), first, last,
                       last + 1);
  }
  std::vector<Node> values;
  if (seeds.is_string()) {
    ParsedValue parsed = parse_sweep_value(seeds.as_string(), seeds.origin());
    if (parsed.sweep) {
      values = expand_sweep(*parsed.sweep, {}, where);
    } else {
      values = parsed.value.is_list() ? parsed.value.as_list() : Node::List{parsed.value};
    }
  } else if (seeds.is_list()) {
    values = seeds.as_list();
  } else {
    values = {seeds};
  }
  if (values.empty()) throw config_error("there are no seeds", where, {}, hint);
  if (values.size() > limits::kPoints)
    throw config_error(fmt::format("there are more than {} seeds", limits::kPoints), shortened(where), {}, hint);
  std::vector<std::int64_t> out;
  std::unordered_set<std::int64_t> seen;
  for (const auto& value : values) {
    if (!value.is_int()) {
      throw config_error("a seed must be an integer, found " + describe_value(value), where, {}, hint);
    }
    const auto seed = value.as_int();
    if (seed < 0) throw config_error(fmt::format("a seed cannot be negative: {}", seed), where, {}, hint);
    if (!seen.insert(seed).second) {
      throw config_error(fmt::format("the seed {} is given twice", seed), where, "two jobs with the same seed would be the same job",
                         "remove one of them");
    }
    out.push_back(seed);
  }
  return out;
}

}  // namespace yatlab

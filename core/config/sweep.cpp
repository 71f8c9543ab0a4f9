#include "core/config/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/scalar.h"

namespace yatlab {
namespace {

constexpr std::size_t kMaxPoints = 1'000'000;

std::vector<std::string> options_of(const std::string& key, const OptionLister& options) {
  return options ? options(key) : std::vector<std::string>{};
}

[[noreturn]] void bad_zip(const std::string& name, const Node& at, const std::string& why) {
  throw config_error(fmt::format("cannot zip '{}'", name), at.origin().describe(), why,
                     "write zip(a=[1, 2], b=[3, 4]) or {zip: {a: [1, 2], b: [3, 4]}}, with lists of equal length");
}

/// One point per position of the equally long lists in `lists`.
Dimension zip(const std::string& name, const Node& lists) {
  if (!lists.is_map() || lists.size() == 0) bad_zip(name, lists, "a zip holds keys with lists");
  Dimension out;
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
        values = expand_sweep(*parsed.sweep, {}, value.origin().describe());
      } else if (parsed.value.is_list()) {
        values = parsed.value.as_list();
      }
    }
    if (values.empty()) bad_zip(name, value, fmt::format("'{}' is no list of values", key));
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

Dimension read_dimension(const std::string& key, const Node& value, const OptionLister& options) {
  Dimension out;
  out.key = key;
  if (value.is_list()) {
    out.values = value.as_list();
  } else if (value.is_map() && value.size() == 1 && value.has("zip")) {
    out = zip(key, value.at("zip"));
  } else if (value.is_string()) {
    ParsedValue parsed = parse_sweep_value(value.as_string(), value.origin());
    if (parsed.sweep && parsed.sweep->kind == SweepKind::kZip) return zip(key, parsed.sweep->columns);
    if (parsed.sweep) {
      out.values = expand_sweep(*parsed.sweep, options_of(key, options), value.origin().describe());
      out.tags = parsed.sweep->tags;
    } else if (parsed.value.is_list()) {
      out.values = parsed.value.as_list();
    } else {
      out.values = {std::move(parsed.value)};
    }
  } else {
    out.values = {value};
  }
  if (out.values.empty()) {
    throw config_error(fmt::format("the sweep over '{}' has no values", key), value.origin().describe(), {},
                       "give a list, choice(...) or range(...), or drop the key");
  }
  for (auto& v : out.values) {
    if (v.origin().source.empty()) v.set_origin_deep(value.origin());
  }
  return out;
}

std::vector<std::string> keys_of(const Dimension& dimension) {
  if (!dimension.zipped) return {dimension.key};
  std::vector<std::string> out;
  for (const auto& entry : dimension.values.front().as_map()) out.push_back(entry.first);
  return out;
}

}  // namespace

std::vector<Dimension> read_dimensions(const Node& sweep, const OptionLister& options) {
  if (sweep.is_null()) return {};
  if (!sweep.is_map()) {
    throw config_error("'sweep' must be a map, found " + with_article(sweep), sweep.origin().describe(), {},
                       "write 'sweep: {operator.epsilon: [1e-5, 1e-3]}'");
  }
  std::vector<Dimension> out;
  for (const auto& [key, value] : sweep.as_map()) out.push_back(read_dimension(key, value, options));
  return out;
}

Dimension dimension_of(const Override& override, const OptionLister& options) {
  if (override.sweep && override.sweep->kind == SweepKind::kZip) return zip(override.address(), override.sweep->columns);
  Dimension out;
  out.key = override.address();
  out.values = expand_sweep(override, options_of(override.key, options));
  if (override.sweep) out.tags = override.sweep->tags;
  return out;
}

void merge_dimension(std::vector<Dimension>& dimensions, Dimension dimension) {
  for (auto& present : dimensions) {
    if (present.key == dimension.key) {
      present = std::move(dimension);
      return;
    }
  }
  dimensions.push_back(std::move(dimension));
}

std::vector<SweepPoint> grid(const std::vector<Dimension>& dimensions) {
  std::size_t points = 1;
  std::set<std::string> taken;
  for (const auto& d : dimensions) {
    if (d.values.empty()) throw config_error(fmt::format("the sweep over '{}' has no values", d.key));
    for (const auto& key : keys_of(d)) {
      if (!taken.insert(key).second) {
        throw config_error(fmt::format("two dimensions of the sweep set '{}'", key), d.values.front().origin().describe(), {},
                           "keep one of them, or zip them");
      }
    }
    points *= d.size();
    if (points > kMaxPoints) {
      throw config_error(fmt::format("the sweep has more than {} points", kMaxPoints), {}, {}, "sweep over fewer values");
    }
  }
  std::vector<SweepPoint> out;
  out.reserve(points);
  for (std::size_t i = 0; i < points; ++i) {
    SweepPoint point;
    std::size_t rest = i, stride = points;
    for (const auto& d : dimensions) {
      stride /= d.size();
      const Node& value = d.values[rest / stride];
      rest %= stride;
      if (!d.zipped) {
        point.emplace_back(d.key, value);
      } else {
        for (const auto& [key, item] : value.as_map()) point.emplace_back(key, item);
      }
    }
    out.push_back(std::move(point));
  }
  return out;
}

std::vector<std::int64_t> parse_seeds(const Node& seeds) {
  const auto where = seeds.origin().describe();
  const char* hint = "write seeds: 3, seeds: [0, 1, 2] or seeds: range(0, 5)";
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
  std::vector<std::int64_t> out;
  for (const auto& value : values) {
    if (!value.is_int()) {
      throw config_error("a seed must be an integer, found " + describe_value(value), where, {}, hint);
    }
    const auto seed = value.as_int();
    if (seed < 0) throw config_error(fmt::format("a seed cannot be negative: {}", seed), where, {}, hint);
    if (std::find(out.begin(), out.end(), seed) != out.end()) {
      throw config_error(fmt::format("the seed {} is given twice", seed), where,
                         "two jobs with one seed would be the same job", "drop one of them");
    }
    out.push_back(seed);
  }
  return out;
}

}  // namespace yatlab

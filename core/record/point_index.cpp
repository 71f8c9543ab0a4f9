#include "core/record/point_index.h"

#include <algorithm>
#include <cstring>

namespace yatlab {
namespace {

/// A point's parameters, sorted by name.
using NamedValues = std::vector<const std::pair<std::string, Node>*>;

NamedValues by_name(const Node::Map& map) {
  NamedValues out;
  for (const auto& entry : map) out.push_back(&entry);
  std::sort(out.begin(), out.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
  return out;
}

void add_text(std::string& key, const std::string& text) { key += std::to_string(text.size()) + ":" + text; }

/// Equal for equal values. At the top level 1 and 1.0 are equal, as when points are matched; below they differ, as in Node.
void add_value_key(std::string& key, const Node& value, bool top) {
  if (value.is_float() || (top && value.is_int())) {
    const double number = value.as_double() == 0 ? 0 : value.as_double();  // -0 equals 0
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    key += 'n';
    key.append(bytes, sizeof bytes);
  } else if (value.is_string()) {
    key += 's';
    add_text(key, value.as_string());
  } else if (value.is_list()) {
    key += '[';
    for (const auto& item : value.as_list()) add_value_key(key, item, false);
    key += ']';
  } else if (value.is_map()) {
    key += '{';
    for (const auto* entry : by_name(value.as_map())) {
      add_text(key, entry->first);
      add_value_key(key, entry->second, false);
    }
    key += '}';
  } else {
    key += value.to_flow() + ';';
  }
}

/// The values of the parameters `names` (ascending); nullopt if the point lacks one.
std::optional<std::string> values_key(const NamedValues& point, const std::vector<std::string>& names) {
  std::string out;
  auto at = point.begin();
  for (const auto& name : names) {
    while (at != point.end() && (*at)->first < name) ++at;
    if (at == point.end() || (*at)->first != name) return std::nullopt;
    add_value_key(out, (*at)->second, true);
  }
  return out;
}

}  // namespace

std::size_t PointIndex::add(const Node::Map& point) {
  const auto entries = by_name(point);
  std::vector<std::string> names;
  for (const auto* entry : entries) names.push_back(entry->first);
  auto alike = std::find_if(alike_.begin(), alike_.end(), [&](const Alike& known) { return known.names == names; });
  if (alike == alike_.end()) alike = alike_.insert(alike_.end(), {std::move(names), {}});
  const auto [found, added] = alike->numbers.emplace(*values_key(entries, alike->names), parameters_.size());
  if (added) parameters_.push_back(entries.size());
  return found->second;
}

std::optional<std::size_t> PointIndex::find(const Node::Map& point) const {
  const auto entries = by_name(point);
  for (const auto& alike : alike_) {
    if (alike.names.size() != entries.size()) continue;
    const auto key = values_key(entries, alike.names);
    if (!key) continue;
    const auto found = alike.numbers.find(*key);
    return found == alike.numbers.end() ? std::nullopt : std::optional<std::size_t>(found->second);
  }
  return std::nullopt;
}

std::vector<std::size_t> PointIndex::parts_of(const Node::Map& point) const {
  const auto entries = by_name(point);
  std::vector<std::size_t> out;
  for (const auto& alike : alike_) {
    const auto key = values_key(entries, alike.names);
    if (!key) continue;
    if (const auto found = alike.numbers.find(*key); found != alike.numbers.end()) out.push_back(found->second);
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<Node::Map> distinct_points(std::vector<Node::Map> points) {
  PointIndex index;
  std::vector<Node::Map> out;
  for (auto& point : points) {
    if (index.add(point) == out.size()) out.push_back(std::move(point));
  }
  return out;
}

std::size_t DistinctValues::add(const Node& value) {
  const auto number = index_.add({{"", value}});
  if (number == values_.size()) values_.push_back(value);
  return number;
}

namespace {

bool same_value(const Node& a, const Node& b) {
  if (a.is_number() && b.is_number()) return a.as_double() == b.as_double();
  const auto plain = [](const Node& node) { return node.is_number() || node.is_bool(); };
  // For a key that is declared as text, a point holds the text: {dataset.label: 1e5} means '1e5'.
  if ((a.is_string() && plain(b)) || (plain(a) && b.is_string())) return text_of_scalar(a) == text_of_scalar(b);
  return a == b;
}

}  // namespace

bool point_matches(const Node::Map& at, const Node::Map& point) {
  return std::all_of(at.begin(), at.end(), [&](const auto& wanted) {
    return std::any_of(point.begin(), point.end(),
                       [&](const auto& have) { return have.first == wanted.first && same_value(have.second, wanted.second); });
  });
}

}  // namespace yatlab

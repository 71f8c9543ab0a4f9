#include "core/compose/search_space.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace yatlab {
namespace {

bool ascending_numbers(const Dimension& dimension) {
  if (dimension.keys().size() != 1 || dimension.size() < 2) return false;
  double before = -std::numeric_limits<double>::infinity();
  for (const auto& position : dimension.positions) {
    const Node& value = position.front().value;
    if (!value.is_number() || !(value.as_double() > before)) return false;
    before = value.as_double();
  }
  return true;
}

SearchParameter parameter_of(const Dimension& dimension) {
  using Kind = SearchParameter::Kind;
  SearchParameter out;
  out.name = dimension.name;
  if (const auto& range = dimension.range) {
    out.kind = range->whole ? Kind::kInteger : Kind::kReal;
    out.low = range->low;
    out.high = range->high;
    out.log = range->log;
  } else if (ascending_numbers(dimension)) {
    out.kind = Kind::kInteger;
    out.low = 0;
    out.high = static_cast<double>(dimension.size() - 1);
  } else {
    out.kind = Kind::kChoice;
    out.choices = dimension.size();
  }
  return out;
}

/// Whether the keys of `position` that occur in `values` have these values, and any occurs. `present`: how many occur.
bool agrees(const SweepPoint& position, const std::vector<std::pair<std::string, Node>>& values, std::size_t& present) {
  present = 0;
  bool same = true;
  for (const auto& o : position) {
    const auto it = std::find_if(values.begin(), values.end(), [&](const auto& value) { return value.first == o.address(); });
    if (it == values.end()) continue;
    ++present;
    same = same && it->second == o.value;
  }
  return same && present > 0;
}

}  // namespace

SearchSpace space_of(const std::vector<Dimension>& dimensions) {
  SearchSpace out;
  for (const auto& dimension : dimensions) out.parameters.push_back(parameter_of(dimension));
  return out;
}

SweepPoint sweep_point(const std::vector<Dimension>& dimensions, const SearchPoint& point) {
  SweepPoint out;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const auto part = dimensions[i].range ? dimensions[i].at(point[i]) : dimensions[i].positions.at(static_cast<std::size_t>(point[i]));
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

std::optional<SearchPoint> search_point(const std::vector<Dimension>& dimensions, const std::vector<std::pair<std::string, Node>>& values) {
  SearchPoint out;
  for (const auto& dimension : dimensions) {
    double at = std::numeric_limits<double>::quiet_NaN();
    if (dimension.range) {
      for (const auto& [key, value] : values) {
        if (key != dimension.name) continue;
        if (!value.is_number()) return std::nullopt;
        at = value.as_double();
      }
    } else {
      std::size_t present = 0;
      for (std::size_t i = 0; i < dimension.size() && std::isnan(at); ++i) {
        if (agrees(dimension.positions[i], values, present)) at = static_cast<double>(i);
      }
      if (present > 0 && std::isnan(at)) return std::nullopt;
    }
    out.push_back(at);
  }
  return out;
}

std::optional<std::size_t> points_in(const std::vector<Dimension>& dimensions) {
  std::size_t out = 1;
  for (const auto& dimension : dimensions) {
    if (dimension.range && !dimension.range->whole) return std::nullopt;
    const double count = dimension.range ? dimension.range->high - dimension.range->low + 1 : static_cast<double>(dimension.size());
    if (count * static_cast<double>(out) > 1e9) return std::nullopt;
    out *= static_cast<std::size_t>(count);
  }
  return out;
}

}  // namespace yatlab

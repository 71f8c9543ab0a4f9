#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/node.h"

namespace yatlab {

/// Points of a sweep, each once and numbered in the order in which they came: found by their parameters, whatever the order of these, and as parts of
/// others (the arms that lack a swept parameter). As same_point and point_matches have it, without trying them all.
class PointIndex {
 public:
  /// The point's number: the next one if it is new.
  std::size_t add(const Node::Map& point);
  std::optional<std::size_t> find(const Node::Map& point) const;
  /// The numbers of all whose parameters `point` has with the same values, itself included; ascending.
  std::vector<std::size_t> parts_of(const Node::Map& point) const;
  std::size_t size() const { return parameters_.size(); }
  /// How many parameters a point has.
  std::size_t parameters(std::size_t number) const { return parameters_[number]; }

 private:
  /// Points that have the same parameters.
  struct Alike {
    std::vector<std::string> names;                        ///< ascending
    std::unordered_map<std::string, std::size_t> numbers;  ///< by the values' text
  };
  std::vector<Alike> alike_;
  std::vector<std::size_t> parameters_;
};

/// True when every parameter in `at` has the same value in `point` (numbers compare as numbers).
bool point_matches(const Node::Map& at, const Node::Map& point);

/// Of `points` each once, in their order.
std::vector<Node::Map> distinct_points(std::vector<Node::Map> points);

/// Values, each once and numbered in the order in which they came. 1 and 1.0 are one.
class DistinctValues {
 public:
  /// The value's number: the next one if it is new.
  std::size_t add(const Node& value);
  std::optional<std::size_t> find(const Node& value) const { return index_.find({{"", value}}); }
  const std::vector<Node>& values() const { return values_; }

 private:
  PointIndex index_;
  std::vector<Node> values_;
};

}  // namespace yatlab

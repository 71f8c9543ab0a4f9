#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/node.h"

namespace yatlab {

/// The distinct points of a sweep, numbered in the order of insertion. Finds points by their parameters in any order, and points that are part of
/// another one (of arms that lack a swept parameter). Matches as same_point and point_matches do, without trying every point.
class PointIndex {
 public:
  /// The point's number; a new point gets the next one.
  std::size_t add(const Node::Map& point);
  std::optional<std::size_t> find(const Node::Map& point) const;
  /// The numbers of all points whose parameters have the same values in `point`, itself included; ascending.
  std::vector<std::size_t> parts_of(const Node::Map& point) const;
  std::size_t size() const { return parameters_.size(); }
  /// The number of a point's parameters.
  std::size_t parameters(std::size_t number) const { return parameters_[number]; }

 private:
  /// Points with the same parameter names.
  struct Alike {
    std::vector<std::string> names;                        ///< ascending
    std::unordered_map<std::string, std::size_t> numbers;  ///< by the text of the values
  };
  std::vector<Alike> alike_;
  std::vector<std::size_t> parameters_;
};

/// True when every parameter in `at` has the same value in `point` (numbers compare as numbers).
bool point_matches(const Node::Map& at, const Node::Map& point);

/// `points` without duplicates, in the same order.
std::vector<Node::Map> distinct_points(std::vector<Node::Map> points);

/// Distinct values, numbered in the order of insertion. 1 and 1.0 are the same.
class DistinctValues {
 public:
  /// The value's number; a new value gets the next one.
  std::size_t add(const Node& value);
  std::optional<std::size_t> find(const Node& value) const { return index_.find({{"", value}}); }
  const std::vector<Node>& values() const { return values_; }

 private:
  PointIndex index_;
  std::vector<Node> values_;
};

}  // namespace yatlab

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/node.h"
#include "core/config/expression.h"
#include "core/config/override.h"

namespace yatlab {

/// The overrides of one sweep point, in order. Each acts like the same override on the command line.
using SweepPoint = std::vector<Override>;

/// A continuous or integer range for sweepers that search: [low, high), or [low, high] for whole numbers.
struct Range {
  double low = 0, high = 1;
  bool log = false;  ///< tag(log, interval(...)): equal steps are equal factors
  bool whole = false;
};

/// One axis of a sweep. A plain axis varies one key, a zip several together. A nested axis varies its key and the keys of each value's inner sweep.
struct Dimension {
  std::string name;                   ///< the key's address in overrides ("size", "dataset@eval"), or the zip's name
  std::vector<SweepPoint> positions;  ///< same keys in the same order in all; a range has one of its values, to test arms with
  Origin origin;                      ///< where the sweep was requested
  std::optional<Range> range = {};
  bool nested = false;  ///< the first key of each position determines the values of the others

  std::size_t size() const { return positions.size(); }
  /// The addresses of the keys that it varies.
  std::vector<std::string> keys() const;
  /// The overrides for one value of a range.
  SweepPoint at(double value) const;
};

/// Lists the options of the group that a key names, for `glob`; empty when it is not a group.
using OptionLister = std::function<std::vector<std::string>(const std::string& group)>;

/// Config error, naming `origin`, if a sweep has too many points.
void check_points(std::size_t points, const Origin& origin);

/// Reads a file's `sweep:` map. A key is written as in an override: `operator.epsilon`, `dataset`, `+size`,
/// `dataset@eval`. A value is a list, a text in the override grammar (`choice(1, 2)`, `range(0, 1, 0.1)`,
/// `a, b`), a single value, a zip: `name: zip(a=[1, 2], b=[3, 4])` or `name: {zip: {a: [1, 2], b: [3, 4]}}`, or a nested sweep. In a nested sweep
/// each value has an inner sweep over the same keys: `optimizer: {nest: {sgd: {optimizer.lr: [0.1, 1]}, adam: {optimizer.lr: [0.001]}}}`. `where` is
/// not a key; see below.
std::vector<Dimension> read_dimensions(const Node& sweep, const OptionLister& options = {});

/// The `where:` entry of a file's `sweep:`: the condition that its points must satisfy.
std::optional<Expression> read_condition(const Node& sweep);

/// Whether the condition holds at a point of an arm. It may use swept keys (in full, or by their last part such as "lr"), other keys in `config`, and
/// `arm`. Config error for any other name.
bool holds_at(const Expression& condition, const SweepPoint& point, const Node& config, const std::string& arm);

/// The points for which the condition holds. Config error if none is left.
std::vector<SweepPoint> points_where(const Expression& condition, std::vector<SweepPoint> points, const Node& config,
                                     const std::string& arm);

/// The dimension of one sweeping override (of any other: a dimension of one value).
Dimension dimension_of(const Override& override, const OptionLister& options = {});

/// Adds `dimension`, or replaces the one that varies the same keys. Other dimensions stop varying its keys; a zip keeps its other keys.
void merge_dimension(std::vector<Dimension>& dimensions, Dimension dimension);

/// Ends the sweep over a key that is set elsewhere. A nested sweep over that key keeps the inner sweep of the set value. Config error if it has none
/// for that value.
void set_key(std::vector<Dimension>& dimensions, const Override& override);
/// Ends the sweep over a key, whatever value is set.
void drop_key(std::vector<Dimension>& dimensions, const std::string& address);

/// Applies `change` to the values of all positions, for example to convert them to their keys' declared types.
void change_values(std::vector<Dimension>& dimensions, const std::function<void(const Override&, Node& value)>& change);

/// Config error when two dimensions set the same key, or when a dimension has the same position twice.
void check_dimensions(const std::vector<Dimension>& dimensions);

/// The cartesian product; the last dimension varies fastest. No dimensions: one empty point.
/// Config error for more than 100,000 points, for a range, or for any error of check_dimensions.
std::vector<SweepPoint> grid(const std::vector<Dimension>& dimensions);

/// Parses an experiment's seeds: 3, [0, 1], "range(0, 5)" or "0,1,2". Config errors if they are empty,
/// negative or have duplicates.
std::vector<std::int64_t> parse_seeds(const Node& seeds);

}  // namespace yatlab

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

/// What one point of a sweep sets, in order. Each is applied as the same override on the command line would be.
using SweepPoint = std::vector<Override>;

/// Numbers that nobody lists, for sweepers that search: [low, high), of whole numbers with `high`.
struct Range {
  double low = 0, high = 1;
  bool log = false;  ///< tag(log, interval(...)): even steps are equal factors
  bool whole = false;
};

/// One axis of a sweep. A plain axis moves one key, a zip several together, a nested one its key and those of the sweep that each value has.
struct Dimension {
  std::string name;                   ///< the key as overrides address it ("size", "dataset@eval"), or the zip's name
  std::vector<SweepPoint> positions;  ///< all with the same keys in the same order; of a range one of its values, to try arms with
  Origin origin;                      ///< what asked for it
  std::optional<Range> range = {};
  bool nested = false;  ///< the first key of each position decides what values the others take

  std::size_t size() const { return positions.size(); }
  /// The addresses of the keys that it moves.
  std::vector<std::string> keys() const;
  /// What one value of a range sets.
  SweepPoint at(double value) const;
};

/// Lists the options of the group that a key names, for `glob`; empty when it is not a group.
using OptionLister = std::function<std::vector<std::string>(const std::string& group)>;

/// Config error, naming `origin`, for more points than a sweep may have.
void check_points(std::size_t points, const Origin& origin);

/// Reads a file's `sweep:` map. A key is written as in an override: `operator.epsilon`, `dataset`, `+size`,
/// `dataset@eval`. A value is a list, a text in the override grammar (`choice(1, 2)`, `range(0, 1, 0.1)`,
/// `a, b`), one single value, a zip: `name: zip(a=[1, 2], b=[3, 4])` or `name: {zip: {a: [1, 2], b: [3, 4]}}`, or a nested sweep, in which each value has
/// a sweep of its own, of the same keys: `optimizer: {nest: {sgd: {optimizer.lr: [0.1, 1]}, adam: {optimizer.lr: [0.001]}}}`. `where` is not a key: see
/// below.
std::vector<Dimension> read_dimensions(const Node& sweep, const OptionLister& options = {});

/// `where:` of a file's `sweep:`, the condition that its points must satisfy.
std::optional<Expression> read_condition(const Node& sweep);

/// Whether the condition holds at a point of an arm. It names swept keys, in full or by their last part ("lr"), anything else that `config` has, or
/// `arm`. Config error when a name is none of these.
bool holds_at(const Expression& condition, const SweepPoint& point, const Node& config, const std::string& arm);

/// Those of `points` for which the condition holds. Config error when none is left.
std::vector<SweepPoint> points_where(const Expression& condition, std::vector<SweepPoint> points, const Node& config,
                                     const std::string& arm);

/// The dimension of one sweeping override (of any other: a dimension of one value).
Dimension dimension_of(const Override& override, const OptionLister& options = {});

/// Adds `dimension`, in the place of the one that moves the same key alone if there is one. A zip loses the key and keeps its others.
void merge_dimension(std::vector<Dimension>& dimensions, Dimension dimension);

/// Ends the sweep over a key, which is set elsewhere: of a nested sweep over it, what goes with that value is left. Config error when it has nothing
/// for that value.
void set_key(std::vector<Dimension>& dimensions, const Override& override);
/// Ends the sweep over a key, whatever it is set to.
void drop_key(std::vector<Dimension>& dimensions, const std::string& address);

/// Changes values of positions, such as to the texts that their keys are declared as.
void change_values(std::vector<Dimension>& dimensions, const std::function<void(const Override&, Node& value)>& change);

/// Config error when two dimensions set one key, or when a dimension has one position twice.
void check_dimensions(const std::vector<Dimension>& dimensions);

/// The cartesian product, the last dimension fastest. No dimensions: one empty point.
/// Config error when it has more than 100,000 points, when a dimension is a range, or where check_dimensions has one.
std::vector<SweepPoint> grid(const std::vector<Dimension>& dimensions);

/// Seeds as an experiment gives them: 3, [0, 1], "range(0, 5)" or "0,1,2". Not empty, not negative,
/// no duplicates: config errors otherwise.
std::vector<std::int64_t> parse_seeds(const Node& seeds);

}  // namespace yatlab

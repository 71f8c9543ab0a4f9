#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/node.h"
#include "core/config/override.h"

namespace yatlab {

/// One axis of a sweep. A plain axis has one key; a zipped axis moves several keys together.
struct Dimension {
  std::string key;                        ///< the key, or the name of a zip
  std::vector<Node> values;               ///< plain: one per point; zip: a map of keys per point
  std::vector<std::string> tags;
  bool zipped = false;

  std::size_t size() const { return values.size(); }
};

/// The values that each key takes at one point, in the order of the dimensions.
using SweepPoint = std::vector<std::pair<std::string, Node>>;

/// Lists the options of the group that a key names, for `glob`; empty when it is no group.
using OptionLister = std::function<std::vector<std::string>(const std::string& group)>;

/// Reads a file's `sweep:` map. A value is a list, a text in the override grammar (`choice(1, 2)`,
/// `range(0, 1, 0.1)`, `a, b`), one single value, or a zip: `name: zip(a=[1, 2], b=[3, 4])` or
/// `name: {zip: {a: [1, 2], b: [3, 4]}}`.
std::vector<Dimension> read_dimensions(const Node& sweep, const OptionLister& options = {});

/// The dimension of one sweeping override (of any other: a dimension of one value).
Dimension dimension_of(const Override& override, const OptionLister& options = {});

/// Adds `dimension`; one that is there for the same key is replaced in its place.
void merge_dimension(std::vector<Dimension>& dimensions, Dimension dimension);

/// The cartesian product, the last dimension fastest. No dimensions: one empty point.
/// Config error when it has more than a million points or when two dimensions set one key.
std::vector<SweepPoint> grid(const std::vector<Dimension>& dimensions);

/// Seeds as an experiment gives them: 3, [0, 1], "range(0, 5)" or "0,1,2". Not empty, not negative,
/// no duplicates: config errors otherwise.
std::vector<std::int64_t> parse_seeds(const Node& seeds);

}  // namespace yatlab

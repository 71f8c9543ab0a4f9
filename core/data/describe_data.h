#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/data/dataset.h"

namespace yatlab {

/// A summary of a dataset and its likely problems.
struct DataDescription {
  std::string text;                   ///< a few lines: source, shapes, classes, splits
  std::vector<std::string> warnings;  ///< one sentence each
};

/// Describes loaded splits. Checks dense numeric inputs for missing and infinite values, differing scales and constant values. Checks splits for
/// missing or rare classes and for samples that are also in "train", and "train" for repeated samples, also with different classes.
DataDescription describe_data(const Dataset& dataset, const std::map<std::string, Split>& splits);

}  // namespace yatlab

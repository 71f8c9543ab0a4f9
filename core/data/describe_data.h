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

/// Describes loaded splits. Checks dense numeric inputs for missing and infinite values, differing scales and constant values; splits for missing
/// or rare classes; "test" for samples that are also in "train"; and all samples for equal inputs with different classes.
DataDescription describe_data(const Dataset& dataset, const std::map<std::string, Split>& splits);

}  // namespace yatlab

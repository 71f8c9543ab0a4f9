#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/data/dataset.h"

namespace yatlab {

/// What a data set holds, and what would be wrong.
struct DataDescription {
  std::string text;                   ///< a few lines: where from, shapes, classes, the splits
  std::vector<std::string> warnings;  ///< a sentence each
};

/// Of loaded splits. Values are looked at where inputs are dense numbers: missing and infinite ones, scales that differ, values that never change;
/// classes that a split lacks or that are rare; samples of "test" that "train" holds too, and equal samples of two classes.
DataDescription describe_data(const Dataset& dataset, const std::map<std::string, Split>& splits);

}  // namespace yatlab

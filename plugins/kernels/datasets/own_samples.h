#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/data/dataset.h"

namespace yatlab {

/// The settings of user data sets: splitting, limits and scaling.
struct OwnShaping {
  enum class Scale { kNone, kStandardize, kUnit };
  enum class Missing { kError, kDrop, kMean };

  std::optional<double> test;
  double validation = 0;
  bool stratify = true;
  std::int64_t split_seed = 0;
  std::optional<std::int64_t> limit, test_limit;
  Scale scale = Scale::kNone;
  Missing missing = Missing::kError;

  static void declare(Fields& f, OwnShaping& p);
  /// The splits that result if the files contain no validation samples.
  std::vector<std::string> splits() const;
};

/// Labelled samples as stored in a file.
struct OwnSamples {
  at::Tensor inputs;                ///< [N, ...]; bytes are scaled to [0, 1]
  std::vector<std::string> labels;  ///< N, as text
  /// Describes the position of a value for messages: "flowers.csv:17, column 'petal_width'"; of the label for value -1.
  std::function<std::string(std::int64_t sample, std::int64_t value)> place;
};

/// The resulting splits.
struct OwnSplits {
  std::map<std::string, Split> splits;
  std::vector<std::string> classes;  ///< numbers in numeric order, else in alphabetical order
};

/// Splits a missing "test" (and, where the shaping asks for one, a missing "validation") off "train" with a separate seed, so that every training
/// seed gets the same split. Then it applies limits, fills or drops missing values (NaN), and scales by statistics of the resulting "train" alone.
/// Messages for the user go to `notice`. Config and data errors describe problems of `name`'s samples: infinite or missing values, a single class,
/// labels that are not classes (a quantity, names that cannot be printed), inputs of which only some are bytes, no samples left.
OwnSplits shape_own_samples(const std::string& name, std::map<std::string, OwnSamples> parts, const OwnShaping& shaping,
                            const std::function<void(const std::string&)>& notice);

/// Finds a file that the user named: as given, relative to the current folder, or below data.root, data.search_path and the shared path. The data
/// error lists the places searched.
std::filesystem::path find_own_file(const std::string& key, const std::string& file, const DataContext& context);

}  // namespace yatlab

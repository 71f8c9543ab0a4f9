#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/data/dataset.h"

namespace yatlab {

/// What data of one's own offer: how they are divided, cut and scaled.
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
  /// The splits that there will be where files hold no validation samples.
  std::vector<std::string> splits() const;
};

/// Labelled samples as they lie in a file.
struct OwnSamples {
  at::Tensor inputs;                ///< [N, ...]; bytes become [0, 1]
  std::vector<std::string> labels;  ///< N, as text
  /// Where a value is, for people: "flowers.csv:17, column 'petal_width'"; the label for value -1.
  std::function<std::string(std::int64_t sample, std::int64_t value)> place;
};

/// What becomes of them.
struct OwnSplits {
  std::map<std::string, Split> splits;
  std::vector<std::string> classes;  ///< numbers in their order, else in alphabetical order
};

/// Divides "train" where there is no "test" (and "validation", where the shaping asks for one) by a seed of its own, so that every training seed sees the
/// same division; cuts; fills or drops what is missing (NaN); scales by what "train" then holds, and nothing else. What a person should know goes to
/// `notice`. Config and data errors say what is wrong with `name`'s samples: infinite or missing values, one class alone, labels that are not classes
/// (a quantity, names that cannot be shown), inputs of which some are bytes, nothing left.
OwnSplits shape_own_samples(const std::string& name, std::map<std::string, OwnSamples> parts, const OwnShaping& shaping,
                            const std::function<void(const std::string&)>& notice);

/// A file as the user named it: as it is, or from the current folder, or below data.root, data.search_path and the shared path. Data error that says where
/// it was looked for.
std::filesystem::path find_own_file(const std::string& key, const std::string& file, const DataContext& context);

}  // namespace yatlab

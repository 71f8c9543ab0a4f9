#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/data/locate.h"

namespace yatlab {

/// What the disk holds of one data set: `yatlab data list`.
struct DatasetStatus {
  std::string name;
  std::vector<FileState> files;  ///< empty: the data are part of Yatlab
  std::string substitute;        ///< stands in when files are missing; "" none

  bool complete() const;       ///< every file is there and right
  bool authenticated() const;  ///< a published sum says of every file which bytes are right
  bool wrong() const;          ///< some file is there with other bytes, and no right copy
  /// One line: "part of Yatlab", "present in data/mnist", "missing: a.gz, b.gz; stand-in: x", or
  /// "wrong: data/mnist/a.gz". "; unauthenticated: no checksum is published" behind it where that is so.
  std::string summary() const;
};

// `dataset` is the content of one configs/dataset/*.yaml: {name:, files:, folder:, mirrors:, system_paths:,
// substitute:}. All throw config errors for a malformed one.

/// Looks at the disk and checks sums; changes nothing, downloads nothing.
DatasetStatus dataset_status(const Node& dataset, const DataContext& context);

/// Downloads what is not there. -> every file's path, by key. Throws a data error when a file cannot be
/// had, or when one with other bytes is in the way.
std::map<std::string, std::filesystem::path> fetch_dataset(const Node& dataset, const DataContext& context);

/// The status, or a data error that names each missing or wrong file with its sums.
DatasetStatus verify_dataset(const Node& dataset, const DataContext& context);

}  // namespace yatlab

#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/data/locate.h"

namespace yatlab {

/// The state of one dataset on disk, for `yatlab data list`.
struct DatasetStatus {
  std::string name;
  std::vector<FileState> files;  ///< empty: the data are part of Yatlab
  std::string substitute;        ///< replaces the dataset if files are missing; "" none

  bool complete() const;       ///< every file exists with the right bytes
  bool authenticated() const;  ///< published checksums cover every file
  bool wrong() const;          ///< some file exists only with wrong bytes
  /// One line: "part of Yatlab", "present in data/mnist", "missing: a.gz, b.gz; substitute: x", or
  /// "wrong: data/mnist/a.gz". Without a published checksum it ends in "; unauthenticated: no checksum is published".
  std::string summary() const;
};

// `dataset` is the content of one configs/dataset/*.yaml: {name:, files:, folder:, mirrors:, system_paths:,
// substitute:}. All throw config errors for a malformed one.

/// The files of a data set, with their addresses.
FileSet declared_files(const Node& dataset);

/// The data set that replaces it where its files are missing; "" if none does.
std::string substitute_of(const Node& dataset);

/// The hashes that a run records of these data where it reads the published files; empty if some file has no published checksum. There are
/// two where files with names of labels are optional.
std::vector<std::string> published_sha256(const Node& dataset);

/// Checks the files on disk and their checksums; changes and downloads nothing.
DatasetStatus dataset_status(const Node& dataset, const DataContext& context);

/// Downloads the missing files and returns every file's path, by key. Throws a data error if a file is not
/// available, or if a file with other bytes is in the way.
std::map<std::string, std::filesystem::path> fetch_dataset(const Node& dataset, const DataContext& context);

/// The status, or a data error that names each missing or wrong file with its checksums.
DatasetStatus verify_dataset(const Node& dataset, const DataContext& context);

}  // namespace yatlab

#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/node.h"
#include "core/data/dataset.h"

namespace yatlab {

/// One file of a data set, as its config declares it.
struct DataFile {
  std::string key;             ///< "train_images": what the data set's code calls it
  std::string file;            ///< "train-images-idx3-ubyte.gz"
  std::string sha256;          ///< of the file as it is published; may be empty if the next is not
  std::string content_sha256;  ///< of the unpacked bytes: accepts the same content packed otherwise
  std::string git_blob;        ///< id of the content in a git repository (SHA-1), where that is all there is
  std::vector<std::string> urls;
  std::int64_t bytes = 0;  ///< its size as it is published: no more is downloaded; 0: unknown

  /// What identifies the content wherever it came from: `content_sha256`, else `sha256`, else `git_blob`; "" when only `bytes` is known.
  const std::string& identity() const { return !content_sha256.empty() ? content_sha256 : !sha256.empty() ? sha256 : git_blob; }
  /// Whether a published sum says which bytes are right. Otherwise they are those that the server, or whoever made the file, chose.
  bool authenticated() const { return !identity().empty(); }
};

/// The files of a data set and where they may be.
struct FileSet {
  std::string dataset;  ///< "mnist"
  std::string folder;   ///< its folder below data.root and the others; declare_files makes it the name if empty
  std::vector<DataFile> files;
  std::vector<std::filesystem::path> system_paths;  ///< where a distribution's package puts them
};

/// Reads `files:` ({train_images: {file:, sha256:, content_sha256:, git_blob:, bytes:, urls: [...]}, ...}); each of
/// `mirrors` adds the address `<mirror>/<file>` behind the file's own. Throws config errors that name
/// the key (below `path`), the place and the nearest valid key.
FileSet declare_files(const std::string& dataset, const Node& files, const std::vector<std::string>& mirrors = {},
                      const std::vector<std::string>& system_paths = {}, const std::string& path = "dataset",
                      const std::string& folder = {});

/// "" when `path` holds the declared bytes, else "expected sha256 ..., found ..." (or git blob, or a size). Of files with nothing
/// but a size, those named *.bin must also begin as a token shard does.
std::string verify_file(const std::filesystem::path& path, const DataFile& file);

/// The folders that are looked through, in order: `root/<folder>`, root, then the same for each entry
/// of the search path and of the shared path (variables expanded), then the system's.
std::vector<std::filesystem::path> candidate_folders(const FileSet& set, const DataContext& context);

/// What a look at the disk finds for one file.
struct FileState {
  enum Kind { kPresent, kWrong, kMissing };
  DataFile declared;
  Kind kind = kMissing;
  std::filesystem::path path;      ///< kPresent: the verified file; kWrong: the first wrong one
  std::string why;                 ///< kWrong: expected and found sums
  std::vector<std::string> wrong;  ///< every file of that name with other bytes: "path: expected ..., found ..."
};

/// Looks for one file, checking sums; changes nothing. A right copy anywhere wins over wrong ones.
FileState look_up(const DataFile& file, const FileSet& set, const DataContext& context);

/// What `locate` arrives at.
struct Located {
  std::map<std::string, std::filesystem::path> paths;  ///< by key; complete unless `missing` says why
  std::string tier;     ///< "local" or "downloaded"; ", unauthenticated" behind it where no sum is published of some file
  std::string missing;  ///< why the set is not complete; "" when it is
};

/// Tiers 1 and 2: what is on disk, then the mirrors (into `root/<folder>/`, where what dead processes left is swept). Files that are there but
/// wrong are an error, and are left as they are. What cannot be had is listed in `missing`, so that the
/// caller can put a substitute in or throw `missing_error`.
Located locate(const FileSet& set, const DataContext& context);

/// The error for a set that cannot be had: what was looked for where, and what to do.
Error missing_error(const FileSet& set, const DataContext& context, const std::string& why);

/// What stands beside files of which no sum is published.
constexpr const char* kUnauthenticated = "unauthenticated: no checksum is published";

/// Fetches what is missing or wrong elsewhere into `root/<folder>/` (`yatlab data fetch`).
/// Throws when a mirror cannot deliver. -> the paths, by key
std::map<std::string, std::filesystem::path> fetch_files(const FileSet& set, const DataContext& context);

/// SHA-256 over the sorted identities of the files: names the content of the whole set.
std::string combined_sha256(const FileSet& set);

/// Passes `message` to context.notice, or to stderr.
void tell(const DataContext& context, const std::string& message);

}  // namespace yatlab

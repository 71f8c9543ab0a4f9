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

/// One file of a dataset, as declared in its config.
struct DataFile {
  std::string key;             ///< "train_images": its name in the dataset's code
  std::string file;            ///< "train-images-idx3-ubyte.gz"
  std::string sha256;          ///< of the published file; may be empty if the next is not
  std::string content_sha256;  ///< of the unpacked bytes: accepts the same content in another packing
  std::string git_blob;        ///< id of the content in a Git repository (SHA-1), if nothing else is published
  std::vector<std::string> urls;
  std::int64_t bytes = 0;  ///< its published size, and the limit for downloads; 0: unknown

  /// Identifies the content from any source: `content_sha256`, else `sha256`, else `git_blob`; "" if only `bytes` is known.
  const std::string& identity() const { return !content_sha256.empty() ? content_sha256 : !sha256.empty() ? sha256 : git_blob; }
  /// Whether a published checksum determines the right bytes. If not, the server or the file's author chose them.
  bool authenticated() const { return !identity().empty(); }
};

/// The files of a dataset and their possible locations.
struct FileSet {
  std::string dataset;  ///< "mnist"
  std::string folder;   ///< its subfolder in data.root and the other folders; declare_files sets it to the name if empty
  std::vector<DataFile> files;
  std::vector<std::filesystem::path> system_paths;  ///< where a Linux distribution's package installs them
};

/// Reads `files:` ({train_images: {file:, sha256:, content_sha256:, git_blob:, bytes:, urls: [...]}, ...}); each of
/// `mirrors` adds the address `<mirror>/<file>` after the file's own. Throws config errors that name
/// the key (below `path`), the place and the nearest valid key.
FileSet declare_files(const std::string& dataset, const Node& files, const std::vector<std::string>& mirrors = {},
                      const std::vector<std::string>& system_paths = {}, const std::string& path = "dataset",
                      const std::string& folder = {});

/// "" if `path` has the declared bytes, else "expected sha256 ..., found ..." (or git blob, or a size). A *.bin file with only a
/// declared size must also begin as a token shard does.
std::string verify_file(const std::filesystem::path& path, const DataFile& file);

/// The folders to search, in order: `root/<folder>`, root, then the same for each entry
/// of the search path and of the shared path (variables expanded), then the system's.
std::vector<std::filesystem::path> candidate_folders(const FileSet& set, const DataContext& context);

/// The result of a search for one file on disk.
struct FileState {
  enum Kind { kPresent, kWrong, kMissing };
  DataFile declared;
  Kind kind = kMissing;
  std::filesystem::path path;      ///< kPresent: the verified file; kWrong: the first wrong one
  std::string why;                 ///< kWrong: expected and found checksums
  std::vector<std::string> wrong;  ///< every file of that name with other bytes: "path: expected ..., found ..."
};

/// Searches for one file and checks its checksum; changes nothing. A right copy anywhere wins over wrong ones.
FileState look_up(const DataFile& file, const FileSet& set, const DataContext& context);

/// The result of `locate`.
struct Located {
  std::map<std::string, std::filesystem::path> paths;  ///< by key; complete unless `missing` gives a reason
  std::string tier;     ///< "local" or "downloaded"; followed by ", unauthenticated" if a file has no published checksum
  std::string missing;  ///< why the set is incomplete; "" if complete
};

/// Tiers 1 and 2: files on disk, then the mirrors (into `root/<folder>/`, where leftovers of dead processes are removed). Existing files with
/// wrong bytes are an error and are left unchanged. `missing` lists files that are not available, so that the
/// caller can use a substitute or throw `missing_error`.
Located locate(const FileSet& set, const DataContext& context);

/// The error for an unavailable set: the files, the folders searched, and what to do.
Error missing_error(const FileSet& set, const DataContext& context, const std::string& why);

/// The label of files without a published checksum.
constexpr const char* kUnauthenticated = "unauthenticated: no checksum is published";

/// Downloads files that are missing or wrong elsewhere into `root/<folder>/` (`yatlab data fetch`) and returns the paths, by key.
/// Throws if a mirror cannot deliver.
std::map<std::string, std::filesystem::path> fetch_files(const FileSet& set, const DataContext& context);

/// SHA-256 over the sorted identities of the files: identifies the content of the whole set.
std::string combined_sha256(const FileSet& set);

/// Passes `message` to context.notice, or to stderr.
void tell(const DataContext& context, const std::string& message);

}  // namespace yatlab

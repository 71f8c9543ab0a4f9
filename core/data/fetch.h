#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace yatlab {

struct FetchOptions {
  /// Bytes so far and in all (-1 when unknown); may throw to give up, which keeps the partial file.
  std::function<void(std::int64_t bytes, std::int64_t total)> progress;
  /// One line per event worth knowing: a mirror that failed, a transfer that goes on.
  std::function<void(const std::string&)> notice;
  /// Says whether the downloaded file is the wanted one; unset: its SHA-256 must equal `sha256`.
  /// Returns "" when it is, else the reason why not.
  std::function<std::string(const std::filesystem::path&)> verify;
  std::string sha256;
  bool offline = false;       ///< refuse every address that is not file://
  long connect_seconds = 15;  ///< per connection
  long stall_seconds = 30;    ///< give up when nothing arrives for so long
  int attempts = 3;           ///< per mirror, each going on where the last one stopped
};

/// Downloads `target` from the first of `urls` (https, http, file) that delivers the right bytes.
///
/// The bytes gather in `.<name>.part` beside the target; a later call goes on from there. Only a
/// verified file gets the final name (fsync, rename, fsync of the folder). Certificates are checked.
/// Processes that want the same file wait for each other. Nothing happens when the target is there
/// already and right; a target that is there and wrong is left as it is, and reported.
///
/// Throws a data error that says what each mirror answered.
void fetch_file(const std::vector<std::string>& urls, const std::filesystem::path& target,
                const FetchOptions& options);

}  // namespace yatlab

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace yatlab {

/// What a file may have whose size nobody has declared: 16 GiB.
constexpr std::int64_t kMostBytes = std::int64_t{16} << 30;

struct FetchOptions {
  /// Bytes so far and in all (-1 when unknown); may throw to give up, which keeps the partial file.
  std::function<void(std::int64_t bytes, std::int64_t total)> progress;
  /// One line per event worth knowing: a mirror that failed, a transfer that goes on.
  std::function<void(const std::string&)> notice;
  /// Says whether the downloaded file is the wanted one; unset: its SHA-256 must equal `sha256`.
  /// Returns "" when it is, else the reason why not.
  std::function<std::string(const std::filesystem::path&)> verify;
  std::string sha256;
  /// Asked while it goes on, about once a second or more often; true ends it with a file error and keeps the partial file.
  std::function<bool()> stop;
  /// What the file may have. A server that sends more is cut off, and nothing of it is kept.
  std::int64_t most_bytes = kMostBytes;
  bool offline = false;       ///< refuse every address that is not file://
  long connect_seconds = 15;  ///< per connection
  long stall_seconds = 30;    ///< give up on a mirror when nothing arrives for so long
  int attempts = 3;           ///< per mirror, each going on where the last one stopped
};

/// Downloads `target` from the first of `urls` (https, http, file) that delivers the right bytes.
///
/// The bytes gather in `.<name>.part` beside the target; a later call goes on from there. Only a
/// verified file gets the final name (fsync, rename, fsync of the folder). Certificates are checked, and what was asked for over https
/// is not taken over http: at most eight redirects are followed, as `redirect_protocols` allows.
/// Processes that want the same file wait for each other. Nothing happens when the target is there
/// already and right; a target that is there and wrong is left as it is, and reported.
///
/// Throws a data error that says what each mirror answered, and a file error when this machine is what stands in the way.
void fetch_file(const std::vector<std::string>& urls, const std::filesystem::path& target, const FetchOptions& options);

/// Removes the partial file of a target that is there, unless a process writes it.
void remove_unused_part(const std::filesystem::path& target);

/// Where redirects from `url` may lead, as libcurl names it: "https" from https, "http,https" from http, "" from all else.
std::string redirect_protocols(const std::string& url);

}  // namespace yatlab

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace yatlab {

/// The size limit for files without a declared size: 16 GiB.
constexpr std::int64_t kMostBytes = std::int64_t{16} << 30;

struct FetchOptions {
  /// Bytes so far and in total (-1 if unknown); may throw to abort, which keeps the partial file.
  std::function<void(std::int64_t bytes, std::int64_t total)> progress;
  /// Receives one line per notable event: a mirror failed, a transfer resumes.
  std::function<void(const std::string&)> notice;
  /// Checks the downloaded file and returns "" if it is right, else the reason. Unset: its SHA-256 must equal `sha256`.
  std::function<std::string(const std::filesystem::path&)> verify;
  std::string sha256;
  /// Called during a download, at least about once a second; true ends it with a file error and keeps the partial file.
  std::function<bool()> stop;
  /// The size limit. A transfer that exceeds it is aborted, and nothing of it is kept.
  std::int64_t most_bytes = kMostBytes;
  bool offline = false;       ///< refuse every address except file://
  long connect_seconds = 15;  ///< per connection
  long stall_seconds = 30;    ///< give up on a mirror after this long without data
  int attempts = 3;           ///< per mirror; each resumes where the last one stopped
};

/// Downloads `target` from the first of `urls` (https, http, file) that delivers the right bytes.
///
/// The bytes are collected in `.<name>.part` next to the target; a later call resumes there. Only a
/// verified file gets the final name (fsync, rename, fsync of the folder). Certificates are checked, and an https request is never
/// redirected to http: at most eight redirects are followed, as `redirect_protocols` allows.
/// Processes that download the same file wait for each other. Does nothing if the target already exists
/// with the right bytes; a target with wrong bytes is left unchanged and reported.
///
/// Throws a data error with the answer of each mirror, and a file error if this machine is the cause.
void fetch_file(const std::vector<std::string>& urls, const std::filesystem::path& target, const FetchOptions& options);

/// Removes the partial file of an existing target, unless a process is writing it.
void remove_unused_part(const std::filesystem::path& target);

/// The protocols that redirects from `url` may use, in libcurl's syntax: "https" from https, "http,https" from http, "" otherwise.
std::string redirect_protocols(const std::string& url);

}  // namespace yatlab

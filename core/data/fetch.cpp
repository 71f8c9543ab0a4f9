#include "core/data/fetch.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>

#include "core/base/error.h"
#include "core/base/file_lock.h"
#include "core/base/files.h"
#include "core/base/hash.h"

namespace yatlab {
namespace {

using CurlHandle = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;

CurlHandle make_handle() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  return {curl_easy_init(), curl_easy_cleanup};
}

[[noreturn]] void io_error(const char* verb, const fs::path& path) {
  const int code = errno;
  throw data_error(fmt::format("cannot {} '{}'", verb, path.string()), {}, std::strerror(code),
                   code == ENOSPC ? "free some disk space; the download goes on where it stopped"
                                  : "choose another folder with data.root=...");
}

// The file that gathers the bytes, locked so that only one process writes it.
class PartialFile {
 public:
  explicit PartialFile(fs::path path) : path_(std::move(path)) {
    for (;;) {
      fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
      if (fd_ < 0) io_error("create", path_);
      wait_for_lock(fd_);
      // While this process waited, the holder may have moved the file to its final name.
      struct stat mine, named;
      if (::fstat(fd_, &mine) == 0 && ::stat(path_.c_str(), &named) == 0 && mine.st_ino == named.st_ino &&
          mine.st_dev == named.st_dev) {
        return;
      }
      ::close(fd_);
    }
  }
  ~PartialFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  const fs::path& path() const { return path_; }
  std::int64_t size() const {
    struct stat s;
    if (::fstat(fd_, &s) != 0) io_error("look at", path_);
    return s.st_size;
  }
  void clear() {
    if (::ftruncate(fd_, 0) != 0) io_error("empty", path_);
  }
  void remove() { ::unlink(path_.c_str()); }
  bool append(const char* data, std::size_t size) {
    if (::lseek(fd_, 0, SEEK_END) < 0) return false;
    while (size > 0) {
      const auto n = ::write(fd_, data, size);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return false;
      data += n;
      size -= static_cast<std::size_t>(n);
    }
    return true;
  }
  void place(const fs::path& target) {
    if (::fsync(fd_) != 0) io_error("sync", path_);
    if (::rename(path_.c_str(), target.c_str()) != 0) io_error("place", target);
    sync_directory(target.parent_path());
  }

 private:
  fs::path path_;
  int fd_ = -1;
};

struct Transfer {
  PartialFile* part = nullptr;
  const FetchOptions* options = nullptr;
  std::int64_t start = 0;     // bytes that were there before
  int write_errno = 0;
  std::exception_ptr thrown;  // what the caller's progress function threw
};

std::size_t on_bytes(char* data, std::size_t, std::size_t size, void* user) {
  auto& t = *static_cast<Transfer*>(user);
  if (t.part->append(data, size)) return size;
  t.write_errno = errno;
  return 0;
}

int on_progress(void* user, curl_off_t total, curl_off_t now, curl_off_t, curl_off_t) {
  auto& t = *static_cast<Transfer*>(user);
  if (!t.options->progress) return 0;
  try {
    t.options->progress(t.start + now, total > 0 ? t.start + total : -1);
    return 0;
  } catch (...) {
    t.thrown = std::current_exception();
    return 1;
  }
}

// One request. "" when the body arrived whole, else the reason; `retry` says whether asking the same
// address again may help.
std::string request(const std::string& url, PartialFile& part, const FetchOptions& options, bool& retry) {
  const auto handle = make_handle();
  retry = false;
  if (!handle) return "cannot start libcurl";
  CURL* curl = handle.get();
  Transfer t{&part, &options, part.size(), 0, nullptr};
  char reason[CURL_ERROR_SIZE] = "";
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "yatlab");
  curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, 8L);
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "https,http,file");
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "https,http");
#else
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS, CURLPROTO_HTTPS | CURLPROTO_HTTP | CURLPROTO_FILE);
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS, CURLPROTO_HTTPS | CURLPROTO_HTTP);
#endif
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, options.connect_seconds);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, options.stall_seconds);
  curl_easy_setopt(curl, CURLOPT_RESUME_FROM_LARGE, static_cast<curl_off_t>(t.start));
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_bytes);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &t);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &t);
  const CURLcode code = curl_easy_perform(curl);
  if (t.thrown) std::rethrow_exception(t.thrown);
  if (t.write_errno != 0) {
    errno = t.write_errno;
    io_error("write", part.path());
  }
  if (code == CURLE_OK) return "";
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  // The partial file does not fit this server's: longer than the file, or ranges are refused.
  if (t.start > 0 && (status == 416 || code == CURLE_RANGE_ERROR || code == CURLE_BAD_DOWNLOAD_RESUME)) {
    part.clear();
    retry = true;
    return "the partial file does not fit";
  }
  retry = code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR || code == CURLE_GOT_NOTHING ||
          code == CURLE_SEND_ERROR || status >= 500;
  return *reason ? reason : curl_easy_strerror(code);
}

std::string check(const fs::path& file, const FetchOptions& options) {
  if (options.verify) return options.verify(file);
  const auto found = sha256_file(file);
  return found == options.sha256 ? "" : fmt::format("sha256 is {} instead of {}", found, options.sha256);
}

bool is_local(const std::string& url) { return url.rfind("file://", 0) == 0; }

}  // namespace

void fetch_file(const std::vector<std::string>& urls, const fs::path& target_, const FetchOptions& options) {
  const fs::path target = fs::absolute(target_);
  const auto notice = [&](const std::string& text) {
    if (options.notice) options.notice(text);
  };
  const std::string name = target.filename().string();
  // True when the file is there and right.
  const auto done = [&] {
    if (!fs::exists(target)) return false;
    if (const auto wrong = check(target, options); !wrong.empty()) {
      throw data_error(fmt::format("'{}' is there, but is not the file wanted", target.string()), {}, wrong,
                       "it was left as it is: move it away, then fetch again");
    }
    return true;
  };
  if (done()) return;
  std::error_code ec;
  fs::create_directories(target.parent_path(), ec);
  if (ec) {
    throw data_error(fmt::format("cannot create the folder '{}'", target.parent_path().string()), {}, ec.message(),
                     "choose another folder with data.root=...");
  }
  PartialFile part(target.parent_path() / fmt::format(".{}.part", name));
  // Another process may have fetched it while this one waited for the lock.
  if (fs::exists(target)) {
    part.remove();
    if (done()) return;
  }
  // A download that was whole when its process ended lacks only its name.
  if (part.size() > 0 && check(part.path(), options).empty()) return part.place(target);
  std::string failures;
  for (const auto& url : urls) {
    std::string why;
    if (options.offline && !is_local(url)) {
      why = "not tried: offline";
    } else {
      bool retry = true;
      for (int attempt = 0; attempt < options.attempts && retry; ++attempt) {
        const auto resumed_at = part.size();
        if (resumed_at > 0) notice(fmt::format("{}: going on at byte {} from {}", name, resumed_at, url));
        why = request(url, part, options, retry);
        if (!why.empty()) continue;
        why = check(part.path(), options);
        if (why.empty()) {
          part.place(target);
          return;
        }
        // A wrong sum may be the fault of what was there before: once more, from the start.
        retry = resumed_at > 0;
        part.clear();
      }
    }
    notice(fmt::format("{}: {} failed: {}", name, url, why));
    failures += fmt::format("{}{}: {}", failures.empty() ? "" : "; ", url, why);
  }
  if (part.size() == 0) part.remove();
  throw data_error(fmt::format("cannot download '{}'", name), {},
                   urls.empty() ? "no address is declared for it" : failures,
                   options.offline ? "run without data.offline, or put the file into a folder of data.search_path"
                                   : "check the network, or put the file into a folder of data.search_path");
}

}  // namespace yatlab

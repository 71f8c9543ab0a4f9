#include "core/data/fetch.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "core/base/error.h"
#include "core/base/file_calls.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/output_file.h"
#include "core/system/file_lock.h"

namespace yatlab {
namespace {

using CurlHandle = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;

CurlHandle make_handle() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  return {curl_easy_init(), curl_easy_cleanup};
}

/// Throws a file error on a stop request. Only a data error makes a dataset use its substitute; a stop or a full disk must not.
void obey(const FetchOptions& options, const std::string& name) {
  if (!options.stop || !options.stop()) return;
  throw Error(ErrorKind::kFile, fmt::format("the download of '{}' was stopped", name), {}, "the part downloaded so far is kept",
              "run the same command again to continue from there");
}

// The partial download, locked so that only one process writes it.
class PartialFile {
 public:
  PartialFile(const fs::path& path, const FetchOptions& options, const std::string& name) {
    for (;;) {
      file_ = OutputFile(path, OutputFile::Mode::kKeep);
      while (!try_lock(file_.descriptor())) {
        obey(options, name);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
      // While this process waited, the holder may have moved the file to its final name.
      struct stat mine, named;
      if (::fstat(file_.descriptor(), &mine) == 0 && ::stat(path.c_str(), &named) == 0 && mine.st_ino == named.st_ino &&
          mine.st_dev == named.st_dev) {
        break;
      }
    }
    size_ = static_cast<std::int64_t>(file_.size());
  }

  const fs::path& path() const { return file_.path(); }
  std::int64_t size() const { return size_; }
  void clear() {
    file_.cut(0);
    size_ = 0;
  }
  void remove() { file_calls().remove(path().c_str()); }
  void append(std::string_view bytes) {
    file_.write_at(static_cast<std::uint64_t>(size_), bytes);
    size_ += static_cast<std::int64_t>(bytes.size());
  }
  void place(const fs::path& target) {
    file_.sync();
    rename_path(path(), target);
    sync_directory(target.parent_path());
  }

 private:
  OutputFile file_;
  std::int64_t size_ = 0;
};

struct Transfer {
  CURL* curl = nullptr;
  PartialFile& part;
  const FetchOptions& options;
  const std::string& name;
  std::int64_t start = 0;  // bytes that existed before
  bool too_long = false;
  std::exception_ptr thrown;  // by a full disk, a stop request, or the caller's progress function
};

// No exception may pass through a C library.
template <class F>
bool guarded(Transfer& t, const F& use) {
  try {
    return use();
  } catch (...) {
    t.thrown = std::current_exception();
    return false;
  }
}

std::size_t on_bytes(char* data, std::size_t, std::size_t size, void* user) {
  auto& t = *static_cast<Transfer*>(user);
  const auto taken = guarded(t, [&] {
    curl_off_t announced = 0;
    curl_easy_getinfo(t.curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &announced);
    const auto room = t.options.most_bytes - t.part.size();
    t.too_long = static_cast<std::int64_t>(size) > room || announced > t.options.most_bytes - t.start;
    if (t.too_long) return false;
    t.part.append({data, size});
    return true;
  });
  return taken ? size : 0;
}

int on_progress(void* user, curl_off_t total, curl_off_t now, curl_off_t, curl_off_t) {
  auto& t = *static_cast<Transfer*>(user);
  const auto go_on = guarded(t, [&] {
    obey(t.options, t.name);
    if (t.options.progress) t.options.progress(t.start + now, total > 0 ? t.start + total : -1);
    return true;
  });
  return go_on ? 0 : 1;
}

// One request. "" if the body arrived whole, else the reason; `retry` says whether requesting the same
// address again may help.
std::string request(const std::string& url, PartialFile& part, const std::string& name, const FetchOptions& options, bool& retry) {
  const auto handle = make_handle();
  retry = false;
  if (!handle) return "cannot start libcurl";
  CURL* curl = handle.get();
  Transfer t{curl, part, options, name, part.size(), false, nullptr};
  char reason[CURL_ERROR_SIZE] = "";
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "yatlab");
  curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, 8L);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "https,http,file");
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, redirect_protocols(url).c_str());
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
  if (t.too_long) {
    part.clear();
    return fmt::format("the server sends more than the {} bytes allowed for this file", options.most_bytes);
  }
  if (code == CURLE_OK) return "";
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  // The partial file does not match this server's: it is longer, or ranges are refused.
  if (t.start > 0 && (status == 416 || code == CURLE_RANGE_ERROR || code == CURLE_BAD_DOWNLOAD_RESUME)) {
    part.clear();
    retry = true;
    return "the partial download does not match the file on the server";
  }
  retry = code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR || code == CURLE_GOT_NOTHING || code == CURLE_SEND_ERROR || status >= 500;
  return *reason ? reason : curl_easy_strerror(code);
}

std::string check(const fs::path& file, const FetchOptions& options) {
  if (options.verify) return options.verify(file);
  const auto found = sha256_file(file);
  return found == options.sha256 ? "" : fmt::format("sha256 is {} instead of {}", found, options.sha256);
}

constexpr const char* kOffline = "not tried: offline";

fs::path part_of(const fs::path& target) { return target.parent_path() / fmt::format(".{}.part", target.filename().string()); }

bool is_local(const std::string& url) { return url.rfind("file://", 0) == 0; }

}  // namespace

std::string redirect_protocols(const std::string& url) {
  return url.rfind("https:", 0) == 0 ? "https" : url.rfind("http:", 0) == 0 ? "http,https" : "";
}

void remove_unused_part(const fs::path& target) {
  const auto part = part_of(target);
  const Descriptor fd(file_calls().open(part.c_str(), O_RDONLY, 0));
  if (fd && try_lock(fd.get())) file_calls().remove(part.c_str());
}

void fetch_file(const std::vector<std::string>& urls, const fs::path& target_, const FetchOptions& options) {
  const fs::path target = fs::absolute(target_);
  const auto notice = [&](const std::string& text) {
    if (options.notice) options.notice(text);
  };
  const std::string name = target.filename().string();
  // True if the file exists with the right bytes.
  const auto done = [&] {
    if (!fs::exists(target)) return false;
    if (const auto wrong = check(target, options); !wrong.empty()) {
      throw data_error(fmt::format("'{}' exists, but is not the expected file", target.string()), {}, wrong,
                       "it was not changed: move it away, then fetch again");
    }
    return true;
  };
  if (done()) return;
  obey(options, name);
  const auto refused = [&](const std::string& url) { return options.offline && !is_local(url); };
  std::string failures;
  const auto failed = [&](const std::string& url, const std::string& why) {
    notice(fmt::format("{}: {} failed: {}", name, url, why));
    failures += fmt::format("{}{}: {}", failures.empty() ? "" : "; ", url, why);
  };
  const auto error = [&] {
    return data_error(fmt::format("cannot download '{}'", name), {}, urls.empty() ? "no URL is declared for it" : failures,
                      options.offline ? "run without data.offline, or put the file into a folder of data.search_path"
                                      : "check the network, or put the file into a folder of data.search_path");
  };
  const fs::path gathered = part_of(target);
  if (std::all_of(urls.begin(), urls.end(), refused) && !fs::exists(gathered)) {  // the folder need not exist
    for (const auto& url : urls) failed(url, kOffline);
    throw error();
  }
  auto part = [&] {
    try {
      make_folders(target.parent_path());
      return PartialFile(gathered, options, name);
    } catch (const Error& e) {
      throw Error(e.kind(), e.message(), e.where(), e.why(), e.hint().empty() ? "choose a different folder with data.root=..." : e.hint());
    }
  }();
  if (part.size() > options.most_bytes) part.clear();  // it belongs to another file
  // Another process may have fetched it while this one waited for the lock.
  if (fs::exists(target)) {
    part.remove();
    if (done()) return;
  }
  // A download that was complete when its process ended only needs its name.
  if (part.size() > 0 && check(part.path(), options).empty()) return part.place(target);
  for (const auto& url : urls) {
    std::string why = kOffline;
    bool retry = !refused(url);
    for (int attempt = 0; attempt < options.attempts && retry; ++attempt) {
      const auto resumed_at = part.size();
      if (resumed_at > 0) notice(fmt::format("{}: continuing at byte {} from {}", name, resumed_at, url));
      why = request(url, part, name, options, retry);
      if (!why.empty()) continue;
      why = check(part.path(), options);
      if (why.empty()) {
        part.place(target);
        return;
      }
      // A wrong checksum may result from the earlier bytes: try once more, from the start.
      retry = resumed_at > 0;
      part.clear();
    }
    failed(url, why);
  }
  if (part.size() == 0) part.remove();
  throw error();
}

}  // namespace yatlab

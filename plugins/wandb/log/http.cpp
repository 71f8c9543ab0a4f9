#include "plugins/wandb/log/http.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"

namespace yatlab::wandb {
namespace {

constexpr std::size_t kLongestAnswer = 8 << 20;

struct Reply {
  std::string body;
  double retry_after = -1, remaining = -1, reset = -1;
};

std::size_t on_body(char* data, std::size_t, std::size_t size, void* user) {
  auto& reply = *static_cast<Reply*>(user);
  if (reply.body.size() + size > kLongestAnswer) return 0;
  reply.body.append(data, size);
  return size;
}

std::size_t on_header(char* data, std::size_t, std::size_t size, void* user) {
  const std::string line(data, size);
  const auto colon = line.find(':');
  if (colon == std::string::npos) return size;
  const auto name = lower(line.substr(0, colon));
  const auto value = trim(line.substr(colon + 1));
  auto& reply = *static_cast<Reply*>(user);
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  if (end == value.c_str()) return size;  // Retry-After may be a date: then use the usual waiting time
  if (name == "retry-after" && *end == '\0') reply.retry_after = number;
  if (name == "ratelimit-remaining") reply.remaining = number;
  if (name == "ratelimit-reset") reply.reset = number;
  return size;
}

/// Blocks SIGPIPE, which a connection closed by the other side raises and which would end the whole program.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    const timespec now{};
    while (sigtimedwait(&pipe_, nullptr, &now) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_, before_;
};

struct FileCloser {
  void operator()(std::FILE* f) const { std::fclose(f); }
};

}  // namespace

struct Http::Transfer {
  HttpRequest request;
  Done done;
  CURL* curl = nullptr;
  Reply reply;
  char reason[CURL_ERROR_SIZE] = "";
  std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers{nullptr, curl_slist_free_all};
  std::unique_ptr<std::FILE, FileCloser> file;
  std::size_t sent = 0;  // bytes of the body
  ~Transfer() { curl_easy_cleanup(curl); }

  void set_headers();
  void set_upload(curl_off_t size);

  static std::size_t on_read(char* to, std::size_t, std::size_t size, void* user) {
    auto& t = *static_cast<Transfer*>(user);
    if (t.file) {
      const auto n = std::fread(to, 1, size, t.file.get());
      return n < size && std::ferror(t.file.get()) ? CURL_READFUNC_ABORT : n;
    }
    const auto n = std::min(size, t.request.body.size() - t.sent);
    std::memcpy(to, t.request.body.data() + t.sent, n);
    t.sent += n;
    return n;
  }
  // A kept-alive connection may turn out to be closed: then the bytes are sent again over another one.
  static int on_seek(void* user, curl_off_t offset, int) {
    auto& t = *static_cast<Transfer*>(user);
    if (t.file) return ::fseeko(t.file.get(), offset, SEEK_SET) == 0 ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL;
    t.sent = std::min(static_cast<std::size_t>(offset), t.request.body.size());
    return CURL_SEEKFUNC_OK;
  }
};

void Http::Transfer::set_headers() {
  curl_slist* list = nullptr;
  for (const auto& h : request.headers) list = curl_slist_append(list, h.c_str());
  headers.reset(curl_slist_append(list, "Expect:"));
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
}

// Unlike a form, an upload has no content type: signed addresses refuse one that they do not name.
void Http::Transfer::set_upload(curl_off_t size) {
  curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
  curl_easy_setopt(curl, CURLOPT_READFUNCTION, on_read);
  curl_easy_setopt(curl, CURLOPT_READDATA, this);
  curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, on_seek);
  curl_easy_setopt(curl, CURLOPT_SEEKDATA, this);
  curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, size);
}

std::string HttpAnswer::describe() const {
  if (status == 0) return failure;
  std::string text;
  for (const char c : body.substr(0, 200)) text += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return fmt::format("HTTP {}{}{}", status, trim(text).empty() ? "" : ": ", trim(text));
}

Http::Http(std::shared_ptr<const Secret> key, double timeout_seconds) : key_(std::move(key)), timeout_(timeout_seconds) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  multi_ = curl_multi_init();
  if (!multi_) throw Error(ErrorKind::kJob, "cannot start libcurl");
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, 32L);
}

Http::~Http() {
  const NoPipeSignal quiet;
  for (const auto& [handle, transfer] : transfers_) curl_multi_remove_handle(multi_, handle);
  transfers_.clear();
  curl_multi_cleanup(multi_);
}

void Http::wake() {
  woken_ = true;
  curl_multi_wakeup(multi_);
}

void Http::abort() {
  aborted_ = true;
  wake();
}

void Http::start(HttpRequest request, Done done) {
  auto owned = std::make_unique<Transfer>();
  auto& t = *owned;
  t.request = std::move(request);
  t.done = std::move(done);
  const auto refuse = [&](std::string why) {
    HttpAnswer answer;
    answer.permanent = true;
    answer.failure = std::move(why);
    refused_.emplace_back(std::move(answer), std::move(t.done));
  };
  const bool secure = t.request.url.rfind("https://", 0) == 0;
  if (!is_safe_url(t.request.url)) return refuse(fmt::format("refused to send data unencrypted to '{}'", origin_of(t.request.url)));
  curl_off_t size = static_cast<curl_off_t>(t.request.body.size());
  if (!t.request.file.empty()) {
    t.file.reset(std::fopen(t.request.file.c_str(), "rbe"));
    std::error_code ec;
    size = static_cast<curl_off_t>(fs::file_size(t.request.file, ec));
    if (!t.file || ec) return refuse(fmt::format("cannot read '{}'", t.request.file.string()));
  }
  CURL* curl = t.curl = curl_easy_init();
  if (!curl) throw Error(ErrorKind::kJob, "cannot start libcurl");
  curl_easy_setopt(curl, CURLOPT_URL, t.request.url.c_str());
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, t.reason);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "yatlab");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  const char* protocols = secure ? "https" : "http";
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, protocols);
#else
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS, std::strcmp(protocols, "https") == 0 ? CURLPROTO_HTTPS : CURLPROTO_HTTP);
#endif
  if (!secure) curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
  curl_easy_setopt(curl, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  for (const char* name : {"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"}) {
    const char* bundle = std::getenv(name);
    if (!bundle || !*bundle) continue;
    curl_easy_setopt(curl, CURLOPT_CAINFO, bundle);
    break;
  }
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 20L);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &t.reply);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &t.reply);
  t.set_headers();
  if (secure) curl_easy_setopt(curl, CURLOPT_PIPEWAIT, 1L);  // with HTTP/2, requests share a connection
  if (t.request.with_key && key_) {
    curl_easy_setopt(curl, CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
    curl_easy_setopt(curl, CURLOPT_USERNAME, "api");
    curl_easy_setopt(curl, CURLOPT_PASSWORD, key_->reveal().c_str());
  }
  if (t.request.method == "PUT") {
    t.set_upload(size);
    // A large file may take longer than any other request as long as it makes progress.
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, std::max(1L, static_cast<long>(std::min(timeout_, 60.0))));
  } else {
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout_ * 1000));
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, size);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, t.request.body.data());
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, t.request.method.c_str());
  }
  transfers_[curl] = std::move(owned);
  const NoPipeSignal quiet;
  curl_multi_add_handle(multi_, curl);
}

HttpAnswer Http::answer_of(Transfer& t, int code) const {
  HttpAnswer out;
  if (code == CURLE_OK) {
    long status = 0;
    curl_easy_getinfo(t.curl, CURLINFO_RESPONSE_CODE, &status);
    out.status = static_cast<int>(status);
    out.body = std::move(t.reply.body);
    out.retry_after = t.reply.retry_after;
    if (out.retry_after < 0 && t.reply.remaining == 0 && t.reply.reset > 0) out.retry_after = std::min(t.reply.reset, 60.0);
    return out;
  }
  // libcurl's own text may quote the address, whose query may be a signature.
  out.failure = fmt::format("{}: {}", origin_of(t.request.url), curl_easy_strerror(static_cast<CURLcode>(code)));
  if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE) {
    out.permanent = true;
    out.failure += " (SSL_CERT_FILE can name a file with more certificates)";
  }
  return out;
}

void Http::run(double seconds) {
  if (aborted_) return;
  std::vector<std::pair<HttpAnswer, Done>> ended = std::exchange(refused_, {});
  const auto collect = [&] {
    const NoPipeSignal quiet;
    int left = 0;
    curl_multi_perform(multi_, &left);
    while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const auto code = message->data.result;
      const auto it = transfers_.find(message->easy_handle);
      curl_multi_remove_handle(multi_, message->easy_handle);
      ended.emplace_back(answer_of(*it->second, code), std::move(it->second->done));
      transfers_.erase(it);
    }
  };
  collect();
  const auto now = [] { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); };
  for (const double end = now() + seconds; ended.empty() && !aborted_;) {
    const double left = end - now();
    if (left <= 0) break;
    if (woken_.exchange(false)) break;
    curl_multi_poll(multi_, nullptr, 0, static_cast<int>(std::ceil(left * 1000)), nullptr);
    collect();
  }
  for (const auto& [answer, done] : ended) {
    if (!aborted_) done(answer);
  }
}

}  // namespace yatlab::wandb

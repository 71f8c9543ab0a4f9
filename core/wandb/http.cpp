#include "core/wandb/http.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

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
  if (end == value.c_str()) return size;  // Retry-After may be a date: the usual waiting time serves then
  if (name == "retry-after" && *end == '\0') reply.retry_after = number;
  if (name == "ratelimit-remaining") reply.remaining = number;
  if (name == "ratelimit-reset") reply.reset = number;
  return size;
}

int on_progress(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<std::atomic<bool>*>(user)->load() ? 1 : 0;
}

/// A connection that the other side closed raises SIGPIPE, which would end the whole program.
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

std::string HttpAnswer::describe() const {
  if (status == 0) return failure;
  std::string text;
  for (const char c : body.substr(0, 200)) text += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return fmt::format("HTTP {}{}{}", status, trim(text).empty() ? "" : ": ", trim(text));
}

Http::Http(std::shared_ptr<const Secret> key, double timeout_seconds) : key_(std::move(key)), timeout_(timeout_seconds) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  handle_ = curl_easy_init();
  if (!handle_) throw Error(ErrorKind::kJob, "cannot start libcurl");
}

Http::~Http() { curl_easy_cleanup(handle_); }

HttpAnswer Http::send(const HttpRequest& request) {
  HttpAnswer out;
  if (aborted_) {
    out.failure = "given up";
    return out;
  }
  const bool secure = request.url.rfind("https://", 0) == 0;
  if (!is_safe_url(request.url)) {
    out.hopeless = true;
    out.failure = fmt::format("refused to send data unencrypted to '{}'", origin_of(request.url));
    return out;
  }
  CURL* curl = handle_;
  curl_easy_reset(curl);  // keeps the connection
  Reply reply;
  char reason[CURL_ERROR_SIZE] = "";
  curl_slist* headers = nullptr;
  for (const auto& h : request.headers) headers = curl_slist_append(headers, h.c_str());
  headers = curl_slist_append(headers, "Expect:");
  const std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers_guard(headers, curl_slist_free_all);
  std::unique_ptr<std::FILE, FileCloser> file;

  curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
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
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout_ * 1000));
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &reply);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &reply);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &aborted_);
  if (request.with_key && key_) {
    curl_easy_setopt(curl, CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
    curl_easy_setopt(curl, CURLOPT_USERNAME, "api");
    curl_easy_setopt(curl, CURLOPT_PASSWORD, key_->reveal().c_str());
  }
  if (!request.file.empty()) {
    file.reset(std::fopen(request.file.c_str(), "rbe"));
    std::error_code ec;
    const auto size = fs::file_size(request.file, ec);
    if (!file || ec) {
      out.hopeless = true;
      out.failure = fmt::format("cannot read '{}'", request.file.string());
      return out;
    }
    curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(curl, CURLOPT_READDATA, file.get());
    curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(size));
    // A large file may take longer than any other request, as long as it moves.
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, 0L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, 60L);
  } else {
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body.data());
  }
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method.c_str());

  CURLcode code;
  {
    const NoPipeSignal quiet;
    code = curl_easy_perform(curl);
  }
  if (code == CURLE_OK) {
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    out.status = static_cast<int>(status);
    out.body = std::move(reply.body);
    out.retry_after = reply.retry_after;
    if (out.retry_after < 0 && reply.remaining == 0 && reply.reset > 0) out.retry_after = std::min(reply.reset, 60.0);
  } else {
    // libcurl's own text may quote the address, whose query may be a signature.
    const auto where = origin_of(request.url);
    out.failure = fmt::format("{}: {}", where, curl_easy_strerror(code));
    const bool certificate = code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE;
    if (certificate) {
      out.hopeless = true;
      out.failure += " (SSL_CERT_FILE names a file of further certificates)";
    }
  }
  curl_easy_reset(curl);  // forgets the key's copy
  return out;
}

}  // namespace yatlab::wandb

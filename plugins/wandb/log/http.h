#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/files.h"
#include "plugins/wandb/log/settings.h"

namespace yatlab::wandb {

struct HttpRequest {
  std::string method = "POST";
  std::string url;
  std::vector<std::string> headers;  ///< "Name: value"
  std::string body;
  fs::path file;         ///< sent instead of `body` when set
  bool with_key = true;  ///< HTTP Basic, user "api"
};

struct HttpAnswer {
  int status = 0;           ///< 0: no answer
  std::string body;         ///< at most a few megabytes
  std::string failure;      ///< why there is no answer; never contains the key or a signed address
  bool permanent = false;   ///< a retry would fail the same way
  double retry_after = -1;  ///< seconds, if the server sends Retry-After
  bool ok() const { return status >= 200 && status < 300; }
  /// Worth a retry: no connection, 408, 429, 5xx.
  bool transient() const { return !permanent && (status == 0 || status == 408 || status == 429 || status >= 500); }
  /// One line for a message.
  std::string describe() const;
};

/// Concurrent HTTPS requests over persistent connections. Certificates are checked; plain http is allowed to this machine
/// only, and never through a proxy; redirects are not followed. Not thread-safe, except `wake` and `abort`.
class Http {
 public:
  using Done = std::function<void(const HttpAnswer&)>;
  Http(std::shared_ptr<const Secret> key, double timeout_seconds);
  ~Http();
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;

  /// `done` receives the answer from within `run`, and may start further requests.
  void start(HttpRequest request, Done done);
  /// Processes requests until one has finished, `wake` was called or `seconds` have passed.
  void run(double seconds);
  std::size_t running() const { return transfers_.size() + refused_.size(); }

  /// From any thread: makes `run` return.
  void wake();
  /// From any thread: makes `run` return, now and on every later call. Pending requests never call `done`.
  void abort();
  bool aborted() const { return aborted_; }

 private:
  struct Transfer;
  HttpAnswer answer_of(Transfer& transfer, int code) const;

  std::shared_ptr<const Secret> key_;
  double timeout_;
  void* multi_;
  std::map<void*, std::unique_ptr<Transfer>> transfers_;  // by curl handle
  std::vector<std::pair<HttpAnswer, Done>> refused_;      // never sent
  std::atomic<bool> aborted_{false}, woken_{false};
};

}  // namespace yatlab::wandb

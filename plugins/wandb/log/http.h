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
  std::string failure;      ///< why there is no answer; never holds the key or a signed address
  bool hopeless = false;    ///< asking again would end the same way
  double retry_after = -1;  ///< seconds, where the server names them
  bool ok() const { return status >= 200 && status < 300; }
  /// Worth asking again: no connection, 408, 429, 5xx.
  bool transient() const { return !hopeless && (status == 0 || status == 408 || status == 429 || status >= 500); }
  /// One line for a message.
  std::string describe() const;
};

/// HTTPS requests, many at a time, over connections that are kept. Certificates are checked; plain http goes to this machine
/// only, and there through no proxy; redirects are not followed. One thread at a time, but for `wake` and `abort`.
class Http {
 public:
  using Done = std::function<void(const HttpAnswer&)>;
  Http(std::shared_ptr<const Secret> key, double timeout_seconds);
  ~Http();
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;

  /// `done` gets the answer from within `run`, and may start further requests.
  void start(HttpRequest request, Done done);
  /// Moves requests on, until one has ended, `wake` was called or `seconds` are over.
  void run(double seconds);
  std::size_t running() const { return transfers_.size() + refused_.size(); }

  /// From any thread: ends a `run`.
  void wake();
  /// From any thread: ends a `run`, and every later one at once. Nobody hears of requests that are under way.
  void abort();
  bool aborted() const { return aborted_; }

 private:
  struct Transfer;
  HttpAnswer answer_of(Transfer& transfer, int code) const;

  std::shared_ptr<const Secret> key_;
  double timeout_;
  void* multi_;
  std::map<void*, std::unique_ptr<Transfer>> transfers_;  // by curl's handle
  std::vector<std::pair<HttpAnswer, Done>> refused_;      // never sent
  std::atomic<bool> aborted_{false}, woken_{false};
};

}  // namespace yatlab::wandb

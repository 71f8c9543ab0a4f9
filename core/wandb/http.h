#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/wandb/settings.h"

namespace yatlab::wandb {

struct HttpRequest {
  std::string method = "POST";
  std::string url;
  std::vector<std::string> headers;  ///< "Name: value"
  std::string body;
  fs::path file;                     ///< sent instead of `body` when set
  bool with_key = true;              ///< HTTP Basic, user "api"
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

/// HTTPS requests, one after the other, over a connection that is kept. Certificates are checked; plain http goes to
/// this machine only, and there through no proxy; redirects are not followed. One thread at a time.
class Http {
 public:
  Http(std::shared_ptr<const Secret> key, double timeout_seconds);
  ~Http();
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;

  HttpAnswer send(const HttpRequest& request);
  /// From another thread: ends the request that is under way and refuses further ones.
  void abort() { aborted_ = true; }
  bool aborted() const { return aborted_; }

 private:
  std::shared_ptr<const Secret> key_;
  double timeout_;
  void* handle_;
  std::atomic<bool> aborted_{false};
};

}  // namespace yatlab::wandb

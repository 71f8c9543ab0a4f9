#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace yatlab {

struct HttpRequest {
  std::string method;                        ///< GET or POST
  std::string path;                          ///< "/api/run", decoded
  std::map<std::string, std::string> query;  ///< decoded
};

struct HttpAnswer {
  unsigned status = 200;
  std::string type = "application/json", body;
  std::vector<std::pair<std::string, std::string>> fields = {};  ///< further header fields
};

struct HttpServerOptions {
  std::string host = "127.0.0.1";                        ///< address to listen on
  std::uint16_t port = 0;                                ///< 0: any that is free
  std::size_t ports = 1;                                 ///< how many to try, from `port` on
  std::string token;                                     ///< without it nothing is answered
  std::size_t connections = 256;                         ///< at a time; one more ends the oldest that has asked for nothing yet
  double request_seconds = 10;                           ///< in which a request must have come
  double answer_seconds = 30;                            ///< in which a client must have taken an answer
  double every_seconds = 2;                              ///< between two looks for changes, while somebody listens
  std::function<HttpAnswer(const HttpRequest&)> answer;  ///< called from two threads; may throw
  std::function<std::vector<std::string>()> changes;     ///< what clients of /api/events get, one JSON text each
  std::function<void()> first_listener = {};             ///< called before the first look, when nobody listened before
};

/// Answers HTTP/1.1. A client shows the token in the address (`?token=`), which gives it a cookie, or as `Authorization: Bearer`. Host and Origin must
/// be this server's own, so that no page of another site reaches it. GET and POST alone; headers of at most 8 kB.
class HttpServer {
 public:
  /// Listens. Throws a config error where no port is free, or the host is none of this machine.
  explicit HttpServer(HttpServerOptions options);
  ~HttpServer();
  std::uint16_t port() const;
  /// SIGINT, SIGTERM and SIGHUP end `run`.
  void stop_on_signals();
  /// Returns after `stop`.
  void run();
  void stop();  ///< from any thread

  struct Parts;

 private:
  std::shared_ptr<Parts> parts_;
};

/// "%2F" is "/", "+" stays.
std::string percent_decoded(const std::string& text);

}  // namespace yatlab

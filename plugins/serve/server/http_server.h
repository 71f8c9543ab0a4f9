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
  std::vector<std::pair<std::string, std::string>> fields = {};  ///< additional header fields
};

struct HttpServerOptions {
  std::string host = "127.0.0.1";                        ///< address to listen on
  std::uint16_t port = 0;                                ///< 0: any free port
  std::size_t ports = 1;                                 ///< how many to try, from `port` on
  std::string token;                                     ///< requests without it are refused
  std::size_t connections = 256;                         ///< maximum at a time; one more closes the oldest that has sent no request yet
  double request_seconds = 10;                           ///< time limit for receiving a request
  double answer_seconds = 30;                            ///< time limit for a client to receive an answer
  double every_seconds = 1;                              ///< interval between two checks for changes, while a client listens
  std::function<HttpAnswer(const HttpRequest&)> answer;  ///< called from two threads; may throw
  std::function<std::vector<std::string>()> changes;     ///< the messages to clients of /api/events, one JSON text each
  std::function<void()> first_listener = {};             ///< called before the first check, when no client listened before
};

/// Answers HTTP/1.1. A client sends the token in the address (`?token=`), and receives a cookie, or as `Authorization: Bearer`. Host and Origin must
/// be this server's own, so that pages of other sites cannot reach it. Only GET and POST; headers of at most 8 kB.
class HttpServer {
 public:
  /// Starts listening. Throws a config error if no port is free, or the host is not an address of this machine.
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

/// "%2F" becomes "/", "+" stays.
std::string percent_decoded(const std::string& text);

}  // namespace yatlab

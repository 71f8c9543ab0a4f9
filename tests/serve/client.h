// A client of the live page's server, on a plain socket.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace yatlab::testing {

/// A client socket; keeps everything that it reads.
class Client {
 public:
  /// Throws if nothing listens there.
  explicit Client(std::uint16_t port, const char* host = "127.0.0.1") : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    ::inet_pton(AF_INET, host, &address.sin_addr);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return;
    ::close(socket_);
    throw std::runtime_error("nothing listens on port " + std::to_string(port));
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(const std::string& bytes) { (void)!::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }
  /// Closes its half of the connection.
  void end_sending() { ::shutdown(socket_, SHUT_WR); }
  /// Reads until the input contains `end`, the other side closes, or the time is up.
  std::string read(const std::string& end, double seconds = 10) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    std::size_t seen = 0;
    while (got_.find(end, seen > end.size() ? seen - end.size() : 0) == std::string::npos && std::chrono::steady_clock::now() < until) {
      seen = got_.size();
      pollfd ready{socket_, POLLIN, 0};
      if (::poll(&ready, 1, 50) <= 0) continue;
      char bytes[65536];
      const auto n = ::recv(socket_, bytes, sizeof bytes, 0);
      if (n <= 0) {
        closed = true;
        break;
      }
      got_.append(bytes, static_cast<std::size_t>(n));
    }
    return got_;
  }
  /// Forgets what was read.
  void forget() { got_.clear(); }
  bool closed = false;

 private:
  int socket_;
  std::string got_;
};

struct Got {
  int status = 0;
  std::string head, body;
  nlohmann::ordered_json json() const { return nlohmann::ordered_json::parse(body); }
};

/// An answer of which everything was read.
inline Got answer_in(const std::string& text) {
  Got out;
  out.status = text.size() > 12 ? std::stoi(text.substr(9, 3)) : 0;
  const auto blank = text.find("\r\n\r\n");
  out.head = text.substr(0, blank);
  if (blank != std::string::npos) out.body = text.substr(blank + 4);
  return out;
}

}  // namespace yatlab::testing

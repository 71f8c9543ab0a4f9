// A web server for one folder of names on 127.0.0.1, with the faults that a downloader must survive.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace yatlab::testing {

class HttpServer {
 public:
  struct Page {
    std::string body;
    int status = 200;
    bool ranges = true;                ///< honours Range:
    std::size_t cut_after = SIZE_MAX;  ///< closes the connection after this many bytes of body
    int cuts = 1 << 30;                ///< ... for this many requests
    std::string location;              ///< of a redirect
    bool hangs = false;                ///< sends nothing more after `cut_after` bytes, until the client gives up
    bool endless = false;              ///< sends no content length, and repeats the body for as long as the client reads
  };

  HttpServer() {
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    if (socket_ < 0 || ::bind(socket_, reinterpret_cast<sockaddr*>(&address), length) != 0 || ::listen(socket_, 8) != 0 ||
        ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
      throw std::runtime_error("cannot listen on 127.0.0.1");
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~HttpServer() {
    stop_ = true;
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }

  Page& page(const std::string& path) {
    const std::lock_guard lock(mutex_);
    return pages_[path];
  }
  std::string url(const std::string& path) const { return "http://127.0.0.1:" + std::to_string(port_) + path; }
  /// "GET /a" or "GET /a from 100", in order.
  std::vector<std::string> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  /// The header of the last request.
  std::string last_header() {
    const std::lock_guard lock(mutex_);
    return last_header_;
  }

 private:
  void serve() {
    while (!stop_) {
      const int client = ::accept(socket_, nullptr, nullptr);
      if (client < 0) continue;
      answer(client);
      ::close(client);
    }
  }

  void answer(int client) {
    std::string request;
    char buffer[4096];
    while (request.find("\r\n\r\n") == std::string::npos) {
      const auto n = ::read(client, buffer, sizeof buffer);
      if (n <= 0) return;
      request.append(buffer, static_cast<std::size_t>(n));
    }
    const auto path = request.substr(4, request.find(' ', 4) - 4);
    std::size_t from = 0;
    const auto range = request.find("Range: bytes=");
    if (range != std::string::npos) from = std::stoul(request.substr(range + 13));

    std::unique_lock lock(mutex_);
    last_header_ = request;
    requests_.push_back("GET " + path + (range == std::string::npos ? "" : " from " + std::to_string(from)));
    const auto found = pages_.find(path);
    if (found == pages_.end()) {
      send(client, "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    Page& page = found->second;
    if (page.status >= 300) {
      std::string head = "HTTP/1.1 " + std::to_string(page.status) + " No\r\nConnection: close\r\nContent-Length: 0\r\n";
      if (!page.location.empty()) head += "Location: " + page.location + "\r\n";
      send(client, head + "\r\n");
      return;
    }
    std::string head = "HTTP/1.1 200 OK\r\n";
    if (range != std::string::npos && page.ranges) {
      if (from >= page.body.size()) {
        send(client, "HTTP/1.1 416 No\r\nContent-Range: bytes */" + std::to_string(page.body.size()) +
                         "\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        return;
      }
      head = "HTTP/1.1 206 Partial\r\nContent-Range: bytes " + std::to_string(from) + "-" + std::to_string(page.body.size() - 1) + "/" +
             std::to_string(page.body.size()) + "\r\n";
    } else {
      from = 0;
    }
    auto body = page.body.substr(from);
    if (page.endless) {
      lock.unlock();
      send(client, head + "Connection: close\r\n\r\n");
      while (!stop_ && send(client, body)) {
      }
      return;
    }
    head += "Connection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n";
    if (page.cuts > 0 && page.cut_after < body.size()) {
      --page.cuts;
      body.resize(page.cut_after);
    }
    const bool hangs = page.hangs;
    lock.unlock();
    send(client, head + body);
    char none;
    while (hangs && !stop_ && ::recv(client, &none, 1, MSG_DONTWAIT) < 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }

  static bool send(int client, const std::string& bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const auto n = ::send(client, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
      if (n <= 0) return false;
      done += static_cast<std::size_t>(n);
    }
    return true;
  }

  int socket_ = -1;
  unsigned port_ = 0;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::map<std::string, Page> pages_;
  std::vector<std::string> requests_;
  std::string last_header_;
  std::thread thread_;
};

}  // namespace yatlab::testing

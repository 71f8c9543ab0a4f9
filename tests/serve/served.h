// A server of the live page, in this process.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "client.h"
#include "core/base/error.h"
#include "plugins/serve/server/live_results.h"
#include "report/fake_run.h"

namespace yatlab::testing {

/// A server of a folder that holds one run.
struct Served {
  explicit Served(double request_seconds = 10, std::size_t connections = 64)
      : request_seconds_(request_seconds), connections_(connections) {
    run.write(scratch.path() / "mnist_inversion" / run.run_id);
    start(0);
  }
  ~Served() { stop(); }
  void start(std::uint16_t port) {
    live = std::make_unique<LiveResults>(scratch.path());
    HttpServerOptions options;
    options.port = port;
    options.token = "secret-of-tests";
    options.request_seconds = request_seconds_;
    options.connections = connections_;
    options.every_seconds = 0.1;
    options.answer = [this](const HttpRequest& request) { return live->answer(request); };
    options.first_listener = [this] { live->begin(); };
    options.changes = [this] { return live->changes(); };
    server = std::make_unique<HttpServer>(options);
    thread = std::thread([this] { server->run(); });
  }
  /// On a port that it had before: another connection of this machine may use it for a moment.
  void start_again(std::uint16_t port) {
    for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);;) {
      try {
        return start(port);
      } catch (const Error&) {
        if (std::chrono::steady_clock::now() > end) throw;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
    }
  }
  void stop() {
    if (!server) return;
    server->stop();
    thread.join();
    server.reset();
  }
  std::string host() const { return "127.0.0.1:" + std::to_string(server->port()); }
  std::string request(const std::string& target, const std::string& fields, const std::string& method = "GET") const {
    return method + " " + target + " HTTP/1.1\r\nConnection: close\r\n" + fields + "\r\n";
  }
  std::string own_fields() const { return "Host: " + host() + "\r\nAuthorization: Bearer secret-of-tests\r\n"; }
  Got ask(const std::string& target, const std::string& fields, const std::string& method = "GET") const {
    Client client(server->port());
    client.send(request(target, fields, method));
    return answer_in(client.read("\nno such thing\n"));
  }
  Got get(const std::string& target) const { return ask(target, own_fields()); }
  std::string name() const { return "mnist_inversion/" + run.run_id; }
  fs::path folder() const { return scratch.path() / name(); }
  fs::path job(const std::string& which) const { return folder() / "jobs" / which; }

  TemporaryFolder scratch;
  FakeRun run = mnist_run();
  std::unique_ptr<LiveResults> live;
  std::unique_ptr<HttpServer> server;
  std::thread thread;

 private:
  double request_seconds_;
  std::size_t connections_;
};

}  // namespace yatlab::testing

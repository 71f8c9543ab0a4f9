// A headless browser that tests drive by the DevTools protocol over two pipes: no port, no network.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "fake_run.h"

namespace yatlab::testing {

class Browser {
 public:
  /// The browser's program; "" when none is installed.
  static std::string program() {
    for (const char* path : {"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"}) {
      if (::access(path, X_OK) == 0) return path;
    }
    return {};
  }

  Browser() {
    int to[2], from[2];
    if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0) throw std::runtime_error("no pipes");
    const std::string profile = "--user-data-dir=" + home_.path().string();
    const std::string name = program();
    child_ = ::fork();
    if (child_ == 0) {
      // The browser reads from 3 and writes to 4. Duplicate the pipe's ends first, as they may have these numbers.
      const int in = ::fcntl(to[0], F_DUPFD, 10), out = ::fcntl(from[1], F_DUPFD, 10);
      ::dup2(in, 3);
      ::dup2(out, 4);
      const int nothing = ::open("/dev/null", O_WRONLY);
      ::dup2(nothing, 1);
      ::dup2(nothing, 2);
      ::setenv("HOME", home_.path().c_str(), 1);
      ::execl(name.c_str(), name.c_str(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
              "--disable-extensions", "--disable-background-networking", "--disable-component-update", "--disable-sync",
              "--hide-scrollbars", "--remote-debugging-pipe", profile.c_str(), "about:blank", nullptr);
      ::_exit(127);
    }
    ::close(to[0]);
    ::close(from[1]);
    write_ = to[1];
    read_ = from[0];
    const auto target = call("Target.createTarget", {{"url", "about:blank"}})["targetId"];
    session_ = call("Target.attachToTarget", {{"targetId", target}, {"flatten", true}})["sessionId"];
    for (const char* domain : {"Page.enable", "Runtime.enable", "Log.enable", "Network.enable"}) call(domain);
  }
  ~Browser() {
    ::close(write_);  // the browser ends when its pipe closes
    ::close(read_);
    for (int i = 0; i < 100; ++i) {
      if (::waitpid(child_, nullptr, WNOHANG) != 0) return;
      ::usleep(20'000);
    }
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  Json call(const std::string& method, Json parameters = Json::object()) {
    const int id = ++last_;
    Json message = {{"id", id}, {"method", method}, {"params", std::move(parameters)}};
    if (!session_.empty()) message["sessionId"] = session_;
    const std::string bytes = message.dump() + '\0';
    for (std::size_t sent = 0; sent < bytes.size();) {
      const auto n = ::write(write_, bytes.data() + sent, bytes.size() - sent);
      if (n <= 0) throw std::runtime_error("the browser is gone");
      sent += static_cast<std::size_t>(n);
    }
    for (;;) {
      const Json answer = next();
      if (answer.value("id", 0) != id) continue;
      if (answer.contains("error")) throw std::runtime_error(method + ": " + answer["error"].dump());
      return answer["result"];
    }
  }

  /// Opens a page from disk and waits until it has loaded.
  void open(const fs::path& file) {
    loaded_ = false;
    call("Page.navigate", {{"url", "file://" + file.string()}});
    while (!loaded_) next();
  }

  /// The value of an expression; promises are awaited. Throws errors of the page.
  Json eval(const std::string& expression) {
    const auto result =
        call("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}, {"userGesture", true}});
    if (result.contains("exceptionDetails")) throw std::runtime_error(expression + ": " + result["exceptionDetails"].dump());
    return result["result"].contains("value") ? result["result"]["value"] : Json();
  }

  void resize(int width, int height) {
    call("Emulation.setDeviceMetricsOverride", {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
    settle();
  }
  void prefer(const std::string& scheme) {
    Json feature = {{"name", "prefers-color-scheme"}, {"value", scheme}};
    call("Emulation.setEmulatedMedia", {{"features", Json::array({feature})}});
    settle();
  }
  /// Waits until the requested changes have been laid out.
  void settle() { eval("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(r))))"); }
  /// Moves the mouse to a point of the window.
  void point(double x, double y) { call("Input.dispatchMouseEvent", {{"type", "mouseMoved"}, {"x", x}, {"y", y}}); }
  void drag(double x0, double y0, double x1, double y1) {
    button("mousePressed", x0, y0, 1);
    point(x1, y1);
    button("mouseReleased", x1, y1, 1);
    settle();
  }
  void double_click(double x, double y) {
    for (const int clicks : {1, 2}) {
      button("mousePressed", x, y, clicks);
      button("mouseReleased", x, y, clicks);
    }
    settle();
  }
  void press(const std::string& key) {
    call("Input.dispatchKeyEvent", {{"type", "keyDown"}, {"key", key}});
    call("Input.dispatchKeyEvent", {{"type", "keyUp"}, {"key", key}});
  }

  std::vector<std::string> complaints;  ///< errors and warnings of the console
  std::vector<std::string> requests;    ///< requested addresses, except data: and the page itself

 private:
  void button(const std::string& type, double x, double y, int clicks) {
    call("Input.dispatchMouseEvent", {{"type", type}, {"x", x}, {"y", y}, {"button", "left"}, {"clickCount", clicks}});
  }
  Json next() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (;;) {
      if (const auto end = buffer_.find('\0'); end != std::string::npos) {
        Json message = Json::parse(buffer_.substr(0, end));
        buffer_.erase(0, end + 1);
        hear(message);
        return message;
      }
      pollfd ready{read_, POLLIN, 0};
      if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("the browser does not answer");
      if (::poll(&ready, 1, 1000) <= 0) continue;
      char bytes[65536];
      const auto n = ::read(read_, bytes, sizeof bytes);
      if (n <= 0) throw std::runtime_error("the browser is gone");
      buffer_.append(bytes, static_cast<std::size_t>(n));
    }
  }
  void hear(const Json& message) {
    const std::string method = message.value("method", "");
    if (method == "Page.loadEventFired") loaded_ = true;
    if (method == "Runtime.exceptionThrown" || method == "Log.entryAdded") complaints.push_back(message["params"].dump());
    if (method == "Runtime.consoleAPICalled") {
      const std::string type = message["params"]["type"];
      if (type == "error" || type == "warning" || type == "assert") complaints.push_back(message["params"].dump());
    }
    if (method == "Network.requestWillBeSent") {
      const std::string url = message["params"]["request"]["url"];
      const bool own = message["params"].value("type", "") == "Document";
      if (!own && url.rfind("data:", 0) != 0) requests.push_back(url);
    }
  }

  TemporaryFolder home_;
  pid_t child_ = 0;
  int write_ = -1, read_ = -1, last_ = 0;
  bool loaded_ = false;
  std::string session_, buffer_;
};

}  // namespace yatlab::testing

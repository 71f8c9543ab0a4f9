// A stand-in for the W&B server on 127.0.0.1, with the faults that an upload must survive.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace yatlab::testing {

class WandbServer {
 public:
  using Json = nlohmann::ordered_json;
  struct Request {
    std::string method, path, head, body;
  };
  /// What the server knows, kept over faults. Read it under no lock once uploads are over, or through `state`.
  struct State {
    Json run = Json::object();                                     ///< variables of UpsertBucket, merged
    std::map<std::string, std::map<std::int64_t, std::string>> stream;  ///< file -> offset -> line
    std::map<std::string, int> times;                              ///< "file:offset" -> how often it was sent
    std::map<std::string, std::string> files;                      ///< by name
    std::vector<std::string> uploaded, operations;
    bool complete = false;
    int exit_code = -1;
    bool gaps = false;                                             ///< an offset was not contiguous
    std::vector<Request> requests;
    std::string lines(const std::string& file) const {
      std::string out;
      const auto it = stream.find(file);
      if (it == stream.end()) return out;
      for (const auto& [offset, line] : it->second) out += line + "\n";
      return out;
    }
  };
  /// Faults; set them before or during an upload.
  struct Faults {
    std::vector<int> stream_statuses;  ///< answered to the next stream posts, in order
    std::string retry_after;
    bool accept_then_drop = false;     ///< takes the next stream post, and closes without an answer
    bool stop = false;                 ///< tells runs to stop
    int graphql_status = 0;
    bool resumable = false;            ///< RunResumeStatus tells of the run
    bool hang = false;                 ///< takes connections, answers nothing
    std::string put_base;              ///< upload addresses begin with this instead of the server's own
  };

  WandbServer() { start(0); }
  ~WandbServer() { stop(); }
  WandbServer(const WandbServer&) = delete;
  WandbServer& operator=(const WandbServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// As a machine that goes away; `start_again` brings it back at the same address, remembering everything.
  void stop() {
    if (!thread_.joinable()) return;
    stop_ = true;
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }
  void start_again() { start(port_); }
  State state() {
    const std::lock_guard lock(mutex_);
    return state_;
  }
  void set(const Faults& faults) {
    const std::lock_guard lock(mutex_);
    faults_ = faults;
  }

 private:
  void start(unsigned port) {
    stop_ = false;
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    socklen_t length = sizeof address;
    if (socket_ < 0 || ::bind(socket_, reinterpret_cast<sockaddr*>(&address), length) != 0 || ::listen(socket_, 64) != 0 ||
        ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
      throw std::runtime_error("cannot listen on 127.0.0.1");
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] {
      while (!stop_) {
        const int client = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
        if (client < 0) continue;
        answer(client);
        ::close(client);
      }
    });
  }

  static bool receive(int client, Request& request) {
    std::string bytes;
    char buffer[65536];
    const auto more = [&] {
      const auto n = ::read(client, buffer, sizeof buffer);
      if (n <= 0) return false;
      bytes.append(buffer, static_cast<std::size_t>(n));
      return true;
    };
    while (bytes.find("\r\n\r\n") == std::string::npos) {
      if (!more()) return false;
    }
    const auto end = bytes.find("\r\n\r\n") + 4;
    request.head = bytes.substr(0, end);
    const auto length = request.head.find("Content-Length: ");
    const auto size = length == std::string::npos ? 0 : std::stoul(request.head.substr(length + 16));
    while (bytes.size() < end + size) {
      if (!more()) return false;
    }
    request.body = bytes.substr(end, size);
    request.method = request.head.substr(0, request.head.find(' '));
    const auto path = request.head.find(' ') + 1;
    request.path = request.head.substr(path, request.head.find(' ', path) - path);
    return true;
  }

  static void send(int client, int status, const std::string& body, const std::string& headers = {}) {
    const std::string text = "HTTP/1.1 " + std::to_string(status) + " X\r\nConnection: close\r\nContent-Length: " +
                             std::to_string(body.size()) + "\r\n" + headers + "\r\n" + body;
    for (std::size_t done = 0; done < text.size();) {
      const auto n = ::send(client, text.data() + done, text.size() - done, MSG_NOSIGNAL);
      if (n <= 0) return;
      done += static_cast<std::size_t>(n);
    }
  }

  void answer(int client) {
    Request request;
    if (!receive(client, request)) return;
    bool hang = false;
    {
      const std::lock_guard lock(mutex_);
      hang = faults_.hang;
    }
    if (hang) {
      while (!stop_) ::usleep(5000);
      return;
    }
    const std::lock_guard lock(mutex_);
    state_.requests.push_back(request);
    if (request.method == "PUT") {
      state_.files[request.path.substr(request.path.find("/put/") + 5)] = request.body;
      return send(client, 200, "{}");
    }
    if (request.path == "/graphql") {
      if (faults_.graphql_status != 0) return send(client, faults_.graphql_status, "{\"error\":\"as you wished\"}");
      const auto json = Json::parse(request.body);
      const auto operation = json.at("operationName").get<std::string>();
      state_.operations.push_back(operation);
      return send(client, 200, Json{{"data", graphql(operation, json.at("variables"))}}.dump());
    }
    if (request.path.find("/file_stream") == std::string::npos) return send(client, 404, "{}");
    if (!faults_.stream_statuses.empty()) {
      const int status = faults_.stream_statuses.front();
      faults_.stream_statuses.erase(faults_.stream_statuses.begin());
      return send(client, status, "{\"error\":\"try again\"}", faults_.retry_after.empty() ? "" : "Retry-After: " + faults_.retry_after + "\r\n");
    }
    take(Json::parse(request.body));
    if (std::exchange(faults_.accept_then_drop, false)) return;
    send(client, 200, faults_.stop ? "{\"stopped\":true}" : "{\"exitcode\":null,\"limits\":{}}");
  }

  void take(const Json& body) {
    const auto files = body.value("files", Json::object()), uploaded = body.value("uploaded", Json::array());
    for (const auto& [name, part] : files.items()) {
      auto& lines = state_.stream[name];
      auto offset = part.at("offset").get<std::int64_t>();
      if (name != "wandb-summary.json" && offset > base_ + static_cast<std::int64_t>(lines.size())) state_.gaps = true;
      for (const auto& line : part.at("content")) {
        ++state_.times[name + ":" + std::to_string(offset)];
        lines[offset++] = line.get<std::string>();
      }
    }
    for (const auto& name : uploaded) state_.uploaded.push_back(name);
    if (body.contains("complete")) {
      state_.complete = body.at("complete");
      state_.exit_code = body.at("exitcode");
    }
  }

  Json graphql(const std::string& operation, const Json& v) {
    if (operation == "UpsertBucket") {
      for (const auto& [key, value] : v.items()) {
        if (!value.is_null()) state_.run[key] = value;
      }
      const auto text = [&](const char* key, const char* otherwise) {
        return v.contains(key) && v.at(key).is_string() ? v.at(key).get<std::string>() : std::string(otherwise);
      };
      const Json project{{"name", text("project", "uncategorized")}, {"entity", {{"name", text("entity", "ent")}}}};
      const Json bucket{{"id", "x"}, {"name", v.at("name")}, {"displayName", text("displayName", "shown")}, {"project", project}};
      return {{"upsertBucket", {{"bucket", bucket}, {"inserted", true}}}};
    }
    if (operation == "RunResumeStatus") {
      if (!faults_.resumable) return {{"model", {{"bucket", nullptr}}}};
      const auto count = [&](const char* file) { return state_.stream[file].size(); };
      const auto& rows = state_.stream["wandb-history.jsonl"];
      const Json tail = rows.empty() ? Json::array() : Json::array({rows.rbegin()->second});
      return {{"model",
               {{"bucket",
                 {{"historyLineCount", count("wandb-history.jsonl")},
                  {"eventsLineCount", count("wandb-events.jsonl")},
                  {"logLineCount", count("output.log")},
                  {"historyTail", tail.dump()},
                  {"wandbConfig", "{\"t\":{\"1\":[]}}"}}}}}};
    }
    const auto base = faults_.put_base.empty() ? url() : faults_.put_base;
    if (operation == "CreateRunFiles") {
      Json files = Json::array();
      for (const auto& name : v.at("files")) files.push_back({{"name", name}, {"uploadUrl", base + "/put/" + name.get<std::string>()}});
      return {{"createRunFiles", {{"uploadHeaders", {"X-Signed: yes"}}, {"files", files}}}};
    }
    if (operation == "CreateArtifact") {
      state_.run["artifact"] = v;
      return {{"createArtifact", {{"artifact", {{"id", "A1"}, {"state", "PENDING"}, {"artifactSequence", {{"latestArtifact", nullptr}}}}}}}};
    }
    if (operation == "CreateArtifactManifest") {
      return {{"createArtifactManifest",
               {{"artifactManifest", {{"id", "M1"}, {"file", {{"uploadUrl", base + "/put/manifest"}, {"uploadHeaders", Json::array()}}}}}}}};
    }
    if (operation == "CreateArtifactFiles") {
      Json edges = Json::array();
      for (const auto& file : v.at("artifactFiles")) {
        edges.push_back({{"node", {{"name", file.at("name")}, {"uploadUrl", base + "/put/artifact/" + file.at("name").get<std::string>()}, {"uploadHeaders", Json::array()}}}});
      }
      return {{"createArtifactFiles", {{"files", {{"edges", edges}}}}}};
    }
    if (operation == "CommitArtifact") return {{"commitArtifact", {{"artifact", {{"id", "A1"}}}}}};
    return Json::object();
  }

  int socket_ = -1;
  unsigned port_ = 0;
  const std::int64_t base_ = 0;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  State state_;
  Faults faults_;
  std::thread thread_;
};

}  // namespace yatlab::testing

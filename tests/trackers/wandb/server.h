// A fake W&B server on 127.0.0.1, with the faults that an upload must survive.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace yatlab::testing {

class WandbServer {
 public:
  using Json = nlohmann::ordered_json;
  struct Request {
    std::string method, path, head, body;
    std::chrono::steady_clock::time_point at;  ///< when it had arrived completely
    int connection = 0;
  };
  struct Run {
    Json variables = Json::object();  ///< of UpsertBucket, merged
    std::map<std::string, std::map<std::int64_t, std::string>> stream;
    std::map<std::string, int> times;  ///< "file:offset" -> number of times sent
    std::map<std::string, std::string> files;
    std::vector<std::string> uploaded;
    bool complete = false;
    int exit_code = -1;
    int posts = 0;
  };
  /// The server's data, kept across faults. Read it without a lock after all uploads have finished, or through `state`.
  struct State {
    std::map<std::string, Run> runs;  ///< by id
    // The same for the run that sent the last request, for tests of one run.
    Json run = Json::object();
    std::map<std::string, std::map<std::int64_t, std::string>> stream;  ///< file -> offset -> line
    std::map<std::string, int> times;
    std::map<std::string, std::string> files;  ///< by name
    std::vector<std::string> uploaded;
    bool complete = false;
    int exit_code = -1;
    std::vector<std::string> operations;
    std::vector<Json> variables;                   ///< of all operations
    std::map<std::string, std::string> artifacts;  ///< state by client id
    bool gaps = false;                             ///< an offset was not contiguous
    std::vector<Request> requests;
    int most_at_once = 0, connections = 0;
    int count(const std::string& operation) const { return static_cast<int>(std::count(operations.begin(), operations.end(), operation)); }
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
    std::vector<int> stream_statuses;  ///< answers to the next stream posts, in order
    std::string retry_after;
    int html = 0;                   ///< this many stream posts get a gateway's page, with status 200
    bool accept_then_drop = false;  ///< accepts the next stream post, and closes without an answer
    bool stop = false;              ///< tells runs to stop
    int graphql_status = 0;
    bool hang = false;                              ///< accepts connections, answers nothing
    std::string hang_put;                           ///< the same for files whose names contain this
    double delay = 0;                               ///< seconds before each answer
    std::map<std::string, int> put_statuses;        ///< answers to files whose names contain the key
    int put_failures = 1 << 30;                     ///< this many times
    std::map<std::string, int> operation_statuses;  ///< answers to GraphQL operations
    int operation_failures = 1 << 30;
    std::vector<std::string> put_headers{"X-Signed: yes"};
    std::string put_base;  ///< upload addresses begin with this instead of the server's own
  };

  WandbServer() { start(0); }
  ~WandbServer() { stop(); }
  WandbServer(const WandbServer&) = delete;
  WandbServer& operator=(const WandbServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// Like a machine that goes offline; `start_again` brings it back at the same address, with all its data.
  void stop() {
    if (!thread_.joinable()) return;
    stop_ = true;
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
    {
      const std::lock_guard lock(mutex_);
      for (const int client : clients_) ::shutdown(client, SHUT_RDWR);
    }
    for (auto& thread : threads_) thread.join();
    threads_.clear();
    clients_.clear();
  }
  void start_again() { start(port_); }
  State state() {
    const std::lock_guard lock(mutex_);
    auto out = state_;
    const auto& last = out.runs[last_];
    out.run = last.variables;
    out.run.update(extra_);
    out.stream = last.stream;
    out.times = last.times;
    out.files = last.files;
    out.files.insert(other_files_.begin(), other_files_.end());
    out.uploaded = last.uploaded;
    out.complete = last.complete;
    out.exit_code = last.exit_code;
    return out;
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
        const int now = 1;
        ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &now, sizeof now);
        const std::lock_guard lock(mutex_);
        clients_.insert(client);
        const int number = ++state_.connections;
        threads_.emplace_back([this, client, number] {
          while (!stop_ && answer(client, number)) {
          }
          {
            const std::lock_guard inner(mutex_);
            clients_.erase(client);
          }
          ::close(client);
        });
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
    const std::string text =
        "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + headers + "\r\n" + body;
    for (std::size_t done = 0; done < text.size();) {
      const auto n = ::send(client, text.data() + done, text.size() - done, MSG_NOSIGNAL);
      if (n <= 0) return;
      done += static_cast<std::size_t>(n);
    }
  }

  // False: close the connection.
  bool answer(int client, int connection) {
    Request request;
    if (!receive(client, request)) return false;
    request.at = std::chrono::steady_clock::now();
    request.connection = connection;
    Faults faults;
    {
      const std::lock_guard lock(mutex_);
      faults = faults_;
      if (!faults.hang) {
        state_.requests.push_back(request);
        state_.most_at_once = std::max(state_.most_at_once, ++at_once_);
      }
    }
    const bool put = request.method == "PUT";
    if (faults.hang || (put && !faults.hang_put.empty() && request.path.find(faults.hang_put) != std::string::npos)) {
      while (!stop_) ::usleep(5000);
      return false;
    }
    if (faults.delay > 0) ::usleep(static_cast<useconds_t>(faults.delay * 1e6));
    const std::lock_guard lock(mutex_);
    --at_once_;
    return put ? take_file(client, request) : request.path == "/graphql" ? answer_graphql(client, request) : answer_stream(client, request);
  }

  std::string retry_after() const { return faults_.retry_after.empty() ? "" : "Retry-After: " + faults_.retry_after + "\r\n"; }

  bool take_file(int client, const Request& request) {
    const auto query = request.path.find("?run=");
    const auto name = request.path.substr(0, query).substr(request.path.find("/put/") + 5);
    for (const auto& [part, status] : faults_.put_statuses) {
      if (name.find(part) == std::string::npos || faults_.put_failures <= 0) continue;
      --faults_.put_failures;
      send(client, status, "<Error>no</Error>", retry_after());
      return true;
    }
    if (query == std::string::npos) {
      other_files_[name] = request.body;
    } else {
      state_.runs[request.path.substr(query + 5)].files[name] = request.body;
    }
    send(client, 200, "{}");
    return true;
  }

  bool answer_graphql(int client, const Request& request) {
    const auto json = Json::parse(request.body);
    const auto operation = json.at("operationName").get<std::string>();
    int status = faults_.graphql_status;
    if (const auto it = faults_.operation_statuses.find(operation);
        it != faults_.operation_statuses.end() && faults_.operation_failures > 0) {
      --faults_.operation_failures;
      status = it->second;
    }
    if (status != 0) {
      send(client, status, "{\"error\":\"as you wished\"}", retry_after());
      return true;
    }
    state_.operations.push_back(operation);
    state_.variables.push_back(json.at("variables"));
    send(client, 200, Json{{"data", graphql(operation, json.at("variables"))}}.dump());
    return true;
  }

  bool answer_stream(int client, const Request& request) {
    const auto end = request.path.find("/file_stream");
    if (end == std::string::npos) {
      send(client, 404, "{}");
      return true;
    }
    if (!faults_.stream_statuses.empty()) {
      const int status = faults_.stream_statuses.front();
      faults_.stream_statuses.erase(faults_.stream_statuses.begin());
      send(client, status, "{\"error\":\"try again\"}", retry_after());
      return true;
    }
    if (faults_.html > 0) {
      --faults_.html;
      send(client, 200, "<html>gateway</html>");
      return true;
    }
    last_ = request.path.substr(request.path.rfind('/', end - 1) + 1, end - request.path.rfind('/', end - 1) - 1);
    take(state_.runs[last_], Json::parse(request.body));
    if (std::exchange(faults_.accept_then_drop, false)) return false;
    send(client, 200, faults_.stop ? "{\"stopped\":true}" : "{\"exitcode\":null,\"limits\":{}}");
    return true;
  }

  void take(Run& run, const Json& body) {
    ++run.posts;
    const auto files = body.value("files", Json::object()), uploaded = body.value("uploaded", Json::array());
    for (const auto& [name, part] : files.items()) {
      auto& lines = run.stream[name];
      auto offset = part.at("offset").get<std::int64_t>();
      if (name != "wandb-summary.json" && offset > static_cast<std::int64_t>(lines.size())) state_.gaps = true;
      for (const auto& line : part.at("content")) {
        ++run.times[name + ":" + std::to_string(offset)];
        lines[offset++] = line.get<std::string>();
      }
    }
    for (const auto& name : uploaded) run.uploaded.push_back(name);
    if (body.contains("complete")) {
      run.complete = body.at("complete");
      run.exit_code = body.at("exitcode");
    }
  }

  Json graphql(const std::string& operation, const Json& v) {
    if (operation == "UpsertBucket") {
      last_ = v.at("name").get<std::string>();
      const bool inserted = state_.runs.count(last_) == 0;
      for (const auto& [key, value] : v.items()) {
        if (!value.is_null()) state_.runs[last_].variables[key] = value;
      }
      const auto text = [&](const char* key, const char* otherwise) {
        return v.contains(key) && v.at(key).is_string() ? v.at(key).get<std::string>() : std::string(otherwise);
      };
      const Json project{{"name", text("project", "uncategorized")}, {"entity", {{"name", text("entity", "ent")}}}};
      const Json bucket{{"id", "x"}, {"name", v.at("name")}, {"displayName", text("displayName", "shown")}, {"project", project}};
      return {{"upsertBucket", {{"bucket", bucket}, {"inserted", inserted}}}};
    }
    if (operation == "RunResumeStatus") {
      const auto it = state_.runs.find(v.at("name").get<std::string>());
      if (it == state_.runs.end()) return {{"model", {{"bucket", nullptr}}}};
      auto& stream = it->second.stream;
      const auto count = [&](const char* file) { return stream[file].size(); };
      const auto& rows = stream["wandb-history.jsonl"];
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
      const auto run = v.at("run").get<std::string>();
      for (const auto& name : v.at("files")) {
        files.push_back({{"name", name}, {"uploadUrl", base + "/put/" + name.get<std::string>() + "?run=" + run}});
      }
      return {{"createRunFiles", {{"uploadHeaders", faults_.put_headers}, {"files", files}}}};
    }
    if (operation == "CreateArtifact") {
      extra_["artifact"] = v;
      auto& state = state_.artifacts[v.at("clientID").get<std::string>()];
      if (state.empty()) state = "PENDING";
      return {{"createArtifact",
               {{"artifact",
                 {{"id", "A:" + v.at("clientID").get<std::string>()},
                  {"state", state},
                  {"artifactSequence", {{"latestArtifact", nullptr}}}}}}}};
    }
    if (operation == "CreateArtifactManifest") {
      return {
          {"createArtifactManifest",
           {{"artifactManifest", {{"id", "M1"}, {"file", {{"uploadUrl", base + "/put/manifest"}, {"uploadHeaders", Json::array()}}}}}}}};
    }
    if (operation == "CreateArtifactFiles") {
      Json edges = Json::array();
      for (const auto& file : v.at("artifactFiles")) {
        const auto name = file.at("name").get<std::string>();
        const bool known = name.rfind("known", 0) == 0;  // bytes that another artifact has already
        edges.push_back({{"node",
                          {{"name", name},
                           {"uploadUrl", known ? Json() : Json(base + "/put/artifact/" + name)},
                           {"uploadHeaders", Json::array()},
                           {"artifact", {{"id", known ? Json("A:earlier") : file.at("artifactID")}}}}}});
      }
      return {{"createArtifactFiles", {{"files", {{"edges", edges}}}}}};
    }
    if (operation == "CommitArtifact") {
      state_.artifacts[v.at("artifactID").get<std::string>().substr(2)] = "COMMITTED";
      return {{"commitArtifact", {{"artifact", {{"id", v.at("artifactID")}}}}}};
    }
    return Json::object();
  }

  int socket_ = -1;
  unsigned port_ = 0;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  State state_;
  Faults faults_;
  Json extra_ = Json::object();
  std::map<std::string, std::string> other_files_;  // of artifacts
  std::string last_;                                // run
  int at_once_ = 0;
  std::set<int> clients_;
  std::vector<std::thread> threads_;
  std::thread thread_;
};

}  // namespace yatlab::testing

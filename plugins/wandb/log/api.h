#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plugins/wandb/log/http.h"
#include "plugins/wandb/log/settings.h"

namespace yatlab::wandb {

namespace pb {
class AlertRecord;
class ArtifactRecord;
}  // namespace pb

/// The server does not accept an empty text as missing: send null.
inline nlohmann::ordered_json or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

/// Seconds of a monotonic clock.
double steady_now();

/// The waiting time after a failure: grows with each, with jitter. A Retry-After of the server holds even if other requests succeed meanwhile.
class Backoff {
 public:
  Backoff(double first, double longest) : first_(first), longest_(longest) {}
  /// For a request that began at `started`: concurrent requests count as one failure. Returns the seconds until `ready`.
  double failed(double now, double retry_after, double started = 1e300);
  /// Ignores a request that began before the last failure.
  void worked(double started = 1e300);
  bool ready(double now) const { return now >= ready_at(); }
  double ready_at() const { return ready_at_ > server_ready_at_ ? ready_at_ : server_ready_at_; }
  int failures() const { return failures_; }

 private:
  double first_, longest_, ready_at_ = 0, server_ready_at_ = 0, last_ = -1e300;
  int failures_ = 0;
};

/// A failed request.
class ApiFailure : public std::exception {
 public:
  ApiFailure(bool transient, std::string text, double retry_after = -1)
      : transient_(transient), retry_after_(retry_after), text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }
  bool transient() const { return transient_; }  ///< a later retry may succeed
  double retry_after() const { return retry_after_; }

 private:
  bool transient_;
  double retry_after_;
  std::string text_;
};

/// A run's address on the server.
struct RunAddress {
  std::string entity, project, id;
  std::string name;       ///< display name
  bool inserted = false;  ///< this call created the run
};

/// How much of a run the server has already.
struct ServerRun {
  std::int64_t history_lines = 0, event_lines = 0, console_lines = 0;
  std::int64_t last_step = -1;
};

/// A file to upload: its name on the server, and its path or its contents.
struct UploadFile {
  std::string name;
  fs::path path;
  std::string bytes;
};

/// The address to upload a file to; empty: the server does not accept the file.
struct UploadPlace {
  std::string url;
  std::vector<std::string> headers;
};

/// The requests of uploads, for any number of concurrent runs, from one thread. Results are reported from within
/// `run`. Requests to W&B's server that fail temporarily are retried without limit: while the server refuses requests,
/// none is sent, and then one before the others. File uploads have separate waiting times, and the caller
/// decides whether to retry.
class Api {
 public:
  template <class... T>
  using Then = std::function<void(const T&...)>;
  using Failed = std::function<void(const ApiFailure&)>;

  explicit Api(const Settings& settings, double retry_seconds = 2, double longest_retry = 60);

  /// Processes requests for at most `seconds`, or until one has finished.
  void run(double seconds);
  /// From any thread: makes `run` return.
  void wake() { http_.wake(); }
  /// From any thread: cancels everything.
  void abort() { http_.abort(); }
  /// Requests that are running or waiting.
  std::size_t open() const { return lanes_[0].waiting.size() + lanes_[1].waiting.size() + lanes_[0].running + lanes_[1].running; }

  /// Whether the server is unreachable or refuses requests now: consecutive failures, the reason, and when the next request may be sent.
  int failures() const { return lanes_[kServerLane].backoff.failures(); }
  const std::string& last_failure() const { return last_failure_; }
  double ready_at() const { return lanes_[kServerLane].backoff.ready_at(); }
  /// When the server last accepted a request; initially, when this object was created.
  double answered_at() const { return answered_at_; }

  /// Creates or changes a run; null variables leave values unchanged.
  void upsert_run(const nlohmann::ordered_json& variables, Then<RunAddress> then, Failed failed);
  /// Calls `then` with nothing when the server has no such run.
  void resume_status(const RunAddress& run, Then<std::optional<ServerRun>> then, Failed failed, bool once = false);
  /// Calls `then` with true when the user pressed Stop in the web interface.
  void post_stream(const RunAddress& run, std::string body, Then<bool> then, Failed failed);
  /// Requests upload addresses for files, in their order.
  void place_files(const RunAddress& run, const std::vector<std::string>& names, Then<std::vector<UploadPlace>> then, Failed failed);
  void put(const UploadPlace& place, const UploadFile& file, Then<> then, Failed failed);
  /// Uploads a complete artifact. One that the run uses but did not make is created once for all runs.
  void upload(const RunAddress& run, const pb::ArtifactRecord& artifact, Then<> then, Failed failed);
  void alert(const RunAddress& run, const pb::AlertRecord& alert, Then<> then, Failed failed);

 private:
  enum LaneName { kServerLane, kFileLane };
  struct Job {
    HttpRequest request;
    std::string name;  // for messages
    bool retry = true;
    bool conflict_is_transient = false;
    std::function<void(const HttpAnswer&, const nlohmann::ordered_json&)> then;
    Failed failed;
    double started = 0;
  };
  struct Lane {
    explicit Lane(double first, double longest) : backoff(first, longest) {}
    std::deque<std::shared_ptr<Job>> waiting;
    std::size_t running = 0;
    Backoff backoff;
  };
  struct ArtifactUpload;

  void add(LaneName lane, std::shared_ptr<Job> job);
  void pump();
  void ended(LaneName lane, const std::shared_ptr<Job>& job, const HttpAnswer& answer);
  void graphql(const char* name, const std::string& query, const nlohmann::ordered_json& variables, Then<nlohmann::ordered_json> then,
               Failed failed, bool once = false);

  const Settings& settings_;
  Http http_;
  Lane lanes_[2];
  std::string last_failure_;
  double answered_at_ = steady_now();
  std::map<std::string, std::string> inputs_;                             // ids of used artifacts, by key
  std::map<std::string, std::vector<std::function<void()>>> being_made_;  // runs that wait for an artifact, by key
};

/// Whether the server has a run with this id where `settings` upload runs. One request; throws ApiFailure.
bool run_exists(const Settings& settings, const std::string& id);

}  // namespace yatlab::wandb

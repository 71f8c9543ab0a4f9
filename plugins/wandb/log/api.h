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

/// For the server, an empty text is not a value.
inline nlohmann::ordered_json or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

/// Seconds of a clock that never jumps.
double steady_now();

/// How long to wait after a failure: grows with each, with jitter; a word of the server's counts, whatever succeeds meanwhile.
class Backoff {
 public:
  Backoff(double first, double longest) : first_(first), longest_(longest) {}
  /// Of a request that began at `started`: those that were under way together fail once. Returns the seconds until `ready`.
  double failed(double now, double retry_after, double started = 1e300);
  /// A request that began before the last failure says nothing about what holds since.
  void worked(double started = 1e300);
  bool ready(double now) const { return now >= ready_at(); }
  double ready_at() const { return ready_at_ > told_ ? ready_at_ : told_; }
  int failures() const { return failures_; }

 private:
  double first_, longest_, ready_at_ = 0, told_ = 0, last_ = -1e300;
  int failures_ = 0;
};

/// A request that came to nothing.
class ApiFailure : public std::exception {
 public:
  ApiFailure(bool transient, std::string text, double retry_after = -1)
      : transient_(transient), retry_after_(retry_after), text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }
  bool transient() const { return transient_; }  ///< asking again later may help
  double retry_after() const { return retry_after_; }

 private:
  bool transient_;
  double retry_after_;
  std::string text_;
};

/// A run, as the server addresses it.
struct RunAddress {
  std::string entity, project, id;
  std::string name;       ///< shown
  bool inserted = false;  ///< it was not there before
};

/// What the server has of a run already.
struct ServerRun {
  std::int64_t history_lines = 0, event_lines = 0, console_lines = 0;
  std::int64_t last_step = -1;
};

/// A file to upload: its name there, and where it lies or what it holds.
struct UploadFile {
  std::string name;
  fs::path path;
  std::string bytes;
};

/// Where a file goes; no address: the server does not take it.
struct UploadPlace {
  std::string url;
  std::vector<std::string> headers;
};

/// The requests that uploads make, of any number of runs at once, from one thread. The outcome of a request is reported from within
/// `run`. Requests to W&B's server that fail for the moment are made again, for as long as it takes: while it wants to be left
/// alone, nothing is sent to it, and then one request before the others. Files have waiting times of their own; whoever sends
/// one decides whether to try again.
class Api {
 public:
  template <class... T>
  using Then = std::function<void(const T&...)>;
  using Failed = std::function<void(const ApiFailure&)>;

  explicit Api(const Settings& settings, double retry_seconds = 2, double longest_retry = 60);

  /// Moves requests on, for at most `seconds` or until one has ended.
  void run(double seconds);
  /// From any thread: ends `run`.
  void wake() { http_.wake(); }
  /// From any thread: ends everything.
  void abort() { http_.abort(); }
  /// Requests that are under way or wait for their turn.
  std::size_t open() const { return lanes_[0].waiting.size() + lanes_[1].waiting.size() + lanes_[0].running + lanes_[1].running; }

  /// Whether the server cannot be reached, or wants no requests now: how often in a row, why, and until when nothing is sent.
  int failures() const { return lanes_[kServerLane].backoff.failures(); }
  const std::string& last_failure() const { return last_failure_; }
  double ready_at() const { return lanes_[kServerLane].backoff.ready_at(); }
  /// When the server last took something; at first, when this object was made.
  double answered_at() const { return answered_at_; }

  /// Creates or changes a run; null variables leave things alone.
  void upsert_run(const nlohmann::ordered_json& variables, Then<RunAddress> then, Failed failed);
  /// Nothing when the server knows no such run.
  void resume_status(const RunAddress& run, Then<std::optional<ServerRun>> then, Failed failed, bool once = false);
  /// `then` gets true when the user pressed Stop in the web interface.
  void post_stream(const RunAddress& run, std::string body, Then<bool> then, Failed failed);
  /// Asks where files are to go, in their order.
  void place_files(const RunAddress& run, const std::vector<std::string>& names, Then<std::vector<UploadPlace>> then, Failed failed);
  void put(const UploadPlace& place, const UploadFile& file, Then<> then, Failed failed);
  /// The whole of an artifact. One that is used, not made, by the run is created once for all runs.
  void upload(const RunAddress& run, const pb::ArtifactRecord& artifact, Then<> then, Failed failed);
  void alert(const RunAddress& run, const pb::AlertRecord& alert, Then<> then, Failed failed);

 private:
  enum LaneName { kServerLane, kFileLane };
  struct Job {
    HttpRequest request;
    std::string name;  // in messages
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
  std::map<std::string, std::string> inputs_;                             // ids of artifacts, by what they are
  std::map<std::string, std::vector<std::function<void()>>> being_made_;  // who waits for one
};

/// Whether the server has a run with this id, where `settings` send runs to. One request; throws ApiFailure.
bool run_exists(const Settings& settings, const std::string& id);

}  // namespace yatlab::wandb

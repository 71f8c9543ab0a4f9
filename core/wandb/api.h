#pragma once

#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/wandb/http.h"
#include "core/wandb/settings.h"

namespace yatlab::wandb {

namespace pb {
class ArtifactRecord;
}

/// For the server, an empty text is no value.
inline nlohmann::ordered_json or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

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
  std::string name;  ///< shown
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

/// The requests that a run upload makes. Everything throws ApiFailure. One thread at a time.
class Api {
 public:
  explicit Api(const Settings& settings) : settings_(settings), http_(settings.key, settings.http_timeout) {}
  void abort() { http_.abort(); }

  /// Creates or changes a run; null variables leave things alone.
  RunAddress upsert_run(const nlohmann::ordered_json& variables);
  /// Nothing when the server knows no such run.
  std::optional<ServerRun> resume_status(const RunAddress& run);
  /// True when the user pressed Stop in the web interface.
  bool post_stream(const RunAddress& run, const std::string& body);
  void upload(const RunAddress& run, const std::vector<UploadFile>& files);
  void upload(const RunAddress& run, const pb::ArtifactRecord& artifact);

 private:
  nlohmann::ordered_json graphql(const char* name, const std::string& query, const nlohmann::ordered_json& variables,
                                 bool conflict_is_transient = false);
  void put(const std::string& url, const nlohmann::ordered_json& headers, const UploadFile& file);

  const Settings& settings_;
  Http http_;
};

/// Whether the server has a run with this id, where `settings` send runs to. One request; throws ApiFailure.
bool run_exists(const Settings& settings, const std::string& id);

}  // namespace yatlab::wandb

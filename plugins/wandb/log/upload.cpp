#include "plugins/wandb/log/upload.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "core/base/error.h"
#include "core/base/file_calls.h"
#include "core/base/json_text.h"
#include "core/system/file_lock.h"
#include "plugins/wandb/log/records.h"
#include "plugins/wandb/log/text.h"

namespace yatlab::wandb {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestLine = 10383360, kFilesAtOnce = 100, kArtifactsAtOnce = 8, kLookAhead = 32 << 20;

/// Whether an existing path is below a folder, links resolved.
bool is_below(const fs::path& path, const fs::path& folder) {
  std::error_code ec;
  const auto real = fs::canonical(path, ec);
  if (ec) return false;
  const auto top = fs::canonical(folder.empty() ? fs::path(".") : folder, ec);
  if (ec) return false;
  return std::mismatch(top.begin(), top.end(), real.begin(), real.end()).first == top.end();
}

std::string count_files(std::size_t n) { return fmt::format("{} file{}", n, n == 1 ? "" : "s"); }

/// The started program, from the metadata file.
std::string program_in(const fs::path& metadata) {
  const auto json = is_there(metadata) ? parse_ordered_json(read_file(metadata), false) : Json();
  return json.is_object() && json.contains("program") && json.at("program").is_string() ? json.at("program").get<std::string>() : "";
}

/// {"wandb-history.jsonl":{"offset":..,"content":[..]}}, one member of "files".
std::string stream_part(const char* name, std::int64_t offset, const std::vector<std::string>& lines) {
  std::string out = fmt::format("\"{}\":{{\"offset\":{},\"content\":[", name, offset);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out += ',';
    out += json_string(lines[i]);
  }
  return out + "]}";
}

}  // namespace

struct RunUpload::PendingArtifact {
  pb::ArtifactRecord record;
  Tries tries;
  bool under_way = false;
};

/// State accumulated from the log's records.
struct RunUpload::Records {
  pb::RunRecord run;
  JsonTree config, summary;
  std::vector<pb::MetricRecord> metrics;
  pb::TelemetryRecord telemetry;
  std::deque<std::shared_ptr<PendingArtifact>> artifacts;  // to send
  std::deque<pb::AlertRecord> alerts;
  std::optional<int> exit_code;
  std::string partial[2];  // console lines without a line end
  bool config_changed = false;
  std::optional<pb::Record> next;  // read, not yet processed

  std::size_t described = 0, described_ahead = 0;  // records that `describe` processed, and those it processed ahead of their turn

  /// Processes records that describe the run.
  void describe(const pb::Record& record) {
    if (record.has_run() && run.run_id().empty()) {
      run = record.run();
      telemetry.MergeFrom(run.telemetry());
      for (const auto& item : run.config().update()) config.set(path_of(item), item.value_json());
      return;
    }
    for (const auto& item : record.config().update()) config.set(path_of(item), item.value_json());
    for (const auto& item : record.config().remove()) config.remove(path_of(item));
    telemetry.MergeFrom(record.telemetry());
    if (record.has_metric()) metrics.push_back(record.metric());
    config_changed = true;
  }
  /// The same for later records of the log, so that one request gives the server all of them.
  void look_ahead(const fs::path& log) {
    LogReader reader(log);
    std::string bytes;
    pb::Record record;
    std::size_t met = 0;
    while (reader.position() < kLookAhead && reader.next(bytes) == LogReader::Result::kRecord && record.ParseFromString(bytes)) {
      if (!record.has_run() && !record.has_config() && !record.has_telemetry() && !record.has_metric()) continue;
      if (met++ >= described) describe(record);
    }
    described_ahead = met;
  }

  // Each processes a record of its type.
  void take_history(const pb::Record& record, RunUpload& upload) const;
  void take_stats(const pb::Record& record, RunUpload& upload) const;
  void take_console(const pb::Record& record, RunUpload& upload);
  void take_files(const pb::Record& record, RunUpload& upload) const;
  void take_exit(const pb::Record& record, RunUpload& upload);
  void take(const pb::Record& record, RunUpload& upload);
  /// The next record of the log; nothing at its end, or where it is truncated.
  std::optional<pb::Record> next_record(RunUpload& upload);

  /// W&B's own part of the config: telemetry and the defined metrics, with field numbers as keys.
  std::string own_config() const {
    Json t{{"3", numbers_of(telemetry.feature())}}, m = Json::array();
    if (!telemetry.cli_version().empty()) t["5"] = telemetry.cli_version();
    if (!telemetry.platform().empty()) t["13"] = telemetry.platform();
    for (const auto& metric : metrics) {
      Json entry{{"1", metric.name()}};
      for (std::size_t i = 0; i < metrics.size(); ++i) {
        if (!metric.step_metric().empty() && metrics[i].name() == metric.step_metric()) entry["5"] = i + 1;
      }
      Json options = Json::array(), summary_flags = Json::array();
      if (metric.options().step_sync()) options.push_back(1);
      if (metric.options().hidden()) options.push_back(2);
      if (metric.options().defined()) options.push_back(3);
      entry["6"] = options;
      const auto& s = metric.summary();
      const bool flags[] = {s.min(), s.max(), s.mean(), s.best(), s.last()};
      for (int i = 0; i < 5; ++i) {
        if (flags[i]) summary_flags.push_back(i + 1);
      }
      if (!summary_flags.empty()) entry["7"] = summary_flags;
      if (metric.goal() != 0) entry["8"] = metric.goal();
      m.push_back(entry);
    }
    Json out{{"t", t}, {"m", m}};
    if (!telemetry.cli_version().empty()) out["cli_version"] = telemetry.cli_version();
    return json_text(out);
  }
  std::string config_text() const {
    auto all = config;
    all.set({"_wandb"}, own_config());
    return all.config_text();
  }
};

template <class F>
auto RunUpload::here(F f) {
  return [this, alive = std::weak_ptr<int>(alive_), f = std::move(f)](const auto&... answer) {
    if (alive.expired()) return;
    answered_ = true;
    try {
      f(answer...);
    } catch (const std::exception& e) {
      problem_ = e.what();
    }
  };
}

RunUpload::RunUpload(fs::path log, const Settings& settings, UploadOptions options)
    : log_(std::move(log)),
      folder_(log_.parent_path()),
      settings_(settings),
      options_(std::move(options)),
      records_(std::make_unique<Records>()) {}

RunUpload::~RunUpload() = default;

// Nothing: continue.
std::optional<RunUpload::State> RunUpload::open(bool closing) {
  Descriptor lock(file_calls().open(folder_.c_str(), O_RDONLY | O_DIRECTORY, 0));
  if (!lock || !try_lock(lock.get())) return State::kBusy;
  lock_ = std::move(lock);
  load_state();
  if (complete_) return State::kUploaded;
  reader_ = std::make_unique<LogReader>(log_);
  unended_ = closing && closed_at_ == fs::file_size(log_);  // the log has not grown since
  if (unended_) return State::kUnended;
  return {};
}

void RunUpload::load_state() {
  try {
    const auto state = parse_ordered_json(read_json_text(log_.string() + ".upload"));
    if (state.at("server") != settings_.base_url) return;
    // Uploaded to another destination before: it may be complete there, but nothing is at this one.
    if (!options_.entity.empty() && state.at("entity") != options_.entity) return;
    if (!options_.project.empty() && state.at("project") != options_.project) return;
    address_ = {state.at("entity"), state.at("project"), state.at("run"), "", false};
    files_done_ = state.at("files").get<std::set<std::string>>();
    artifacts_done_ = state.at("artifacts").get<std::set<std::string>>();
    alerts_done_ = state.value("alerts", std::int64_t{0});
    if (options_.again) return;  // the server says what else it has
    for (const auto& [name, lines] : {std::pair<const char*, Lines*>{"history", &history_}, {"events", &events_}, {"console", &console_}}) {
      lines->taken = state.at(name).at("taken");
      lines->line = state.at(name).at("line");
    }
    const auto refused = state.value("refused", Json::object());
    refused_files_ = refused.value("files", std::map<std::string, std::string>());
    refused_artifacts_ = refused.value("artifacts", std::map<std::string, std::string>());
    complete_ = state.at("complete");
    closed_at_ = state.at("closed_at");
    has_state_ = true;
  } catch (const std::exception&) {  // never uploaded, or not readable: ask the server what it has
    history_ = events_ = console_ = Lines();
    files_done_.clear();
    artifacts_done_.clear();
    refused_files_.clear();
    refused_artifacts_.clear();
    address_ = {};
    closed_at_ = 0;
    alerts_done_ = 0;
    complete_ = has_state_ = false;
  }
}

// Without waiting for the disk: if the machine loses the file, the server is asked.
void RunUpload::save_state() const {
  const auto lines = [](const Lines& l) { return Json{{"taken", l.taken}, {"line", l.line}}; };
  const Json state{{"schema", 1},
                   {"server", settings_.base_url},
                   {"entity", address_.entity},
                   {"project", address_.project},
                   {"run", address_.id},
                   {"history", lines(history_)},
                   {"events", lines(events_)},
                   {"console", lines(console_)},
                   {"files", files_done_},
                   {"artifacts", artifacts_done_},
                   {"refused", {{"files", refused_files_}, {"artifacts", refused_artifacts_}}},
                   {"alerts", alerts_done_},
                   {"complete", complete_},
                   {"closed_at", closed_at_}};
  const auto path = log_.string() + ".upload", fresh = path + ".new";
  OutputFile(fresh, OutputFile::Mode::kEmpty, path).write(json_text(state) + "\n");
  rename_path(fresh, path);
}

void RunUpload::add_line(Lines& lines, std::string text) {
  if (++lines.seen <= lines.taken) return;
  waiting_bytes_ += text.size() + 8;
  lines.waiting.push_back(std::move(text));
}

void RunUpload::Records::take_history(const pb::Record& record, RunUpload& upload) const {
  JsonTree row;
  std::int64_t step = record.history().step().num();
  for (const auto& item : record.history().item()) {
    auto path = path_of(item);
    if (path.size() == 1 && path[0] == "_step") step = static_cast<std::int64_t>(number_of(item.value_json()));
    row.set(path, item.value_json());
  }
  auto& lines = upload.history_;
  if (upload.skip_to_step_ && step <= *upload.skip_to_step_) lines.taken = std::max(lines.taken, lines.seen + 1);
  auto text = row.text();
  if (text.size() > kLongestLine) {
    upload.notices_.push_back(fmt::format("the row of step {} is longer than W&B accepts: not uploaded", step));
    text = fmt::format("{{\"_step\":{}}}", step);
  }
  upload.add_line(lines, std::move(text));
}

void RunUpload::Records::take_stats(const pb::Record& record, RunUpload& upload) const {
  JsonTree row;
  for (const auto& item : record.stats().item()) row.set({"system." + item.key()}, item.value_json());
  const double at = seconds_of(record.stats().timestamp());
  row.set({"_wandb"}, "true");
  row.set({"_timestamp"}, json_number(at));
  row.set({"_runtime"}, json_number(std::max(0.0, at - seconds_of(run.start_time()))));
  upload.add_line(upload.events_, row.text());
}

void RunUpload::Records::take_console(const pb::Record& record, RunUpload& upload) {
  const bool error = record.output_raw().output_type() == 0;
  auto& rest = partial[error ? 1 : 0];
  rest += record.output_raw().line();
  for (auto end = rest.find('\n'); end != std::string::npos; end = rest.find('\n')) {
    auto line = rest.substr(0, end);
    rest.erase(0, end + 1);
    // A carriage return restarts the line, as in a terminal.
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (const auto back = line.rfind('\r'); back != std::string::npos) line.erase(0, back + 1);
    upload.add_line(upload.console_,
                    fmt::format("{}{} {}", error ? "ERROR " : "", utc_time(seconds_of(record.output_raw().timestamp())), line));
  }
}

void RunUpload::Records::take_files(const pb::Record& record, RunUpload& upload) const {
  for (const auto& file : record.files().files()) {
    const auto& name = file.path();
    // Names must not lead outside files/.
    const auto parts = fs::path(name).lexically_normal();
    if (name.empty() || parts.is_absolute() || *parts.begin() == "..") continue;
    file.policy() == pb::POLICY_NOW ? upload.add_file(name) : upload.end_files_.push_back(name);
  }
}

/// Console lines without a line end are sent unchanged.
void RunUpload::Records::take_exit(const pb::Record& record, RunUpload& upload) {
  const double ended = seconds_of(run.start_time()) + record.exit().runtime();
  for (int error = 0; error < 2; ++error) {
    if (partial[error].empty()) continue;
    upload.add_line(upload.console_, fmt::format("{}{} {}", error ? "ERROR " : "", utc_time(ended), partial[error]));
    partial[error].clear();
  }
  exit_code = record.exit().exit_code();
}

void RunUpload::Records::take(const pb::Record& record, RunUpload& upload) {
  switch (record.record_type_case()) {
    case pb::Record::kRun:
    case pb::Record::kConfig:
    case pb::Record::kTelemetry:
    case pb::Record::kMetric:
      if (described++ >= described_ahead) describe(record);
      break;
    case pb::Record::kAlert:
      if (++upload.alerts_seen_ > upload.alerts_done_) alerts.push_back(record.alert());
      break;
    case pb::Record::kHistory:
      take_history(record, upload);
      break;
    case pb::Record::kSummary:
      for (const auto& item : record.summary().update()) summary.set(path_of(item), item.value_json());
      for (const auto& item : record.summary().remove()) summary.remove(path_of(item));
      upload.summary_changed_ = true;
      break;
    case pb::Record::kStats:
      take_stats(record, upload);
      break;
    case pb::Record::kOutputRaw:
      take_console(record, upload);
      break;
    case pb::Record::kFiles:
      take_files(record, upload);
      break;
    case pb::Record::kArtifact:
      artifacts.push_back(std::make_shared<PendingArtifact>(
          PendingArtifact{record.artifact(), {Backoff(upload.options_.retry_seconds, upload.options_.longest_retry), -1}, false}));
      break;
    case pb::Record::kExit:
      take_exit(record, upload);
      break;
    default:
      break;
  }
}

std::optional<pb::Record> RunUpload::Records::next_record(RunUpload& upload) {
  if (next) {
    pb::Record out = std::move(*next);
    next.reset();
    return out;
  }
  std::string bytes;
  const auto result = upload.reader_->next(bytes);
  upload.cut_ = result == LogReader::Result::kCut || result == LogReader::Result::kCorrupt;
  if (result != LogReader::Result::kRecord) return {};
  pb::Record out;
  if (out.ParseFromString(bytes)) return out;
  upload.cut_ = true;
  return {};
}

// Processes records until a post is full or the log has no more.
void RunUpload::read() {
  auto& r = *records_;
  more_ = false;
  while (!r.exit_code) {
    if (waiting_bytes_ >= options_.post_bytes) {
      more_ = true;
      return;
    }
    auto record = r.next_record(*this);
    if (!record) return;
    if (!connected_ &&
        (record->has_history() || record->has_summary() || record->has_stats() || record->has_output_raw() || record->has_exit())) {
      r.next = std::move(*record);  // first find out what the server has
      return;
    }
    r.take(*record, *this);
  }
}

// Creates or changes the run on the server.
void RunUpload::send_config(Api& api, bool anew, bool ask_after) {
  const auto& run = records_->run;
  Json variables{{"name", run.run_id()}, {"config", records_->config_text()}};
  const bool known = !address_.id.empty();
  variables["project"] = or_null(known ? address_.project : options_.project.empty() ? run.project() : options_.project);
  variables["entity"] = or_null(known ? address_.entity : options_.entity.empty() ? run.entity() : options_.entity);
  if (anew) {
    variables["groupName"] = or_null(run.run_group());
    variables["displayName"] = or_null(run.display_name());
    variables["notes"] = or_null(run.notes());
    variables["commit"] = or_null(run.git().commit());
    variables["repo"] = or_null(run.git().remote_url());
    variables["host"] = or_null(run.host());
    variables["jobType"] = or_null(run.job_type());
    variables["sweep"] = or_null(run.sweep_id());
    variables["program"] = or_null(program_in(folder_ / "files/wandb-metadata.json"));
    if (run.tags_size() > 0) variables["tags"] = std::vector<std::string>(run.tags().begin(), run.tags().end());
  }
  records_->config_changed = false;
  row_request_ = true;
  api.upsert_run(variables, here([this, &api, anew, ask_after](const RunAddress& there) {
                   row_request_ = false;
                   if (!anew) return;
                   address_ = there;
                   if (ask_after && !there.inserted) return ask(api, [this] { connected_ = true; });
                   if (ask_after) found({});
                   connected_ = true;
                 }),
                 here([this](const ApiFailure& f) { problem_ = f.what(); }));
}

// Asks the server how much of the run it has, then calls `next`.
void RunUpload::ask(Api& api, std::function<void()> next) {
  const auto& run = records_->run;
  const bool known = !address_.id.empty();
  const RunAddress wanted{known                     ? address_.entity
                          : options_.entity.empty() ? run.entity()
                                                    : options_.entity,
                          known                      ? address_.project
                          : options_.project.empty() ? run.project()
                                                     : options_.project,
                          run.run_id(),
                          {},
                          false};
  row_request_ = true;
  api.resume_status(wanted, here([this, next = std::move(next)](const std::optional<ServerRun>& there) {
                      row_request_ = false;
                      if (found(there)) next();
                    }),
                    here([this](const ApiFailure& f) { problem_ = f.what(); }));
}

// Processes the server's answer about the run. False: the upload must stop (problem_ says why).
bool RunUpload::found(const std::optional<ServerRun>& there) {
  const auto& id = records_->run.run_id();
  if (!there && settings_.resume == Resume::kMust) problem_ = fmt::format("WANDB_RESUME=must, but the server has no run '{}'", id);
  if (there && settings_.resume == Resume::kNever && address_.id.empty()) {
    problem_ = fmt::format("WANDB_RESUME=never, but the server already has a run '{}'", id);
  }
  if (!problem_.empty()) return false;
  if (there) {
    // Existing rows are kept; later ones are appended.
    history_.line = there->history_lines;
    if (there->history_lines > 0) skip_to_step_ = there->last_step;
    events_.line = events_.taken = there->event_lines;
    console_.line = console_.taken = there->console_lines;
  } else {  // earlier uploads are gone
    files_done_.clear();
    artifacts_done_.clear();
  }
  return true;
}

// Creates the run on the server, or finds out how much of it exists.
void RunUpload::connect(Api& api) {
  if (has_state_) return send_config(api, true, false);
  // An existing run may hold rows. WANDB_RESUME=must and never must be checked before anything is created.
  const bool first = settings_.resume == Resume::kMust || (settings_.resume == Resume::kNever && address_.id.empty());
  if (!first) return send_config(api, true, true);
  ask(api, [this, &api] { send_config(api, true, false); });
}

void RunUpload::add_file(const std::string& name, std::string bytes) {
  const bool ignored = std::any_of(settings_.ignore.begin(), settings_.ignore.end(),
                                   [&](const std::string& glob) { return ::fnmatch(glob.c_str(), name.c_str(), 0) == 0; });
  if (ignored || !files_seen_.insert(name).second) return;
  const bool on_disk = bytes.empty();
  files_.push_back(std::make_shared<PendingFile>(PendingFile{{name, on_disk ? folder_ / "files" / name : fs::path(), std::move(bytes)},
                                                             {Backoff(options_.retry_seconds, options_.longest_retry), -1}}));
}

// Files that are complete only now, and those that failed before.
void RunUpload::add_last_files() {
  last_files_added_ = true;
  for (const auto& name : end_files_) add_file(name);
  for (const auto& name : std::exchange(unsent_, {})) {
    files_seen_.erase(name);
    add_file(name);
  }
  std::error_code none;
  const auto size = fs::file_size(folder_ / "files/output.log", none);
  if (!none && size > 0) add_file("output.log");
  add_file("wandb-summary.json", records_->summary.text());
  add_file("config.yaml", records_->config_text() + "\n");  // JSON is YAML
}

// The server's final refusal. Each reason is reported once.
void RunUpload::refuse(std::map<std::string, std::string>& list, const std::string& key, const std::string& what, const std::string& why) {
  list[key] = why;
  const auto colon = why.find("': ");
  const auto reason = colon == std::string::npos ? why : why.substr(colon + 3);
  if (reasons_.emplace(reason, key).second)
    notices_.push_back(fmt::format("{} was refused ({}); sync --again tries it again", what, reason));
}

bool RunUpload::give_up(Tries& tries, double now, const ApiFailure& failure) {
  if (tries.since < 0) tries.since = now;
  tries.backoff.failed(now, failure.retry_after());
  return now - tries.since > options_.file_patience;
}

void RunUpload::send_files(Api& api, double now) {
  std::vector<std::shared_ptr<PendingFile>> group;
  std::vector<std::string> names;
  for (auto it = files_.begin(); it != files_.end() && group.size() < kFilesAtOnce;) {
    const auto& file = (*it)->file;
    if (!(*it)->tries.backoff.ready(now)) {
      ++it;
      continue;
    }
    if (files_done_.count(file.name) || refused_files_.count(file.name)) {
      // Uploaded or refused in an earlier upload.
    } else if (!file.path.empty() && !is_own_file(file.path)) {
      std::error_code ec;
      const bool there = fs::exists(fs::symlink_status(file.path, ec));
      notices_.push_back(fmt::format("'{}' {}: not uploaded", file.path.string(),
                                     there ? "is a link, or not a file in the run's folder" : "no longer exists"));
    } else {
      names.push_back(file.name);
      group.push_back(*it);
    }
    it = files_.erase(it);
  }
  if (group.empty()) return;
  files_under_way_ += group.size();
  last_files_ = now;
  api.place_files(address_, names, here([this, &api, group](const std::vector<UploadPlace>& places) {
                    for (std::size_t i = 0; i < group.size(); ++i) send_file(api, places[i], group[i]);
                  }),
                  here([this, group](const ApiFailure& f) {
                    files_under_way_ -= group.size();
                    for (const auto& pending : group)
                      refuse(refused_files_, pending->file.name, fmt::format("file '{}'", pending->file.name), f.what());
                  }));
}

void RunUpload::send_file(Api& api, const UploadPlace& place, const std::shared_ptr<PendingFile>& pending) {
  const auto& file = pending->file;
  if (place.url.empty()) {
    --files_under_way_;
    return refuse(refused_files_, file.name, fmt::format("file '{}'", file.name), "the server does not accept this file");
  }
  api.put(place, file, here([this, pending] {
            --files_under_way_;
            ++files_sent_;
            files_done_.insert(pending->file.name);
            announced_.push_back(pending->file.name);
          }),
          here([this, pending](const ApiFailure& f) {
            --files_under_way_;
            const auto& name = pending->file.name;
            if (!f.transient()) return refuse(refused_files_, name, fmt::format("file '{}'", name), f.what());
            if (!give_up(pending->tries, steady_now(), f)) return files_.push_back(pending);
            unsent_.push_back(name);
            notices_.emplace_back(f.what());
          }));
}

void RunUpload::send_artifacts(Api& api, double now) {
  auto& waiting = records_->artifacts;
  std::set<std::string> names;  // versions of one name are uploaded in order
  for (auto it = waiting.begin(); it != waiting.end();) {
    const auto pending = *it;
    const auto& artifact = pending->record;
    const bool first = names.insert(artifact.name()).second;
    if (pending->under_way || !first || artifacts_under_way_ >= kArtifactsAtOnce || !pending->tries.backoff.ready(now)) {
      ++it;
      continue;
    }
    bool over = artifacts_done_.count(artifact.client_id()) || refused_artifacts_.count(artifact.client_id());
    bool whole = true, elsewhere = false;
    for (const auto& entry : artifact.manifest().contents()) {
      if (!entry.ref().empty() || is_own_file(entry.local_path())) continue;
      std::error_code ec;
      whole = false;
      elsewhere = elsewhere || fs::exists(fs::symlink_status(entry.local_path(), ec));
    }
    if (!over && !whole) {
      notices_.push_back(
          elsewhere
              ? fmt::format("artifact '{}' contains files outside the run's folder and artifact-staging: not uploaded", artifact.name())
              : fmt::format("files of artifact '{}' no longer exist: not uploaded (an artifact is sent only once)", artifact.name()));
      artifacts_done_.insert(artifact.client_id());
      over = true;
    }
    if (over) {
      names.erase(artifact.name());
      it = waiting.erase(it);
      continue;
    }
    pending->under_way = true;
    ++artifacts_under_way_;
    ++it;
    api.upload(address_, artifact, here([this, pending] {
                 artifact_ended(pending);
                 artifact_sent(pending->record);
               }),
               here([this, pending](const ApiFailure& f) {
                 if (f.transient() && !give_up(pending->tries, steady_now(), f)) {
                   pending->under_way = false;
                   --artifacts_under_way_;
                   return;
                 }
                 artifact_ended(pending);
                 const auto& failed = pending->record;
                 if (!f.transient())
                   return refuse(refused_artifacts_, failed.client_id(), fmt::format("artifact '{}'", failed.name()), f.what());
                 unsent_artifact_ = true;
                 notices_.emplace_back(f.what());
               }));
  }
}

/// Whether it is a regular file of the run's folder or of the copies beside it. A log may come from anyone, so no other file is uploaded.
bool RunUpload::is_own_file(const fs::path& path) const {
  std::error_code ec;
  return fs::is_regular_file(fs::symlink_status(path, ec)) &&
         (is_below(path, folder_) || is_below(path, folder_.parent_path() / "artifact-staging"));
}

void RunUpload::artifact_ended(const std::shared_ptr<PendingArtifact>& pending) {
  --artifacts_under_way_;
  auto& waiting = records_->artifacts;
  waiting.erase(std::remove(waiting.begin(), waiting.end(), pending), waiting.end());
}

void RunUpload::artifact_sent(const pb::ArtifactRecord& artifact) {
  ++artifacts_sent_;
  artifacts_done_.insert(artifact.client_id());
  save_state();
  for (const auto& entry : artifact.manifest().contents()) {
    // Only copies made for the upload, no other files.
    const fs::path path = entry.local_path();
    std::error_code ignored;
    if (!is_own_file(path) || !is_below(path, folder_.parent_path() / "artifact-staging")) continue;
    fs::remove(path, ignored);
    fs::remove(path.parent_path(), ignored);  // once it is empty
  }
}

void RunUpload::send_alert(Api& api) {
  auto& waiting = records_->alerts;
  if (alert_under_way_ || waiting.empty()) return;
  alert_under_way_ = true;
  const auto done = [this] {
    alert_under_way_ = false;
    ++alerts_done_;
    records_->alerts.pop_front();
    save_state();
  };
  api.alert(address_, waiting.front(), here(done), here([this, done](const ApiFailure& f) {
              notices_.push_back(fmt::format("an alert was refused ({})", f.what()));
              done();
            }));
}

void RunUpload::post(Api& api, double now, std::optional<int> exit_code) {
  std::string files;
  const auto part = [&](const char* name, const Lines& lines) {
    if (lines.waiting.empty()) return;
    files += (files.empty() ? "" : ",") + stream_part(name, lines.line, lines.waiting);
  };
  part("wandb-history.jsonl", history_);
  part("wandb-events.jsonl", events_);
  part("output.log", console_);
  if (summary_changed_) files += (files.empty() ? "" : ",") + stream_part("wandb-summary.json", 0, {records_->summary.text()});
  std::string body = "{";
  if (!files.empty()) body += "\"files\":{" + files + "}";
  if (!announced_.empty()) body += fmt::format("{}\"uploaded\":{}", body.size() > 1 ? "," : "", json_text(announced_));
  if (exit_code) body += fmt::format("{}\"complete\":true,\"exitcode\":{}", body.size() > 1 ? "," : "", *exit_code);
  body += "}";
  row_request_ = true;
  last_post_ = now;
  api.post_stream(address_, std::move(body),
                  here([this, exit_code, announced = announced_.size()](bool stop) { posted(exit_code, announced, stop); }),
                  here([this](const ApiFailure& f) { problem_ = f.what(); }));
}

// Nothing was read since the post was built; files may have been sent.
void RunUpload::posted(std::optional<int> exit_code, std::size_t announced, bool stop) {
  row_request_ = false;
  stop_ = stop_ || stop;
  for (auto* lines : {&history_, &events_, &console_}) {
    const auto n = static_cast<std::int64_t>(lines->waiting.size());
    lines->taken = std::max(lines->taken, lines->seen);
    lines->line += n;
    if (lines == &history_) rows_sent_ += n;
    lines->waiting.clear();
  }
  waiting_bytes_ = 0;
  announced_.erase(announced_.begin(), announced_.begin() + static_cast<std::ptrdiff_t>(announced));
  summary_changed_ = false;
  const bool whole = unsent_.empty() && !unsent_artifact_;
  if (exit_code && records_->exit_code) {
    complete_ = whole;
    if (!whole)
      problem_ =
          fmt::format("{} could not be uploaded; all rows were uploaded", unsent_.empty() ? "an artifact" : count_files(unsent_.size()));
  } else if (exit_code) {
    closed_at_ = whole ? fs::file_size(log_) : 0;
    unended_ = true;
  }
  save_state();
  if (complete_) write_file_atomic(log_.string() + ".synced", "");
}

RunUpload::State RunUpload::step(Api& api, double now, bool closing) {
  answered_ = false;
  last_step_ = now;
  if (!problem_.empty()) return State::kFailed;
  if (complete_) return State::kUploaded;
  if (unended_ && closing) return State::kUnended;
  try {
    if (!reader_) {
      if (const auto state = open(closing)) return *state;
    }
    if (row_request_ && !connected_) return State::kWaiting;
    if (!row_request_) read();
    const auto& r = *records_;
    if (!connected_) {
      if (!r.run.run_id().empty()) {
        // Describe the run in one request, so that its metrics are defined before its first row.
        if (opened_ < 0) opened_ = now;
        if (!closing && !r.next && now - opened_ < options_.settle_seconds) return State::kWaiting;
        records_->look_ahead(log_);
        last_post_ = now;  // the heartbeat counts from here
        connect(api);
        return State::kWaiting;
      }
      if (!closing) return State::kWaiting;
      problem_ = "the log ends before it names its run";
      return State::kFailed;
    }
    const bool ended = r.exit_code.has_value();
    const bool hurry = closing || ended;
    if (!row_request_ && r.config_changed && (hurry || now - last_config_ >= 5)) {
      send_config(api, false, false);
      last_config_ = now;
    }
    if (ended && !more_ && !last_files_added_) add_last_files();
    if (hurry ? !more_ || files_.size() >= kFilesAtOnce : now - last_files_ >= options_.post_seconds) send_files(api, now);
    if (!more_) send_artifacts(api, now);
    send_alert(api);
    if (row_request_) return State::kWaiting;

    const bool rows = waiting_bytes_ > 0 || summary_changed_;
    const double gap = now - last_post_;
    if (hurry && !more_ && files_are_over() && r.artifacts.empty() && r.alerts.empty()) {
      post(api, now, ended ? r.exit_code : options_.unended_exit_code);
      return State::kWaiting;
    }
    bool due = gap >= options_.post_seconds;
    if (more_) {
      due = hurry || gap >= options_.full_seconds;
    } else if (hurry && rows) {
      if (hold_since_ < 0) hold_since_ = now;
      due = now - hold_since_ >= options_.hold_seconds;
    }
    if (!posted_once_) due = due || !hurry;  // the first post at once
    if (((rows || !announced_.empty()) && due) || gap >= options_.heartbeat_seconds) {
      posted_once_ = true;
      post(api, now, {});
    }
    return State::kWaiting;
  } catch (const std::exception& e) {
    problem_ = e.what();
  }
  return State::kFailed;
}

}  // namespace yatlab::wandb

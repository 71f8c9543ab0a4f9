#include "core/wandb/upload.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

#include "core/base/error.h"
#include "core/wandb/records.h"
#include "core/wandb/text.h"

namespace yatlab::wandb {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestLine = 10383360, kFilesAtOnce = 50;

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

double steady_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double Backoff::failed(double now, double retry_after) {
  static thread_local std::minstd_rand random{std::random_device{}()};
  const double jitter = std::uniform_real_distribution<double>(1, 1.25)(random);
  double wait = std::min(longest_, first_ * std::pow(2.0, std::min(failures_, 30))) * jitter;
  if (retry_after >= 0) wait = std::min(retry_after, 600.0);
  ++failures_;
  ready_at_ = now + wait;
  return wait;
}

/// What the log has said so far.
struct RunUpload::Records {
  pb::RunRecord run;
  JsonTree config, summary;
  std::vector<pb::MetricRecord> metrics;
  std::vector<pb::ArtifactRecord> artifacts;  // to send
  std::optional<int> exit_code;
  std::string partial[2];  // console lines without their end
  bool config_changed = false;
  std::optional<pb::Record> next;  // read, not yet taken in

  /// W&B's own part of the config: telemetry and the defined metrics, with field numbers as keys.
  std::string own_config() const {
    Json t{{"3", Json::array({57})}, {"13", "linux-x86_64"}}, m = Json::array();
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
    return json_text({{"t", t}, {"m", m}});
  }
  std::string config_text() const {
    auto all = config;
    all.set({"_wandb"}, own_config());
    return all.config_text();
  }
};

RunUpload::RunUpload(fs::path log, const Settings& settings, UploadOptions options)
    : log_(std::move(log)),
      folder_(log_.parent_path()),
      settings_(settings),
      options_(std::move(options)),
      reader_(log_),
      records_(std::make_unique<Records>()) {
  load_state();
}

RunUpload::~RunUpload() {
  if (lock_ >= 0) ::close(lock_);
}

void RunUpload::load_state() {
  try {
    const auto state = Json::parse(read_file(log_.string() + ".upload"));
    if (state.at("server") != settings_.base_url) return;
    // Sent somewhere else before: there it may be whole, here nothing is.
    if (!options_.entity.empty() && state.at("entity") != options_.entity) return;
    if (!options_.project.empty() && state.at("project") != options_.project) return;
    address_ = {state.at("entity"), state.at("project"), state.at("run"), ""};
    for (const auto& [name, lines] : {std::pair<const char*, Lines*>{"history", &history_}, {"events", &events_}, {"console", &console_}}) {
      lines->taken = state.at(name).at("taken");
      lines->line = state.at(name).at("line");
    }
    files_done_ = state.at("files").get<std::set<std::string>>();
    artifacts_done_ = state.at("artifacts").get<std::set<std::string>>();
    complete_ = state.at("complete");
    closed_at_ = state.at("closed_at");
    has_state_ = true;
  } catch (const std::exception&) {  // never sent, or not readable: the server is asked what it has
    history_ = events_ = console_ = Lines();
    files_done_.clear();
    artifacts_done_.clear();
    address_ = {};
    closed_at_ = 0;
    complete_ = has_state_ = false;
  }
}

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
                   {"complete", complete_},
                   {"closed_at", closed_at_}};
  write_file_atomic(log_.string() + ".upload", json_text(state) + "\n");
}

void RunUpload::add_line(Lines& lines, std::string text) {
  if (++lines.seen <= lines.taken) return;
  waiting_bytes_ += text.size() + 8;
  lines.waiting.push_back(std::move(text));
}

// Takes in records until a post is full or the log has no more.
void RunUpload::read() {
  std::string bytes;
  auto& r = *records_;
  more_ = false;
  while (!r.exit_code) {
    if (waiting_bytes_ >= options_.post_bytes) {
      more_ = true;
      return;
    }
    pb::Record record;
    if (r.next) {
      record = std::move(*r.next);
      r.next.reset();
    } else {
      const auto result = reader_.next(bytes);
      cut_ = result == LogReader::Result::kCut || result == LogReader::Result::kCorrupt;
      if (result != LogReader::Result::kRecord) return;
      if (!record.ParseFromString(bytes)) {
        cut_ = true;
        return;
      }
    }
    if (!connected_ && (record.has_history() || record.has_summary() || record.has_stats() || record.has_output_raw() || record.has_exit())) {
      r.next = std::move(record);  // first the server has to say what it has
      return;
    }
    const double started = seconds_of(r.run.start_time());
    switch (record.record_type_case()) {
      case pb::Record::kRun:
        if (r.run.run_id().empty()) {
          r.run = record.run();
          for (const auto& item : r.run.config().update()) r.config.set(path_of(item), item.value_json());
        }
        break;
      case pb::Record::kConfig:
        for (const auto& item : record.config().update()) r.config.set(path_of(item), item.value_json());
        for (const auto& item : record.config().remove()) r.config.remove(path_of(item));
        r.config_changed = true;
        break;
      case pb::Record::kMetric:
        r.metrics.push_back(record.metric());
        r.config_changed = true;
        break;
      case pb::Record::kHistory: {
        JsonTree row;
        std::int64_t step = record.history().step().num();
        for (const auto& item : record.history().item()) {
          auto path = path_of(item);
          if (path.size() == 1 && path[0] == "_step") step = static_cast<std::int64_t>(number_of(item.value_json()));
          row.set(path, item.value_json());
        }
        if (skip_to_step_ && step <= *skip_to_step_) {
          history_.taken = std::max(history_.taken, history_.seen + 1);
        }
        auto text = row.text();
        if (text.size() > kLongestLine) {
          notices_.push_back(fmt::format("the row of step {} is longer than W&B takes: left out", step));
          text = fmt::format("{{\"_step\":{}}}", step);
        }
        add_line(history_, std::move(text));
        break;
      }
      case pb::Record::kSummary:
        for (const auto& item : record.summary().update()) r.summary.set(path_of(item), item.value_json());
        for (const auto& item : record.summary().remove()) r.summary.remove(path_of(item));
        summary_changed_ = true;
        break;
      case pb::Record::kStats: {
        JsonTree row;
        for (const auto& item : record.stats().item()) row.set({"system." + item.key()}, item.value_json());
        const double at = seconds_of(record.stats().timestamp());
        row.set({"_wandb"}, "true");
        row.set({"_timestamp"}, json_number(at));
        row.set({"_runtime"}, json_number(std::max(0.0, at - started)));
        add_line(events_, row.text());
        break;
      }
      case pb::Record::kOutputRaw: {
        const bool error = record.output_raw().output_type() == 0;
        auto& partial = r.partial[error ? 1 : 0];
        partial += record.output_raw().line();
        for (auto end = partial.find('\n'); end != std::string::npos; end = partial.find('\n')) {
          auto line = partial.substr(0, end);
          partial.erase(0, end + 1);
          // A carriage return starts the line over, as in a terminal.
          if (!line.empty() && line.back() == '\r') line.pop_back();
          if (const auto back = line.rfind('\r'); back != std::string::npos) line.erase(0, back + 1);
          add_line(console_, fmt::format("{}{} {}", error ? "ERROR " : "", utc_time(seconds_of(record.output_raw().timestamp())), line));
        }
        break;
      }
      case pb::Record::kFiles:
        for (const auto& file : record.files().files()) {
          const auto& name = file.path();
          // Names lead nowhere but below files/.
          const auto parts = fs::path(name).lexically_normal();
          if (name.empty() || parts.is_absolute() || *parts.begin() == "..") continue;
          const bool ignored = std::any_of(settings_.ignore.begin(), settings_.ignore.end(),
                                           [&](const std::string& glob) { return ::fnmatch(glob.c_str(), name.c_str(), 0) == 0; });
          if (!ignored) (file.policy() == pb::POLICY_NOW ? files_ : end_files_).push_back(name);
        }
        break;
      case pb::Record::kArtifact:
        if (artifacts_done_.count(record.artifact().client_id()) == 0) r.artifacts.push_back(record.artifact());
        break;
      case pb::Record::kExit:
        for (int error = 0; error < 2; ++error) {
          if (r.partial[error].empty()) continue;
          add_line(console_, fmt::format("{}{} {}", error ? "ERROR " : "", utc_time(started + record.exit().runtime()), r.partial[error]));
          r.partial[error].clear();
        }
        r.exit_code = record.exit().exit_code();
        break;
      default:
        break;
    }
  }
}

void RunUpload::send_config(Api& api, bool anew) {
  const auto& run = records_->run;
  Json variables{{"name", run.run_id()}, {"config", records_->config_text()}};
  const bool known = connected_ || has_state_;
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
    if (run.tags_size() > 0) variables["tags"] = std::vector<std::string>(run.tags().begin(), run.tags().end());
  }
  const auto answer = api.upsert_run(variables);
  if (anew) address_ = answer;
  records_->config_changed = false;
}

// Creates the run there, or finds out how much of it is there. False: not possible (problem_ says why).
bool RunUpload::connect(Api& api) {
  const auto& run = records_->run;
  if (!has_state_) {
    const RunAddress wanted{options_.entity.empty() ? run.entity() : options_.entity,
                            options_.project.empty() ? run.project() : options_.project, run.run_id(), {}};
    const auto there = api.resume_status(wanted);
    if (!there && settings_.resume == Resume::kMust) {
      problem_ = fmt::format("WANDB_RESUME=must, and the server knows no run '{}'", run.run_id());
      return false;
    }
    if (there && settings_.resume == Resume::kNever) {
      problem_ = fmt::format("WANDB_RESUME=never, and the server has a run '{}' already", run.run_id());
      return false;
    }
    if (there) {
      // Rows that are there stay there; what comes after them is appended.
      history_.line = there->history_lines;
      if (there->history_lines > 0) skip_to_step_ = there->last_step;
      events_.line = events_.taken = there->event_lines;
      console_.line = console_.taken = there->console_lines;
    }
  }
  send_config(api, true);
  connected_ = true;
  save_state();
  return true;
}

bool RunUpload::send_files(Api& api, bool at_end) {
  auto& names = at_end ? end_files_ : files_;
  bool sent = false;
  while (!names.empty()) {
    std::vector<UploadFile> group;
    std::size_t taken = 0;
    for (; taken < names.size() && group.size() < kFilesAtOnce; ++taken) {
      const auto& name = names[taken];
      if (files_done_.count(name)) continue;
      const fs::path path = folder_ / "files" / name;
      if (!fs::is_regular_file(path)) {
        notices_.push_back(fmt::format("'{}' is not there any more: not uploaded", path.string()));
        continue;
      }
      group.push_back({name, path, {}});
    }
    api.upload(address_, group);
    for (const auto& file : group) {
      files_done_.insert(file.name);
      announced_.push_back(file.name);
    }
    files_sent_ += static_cast<std::int64_t>(group.size());
    names.erase(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(taken));
    sent = sent || !group.empty();
  }
  return sent;
}

bool RunUpload::send_artifacts(Api& api) {
  auto& waiting = records_->artifacts;
  const bool any = !waiting.empty();
  while (!waiting.empty()) {
    const auto& artifact = waiting.front();
    bool whole = true;
    for (const auto& entry : artifact.manifest().contents()) whole = whole && fs::is_regular_file(entry.local_path());
    if (whole) {
      api.upload(address_, artifact);
      ++artifacts_sent_;
    } else {
      notices_.push_back(fmt::format("files of artifact '{}' are gone: not uploaded (an artifact is sent by one upload only)", artifact.name()));
    }
    artifacts_done_.insert(artifact.client_id());
    save_state();
    for (const auto& entry : artifact.manifest().contents()) {
      // Copies made for the upload; nobody else's files.
      const fs::path path = entry.local_path();
      if (!whole || path.parent_path().parent_path().filename() != "artifact-staging") continue;
      std::error_code ignored;
      fs::remove(path, ignored);
      fs::remove(path.parent_path(), ignored);  // once it is empty
    }
    waiting.erase(waiting.begin());
  }
  return any;
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
  stop_ = api.post_stream(address_, body) || stop_;
  last_post_ = now;
  for (auto* lines : {&history_, &events_, &console_}) {
    const auto n = static_cast<std::int64_t>(lines->waiting.size());
    lines->taken = std::max(lines->taken, lines->seen);
    lines->line += n;
    if (lines == &history_) rows_sent_ += n;
    lines->waiting.clear();
  }
  waiting_bytes_ = 0;
  announced_.clear();
  summary_changed_ = false;
  complete_ = exit_code && records_->exit_code;
  if (exit_code && !records_->exit_code) closed_at_ = fs::file_size(log_);
  save_state();
}

RunUpload::State RunUpload::step(Api& api, double now, bool closing) {
  if (!problem_.empty()) return State::kFailed;
  if (complete_) return State::kUploaded;
  if (lock_ < 0) {
    lock_ = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock_ < 0 || ::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
      if (lock_ >= 0) ::close(lock_);
      lock_ = -1;
      return State::kBusy;
    }
    load_state();  // whoever had it may have gone on
    if (complete_) return State::kUploaded;
  }
  try {
    if (closing && !complete_ && closed_at_ == fs::file_size(log_)) return State::kUnended;  // nothing has come since
    if (!connected_) {
      read();
      if (records_->run.run_id().empty()) {
        if (!closing) return State::kWaiting;
        problem_ = "the log does not say what run it is: it ends too early";
        return State::kFailed;
      }
      if (!connect(api)) return State::kFailed;
    }
    read();
    const auto& r = *records_;
    const bool ended = r.exit_code.has_value();
    const bool hurry = closing || ended;
    const bool waits = waiting_bytes_ > 0 || summary_changed_ || !announced_.empty() || !files_.empty() || !r.artifacts.empty();
    const double gap = now - last_post_;
    if (r.config_changed && (hurry || now - last_config_ >= 5)) {
      send_config(api, false);
      last_config_ = now;
    }
    if (waits && (hurry || gap >= options_.post_seconds || (more_ && gap >= options_.full_seconds))) {
      send_files(api, false);
      post(api, now, {});
      if (!more_) send_artifacts(api);
      return State::kWorked;
    }
    if (more_) return waits && !hurry ? State::kWaiting : State::kWorked;
    if (!hurry) {
      if (gap < options_.heartbeat_seconds) return State::kWaiting;
      post(api, now, {});
      return State::kWorked;
    }
    if (!ended) {
      post(api, now, options_.unended_exit_code);
      return State::kUnended;
    }
    send_artifacts(api);
    send_files(api, true);
    api.upload(address_, {{"wandb-summary.json", {}, r.summary.text()},
                          {"config.yaml", {}, r.config_text() + "\n"}});  // JSON is YAML
    announced_.insert(announced_.end(), {"wandb-summary.json", "config.yaml"});
    post(api, now, *r.exit_code);
    write_file_atomic(log_.string() + ".synced", "");
    return State::kUploaded;
  } catch (const ApiFailure& e) {
    if (e.transient()) throw;
    problem_ = e.what();
  } catch (const std::exception& e) {
    problem_ = e.what();
  }
  return State::kFailed;
}

}  // namespace yatlab::wandb

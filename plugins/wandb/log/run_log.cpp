#include "plugins/wandb/log/run_log.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "plugins/wandb/log/records.h"
#include "plugins/wandb/log/run_log_parts.h"
#include "plugins/wandb/log/text.h"

namespace yatlab::wandb {
namespace {

constexpr double kSummarySeconds = 2;
constexpr std::int64_t kAlertWait = 60000;  // milliseconds in which W&B does not repeat an alert
constexpr const char* kVersion = "yatlab " YATLAB_VERSION;

double unix_now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

/// Optional: failures are ignored.
void point_latest_at(const fs::path& folder) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  try {
    replace_symlink(folder.filename(), folder.parent_path() / "latest-run");
  } catch (const Error&) {  // a file system without links
  }
}

/// "linux-x86_64"
std::string platform() {
  utsname name{};
  ::uname(&name);
  return lower(fmt::format("{}-{}", name.sysname, name.machine));
}

}  // namespace

fs::path find_run(const fs::path& wandb_folder, const std::string& id) {
  const std::string ending = "-" + id;
  fs::path out;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(wandb_folder, none)) {
    const auto name = entry.path().filename().string();
    // "offline-run-YYYYMMDD_HHMMSS-" is 28 characters long.
    if (name.rfind("offline-run-", 0) != 0 || name.size() != 27 + ending.size()) continue;
    if (name.compare(27, ending.size(), ending) == 0 && name > out.filename().string()) out = entry.path();
  }
  return out;
}

namespace {

bool ends_in_footer(const fs::path& log) {
  std::ifstream in(log, std::ios::binary | std::ios::ate);
  if (!in) return false;
  const auto size = static_cast<std::int64_t>(in.tellg());
  std::string tail(static_cast<std::size_t>(std::min<std::int64_t>(size, 16)), '\0');
  in.seekg(size - static_cast<std::int64_t>(tail.size()));
  in.read(tail.data(), static_cast<std::streamsize>(tail.size()));
  return tail.find(std::string("\xB2\x01\x00", 3)) != std::string::npos;  // an empty footer, perhaps padded
}

void write_end(LogWriter& writer, std::int64_t& count, bool with_final) {
  const auto append = [&](const auto& fill) {
    pb::Record record;
    fill(record);
    record.set_num(++count);
    writer.append(record.SerializeAsString());
  };
  if (with_final) append([](pb::Record& r) { r.mutable_final(); });
  append([](pb::Record& r) { r.mutable_footer(); });
  writer.sync();
}

}  // namespace

bool has_ended(const fs::path& run_folder) {
  const auto name = run_folder.filename().string();
  const auto log = run_folder / ("run-" + (name.size() > 28 ? name.substr(28) : name) + ".wandb");
  if (ends_in_footer(log)) return true;
  bool exited = false, has_final = false;
  try {
    LogReader reader(log);
    std::string bytes;
    pb::Record record;
    std::int64_t count = 0;
    while (reader.next(bytes) == LogReader::Result::kRecord && record.ParseFromString(bytes)) {
      ++count;
      exited = exited || record.has_exit();
      has_final = has_final || record.has_final();
    }
    if (!exited) return false;
    auto writer = LogWriter::reopen(log);
    write_end(writer, count, !has_final);
  } catch (const Error&) {  // no log, or one that cannot be repaired now
  }
  return exited;
}

RunLog::RunLog(const fs::path& wandb_folder, RunDescription description, std::shared_ptr<const Secret> key)
    : key_(std::move(key)),
      wandb_folder_(fs::absolute(wandb_folder)),
      entity_(description.entity),
      project_(description.project),
      scratch_(std::make_unique<Scratch>()),
      started_(unix_now()) {
  const std::string id = description.id;
  for (int attempt = 1;; ++attempt) {
    id_ = attempt == 1 ? id : fmt::format("{}-{}", id, attempt);
    folder_ = find_run(wandb_folder_, id_);
    if (!folder_.empty()) {
      path_ = folder_ / ("run-" + id_ + ".wandb");
      if (read_back()) continue;  // it has ended: try the next id
    }
    if (!continued_ && attempt > 1) description.name += fmt::format(" ({})", attempt);
    if (folder_.empty()) {
      make_folder();
      writer_ = std::make_unique<LogWriter>(LogWriter::create(path_));
    } else {
      writer_ = std::make_unique<LogWriter>(fs::exists(path_) ? LogWriter::reopen(path_) : LogWriter::create(path_));
    }
    if (!continued_) begin(description);
    return;
  }
}

RunLog::~RunLog() = default;

std::string RunLog::clean(std::string_view text) const {
  auto out = valid_utf8(text);
  return key_ ? key_->redact(std::move(out)) : out;
}

double RunLog::now_runtime() const { return runtime_before_ + std::max(0.0, unix_now() - started_); }

void RunLog::make_folder() {
  const auto now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y%m%d_%H%M%S", &parts);
  folder_ = wandb_folder_ / fmt::format("offline-run-{}-{}", stamp, id_);
  path_ = folder_ / ("run-" + id_ + ".wandb");
  make_folders(folder_ / "files");
  make_folders(folder_ / "logs");
}

void RunLog::begin(const RunDescription& d) {
  if (count_ == 0) write([](pb::Record& r) { r.mutable_header()->mutable_version_info()->set_producer("yatlab"); });
  auto& telemetry = scratch_->telemetry;
  telemetry.set_cli_version(kVersion);
  telemetry.set_platform(platform());
  auto& features = *telemetry.mutable_feature();
  features.set_lib_cpp(true);
  features.set_set_init_id(true);
  features.set_set_init_name(!d.name.empty());
  features.set_set_init_tags(!d.tags.empty());
  features.set_set_init_config(!d.config.empty());
  features.set_set_step_log(true);
  features.set_set_summary(true);
  write([&](pb::Record& r) {
    ask_for_answer(r, random_id(12));
    auto& run = *r.mutable_run();
    run.set_run_id(id_);
    run.set_entity(clean(d.entity));
    run.set_project(clean(d.project));
    for (const auto& [key, value] : d.config.items()) {
      auto* item = run.mutable_config()->add_update();
      item->set_key(clean(key));
      item->set_value_json(clean(json_text(value)));
    }
    run.set_run_group(clean(d.group));
    run.set_job_type(clean(d.job_type));
    run.set_display_name(clean(d.name));
    run.set_notes(clean(d.notes));
    for (const auto& tag : d.tags) run.add_tags(clean(tag));
    run.set_sweep_id(clean(d.sweep_id));
    run.set_host(clean(d.host));
    set_stamp(*run.mutable_start_time(), started_);
    *run.mutable_telemetry() = telemetry;
    if (!d.git_commit.empty()) {
      run.mutable_git()->set_remote_url(clean(d.git_remote));
      run.mutable_git()->set_commit(clean(d.git_commit));
    }
  });
  auto metadata = d.metadata;
  if (!d.program.empty()) metadata["program"] = d.program;
  if (!metadata.is_null()) {
    write_file_atomic(folder_ / "files/wandb-metadata.json", clean(dump_json_replacing(metadata, 2)) + "\n");
    write([](pb::Record& r) {
      auto* file = r.mutable_files()->add_files();
      file->set_path("wandb-metadata.json");
      file->set_type(pb::TYPE_WANDB);
    });
  }
  point_latest_at(folder_);
}

// Restores the state from the log: next step and time, metrics and their aggregates. True when the run has ended.
bool RunLog::read_back() {
  bool ended = false;
  try {
    LogReader reader(path_);
    std::string bytes;
    pb::Record record;
    while (reader.next(bytes) == LogReader::Result::kRecord && record.ParseFromString(bytes)) {
      ++count_;
      if (record.has_run()) continued_ = true;
      if (record.has_exit()) ended = true;
      if (record.has_run()) scratch_->telemetry.MergeFrom(record.run().telemetry());
      if (record.has_telemetry()) scratch_->telemetry.MergeFrom(record.telemetry());
      if (record.has_artifact() && record.artifact().use_after_commit()) inputs_.insert(record.artifact().client_id());
      if (record.has_metric()) remember(record.metric());
      if (record.has_history()) remember(record.history());
    }
  } catch (const Error&) {  // no log, or no complete header: nothing to continue from
  }
  if (ended) {
    continued_ = false;
    count_ = 0;
    step_ = -1;
    runtime_before_ = 0;
    metrics_.clear();
    seen_.clear();
    changed_.clear();
    inputs_.clear();
    objects_.clear();
    scratch_->telemetry.Clear();
  }
  return ended;
}

void RunLog::remember(const pb::MetricRecord& m) {
  MetricDefinition metric;
  metric.name = m.name();
  metric.step_metric = m.step_metric();
  metric.goal = static_cast<MetricDefinition::Goal>(std::clamp(m.goal(), 0, 2));
  metric.min = m.summary().min();
  metric.max = m.summary().max();
  metric.best = m.summary().best();
  metric.last = m.summary().last();
  metrics_[metric.name] = metric;
}

void RunLog::remember(const pb::HistoryRecord& row) {
  for (const auto& item : row.item()) {
    const auto& name = item.nested_key_size() == 1 ? item.nested_key(0) : item.key();
    const double value = number_of(item.value_json());
    if (item.value_json().rfind("{\"_type\"", 0) == 0) objects_.insert(name);
    if (name == "_step") {
      step_ = static_cast<std::int64_t>(value);
    } else if (name == "_runtime") {
      runtime_before_ = value;
    } else if (!name.empty() && name[0] != '_' && (item.value_json() == "NaN" || !std::isnan(value))) {
      note(name, value);
    }
  }
}

void RunLog::note(const std::string& name, double value) {
  auto& s = seen_[name];
  if (!std::isnan(value)) {
    s.min = s.fresh ? value : std::min(s.min, value);
    s.max = s.fresh ? value : std::max(s.max, value);
    s.fresh = false;
  }
  s.last = value;
  changed_.insert(name);
}

bool RunLog::had_object(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  return objects_.count(clean(key)) > 0;
}

std::int64_t RunLog::last_step() const {
  const std::lock_guard lock(mutex_);
  return step_;
}

void RunLog::define(const MetricDefinition& metric) {
  const std::lock_guard lock(mutex_);
  if (ended_ || metrics_.count(metric.name)) return;
  metrics_[metric.name] = metric;
  const auto& used = scratch_->telemetry.feature();
  scratch_->used(&pb::Feature::set_metric, used.metric());
  if (!metric.step_metric.empty()) scratch_->used(&pb::Feature::set_metric_step_sync, used.metric_step_sync());
  if (metric.min || metric.max || metric.best || metric.last) scratch_->used(&pb::Feature::set_metric_summary, used.metric_summary());
  if (metric.goal != MetricDefinition::Goal::kNone) scratch_->used(&pb::Feature::set_metric_goal, used.metric_goal());
  write([&](pb::Record& r) {
    auto& m = *r.mutable_metric();
    m.set_name(clean(metric.name));
    m.mutable_options()->set_defined(true);
    if (!metric.step_metric.empty()) {
      m.set_step_metric(clean(metric.step_metric));
      m.mutable_options()->set_step_sync(true);
    }
    if (metric.min || metric.max || metric.best || metric.last) {
      auto& s = *m.mutable_summary();
      s.set_min(metric.min);
      s.set_max(metric.max);
      s.set_best(metric.best);
      s.set_last(metric.last);
    }
    m.set_goal(static_cast<int>(metric.goal));
  });
}

bool RunLog::history(std::int64_t step, const std::vector<std::pair<std::string, double>>& values) {
  return history(step, values, Json::object());
}

bool RunLog::history(std::int64_t step, const Json& values) { return history(step, {}, values); }

bool RunLog::history(std::int64_t step, const std::vector<std::pair<std::string, double>>& values, const Json& objects) {
  const std::lock_guard lock(mutex_);
  if (ended_ || step <= step_) return false;
  write_telemetry();
  write([&](pb::Record& r) {
    auto& h = *r.mutable_history();
    add_time(h, step, now_runtime(), unix_now());
    for (const auto& [name, value] : values) {
      auto* item = h.add_item();
      item->set_key(clean(name));
      item->set_value_json(json_number(value));
      note(name, value);
    }
    for (const auto& [name, value] : objects.items()) {
      auto* item = h.add_item();
      item->set_key(clean(name));
      item->set_value_json(clean(json_text(value)));
    }
  });
  end_row(step);
  if (objects.empty()) return true;
  write([&](pb::Record& r) {
    for (const auto& [name, value] : objects.items()) {
      auto* item = r.mutable_summary()->add_update();
      item->set_key(clean(name));
      item->set_value_json(clean(json_text(value)));
    }
  });
  return true;
}

// Features used since the last telemetry record.
void RunLog::write_telemetry() {
  if (!std::exchange(scratch_->telemetry_changed, false)) return;
  write([&](pb::Record& r) { *r.mutable_telemetry() = scratch_->telemetry; });
}

void RunLog::end_row(std::int64_t step) {
  step_ = step;
  if (unix_now() - summary_written_ >= kSummarySeconds) write_summary();
}

// A sync takes the summary only from these records.
void RunLog::write_summary() {
  summary_written_ = unix_now();
  if (step_ < 0 && changed_.empty()) return;
  write([&](pb::Record& r) {
    auto& s = *r.mutable_summary();
    const auto add = [&](const std::string& name, std::string json) {
      auto* item = s.add_update();
      item->set_key(clean(name));
      item->set_value_json(std::move(json));
    };
    for (const auto& name : changed_) {
      const auto& v = seen_[name];
      const auto metric = metrics_.find(name);
      const auto* m = metric == metrics_.end() ? nullptr : &metric->second;
      if (!m || !(m->min || m->max || m->best || m->last) || v.fresh) {
        add(name, json_number(v.last));
        continue;
      }
      std::string object;
      const auto member = [&](const char* key, double value) {
        object += fmt::format("{}\"{}\":{}", object.empty() ? "{" : ",", key, json_number(value));
      };
      if (m->last) member("last", v.last);
      if (m->min) member("min", v.min);
      if (m->max) member("max", v.max);
      if (m->best) member("best", m->goal == MetricDefinition::Goal::kMaximize ? v.max : v.min);
      add(name, object + "}");
    }
    if (step_ >= 0) add("_step", std::to_string(step_));
    const double runtime = now_runtime();
    add("_runtime", json_number(runtime));
    add("_timestamp", json_number(unix_now()));
    add("_wandb", fmt::format("{{\"runtime\":{}}}", static_cast<std::int64_t>(runtime)));  // old readers do not read paths
  });
  changed_.clear();
}

void RunLog::summary(const std::string& key, const Json& value) {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  const auto seen = seen_.find(key);
  const auto metric = metrics_.find(key);
  if (seen != seen_.end() && metric != metrics_.end() && metric->second.last && value.is_number()) {
    // Its summary is an object of several values; this sets the last one.
    seen->second.last = value.get<double>();
    changed_.insert(key);
    return;
  }
  changed_.erase(key);
  write([&](pb::Record& r) {
    auto* item = r.mutable_summary()->add_update();
    item->set_key(clean(key));
    item->set_value_json(clean(value.is_number_float() ? json_number(value.get<double>()) : json_text(value)));
  });
}

void RunLog::console(std::string_view text, bool error) {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  auto& held = held_[error ? 1 : 0];
  held += text;
  const auto rest = unfinished_character(held);
  const auto whole = held.substr(0, held.size() - rest);
  held.erase(0, whole.size());
  if (!whole.empty()) write_console(whole, error);
}

void RunLog::write_console(std::string_view text, bool error) {
  const auto cleaned = clean(text);
  write([&](pb::Record& r) {
    auto& out = *r.mutable_output_raw();
    out.set_output_type(error ? 0 : 1);
    set_stamp(*out.mutable_timestamp(), unix_now());
    out.set_line(cleaned);
  });
  auto& line = line_[error ? 1 : 0];
  for (const char c : cleaned) {
    if (c == '\n') {
      write_line(error);
    } else {
      line += c;
    }
  }
}

// A line as a terminal would show it: text after a carriage return replaces the text before.
void RunLog::write_line(bool error) {
  auto line = std::exchange(line_[error ? 1 : 0], {});
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (const auto back = line.rfind('\r'); back != std::string::npos) line.erase(0, back + 1);
  append_line(folder_ / "files/output.log", line);
}

void RunLog::system(const std::vector<std::pair<std::string, double>>& values) {
  const std::lock_guard lock(mutex_);
  if (ended_ || values.empty()) return;
  write([&](pb::Record& r) {
    auto& stats = *r.mutable_stats();
    set_stamp(*stats.mutable_timestamp(), unix_now());
    for (const auto& [name, value] : values) {
      auto* item = stats.add_item();
      item->set_key(clean(name));
      item->set_value_json(json_number(value));
    }
  });
}

void RunLog::alert(const std::string& title, const std::string& text, AlertLevel level) {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  write([&](pb::Record& r) {
    auto& a = *r.mutable_alert();
    a.set_title(clean(title));
    a.set_text(clean(text));
    a.set_level(level == AlertLevel::kError ? "ERROR" : level == AlertLevel::kWarn ? "WARN" : "INFO");
    a.set_wait_duration(kAlertWait);
  });
}

void RunLog::flush() {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  write_summary();
  write_telemetry();
}

void RunLog::finish(int exit_code) {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  for (int error = 0; error < 2; ++error) {  // flush characters that were never completed
    if (!held_[error].empty()) write_console(held_[error], error != 0);
    if (!line_[error].empty()) write_line(error != 0);
  }
  write_summary();
  write_telemetry();
  write([&](pb::Record& r) {
    r.mutable_exit()->set_exit_code(exit_code);
    r.mutable_exit()->set_runtime(static_cast<int>(now_runtime()));
  });
  // Some readers send the exit code only when they read this record.
  write_end(*writer_, count_, true);
  ended_ = true;
}

}  // namespace yatlab::wandb

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/experiment/plan.h"
#include "core/experiment/tracker.h"
#include "core/report/config.h"
#include "core/train/stop.h"
#include "core/wandb/csv.h"
#include "core/wandb/run_log.h"
#include "core/wandb/settings.h"
#include "core/wandb/system_metrics.h"
#include "core/wandb/text.h"
#include "core/wandb/uploader.h"

namespace yatlab {
namespace {

using Json = nlohmann::ordered_json;
using wandb::MetricDefinition;
using wandb::RunLog;

std::string git(const std::vector<std::string>& arguments) {
  std::vector<std::string> argv{"git"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  try {
    const auto result = run_process(argv);
    return result.status == 0 ? trim(result.output) : "";
  } catch (const Error&) {  // no git on this machine
    return {};
  }
}

/// An address without the user and password that it may hold.
std::string without_user(std::string url) {
  const auto scheme = url.find("://");
  if (scheme == std::string::npos) return url;
  const auto end = url.find('/', scheme + 3);
  const auto at = url.rfind('@', end);
  if (at != std::string::npos && at > scheme) url.erase(scheme + 3, at - scheme - 2);
  return url;
}

std::string host_name() {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  return host;
}

Json program_arguments() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  Json out = Json::array();
  std::string word;
  for (bool first = true; std::getline(in, word, '\0'); first = false) {
    if (!first) out.push_back(wandb::valid_utf8(word));
  }
  return out;
}

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The newest checkpoint of a job: the folder whose name sorts last.
fs::path newest_checkpoint(const fs::path& job) {
  fs::path out;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(job / "checkpoints", none)) {
    if (entry.is_directory() && entry.path().filename() > out.filename()) out = entry.path();
  }
  return out;
}

std::vector<wandb::ArtifactFile> files_below(const fs::path& folder) {
  std::vector<wandb::ArtifactFile> out;
  std::error_code none;
  for (const auto& entry : fs::recursive_directory_iterator(folder, none)) {
    if (entry.is_regular_file()) out.push_back({fs::relative(entry.path(), folder).string(), entry.path()});
  }
  return out;
}

}  // namespace

/// One W&B run for each job, and one for the report. What is logged goes into the official client's log files first;
/// a thread sends them while the run goes on, if it is live. Layout and protocol: docs/wandb.md.
class Wandb final : public Tracker {
 public:
  struct Params {
    std::string mode, project, entity, group, job_type, name, notes, directory;
    std::vector<std::string> tags;
    bool checkpoints = true, reports = true;
    double system_seconds = 15, console_seconds = 10, finish_seconds = 60;
    static void declare(Fields& f, Params& p) {
      f.field("mode", p.mode, "online, offline or disabled; empty: WANDB_MODE, else online if WANDB_API_KEY is set");
      f.field("project", p.project, "empty: WANDB_PROJECT, else yatlab");
      f.field("entity", p.entity, "user or team; empty: WANDB_ENTITY, else the key's own");
      f.field("group", p.group, "empty: WANDB_RUN_GROUP, else the experiment");
      f.field("job_type", p.job_type, "empty: WANDB_JOB_TYPE, else the arm");
      f.field("run_name", p.name, "empty: WANDB_NAME; with several jobs it stands before each one's arm and seed");
      f.field("notes", p.notes, "empty: WANDB_NOTES, else the experiment's");
      f.field("tags", p.tags, "empty: WANDB_TAGS");
      f.field("directory", p.directory, "parent of the folder wandb/; empty: WANDB_DIR, else where the program runs");
      f.field("checkpoints", p.checkpoints, "each job's last checkpoint as an artifact");
      f.field("reports", p.reports, "a run with the experiment's figures, tables and report files");
      f.field("system_seconds", p.system_seconds, "between two samples of the machine's load").positive();
      f.field("console_seconds", p.console_seconds, "between two lines of progress in a run's console").positive();
      f.field("finish_seconds", p.finish_seconds, "how long the end waits for the network").non_negative();
    }
  };
  explicit Wandb(const Params& p) : p_(p) {}
  ~Wandb() override {
    stop_sampling();
    if (finished_) close();
  }

  void check() const override { wandb::read_settings(wishes()); }

  void on_run_start(const RunInfo& info) override {
    plan_ = &info.plan;
    directory_ = fs::absolute(info.directory);
    settings_ = wandb::read_settings(wishes());
    quiet_ = info.quiet || settings_.silent;
    for (const auto& notice : settings_.notices) say(notice);
    if (settings_.mode == wandb::Mode::kDisabled) return;
    if (settings_.project.empty()) settings_.project = "yatlab";
    if (!settings_.run_id.empty() && info.plan.jobs.size() != 1) say("WANDB_RUN_ID is not followed: there is more than one job");
    report_config_ = ReportConfig::read(info.plan.experiment);
    if (settings_.git) {
      commit_ = settings_.git_commit.empty() ? git({"rev-parse", "HEAD"}) : settings_.git_commit;
      remote_ = without_user(settings_.git_remote.empty() ? git({"config", "--get", "remote.origin.url"}) : settings_.git_remote);
    }
    machine_ = std::make_unique<wandb::SystemMetrics>(directory_);
    hardware_ = machine_->hardware();
    if (settings_.mode == wandb::Mode::kOnline) {
      wandb::UploadOptions options;
      options.post_bytes = 1 << 20;  // many runs may wait at once
      options.unended_exit_code = 255;
      uploader_ = std::make_unique<wandb::Uploader>(settings_, options, [quiet = info.quiet](const std::string& text) {
        if (!quiet) fmt::print(stderr, "wandb: {}\n", text);
      });
    }
    active_ = true;
    sampler_ = std::thread([this] { sample(); });
  }

  void on_job_start(const JobSpec& job, bool kept) override {
    if (!active_) return;
    const auto id = id_of_job(job);
    if (kept) {
      // Finished before, but perhaps killed before its log had an end.
      const auto folder = wandb::find_run(settings_.folder, id);
      if (folder.empty() || wandb::has_ended(folder)) return;
    }
    auto run = std::make_shared<Job>();
    run->log = std::make_unique<RunLog>(settings_.folder, describe(job, id), settings_.key);
    {
      const std::lock_guard lock(mutex_);
      run->log->system(machine_->sample());
      jobs_[job.directory] = run;
      ++runs_;
    }
    if (uploader_) uploader_->follow(run->log->path());
    if (settings_.console && !run->log->continued()) run->log->console(job.label() + "\n");
  }

  void on_metrics(const JobSpec& job, std::int64_t step, std::int64_t epoch, const Metrics& metrics) override {
    const auto run = find(job);
    if (!run) return;
    if (!run->caught_up) catch_up(job, *run, step);
    if (run->step != step) write_row(*run);
    run->step = step;
    run->row["epoch"] = static_cast<double>(epoch);
    for (const auto& [name, value] : metrics) run->row[name] = value;
  }

  void on_progress(const JobSpec& job, const Progress& progress) override {
    if (!active_ || !settings_.console) return;
    const auto run = find(job);
    if (!run) return;
    const double now = now_seconds();
    if (now - run->said < p_.console_seconds) return;
    run->said = now;
    if (!progress.what.empty()) {
      run->log->console(fmt::format("{:.0f} %  {}\n", 100.0 * static_cast<double>(progress.step) / static_cast<double>(progress.total_steps), progress.what));
    } else {
      run->log->console(fmt::format("epoch {}/{}  step {}/{}  loss {:.6g}\n", progress.epoch, progress.epochs, progress.step,
                                    progress.total_steps, progress.loss));
    }
  }

  void on_job_finish(const JobSpec& job, JobState state, const Metrics& metrics, const std::string& why) override {
    const auto run = find(job);
    if (!run) return;
    if (!run->caught_up) catch_up(job, *run, std::numeric_limits<std::int64_t>::max());
    write_row(*run);
    auto& log = *run->log;
    if (state != JobState::kInterrupted) {
      for (const auto& [name, value] : metrics) log.summary(name, value);
      log.summary("status", to_string(state));
      if (!why.empty()) log.summary("why", why);
      if (settings_.console) {
        log.console(fmt::format("{}{}{}\n", to_string(state), why.empty() ? "" : ": ", why), state == JobState::kFailed);
      }
      if (p_.checkpoints && state == JobState::kCompleted) log_checkpoint(job, log);
      log.finish(state == JobState::kFailed ? 1 : 0);
    } else {
      log.flush();  // no end: the job goes on another time, and its run with it
    }
    const std::lock_guard lock(mutex_);
    jobs_.erase(job.directory);
  }

  void on_run_finish() override {
    stop_sampling();
    finished_ = true;
  }

  void on_report(const RunInfo& info, const Report& report) override {
    if (!active_) return;
    if (p_.reports && stop_signal() == 0) log_report(info, report);
    close();
  }

  bool wants_stop(const JobSpec& job) override {
    if (!uploader_) return false;
    const auto run = find(job);
    return run && uploader_->stop_requested(run->log->path());
  }

 private:
  wandb::Wishes wishes() const {
    wandb::Wishes out;
    out.mode = p_.mode;
    out.project = p_.project;
    out.entity = p_.entity;
    out.group = p_.group;
    out.job_type = p_.job_type;
    out.name = p_.name;
    out.notes = p_.notes;
    out.tags = p_.tags;
    out.directory = p_.directory;
    return out;
  }

  struct Job {
    std::unique_ptr<RunLog> log;
    std::int64_t step = -1;              // of `row`, which is written once its step is over
    std::map<std::string, double> row;
    std::set<std::string> defined;
    bool caught_up = false;
    double said = now_seconds();
  };

  void say(const std::string& text) const {
    if (!quiet_) fmt::print(stderr, "wandb: {}\n", text);
  }

  std::shared_ptr<Job> find(const JobSpec& job) {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    const auto it = jobs_.find(job.directory);
    return it == jobs_.end() ? nullptr : it->second;
  }

  /// The same for a job that is continued, another for one that is run afresh.
  std::string id_of_job(const JobSpec& job) const {
    if (!settings_.run_id.empty() && plan_->jobs.size() == 1) return settings_.run_id;
    return wandb::id_of(fmt::format("{}/{}/{}/{}", plan_->name, directory_.filename().string(), job.directory, job.hash));
  }

  wandb::RunDescription describe(const std::string& id) const {
    wandb::RunDescription d;
    d.id = id;
    d.entity = settings_.entity;
    d.project = settings_.project;
    d.group = settings_.group.empty() ? plan_->name : settings_.group;
    d.sweep_id = settings_.sweep_id;
    d.host = settings_.host.empty() ? host_name() : settings_.host;
    d.tags = settings_.tags;
    d.git_commit = commit_;
    d.git_remote = remote_;
    d.notes = settings_.notes;
    if (d.notes.empty() && plan_->experiment.at("notes").is_string()) d.notes = plan_->experiment.at("notes").as_string();
    std::error_code ec;
    const auto program = fs::read_symlink("/proc/self/exe", ec);
    const passwd* user = getpwuid(geteuid());
    d.metadata = {{"os", "Linux"},
                  {"program", settings_.program.empty() ? program.filename().string() : settings_.program},
                  {"args", program_arguments()},
                  {"startedAt", wandb::utc_time(std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count()) + "Z"},
                  {"host", d.host},
                  {"username", user ? user->pw_name : ""},
                  {"executable", program.string()},
                  {"root", fs::current_path(ec).string()}};
    d.metadata.update(hardware_);
    if (!commit_.empty()) d.metadata["git"] = {{"remote", remote_}, {"commit", commit_}};
    return d;
  }

  wandb::RunDescription describe(const JobSpec& job, const std::string& id) const {
    auto d = describe(id);
    d.job_type = settings_.job_type.empty() ? job.arm : settings_.job_type;
    d.name = settings_.name.empty() ? job.label() : plan_->jobs.size() == 1 ? settings_.name : settings_.name + " " + job.label();
    d.config = to_json(job.config);
    d.config["arm"] = job.arm;
    d.config["experiment"] = plan_->name;
    if (!plan_->scale.empty()) d.config["scale"] = plan_->scale;
    d.config["yatlab"] = {{"job", job.directory}, {"hash", job.hash}, {"run", directory_.filename().string()}};
    return d;
  }

  void define(Job& run, const std::string& name) {
    if (!run.defined.insert(name).second) return;
    MetricDefinition metric;
    metric.name = name;
    if (name != "epoch") {
      const auto better = report_config_.metric(name).better;
      using Goal = MetricDefinition::Goal;
      metric.goal = better == Direction::kHigher ? Goal::kMaximize : better == Direction::kLower ? Goal::kMinimize : Goal::kNone;
      metric.max = better == Direction::kHigher;
      metric.min = better == Direction::kLower;
      metric.best = metric.last = better != Direction::kNone;
      if (name.rfind("train/", 0) != 0) metric.step_metric = "epoch";
    }
    run.log->define(metric);
  }

  void write_row(Job& run) {
    if (run.step < 0 || run.row.empty()) return;
    define(run, "epoch");
    for (const auto& [name, value] : run.row) define(run, name);
    run.log->history(run.step, {run.row.begin(), run.row.end()});
    run.row.clear();
  }

  /// Rows of metrics.jsonl that the log lacks: a process killed at the wrong moment, or a tracker that was not there then.
  void catch_up(const JobSpec& job, Job& run, std::int64_t before) {
    run.caught_up = true;
    std::ifstream in(directory_ / job.directory / "metrics.jsonl");
    for (std::string line; std::getline(in, line);) {
      const auto json = Json::parse(line, nullptr, false);
      if (!json.is_object() || !json.contains("step")) continue;
      const auto step = json.at("step").get<std::int64_t>();
      if (step <= run.log->last_step() || step >= before) continue;
      if (step != run.step) write_row(run);
      run.step = step;
      for (const auto& [name, value] : json.items()) {
        if (name == "step") continue;
        // NaN and infinities travel as text.
        run.row[name] = value.is_string() ? std::strtod(value.get<std::string>().c_str(), nullptr) : value.get<double>();
      }
    }
    write_row(run);
  }

  void log_checkpoint(const JobSpec& job, RunLog& log) {
    const auto folder = newest_checkpoint(directory_ / job.directory);
    if (folder.empty()) return;
    auto name = plan_->name + "-" + fs::path(job.directory).lexically_relative("jobs").generic_string();
    log.artifact("model", name, files_below(folder),
                 {{"experiment", plan_->name}, {"arm", job.arm}, {"seed", job.seed}, {"checkpoint", folder.filename().string()}},
                 {folder.filename().string()});
  }

  void log_report(const RunInfo& info, const Report& report) {
    std::string content;
    std::vector<wandb::ArtifactFile> files;
    for (const auto& path : report.files) {
      const fs::path file = fs::absolute(path);
      if (!fs::is_regular_file(file)) continue;
      files.push_back({fs::relative(file, directory_).generic_string(), file});
      content += sha256_file(file);
    }
    auto d = describe(wandb::id_of(fmt::format("{}/{}/report/{}", plan_->name, directory_.filename().string(), sha256(content))));
    if (!wandb::find_run(settings_.folder, d.id).empty() && wandb::has_ended(wandb::find_run(settings_.folder, d.id))) return;
    d.job_type = "report";
    d.name = (settings_.name.empty() ? plan_->name : settings_.name) + " report";
    d.config = {{"experiment", plan_->name}, {"title", plan_->title}, {"arms", plan_->arms}, {"seeds", plan_->seeds},
                {"overrides", plan_->overrides}, {"yatlab", {{"run", directory_.filename().string()}}}};
    RunLog log(settings_.folder, d, settings_.key);
    ++runs_;
    if (uploader_) uploader_->follow(log.path());
    if (settings_.console) log.console(report.text + "\n");
    Json row = Json::object();
    for (const auto& [name, file] : files) {
      const fs::path path = name;
      const auto folder = path.parent_path().filename();
      if (folder == "figures" && path.extension() == ".png") {
        const auto key = "figures/" + path.stem().string();
        row[key] = log.image(key, 0, read_file(file), {});
      } else if (folder == "tables" && path.extension() == ".csv") {
        const auto table = wandb::read_csv(read_file(file));
        const auto key = "tables/" + path.stem().string();
        row[key] = log.table(key, 0, table.columns, table.rows);
      }
    }
    log.history(0, row);
    log.artifact("report", plan_->name + "-report", files, {{"experiment", plan_->name}, {"run", info.directory.filename().string()}}, {});
    log.finish(0);
  }

  void sample() {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, std::chrono::duration<double>(p_.system_seconds), [&] { return stop_sampling_; })) {
      try {
        const auto values = machine_->sample();
        for (const auto& [name, run] : jobs_) run->log->system(values);
      } catch (...) {
        failure_ = std::current_exception();
        return;
      }
    }
  }
  void stop_sampling() {
    {
      const std::lock_guard lock(mutex_);
      stop_sampling_ = true;
    }
    wake_.notify_all();
    if (sampler_.joinable()) sampler_.join();
  }

  void close() {
    if (!active_ || closed_) return;
    closed_ = true;
    const auto folder = settings_.folder.string();
    if (!uploader_) {
      if (runs_ > 0) say(fmt::format("{} run{} in {}; to upload them: yatlab sync {}", runs_, runs_ == 1 ? "" : "s", folder, folder));
      return;
    }
    const auto left = uploader_->finish(stop_signal() == 0 ? p_.finish_seconds : std::min(p_.finish_seconds, 10.0));
    if (!left.empty()) {
      say(fmt::format("{} of {} runs are not all uploaded; to go on: yatlab sync {}", left.size(), runs_, folder));
    } else if (runs_ > 0) {
      say(fmt::format("{} run{} uploaded -> {}", runs_, runs_ == 1 ? "" : "s", uploader_->project_page()));
    }
  }

  Params p_;
  wandb::Settings settings_;
  const Plan* plan_ = nullptr;
  fs::path directory_;
  ReportConfig report_config_;
  std::string commit_, remote_;
  Json hardware_;
  bool active_ = false, quiet_ = false, finished_ = false, closed_ = false;
  std::size_t runs_ = 0;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Job>> jobs_;
  std::unique_ptr<wandb::SystemMetrics> machine_;
  std::exception_ptr failure_;
  std::condition_variable wake_;
  bool stop_sampling_ = false;
  std::thread sampler_;
  std::unique_ptr<wandb::Uploader> uploader_;
};

YATLAB_REGISTER(Tracker, Wandb, "wandb", "Weights & Biases: run logs for `wandb sync`, live with WANDB_API_KEY");

}  // namespace yatlab

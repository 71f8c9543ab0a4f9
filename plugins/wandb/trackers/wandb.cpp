#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/print.h"
#include "core/experiment/report_config.h"
#include "core/plan/plan.h"
#include "core/plan/tracker.h"
#include "core/record/tracker_folder.h"
#include "core/report/report.h"
#include "core/run/jobs_done_before.h"
#include "core/system/called_as.h"
#include "core/system/shell.h"
#include "core/system/stop.h"
#include "plugins/wandb/log/api.h"
#include "plugins/wandb/log/run_log.h"
#include "plugins/wandb/log/settings.h"
#include "plugins/wandb/log/system_metrics.h"
#include "plugins/wandb/log/text.h"
#include "plugins/wandb/log/uploader.h"
#include "plugins/wandb/trackers/wandb_origin.h"
#include "plugins/wandb/trackers/wandb_run.h"

namespace yatlab {
namespace {

using Json = nlohmann::ordered_json;
using wandb::RunLog;

/// Up to this many runs' pages are printed; with more, only the project's page.
constexpr std::size_t kPagesShown = 12;

double now_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::vector<wandb::ArtifactFile> files_below(const fs::path& folder) {
  std::vector<wandb::ArtifactFile> out;
  std::error_code none;
  for (const auto& entry : fs::recursive_directory_iterator(folder, none)) {
    if (entry.is_regular_file()) out.push_back({fs::relative(entry.path(), folder).string(), entry.path()});
  }
  return out;
}

}  // namespace

/// One W&B run per job, and one for the report. Data is logged to the official client's log files first;
/// if the run is live, a thread uploads them meanwhile. Layout and protocol: docs/wandb.md.
class Wandb final : public Tracker {
 public:
  enum class Checkpoints { kNone, kLast, kAll };
  struct Params {
    std::string mode, project, entity, group, job_type, name, notes, directory;
    std::vector<std::string> tags;
    Checkpoints checkpoints = Checkpoints::kLast;
    bool reports = true, alerts = true;
    double system_seconds = 15, console_seconds = 10, finish_seconds = 300;
    static void declare(Fields& f, Params& p) {
      f.field("mode", p.mode, "online, offline or disabled; empty: WANDB_MODE, else online if WANDB_API_KEY is set");
      f.field("project", p.project, "project; empty: WANDB_PROJECT, else yatlab");
      f.field("entity", p.entity, "user or team; empty: WANDB_ENTITY, else the key's own");
      f.field("group", p.group, "group of the runs; empty: WANDB_RUN_GROUP, else the experiment");
      f.field("job_type", p.job_type, "job type of the runs; empty: WANDB_JOB_TYPE, else the arm");
      f.field("run_name", p.name, "run name; empty: WANDB_NAME; with several jobs, a prefix of each one's arm and seed");
      f.field("notes", p.notes, "notes of the runs; empty: WANDB_NOTES, else the experiment's");
      f.field("tags", p.tags, "tags of the runs; empty: WANDB_TAGS");
      f.field("directory", p.directory,
              "parent of the folder wandb/, below the working directory; empty: WANDB_DIR, else the working directory");
      f.choice("checkpoints", p.checkpoints, {{"none", Checkpoints::kNone}, {"last", Checkpoints::kLast}, {"all", Checkpoints::kAll}},
               "which of a job's checkpoints are logged as versions of its model artifact");
      f.field("reports", p.reports, "also log a run with the experiment's figures, tables and report files");
      f.field("alerts", p.alerts, "send an alert when a job diverges or fails");
      f.field("system_seconds", p.system_seconds, "seconds between two samples of the machine's load").positive().max(1e7);
      f.field("console_seconds", p.console_seconds, "seconds between two lines of progress in a run's console").positive().max(1e7);
      f.field("finish_seconds", p.finish_seconds, "maximum seconds to wait for uploads at the end; the wait stops once all are done")
          .range(0, 1e7);
    }
  };
  explicit Wandb(const Params& p) : p_(p) {}
  ~Wandb() override {
    stop_sampling();
    if (finished_) close();
  }

  void check() const override {
    check_tracker_folder(p_.directory, "the variable WANDB_DIR=FOLDER can name any folder");
    wandb::read_settings(requested_settings());
  }

  void on_run_start(const RunInfo& info) override {
    plan_ = &info.plan;
    directory_ = fs::absolute(info.directory);
    replay_ = info.replay;
    settings_ = wandb::read_settings(requested_settings());
    quiet_ = info.quiet || settings_.silent;
    for (const auto& notice : settings_.notices) say(notice);
    if (settings_.mode == wandb::Mode::kDisabled) return;
    if (settings_.project.empty()) settings_.project = "yatlab";
    require_writable_folder(settings_.folder, "tracker wandb", "free some space there, or use a different folder: WANDB_DIR=FOLDER");
    remove_stale_temporaries(settings_.folder);
    if (!replay_) done_before_ = jobs_done_before(info, "wandb");
    report_config_ = ReportConfig::read(info.plan.experiment, false, info.plan.metrics);
    machine_ = std::make_unique<wandb::SystemMetrics>(directory_);
    origin_ = wandb_origin(settings_, machine_->hardware());
    if (settings_.mode == wandb::Mode::kOnline) {
      obey_resume();
      start_uploader();
    }
    active_ = true;
    // The load of the machine that replays is unrelated to the run.
    if (!replay_) sampler_ = std::thread([this] { sample(); });
  }

  void on_job_start(const JobSpec& job, const JobBeginning& beginning) override {
    if (!active_) return;
    const auto id = id_of_job(job);
    if (beginning.kept || replay_) {
      // Logged before, but perhaps killed before its log had an end.
      const auto folder = wandb::find_run(settings_.folder, id);
      if (folder.empty() ? beginning.kept && done_before_.count(job.directory) > 0 : wandb::has_ended(folder)) {
        ++(folder.empty() ? left_out_ : logged_before_);
        return;
      }
    }
    auto run = open(describe(job, id), job.label());
    auto& log = run->log();
    if (!replay_ && !beginning.kept) log.system(machine_load());
    if (beginning.data) {
      const auto& data = *beginning.data;
      wandb::InputArtifact input{"dataset",
                                 data.name,
                                 {{data.name, "yatlab:dataset/" + data.name, data.sha256, 0}},
                                 {{"sha256", data.sha256}, {"tier", data.tier}},
                                 {}};
      if (!data.substituted_for.empty()) input.metadata["substituted_for"] = data.substituted_for;
      log.input(input);
    }
    if (settings_.console && !log.continued()) log.console(job.label() + "\n");
    {
      const std::lock_guard lock(mutex_);
      jobs_[job.directory] = std::move(run);
    }
    if (beginning.kept) show_kept(*this, job, directory_);
  }

  std::size_t left_out() const override { return left_out_; }

  void on_metrics(const JobSpec& job, const MetricRow& row) override {
    if (const auto run = find(job)) run->add(row, directory_ / job.directory);
  }

  void on_media(const JobSpec& job, const Media& media) override {
    if (const auto run = find(job)) run->add(media);
  }

  void on_progress(const JobSpec& job, const Progress& progress) override {
    if (!active_ || !settings_.console) return;
    const auto run = find(job);
    if (!run) return;
    const double now = now_seconds();
    if (run->last_console_output == 0) run->last_console_output = now;
    if (now - run->last_console_output < p_.console_seconds) return;
    run->last_console_output = now;
    if (!progress.what.empty()) {
      run->log().console(fmt::format(
          "{:.0f} %  {}\n", 100.0 * static_cast<double>(progress.step) / static_cast<double>(progress.total_steps), progress.what));
    } else {
      run->log().console(fmt::format("epoch {}/{}  step {}/{}  loss {:.6g}\n", progress.epoch, progress.epochs, progress.step,
                                     progress.total_steps, progress.loss));
    }
  }

  void on_checkpoint(const JobSpec& job, const SavedCheckpoint& checkpoint) override {
    const auto run = find(job);
    if (!run || p_.checkpoints == Checkpoints::kNone) return;
    if (p_.checkpoints == Checkpoints::kAll) {
      log_checkpoint(job, run->log(), checkpoint);
    } else {
      const std::lock_guard lock(mutex_);
      checkpoints_[job.directory] = checkpoint;
    }
  }

  void on_job_finish(const JobSpec& job, JobState state, const Metrics& metrics, const std::string& why) override {
    if (active_ && !metrics.empty()) {
      const std::lock_guard lock(mutex_);
      for (const auto& [name, value] : metrics) results_[job.arm][name].push_back(value);
    }
    const auto run = find(job);
    if (!run) return;
    run->complete(directory_ / job.directory);
    auto& log = run->log();
    if (state != JobState::kInterrupted) {
      for (const auto& [name, value] : metrics) log.summary(name, value);
      log.summary("status", to_string(state));
      if (!why.empty()) log.summary("why", why);
      const bool well = state == JobState::kCompleted || state == JobState::kPruned;
      if (settings_.console) log.console(fmt::format("{}{}{}\n", to_string(state), why.empty() ? "" : ": ", why), !well);
      if (p_.alerts && !well && !replay_) {
        log.alert(fmt::format("{} {}", job.label(), to_string(state)), why,
                  state == JobState::kFailed ? wandb::AlertLevel::kError : wandb::AlertLevel::kWarn);
      }
      if (const auto last = last_checkpoint(job); last && well) log_checkpoint(job, log, *last);
      log.finish(well ? 0 : 1);  // the service has no state "diverged": it shows as failed, the summary says why
    } else {
      interrupted_ = true;
      log.flush();  // no end: the job will resume, and its run with it
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
    if (stop_signal() == 0 && !interrupted_) {  // otherwise the experiment will resume
      if (is_sweep_of_many()) log_means();
      if (p_.reports) log_report(info, report);
    }
    close();
  }

  bool wants_stop(const JobSpec& job) override {
    if (!uploader_) return false;
    const auto run = find(job);
    return run && uploader_->stop_requested(run->log().path());
  }

 private:
  wandb::RequestedSettings requested_settings() const {
    wandb::RequestedSettings out;
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

  void say(const std::string& text) const {
    if (!quiet_) say_error("wandb: {}\n", text);
  }

  void start_uploader() {
    wandb::UploadOptions options;
    options.post_bytes = 1 << 20;  // many runs may wait at once
    options.unended_exit_code = 255;
    uploader_ = std::make_unique<wandb::Uploader>(
        settings_, options, [this](const std::string& text) { say(text); },
        [this](const fs::path& log, const std::string& page) {
          std::string label;
          {
            const std::lock_guard lock(mutex_);
            label = labels_[log.string()];
            if (++pages_ > kPagesShown) return;
          }
          say(fmt::format("{} -> {}", label, page));
        });
  }

  /// WANDB_RESUME=must and never are conditions: if they do not hold, nothing may be trained.
  void obey_resume() {
    if (settings_.resume != wandb::Resume::kMust && settings_.resume != wandb::Resume::kNever) return;
    const bool must = settings_.resume == wandb::Resume::kMust;
    for (const auto& job : plan_->jobs) {
      const auto id = id_of_job(job);
      bool there = false;
      try {
        there = wandb::run_exists(settings_, id);
      } catch (const wandb::ApiFailure& e) {
        throw config_error(fmt::format("WANDB_RESUME={} cannot be checked", must ? "must" : "never"), "WANDB_RESUME", e.what(),
                           "try again when the server answers, or unset WANDB_RESUME");
      }
      if (must && !there) {
        throw config_error(fmt::format("WANDB_RESUME=must, but the server has no run '{}' ({})", id, job.label()), "WANDB_RESUME", {},
                           "WANDB_RESUME=allow creates runs that do not exist");
      }
      if (!must && there) {
        throw config_error(fmt::format("WANDB_RESUME=never, but the server already has a run '{}' ({})", id, job.label()), "WANDB_RESUME",
                           {}, "WANDB_RESUME=allow continues it; --fresh starts new runs");
      }
    }
  }

  std::shared_ptr<WandbRun> open(wandb::RunDescription description, const std::string& label) {
    auto run =
        std::make_shared<WandbRun>(std::make_unique<RunLog>(settings_.folder, std::move(description), settings_.key), report_config_);
    {
      const std::lock_guard lock(mutex_);
      labels_[run->log().path().string()] = label;
      ++runs_;
    }
    if (uploader_) uploader_->follow(run->log().path());
    return run;
  }

  std::shared_ptr<WandbRun> find(const JobSpec& job) {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    const auto it = jobs_.find(job.directory);
    return it == jobs_.end() ? nullptr : it->second;
  }

  std::optional<SavedCheckpoint> last_checkpoint(const JobSpec& job) {
    const std::lock_guard lock(mutex_);
    const auto it = checkpoints_.find(job.directory);
    if (it == checkpoints_.end()) return std::nullopt;
    auto out = it->second;
    checkpoints_.erase(it);
    return out;
  }

  /// WANDB_RUN_ID names a single run. With several jobs, no job uses it: an additional run with their means does.
  bool is_sweep_of_many() const { return plan_->jobs.size() != 1 && (!settings_.run_id.empty() || !settings_.sweep_id.empty()); }

  /// The same id for a job that resumes, a new one for a job that starts afresh.
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
    d.host = origin_.host;
    d.program = origin_.program;
    d.tags = settings_.tags;
    d.git_commit = origin_.commit;
    d.git_remote = origin_.remote;
    d.notes = settings_.notes;
    const Node* notes = plan_->experiment.find("notes");
    if (d.notes.empty() && notes && notes->is_string()) d.notes = notes->as_string();
    d.metadata = origin_.metadata;
    return d;
  }

  wandb::RunDescription describe(const JobSpec& job, const std::string& id) const {
    auto d = describe(id);
    d.job_type = settings_.job_type.empty() ? job.arm : settings_.job_type;
    d.name = settings_.name.empty() ? job.label() : plan_->jobs.size() == 1 ? settings_.name : settings_.name + " " + job.label();
    if (plan_->jobs.size() == 1) d.sweep_id = settings_.sweep_id;
    d.config = to_json(job.config);
    d.config["arm"] = job.arm;
    d.config["experiment"] = plan_->name;
    if (!plan_->scale.empty()) d.config["scale"] = plan_->scale;
    d.config["yatlab"] = {{"job", job.directory}, {"hash", job.hash}, {"run", directory_.filename().string()}};
    return d;
  }

  void log_checkpoint(const JobSpec& job, RunLog& log, const SavedCheckpoint& checkpoint) const {
    const auto step = checkpoint.folder.filename().string();
    const auto name = plan_->name + "-" + fs::path(job.directory).lexically_relative("jobs").generic_string();
    log.artifact("model", name, files_below(checkpoint.folder),
                 {{"experiment", plan_->name}, {"arm", job.arm}, {"seed", job.seed}, {"step", checkpoint.step}, {"checkpoint", step}},
                 {step});
  }

  /// A run that summarizes all jobs for a sweep's agent to compare: means over seeds, by arm if there are several.
  void log_means() {
    auto d = describe(settings_.run_id.empty() ? wandb::id_of(fmt::format("{}/{}/means", plan_->name, directory_.filename().string()))
                                               : settings_.run_id);
    if (const auto before = wandb::find_run(settings_.folder, d.id); !before.empty() && wandb::has_ended(before)) return;
    d.job_type = "experiment";
    d.name = settings_.name.empty() ? plan_->name : settings_.name;
    d.sweep_id = settings_.sweep_id;
    d.config = to_json(plan_->experiment);
    const auto run = open(d, d.name);
    MetricRow row;
    for (const auto& [arm, metrics] : results_) {
      for (const auto& [name, values] : metrics) {
        double sum = 0;
        for (const double v : values) sum += v;
        row.metrics[results_.size() == 1 ? name : arm + "/" + name] = sum / static_cast<double>(values.size());
      }
    }
    std::vector<std::pair<std::string, double>> means(row.metrics.begin(), row.metrics.end());
    run->log().history(0, means);
    run->log().finish(0);
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
    if (const auto before = wandb::find_run(settings_.folder, d.id); !before.empty() && wandb::has_ended(before)) return;
    d.job_type = "report";
    d.name = (settings_.name.empty() ? plan_->name : settings_.name) + " report";
    d.config = {{"experiment", plan_->name}, {"title", plan_->title},         {"arms", plan_->arms},
                {"seeds", plan_->seeds},     {"overrides", plan_->overrides}, {"yatlab", {{"run", directory_.filename().string()}}}};
    const auto run = open(d, d.name);
    auto& log = run->log();
    if (settings_.console) log.console(report.text + "\n");
    for (const auto& media : report.media) run->add(media);
    run->complete({});
    log.artifact("report", plan_->name + "-report", files, {{"experiment", plan_->name}, {"run", info.directory.filename().string()}}, {});
    log.finish(0);
  }

  std::vector<std::pair<std::string, double>> machine_load() {
    const std::lock_guard lock(machine_mutex_);
    return machine_->sample();
  }

  // Reading the machine's counters takes a while, so it happens outside the jobs' steps.
  void sample() {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, std::chrono::duration<double>(p_.system_seconds), [&] { return stop_sampling_; })) {
      const auto jobs = jobs_;
      lock.unlock();
      std::exception_ptr failure;
      try {
        const auto values = machine_load();
        for (const auto& [name, run] : jobs) run->log().system(values);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      if (!failure) continue;
      failure_ = failure;
      return;
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
    const auto folder = settings_.folder.string(), sync = fmt::format("{} sync {}", called_as(), shell_word(folder));
    if (replay_ && logged_before_ > 0)
      say(fmt::format("{} job{} of this run were logged before, in {}", logged_before_, logged_before_ == 1 ? "" : "s", folder));
    if (!uploader_) {
      if (runs_ > 0) say(fmt::format("{} run{} in {}; to upload them: {}", runs_, runs_ == 1 ? "" : "s", folder, sync));
      return;
    }
    const auto left = uploader_->finish(p_.finish_seconds, [] { return stop_signal() != 0; });
    if (!left.empty()) {
      say(fmt::format("{} of {} runs are not completely uploaded; to continue: {}", left.size(), runs_, sync));
    } else if (runs_ > 0) {
      say(fmt::format("{} run{} uploaded -> {}", runs_, runs_ == 1 ? "" : "s", uploader_->project_page()));
    }
  }

  Params p_;
  wandb::Settings settings_;
  const Plan* plan_ = nullptr;
  fs::path directory_;
  ReportConfig report_config_;
  WandbOrigin origin_;
  std::set<std::string> done_before_;
  std::atomic<bool> interrupted_{false};  // a job of this run was
  bool active_ = false, quiet_ = false, finished_ = false, closed_ = false, replay_ = false;
  std::mutex mutex_;
  std::size_t runs_ = 0, pages_ = 0, logged_before_ = 0, left_out_ = 0;
  std::map<std::string, std::shared_ptr<WandbRun>> jobs_;                      // by folder; those in progress
  std::map<std::string, SavedCheckpoint> checkpoints_;                         // the newest of each job
  std::map<std::string, std::string> labels_;                                  // by log
  std::map<std::string, std::map<std::string, std::vector<double>>> results_;  // arm -> metric -> values of its jobs
  std::mutex machine_mutex_;
  std::unique_ptr<wandb::SystemMetrics> machine_;
  std::exception_ptr failure_;
  std::condition_variable wake_;
  bool stop_sampling_ = false;
  std::thread sampler_;
  std::unique_ptr<wandb::Uploader> uploader_;
};

YATLAB_REGISTER(Tracker, Wandb, "wandb", "Weights & Biases: run logs for `wandb sync`, live with WANDB_API_KEY");

}  // namespace yatlab

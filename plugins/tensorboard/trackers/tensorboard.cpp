#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/base/files.h"
#include "core/plan/plan.h"
#include "core/plan/tracker.h"
#include "core/record/job_history.h"
#include "core/record/tracker_folder.h"
#include "core/report/report.h"
#include "core/run/jobs_done_before.h"
#include "plugins/tensorboard/trackers/event_file.h"

namespace yatlab {
namespace {

using tensorboard::EventFile;

/// {"optimizer": {"lr": 0.1}} -> {"optimizer.lr": 0.1}
void flatten(const nlohmann::json& json, const std::string& prefix, std::map<std::string, nlohmann::json>& out) {
  for (const auto& [key, value] : json.items()) {
    const std::string name = prefix.empty() ? key : prefix + "." + key;
    if (value.is_object()) {
      flatten(value, name, out);
    } else if (!value.is_null()) {
      out[name] = value;
    }
  }
}

/// Arm and sweep point: common to jobs that differ only in their seed.
std::string group_of(const JobSpec& job) {
  std::string out = job.arm;
  for (const auto& [key, value] : job.params) out += fmt::format(" {}={}", key, value.to_flow());
  return out;
}

/// Event files that TensorBoard reads: scalars while a job runs, its configuration as hparams, the output of its analyses and, once the run has
/// been reported, figures as images and tables as text. They are beside the runs, not in them: TensorBoard follows links, and `latest`
/// would show every run twice. A job has one file, however it was stopped: missing rows are added from metrics.jsonl.
class TensorBoard final : public Tracker {
 public:
  struct Params {
    std::string directory;
    static void declare(Fields& f, Params& p) {
      f.field("directory", p.directory,
              "parent of <experiment>/<run>/, a folder below the working directory; empty: tensorboard/ in the results folder");
    }
  };
  explicit TensorBoard(const Params& p) : p_(p) {}

  void check() const override {
    check_tracker_folder(p_.directory, "event files are written to tensorboard/ in the results folder: results=FOLDER");
  }

  void on_run_start(const RunInfo& info) override {
    run_ = fs::absolute(info.directory).lexically_normal();
    const fs::path root = p_.directory.empty() ? run_.parent_path().parent_path() / "tensorboard" : fs::path(p_.directory);
    folder_ = root / run_.parent_path().filename() / run_.filename();
    replay_ = info.replay;
    require_writable_folder(folder_, "tracker tensorboard", "free some space there, or use a different results folder: results=FOLDER");
    remove_stale_temporaries(folder_);
    if (!replay_) done_before_ = jobs_done_before(info, "tensorboard");
  }

  void on_job_start(const JobSpec& job, const JobBeginning& beginning) override {
    // "jobs/yat/seed=0" -> "yat/seed=0"
    const auto folder = folder_ / fs::path(job.directory).lexically_relative("jobs");
    const bool owed = replay_ || !beginning.kept || done_before_.count(job.directory) == 0;
    if ((beginning.kept || replay_) && EventFile::is_finished(folder)) return;
    if (!owed) {
      ++left_out_;
      return;
    }
    auto file = std::make_shared<Job>(folder);
    {
      const std::lock_guard lock(mutex_);
      jobs_[job.directory] = std::move(file);
    }
    if (beginning.kept) show_kept(*this, job, run_);
  }
  std::size_t left_out() const override { return left_out_; }
  void on_resume(const JobSpec& job, std::int64_t step) override {
    with_file(job, [&](Job& file) {
      begin(job, file, step);
      file.step = step;
    });
  }
  void on_metrics(const JobSpec& job, const MetricRow& row) override {
    with_file(job, [&](Job& file) {
      begin(job, file, -1);
      file.step = row.step;
      file.events.scalars(row.step, row.metrics);
    });
  }
  void on_media(const JobSpec& job, const Media& media) override {
    with_file(job, [&](Job& file) {
      begin(job, file, -1);
      show(file.events, media);
    });
  }
  void on_job_finish(const JobSpec& job, JobState state, const Metrics& metrics, const std::string&) override {
    with_file(job, [&](Job& file) {
      begin(job, file, -1);
      if (state == JobState::kInterrupted) return;
      std::map<std::string, double> final;
      for (const auto& [name, value] : metrics) final["final/" + name] = value;
      file.events.scalars(file.step, final);
      file.events.finish(state == JobState::kCompleted);
    });
    const std::lock_guard all(mutex_);
    jobs_.erase(job.directory);
  }
  void on_report(const RunInfo&, const Report& report) override {
    if (report.media.empty()) return;
    EventFile::replace(folder_ / "report", [&](EventFile& events) {
      events.start_at(0);  // drops the output of an earlier report
      for (const auto& media : report.media) show(events, media);
    });
  }

 private:
  struct Job {
    explicit Job(const fs::path& folder) : events(folder) {}
    EventFile events;
    std::mutex mutex;
    std::int64_t step = 0;
    bool begun = false;
  };

  template <class Use>
  void with_file(const JobSpec& job, const Use& use) {
    std::shared_ptr<Job> file;
    {
      const std::lock_guard lock(mutex_);
      const auto found = jobs_.find(job.directory);
      if (found == jobs_.end()) return;
      file = found->second;
    }
    const std::lock_guard lock(file->mutex);
    use(*file);
  }

  // Only now is it known after which `step` the job resumes. Later rows of an earlier attempt are invalidated, and missing rows before it
  // are added, from the file's last row on, since several rows can have one step.
  void begin(const JobSpec& job, Job& file, std::int64_t step) const {
    if (std::exchange(file.begun, true)) return;
    const auto from = std::max<std::int64_t>(0, std::min(step + 1, file.events.last_step()));
    file.events.start_at(from);
    if (from == 0) {
      std::map<std::string, nlohmann::json> config;
      flatten(to_json(job.config), "", config);
      config.erase("seed");  // the group is the same for all seeds
      file.events.hparams(config, group_of(job));
    }
    if (step < 0) return;
    for_each_row(run_ / job.directory, [&](const MetricRow& row) {
      if (row.step >= from && row.step <= step) file.events.scalars(row.step, row.metrics);
    });
  }

  static void show(EventFile& events, const Media& media) {
    const auto step = std::max<std::int64_t>(0, media.step);
    if (const auto* image = std::get_if<Image>(&media.value)) events.image(media.name, image->png, step);
    if (const auto* histogram = std::get_if<Histogram>(&media.value)) events.histogram(media.name, *histogram, step);
    if (const auto* text = std::get_if<Markdown>(&media.value)) events.text(media.name, text->text, step);
    if (const auto* table = std::get_if<TableData>(&media.value)) events.text(media.name, to_markdown(*table), step);
  }

  Params p_;
  fs::path run_, folder_;
  bool replay_ = false;
  std::set<std::string> done_before_;
  std::atomic<std::size_t> left_out_{0};
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Job>> jobs_;
};

YATLAB_REGISTER(Tracker, TensorBoard, "tensorboard", "event files for TensorBoard");

}  // namespace
}  // namespace yatlab

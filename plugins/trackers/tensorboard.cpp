#include <fmt/format.h>

#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/experiment/plan.h"
#include "core/experiment/tracker.h"
#include "core/tensorboard/event_file.h"

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

/// Event files that TensorBoard reads (tensorboard --logdir results/...): scalars while a job runs, its configuration as hparams,
/// and, when the run has been reported, figures as images and tables as text.
class TensorBoard final : public Tracker {
 public:
  struct Params {
    std::string folder = "tensorboard";
    static void declare(Fields& f, Params& p) { f.field("folder", p.folder, "below the run's folder"); }
  };
  explicit TensorBoard(const Params& p) : p_(p) {}

  void on_run_start(const RunInfo& info) override { root_ = info.directory / p_.folder; }

  void on_job_start(const JobSpec& job, bool kept) override {
    if (kept) return;
    // "jobs/yat/seed=0" -> "yat/seed=0"
    const auto folder = root_ / fs::path(job.directory).lexically_relative("jobs");
    std::error_code none;
    const bool resumed = fs::exists(folder) && !fs::is_empty(folder, none);
    auto file = std::make_shared<Job>(folder);
    file->resumed = resumed;
    std::map<std::string, nlohmann::json> config;
    flatten(to_json(job.config), "", config);
    file->events.hparams(config, job.label());
    const std::lock_guard lock(mutex_);
    jobs_[job.directory] = std::move(file);
  }
  void on_metrics(const JobSpec& job, std::int64_t step, std::int64_t, const Metrics& metrics) override {
    const auto file = file_of(job);
    if (!file) return;
    const std::lock_guard lock(file->mutex);
    if (file->resumed) {
      file->events.restart_at(step);
      file->resumed = false;
    }
    file->step = step;
    file->events.scalars(step, metrics);
  }
  void on_job_finish(const JobSpec& job, JobState state, const Metrics& metrics, const std::string&) override {
    const auto file = file_of(job);
    if (!file) return;
    const std::lock_guard lock(file->mutex);
    if (state != JobState::kInterrupted) {
      std::map<std::string, double> final;
      for (const auto& [name, value] : metrics) final["final/" + name] = value;
      file->events.scalars(file->step, final);
      file->events.finish(state == JobState::kCompleted);
    }
    const std::lock_guard all(mutex_);
    jobs_.erase(job.directory);
  }
  void on_report(const RunInfo&, const Report& report) override {
    if (report.files.empty()) return;
    EventFile events(root_ / "report");
    for (const auto& file : report.files) {
      if (file.extension() == ".png") events.image("figures/" + file.stem().string(), read_file(file));
      if (file.extension() == ".md") events.text("tables/" + file.stem().string(), read_file(file));
    }
  }

 private:
  struct Job {
    explicit Job(const fs::path& folder) : events(folder) {}
    EventFile events;
    std::mutex mutex;
    std::int64_t step = 0;
    bool resumed = false;
  };
  std::shared_ptr<Job> file_of(const JobSpec& job) {
    const std::lock_guard lock(mutex_);
    const auto found = jobs_.find(job.directory);
    return found == jobs_.end() ? nullptr : found->second;
  }

  Params p_;
  fs::path root_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Job>> jobs_;
};

YATLAB_REGISTER(Tracker, TensorBoard, "tensorboard", "event files for TensorBoard");

}  // namespace
}  // namespace yatlab

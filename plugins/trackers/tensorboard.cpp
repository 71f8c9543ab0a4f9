#include <fmt/format.h>

#include <algorithm>
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

/// Arm and sweep point: what jobs that differ by their seed have in common.
std::string group_of(const JobSpec& job) {
  std::string out = job.arm;
  for (const auto& [key, value] : job.params) out += fmt::format(" {}={}", key, value.to_flow());
  return out;
}

/// Event files that TensorBoard reads: scalars while a job runs, its configuration as hparams, what its analyses show and, when the run has
/// been reported, figures as images and tables as text. They lie beside the runs and not in them: TensorBoard follows links, and `latest`
/// would show every run twice.
class TensorBoard final : public Tracker {
 public:
  struct Params {
    std::string directory;
    static void declare(Fields& f, Params& p) { f.field("directory", p.directory, "<experiment>/<run>/ goes below it; empty: tensorboard/ in the folder of the results"); }
  };
  explicit TensorBoard(const Params& p) : p_(p) {}

  void on_run_start(const RunInfo& info) override {
    const fs::path run = fs::absolute(info.directory).lexically_normal();
    const fs::path root = p_.directory.empty() ? run.parent_path().parent_path() / "tensorboard" : fs::path(p_.directory);
    folder_ = root / info.plan.name / run.filename();
    replay_ = info.replay;
  }

  void on_job_start(const JobSpec& job, const JobBeginning& beginning) override {
    if (beginning.kept) return;
    // "jobs/yat/seed=0" -> "yat/seed=0"
    const auto folder = folder_ / fs::path(job.directory).lexically_relative("jobs");
    if (replay_ && EventFile::is_finished(folder)) return;
    auto file = std::make_shared<Job>(folder);
    const std::lock_guard lock(mutex_);
    jobs_[job.directory] = std::move(file);
  }
  void on_resume(const JobSpec& job, std::int64_t step) override {
    with_file(job, [&](Job& file) {
      begin(job, file, step + 1);
      file.step = step;
    });
  }
  void on_metrics(const JobSpec& job, const MetricRow& row) override {
    with_file(job, [&](Job& file) {
      begin(job, file, 0);
      file.step = row.step;
      file.events.scalars(row.step, row.metrics);
    });
  }
  void on_media(const JobSpec& job, const Media& media) override {
    with_file(job, [&](Job& file) {
      begin(job, file, 0);
      show(file.events, media);
    });
  }
  void on_job_finish(const JobSpec& job, JobState state, const Metrics& metrics, const std::string&) override {
    with_file(job, [&](Job& file) {
      begin(job, file, 0);
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
    EventFile events(folder_ / "report");
    events.start_at(0);  // what an earlier report showed
    for (const auto& media : report.media) show(events, media);
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

  // Only now is it known where the job goes on from; whatever an earlier attempt logged from there on would stay beside the new rows.
  static void begin(const JobSpec& job, Job& file, std::int64_t from) {
    if (file.begun) return;
    file.begun = true;
    file.events.start_at(from);
    std::map<std::string, nlohmann::json> config;
    flatten(to_json(job.config), "", config);
    config.erase("seed");  // the group is the same for all seeds
    file.events.hparams(config, group_of(job));
  }

  static void show(EventFile& events, const Media& media) {
    const auto step = std::max<std::int64_t>(0, media.step);
    if (const auto* image = std::get_if<Image>(&media.value)) events.image(media.name, image->png, step);
    if (const auto* histogram = std::get_if<Histogram>(&media.value)) events.histogram(media.name, *histogram, step);
    if (const auto* text = std::get_if<Markdown>(&media.value)) events.text(media.name, text->text, step);
    if (const auto* table = std::get_if<TableData>(&media.value)) events.text(media.name, to_markdown(*table), step);
  }

  Params p_;
  fs::path folder_;
  bool replay_ = false;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Job>> jobs_;
};

YATLAB_REGISTER(Tracker, TensorBoard, "tensorboard", "event files for TensorBoard");

}  // namespace
}  // namespace yatlab

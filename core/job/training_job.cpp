#include <ATen/core/Tensor.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>

#include "core/base/error.h"
#include "core/base/failure.h"
#include "core/base/hash.h"
#include "core/base/json_text.h"
#include "core/base/output_file.h"
#include "core/job/check_training.h"
#include "core/job/job_files.h"
#include "core/job/loaded_data.h"
#include "core/measure/analysis.h"
#include "core/model/build_model.h"
#include "core/model/language_model.h"
#include "core/ops/stacked_operator.h"
#include "core/plan/component_lists.h"
#include "core/plan/job_spec.h"
#include "core/record/checkpoint_folders.h"
#include "core/record/job_history.h"
#include "core/system/freed_memory.h"
#include "core/train/device.h"
#include "core/train/optimizer.h"
#include "core/train/schedule.h"
#include "core/train/threads.h"
#include "core/train/trainer.h"
#include "core/train/training_stack.h"

namespace yatlab {
namespace {

/// Appends history to metrics.jsonl; can cut it back to where a checkpoint was made.
class History final : public TrainObserver {
 public:
  /// tokens_per_sample: unset where samples are not text.
  History(fs::path directory, std::optional<std::int64_t> tokens_per_sample, JobObserver& observer)
      : directory_(std::move(directory)), path_(directory_ / "metrics.jsonl"), tokens_per_sample_(tokens_per_sample), observer_(observer) {}

  void on_metrics(const TrainTime& at, const Metrics& metrics) override {
    MetricRow row{at.step, at.epoch, {}, metrics};
    if (tokens_per_sample_) row.tokens = at.samples * *tokens_per_sample_;
    const auto line = dump_json(to_json(row)) + '\n';
    sum_.update(line);
    pending_ += line;
    flush_if_due();
    observer_.on_metrics(row);
  }
  void on_resume(std::int64_t step) override { observer_.on_resume(step); }
  void on_checkpoint(std::int64_t step) override { observer_.on_checkpoint(step, checkpoint_folder(directory_ / "checkpoints", step)); }
  void on_progress(const Progress& progress) override {
    flush_if_due();
    observer_.on_progress(progress);
  }
  void on_notice(const std::string& text) override { observer_.on_notice(text); }
  HistoryMark mark_history() override {
    flush();
    out_.sync();  // the checkpoint that will name this position survives a power cut: so must what it counts
    return {static_cast<std::int64_t>(out_.size()), sum_.hex()};
  }
  bool rewind_history(const HistoryMark& mark) override {
    OutputFile out(path_, OutputFile::Mode::kAppend);
    const auto bytes = static_cast<std::uintmax_t>(mark.position);
    Hash sum;
    sum.update_from(path_, bytes);
    if (out.size() < bytes || (bytes > 0 && sum.hex() != mark.sha256)) return false;
    out.cut(bytes);
    out_ = std::move(out);
    sum_ = std::move(sum);
    pending_.clear();
    return true;
  }
  /// Writes pending rows. Throws if the file's rows are not the written ones: another process has changed it.
  void finish() {
    flush();
    if (is_there(path_) && sha256_file(path_) == sum_.hex()) return;
    throw Error(ErrorKind::kFile, "metrics.jsonl was changed while its job ran", path_.string(),
                "its rows are not the ones that the job wrote", "run the same command again to repeat the job");
  }
  void flush() {
    if (pending_.empty()) return;
    out_.write(pending_);
    pending_.clear();
    flushed_ = std::chrono::steady_clock::now();
  }

 private:
  /// Rows of a slow training are not kept back: the live page shows what the file has.
  void flush_if_due() {
    if (pending_.empty()) return;
    if (pending_.size() > kPending || std::chrono::steady_clock::now() - flushed_ > kKeptBack) flush();
  }

  fs::path directory_, path_;
  std::optional<std::int64_t> tokens_per_sample_;
  JobObserver& observer_;
  static constexpr std::size_t kPending = 1 << 13;
  static constexpr std::chrono::milliseconds kKeptBack{500};
  std::chrono::steady_clock::time_point flushed_ = std::chrono::steady_clock::now();
  OutputFile out_;
  Hash sum_;  // of all rows, those that are pending too
  std::string pending_;
};

/// Of ranks that write nothing.
class NullObserver final : public TrainObserver {
 public:
  void on_metrics(const TrainTime&, const Metrics&) override {}
  void on_progress(const Progress&) override {}
  bool rewind_history(const HistoryMark&) override { return true; }
};

Metrics performance_of(const TrainOutcome& outcome, const Architecture& model, const Dataset& dataset, const TrainerParams& params,
                       const ProcessGroup* group) {
  Metrics out;
  if (group) out["ranks"] = static_cast<double>(group->size());
  if (outcome.stack > 0) out["stack"] = static_cast<double>(outcome.stack);
  if (outcome.samples > 0 && outcome.seconds > 0) {
    const double rate = static_cast<double>(outcome.samples) / outcome.seconds;
    out["samples_per_s"] = rate;
    if (const auto* lm = dynamic_cast<const LanguageModel*>(&model)) {
      const auto context = dataset.input_shape().back();
      out["tokens_per_s"] = rate * static_cast<double>(context);
      if (params.peak_tflops) out["mfu"] = out["tokens_per_s"] * lm->training_flops_per_token(context) / (*params.peak_tflops * 1e12);
    }
  }
  out["diverged"] = outcome.state == TrainOutcome::State::kDiverged ? 1.0 : 0.0;
  out["steps"] = static_cast<double>(outcome.steps);
  struct rusage usage {};
  if (::getrusage(RUSAGE_SELF, &usage) == 0) out["peak_rss_bytes"] = 1024.0 * static_cast<double>(usage.ru_maxrss);
  return out;
}

/// The numbers of a member's operator, for its stack.
std::map<std::string, double> operator_numbers(const std::shared_ptr<Operator>& op, const Node& config) {
  std::map<std::string, double> out;
  if (!op) return out;
  for (const auto& name : stacked_parameters(*op)) out[name] = config.at("operator").at(name).as_double();
  return out;
}

/// Trains a model.
class TrainingJob final : public JobType {
 public:
  std::string name() const override { return "training"; }
  std::string activity() const override { return "training"; }
  std::vector<std::string> frozen_keys() const override {
    return {"operator", "normalizer", "architecture", "dataset", "task", "optimizer", "schedule"};
  }
  bool follows_trainer(const std::string&) const override { return true; }
  std::string source() const override { return "core/job/training_job.cpp"; }
  void complete(Node& experiment, const std::string& arm) const override {
    experiment.set("analyses", completed_list<Analysis>(experiment.at("analyses")));
    for (const char* key : {"architecture", "dataset"}) require_component(experiment, key, arm);
    if (!experiment.at("studies").as_list().empty()) {
      throw config_error(fmt::format("arm '{}' has both a dataset and studies", arm), experiment.at("studies").origin().describe(),
                         "studies measure components that are not trained", "use analyses, or remove the dataset");
    }
  }
  ArmNames check(ArmCheck& arm) const override { return check_training(arm); }
  JobResult run(const JobContext& context) const override;
};

}  // namespace

std::vector<MetricDoc> performance_docs() {
  return {MetricDoc("samples_per_s").called("samples a second").higher(),
          MetricDoc("tokens_per_s").called("tokens a second").higher(),
          MetricDoc("mfu").called("model FLOPs utilisation").higher().percent(),
          MetricDoc("diverged").called("diverged").lower(),
          MetricDoc("steps").called("steps").neither().as(NumberFormat::kInteger),
          MetricDoc("peak_rss_bytes").called("most memory of the process").in("bytes").lower().as(NumberFormat::kInteger),
          MetricDoc("ranks").neither().as(NumberFormat::kInteger),
          MetricDoc("stack").called("trainings in one stack").neither().as(NumberFormat::kInteger)};
}

const JobType& training_job() {
  static const TrainingJob type;
  return type;
}

JobResult TrainingJob::run(const JobContext& context) const {
  // References, not one binding of all: lambdas take these along.
  const JobSpec& job = context.job;
  const fs::path& directory = context.directory;
  DataCache& cache = context.data;
  JobObserver& observer = context.observer;
  const TrainsWith& with = context.with;
  const Node& config = job.config;
  const auto loaded = cache.get(config.at("dataset"));
  const LoadedData& data = *loaded;
  const auto params = read_params<TrainerParams>(config.at("trainer"));
  keep_freed_memory();
  set_compute_threads(static_cast<int>(params.threads));
  const at::Device device = with.join_group ? device_of_rank(params.device, with.local_rank, visible_gpus()) : device_of(params.device);
  const auto splits = in_component("trainer.device", params.device, [&] { return splits_on(data.splits, device); });
  const auto seed = static_cast<std::uint64_t>(job.seed);

  const auto make_builder = [&] {
    return ModelBuilder(config, data.dataset->input_shape(), data.dataset->num_classes(), seed, data.splits.at("train").inputs);
  };
  const ModelBuilder builder = make_builder();
  const auto model = builder.build();
  const auto name_of = [&](const char* kind) { return config.at(kind).at("name").as_string(); };
  if (builder.normalizer() && builder.normalizer()->needs_non_negative() && model->may_be_negative()) {
    throw config_error("this architecture's scores can be negative, which the normalizer does not support", "normalizer", {},
                       "use normalizer=softmax");
  }
  in_component("trainer.device", params.device, [&] { model->to(device); });
  const auto task = Registry<Task>::create(config.at("task"));
  task->set_normalizer(builder.normalizer());
  in_component("task", name_of("task"), [&] { task->observe(splits.at("train")); });
  check_analyses(job, {config.at("operator"), builder.op(), builder.normalizer(), model, task, {}, false, params}, cache);
  const auto optimizer = Registry<Optimizer>::create(config.at("optimizer"));
  optimizer->attach(model->parameters());
  const auto schedule = Registry<Schedule>::create(config.at("schedule"));

  const bool text = dynamic_cast<const LanguageModel*>(model.get()) != nullptr;
  History history(directory, text ? std::optional(data.dataset->input_shape().back()) : std::nullopt, observer);
  NullObserver unseen;
  const Trainer trainer(params, seed, directory / "checkpoints");
  std::function<TrainOutcome(TrainingLoop&)> together;
  if (with.slot) {
    together = [&](TrainingLoop& loop) {
      return with.slot->train({with.slot->place(), loop, *model, *task, make_builder, operator_numbers(builder.op(), config)});
    };
  }
  std::shared_ptr<ProcessGroup> group;
  TrainOutcome outcome;
  try {
    if (with.join_group) group = with.join_group(!model->fits_itself(), device);
    const bool leads = !group || group->rank() == 0;
    outcome = in_component("architecture", fmt::format("{}' with task '{}", name_of("architecture"), name_of("task")), [&] {
      return trainer.run(
          *model, *task, splits, *optimizer, *schedule, leads ? static_cast<TrainObserver&>(history) : unseen,
          [&] { return observer.wants_stop(); }, group.get(), together);
    });
    if (group) group->leave();
    if (!leads) return {outcome.state == TrainOutcome::State::kInterrupted ? JobState::kInterrupted : JobState::kCompleted, {}, {}};
  } catch (const ContactLost& lost) {
    return {lost.failed ? JobState::kFailed : JobState::kInterrupted, {}, lost.why};
  }
  history.finish();
  if (outcome.state == TrainOutcome::State::kInterrupted) return {JobState::kInterrupted, outcome.metrics, {}};

  const bool diverged = outcome.state == TrainOutcome::State::kDiverged;
  const auto state = diverged ? JobState::kDiverged : JobState::kCompleted;
  write_job_summary(directory, {job.hash, state, outcome.metrics, outcome.steps, outcome.why, dataset_use(*data.dataset)});
  return {state, outcome.metrics, outcome.why, performance_of(outcome, *model, *data.dataset, params, group.get())};
}

}  // namespace yatlab

#include <fmt/format.h>

#include "core/base/failure.h"
#include "core/base/json_text.h"
#include "core/experiment/trainer_params.h"
#include "core/job/job_files.h"
#include "core/job/loaded_data.h"
#include "core/measure/analysis.h"
#include "core/model/build_model.h"
#include "core/model/checkpoint.h"
#include "core/plan/check_arm.h"
#include "core/plan/job_spec.h"
#include "core/train/device.h"
#include "core/train/samples_trained_on.h"
#include "core/train/threads.h"

namespace yatlab {
namespace {

/// Analyses a trained model: rebuilds the training job's model with the parameters of its last checkpoint.
class AnalysisJob final : public JobType {
 public:
  std::string name() const override { return "analysis"; }
  std::string activity() const override { return "an analysis"; }
  std::vector<std::string> frozen_keys() const override { return {"analysis"}; }
  bool follows_trainer(const std::string& key) const override { return key == "threads" || key == "device" || key == "eval_batch_size"; }
  std::string source() const override { return "core/job/analysis_job.cpp"; }
  // Planned and checked with its training.
  void complete(Node&, const std::string&) const override {}
  ArmNames check(ArmCheck&) const override { return {}; }
  JobResult run(const JobContext& context) const override;
};

/// The result of the training.
struct Trained {
  std::int64_t steps = 0;
  bool diverged = false;
};

Trained trained_in(const fs::path& folder) {
  const auto summary = read_job_summary(folder);
  if (!summary || !summary->steps || !summary->state) {
    throw data_error(fmt::format("'{}' contains no finished training", folder.string()), {}, {},
                     "run that job first: its analyses need its results");
  }
  return {*summary->steps, summary->state == JobState::kDiverged};
}

}  // namespace

const JobType& analysis_job() {
  static const AnalysisJob type;
  return type;
}

JobResult AnalysisJob::run(const JobContext& context) const {
  const JobSpec& job = context.job;
  const fs::path& directory = context.directory;
  DataCache& cache = context.data;
  JobObserver& observer = context.observer;
  const fs::path training = directory / ".." / "..";
  const Node& spec = job.config.at("analysis");
  const Node& trainer = job.config.at("trainer");
  set_compute_threads(static_cast<int>(trainer.at("threads").as_int()));
  const at::Device device = device_of(trainer.at("device").as_string());
  const auto trained = trained_in(training);
  const auto analysis = Registry<Analysis>::create(spec);
  const auto data = cache.get(*job.dataset());
  Findings findings;
  std::vector<DatasetUse> others;
  if (!trained.diverged || analysis->of_diverged()) {
    const auto splits = splits_on(data->splits, device);
    const auto seed = static_cast<std::uint64_t>(job.seed);
    const ModelBuilder builder(job.trained, data->dataset->input_shape(), data->dataset->num_classes(), seed,
                               data->splits.at("train").inputs);
    const auto on_device = [&] {
      auto model = builder.build();
      model->to(device);
      return model;
    };
    const auto model = on_device();
    restore_model(*model, CheckpointStore(training / "checkpoints").load_model(trained.steps));
    model->eval();
    const auto task = Registry<Task>::create(job.trained.at("task"));
    task->set_normalizer(builder.normalizer());
    in_component("task", job.trained.at("task").at("name").as_string(), [&] { task->observe(splits.at("train")); });
    const auto looked_at = splits_in_tensors(splits);
    const auto seen = [&](std::int64_t most) {
      const auto& train = splits.at("train");
      auto samples = samples_trained_on(train.size(), read_params<TrainerParams>(job.trained.at("trainer")), seed, trained.steps);
      samples.resize(std::min(samples.size(), static_cast<std::size_t>(most)));
      return picked(train, samples);
    };
    const auto other_data = [&](const Node& dataset) {
      const auto other = cache.get(dataset);
      others.push_back(dataset_use(*other->dataset));
      return OtherData{other->dataset, splits_on(other->splits, device)};
    };
    const TrainedArm arm{*model,    on_device,
                         looked_at, *data->dataset,
                         *task,     builder.op(),
                         seed,      trainer.at("eval_batch_size").as_int(),
                         seen,      builder.normalizer(),
                         other_data};
    findings = in_component("analysis", spec.at("name").as_string(), [&] { return analysis->analyse(arm); });
  }
  std::string why;
  if (!findings.not_finite.empty()) {
    why = fmt::format("{}: {} at step {}", spec.at("name").as_string(), findings.not_finite, trained.steps);
    findings = {};
  }
  FoundSoFar found;
  keep_findings(findings, directory, found);
  show_media(std::move(found.media), trained.steps, directory, observer);
  const auto state = why.empty() ? JobState::kCompleted : JobState::kDiverged;
  write_job_summary(directory, {job.hash, state, found.metrics, {}, why, dataset_use(*data->dataset), {}, std::move(others)});
  return {state, found.metrics, why};
}

}  // namespace yatlab

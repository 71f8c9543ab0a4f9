#include <ATen/core/Tensor.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include "core/base/failure.h"
#include "core/base/hash.h"
#include "core/base/output_file.h"
#include "core/measure/analysis.h"
#include "core/experiment/check_training.h"
#include "core/experiment/component_lists.h"
#include "core/experiment/history.h"
#include "core/experiment/job_files.h"
#include "core/train/checkpoint.h"
#include "core/train/device.h"
#include "core/train/language_model.h"
#include "core/train/optimizer.h"
#include "core/train/schedule.h"
#include "core/train/threads.h"
#include "core/train/trainer.h"

namespace yatlab {
namespace {

/// Appends history to metrics.jsonl; can cut it back to where a checkpoint was made.
class History final : public TrainObserver {
 public:
  /// tokens_per_sample: unset where samples are no text.
  History(fs::path directory, std::optional<std::int64_t> tokens_per_sample, const JobHooks& hooks)
      : directory_(std::move(directory)), path_(directory_ / "metrics.jsonl"), tokens_per_sample_(tokens_per_sample), hooks_(hooks) {}

  void on_metrics(const TrainTime& at, const Metrics& metrics) override {
    MetricRow row{at.step, at.epoch, {}, metrics};
    if (tokens_per_sample_) row.tokens = at.samples * *tokens_per_sample_;
    const auto line = to_json(row).dump() + '\n';
    sum_.update(line);
    pending_ += line;
    if (pending_.size() > kPending) flush();
    if (hooks_.on_metrics) hooks_.on_metrics(row);
  }
  void on_resume(std::int64_t step) override {
    if (hooks_.on_resume) hooks_.on_resume(step);
  }
  void on_checkpoint(std::int64_t step) override {
    if (hooks_.on_checkpoint) hooks_.on_checkpoint(step, CheckpointStore(directory_ / "checkpoints").folder_of(step));
  }
  void on_progress(const Progress& progress) override {
    if (hooks_.on_progress) hooks_.on_progress(progress);
  }
  void on_notice(const std::string& text) override {
    if (hooks_.on_notice) hooks_.on_notice(text);
  }
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
  void flush() {
    if (pending_.empty()) return;
    out_.write(pending_);
    pending_.clear();
  }

 private:
  fs::path directory_, path_;
  std::optional<std::int64_t> tokens_per_sample_;
  const JobHooks& hooks_;
  static constexpr std::size_t kPending = 1 << 13;
  OutputFile out_;
  Hash sum_;  // of all rows, those that are pending too
  std::string pending_;
};

struct Builder {
  const Node& config;
  const Dataset& dataset;
  std::uint64_t seed;

  std::shared_ptr<Operator> op = optional_component<Operator>(config.at("operator"));
  std::shared_ptr<Normalizer> normalizer = optional_component<Normalizer>(config.at("normalizer"));

  std::string name(const char* kind) const { return config.at(kind).at("name").as_string(); }
  std::shared_ptr<Architecture> model() const {
    auto out = Registry<Architecture>::create(config.at("architecture"));
    BuildContext context;
    context.op = op;
    context.normalizer = normalizer;
    context.input_shape = dataset.input_shape();
    context.num_classes = dataset.num_classes();
    context.seed = seed;
    in_component("architecture", name("architecture"), [&] { out->build(context); });
    return out;
  }
};

/// Splits on the device that the job asks for. CPU data is shared, not copied; rows stay in their files, and batches of them are moved.
std::map<std::string, Split> on_device(const std::map<std::string, Split>& splits, const at::Device& device) {
  if (device.is_cpu()) return splits;
  std::map<std::string, Split> out;
  for (const auto& [name, split] : splits) out[name] = split.rows ? split : Split{split.inputs.to(device), split.targets.to(device)};
  return out;
}

Metrics performance_of(const TrainOutcome& outcome, const Architecture& model, const Dataset& dataset, const TrainerParams& params) {
  Metrics out;
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

/// Trains and analyses a model.
class TrainingJob final : public JobType {
 public:
  std::string name() const override { return "training"; }
  std::string activity() const override { return "training"; }
  std::vector<std::string> frozen_keys() const override {
    return {"operator", "normalizer", "architecture", "dataset", "task", "optimizer", "schedule", "analyses"};
  }
  bool follows_trainer(const std::string&) const override { return true; }
  std::string source() const override { return "core/experiment/training_job.cpp"; }
  void complete(Node& experiment, const std::string& arm) const override {
    experiment.set("analyses", completed_list<Analysis>(experiment.at("analyses")));
    for (const char* key : {"architecture", "dataset"}) require_component(experiment, key, arm);
    if (!experiment.at("studies").as_list().empty()) {
      throw config_error(fmt::format("arm '{}' has both a dataset and studies", arm), experiment.at("studies").origin().describe(),
                         "studies look at components with nothing trained", "use analyses, or take the dataset out");
    }
  }
  ArmNames check(ArmCheck& arm) const override { return check_training(arm); }
  JobResult run(const JobContext& context) const override;
};

}  // namespace

std::vector<std::string> performance_names() {
  return {"samples_per_s", "tokens_per_s", "mfu", "diverged", "steps", "peak_rss_bytes"};
}

const JobType& training_job() {
  static const TrainingJob type;
  return type;
}

JobResult TrainingJob::run(const JobContext& context) const {
  const auto& [job, directory, cache, hooks] = context;
  const Node& config = job.config;
  const auto loaded = cache.get(config.at("dataset"));
  const LoadedData& data = *loaded;
  const auto params = read_params<TrainerParams>(config.at("trainer"));
  set_compute_threads(static_cast<int>(params.threads));
  const at::Device device = device_of(params.device);
  const auto splits = in_component("trainer.device", params.device, [&] { return on_device(data.splits, device); });
  const auto seed = static_cast<std::uint64_t>(job.seed);

  const Builder builder{config, *data.dataset, seed};
  const auto model = builder.model();
  if (builder.normalizer && builder.normalizer->needs_non_negative() && model->may_be_negative()) {
    throw config_error("this architecture's scores can be negative, which the normalizer cannot take", "normalizer", {},
                       "use normalizer=softmax");
  }
  in_component("trainer.device", params.device, [&] { model->to(device); });
  const auto task = Registry<Task>::create(config.at("task"));
  task->set_normalizer(builder.normalizer);
  in_component("task", builder.name("task"), [&] { task->observe(splits.at("train")); });
  const auto optimizer = Registry<Optimizer>::create(config.at("optimizer"));
  optimizer->attach(model->parameters());
  const auto schedule = Registry<Schedule>::create(config.at("schedule"));

  const bool text = dynamic_cast<const LanguageModel*>(model.get()) != nullptr;
  History history(directory, text ? std::optional(data.dataset->input_shape().back()) : std::nullopt, hooks);
  const Trainer trainer(params, seed, directory / "checkpoints");
  auto outcome = in_component("architecture", fmt::format("{}' with task '{}", builder.name("architecture"), builder.name("task")), [&] {
    return trainer.run(*model, *task, splits, *optimizer, *schedule, history, hooks.stop);
  });
  history.flush();
  if (outcome.state == TrainOutcome::State::kInterrupted) return {JobState::kInterrupted, outcome.metrics, {}};

  const bool diverged = outcome.state == TrainOutcome::State::kDiverged;
  model->eval();
  auto looked_at = splits;  // analyses take tensors
  for (auto it = looked_at.begin(); it != looked_at.end();) it = it->second.rows ? looked_at.erase(it) : std::next(it);
  const TrainedArm arm{*model,
                       [&] {
                         auto fresh = builder.model();
                         fresh->to(device);
                         return fresh;
                       },
                       looked_at, *data.dataset, *task, builder.op, seed, params.eval_batch_size};
  FoundSoFar found;
  for (const auto& spec : config.at("analyses").as_list()) {
    const auto analysis = Registry<Analysis>::create(spec);
    if (diverged && !analysis->of_diverged()) continue;
    const auto findings = in_component("analysis", spec.at("name").as_string(), [&] { return analysis->analyse(arm); });
    keep_findings(findings, directory, found);
  }
  for (const auto& [name, value] : found.metrics) outcome.metrics[name] = value;
  show_media(std::move(found.media), outcome.steps, directory, hooks);

  auto summary = summary_head(job, diverged ? "diverged" : "completed", outcome.metrics);
  summary["steps"] = outcome.steps;
  if (diverged) summary["why"] = outcome.why;
  const auto& provenance = data.dataset->provenance();
  summary["dataset"] = {{"name", provenance.name}, {"sha256", provenance.sha256}, {"tier", provenance.tier}};
  summary["dataset"]["substituted_for"] = provenance.substituted_for.empty()
                                              ? nlohmann::ordered_json()
                                              : nlohmann::ordered_json(provenance.substituted_for);
  write_json(directory / "summary.json", summary);
  return {diverged ? JobState::kDiverged : JobState::kCompleted, outcome.metrics, outcome.why,
          performance_of(outcome, *model, *data.dataset, params)};
}

}  // namespace yatlab

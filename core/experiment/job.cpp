#include "core/experiment/job.h"

#include <ATen/core/Tensor.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/config/yaml.h"
#include "core/experiment/analysis.h"
#include "core/train/optimizer.h"
#include "core/train/schedule.h"
#include "core/train/threads.h"

namespace yatlab {
namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

void write_json(const fs::path& path, const nlohmann::ordered_json& json) {
  write_file_atomic(path, json.dump(2) + "\n");
}

/// JSON has no NaN or infinity: they travel as text.
nlohmann::ordered_json number(double value) {
  if (!std::isfinite(value)) return format_double(value);
  return value;
}
nlohmann::ordered_json metrics_json(const Metrics& metrics) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const auto& [name, value] : metrics) out[name] = number(value);
  return out;
}

/// Appends history to metrics.jsonl; can cut it back to where a checkpoint was made.
class History final : public TrainObserver {
 public:
  History(fs::path path, const JobHooks& hooks) : path_(std::move(path)), hooks_(hooks) {}

  void on_metrics(std::int64_t step, std::int64_t epoch, const Metrics& metrics) override {
    nlohmann::ordered_json row{{"step", step}, {"epoch", epoch}};
    for (const auto& [name, value] : metrics) row[name] = number(value);
    out_ << row.dump() << '\n';
    if (hooks_.on_metrics) hooks_.on_metrics(step, epoch, metrics);
  }
  void on_progress(const Progress& progress) override {
    if (hooks_.on_progress) hooks_.on_progress(progress);
  }
  std::int64_t history_position() override {
    flush();
    // The checkpoint that will name this position survives a power cut: so must what it counts.
    const int fd = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    const bool synced = fd >= 0 && ::fsync(fd) == 0;
    if (fd >= 0) ::close(fd);
    if (!synced) throw Error(ErrorKind::kJob, fmt::format("cannot write '{}'", path_.string()), {}, "is the disk full?");
    return static_cast<std::int64_t>(out_.tellp());
  }
  void rewind_history(std::int64_t position) override {
    if (!fs::exists(path_)) std::ofstream(path_, std::ios::binary);
    if (static_cast<std::int64_t>(fs::file_size(path_)) < position) {
      throw data_error(fmt::format("'{}' is shorter than its checkpoint says", path_.string()), {}, {},
                       "start afresh with --fresh");
    }
    fs::resize_file(path_, static_cast<std::uintmax_t>(position));
    out_.open(path_, std::ios::binary | std::ios::app);
    out_.seekp(0, std::ios::end);
  }
  void flush() {
    out_.flush();
    if (!out_) throw Error(ErrorKind::kJob, fmt::format("cannot write '{}'", path_.string()), {}, "is the disk full?");
  }

 private:
  fs::path path_;
  const JobHooks& hooks_;
  std::ofstream out_;
};

template <class T>
std::shared_ptr<T> optional_component(const Node& spec) {
  return spec.is_null() ? nullptr : Registry<T>::create(spec);
}

struct Builder {
  const Node& config;
  const Dataset& dataset;
  std::uint64_t seed;

  std::shared_ptr<Operator> op = optional_component<Operator>(config.at("operator"));
  std::shared_ptr<Normalizer> normalizer = optional_component<Normalizer>(config.at("normalizer"));

  std::shared_ptr<Architecture> model() const {
    auto out = Registry<Architecture>::create(config.at("architecture"));
    BuildContext context;
    context.op = op;
    context.normalizer = normalizer;
    context.input_shape = dataset.input_shape();
    context.num_classes = dataset.num_classes();
    context.seed = seed;
    out->build(context);
    return out;
  }
};

/// Splits on the device that the job asks for. CPU data is shared, not copied.
std::map<std::string, Split> on_device(const std::map<std::string, Split>& splits, const at::Device& device) {
  if (device.is_cpu()) return splits;
  std::map<std::string, Split> out;
  for (const auto& [name, split] : splits) out[name] = {split.inputs.to(device), split.targets.to(device)};
  return out;
}

at::Device device_of(const std::string& name) {
  try {
    return at::Device(name);
  } catch (const c10::Error&) {
    throw config_error(fmt::format("trainer.device: '{}' is not a device", name), {}, {}, "use cpu, cuda or cuda:0");
  }
}

/// What an earlier attempt left is worth nothing when it saw other data (a substitute then, the real
/// files today).
void forget_other_data(const fs::path& directory, const std::string& sha256) {
  std::string before;
  try {
    before = nlohmann::json::parse(read_file(directory / "status.json")).value("dataset_sha256", "");
  } catch (const std::exception&) {  // the first attempt
  }
  if (!before.empty() && before != sha256) fs::remove_all(directory);
}

/// Removes the temporary files of a process that was killed while it wrote. The run's lock says that
/// it is gone.
void remove_leftovers(const fs::path& directory) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(directory, ignored)) {
    if (entry.path().extension() == ".tmp") found.push_back(entry.path());
  }
  for (const auto& path : found) fs::remove(path, ignored);
}

JobResult train_and_analyse(const JobSpec& job, const fs::path& directory, const LoadedData& data, const JobHooks& hooks) {
  const Node& config = job.config;
  const auto params = read_params<TrainerParams>(config.at("trainer"));
  set_compute_threads(static_cast<int>(params.threads));
  const at::Device device = device_of(params.device);
  const auto splits = on_device(data.splits, device);
  const auto seed = static_cast<std::uint64_t>(job.seed);

  const Builder builder{config, *data.dataset, seed};
  const auto model = builder.model();
  if (builder.normalizer && builder.normalizer->needs_non_negative() && model->may_be_negative()) {
    throw config_error("this architecture's scores can be negative, which the normalizer cannot take", "normalizer", {},
                       "use normalizer=softmax");
  }
  model->to(device);
  const auto task = Registry<Task>::create(config.at("task"));
  task->set_normalizer(builder.normalizer);
  const auto optimizer = Registry<Optimizer>::create(config.at("optimizer"));
  optimizer->attach(model->parameters());
  const auto schedule = Registry<Schedule>::create(config.at("schedule"));

  History history(directory / "metrics.jsonl", hooks);
  const Trainer trainer(params, seed, directory / "checkpoints");
  auto outcome = trainer.run(*model, *task, splits, *optimizer, *schedule, history, hooks.stop);
  history.flush();
  if (outcome.state == TrainOutcome::State::kInterrupted) return {JobState::kInterrupted, outcome.metrics, {}};

  const bool diverged = outcome.state == TrainOutcome::State::kDiverged;
  if (!diverged) {
    model->eval();
    const TrainedArm arm{*model,
                         [&] {
                           auto fresh = builder.model();
                           fresh->to(device);
                           return fresh;
                         },
                         splits, *data.dataset, *task, builder.op, seed, params.eval_batch_size};
    for (const auto& spec : config.at("analyses").as_list()) {
      const auto findings = Registry<Analysis>::create(spec)->analyse(arm);
      for (const auto& [name, value] : findings.metrics) outcome.metrics[name] = value;
      for (const auto& [name, artifact] : findings.artifacts) {
        write_file_atomic(directory / "artifacts" / (name + ".json"), artifact.dump() + "\n");
      }
    }
  }

  const auto& provenance = data.dataset->provenance();
  nlohmann::ordered_json params_json = nlohmann::ordered_json::object();
  for (const auto& [key, value] : job.params) params_json[key] = to_json(value);
  nlohmann::ordered_json summary{{"schema", 1}, {"arm", job.arm}, {"seed", job.seed}, {"params", params_json},
                                 {"hash", job.hash}, {"status", diverged ? "diverged" : "completed"},
                                 {"steps", outcome.steps}, {"metrics", metrics_json(outcome.metrics)}};
  if (diverged) summary["why"] = outcome.why;
  summary["dataset"] = {{"name", provenance.name}, {"sha256", provenance.sha256}, {"tier", provenance.tier}};
  summary["dataset"]["substituted_for"] = provenance.substituted_for.empty()
                                              ? nlohmann::ordered_json()
                                              : nlohmann::ordered_json(provenance.substituted_for);
  write_json(directory / "summary.json", summary);
  return {diverged ? JobState::kDiverged : JobState::kCompleted, outcome.metrics, outcome.why};
}

}  // namespace

JobState recorded_state(const fs::path& directory) {
  try {
    const auto text = nlohmann::json::parse(read_file(directory / "status.json")).at("state").get<std::string>();
    for (auto state : {JobState::kRunning, JobState::kInterrupted, JobState::kCompleted, JobState::kDiverged, JobState::kFailed}) {
      if (text == to_string(state)) return state;
    }
  } catch (const std::exception&) {  // no status, or one that a crash left: the job is still to do
  }
  return JobState::kPlanned;
}

JobResult run_job(const JobSpec& job, const fs::path& directory, DataCache& data, const JobHooks& hooks) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  nlohmann::ordered_json status{{"state", "running"}, {"started", utc_now()}};
  JobResult result;
  try {
    const auto loaded = data.get(job.config.at("dataset"));
    const auto& sum = loaded->dataset->provenance().sha256;
    forget_other_data(directory, sum);
    remove_leftovers(directory);
    status["dataset_sha256"] = sum;
    fs::create_directories(directory);
    write_json(directory / "status.json", status);
    write_file_atomic(directory / "config.yaml", emit_yaml(job.config));
    result = train_and_analyse(job, directory, *loaded, hooks);
  } catch (const std::exception& e) {
    result = {JobState::kFailed, {}, e.what()};
  }
  status["state"] = to_string(result.state);
  status["finished"] = utc_now();
  status["wall_s"] = std::chrono::duration<double>(Clock::now() - begin).count();
  if (!result.why.empty()) status["error"] = result.why;
  try {
    write_json(directory / "status.json", status);
  } catch (const std::exception& e) {  // the job's own error, if any, says more
    if (result.state != JobState::kFailed) result = {JobState::kFailed, {}, e.what()};
  }
  return result;
}

}  // namespace yatlab

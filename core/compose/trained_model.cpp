#include "core/compose/trained_model.h"

#include <fmt/format.h>
#include <functional>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/model/build_model.h"
#include "core/model/checkpoint.h"
#include "core/model/gpt2_config.h"
#include "core/model/gpt2_weights.h"
#include "core/model/start_weights.h"
#include "core/record/job_file.h"
#include "core/record/job_status.h"
#include "core/record/job_summary.h"

namespace yatlab {
namespace {

constexpr const char* kModelFile = "model.safetensors";

bool is_trained_job(const fs::path& folder) { return is_job_folder(folder) && is_folder(folder / "checkpoints"); }

/// Drops the initial weights: their file may no longer exist.
void forget_start(Node& config) {
  if (Node* architecture = config.find("architecture")) {
    architecture->erase("weights");
    architecture->erase("weights_sha256");
  }
}

void take_job_file(const fs::path& folder, TrainedModel& out) {
  const auto file = read_job_file(folder);
  out.config = file.config;
  out.data = file.data;
  out.arm = file.arm;
  out.seed = file.seed;
  forget_start(out.config);
}

/// The number of steps of a completed training; nullopt for other jobs.
std::optional<std::int64_t> steps_trained(const fs::path& job) {
  if (recorded_state(job) != JobState::kCompleted) return std::nullopt;
  const auto summary = read_job_summary(job);
  return summary ? summary->steps : std::nullopt;
}

TrainedModel from_job(const fs::path& job) {
  TrainedModel out;
  out.folder = job;
  take_job_file(job, out);
  std::vector<std::string> problems;
  auto checkpoint = CheckpointStore(job / "checkpoints").load_latest(&problems);
  if (checkpoint && !problems.empty()) {  // recorded results belong to the last checkpoint
    throw data_error(fmt::format("the last checkpoint of '{}' is damaged", job.string()), {}, join(problems, "; "),
                     "run the experiment's command again: training continues from the undamaged checkpoint");
  }
  if (!checkpoint) {
    throw data_error(fmt::format("'{}' has no valid checkpoint", job.string()), {}, join(problems, "; "),
                     "train it first, or continue its training");
  }
  out.step = checkpoint->step;
  if (const auto steps = steps_trained(job); steps && *steps != out.step) {
    throw data_error(fmt::format("the last checkpoint of '{}' is missing", job.string()), {},
                     fmt::format("it was trained for {} steps, but its newest checkpoint is from step {}", *steps, out.step),
                     "run the experiment's command again: training continues from the newest checkpoint");
  }
  out.tensors = std::move(checkpoint->model);
  return out;
}

TrainedModel from_folder(const fs::path& folder) {
  TrainedModel out;
  out.folder = folder;
  const auto file = folder / kModelFile;
  if (is_job_folder(folder)) {
    out.from = TrainedModel::From::kExported;
    take_job_file(folder, out);
    out.tensors = read_weights(file);
    const auto metadata = load_safetensors(file).metadata;
    if (const auto it = metadata.find("step"); it != metadata.end() && !it->second.empty() && it->second.size() < 18 &&
                                               std::all_of(it->second.begin(), it->second.end(), is_digit)) {
      out.step = std::stoll(it->second);
    }
    return out;
  }
  out.from = TrainedModel::From::kPublished;
  const auto config_file = folder / "config.json";
  if (!is_there(config_file)) {
    throw data_error(fmt::format("the architecture of '{}' is not known", file.string()), {},
                     "there is neither a job.yaml nor a config.json in the same folder", "put the config.json of these weights there");
  }
  Gpt2Shape shape;
  out.tensors = import_gpt2(load_safetensors(file), &shape);
  const auto config_json = read_gpt2_config(config_file);
  check_gpt2_config(config_json, shape, config_file.string());
  if (!config_json.heads) throw data_error("there is no n_head", config_file.string(), {}, "put the config.json of these weights there");
  Node architecture = Node::map(), op = Node::map();
  architecture.set("name", "transformer");
  architecture.set("bias", true);
  op.set("name", "dot");
  out.config.set("operator", std::move(op));
  out.config.set("normalizer", Node());
  out.config.set("architecture", gpt2_architecture(std::move(architecture), config_json, shape, *config_json.heads));
  return out;
}

}  // namespace

fs::path trained_job_below(const fs::path& path) {
  if (is_trained_job(path)) return path;
  std::vector<std::string> found;
  const std::function<void(const fs::path&)> look = [&](const fs::path& folder) {
    for (const auto& entry : entries_if_there(folder)) {
      if (!is_folder(entry)) continue;
      if (is_trained_job(entry)) {
        found.push_back(entry.string());
      } else {
        look(entry);
      }
    }
  };
  look(path / "jobs");
  std::sort(found.begin(), found.end());
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    throw data_error(fmt::format("'{}' is neither a job with a checkpoint nor a run with one", path.string()), {}, {},
                     "give a folder like results/EXPERIMENT/latest/jobs/ARM/seed=0");
  }
  throw config_error(fmt::format("'{}' has {} trained jobs", path.string(), found.size()), "command line", {},
                     "choose one of them: " + join(found, ", "));
}

TrainedModel load_trained_model(const fs::path& path) {
  if (path.filename() == kModelFile && is_file(path)) return from_folder(path.has_parent_path() ? path.parent_path() : ".");
  if (is_file(path / kModelFile)) return from_folder(path);
  return from_job(trained_job_below(path));
}

std::shared_ptr<Architecture> TrainedModel::model(const std::vector<std::int64_t>& input_shape, std::int64_t classes) const {
  auto out = ModelBuilder(config, input_shape, classes, static_cast<std::uint64_t>(seed), no_samples(input_shape)).build();
  if (out->fits_itself()) {
    restore_model(*out, tensors);  // the size of its fitted state depends on the data
  } else {
    give_weights(*out, tensors, classes, folder.string());
  }
  out->eval();
  return out;
}

const at::Tensor* TrainedModel::tensor(const std::string& name) const {
  for (const auto& [key, tensor] : tensors) {
    if (key == name) return &tensor;
  }
  return nullptr;
}

}  // namespace yatlab

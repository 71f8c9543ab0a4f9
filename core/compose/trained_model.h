#pragma once

#include <memory>
#include <string>

#include "core/base/files.h"
#include "core/base/node.h"
#include "core/data/safetensors.h"
#include "core/model/architecture.h"

namespace yatlab {

/// The job with a checkpoint that `path` means: a job's folder, or a run's with one such job in it (links followed). Throws a data error when there is
/// none, a config error with the choices for several.
fs::path trained_job_below(const fs::path& path);

/// A model as a job left it, or as it lies in a folder: its config and its tensors. Needs no data.
struct TrainedModel {
  enum class From {
    kJob,       ///< a job's newest valid checkpoint
    kExported,  ///< a folder of `yatlab model export`: model.safetensors and job.yaml
    kPublished  ///< GPT-2's weights in a folder with config.json, as Hugging Face has them
  };
  From from = From::kJob;
  fs::path folder;
  Node
      config;  ///< frozen: operator, normalizer, architecture (not its `weights`: the tensors are there); of a job also dataset, task, trainer
  Node data;  ///< where the job looked for data (DataParams); null for published weights
  std::string arm;
  std::int64_t seed = 0, step = 0;
  NamedTensors tensors;  ///< under the architecture's names

  /// The model for samples of that shape and so many classes, with its tensors, in evaluation mode. Throws a data error that names the tensor which
  /// does not fit.
  std::shared_ptr<Architecture> model(const std::vector<std::int64_t>& input_shape, std::int64_t classes) const;
  const at::Tensor* tensor(const std::string& name) const;
};

/// `path`: what `trained_job_below` takes, a folder with model.safetensors, or that file. Throws data errors.
TrainedModel load_trained_model(const fs::path& path);

}  // namespace yatlab

#pragma once

#include <memory>
#include <string>

#include "core/base/files.h"
#include "core/base/node.h"
#include "core/data/safetensors.h"
#include "core/model/architecture.h"

namespace yatlab {

/// The job with a checkpoint at `path`: a job's folder, or a run's folder with one such job (links are followed). Throws a data error if there is
/// none, and a config error that lists the choices if there are several.
fs::path trained_job_below(const fs::path& path);

/// A model from a job's checkpoint or from a folder: its config and its tensors. It needs no data.
struct TrainedModel {
  enum class From {
    kJob,       ///< a job's newest valid checkpoint
    kExported,  ///< a folder of `yatlab model export`: model.safetensors and job.yaml
    kPublished  ///< GPT-2's weights in a folder with config.json, in Hugging Face's format
  };
  From from = From::kJob;
  fs::path folder;
  Node
      config;  ///< frozen: operator, normalizer, architecture (without `weights`: the tensors are loaded); for a job also dataset, task, trainer
  Node data;  ///< the job's settings for finding data (DataParams); null for published weights
  std::string arm;
  std::int64_t seed = 0, step = 0;
  NamedTensors tensors;  ///< under the architecture's names

  /// Builds the model for samples of that shape and that many classes, with its tensors, in evaluation mode. Throws a data error that names a tensor
  /// that does not fit.
  std::shared_ptr<Architecture> model(const std::vector<std::int64_t>& input_shape, std::int64_t classes) const;
  const at::Tensor* tensor(const std::string& name) const;
};

/// `path`: anything that `trained_job_below` accepts, a folder with model.safetensors, or that file. Throws data errors.
TrainedModel load_trained_model(const fs::path& path);

}  // namespace yatlab

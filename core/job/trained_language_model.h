#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/node.h"
#include "core/data/tokenizer.h"
#include "core/model/architecture.h"
#include "core/model/build_model.h"
#include "core/model/checkpoint.h"
#include "core/model/language_model.h"

namespace yatlab {

/// A language model saved by a job: its frozen config and its newest valid checkpoint. Needs no data.
struct TrainedLanguageModel {
  std::filesystem::path job;
  Node config;
  std::int64_t step = 0;
  std::int64_t context = 0;  ///< the longest text that it accepts, in tokens
  std::int64_t vocabulary = 0;
  std::shared_ptr<Architecture> model;  ///< in evaluation mode

  LanguageModel& language_model() const { return dynamic_cast<LanguageModel&>(*model); }
  /// The prepared tokenizer of its training data (also if a substitute replaced them). Throws when the vocabulary differs.
  std::shared_ptr<Tokenizer> tokenizer(const DataContext& context) const;
};

/// `path`: a job's folder, a run's with one job in it (links followed), or a folder with model.safetensors. Throws a data error without a job or a
/// checkpoint; a config error, with the choices, for several jobs; and a config error for jobs that trained no language model.
TrainedLanguageModel load_language_model(const std::filesystem::path& path);

/// Writes a job's folder with these weights (step 0) and this config, which `load_language_model` can read.
void save_language_model(const std::filesystem::path& job, const Node& config, const NamedTensors& tensors);

}  // namespace yatlab

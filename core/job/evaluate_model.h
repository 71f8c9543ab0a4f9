#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/compose/trained_model.h"
#include "core/data/tokenizer.h"
#include "core/experiment/trainer_params.h"
#include "core/job/loaded_data.h"
#include "core/model/text_scores.h"
#include "core/train/task.h"

namespace yatlab {

/// What to measure a model on: nodes as in a job's config.
struct EvaluationRequest {
  Node dataset, task;
  TrainerParams trainer;            ///< only `threads`, `device` and `eval_batch_size` are used
  std::vector<std::string> splits;  ///< empty: all but the training split
};

/// The results.
struct Evaluation {
  std::map<std::string, std::int64_t> samples;  ///< by split
  Metrics metrics;                              ///< "test/loss", ...: the task's, and those listed below
  std::vector<std::string> not_finite = {};     ///< where the model's scores are not finite: splits, or "text"; their metrics are NaN
  Provenance data;
};

/// The task's metrics of a trained model on each split, computed as during training: on the same data, threads and device they equal the recorded
/// numbers bit for bit. Adds `bits_per_byte` for language models (end-of-text tokens are predicted and have no bytes) and `ece`, the calibration
/// error in 15 bins, for classifiers. Throws config errors where data and model do not fit.
Evaluation evaluate_model(const TrainedModel& trained, const EvaluationRequest& request, DataCache& data, const DataContext& context);

/// The same for one text. A text longer than the model's context is cut into windows (core/model/text_scores.h). Metrics: "text/loss" per token,
/// "text/perplexity", "text/accuracy", "text/ece", "text/bits_per_byte" and "text/word_perplexity": exp(nats / words).
struct TextRequest {
  std::string text;
  std::size_t words = 0;    ///< the divisor for the word perplexity
  std::int64_t stride = 0;  ///< 0: the model's context
  TrainerParams trainer;
  Node tokenizer;  ///< null: the model's own
};
Evaluation evaluate_text(const TrainedModel& trained, const TextRequest& request, const DataContext& context);

/// The final metrics in a job's folder, or an exported one, and why it diverged; empty if it has none.
struct RecordedEnd {
  Metrics metrics = {};
  std::string why_diverged = {};
};
RecordedEnd recorded_end(const fs::path& folder);

}  // namespace yatlab

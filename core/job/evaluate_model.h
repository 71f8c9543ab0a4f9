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

/// What to measure a model on: nodes as a job's config has them.
struct EvaluationRequest {
  Node dataset, task;
  TrainerParams trainer;            ///< of which `threads`, `device` and `eval_batch_size` count
  std::vector<std::string> splits;  ///< empty: all but the training split
};

/// What came out.
struct Evaluation {
  std::map<std::string, std::int64_t> samples;  ///< of each split
  Metrics metrics;                              ///< "test/loss", ...: the task's, and those below
  std::vector<std::string> not_finite = {};  ///< where the model's scores are not finite numbers: splits, or "text"; metrics are NaN there
  Provenance data;
};

/// The task's metrics of a trained model on each split, computed as its training computes them: on the same data, threads and device they are the
/// recorded numbers, bit for bit. Besides these, `bits_per_byte` of language models (end-of-text tokens are predicted and have no bytes) and
/// `ece`, the calibration error in 15 bins, of classifiers. Config errors say where data and model do not fit.
Evaluation evaluate_model(const TrainedModel& trained, const EvaluationRequest& request, DataCache& data, const DataContext& context);

/// The same of one text, cut into windows (core/model/text_scores.h) where it is longer than the model's context: "text/loss" per token,
/// "text/perplexity", "text/accuracy", "text/ece", "text/bits_per_byte" and "text/word_perplexity": exp(nats / words).
struct TextRequest {
  std::string text;
  std::size_t words = 0;    ///< that nats are divided among for the word perplexity
  std::int64_t stride = 0;  ///< 0: the model's context
  TrainerParams trainer;
  Node tokenizer;  ///< null: the model's own
};
Evaluation evaluate_text(const TrainedModel& trained, const TextRequest& request, const DataContext& context);

/// The metrics that a job's folder, or an exported one, has of its end, and why it diverged; empty where it has none.
struct RecordedEnd {
  Metrics metrics = {};
  std::string why_diverged = {};
};
RecordedEnd recorded_end(const fs::path& folder);

}  // namespace yatlab

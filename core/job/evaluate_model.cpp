#include "core/job/evaluate_model.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/failure.h"
#include "core/base/json_number.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/job/job_files.h"
#include "core/job/trained_language_model.h"
#include "core/model/build_model.h"
#include "core/train/device.h"
#include "core/train/threads.h"

namespace yatlab {
namespace {

constexpr std::int64_t kCalibrationBins = 15;

/// The prepared tokenizer that made a data set's tokens for a model.
std::shared_ptr<Tokenizer> tokenizer_of(const TrainedModel& trained, const Node& dataset, const DataContext& context) {
  TrainedLanguageModel model;
  model.job = trained.folder;
  model.config = trained.config;
  model.config.set("dataset", dataset);
  const auto* const tokens = trained.tensor("tokens");
  model.vocabulary = tokens ? tokens->size(0) : 0;
  return model.tokenizer(context);
}

/// The number of bytes of every token; 0 for the end-of-text token.
Tensor bytes_of_tokens(const Tokenizer& tokenizer) {
  std::vector<std::int64_t> out;
  for (std::size_t token = 0; token < tokenizer.vocabulary(); ++token) {
    out.push_back(token == tokenizer.end_of_text() ? 0 : static_cast<std::int64_t>(tokenizer.decode({static_cast<Token>(token)}).size()));
  }
  return at::tensor(out);
}

double bits_per_byte(double nats, double bytes) { return nats / std::log(2.0) / bytes; }

/// Throws unless vocabulary and context of the data fit the language model, whose embeddings may have padding rows.
void check_tokens(const TrainedModel& trained, std::int64_t vocabulary, std::int64_t context, const std::string& data) {
  const auto* const tokens = trained.tensor("tokens");
  const auto* const positions = trained.tensor("positions");
  if (!tokens || !positions || tokens->dim() != 2 || positions->dim() != 2) return;
  const Node* const multiple = trained.config.find_path("architecture.vocabulary_multiple");
  const auto step = multiple ? multiple->as_int() : 1;
  if ((vocabulary + step - 1) / step * step != tokens->size(0)) {
    throw config_error(fmt::format("the model of '{}' has {} tokens, but the data '{}' has {}", trained.folder.string(), tokens->size(0),
                                   data, vocabulary),
                       "dataset", "they were made by a different tokenizer",
                       "evaluate it with its own tokenizer: dataset.tokenizer, or --text FILE");
  }
  if (context > positions->size(0)) {
    throw config_error(fmt::format("samples of {} tokens do not fit the model's context of {}", context, positions->size(0)),
                       "dataset.context", {}, fmt::format("set dataset.context={}", positions->size(0)));
  }
}

/// A classifier's calibration error, computed from the normalizer's weights.
double classifier_calibration(Architecture& model, const Normalizer* normalizer, const Split& split, std::int64_t batch) {
  const at::NoGradGuard no_grad;
  std::vector<Tensor> confidences, corrects;
  for (std::int64_t begin = 0; begin < split.size(); begin += batch) {
    const auto count = std::min(batch, split.size() - begin);
    const Tensor outputs = model.forward(split.inputs.narrow(0, begin, count));
    const Tensor weights = normalizer ? normalizer->normalize(outputs, -1) : at::softmax(outputs, -1);
    confidences.push_back(weights.amax(-1));
    corrects.push_back(outputs.argmax(-1).eq(split.targets.narrow(0, begin, count)));
  }
  return calibration_error(at::cat(confidences), at::cat(corrects), kCalibrationBins);
}

}  // namespace

Evaluation evaluate_model(const TrainedModel& trained, const EvaluationRequest& request, DataCache& cache, const DataContext& context) {
  set_compute_threads(static_cast<int>(request.trainer.threads));
  const at::Device device = device_of(request.trainer.device);
  const auto loaded = cache.get(request.dataset);
  auto& dataset = *loaded->dataset;
  const auto name = request.dataset.at("name").as_string();
  check_tokens(trained, dataset.num_classes(), dataset.input_shape().empty() ? 0 : dataset.input_shape().back(), name);
  std::shared_ptr<Architecture> model;
  try {
    model = trained.model(dataset.input_shape(), dataset.num_classes());
  } catch (const Error& e) {
    throw config_error(
        fmt::format("the model of '{}' does not fit the data '{}'", trained.folder.string(), name), "dataset", e.message(),
        fmt::format("the data has samples of shape [{}] and {} classes: use data with the shape that the model was trained on",
                    fmt::join(dataset.input_shape(), ", "), dataset.num_classes()));
  }
  in_component("trainer.device", request.trainer.device, [&] { model->to(device); });
  const auto normalizer = optional_component<Normalizer>(trained.config.at("normalizer"));
  const auto task = Registry<Task>::create(request.task);
  task->set_normalizer(normalizer);
  const auto splits = splits_on(loaded->splits, device);
  in_component("task", request.task.at("name").as_string(), [&] { task->observe(splits.at("train")); });

  auto names = request.splits;
  if (names.empty()) {
    for (const auto& [split, data] : splits) {
      if (split != "train") names.push_back(split);
    }
  }
  auto* const lm = dynamic_cast<LanguageModel*>(model.get());
  Tensor bytes;
  if (lm) bytes = bytes_of_tokens(*tokenizer_of(trained, request.dataset, context));
  Evaluation out;
  out.data = dataset.provenance();
  for (const auto& split : names) {
    const auto found = splits.find(split);
    if (found == splits.end()) {
      std::vector<std::string> there;
      for (const auto& [known, data] : splits) there.push_back(known);
      throw config_error(fmt::format("the data '{}' has no split '{}'", name, split), "--split", {}, suggestion(split, there));
    }
    const auto& data = found->second.in_tensors("evaluation (--split)");
    out.samples[split] = data.size();
    const auto measured = in_component("task", request.task.at("name").as_string(),
                                       [&] { return task->evaluate(*model, data, request.trainer.eval_batch_size); });
    for (const auto& [metric, value] : measured) out.metrics[split + "/" + metric] = value;
    if (task->not_finite(measured)) out.not_finite.push_back(split);
    if (lm && measured.count("loss")) {
      const Tensor targets = token_numbers(data.targets.to(at::kCPU)).flatten();
      const double of_text = bytes.index_select(0, targets).sum().item<double>();
      out.metrics[split + "/bits_per_byte"] = bits_per_byte(measured.at("loss") * static_cast<double>(targets.size(0)), of_text);
    } else if (request.task.at("name").as_string() == "classification") {
      out.metrics[split + "/ece"] = classifier_calibration(*model, normalizer.get(), data, request.trainer.eval_batch_size);
    }
  }
  return out;
}

Evaluation evaluate_text(const TrainedModel& trained, const TextRequest& request, const DataContext& context) {
  set_compute_threads(static_cast<int>(request.trainer.threads));
  const auto* const tokens = trained.tensor("tokens");
  const auto* const positions = trained.tensor("positions");
  if (!tokens || !positions) {
    throw config_error(fmt::format("the model of '{}' does not predict tokens", trained.folder.string()), "--text", {},
                       "only language models can be evaluated on text");
  }
  Node dataset = Node::map();
  if (!request.tokenizer.is_null()) dataset.set("tokenizer", request.tokenizer);
  if (const Node* const own = trained.config.find("dataset"); request.tokenizer.is_null() && own) dataset = *own;
  const auto tokenizer = tokenizer_of(trained, dataset, context);
  const auto vocabulary = static_cast<std::int64_t>(tokenizer->vocabulary());
  check_tokens(trained, vocabulary, 0, "text");
  const auto model = trained.model({positions->size(0)}, vocabulary);
  const at::Device device = device_of(request.trainer.device);
  in_component("trainer.device", request.trainer.device, [&] { model->to(device); });
  std::vector<Token> text;
  tokenizer->encode(request.text, text);
  WindowOptions o;
  o.context = positions->size(0);
  o.stride = request.stride > 0 ? request.stride : o.context;
  const auto scores = score_text(dynamic_cast<LanguageModel&>(*model), text, o);
  const auto n = static_cast<double>(scores.tokens);
  const auto bytes =
      static_cast<double>(request.text.size() - tokenizer->decode({text.front()}).size());  // the first token is not predicted
  Evaluation out;
  out.samples["text"] = scores.tokens;
  out.metrics = {{"text/loss", scores.nats / n},
                 {"text/perplexity", std::exp(scores.nats / n)},
                 {"text/bits_per_byte", bits_per_byte(scores.nats, bytes)},
                 {"text/accuracy", scores.accuracy},
                 {"text/ece", scores.ece}};
  if (!std::isfinite(scores.nats)) out.not_finite.emplace_back("text");
  if (request.words > 0) out.metrics["text/word_perplexity"] = std::exp(scores.nats / static_cast<double>(request.words));
  return out;
}

RecordedEnd recorded_end(const fs::path& folder) {
  const auto summary = read_job_summary(folder);
  if (!summary) return {};
  return {summary->metrics, summary->state == JobState::kDiverged ? summary->why : ""};
}

}  // namespace yatlab

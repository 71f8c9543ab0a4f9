#include "core/job/trained_language_model.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/base/failure.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/compose/job_type.h"
#include "core/compose/trained_model.h"
#include "core/data/locate.h"
#include "core/model/build_model.h"
#include "core/record/job_file.h"

namespace yatlab {
TrainedLanguageModel load_language_model(const fs::path& path) {
  auto trained = load_trained_model(path);
  TrainedLanguageModel out;
  out.job = trained.folder;
  out.config = std::move(trained.config);
  const auto not_one = [&](const std::string& why) {
    return config_error(fmt::format("'{}' is not a trained language model", out.job.string()), (out.job / "job.yaml").string(), why,
                        "only jobs with task=language_modeling can generate text");
  };
  const Node* const architecture = out.config.find("architecture");
  if (!architecture || architecture->is_null()) throw not_one("it has no architecture");
  out.model = Registry<Architecture>::create(*architecture);
  if (!dynamic_cast<LanguageModel*>(out.model.get())) {
    throw not_one(fmt::format("the architecture '{}' does not predict tokens", architecture->at("name").as_string()));
  }
  const auto rows = [&](const char* name) {
    const auto* const tensor = trained.tensor(name);
    if (!tensor || tensor->dim() != 2) throw not_one(fmt::format("its checkpoint has no matrix '{}'", name));
    return tensor->size(0);
  };
  out.step = trained.step;
  out.vocabulary = rows("tokens");
  out.context = rows("positions");
  trained.config = out.config;
  try {
    out.model = trained.model({out.context}, out.vocabulary);
  } catch (const Error& e) {
    throw data_error(fmt::format("the model in '{}' does not fit its config", out.job.string()), {}, e.message(),
                     "one of the two was changed, or comes from a different version");
  }
  return out;
}

std::shared_ptr<Tokenizer> TrainedLanguageModel::tokenizer(const DataContext& data) const {
  const Node* const given = config.find_path("dataset.tokenizer");
  // Generated text consists of bytes, also as a substitute for other data.
  const auto bytes = Registry<Tokenizer>::create("bytes");
  const Node* const multiple = config.find_path("architecture.vocabulary_multiple");  // some rows of the embeddings may be padding
  const std::int64_t each = multiple ? multiple->as_int() : 1;
  const std::int64_t rows = (static_cast<std::int64_t>(bytes->vocabulary()) + each - 1) / each * each;
  if (!given || given->is_null()) {
    if (rows == vocabulary) return bytes;
    throw config_error(fmt::format("the tokenizer of the training text of '{}' is not known", job.string()), (job / "job.yaml").string(),
                       {}, "its dataset has no tokenizer");
  }
  if (given->find("name") && given->at("name").as_string() != "bytes" && rows == vocabulary) {
    tell(data, fmt::format("'{}' has a vocabulary of {}: it was trained on the bytes of substitute data", job.string(), vocabulary));
    return bytes;
  }
  auto tokenizer = Registry<Tokenizer>::create(*given);
  tokenizer->prepare(data);
  if (static_cast<std::int64_t>(tokenizer->vocabulary()) > vocabulary) {
    throw config_error(
        fmt::format("the model of '{}' has {} tokens, but its tokenizer has {}", job.string(), vocabulary, tokenizer->vocabulary()),
        (job / "job.yaml").string());
  }
  return tokenizer;
}

void save_language_model(const fs::path& job, const Node& config, const NamedTensors& tensors) {
  if (is_folder(job) && !entries_of(job).empty()) {
    throw config_error(fmt::format("'{}' is not empty", job.string()), "command line", {}, "choose a different folder");
  }
  require_writable_folder(job, "command line", "choose a different folder");
  Checkpoint checkpoint;
  checkpoint.model = tensors;
  checkpoint.state = "{}\n";
  CheckpointStore(job / "checkpoints").save(checkpoint);
  JobFile file;
  file.type = training_job().name();
  file.arm = "imported";
  file.config = config;
  write_file_atomic(job / "job.yaml", to_yaml(file));
}

}  // namespace yatlab

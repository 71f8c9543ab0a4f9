#include "core/experiment/trained_language_model.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/failure.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/data/locate.h"
#include "core/experiment/job_type.h"
#include "core/train/build_model.h"

namespace yatlab {
namespace {

bool is_job(const fs::path& folder) {
  std::error_code ec;
  return is_job_folder(folder) && fs::is_directory(folder / "checkpoints", ec);
}

/// The job that `path` means.
fs::path job_below(const fs::path& path) {
  if (is_job(path)) return path;
  std::vector<std::string> found;
  std::error_code ec;
  for (fs::recursive_directory_iterator it(path / "jobs", ec), end; !ec && it != end; it.increment(ec)) {
    if (is_job(it->path())) found.push_back(it->path().string());
  }
  std::sort(found.begin(), found.end());
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    throw data_error(fmt::format("'{}' is no job with a checkpoint, nor a run with one", path.string()), {}, {},
                     "name a folder like results/EXPERIMENT/latest/jobs/ARM/seed=0");
  }
  throw config_error(fmt::format("'{}' has {} trained jobs", path.string(), found.size()), "command line", {},
                     "name one of them: " + join(found, ", "));
}

}  // namespace

TrainedLanguageModel load_language_model(const fs::path& path) {
  TrainedLanguageModel out;
  out.job = job_below(path);
  out.config = read_job_file(out.job).config;
  const auto not_one = [&](const std::string& why) {
    return config_error(fmt::format("'{}' trained no language model", out.job.string()), (out.job / "job.yaml").string(), why,
                        "only jobs with task=language_modeling can write text");
  };
  const Node* const architecture = out.config.find("architecture");
  if (!architecture || architecture->is_null()) throw not_one("it has no architecture");
  out.model = Registry<Architecture>::create(*architecture);
  if (!dynamic_cast<LanguageModel*>(out.model.get())) {
    throw not_one(fmt::format("the architecture '{}' does not predict tokens", architecture->at("name").as_string()));
  }

  std::vector<std::string> problems;
  const auto checkpoint = CheckpointStore(out.job / "checkpoints").load_latest(&problems);
  if (!checkpoint) {
    throw data_error(fmt::format("'{}' has no valid checkpoint", out.job.string()), {}, join(problems, "; "),
                     "train it first, or let it go on");
  }
  const std::map<std::string, Tensor> tensors(checkpoint->model.begin(), checkpoint->model.end());
  const auto rows = [&](const char* name) {
    const auto it = tensors.find(name);
    if (it == tensors.end() || it->second.dim() != 2) throw not_one(fmt::format("its checkpoint has no matrix '{}'", name));
    return it->second.size(0);
  };
  out.step = checkpoint->step;
  out.vocabulary = rows("tokens");
  out.context = rows("positions");
  out.model = ModelBuilder(out.config, {out.context}, out.vocabulary, 0).build();
  try {
    restore_model(*out.model, checkpoint->model);
  } catch (const Error& e) {
    throw data_error(fmt::format("the checkpoint of '{}' does not fit its config", out.job.string()), {}, e.message(),
                     "one of the two was changed, or comes from another version");
  }
  out.model->eval();
  return out;
}

std::shared_ptr<Tokenizer> TrainedLanguageModel::tokenizer(const DataContext& data) const {
  const Node* const given = config.find_path("dataset.tokenizer");
  // Generated text, also where it stood in for other data, consists of bytes.
  const auto bytes = Registry<Tokenizer>::create("bytes");
  if (!given || given->is_null()) {
    if (static_cast<std::int64_t>(bytes->vocabulary()) == vocabulary) return bytes;
    throw config_error(fmt::format("nothing says how the text of '{}' became tokens", job.string()), (job / "job.yaml").string(), {},
                       "its dataset has no tokenizer");
  }
  if (given->find("name") && given->at("name").as_string() != "bytes" && static_cast<std::int64_t>(bytes->vocabulary()) == vocabulary) {
    tell(data, fmt::format("'{}' has a vocabulary of {}: it was trained on a substitute's bytes", job.string(), vocabulary));
    return bytes;
  }
  auto tokenizer = Registry<Tokenizer>::create(*given);
  tokenizer->prepare(data);
  if (static_cast<std::int64_t>(tokenizer->vocabulary()) > vocabulary) {
    throw config_error(
        fmt::format("the model of '{}' knows {} tokens, its tokenizer {}", job.string(), vocabulary, tokenizer->vocabulary()),
        (job / "job.yaml").string());
  }
  return tokenizer;
}

void save_language_model(const fs::path& job, const Node& config, const NamedTensors& tensors) {
  std::error_code ec;
  if (fs::is_directory(job, ec) && !entries_of(job).empty()) {
    throw config_error(fmt::format("'{}' is not empty", job.string()), "command line", {}, "name another folder");
  }
  require_writable_folder(job, "command line", "name another folder");
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

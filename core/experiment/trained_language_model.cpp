#include "core/experiment/trained_language_model.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/failure.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/config/yaml.h"
#include "core/data/locate.h"
#include "core/experiment/job_files.h"

namespace yatlab {
namespace {

bool is_job(const fs::path& folder) {
  std::error_code ec;
  return fs::exists(folder / "config.yaml", ec) && !fs::exists(folder / "plan.json", ec) && fs::is_directory(folder / "checkpoints", ec);
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
  throw config_error(fmt::format("'{}' has {} trained jobs", path.string(), found.size()), "command line", {}, "name one of them: " + join(found, ", "));
}

}  // namespace

NamedTensors model_tensors(const Architecture& model) {
  NamedTensors out;
  for (const auto& p : model.named_parameters()) out.emplace_back(p.key(), p.value().detach());
  for (const auto& b : model.named_buffers()) out.emplace_back(b.key(), b.value());
  return out;
}

TrainedLanguageModel load_language_model(const fs::path& path) {
  TrainedLanguageModel out;
  out.job = job_below(path);
  out.config = load_yaml(out.job / "config.yaml");
  const auto not_one = [&](const std::string& why) {
    return config_error(fmt::format("'{}' trained no language model", out.job.string()), (out.job / "config.yaml").string(), why,
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
    throw data_error(fmt::format("'{}' has no valid checkpoint", out.job.string()), {}, join(problems, "; "), "train it first, or let it go on");
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
  BuildContext context;
  const auto component = [&](const char* key) {
    const Node* const node = out.config.find(key);
    return node ? *node : Node();
  };
  context.op = optional_component<Operator>(component("operator"));
  context.normalizer = optional_component<Normalizer>(component("normalizer"));
  context.input_shape = {out.context};
  context.num_classes = out.vocabulary;
  in_component("architecture", architecture->at("name").as_string(), [&] { out.model->build(context); });
  const at::NoGradGuard no_grad;
  for (auto [name, tensor] : model_tensors(*out.model)) {
    const auto it = tensors.find(name);
    if (it == tensors.end() || it->second.sizes() != tensor.sizes()) {
      throw data_error(fmt::format("the checkpoint of '{}' does not fit its config: '{}'", out.job.string(), name), {},
                       "one of the two was changed, or comes from another version");
    }
    tensor.copy_(it->second);
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
    throw config_error(fmt::format("nothing says how the text of '{}' became tokens", job.string()), (job / "config.yaml").string(), {},
                       "its dataset has no tokenizer");
  }
  if (given->find("name") && given->at("name").as_string() != "bytes" && static_cast<std::int64_t>(bytes->vocabulary()) == vocabulary) {
    tell(data, fmt::format("'{}' has a vocabulary of {}: it was trained on a substitute's bytes", job.string(), vocabulary));
    return bytes;
  }
  auto tokenizer = Registry<Tokenizer>::create(*given);
  tokenizer->prepare(data);
  if (static_cast<std::int64_t>(tokenizer->vocabulary()) > vocabulary) {
    throw config_error(fmt::format("the model of '{}' knows {} tokens, its tokenizer {}", job.string(), vocabulary, tokenizer->vocabulary()),
                       (job / "config.yaml").string());
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
  write_file_atomic(job / "config.yaml", emit_yaml(config));
}

}  // namespace yatlab

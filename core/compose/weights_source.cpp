#include "core/compose/weights_source.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/json_text.h"
#include "core/base/manifest.h"
#include "core/compose/trained_model.h"
#include "core/model/gpt2_config.h"
#include "core/record/checkpoint_folders.h"
#include "core/record/job_file.h"

namespace yatlab {
namespace {

/// Many points of a sweep start from the same file: it is hashed once as long as it does not change.
std::string sum_of_weights(const fs::path& file) {
  static std::mutex mutex;
  static std::map<std::tuple<std::string, std::uintmax_t, fs::file_time_type>, std::string> known;
  const auto key = std::make_tuple(file.string(), size_of_file(file), fs::last_write_time(file));
  const std::lock_guard lock(mutex);
  auto& sum = known[key];
  if (sum.empty()) sum = sha256_file(file);
  return sum;
}

/// A checkpoint's manifest records what was written.
void require_as_written(const fs::path& file) {
  const auto folder = file.parent_path();
  const auto name = file.filename().string();
  const auto files = files_of_manifest(folder);
  if (!files || !files->contains(name)) return;
  const auto damage = damage_of(folder, *files, [&](const std::string& other) { return other == name; });
  if (damage.empty()) return;
  throw data_error("a checkpoint is damaged", folder.string(), damage,
                   "choose a different checkpoint, or run its experiment's command again: training continues from the undamaged files");
}

/// Checks settings that tensor shapes do not show against the architecture: heads, from the job.yaml of the training job; for GPT-2's published
/// weights heads, activation and score scale, from the config.json beside them.
void check_stored_settings(const fs::path& file, const Node& architecture) {
  const Node* const heads = architecture.find("heads");
  if (!heads) return;
  fs::path source;
  const auto same = [&](const char* key, const std::string& theirs) {
    const Node* const ours = architecture.find_path(key);
    if (!ours || (ours->is_string() ? ours->as_string() : ours->to_flow()) == theirs) return;
    throw config_error(
        fmt::format("architecture.{} is {}, but the weights were trained with {}", key, ours->to_flow(), theirs), "architecture.weights",
        fmt::format("this is from '{}': with a different value the same weights would be a different model", source.string()),
        fmt::format("set architecture.{}={}", key, theirs));
  };
  const auto folder = file.parent_path();
  for (const auto& job : {folder, folder / ".." / ".."}) {
    if (!is_job_folder(job)) continue;
    source = (job / "job.yaml").lexically_normal();
    const auto config = read_job_file(job).config;
    if (const Node* const theirs = config.find_path("architecture.heads")) same("heads", theirs->to_flow());
    return;
  }
  source = folder / "config.json";
  if (!is_there(source)) return;
  const auto config_json = read_gpt2_config(source);
  if (config_json.heads) same("heads", fmt::format("{}", *config_json.heads));
  same("mlp.kind", config_json.exact_gelu ? "gelu" : "gelu_tanh");
  same("attention.scale", config_json.scaled_attention ? "sqrt" : "none");
}

}  // namespace

fs::path weights_file(const fs::path& named) {
  if (is_file(named)) return named;
  if (is_file(named / "model.safetensors")) return named / "model.safetensors";
  const auto job = trained_job_below(named);
  const auto saved = saved_checkpoints(job / "checkpoints");
  if (saved.empty())
    throw data_error(fmt::format("'{}' has no checkpoint", job.string()), {}, {}, "train it first, or continue its training");
  return checkpoint_folder(job / "checkpoints", saved.back()) / "model.safetensors";
}

void pin_weights(Node& frozen) {
  Node* const architecture = frozen.find("architecture");
  const Node* const named = architecture ? architecture->find("weights") : nullptr;
  if (!named || named->is_null()) return;
  if (!is_there(named->as_string())) {
    throw data_error(fmt::format("there is no file or folder '{}'", named->as_string()), named->origin().describe(), {},
                     "architecture.weights must be a .safetensors file, a folder with model.safetensors, or a trained job");
  }
  const auto file = fs::canonical(weights_file(named->as_string()));
  require_as_written(file);
  const auto sum = sum_of_weights(file);
  const Node* const given = architecture->find("weights_sha256");
  if (given && !given->is_null() && given->as_string() != sum) {
    throw data_error("the weights do not match architecture.weights_sha256", file.string(), fmt::format("their SHA-256 is {}", sum),
                     "give the right file, or remove architecture.weights_sha256");
  }
  check_stored_settings(file, *architecture);
  architecture->set("weights", Node(file.string()).set_origin(named->origin()));
  architecture->set("weights_sha256", Node(sum));
}

}  // namespace yatlab

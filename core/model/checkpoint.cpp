#include "core/model/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/json_text.h"
#include "core/base/manifest.h"
#include "core/data/safetensors.h"
#include "core/record/checkpoint_folders.h"

namespace yatlab {
namespace {

constexpr int kKept = 2;
constexpr const char* kFiles[] = {"model.safetensors", "optimizer.safetensors", "state.json"};

/// Step folders, newest first.
std::vector<fs::path> step_directories(const fs::path& root) {
  std::vector<fs::path> out;
  for (auto& path : entries_if_there(root)) {
    if (path.filename().string().rfind("step=", 0) == 0 && is_folder(path)) out.push_back(std::move(path));
  }
  std::sort(out.rbegin(), out.rend());
  return out;
}

Checkpoint load(const fs::path& directory) {
  const auto manifest = parse_json(read_json_text(directory / "manifest.json"));
  const auto& files = manifest.at("files");
  for (const char* name : kFiles) {
    if (!files.contains(name)) throw data_error(fmt::format("the manifest does not list {}", name));
  }
  if (const auto damage = damage_of(directory, files); !damage.empty()) throw data_error(damage);
  Checkpoint out;
  if (!manifest.at("step").is_number_integer()) throw data_error("the manifest has no step");
  out.step = manifest.at("step").get<std::int64_t>();
  out.model = load_safetensors(directory / "model.safetensors").tensors;
  out.optimizer = load_safetensors(directory / "optimizer.safetensors").tensors;
  out.state = read_file(directory / "state.json");
  out.passing = manifest.value("passing", false);
  return out;
}

bool is_passing(const fs::path& directory) {
  try {
    return parse_json(read_json_text(directory / "manifest.json")).value("passing", false);
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::kFile) throw;
    return true;
  } catch (const std::exception&) {
    return true;  // damaged: not worth keeping
  }
}

}  // namespace

void CheckpointStore::save(const Checkpoint& checkpoint) const {
  const fs::path directory = checkpoint_folder(directory_, checkpoint.step);
  remove_tree(directory / "manifest.json");  // while it is rewritten, the checkpoint is invalid
  make_folders(directory);
  // Files are hashed while they are written, not read again.
  nlohmann::ordered_json manifest{{"schema", 1}, {"step", checkpoint.step}}, files;
  files["model.safetensors"] = manifest_entry(save_safetensors(directory / "model.safetensors", checkpoint.model));
  files["optimizer.safetensors"] = manifest_entry(save_safetensors(directory / "optimizer.safetensors", checkpoint.optimizer));
  write_file_atomic(directory / "state.json", checkpoint.state);
  files["state.json"] = manifest_entry({checkpoint.state.size(), sha256(checkpoint.state)});
  if (checkpoint.passing) manifest["passing"] = true;
  manifest["files"] = std::move(files);
  write_file_atomic(directory / "manifest.json", dump_json(manifest, 2) + "\n");
  sync_directory(directory_);
  // Folders without a checkpoint, or with a later one from an abandoned attempt, must not push out good ones.
  int kept = 0, lasting = 0;
  for (const auto& other : step_directories(directory_)) {
    const bool usable = other <= directory && is_there(other / "manifest.json");
    const bool passing = usable && is_passing(other);
    bool keep = usable && kept < kKept && !(passing && lasting > 0);
    if (usable && !passing) keep = ++lasting <= kKept;
    kept += keep;
    if (!keep) remove_tree(other);
  }
}

std::optional<Checkpoint> CheckpointStore::load_latest(std::vector<std::string>* problems) const {
  for (const auto& directory : step_directories(directory_)) {
    if (!is_there(directory / "manifest.json")) continue;  // the process died while writing
    try {
      return load(directory);
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::kFile) throw;
      if (problems) problems->push_back(fmt::format("{}: {}", directory.string(), e.what()));
    } catch (const std::exception& e) {
      if (problems) problems->push_back(fmt::format("{}: {}", directory.string(), e.what()));
    }
  }
  return std::nullopt;
}

NamedTensors CheckpointStore::load_model(std::int64_t step) const {
  constexpr const char* kModel = "model.safetensors";
  const auto directory = checkpoint_folder(directory_, step);
  const auto unusable = [&](const std::string& why) {
    return data_error(fmt::format("there is no usable checkpoint of step {}", step), directory.string(), why, "train again with --fresh");
  };
  const auto files = files_of_manifest(directory);
  if (!files) throw unusable("its manifest cannot be read");
  if (!files->contains(kModel)) throw unusable("its manifest lists no model");
  const auto damage = damage_of(directory, *files, [&](const std::string& name) { return name == kModel; });
  if (!damage.empty()) throw unusable(damage);
  return load_safetensors(directory / kModel).tensors;
}

void CheckpointStore::remove_all() const { remove_tree(directory_); }

}  // namespace yatlab

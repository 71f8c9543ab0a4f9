#include "core/train/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/data/safetensors.h"

namespace yatlab {
namespace {

constexpr int kKept = 2;
constexpr const char* kFiles[] = {"model.safetensors", "optimizer.safetensors", "state.json"};

fs::path step_directory(const fs::path& root, std::int64_t step) {
  return root / fmt::format("step={:09}", step);
}

/// Step folders, newest first.
std::vector<fs::path> step_directories(const fs::path& root) {
  std::vector<fs::path> out;
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(root, ec)) {
    if (entry.is_directory() && entry.path().filename().string().rfind("step=", 0) == 0) {
      out.push_back(entry.path());
    }
  }
  std::sort(out.rbegin(), out.rend());
  return out;
}

Checkpoint load(const fs::path& directory) {
  const auto manifest = nlohmann::json::parse(read_file(directory / "manifest.json"));
  for (const char* name : kFiles) {
    const auto& entry = manifest.at("files").at(name);
    const fs::path file = directory / name;
    if (size_of_file(file) != entry.at("bytes").get<std::uintmax_t>() ||
        sha256_file(file) != entry.at("sha256").get<std::string>()) {
      throw data_error(fmt::format("'{}' is not what the manifest says", file.string()));
    }
  }
  Checkpoint out;
  out.step = manifest.at("step").get<std::int64_t>();
  out.model = load_safetensors(directory / "model.safetensors").tensors;
  out.optimizer = load_safetensors(directory / "optimizer.safetensors").tensors;
  out.state = read_file(directory / "state.json");
  return out;
}

}  // namespace

fs::path CheckpointStore::folder_of(std::int64_t step) const { return step_directory(directory_, step); }

std::vector<std::int64_t> CheckpointStore::saved() const {
  std::vector<std::int64_t> out;
  for (const auto& folder : step_directories(directory_)) {
    if (fs::exists(folder / "manifest.json")) out.push_back(std::stoll(folder.filename().string().substr(5)));
  }
  std::reverse(out.begin(), out.end());
  return out;
}

void CheckpointStore::save(const Checkpoint& checkpoint) const {
  const fs::path directory = step_directory(directory_, checkpoint.step);
  std::error_code ignored;
  fs::remove(directory / "manifest.json", ignored);  // a rewrite is invalid until it is whole
  make_folders(directory);
  save_safetensors(directory / "model.safetensors", checkpoint.model);
  save_safetensors(directory / "optimizer.safetensors", checkpoint.optimizer);
  write_file_atomic(directory / "state.json", checkpoint.state);
  nlohmann::ordered_json manifest{{"schema", 1}, {"step", checkpoint.step}};
  for (const char* name : kFiles) {
    manifest["files"][name] = {{"bytes", size_of_file(directory / name)},
                               {"sha256", sha256_file(directory / name)}};
  }
  write_file_atomic(directory / "manifest.json", manifest.dump(2) + "\n");
  sync_directory(directory_);
  // Folders that hold no checkpoint, or one of an attempt that this run has left behind, must not
  // push out good ones.
  int kept = 0;
  for (const auto& other : step_directories(directory_)) {
    const bool usable = other <= directory && fs::exists(other / "manifest.json");
    if (!usable || ++kept > kKept) fs::remove_all(other, ignored);
  }
}

std::optional<Checkpoint> CheckpointStore::load_latest(std::vector<std::string>* problems) const {
  for (const auto& directory : step_directories(directory_)) {
    try {
      return load(directory);
    } catch (const std::exception& e) {
      if (problems) problems->push_back(fmt::format("{}: {}", directory.string(), e.what()));
    }
  }
  return std::nullopt;
}

void CheckpointStore::remove_all() const {
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

}  // namespace yatlab

#include "core/record/checkpoint_folders.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/json_text.h"

namespace yatlab {
namespace {

using Json = nlohmann::ordered_json;

std::optional<std::int64_t> step_of(const std::string& name) {
  constexpr std::string_view kPrefix = "step=";
  if (name.rfind(kPrefix, 0) != 0) return std::nullopt;
  std::int64_t out = 0;
  const auto [end, ec] = std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), out);
  return ec == std::errc() && end == name.data() + name.size() ? std::optional<std::int64_t>(out) : std::nullopt;
}

}  // namespace

fs::path checkpoint_folder(const fs::path& checkpoints, std::int64_t step) { return checkpoints / fmt::format("step={:09}", step); }

std::vector<std::int64_t> saved_checkpoints(const fs::path& checkpoints) {
  std::vector<std::int64_t> out;
  for (const auto& path : entries_if_there(checkpoints)) {
    const auto step = step_of(path.filename().string());
    if (step && is_there(path / "manifest.json")) out.push_back(*step);
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> surplus_checkpoints(const fs::path& job, CheckpointRule rule) {
  std::vector<std::string> out;
  if (rule == CheckpointRule::kKeep) return out;
  std::optional<std::pair<std::int64_t, std::string>> last;
  for (const auto& path : entries_if_there(job / "checkpoints")) {
    const auto name = path.filename().string();
    const auto step = step_of(name);
    if (!step) continue;
    const bool whole = is_there(path / "manifest.json");
    if (rule == CheckpointRule::kKeepLast && whole && (!last || *step > last->first)) last = {*step, name};
    out.push_back(name);
  }
  if (last) out.erase(std::remove(out.begin(), out.end(), last->second), out.end());
  std::sort(out.begin(), out.end());
  return out;
}

void remove_surplus_checkpoints(const fs::path& job, CheckpointRule rule) {
  const auto surplus = surplus_checkpoints(job, rule);
  if (surplus.empty()) return;
  const fs::path path = job / "manifest.json";
  auto manifest = parse_ordered_json(read_json_text(path), false);
  if (!manifest.is_object() || !manifest.contains("files") || !manifest["files"].is_object()) {
    throw data_error("checkpoints are kept: the job's manifest cannot be read", path.string(), {},
                     "run the run's command again: it repeats the job");
  }
  Json files = Json::object();
  for (const auto& [name, entry] : manifest["files"].items()) {
    const bool goes = std::any_of(surplus.begin(), surplus.end(),
                                  [&, &file = name](const std::string& c) { return file.rfind("checkpoints/" + c + "/", 0) == 0; });
    if (!goes) files[name] = entry;
  }
  if (files != manifest["files"]) {
    manifest["files"] = std::move(files);
    write_file_atomic(path, dump_json_replacing(manifest, 2) + "\n");
  }
  for (const auto& name : surplus) remove_tree(job / "checkpoints" / name);
  std::error_code ec;
  if (fs::is_empty(job / "checkpoints", ec) && !ec) remove_tree(job / "checkpoints");
}

}  // namespace yatlab

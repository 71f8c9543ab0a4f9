#include "core/base/manifest.h"
#include "core/base/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/hash.h"

namespace yatlab {
namespace {

constexpr const char* kManifest = "manifest.json";
constexpr const char* kSeal = "sha256";

// Foreign messages may be invalid UTF-8.
std::string text_of(const nlohmann::ordered_json& object) { return dump_json_replacing(object, 2) + "\n"; }

}  // namespace

nlohmann::ordered_json manifest_of(const fs::path& folder, const std::vector<std::string>& names) {
  auto out = nlohmann::ordered_json::object();
  for (const auto& name : names) out[name] = manifest_entry({size_of_file(folder / name), sha256_file(folder / name)});
  return out;
}

nlohmann::ordered_json manifest_entry(const FileSum& sum) { return {{"bytes", sum.bytes}, {"sha256", sum.sha256}}; }

std::string damage_of(const fs::path& folder, const nlohmann::json& manifest, const std::function<bool(const std::string&)>& wanted) {
  if (!manifest.is_object() || manifest.empty()) return "the manifest lists no files";
  for (const auto& [name, entry] : manifest.items()) {
    if (wanted && !wanted(name)) continue;
    try {
      if (!entry.at("bytes").is_number_unsigned()) return "the manifest has no valid entry for " + name;
      const auto bytes = entry.at("bytes").get<std::uintmax_t>();
      const auto found = size_of_file(folder / name);
      if (found != bytes) return fmt::format("{} has {} bytes, not {}", name, found, bytes);
      if (sha256_file(folder / name) != entry.at("sha256").get<std::string>()) return name + " has changed since it was written (sha256)";
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::kFile) throw;
      return fmt::format("{}: {}", name, e.why().empty() ? e.message() : e.why());
    } catch (const nlohmann::json::exception&) {
      return "the manifest has no valid entry for " + name;
    }
  }
  return {};
}

std::optional<nlohmann::json> files_of_manifest(const fs::path& folder) {
  const auto path = folder / kManifest;
  if (!is_there(path)) return std::nullopt;
  try {
    auto manifest = parse_json(read_json_text(path), false);
    if (!manifest.is_object() || !manifest.contains("files") || !manifest.at("files").is_object()) return std::nullopt;
    return std::move(manifest.at("files"));
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::kFile) throw;
    return std::nullopt;
  }
}

std::string damage_in(const fs::path& folder, const std::function<bool(const std::string&)>& wanted) {
  if (!is_there(folder / kManifest)) return {};
  const auto files = files_of_manifest(folder);
  return files ? damage_of(folder, *files, wanted) : fmt::format("{} cannot be read", kManifest);
}

std::vector<std::string> files_below(const fs::path& folder) {
  std::vector<std::string> out;
  std::vector<fs::path> folders{folder};
  while (!folders.empty()) {
    const auto at = std::move(folders.back());
    folders.pop_back();
    for (auto& path : entries_of(at)) {
      const auto kind = kind_of(path);
      if (kind == PathKind::kFolder && !fs::is_symlink(path)) {
        folders.push_back(std::move(path));
      } else if (kind == PathKind::kFile && path.extension() != ".tmp") {
        out.push_back(path.lexically_relative(folder).generic_string());
      }
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string sealed(const nlohmann::ordered_json& object) {
  auto out = object;
  out[kSeal] = sha256(text_of(object));
  return text_of(out);
}

std::optional<nlohmann::ordered_json> unsealed(const std::string& text) {
  auto out = parse_ordered_json(text, false);
  if (!out.is_object() || !out.contains(kSeal) || !out[kSeal].is_string()) return std::nullopt;
  const auto sum = out[kSeal].get<std::string>();
  out.erase(kSeal);
  if (sha256(text_of(out)) != sum) return std::nullopt;
  return out;
}

}  // namespace yatlab

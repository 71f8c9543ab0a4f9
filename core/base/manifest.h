#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/files.h"

namespace yatlab {

/// Size and hash of a file.
struct FileSum {
  std::uintmax_t bytes = 0;
  std::string sha256;  ///< in hexadecimal
};

/// The sizes and SHA-256 of files below `folder`: {"name": {"bytes": n, "sha256": "..."}}.
nlohmann::ordered_json manifest_of(const fs::path& folder, const std::vector<std::string>& names);

/// The manifest entry of one file.
nlohmann::ordered_json manifest_entry(const FileSum& sum);

/// How the files below `folder` differ from such a manifest; "" if they match. `wanted` selects the files to check; all, if unset.
/// Throws a file error if the system refuses a file, which says nothing about its contents.
std::string damage_of(const fs::path& folder, const nlohmann::json& manifest,
                      const std::function<bool(const std::string& name)>& wanted = {});

/// The same for the folder's own manifest.json; "" if there is none.
std::string damage_in(const fs::path& folder, const std::function<bool(const std::string& name)>& wanted = {});
/// The files in a folder's manifest.json; nullopt if it is missing or unreadable.
std::optional<nlohmann::json> files_of_manifest(const fs::path& folder);

/// All regular files below `folder` as sorted relative names with '/', except temporary ones ("*.tmp").
std::vector<std::string> files_below(const fs::path& folder);

/// JSON text whose last entry, "sha256", is the hash of the text without it.
std::string sealed(const nlohmann::ordered_json& object);
/// The object of such a text; nullopt if the text was changed.
std::optional<nlohmann::ordered_json> unsealed(const std::string& text);

}  // namespace yatlab

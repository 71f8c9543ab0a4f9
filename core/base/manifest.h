#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/files.h"

namespace yatlab {

/// What a file holds, in short.
struct FileSum {
  std::uintmax_t bytes = 0;
  std::string sha256;  ///< in hexadecimal
};

/// The sizes and SHA-256 of files below `folder`: {"name": {"bytes": n, "sha256": "..."}}.
nlohmann::ordered_json manifest_of(const fs::path& folder, const std::vector<std::string>& names);

/// What it says of one file.
nlohmann::ordered_json manifest_entry(const FileSum& sum);

/// How the files below `folder` differ from such a manifest; "" when they do not. `wanted` chooses those that are looked at; all, if unset.
/// Throws a file error when the system refuses a file: that says nothing about what is in it.
std::string damage_of(const fs::path& folder, const nlohmann::json& manifest,
                      const std::function<bool(const std::string& name)>& wanted = {});

/// The same by the manifest.json of the folder itself; "" where there is none.
std::string damage_in(const fs::path& folder, const std::function<bool(const std::string& name)>& wanted = {});
/// The files that the manifest.json of a folder names; nothing where there is none, or where it cannot be read.
std::optional<nlohmann::json> files_of_manifest(const fs::path& folder);

/// All regular files below `folder`, as relative names with '/', in order; temporary ones ("*.tmp") are none.
std::vector<std::string> files_below(const fs::path& folder);

/// JSON text whose last entry, "sha256", is that of the text without it.
std::string sealed(const nlohmann::ordered_json& object);
/// The object of such a text; nothing when it is another text than was sealed.
std::optional<nlohmann::ordered_json> unsealed(const std::string& text);

}  // namespace yatlab

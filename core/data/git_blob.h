#pragma once

#include <filesystem>
#include <string>

namespace yatlab {

/// The id that git gives to the content of a file: what `git hash-object FILE` prints (SHA-1, 40 hexadecimal
/// digits). For data sets whose only published identity is a blob in a git repository.
std::string git_blob_id(const std::filesystem::path& path);

}  // namespace yatlab

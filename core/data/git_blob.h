#pragma once

#include <filesystem>
#include <string>

namespace yatlab {

/// The Git id of a file's content, as `git hash-object FILE` prints it (SHA-1, 40 hexadecimal
/// digits). For datasets whose only published checksum is a blob in a Git repository.
std::string git_blob_id(const std::filesystem::path& path);

}  // namespace yatlab

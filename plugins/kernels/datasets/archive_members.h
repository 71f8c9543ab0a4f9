#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace yatlab {

using ArchiveMember = std::function<void(const std::string& name, std::string_view bytes)>;

/// Calls `member` with the name and the bytes of every file in a zip archive, in the archive's order. Data error if it is not a zip archive, is
/// damaged, or unpacks to more than 200 times its size.
void each_zip_member(const std::filesystem::path& path, const ArchiveMember& member);

/// The same for a tar archive, plain or compressed by gzip.
void each_tar_member(const std::filesystem::path& path, const ArchiveMember& member);

}  // namespace yatlab

#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace yatlab {

/// Calls `member` with the name and the bytes of every file in a zip archive, in the archive's order. Data error where it is none, is damaged, or
/// unpacks to more than 200 times its size.
void each_zip_member(const std::filesystem::path& path, const std::function<void(const std::string& name, std::string_view bytes)>& member);

}  // namespace yatlab

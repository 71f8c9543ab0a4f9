#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace yatlab {

namespace fs = std::filesystem;

/// The whole file. Throws a data error naming the file and the system's reason.
std::string read_file(const fs::path& path);

/// Writes so that a crash at any moment leaves either the old file or the new one, whole: a
/// temporary file in the same folder, fsync, rename, fsync of the folder. Creates missing folders.
void write_file_atomic(const fs::path& path, std::string_view bytes);

/// Appends one line in a single write(2), so that concurrent readers never see half of it.
void append_line(const fs::path& path, std::string_view line);

/// fsync of a folder: makes renames and creations in it durable.
void sync_directory(const fs::path& directory);

/// Points `link` at `target` (relative), replacing what was there, in one step.
void replace_symlink(const fs::path& target, const fs::path& link);

/// Replaces characters that a file name cannot hold on common systems ("fig:a/b" -> "fig_a_b").
std::string safe_file_name(std::string_view name);

}  // namespace yatlab

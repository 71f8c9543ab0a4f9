#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace yatlab {

namespace fs = std::filesystem;

/// Throws what the system said (`code`, else errno) of an attempt to `verb` a file: a data error when it is not there or, to be read,
/// is a folder or no name at all; else a file error, which says nothing about what the file holds.
[[noreturn]] void throw_file_error(const char* verb, const fs::path& path);
[[noreturn]] void throw_file_error(const char* verb, const fs::path& path, int code);

/// Beside `path`, the name under which it is made until it is whole: `.NAME.PROCESS.NUMBER.tmp`, which no other process or thread takes.
/// The process is in it, so that what a dead one left is known: `remove_stale_temporaries`.
fs::path temporary_name(const fs::path& path);

/// What a path leads to, links followed. That nothing is or can be there is an answer; whatever else the system refuses is a file error,
/// so that nothing is taken for missing that only could not be looked at.
enum class PathKind { kNothing, kFile, kFolder, kOther };
PathKind kind_of(const fs::path& path);
inline bool is_there(const fs::path& path) { return kind_of(path) != PathKind::kNothing; }
inline bool is_file(const fs::path& path) { return kind_of(path) == PathKind::kFile; }
inline bool is_folder(const fs::path& path) { return kind_of(path) == PathKind::kFolder; }

/// The whole file. Throws a data or file error naming the file and the system's reason (throw_file_error).
std::string read_file(const fs::path& path);

/// Calls `use` for each line, without its end, until it returns false. The file is never held as a whole. Throws as read_file does.
void read_lines(const fs::path& path, const std::function<bool(const std::string& line)>& use);

/// Writes so that a crash at any moment leaves either the old file or the new one, whole: a
/// temporary file in the same folder, fsync, rename, fsync of the folder. Creates missing folders.
void write_file_atomic(const fs::path& path, std::string_view bytes);

/// The same for what can be made again: readers see the old file or the new one, but a power cut may leave neither. Thousands of files take
/// milliseconds instead of minutes.
void write_file_unsynced(const fs::path& path, std::string_view bytes);

/// Appends one line in a single write(2), so that concurrent readers never see half of it.
void append_line(const fs::path& path, std::string_view line);

/// fsync of a folder: makes renames and creations in it durable.
void sync_directory(const fs::path& directory);

/// Points `link` at `target` (relative), replacing what was there, in one step.
void replace_symlink(const fs::path& target, const fs::path& link);

/// Makes a folder and those above it, if they are not there. These and the following throw errors that name the path and the
/// system's reason.
void make_folders(const fs::path& folder);
/// Makes one folder, whose parent is there; false when the name is taken.
bool make_folder(const fs::path& folder);
/// Removes a file, or a folder with everything in it; nothing when it is not there.
void remove_tree(const fs::path& path);
/// Gives a file or folder another name in the same file system. An empty folder, or a file, of that name is replaced.
void rename_path(const fs::path& from, const fs::path& to);
/// Copies a file, or a folder with everything in it to a name that is free; links are followed.
void copy_tree(const fs::path& from, const fs::path& to);
/// Removes what processes that are gone had begun to write below a folder: files and folders with a `temporary_name`. What cannot be
/// removed stays.
void remove_stale_temporaries(const fs::path& folder);
/// Bytes of a file.
std::uintmax_t size_of_file(const fs::path& path);
/// Cuts a file (or fills it with zeros) to so many bytes.
void set_file_size(const fs::path& path, std::uintmax_t bytes);
/// What is in a folder, in alphabetical order.
std::vector<fs::path> entries_of(const fs::path& folder);
/// The same; nothing when there is no such folder.
std::vector<fs::path> entries_if_there(const fs::path& folder);

/// Makes sure that files can be written below `folder`, which is made if missing: a file is tried. Otherwise a config error that
/// says who named the folder (`where`) and what to do (`hint`), and nothing is left behind.
void require_writable_folder(const fs::path& folder, const std::string& where, const std::string& hint);

/// Replaces characters that a file name cannot hold on common systems ("fig:a/b" -> "fig_a_b").
std::string safe_file_name(std::string_view name);

}  // namespace yatlab

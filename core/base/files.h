#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace yatlab {

namespace fs = std::filesystem;

/// Throws the system's error (`code`, else errno) for an attempt to `verb` a file. It is a data error if the file does not exist, or if a file to
/// read is a folder or has an invalid name. Otherwise it is a file error, which says nothing about the file's contents.
[[noreturn]] void throw_file_error(const char* verb, const fs::path& path);
[[noreturn]] void throw_file_error(const char* verb, const fs::path& path, int code);

/// The temporary name next to `path` for writing it: `.NAME.PROCESS.NUMBER.tmp`, unique among processes and threads.
/// It contains the process, so that `remove_stale_temporaries` recognises files of dead processes.
fs::path temporary_name(const fs::path& path);

/// What a path refers to, following links. A missing or impossible path is a valid answer; any other refusal of the system is a file error,
/// so that an inaccessible path is not mistaken for a missing one.
enum class PathKind { kNothing, kFile, kFolder, kOther };
PathKind kind_of(const fs::path& path);
inline bool is_there(const fs::path& path) { return kind_of(path) != PathKind::kNothing; }
inline bool is_file(const fs::path& path) { return kind_of(path) == PathKind::kFile; }
inline bool is_folder(const fs::path& path) { return kind_of(path) == PathKind::kFolder; }

/// The whole file. Throws a data or file error naming the file and the system's reason (throw_file_error).
std::string read_file(const fs::path& path);

/// Calls `use` for each line, without its line end, until it returns false. Never holds the whole file in memory. Throws as read_file does.
void read_lines(const fs::path& path, const std::function<bool(const std::string& line)>& use);

/// Writes atomically: a crash at any moment leaves either the whole old file or the whole new one. Uses a
/// temporary file in the same folder, fsync, rename, fsync of the folder. Creates missing folders.
void write_file_atomic(const fs::path& path, std::string_view bytes);

/// The same for files that can be regenerated: readers see the old file or the new one, but a power cut may lose both. Writing thousands of files
/// takes milliseconds instead of minutes.
void write_file_unsynced(const fs::path& path, std::string_view bytes);

/// Appends one line in a single write(2), so that concurrent readers never see half of it.
void append_line(const fs::path& path, std::string_view line);

/// fsync of a folder: makes renames and creations in it durable.
void sync_directory(const fs::path& directory);

/// Points `link` at `target` (relative), replacing any existing entry atomically.
void replace_symlink(const fs::path& target, const fs::path& link);

/// Creates a folder and its missing parents. This and the following functions throw errors that name the path and the system's reason.
void make_folders(const fs::path& folder);
/// Creates one folder, whose parent must exist; false if the name is taken.
bool make_folder(const fs::path& folder);
/// Removes a file, or a folder with its contents; does nothing if it does not exist.
void remove_tree(const fs::path& path);
/// Renames a file or folder within a file system. Replaces an existing file or empty folder of that name.
void rename_path(const fs::path& from, const fs::path& to);
/// Copies a file, or a folder with its contents, to an unused name; follows links.
void copy_tree(const fs::path& from, const fs::path& to);
/// Below a folder, removes files and folders with a `temporary_name` that dead processes left. Skips what cannot be removed.
void remove_stale_temporaries(const fs::path& folder);
/// Bytes of a file.
std::uintmax_t size_of_file(const fs::path& path);
/// Truncates a file, or extends it with zeros, to this many bytes.
void set_file_size(const fs::path& path, std::uintmax_t bytes);
/// The entries of a folder, in alphabetical order.
std::vector<fs::path> entries_of(const fs::path& folder);
/// The same; empty if there is no such folder.
std::vector<fs::path> entries_if_there(const fs::path& folder);

/// Makes sure that files can be written below `folder`, by creating it if missing and writing a test file. If not, throws a config error that
/// says where the folder was configured (`where`) and what to do (`hint`), and leaves nothing behind.
void require_writable_folder(const fs::path& folder, const std::string& where, const std::string& hint);

/// Replaces characters that common file systems do not allow in a name ("fig:a/b" -> "fig_a_b").
std::string safe_file_name(std::string_view name);

}  // namespace yatlab

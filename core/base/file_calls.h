#pragma once

#include <dirent.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>

namespace yatlab {

/// The system calls through which files are opened, read, looked at and changed: return values and errno are the system's. What decides about
/// results goes through `file_calls()`, so that a test can make the n-th of them fail.
class FileCalls {
 public:
  virtual ~FileCalls() = default;
  virtual int open(const char* path, int flags, mode_t mode);
  virtual ssize_t write(int fd, const void* bytes, std::size_t size);
  virtual ssize_t write_at(int fd, const void* bytes, std::size_t size, off_t at);
  virtual int sync(int fd);
  virtual int truncate(int fd, off_t size);
  virtual int rename(const char* from, const char* to);
  virtual int make_link(const char* target, const char* link);
  virtual int make_folder(const char* path, mode_t mode);
  virtual int remove(const char* path);  ///< a file or an empty folder
  virtual ssize_t read(int fd, void* bytes, std::size_t size);
  virtual int stat(const char* path, struct stat* out);  ///< follows links
  virtual DIR* open_folder(const char* path);
  virtual dirent* next_entry(DIR* folder);  ///< null at the end (errno 0), or when it cannot be read
};

/// Those in use: the system's, unless a test has put others in their place.
FileCalls& file_calls();

/// Has `calls` used by all threads for as long as it lives.
class FileCallsReplaced {
 public:
  explicit FileCallsReplaced(FileCalls& calls);
  ~FileCallsReplaced();
  FileCallsReplaced(const FileCallsReplaced&) = delete;
  FileCallsReplaced& operator=(const FileCallsReplaced&) = delete;

 private:
  FileCalls* before_;
};

}  // namespace yatlab

#pragma once

#include <dirent.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>

namespace yatlab {

/// The system calls to open, read, inspect and change files, with the system's return values and errno. Code that determines
/// results uses `file_calls()`, so that a test can make the n-th call fail.
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

/// The active calls: the system's, unless a test has replaced them.
FileCalls& file_calls();

/// Makes all threads use `calls` during its lifetime.
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

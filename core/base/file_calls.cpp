#include "core/base/file_calls.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>

namespace yatlab {
namespace {

FileCalls system_calls;
std::atomic<FileCalls*> in_use{&system_calls};

}  // namespace

int FileCalls::open(const char* path, int flags, mode_t mode) { return ::open(path, flags | O_CLOEXEC, mode); }
ssize_t FileCalls::write(int fd, const void* bytes, std::size_t size) { return ::write(fd, bytes, size); }
ssize_t FileCalls::write_at(int fd, const void* bytes, std::size_t size, off_t at) { return ::pwrite(fd, bytes, size, at); }
int FileCalls::sync(int fd) { return ::fsync(fd); }
int FileCalls::truncate(int fd, off_t size) { return ::ftruncate(fd, size); }
int FileCalls::rename(const char* from, const char* to) { return ::rename(from, to); }
int FileCalls::make_link(const char* target, const char* link) { return ::symlink(target, link); }
int FileCalls::make_folder(const char* path, mode_t mode) { return ::mkdir(path, mode); }
int FileCalls::remove(const char* path) { return ::remove(path); }
ssize_t FileCalls::read(int fd, void* bytes, std::size_t size) { return ::read(fd, bytes, size); }
int FileCalls::stat(const char* path, struct stat* out) { return ::stat(path, out); }
DIR* FileCalls::open_folder(const char* path) { return ::opendir(path); }
dirent* FileCalls::next_entry(DIR* folder) {
  errno = 0;
  return ::readdir(folder);
}

FileCalls& file_calls() { return *in_use.load(); }

FileCallsReplaced::FileCallsReplaced(FileCalls& calls) : before_(in_use.exchange(&calls)) {}
FileCallsReplaced::~FileCallsReplaced() { in_use.store(before_); }

}  // namespace yatlab

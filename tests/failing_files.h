// A failing file system: the n-th call of a kind fails, or every one from the n-th on.
#pragma once

#include <fcntl.h>
#include <algorithm>
#include <atomic>
#include <cerrno>

#include "core/base/file_calls.h"

namespace yatlab::testing {

/// Does not wait for the disk.
class UnsyncedFiles final : public FileCalls {
 public:
  int sync(int) override { return 0; }
};

/// Accepts this many bytes and no more.
class FullDisk final : public FileCalls {
 public:
  explicit FullDisk(std::size_t room) : room_(room) {}
  ssize_t write(int fd, const void* bytes, std::size_t size) override {
    const auto n = std::min(size, room_);
    room_ -= n;
    errno = ENOSPC;
    return n == 0 ? -1 : FileCalls::write(fd, bytes, n);
  }

 private:
  std::size_t room_;
};

class FailingFiles final : public FileCalls {
 public:
  enum class Call { kOpen, kWrite, kSync, kTruncate, kRename, kLink, kMakeFolder, kRemove, kRead, kLook, kList };
  static constexpr Call kAll[] = {Call::kOpen,   Call::kWrite, Call::kSync,       Call::kTruncate,
                                  Call::kRename, Call::kLink,  Call::kMakeFolder, Call::kRemove};
  /// Calls that change nothing.
  static constexpr Call kReading[] = {Call::kOpen, Call::kRead, Call::kLook, Call::kList};
  static const char* name_of(Call call) {
    static const char* const names[] = {"open",  "write",  "sync", "truncate", "rename", "link",
                                        "mkdir", "remove", "read", "stat",     "readdir"};
    return names[static_cast<int>(call)];
  }

  /// Counts calls without failing.
  explicit FailingFiles(Call counted) : FailingFiles(counted, -1, 0, false) {}
  /// n: the first call that fails, from 0 on; forever: and all after it.
  FailingFiles(Call call, long n, int code, bool forever) : call_(call), n_(n), code_(code), forever_(forever) {}

  long calls() const { return calls_; }

  int open(const char* path, int flags, mode_t mode) override { return fails(Call::kOpen) ? -1 : FileCalls::open(path, flags, mode); }
  ssize_t write(int fd, const void* bytes, std::size_t size) override {
    if (!fails(Call::kWrite)) return FileCalls::write(fd, bytes, size);
    if (size > 1) FileCalls::write(fd, bytes, size / 2);  // like a disk that fills up
    errno = code_;
    return -1;
  }
  ssize_t write_at(int fd, const void* bytes, std::size_t size, off_t at) override {
    return fails(Call::kWrite) ? -1 : FileCalls::write_at(fd, bytes, size, at);
  }
  int sync(int) override { return fails(Call::kSync) ? -1 : 0; }  // tests cut no power
  int truncate(int fd, off_t size) override { return fails(Call::kTruncate) ? -1 : FileCalls::truncate(fd, size); }
  int rename(const char* from, const char* to) override { return fails(Call::kRename) ? -1 : FileCalls::rename(from, to); }
  int make_link(const char* target, const char* link) override { return fails(Call::kLink) ? -1 : FileCalls::make_link(target, link); }
  int make_folder(const char* path, mode_t mode) override { return fails(Call::kMakeFolder) ? -1 : FileCalls::make_folder(path, mode); }
  int remove(const char* path) override { return fails(Call::kRemove) ? -1 : FileCalls::remove(path); }
  ssize_t read(int fd, void* bytes, std::size_t size) override { return fails(Call::kRead) ? -1 : FileCalls::read(fd, bytes, size); }
  int stat(const char* path, struct stat* out) override { return fails(Call::kLook) ? -1 : FileCalls::stat(path, out); }
  DIR* open_folder(const char* path) override { return fails(Call::kList) ? nullptr : FileCalls::open_folder(path); }
  dirent* next_entry(DIR* folder) override { return fails(Call::kList) ? nullptr : FileCalls::next_entry(folder); }

 private:
  bool fails(Call call) {
    if (call != call_) return false;
    const long i = calls_++;
    if (n_ < 0 || i < n_ || (i > n_ && !forever_)) return false;
    errno = code_;
    return true;
  }

  Call call_;
  long n_;
  int code_;
  bool forever_;
  std::atomic<long> calls_{0};
};

}  // namespace yatlab::testing

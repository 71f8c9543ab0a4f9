#include "core/base/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "catch.h"
#include "core/base/error.h"
#include "core/base/file_calls.h"
#include "core/base/text.h"
#include "temporary_folder.h"

namespace yatlab {
namespace {

/// Writes at most three bytes at a time, is interrupted before each, and fails from a given number of bytes on.
class Narrow final : public FileCalls {
 public:
  explicit Narrow(std::size_t room) : room_(room) {}
  ssize_t write(int fd, const void* bytes, std::size_t size) override {
    return limited(size, [&](std::size_t n) { return FileCalls::write(fd, bytes, n); });
  }
  ssize_t write_at(int fd, const void* bytes, std::size_t size, off_t at) override {
    return limited(size, [&](std::size_t n) { return FileCalls::write_at(fd, bytes, n, at); });
  }

 private:
  template <class F>
  ssize_t limited(std::size_t size, F&& call) {
    interrupted_ = !interrupted_;
    errno = interrupted_ ? EINTR : ENOSPC;
    if (interrupted_ || room_ == 0) return -1;
    const auto n = std::min({size, room_, std::size_t(3)});
    room_ -= n;
    return call(n);
  }
  std::size_t room_;
  bool interrupted_ = false;
};

ErrorKind kind_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& e) {
    INFO(e.what());
    CHECK_FALSE(e.why().empty());
    return e.kind();
  }
  return ErrorKind::kInternal;
}

}  // namespace

TEST_CASE("an output file works in its five modes", "[files]") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  using Mode = OutputFile::Mode;
  CHECK_FALSE(OutputFile());
  CHECK(kind_of([&] { OutputFile(path, Mode::kUpdate); }) == ErrorKind::kData);  // does not exist
  {
    OutputFile file(path, Mode::kNew);
    CHECK(file);
    file.write("0123456789");
    file.write_at(2, "xy");
    file.write("ab");
    CHECK(file.size() == 12);
    file.cut(11);
    file.write("!");
    file.sync();
  }
  CHECK(read_file(path) == "01xy456789a!");
  CHECK(kind_of([&] { OutputFile(path, Mode::kNew); }) == ErrorKind::kFile);
  OutputFile(path, Mode::kAppend).write("+");
  CHECK(read_file(path) == "01xy456789a!+");
  OutputFile(path, Mode::kUpdate).write("Z");
  OutputFile(path, Mode::kKeep).write_at(1, "Y");
  CHECK(read_file(path) == "ZYxy456789a!+");
  OutputFile(path, Mode::kEmpty).write("new");
  CHECK(read_file(path) == "new");
}

TEST_CASE("interrupted writes continue and a full disk is an error naming the file", "[files]") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  {
    Narrow calls(1000);
    const FileCallsReplaced replaced(calls);
    OutputFile file(path, OutputFile::Mode::kNew);
    file.write("a longer text");
    file.write_at(2, "LONGER");
    write_file_atomic(folder.path() / "other", "another text");
  }
  CHECK(read_file(path) == "a LONGER text");
  CHECK(read_file(folder.path() / "other") == "another text");
  Narrow calls(5);
  const FileCallsReplaced replaced(calls);
  try {
    write_file_atomic(path, "will not fit");
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::kFile);
    CHECK(std::string(e.what()) == "cannot write '" + path.string() +
                                       "'\n  why: No space left on device\n"
                                       "  try: free some disk space and run the same command again");
  }
  CHECK(read_file(path) == "a LONGER text");
  CHECK(entries_of(folder.path()).size() == 2);  // no leftovers
}

TEST_CASE("an appended block is complete or absent even if truncation fails at first", "[files]") {
  class Refusing final : public FileCalls {
   public:
    std::size_t room = 0;
    bool cuts = true;
    ssize_t write(int fd, const void* bytes, std::size_t size) override {
      const auto n = std::min(size, room);
      room -= n;
      errno = ENOSPC;
      return n == 0 ? -1 : FileCalls::write(fd, bytes, n);
    }
    int truncate(int fd, off_t size) override {
      errno = EIO;
      return cuts ? FileCalls::truncate(fd, size) : -1;
    }
  };
  for (const auto mode : {OutputFile::Mode::kNew, OutputFile::Mode::kAppend}) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "log";
    OutputFile file(path, mode);
    file.write_whole("first ");
    Refusing calls;
    const FileCallsReplaced replaced(calls);
    calls.room = 4;
    CHECK(kind_of([&] { file.write_whole("second "); }) == ErrorKind::kFile);
    CHECK(read_file(path) == "first ");
    calls.room = 4, calls.cuts = false;
    CHECK(kind_of([&] { file.write_whole("third "); }) == ErrorKind::kFile);
    CHECK(read_file(path) == "first thir");
    calls.room = 100;
    CHECK(kind_of([&] { file.write_whole("fourth "); }) == ErrorKind::kFile);  // nothing may follow a partial write
    calls.cuts = true;
    file.write_whole("fifth ");
    file.write_whole("sixth");
    CHECK(read_file(path) == "first fifth sixth");
  }
}

TEST_CASE("copying a tree copies the targets of links", "[files]") {
  const TemporaryFolder folder;
  const auto root = folder.path();
  write_file_atomic(root / "a/file", "text");
  fs::create_symlink("file", root / "a/link");
  copy_tree(root / "a", root / "b");
  CHECK(read_file(root / "b/link") == "text");
  CHECK_FALSE(fs::is_symlink(root / "b/link"));
  CHECK(kind_of([&] { copy_tree(root / "a", root / "b"); }) == ErrorKind::kFile);  // the name is taken
}

TEST_CASE("temporary files of dead processes are removed and those of live ones kept", "[files]") {
  const TemporaryFolder folder;
  const auto root = folder.path();
  const auto living = temporary_name(root / "x").filename().string();
  // An earlier process may have had this one's pid, as in a container; it is very unlikely to have used the next numbers.
  const auto number = static_cast<std::uint32_t>(std::stoul(split(living, '.').at(3)));
  const auto namesakes = fmt::format(".x.{}.{}.tmp", ::getpid(), number + 1000);
  CHECK(living == fmt::format(".x.{}.{}.tmp", ::getpid(), number));
  CHECK(temporary_name("x") == fmt::format(".x.{}.{}.tmp", ::getpid(), number + 1));
  // No process has the highest pid.
  for (const auto& name : {std::string(".x.json.2147483647.12.tmp"), std::string("below/.y.2147483647.0.tmp"), living, namesakes,
                           std::string("x.tmp"), std::string(".tmp"), std::string(".x.2147483647.tmp.json"),
                           std::string(".x.notanumber.0.tmp"), std::string("z.2147483647.0.tmp")}) {
    write_file_atomic(root / name, "x");
  }
  write_file_atomic(root / ".folder.2147483647.0.tmp/inside/file", "x");
  remove_stale_temporaries(root);
  CHECK(entries_of(root / "below").empty());
  std::vector<fs::path> left{root / ".tmp",  root / ".x.2147483647.tmp.json", root / living, root / ".x.notanumber.0.tmp", root / "below",
                             root / "x.tmp", root / "z.2147483647.0.tmp"};
  std::sort(left.begin(), left.end());
  CHECK(entries_of(root) == left);
}

TEST_CASE("a writability check cleans up after every failure and removes stale files", "[files]") {
  class Refusing final : public FileCalls {
   public:
    explicit Refusing(int n) : n_(n) {}
    int open(const char* path, int flags, mode_t mode) override { return n_-- == 0 ? -1 : FileCalls::open(path, flags, mode); }
    ssize_t write(int fd, const void* bytes, std::size_t size) override { return n_-- == 0 ? -1 : FileCalls::write(fd, bytes, size); }
    int sync(int fd) override { return n_-- == 0 ? -1 : FileCalls::sync(fd); }
    int n_;
  };
  const TemporaryFolder folder;
  const auto place = folder.path() / "place";
  write_file_atomic(place / ".yatlab.2147483647.3.tmp", "x");
  write_file_atomic(place / "mine", "x");
  for (int n = 0; n < 6; ++n) {
    Refusing calls(n);
    const FileCallsReplaced replaced(calls);
    try {
      require_writable_folder(place, "somebody", "somewhere else");
      CHECK(calls.n_ >= 0);
    } catch (const Error& e) {
      CHECK(e.kind() == ErrorKind::kConfig);
      CHECK(calls.n_ < 0);
    }
    CHECK(entries_of(place) == std::vector<fs::path>{place / "mine"});
  }
}

}  // namespace yatlab

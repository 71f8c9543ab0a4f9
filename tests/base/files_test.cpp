#include "core/base/files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <vector>

#include "catch.h"
#include "core/base/error.h"
#include "failing_files.h"
#include "temporary_folder.h"

namespace yatlab {
namespace {

std::vector<std::string> names_in(const fs::path& directory) {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(directory)) out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

template <class F>
Error error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e;
  }
  return Error(ErrorKind::kInternal, "no error");
}

}  // namespace

TEST_CASE("a file is read back byte for byte", "[files]") {
  const TemporaryFolder folder;
  std::string bytes;
  for (int i = 0; i < 300000; ++i) bytes += static_cast<char>(i * 7);
  for (const std::string& text : {std::string(), std::string("a\0b\r\n", 5), bytes}) {
    write_file_atomic(folder.path() / "file", text);
    CHECK(read_file(folder.path() / "file") == text);
  }
  CHECK(names_in(folder.path()) == std::vector<std::string>{"file"});  // nothing temporary is left
}

TEST_CASE("missing folders are made", "[files]") {
  const TemporaryFolder folder;
  write_file_atomic(folder.path() / "a/b/c", "x");
  CHECK(read_file(folder.path() / "a/b/c") == "x");
}

TEST_CASE("a missing file is a data error with the system's reason", "[files]") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "absent";
  const auto error = error_of([&] { read_file(path); });
  CHECK(error.exit_code() == 3);
  CHECK(std::string(error.what()) == "cannot read '" + path.string() + "'\n  why: No such file or directory");
  CHECK(error_of([&] { read_file(folder.path()); }).why() == "Is a directory");
}

TEST_CASE("a failed write keeps the old file and leaves no temporary files", "[files]") {
  const TemporaryFolder folder;
  const auto target = folder.path() / "target";

  SECTION("the target is a folder") {
    fs::create_directories(target / "inside");
    const auto error = error_of([&] { write_file_atomic(target, "new"); });
    CHECK(error.message() == "cannot place '" + target.string() + "'");
    CHECK(error.why() == "Is a directory");
    CHECK(names_in(folder.path()) == std::vector<std::string>{"target"});
    CHECK(fs::is_directory(target / "inside"));
  }
  SECTION("a parent folder is a file") {
    write_file_atomic(target, "old");
    const auto error = error_of([&] { write_file_atomic(target / "below" / "file", "new"); });
    CHECK(error.message() == "cannot create folder '" + (target / "below").string() + "'");
    CHECK(error.why() == "Not a directory");
    CHECK(read_file(target) == "old");
  }
  SECTION("the disk is full") {
    write_file_atomic(target, "old");
    // In a child process, since the limit cannot be raised again everywhere.
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{4096, 4096};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      const auto error = error_of([&] { write_file_atomic(target, std::string(100000, 'x')); });
      ::_exit(error.why() == "File too large" && error.message().rfind("cannot write '", 0) == 0 ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(read_file(target) == "old");
    CHECK(names_in(folder.path()) == std::vector<std::string>{"target"});
  }
}

TEST_CASE("a writer killed at any moment leaves the complete old or new file", "[files]") {
  const TemporaryFolder folder;
  const auto target = folder.path() / "target";
  const std::string versions[] = {std::string(200000, 'a'), std::string(200000, 'b')};
  write_file_atomic(target, versions[0]);
  for (int round = 0; round < 20; ++round) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      for (unsigned i = 0;; ++i) write_file_atomic(target, versions[i % 2]);
    }
    ::usleep(static_cast<useconds_t>(500 + 700 * round));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const auto found = read_file(target);
    CHECK((found == versions[0] || found == versions[1]));
  }
}

TEST_CASE("a reader never sees half of a file", "[files]") {
  const TemporaryFolder folder;
  const auto target = folder.path() / "target";
  const std::string versions[] = {std::string(50000, 'a'), std::string(70000, 'b')};
  write_file_atomic(target, versions[0]);
  std::thread writer([&] {
    for (int i = 0; i < 60; ++i) write_file_atomic(target, versions[i % 2]);
  });
  int torn = 0;
  for (int i = 0; i < 300; ++i) {
    const auto found = read_file(target);
    torn += found != versions[0] && found != versions[1];
  }
  writer.join();
  CHECK(torn == 0);
}

TEST_CASE("lines appended by several writers stay whole", "[files]") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "metrics.jsonl";
  std::vector<std::thread> writers;
  for (char name : {'a', 'b', 'c', 'd'}) {
    writers.emplace_back([&path, name] {
      for (int i = 0; i < 100; ++i) append_line(path, std::string(100, name));
    });
  }
  for (auto& writer : writers) writer.join();
  const auto text = read_file(path);
  REQUIRE(text.size() == 400 * 101);
  int mixed = 0;
  for (std::size_t at = 0; at < text.size(); at += 101) {
    mixed += text.substr(at, 101) != std::string(100, text[at]) + "\n";
  }
  CHECK(mixed == 0);
  CHECK(error_of([&] { append_line(folder.path() / "no" / "folder", "x"); }).why() == "No such file or directory");
}

TEST_CASE("a symbolic link is replaced atomically", "[files]") {
  const TemporaryFolder folder;
  const auto link = folder.path() / "latest";
  write_file_atomic(folder.path() / "one" / "f", "1");
  write_file_atomic(folder.path() / "two" / "f", "2");
  replace_symlink("one", link);
  CHECK(read_file(link / "f") == "1");
  replace_symlink("two", link);
  CHECK(read_file(link / "f") == "2");
  CHECK(fs::read_symlink(link) == "two");
  CHECK(names_in(folder.path()) == std::vector<std::string>{"latest", "one", "two"});

  write_file_atomic(folder.path() / "full" / "f", "x");
  const auto error = error_of([&] { replace_symlink("one", folder.path() / "full"); });
  CHECK(error.message() == "cannot replace link '" + (folder.path() / "full").string() + "'");
  CHECK(names_in(folder.path()) == std::vector<std::string>{"full", "latest", "one", "two"});
  CHECK(error_of([&] { replace_symlink("one", folder.path() / "no" / "link"); }).why() == "No such file or directory");
}

TEST_CASE("names become safe file names", "[files]") {
  CHECK(safe_file_name("fig:mnist/a b") == "fig_mnist_a_b");
  CHECK(safe_file_name("seed=0,x=1.5") == "seed=0,x=1.5");
  CHECK(safe_file_name("ⵟ") == "ⵟ");
  CHECK(safe_file_name("") == "_");
  CHECK(safe_file_name(".") == "_");
  CHECK(safe_file_name("..") == "_");
  CHECK(safe_file_name("a\\b*c?\"<>|\t\n") == "a_b_c_______");
}

TEST_CASE("folder operations work and their errors name the path", "[files]") {
  const TemporaryFolder folder;
  const auto root = folder.path();
  make_folders(root / "a/b");
  make_folders(root / "a/b");
  CHECK(fs::is_directory(root / "a/b"));
  CHECK(make_folder(root / "c"));
  CHECK_FALSE(make_folder(root / "c"));
  write_file_atomic(root / "a/b/file", "12345");
  CHECK_FALSE(make_folder(root / "a/b/file"));
  CHECK(size_of_file(root / "a/b/file") == 5);
  copy_tree(root / "a", root / "d");
  CHECK(read_file(root / "d/b/file") == "12345");
  rename_path(root / "d", root / "e");
  set_file_size(root / "e/b/file", 2);
  CHECK(read_file(root / "e/b/file") == "12");
  CHECK(entries_of(root) == std::vector<fs::path>{root / "a", root / "c", root / "e"});
  remove_tree(root / "e");
  remove_tree(root / "e");
  remove_tree(root / "a/b/file/below");  // no such path can exist
  CHECK_FALSE(fs::exists(root / "e"));

  const auto file = root / "a/b/file";
  const std::string name = "'" + file.string() + "'", below = "'" + (file / "x").string() + "'";
  const auto says = [&](auto&& call, const std::string& message, const std::string& why) {
    const auto error = error_of(call);
    INFO(error.what());
    CHECK(error.message() == message);
    CHECK(error.why() == why);
  };
  says([&] { make_folders(file); }, "cannot create folder " + name, "Not a directory");
  says([&] { make_folders(file / "x"); }, "cannot create folder " + below, "Not a directory");
  says([&] { make_folder(file / "x"); }, "cannot create folder " + below, "Not a directory");
  says([&] { make_folder(root / "f/g"); }, "cannot create folder '" + (root / "f/g").string() + "'", "No such file or directory");
  says([&] { rename_path(root / "nothing", root / "f"); }, "cannot place '" + (root / "f").string() + "'", "No such file or directory");
  says([&] { copy_tree(root / "nothing", root / "f"); }, "cannot read '" + (root / "nothing").string() + "'", "No such file or directory");
  says([&] { size_of_file(root / "nothing"); }, "cannot read '" + (root / "nothing").string() + "'", "No such file or directory");
  says([&] { set_file_size(root / "c", 3); }, "cannot write '" + (root / "c").string() + "'", "Is a directory");
  says([&] { entries_of(file); }, "cannot read folder " + name, "Not a directory");
  says([&] { remove_tree("/proc/self/fd"); }, "cannot remove '/proc/self/fd'", "Operation not permitted");
  fs::create_symlink(root / "gone", root / "link");
  says([&] { make_folders(root / "link"); }, "cannot create folder '" + (root / "link").string() + "'", "File exists");
}

TEST_CASE("checking that a folder is writable leaves no files there", "[files]") {
  const TemporaryFolder folder;
  const auto root = folder.path();
  require_writable_folder(root / "new/results", "results", "elsewhere");
  CHECK(fs::is_empty(root / "new/results"));
  write_file_atomic(root / "file", "x");
  const std::pair<fs::path, std::string> places[] = {
      {root / "file", "Not a directory"},
      {root / "file/below/it", "Not a directory"},
      {root / "made/" / std::string(300, 'x'), "File name too long"},
      {"/proc/yatlab", "No such file or directory"},
  };
  for (const auto& [place, why] : places) {
    INFO(place);
    const auto error = error_of([&, &place = place] { require_writable_folder(place, "results", "elsewhere"); });
    CHECK(error.kind() == ErrorKind::kConfig);
    CHECK(error.message() == "cannot write to the folder '" + place.string() + "'");
    CHECK(error.where() == "results");
    CHECK(error.why() == why);
    CHECK(error.hint() == "elsewhere");
  }
  CHECK(names_in(root) == std::vector<std::string>{"file", "new"});
}

TEST_CASE("an uninspectable path is an error and a missing one is not") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "file";
  write_file_atomic(file, "x");
  CHECK(kind_of(file) == PathKind::kFile);
  CHECK(kind_of(folder.path()) == PathKind::kFolder);
  CHECK(kind_of("/dev/null") == PathKind::kOther);
  CHECK(kind_of(folder.path() / "none") == PathKind::kNothing);
  CHECK(kind_of(file / "below a file") == PathKind::kNothing);
  CHECK(kind_of(folder.path() / std::string(300, 'n')) == PathKind::kNothing);
  fs::create_symlink("loop", folder.path() / "loop");
  CHECK(kind_of(folder.path() / "loop") == PathKind::kNothing);
  CHECK(entries_if_there(folder.path() / "none").empty());
  CHECK(entries_if_there(folder.path()).size() == 2);

  for (const int code : {EACCES, EIO, ETIMEDOUT, EAGAIN, EINTR, ENOTCONN, EHOSTDOWN, ENODEV, EUCLEAN, ESTALE}) {
    INFO(std::strerror(code));
    using Call = testing::FailingFiles::Call;
    for (const auto call : {Call::kLook, Call::kOpen, Call::kRead, Call::kList}) {
      if (call == Call::kRead && code == EINTR) continue;  // is retried
      testing::FailingFiles refuses(call, 0, code, true);
      const FileCallsReplaced replaced(refuses);
      const auto e = error_of([&] {
        if (call == Call::kLook) is_there(file);
        if (call == Call::kOpen || call == Call::kRead) read_file(file);
        if (call == Call::kList) entries_of(folder.path());
      });
      CHECK(e.kind() == ErrorKind::kFile);
      CHECK(e.message().find(folder.path().string()) != std::string::npos);
      CHECK(e.why() == std::strerror(code));
    }
  }
}

TEST_CASE("pipes and devices are rejected as input files without blocking") {
  const TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  fs::create_symlink("/dev/zero", folder.path() / "zeros");
  for (const auto& path : {pipe, folder.path() / "zeros"}) {
    const auto e = error_of([&] { read_file(path); });
    CHECK(e.kind() == ErrorKind::kData);
    CHECK(e.why() == "it is a pipe, a device or a socket, not a file");
  }
}

}  // namespace yatlab

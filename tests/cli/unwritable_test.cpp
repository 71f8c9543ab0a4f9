// Unwritable places and folders of the wrong kind: the real program says what, where, why and what to do.

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <set>

#include "catch.h"
#include "cli/support.h"
#include "cli/tiny.h"

namespace yatlab {
namespace {

using testing::Desk;
using testing::holds;
void check_readable(const std::string& output) {
  for (const char* part :
       {"this is a bug", "filesystem error", "filesystem_error", "frame #", "Exception raised from", "terminate called"}) {
    INFO(part);
    CHECK_FALSE(holds(output, part));
  }
}

std::set<std::string> names_below(const fs::path& folder) {
  std::set<std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) out.insert(fs::relative(entry.path(), folder).string());
  return out;
}

/// A file system of a few pages, visible only to this process and its children; none if that is not allowed.
class TinyDisk {
 public:
  explicit TinyDisk(fs::path folder) : folder_(std::move(folder)) {
    fs::create_directories(folder_);
    outside_ = ::open("/proc/thread-self/ns/mnt", O_RDONLY | O_CLOEXEC);
    // Make mounts private first, so that nothing is visible outside.
    if (outside_ < 0 || ::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return;
    mounted_ = ::mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=64k") == 0;
  }
  /// Back to the mounts that everything else sees: the tests that follow would be outside them.
  ~TinyDisk() {
    if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
    const auto folder = fs::current_path();
    if (outside_ >= 0) ::setns(outside_, CLONE_NEWNS), ::close(outside_);
    fs::current_path(folder);  // setns leads to the root
  }
  TinyDisk(const TinyDisk&) = delete;
  TinyDisk& operator=(const TinyDisk&) = delete;
  bool mounted() const { return mounted_; }

 private:
  fs::path folder_;
  int outside_ = -1;
  bool mounted_ = false;
};

}  // namespace

TEST_CASE("an unwritable location is a clear error and no files are left", "[cli][errors]") {
  const Desk desk(testing::kTinyArm);
  const std::string tiny = (desk.path() / "tiny.yaml").string(), longest(300, 'x');
  REQUIRE(desk.ask({"run", "tiny.yaml"}).status == 0);
  std::ofstream(desk.path() / "file") << "in the way\n";
  fs::create_directory(desk.path() / "empty");
  struct Case {
    std::vector<std::string> arguments;
    int status;
    std::vector<std::string> says;
  };
  const std::vector<Case> cases = {
      {{"tiny.yaml", "trainer.device=cuda"}, 2, {"trainer.device=cuda cannot be used on this machine", "try: set trainer.device=cpu"}},
      {{"tiny.yaml", "results=file"},
       2,
       {"cannot write to the folder 'file/tiny'", "at: results, command line (results=file)", "why: Not a directory",
        "try: ", "results=FOLDER"}},
      {{"tiny.yaml", "results=file/below"}, 2, {"cannot write to the folder 'file/below/tiny'", "why: Not a directory"}},
      {{"tiny.yaml", "results=/proc/yatlab"}, 2, {"cannot write to the folder '/proc/yatlab/tiny'", "why: No such file or directory"}},
      {{"tiny.yaml", "results=/dev/full"}, 2, {"cannot write to the folder '/dev/full/tiny'", "why: Not a directory"}},
      {{"tiny.yaml", "results=" + longest}, 2, {"why: File name too long"}},
      {{"report", "nowhere"}, 2, {"'nowhere' is not a run", "give a run directory"}},
      {{"report", "empty"}, 2, {"'empty' is not a run"}},
      {{"report", "file"}, 2, {"'file' is not a run"}},
      {{"report", longest}, 2, {"is not a run"}},
      {{"report", "--out", "file"}, 2, {"cannot write to the folder 'file'", "at: --out", "why: Not a directory"}},
      {{"data", "tokenize", "file", "--tokenizer", "bytes", "--out", "file/x"},
       2,
       {"cannot write to the folder 'file/x'", "at: --out", "why: Not a directory"}},
      {{"data", "tokenize", "file", "--tokenizer", "bytes", "--out", "/proc/x"}, 2, {"cannot write to the folder '/proc/x'"}},
      {{"data", "tokenize", longest, "--tokenizer", "bytes", "--out", "tokens"}, 3, {"why: File name too long"}},
      {{"data", "tokenize", "empty", "--tokenizer", "bytes", "--out", "tokens"}, 3, {"'empty'"}},
  };
  const auto before = names_below(desk.path());
  for (const auto& c : cases) {
    std::string command;
    for (const auto& word : c.arguments) command += " " + word;
    const auto answer = desk.ask(c.arguments);
    INFO(command << "\n" << answer.output);
    CHECK(answer.status == c.status);
    for (const auto& part : c.says) {
      INFO(part);
      CHECK(holds(answer.output, part));
    }
    check_readable(answer.output);
    if (c.status == 2) {
      auto after = names_below(desk.path());
      after.erase("output.txt");
      auto expected = before;
      expected.erase("output.txt");
      CHECK(after == expected);
    }
  }
}

TEST_CASE("a full disk is a clear error before and during a run", "[cli][errors]") {
  const Desk desk(testing::kTinyArm);
  const TinyDisk disk(desk.path() / "disk");
  if (!disk.mounted()) {
    WARN("skipped: this user cannot mount a small file system");
    return;
  }
  // The run's own files fit, its checkpoints do not.
  auto answer = desk.ask({"tiny.yaml", "results=disk"});
  INFO(answer.output);
  CHECK(answer.status == 1);
  CHECK(holds(answer.output, "No space left on device"));
  check_readable(answer.output);
  const auto begun = names_below(desk.path() / "disk");
  std::ofstream(desk.path() / "disk/filler") << std::string(1 << 16, 'x');
  answer = desk.ask({"tiny.yaml", "results=disk/other"});
  INFO(answer.output);
  CHECK(answer.status == 2);
  CHECK(holds(answer.output, "cannot write to the folder 'disk/other/tiny'"));
  CHECK(holds(answer.output, "why: No space left on device"));
  check_readable(answer.output);
  auto now = names_below(desk.path() / "disk");
  now.erase("filler");
  CHECK(now == begun);
}

}  // namespace yatlab

#include "core/base/whole_file.h"

#include <cerrno>

#include "catch.h"
#include "core/base/error.h"
#include "core/base/file_calls.h"
#include "failing_files.h"
#include "temporary_folder.h"

namespace yatlab {

TEST_CASE("a file written in pieces appears when it is complete", "[files]") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "deep/file";
  WholeFile file(path);
  file.write("one ");
  file.write("");
  file.write("two");
  CHECK_FALSE(fs::exists(path));
  file.place();
  CHECK(read_file(path) == "one two");
  CHECK(entries_of(path.parent_path()).size() == 1);
}

TEST_CASE("an incomplete file leaves the previous one and no temporary files", "[files]") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  write_file_atomic(path, "before");
  {
    WholeFile file(path);
    file.write("after");
  }
  using Call = testing::FailingFiles::Call;
  for (const auto call : {Call::kOpen, Call::kWrite, Call::kSync, Call::kRename}) {
    INFO(testing::FailingFiles::name_of(call));
    testing::FailingFiles calls(call, 0, EIO, false);
    const FileCallsReplaced replaced(calls);
    CHECK_THROWS_AS(write_file_atomic(path, "after"), Error);
    CHECK(calls.calls() == 1);
  }
  CHECK(read_file(path) == "before");
  CHECK(entries_of(folder.path()).size() == 1);
}

}  // namespace yatlab

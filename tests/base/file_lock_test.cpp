#include "core/system/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "catch.h"
#include "temporary_folder.h"

namespace yatlab {
namespace {

/// Restores the real call.
struct Restored {
  int (*before)(int, int) = flock_function;
  ~Restored() { flock_function = before; }
};

int fault = 0, calls = 0;

}  // namespace

TEST_CASE("a lock is exclusive even between two descriptors of one file", "[lock]") {
  const TemporaryFolder folder;
  const auto path = (folder.path() / "lock").string();
  const int a = ::open(path.c_str(), O_RDWR | O_CREAT, 0600), b = ::open(path.c_str(), O_RDWR);
  CHECK(try_lock(a));
  CHECK_FALSE(try_lock(b));
  ::close(a);
  CHECK(try_lock(b));
  wait_for_lock(b);  // holds it already
  ::close(b);
}

TEST_CASE("only EWOULDBLOCK means that a lock is taken and EINTR is retried", "[lock]") {
  const Restored restored;
  flock_function = [](int, int) {
    ++calls;
    errno = calls == 1 ? EINTR : fault;
    return -1;
  };
  for (const int code : {ENOSYS, EOPNOTSUPP, ENOLCK, EINVAL}) {
    fault = code;
    calls = 0;
    CHECK(try_lock(0));
    CHECK(calls == 2);
    wait_for_lock(0);  // returns
  }
  fault = EWOULDBLOCK;
  calls = 0;
  CHECK_FALSE(try_lock(0));
}

}  // namespace yatlab

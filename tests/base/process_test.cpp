#include "core/base/process.h"

#include <sys/wait.h>
#include <unistd.h>

#include "catch.h"

using namespace yatlab;

TEST_CASE("a process is gone once it has ended and been waited for", "[process]") {
  CHECK_FALSE(is_gone(::getpid()));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t ended;
  REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) == 0);
  CHECK_FALSE(is_gone(child));
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  CHECK(is_gone(child));
}

TEST_CASE("a process of another user is not gone", "[process]") {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(2);
    ::_exit(is_gone(1) ? 1 : 0);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 0);
}

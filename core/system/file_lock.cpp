#include "core/system/file_lock.h"

#include <sys/file.h>

#include <cerrno>

namespace yatlab {

int (*flock_function)(int fd, int operation) = ::flock;

bool try_lock(int fd) {
  while (flock_function(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EINTR) return errno != EWOULDBLOCK;
  }
  return true;
}

void wait_for_lock(int fd) {
  while (flock_function(fd, LOCK_EX) != 0 && errno == EINTR) {
  }
}

}  // namespace yatlab

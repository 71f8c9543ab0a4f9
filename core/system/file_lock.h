#pragma once

namespace yatlab {

/// Takes an exclusive lock on an open file; false when another process has it. Where the file system has no locks (Lustre's noflock, some
/// network folders) nobody can be kept out, and it is true.
bool try_lock(int fd);
/// The same, but waits for whoever has it.
void wait_for_lock(int fd);

/// flock(2), by which they are taken: tests put another in its place.
extern int (*flock_function)(int fd, int operation);

}  // namespace yatlab

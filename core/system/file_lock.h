#pragma once

namespace yatlab {

/// Takes an exclusive lock on an open file; false if another process holds it. On file systems without locks (Lustre's noflock, some
/// network folders) it locks nothing and returns true.
bool try_lock(int fd);
/// The same, but waits until the lock is free.
void wait_for_lock(int fd);

/// flock(2), which takes the locks; tests replace it.
extern int (*flock_function)(int fd, int operation);

}  // namespace yatlab

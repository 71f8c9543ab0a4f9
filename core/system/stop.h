#pragma once

namespace yatlab {

/// Installs handlers for SIGINT, SIGTERM, SIGUSR1, SIGHUP (a terminal that was closed; not under nohup, which ignores it) and SIGPIPE (of
/// standard output or error that nobody reads any more). As long as there is a `SavesWhenStopped`, the first asks every job to finish its step,
/// save and leave, and a second SIGINT ends the process at once; otherwise SIGINT, SIGTERM and SIGHUP end it at once. A file that grows beyond the
/// process's limit, and a connection that the other side closed, become errors where they are written instead of signals.
void install_stop_signals();

/// While one lives, what runs looks at `stop_signal` and has something to save.
class SavesWhenStopped {
 public:
  SavesWhenStopped();
  ~SavesWhenStopped();
  SavesWhenStopped(const SavesWhenStopped&) = delete;
  SavesWhenStopped& operator=(const SavesWhenStopped&) = delete;
};

/// The signal that asked to stop, or 0.
int stop_signal();

/// Asks to stop as a signal would (fail-fast, tests).
void request_stop(int signal);

}  // namespace yatlab

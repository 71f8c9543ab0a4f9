#pragma once

namespace yatlab {

/// Installs handlers for SIGINT, SIGTERM, SIGUSR1, SIGHUP (a closed terminal; not under nohup, which ignores it) and SIGPIPE (standard
/// output or error without a reader). While a `SavesWhenStopped` exists, the first signal makes every job finish its step,
/// save and exit, and a second SIGINT ends the process at once. Otherwise SIGINT, SIGTERM and SIGHUP end it at once. Files beyond the process's
/// size limit, and connections that the peer closed, become write errors instead of signals.
void install_stop_signals();

/// While one exists, the running work checks `stop_signal` and has something to save.
class SavesWhenStopped {
 public:
  SavesWhenStopped();
  ~SavesWhenStopped();
  SavesWhenStopped(const SavesWhenStopped&) = delete;
  SavesWhenStopped& operator=(const SavesWhenStopped&) = delete;
};

/// The signal that requested a stop, or 0.
int stop_signal();

/// Requests a stop as a signal would (fail-fast, tests).
void request_stop(int signal);

}  // namespace yatlab

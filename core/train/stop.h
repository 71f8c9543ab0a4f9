#pragma once

namespace yatlab {

/// Installs handlers for SIGINT, SIGTERM, SIGUSR1, SIGHUP (a terminal that was closed; not under nohup, which ignores it) and SIGPIPE (of
/// standard output or error that nobody reads any more): the first asks every job to finish its step, save and leave; a second SIGINT
/// ends the process at once. A file that grows beyond the process's limit, and a connection that the other side closed, become errors
/// where they are written instead of signals.
void install_stop_signals();

/// The signal that asked to stop, or 0.
int stop_signal();

/// Asks to stop as a signal would (fail-fast, tests).
void request_stop(int signal);

}  // namespace yatlab

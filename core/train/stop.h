#pragma once

namespace yatlab {

/// Installs handlers for SIGINT, SIGTERM and SIGUSR1: the first asks every job to finish its step,
/// save and leave; a second SIGINT ends the process at once.
void install_stop_signals();

/// The signal that asked to stop, or 0.
int stop_signal();

/// Asks to stop as a signal would (fail-fast, tests).
void request_stop(int signal);

}  // namespace yatlab

#include "core/system/stop.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>

namespace yatlab {
namespace {

std::atomic<int> requested{0};
std::atomic<int> saving{0};  // number of existing SavesWhenStopped
static_assert(std::atomic<int>::is_always_lock_free, "used in a signal handler");

/// Whether a standard stream has lost its reader (`yatlab ... | head`).
bool nobody_listens() {
  struct pollfd streams[] = {{STDOUT_FILENO, 0, 0}, {STDERR_FILENO, 0, 0}};
  return ::poll(streams, 2, 0) > 0 && ((streams[0].revents | streams[1].revents) & POLLERR) != 0;
}

void on_signal(int signal) {
  const int before = errno;
  const bool meant = signal != SIGPIPE || nobody_listens();  // a closed connection is the client's concern
  errno = before;
  if (!meant) return;
  const bool ends = saving == 0 && signal != SIGUSR1 && signal != SIGPIPE;
  if (requested.exchange(signal) != 0 && signal == SIGINT) ::_exit(130);
  if (!ends) return;
  std::signal(signal, SIG_DFL);
  ::raise(signal);  // takes effect when this handler returns
}

}  // namespace

void install_stop_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  for (int signal : {SIGINT, SIGTERM, SIGUSR1, SIGPIPE}) sigaction(signal, &action, nullptr);
  struct sigaction before {};
  if (sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);
}

SavesWhenStopped::SavesWhenStopped() { ++saving; }
SavesWhenStopped::~SavesWhenStopped() { --saving; }

int stop_signal() { return requested.load(); }
void request_stop(int signal) { requested.store(signal); }

}  // namespace yatlab

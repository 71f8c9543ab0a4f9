#pragma once

#include <malloc.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <ostream>
#include <string>

namespace yatlab::testing {

/// The cost of work in a child process, beyond what the process had before.
struct Cost {
  double seconds = 0;     ///< CPU time, user and system
  std::size_t bytes = 0;  ///< at the peak
  std::string outcome;    ///< "done", the first 4 kB of an exception's text, or how the process ended
};

inline std::ostream& operator<<(std::ostream& out, const Cost& cost) {
  return out << cost.seconds << " s, " << cost.bytes / 1000 << " kB, " << cost.outcome;
}

/// True where memory and time measurements mean nothing: a sanitizer uses memory of its own and is slow.
inline constexpr bool cost_is_distorted() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // GCC defines these
  return true;
#elif defined(__has_feature)  // clang needs a query
  return __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
  return false;
#endif
}

/// Runs `work` in a child process. Prepare its inputs beforehand, so that they are not counted.
inline Cost cost_of(const std::function<void()>& work) {
  ::malloc_trim(0);  // freed memory that malloc keeps would hide the child's allocations
  int ends[2];
  Cost cost;
  if (::pipe(ends) != 0) {
    cost.outcome = "no pipe";
    return cost;
  }
  const auto peak = [](int who) {
    rusage usage{};
    ::getrusage(who, &usage);
    return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
  };
  const auto child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
#ifdef _OPENMP
    ::omp_set_num_threads(1);  // the child would wait for this process's threads, which fork does not copy
#endif
    const rlimit hard{60, 60};
    ::setrlimit(RLIMIT_CPU, &hard);
    struct {
      std::size_t before;
      char outcome[4096];
    } said{peak(RUSAGE_SELF), "done"};
    try {
      work();
    } catch (const std::exception& e) {
      std::string(e.what()).copy(said.outcome, sizeof said.outcome - 1);
      said.outcome[std::min(sizeof said.outcome - 1, std::string(e.what()).size())] = 0;
    }
    const auto written = ::write(ends[1], &said, sizeof said);
    ::_exit(written == sizeof said ? 0 : 1);
  }
  ::close(ends[1]);
  struct {
    std::size_t before = 0;
    char outcome[4096] = {};
  } said;
  const auto got = ::read(ends[0], &said, sizeof said);
  ::close(ends[0]);
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
  cost.seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  const auto whole = static_cast<std::size_t>(usage.ru_maxrss) * 1024;
  cost.bytes = whole - std::min(whole, said.before);
  cost.outcome = got == sizeof said ? said.outcome : WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) : "no answer";
  return cost;
}

}  // namespace yatlab::testing

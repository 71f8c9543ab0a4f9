#include "core/system/start_threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <system_error>

#include "core/base/error.h"

namespace yatlab {

std::vector<std::thread> start_threads(std::size_t count, const std::function<void()>& work) {
  std::promise<bool> all_are_there;
  const auto may_begin = all_are_there.get_future().share();
  std::vector<std::thread> out;
  out.reserve(count);
  try {
    while (out.size() < count) {
      out.emplace_back([may_begin, work] {
        if (may_begin.get()) work();
      });
    }
  } catch (const std::system_error& e) {
    all_are_there.set_value(false);
    for (auto& thread : out) thread.join();
    throw Error(ErrorKind::kFile, fmt::format("cannot start {} threads", count), {},
                fmt::format("the system refused more than {}: {} (ulimit -u shows the limit per user)", out.size(), e.code().message()),
                "use fewer launcher.workers or trainer.threads");
  }
  all_are_there.set_value(true);
  return out;
}

void for_each_below(std::size_t count, const std::function<void(std::size_t)>& work) {
  constexpr std::size_t kMostThreads = 8, kEach = 64;
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr thrown;
  std::size_t thrown_by = count;
  const auto take = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        next = count;
        const std::lock_guard<std::mutex> lock(mutex);
        if (i < thrown_by) thrown = std::current_exception(), thrown_by = i;
      }
    }
  };
  const auto processors = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMostThreads);
  std::vector<std::thread> others;
  try {
    others = start_threads(std::min(count / kEach, processors - 1), take);
  } catch (const Error&) {  // the system has no more: this thread does all
  }
  take();
  for (auto& thread : others) thread.join();
  if (thrown) std::rethrow_exception(thrown);
}

void require_threads(std::size_t count) {
  for (auto& thread : start_threads(count, [] {})) thread.join();
}

}  // namespace yatlab

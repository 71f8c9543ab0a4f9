#include "core/system/start_threads.h"

#include <fmt/format.h>

#include <future>
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

void require_threads(std::size_t count) {
  for (auto& thread : start_threads(count, [] {})) thread.join();
}

}  // namespace yatlab

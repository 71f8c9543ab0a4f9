#pragma once

#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace yatlab {

/// So many threads, all of which do `work`; none does where the system has not enough of them: then a file error, which interrupts a job and
/// is not a fault of it. For whoever joins them. `work` does not throw.
std::vector<std::thread> start_threads(std::size_t count, const std::function<void()>& work);

/// The same error where so many more threads are not to be had: libraries that start their own end the process then.
void require_threads(std::size_t count);

}  // namespace yatlab

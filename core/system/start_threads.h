#pragma once

#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace yatlab {

/// Starts `count` threads that run `work`, or none: if the system lacks threads, throws a file error, which interrupts a job without
/// marking it failed. The caller must join them. `work` must not throw.
std::vector<std::thread> start_threads(std::size_t count, const std::function<void()>& work);

/// Calls `work` with each number below `count`, on several threads if there are hundreds of numbers. For short work whose calls do not
/// depend on each other. Throws what the call with the lowest number threw.
void for_each_below(std::size_t count, const std::function<void(std::size_t)>& work);

/// Throws the same error if `count` more threads are not available: libraries that start their own threads would end the process.
void require_threads(std::size_t count);

}  // namespace yatlab

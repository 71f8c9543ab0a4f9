// Programs that commands run: tests, benchmarks, fuzz targets.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/base/files.h"

namespace yatlab::cli {

/// Programs in `folder` whose names begin with `prefix`: those named in `words` (without the prefix, in that order), or all, sorted. Config error
/// if there are none (`hint` says how to build them) or none of that name.
std::vector<fs::path> chosen_programs(const fs::path& folder, const std::string& prefix, const std::vector<std::string>& words,
                                      const std::string& hint);

/// Replaces the process with `program` (execv). Returns only if that fails, with errno set.
void exec_program(const fs::path& program, const std::vector<std::string>& arguments);

/// Runs a program with this process's input and output, and forwards stop requests (core/system/stop.h) to it. Returns its exit status, or
/// 128 + signal.
int run_in_foreground(const fs::path& program, const std::vector<std::string>& arguments);

/// The same with its output in `file`. It is not a pipe, because a child that outlives the program would keep a pipe open.
int run_into(const fs::path& file, const fs::path& program, const std::vector<std::string>& arguments);

/// Calls `work(i)` for every i below `count`, up to `workers` at the same time; starts no further ones after a stop request.
void each_of(std::size_t count, std::size_t workers, const std::function<void(std::size_t)>& work);

/// Prints the last lines of a command that ran programs: after a stop request how many are `left`, then "N passed, N failed". Returns its exit
/// code.
int print_counts(std::size_t passed, std::size_t failed, std::size_t left);

}  // namespace yatlab::cli

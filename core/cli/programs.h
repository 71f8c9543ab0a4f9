// Programs that commands run: tests, benchmarks, fuzz targets.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/base/files.h"

namespace yatlab::cli {

/// Programs in `folder` whose names begin with `prefix`, sorted; those that `words` name without it, in that order, or all of
/// them. Config errors: there are none (`hint` says how they are made), or none of that name.
std::vector<fs::path> chosen_programs(const fs::path& folder, const std::string& prefix, const std::vector<std::string>& words,
                                      const std::string& hint);

/// The process becomes `program`. Returns only where that cannot be started, with errno set.
void exec_program(const fs::path& program, const std::vector<std::string>& arguments);

/// Runs a program with this one's input and output; a request to stop (core/system/stop.h) is passed on to it. Its exit status, or
/// 128 + signal.
int run_in_foreground(const fs::path& program, const std::vector<std::string>& arguments);

/// The same with its output in `file`. Not in a pipe, which a process that the program left behind would keep open.
int run_into(const fs::path& file, const fs::path& program, const std::vector<std::string>& arguments);

/// Calls `work(i)` for every i below `count`, up to `workers` at the same time; for no other once somebody has asked to stop.
void each_of(std::size_t count, std::size_t workers, const std::function<void(std::size_t)>& work);

/// The last lines of a command that ran programs: "N passed, N failed", and before it how many are `left`, when somebody asked to stop.
/// Its exit code.
int print_counts(std::size_t passed, std::size_t failed, std::size_t left);

}  // namespace yatlab::cli

#pragma once

#include "core/base/files.h"
#include "core/base/output_file.h"

namespace yatlab {

/// Keeps other processes from running the job while the returned lock exists. Waits some seconds for a process that was just told to stop and is
/// still saving; then throws a config error.
OutputFile lock_job(const fs::path& directory);

}  // namespace yatlab

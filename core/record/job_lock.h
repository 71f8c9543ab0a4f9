#pragma once

#include "core/base/files.h"
#include "core/base/output_file.h"

namespace yatlab {

/// Keeps other processes from doing the job, as long as it lives. Waits some seconds for one that was told to stop a moment ago and still saves;
/// then a config error.
OutputFile lock_job(const fs::path& directory);

}  // namespace yatlab

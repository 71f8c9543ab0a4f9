#include "core/record/job_lock.h"

#include <chrono>
#include <thread>

#include "core/base/error.h"
#include "core/system/file_lock.h"

namespace yatlab {

OutputFile lock_job(const fs::path& directory) {
  OutputFile held(directory / "job.yaml", OutputFile::Mode::kUpdate);
  bool free = try_lock(held.descriptor());
  for (int waited = 0; !free && waited < 100; ++waited) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    free = try_lock(held.descriptor());
  }
  if (free) return held;
  throw config_error("this job is already running", directory.string(), "another process holds its lock", "wait for it");
}

}  // namespace yatlab

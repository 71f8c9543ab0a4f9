#pragma once

#include <map>
#include <string>
#include <system_error>

#include "catch.h"
#include "cli/support.h"

namespace yatlab::testing {

/// The jobs' files of an experiment's run on threads, without interruption.
inline std::map<std::string, std::string> undisturbed_files(const std::string& experiment) {
  const Desk desk(experiment);
  REQUIRE(desk.ask({"tiny.yaml", "--quiet"}).status == 0);
  return job_files(desk.run());
}

/// Whether a job of a run has any checkpoint to resume from; those of early steps are soon deleted.
inline bool has_checkpoint(const fs::path& job) {
  std::error_code ec;
  for (fs::directory_iterator it(job / "checkpoints", ec), end; !ec && it != end; it.increment(ec)) {
    std::error_code gone;
    if (fs::exists(it->path() / "manifest.json", gone)) return true;
  }
  return false;
}

}  // namespace yatlab::testing

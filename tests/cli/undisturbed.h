#pragma once

#include <map>
#include <string>

#include "catch.h"
#include "cli/support.h"

namespace yatlab::testing {

/// The jobs' files of an experiment's run with nothing but threads, which nobody disturbs.
inline std::map<std::string, std::string> undisturbed_files(const std::string& experiment) {
  const Desk desk(experiment);
  REQUIRE(desk.ask({"tiny.yaml", "--quiet"}).status == 0);
  return job_files(desk.run());
}

}  // namespace yatlab::testing

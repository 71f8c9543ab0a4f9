#pragma once

#include <string>

#include "catch.h"
#include "core/verdict/evidence.h"

namespace yatlab::testing {

/// The check whose text starts with `start`.
inline Check named(const Evidence& evidence, const std::string& start) {
  for (const auto& check : evidence.checks()) {
    if (check.what.rfind(start, 0) == 0) return check;
  }
  FAIL("no check starts with '" << start << "'");
  return {};
}

/// Whether the statement, or a part of it, is found false.
inline bool false_in_part(ClaimStatus status) { return status == ClaimStatus::kRefuted || status == ClaimStatus::kPartlyFalse; }

}  // namespace yatlab::testing

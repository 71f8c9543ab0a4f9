// Tests that run on the fast body and on the general one.
#pragma once

#include <optional>

#include "catch.h"
#include "core/ops/kernel_choice.h"

namespace yatlab::testing {

/// As the first thing in a test case: it runs once on each.
class EitherBody {
 public:
  explicit EitherBody(bool general) {
    if (general) general_.emplace();
  }

 private:
  std::optional<ForceGenericKernels> general_;
};

}  // namespace yatlab::testing

#define ON_EITHER_BODY                                            \
  const bool on_general_body = GENERATE(false, true);             \
  const yatlab::testing::EitherBody either_body(on_general_body); \
  INFO((on_general_body ? "general body" : "fast body"))

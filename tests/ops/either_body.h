// Tests that run both the fast body and the general one.
#pragma once

#include <optional>

#include "catch.h"
#include "core/ops/kernel_choice.h"

namespace yatlab::testing {

/// Put it first in a test case, which then runs once with each body.
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
  INFO((on_general_body ? "generic kernels" : "fast kernels"))

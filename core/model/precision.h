#pragma once

#include <c10/core/ScalarType.h>

#include "core/registry/fields.h"

namespace yatlab {

/// What a model's products are taken in; its parameters are float32 in any case.
enum class Precision { kFloat, kBFloat16 };

/// Declares `precision`. `doc`: of what, and what stays float32.
inline void declare_precision(Fields& f, Precision& target, const char* doc) {
  f.choice("precision", target, {{"float32", Precision::kFloat}, {"bfloat16", Precision::kBFloat16}}, doc);
}

/// Of values that are `given` now: theirs, or bfloat16.
inline c10::ScalarType computed_in(Precision precision, c10::ScalarType given) {
  return precision == Precision::kBFloat16 ? c10::ScalarType::BFloat16 : given;
}

}  // namespace yatlab

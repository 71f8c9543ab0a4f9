#pragma once

#include <c10/core/ScalarType.h>

#include "core/registry/fields.h"

namespace yatlab {

/// The type in which a model computes its products; its parameters are always float32. On CPUs without fast bfloat16 instructions all products
/// of bfloat16 matrices in the process are computed in float32 and rounded; LibTorch's own take up to 40 times as long
/// (docs/measurements/performance.md).
enum class Precision { kFloat, kBFloat16 };

/// Declares the setting `precision`. `doc`: what it applies to, and what stays float32.
inline void declare_precision(Fields& f, Precision& target, const char* doc) {
  f.choice("precision", target, {{"float32", Precision::kFloat}, {"bfloat16", Precision::kBFloat16}}, doc);
}

/// The type in which to compute with values of type `given`: the same type, or bfloat16.
inline c10::ScalarType computed_in(Precision precision, c10::ScalarType given) {
  return precision == Precision::kBFloat16 ? c10::ScalarType::BFloat16 : given;
}

}  // namespace yatlab

#pragma once

#include <c10/util/BFloat16.h>

#include "core/ops/yat_kernel.h"

namespace yatlab {

/// How our kernels represent ATen's element types in memory.
template <class T>
struct KernelType {
  using type = T;
};
template <>
struct KernelType<c10::BFloat16> {
  using type = kernel::Bf16;
};

}  // namespace yatlab

#pragma once

namespace yatlab {

/// The errno of the first failed write to a standard stream (core/base/print.h); 0 if none failed.
int print_error() noexcept;

}  // namespace yatlab

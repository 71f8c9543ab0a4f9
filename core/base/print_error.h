#pragma once

namespace yatlab {

/// The errno of the first text that a standard stream did not take (core/base/print.h); 0 if there was none.
int print_error() noexcept;

}  // namespace yatlab

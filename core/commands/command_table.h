#pragma once

#include "core/cli/command.h"

namespace yatlab::cli {

/// Declares all commands. Both programs have all of them, but `yatlab` passes some on to `yatlab-torch` (full_program.h). Call it first in main.
void use_all_commands();

}  // namespace yatlab::cli

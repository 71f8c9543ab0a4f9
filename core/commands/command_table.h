#pragma once

#include "core/cli/command.h"

namespace yatlab::cli {

/// Both programs have all commands, each its own way of doing them (passed_on.h). First in main.
void use_all_commands();

}  // namespace yatlab::cli

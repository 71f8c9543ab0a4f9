#pragma once

#include "core/cli/command.h"

namespace yatlab::cli {

/// Whether a command needs LibTorch, or the tables of components.
bool needs_full_program(const Command& command);

/// Makes the commands of packs start the full program, except those that do not need LibTorch. Call it after use_all_commands().
void run_pack_commands_in_full_program();

/// Replaces this process with yatlab-torch from the same folder, with these arguments. The process id, signals and exit code stay the same for
/// the shell. Config error if it is missing.
[[noreturn]] void exec_full_program(const std::vector<std::string>& words);

}  // namespace yatlab::cli

#pragma once

#include "core/cli/command.h"

namespace yatlab::cli {

/// Whether a command needs LibTorch, or the tables of components.
bool is_passed_on(const Command& command);

/// Except those without LibTorch. After use_all_commands().
void pass_on_commands_of_packs();

/// Becomes yatlab-torch, which lies beside this program, with these words: the process and so its id, signals and exit code are the
/// shell's own. Config error where that is not there.
[[noreturn]] void pass_on(const std::vector<std::string>& words);

}  // namespace yatlab::cli

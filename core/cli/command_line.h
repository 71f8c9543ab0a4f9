#pragma once

#include <string>
#include <vector>

#include "core/cli/command.h"

namespace yatlab::cli {

/// What was typed, taken apart: options may stand before the command or the experiment, or behind.
struct CommandLine {
  const Command* command = nullptr;    ///< nullptr: none, and no experiment either
  std::vector<std::string> arguments;  ///< the command's: options, then words
};

/// `words` without the program's name. An experiment instead of a command is run; Hydra's flags mean what they can mean
/// (see hydra.h). Config errors for what is neither a command nor an experiment, and for options that no command has.
CommandLine read_command_line(const std::vector<std::string>& words);

/// The option of any command that a word is ("--plugin", "--plugin=x", "-m"); nullptr for other words.
const Option* find_option(const std::vector<Option>& options, const std::string& word);

/// Options of all commands, each name once.
const std::vector<Option>& all_options();

}  // namespace yatlab::cli

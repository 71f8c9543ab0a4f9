#pragma once

#include <string>
#include <vector>

#include "core/cli/command.h"

namespace yatlab::cli {

/// The parsed command line. Options may come before or after the command or the experiment.
struct CommandLine {
  const Command* command = nullptr;    ///< nullptr: neither a command nor an experiment was typed
  std::vector<std::string> arguments;  ///< the command's: options, then words
};

/// `words` do not contain the program's name. An experiment without a command is run; for Hydra's flags see hydra.h. Config errors for words that
/// are neither a command nor an experiment, and for options that no command has.
CommandLine read_command_line(const std::vector<std::string>& words);

/// The option, of any command, that a word names ("--plugin", "--plugin=x", "-m"); nullptr for other words.
const Option* find_option(const std::vector<Option>& options, const std::string& word);

/// Options of all commands, each name once.
const std::vector<Option>& all_options();

}  // namespace yatlab::cli

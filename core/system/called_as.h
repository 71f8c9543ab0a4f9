#pragma once

#include <string>
#include <string_view>

namespace yatlab {

/// The command by which this program was called, as a shell word: "./run.sh" (run.sh sets YATLAB_CALLED_AS), else "yatlab".
std::string called_as();

/// Rewrites the commands in a text, such as "yatlab list operator", to what users type: "./run.sh list operator".
std::string as_called(std::string_view text);

/// The same for an error's text: rewrites its reasons and suggestions, but not quoted user input.
std::string error_as_called(std::string_view text);

}  // namespace yatlab

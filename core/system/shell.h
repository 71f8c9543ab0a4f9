#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace yatlab {

/// `word` as one word of a POSIX shell, quoted if necessary.
std::string shell_word(std::string_view word);

/// The words of a command, quoted for a shell.
std::string shell_command(const std::vector<std::string>& words);

/// Evaluates the quotes and backslashes of a word as a shell does; an unclosed quote ends with the word.
std::string without_shell_quotes(std::string_view word);

}  // namespace yatlab

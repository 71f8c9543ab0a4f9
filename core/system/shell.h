#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace yatlab {

/// `word` as one word of a POSIX shell: as it is where it is plain, else in quotes.
std::string shell_word(std::string_view word);

/// The words of a command, as they would be typed.
std::string shell_command(const std::vector<std::string>& words);

/// What a shell makes of a word that may hold quotes and backslashes; a quote that is still open ends with the word.
std::string without_shell_quotes(std::string_view word);

}  // namespace yatlab

#pragma once

#include <string>
#include <string_view>

namespace yatlab {

/// How this program was called, as a word of a shell: "./run.sh" (run.sh sets YATLAB_CALLED_AS), else "yatlab".
std::string called_as();

/// The commands in a text for people, "yatlab list operator", as one types them here: "./run.sh list operator".
std::string as_called(std::string_view text);

/// The same for the text of an error: in its reasons and proposals, not in what it quotes of the user's own words.
std::string error_as_called(std::string_view text);

}  // namespace yatlab

#pragma once

#include <string>
#include <string_view>

namespace yatlab {

/// WikiText's text in normal spelling: undoes its blanks around punctuation, brackets and quotes and its @-@, @,@ and @.@, line by line. GPT-2's
/// published perplexities are of texts without these "tokenization artifacts", removed by unpublished rules; these rules are similar to
/// others in use (Megatron-LM's evaluation has most of them), with quotes matched within a line.
std::string plain_wikitext(std::string_view text);

/// Words between white space.
std::size_t count_words(std::string_view text);

}  // namespace yatlab

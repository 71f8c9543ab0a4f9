#pragma once

#include <string>
#include <string_view>

namespace yatlab {

/// WikiText's text as people write it: its blanks around punctuation, brackets and quotes and its @-@, @,@ and @.@ undone, line by line. GPT-2's
/// published perplexities are of texts whose "tokenization artifacts" were undone so, by rules that were not published; these are in the manner of
/// those that others use (Megatron-LM's evaluation has most of them), with quotes matched within a line.
std::string plain_wikitext(std::string_view text);

/// Words between white space.
std::size_t count_words(std::string_view text);

}  // namespace yatlab

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/data/byte_pairs.h"
#include "core/model/language_model.h"

namespace yatlab {

/// How a language model is asked to go on.
struct SampleOptions {
  std::int64_t tokens = 200;    ///< at most so many
  std::int64_t context = 0;     ///< the model sees so many tokens at most; the oldest fall out
  std::int64_t vocabulary = 0;  ///< only the first so many tokens are drawn (the rest are padding); 0: all
  double temperature = 1;       ///< divides the logits; 0: always the likeliest
  std::int64_t top_k = 0;       ///< only among the k likeliest; 0: all
  std::uint64_t seed = 0;
  std::optional<Token> stop;  ///< ends the text
};

/// Throws a config error that names an option with a value that makes no sense, as `--tokens`, `--temperature`, `--top-k`.
void check_sampling(const SampleOptions& options);

/// Tokens behind `prompt` (not empty), drawn one by one; the same for the same seed and weights. `each` is called with every one, and ends it
/// all by returning false. Throws when the model's predictions are not numbers.
std::vector<Token> sample_tokens(LanguageModel& model, std::vector<Token> prompt, const SampleOptions& options,
                                 const std::function<bool(Token)>& each = {});

}  // namespace yatlab

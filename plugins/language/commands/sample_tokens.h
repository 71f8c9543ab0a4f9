#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/data/byte_pairs.h"
#include "core/model/language_model.h"

namespace yatlab {

/// How to sample a continuation from a language model.
struct SampleOptions {
  std::int64_t tokens = 200;    ///< maximum number of new tokens
  std::int64_t context = 0;     ///< maximum number of tokens that the model sees: the newest ones
  std::int64_t vocabulary = 0;  ///< number of tokens that may be drawn, the first ones (the rest are padding); 0: all
  double temperature = 1;       ///< divides the logits; 0: always the likeliest
  std::int64_t top_k = 0;       ///< draws only from the k likeliest; 0: from all
  std::uint64_t seed = 0;
  std::optional<Token> stop;  ///< ends the text
};

/// Config error for an invalid value; it names the option: `--tokens`, `--temperature`, `--top-k`.
void check_sampling(const SampleOptions& options);

/// Draws tokens that follow `prompt` (not empty), one by one; the same for the same seed and weights. Calls `each` with every token, and stops if
/// it returns false. Throws if the model's predictions are not finite.
std::vector<Token> sample_tokens(LanguageModel& model, std::vector<Token> prompt, const SampleOptions& options,
                                 const std::function<bool(Token)>& each = {});

}  // namespace yatlab

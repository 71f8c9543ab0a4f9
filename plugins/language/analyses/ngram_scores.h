#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace yatlab {

/// Text as language models read it: windows [N, T] of tokens (int64, or the bits of uint16 as int16); targets are shifted by one position.
struct TextWindows {
  at::Tensor inputs, targets;
};

/// Mean -log p of the test targets in nats, for n-gram models of order 1 .. `orders` counted on the training windows. An order-n model reads the
/// n - 1 tokens before a target within its window, as the language model does. Probabilities are interpolated (Witten & Bell 1991):
///
///     p_n(w | h) = (c(h w) + t(h) p_{n-1}(w | h')) / (c(h) + t(h)),   p_0 = 1 / vocabulary,
///
/// where c(h) counts the targets seen after h, t(h) the distinct ones, and h' is the context without its oldest token. A context that was not
/// seen, or that does not fit into the window, falls back to the order below. Contexts are identified by a 64-bit hash. Memory: up to 40
/// bytes per training token.
std::vector<double> ngram_losses(const TextWindows& train, const TextWindows& test, std::int64_t vocabulary, std::int64_t orders);

}  // namespace yatlab

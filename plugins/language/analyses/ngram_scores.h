#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace yatlab {

/// Text as language models see it: windows [N, T] of tokens (int64, or the bits of uint16 as int16), the targets one place further on.
struct TextWindows {
  at::Tensor inputs, targets;
};

/// Mean -log p of the test targets in nats, for n-gram models of order 1 .. `orders` counted on the training windows. An order n sees the n - 1
/// tokens before a target, of the same window, as the language model does. Probabilities are interpolated (Witten & Bell 1991):
///
///     p_n(w | h) = (c(h w) + t(h) p_{n-1}(w | h')) / (c(h) + t(h)),   p_0 = 1 / vocabulary,
///
/// with c(h) the targets seen after h, t(h) how many different ones, h' the context without its oldest token; a context that was not seen, or
/// that a window has no room for, leaves it to the order below. Contexts are told apart by 64 bits of hash. Up to 40
/// bytes a training token are held.
std::vector<double> ngram_losses(const TextWindows& train, const TextWindows& test, std::int64_t vocabulary, std::int64_t orders);

}  // namespace yatlab

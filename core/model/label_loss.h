#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "core/model/label_scorer.h"

namespace yatlab {

struct LabelLossOptions {
  enum class Kind {
    kSoftmax,   ///< cross-entropy of softmax against labels normalized to sum to 1
    kOneVsAll,  ///< binary cross-entropy of every label's sigmoid, summed over labels
  };
  Kind kind = Kind::kSoftmax;
  std::int64_t block = 0;  ///< labels per block; 0: all
};

/// The loss of queries [B, d] against CSR targets [B, L] (non-zero: the label applies), mean over the batch. Differentiable once, in the queries, in
/// `scorer.label_rows()` and `scorer.score_parameters()`.
///
/// In a stack of S: queries [S, B, d], label rows [S, L, d], targets [S * B, L], concatenated by member -> losses [S]; on the CPU only.
///
/// With logits z = log(max(E, floor)), softmax(z) = E / sum E: softermax of power 1. The sigmoid is E / (1 + E): soft-sigmoid of power 1. Neither
/// computes an exponential or, except for true labels, a logarithm.
///
/// Gradients are computed in the forward pass, so that only one block of scores and its gradient, [B, block] each, are in memory. With several
/// blocks, softmax iterates over the labels twice: once for the sum, once for the gradients. Rows without labels add 0 to the softmax loss.
Tensor label_loss(const LabelScorer& scorer, const Tensor& queries, const Tensor& targets, const LabelLossOptions& options);

}  // namespace yatlab

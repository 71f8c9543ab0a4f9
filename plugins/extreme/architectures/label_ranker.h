#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace yatlab {

using at::Tensor;

/// The best k labels of every row, best first.
struct TopK {
  Tensor indices;      ///< [B, k] int64; -1 fills up rows that rank fewer than k labels
  Tensor scores;       ///< [B, k] float32, descending along a row; -inf where the index is -1
  bool finite = true;  ///< all scores of labels were finite, including those not among the best
};

/// Implemented by an Architecture that can rank labels without a dense [B, labels] score matrix. A task
/// that needs only the head of the ranking looks for it with dynamic_cast.
class LabelRanker {
 public:
  virtual ~LabelRanker() = default;

  /// inputs: [B, F], dense or sparse CSR. Scores are computed over blocks of labels; of two equal scores the
  /// lower label index ranks first. No gradients. k is at most the number of labels.
  virtual TopK top_k(const Tensor& inputs, std::int64_t k) = 0;
};

}  // namespace yatlab

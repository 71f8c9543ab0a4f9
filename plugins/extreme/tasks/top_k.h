#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "plugins/extreme/architectures/label_ranker.h"

namespace yatlab {

/// The order of every ranking in Yatlab: a label comes before another when its score is higher, or when
/// the scores are equal and its index is lower. NaN counts as lower than every number. So a ranking
/// does not depend on the library's sort, on threads or on the size of label blocks.
inline bool ranks_before(float score_a, std::int64_t label_a, float score_b, std::int64_t label_b) {
  const bool nan_a = score_a != score_a, nan_b = score_b != score_b;
  if (nan_a != nan_b) return nan_b;
  if (!nan_a && score_a != score_b) return score_a > score_b;
  return label_a < label_b;
}

/// The k best labels of every row of a dense score matrix [B, L], in the order of `ranks_before`.
/// k may exceed L: the remaining entries have index -1, score -inf.
TopK top_k_labels(const Tensor& scores, std::int64_t k);

/// The same for scores that arrive in blocks of labels, so that at most one block of [B, L] is in memory.
class TopKMerger {
 public:
  TopKMerger(std::int64_t rows, std::int64_t k);

  /// scores: [rows, n] float32 of labels first .. first + n - 1. Blocks may be added in any order.
  void add(const Tensor& scores, std::int64_t first);
  /// One score of one label. Offer a label at most once per row. Different threads may offer to different rows.
  void offer(std::int64_t row, std::int64_t label, float score);
  /// The lowest score among the row's best k so far; -inf while there are fewer than k.
  float floor(std::int64_t row) const;
  /// The ranking of everything added; afterwards the merger is empty.
  TopK take();

 private:
  struct Entry {
    float score;
    std::int64_t label;
  };
  std::int64_t rows_, k_;
  std::vector<Entry> heap_;  // [rows, k], each row a heap with its worst entry on top
  std::vector<std::int64_t> size_;
  std::atomic<bool> finite_{true};
};

}  // namespace yatlab

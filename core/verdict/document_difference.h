#pragma once

#include <optional>
#include <vector>

#include "core/verdict/statistics.h"

namespace yatlab {

/// A difference of two language models' losses. Its uncertainty covers both other seeds and another validation text.
struct DocumentDifference {
  double difference = 0;  ///< nats per token, over all documents' tokens
  Interval ci95;          ///< over seeds and documents
  std::size_t seeds = 0, documents = 0;
};

/// a[s][d] and b[s][d]: sums of the losses of document d by two models of the same seed s; tokens[d]: the number of tokens in each sum.
///
/// The variance is that over seeds of the mean difference, plus that over documents of the difference averaged over seeds (a ratio of sums: documents
/// of other lengths might have been drawn, too); degrees of freedom by Satterthwaite. Effects of seed and document together are counted twice, so the
/// interval is slightly too wide rather than too narrow. It is never narrower than Student's interval over the seeds alone. Empty with fewer than two
/// seeds or two documents. Throws an internal error when sizes differ.
std::optional<DocumentDifference> document_difference(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b,
                                                      const std::vector<double>& tokens);

}  // namespace yatlab

#pragma once

#include <ATen/core/Tensor.h>

namespace yatlab {

/// How `embedding_mean` weights the entries of a row.
enum class BagWeights {
  kBinary,  ///< every non-zero feature equally: the plain mean of their embeddings
  kValues,  ///< by the feature's value: sum of v_f e_f over sum of |v_f|
};

/// The mean embedding of each row's features: table [F, d], bags [B, F] CSR -> [B, d]. Empty rows give
/// zeros. Differentiable once, in `table`; the mean is taken in the same pass as the sum.
///
/// In a stack of S: table [S, F, d], bags [S * B, F] (the rows of the members' batches, concatenated) -> [S, B, d]; on the CPU only.
///
/// With `sparse_gradient` the table's gradient is a coalesced COO tensor that holds the rows of the
/// features that occur, ascending; otherwise, and always on other devices, it is dense. The bytes do not depend on the number of threads.
at::Tensor embedding_mean(const at::Tensor& table, const at::Tensor& bags, BagWeights weights, bool sparse_gradient = true);

}  // namespace yatlab

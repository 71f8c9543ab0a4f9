#pragma once

#include <cstdint>

/// \file
/// The passes of `label_loss` over a block of scores [rows, labels], row-major. Does not depend on Torch.
namespace yatlab::kernel {

/// e^x to 2 units in the last place; 0 below -87.3, at most 3.3e38.
float exp_of(float x);

/// The log-sum-exp state of a row of logits over blocks: the sum of e^(z - top), or of E with the log link.
struct RowSum {
  double top;  ///< largest logit so far; 0 and unused with the log link
  double sum;
};

/// Adds n scores to `sum`. floor > 0: scores E with logits log(max(E, floor)); 0: scores are logits.
void add_to_sum(const float* scores, std::int64_t n, float floor, RowSum& sum);
void add_to_sum(const double* scores, std::int64_t n, double floor, RowSum& sum);

/// gradient[j] = weight * softmax(z)_j dz_j/dscore_j; `sum` must be complete.
void softmax_gradient(const float* scores, std::int64_t n, float floor, const RowSum& sum, double weight, float* gradient);
void softmax_gradient(const double* scores, std::int64_t n, double floor, const RowSum& sum, double weight, double* gradient);

/// Returns the sum of log(1 + e^z_j). gradient[j] = weight * sigmoid(z_j) dz_j/dscore_j unless it is null.
double one_vs_all(const float* scores, std::int64_t n, float floor, double weight, float* gradient);
double one_vs_all(const double* scores, std::int64_t n, double floor, double weight, double* gradient);

}  // namespace yatlab::kernel

#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/metric_doc.h"

namespace yatlab {

/// 1 / p_l of every label, where the propensity p_l is the probability that a true label l was observed by the annotators
/// (Jain, Prabhu, Varma 2016).
struct Propensities {
  at::Tensor inverse;  ///< [L] float64: 1 + C (N_l + B)^-A, with C = max(ln N - 1, 0) (B + 1)^A
  at::Tensor seen;     ///< [L] float64: the same, but 0 for labels without a training row
};

/// From the number of training rows of each label, label_counts [L] int64, among `rows` training rows.
/// A, B: 0.55, 1.5 in general; 0.5, 0.4 for WikiLSHTC; 0.6, 2.6 for Amazon. Jain's C has no max: with fewer than three rows it would be below 0
/// and p_l above 1. Here every p_l is then 1, and a ranking that finds all it can has PSP@k = 1. Throws a config error if 1 / p_l is not finite.
Propensities propensities(const at::Tensor& label_counts, std::int64_t rows, double a = 0.55, double b = 1.5);

/// Metrics of the head of a ranking, for every k of `ks`, under the names
///
///   P@k        mean over rows of (true labels among the first k) / k
///   nDCG@k     mean over rows of DCG / best DCG; DCG = sum over hits at rank i = 1 .. k of 1 / log2(i + 1);
///              the best has its min(k, true labels) hits in front
///   PSP@k      (mean over rows of sum over hits of 1 / p_l, over k) divided by the same mean for the best
///              possible first k, the true labels in descending order of 1 / p_l. A ratio of means: 1 is the best
///   PSnDCG@k   the same ratio of means with 1 / p_l weighted by 1 / log2(i + 1), each row's sum divided by
///              its sum over min(k, true labels) ranks of 1 / log2(i + 1)
///   recall@k   mean over rows of hits / true labels
///   coverage@k share of the labels occurring in `targets` that are hit in at least one row
///   psp_raw@k  what the paper calls PSP@k: mean over rows of (sum over hits of 1 / p_l) / k, where labels
///              unseen in training count 0, not divided by anything: it can exceed 1
///
/// Rows without a true label add 0 to every mean and count in its denominator. All sums are in double
/// precision and in row order, so the result does not depend on threads.
///
/// predicted: [N, K] int64, best first, K >= max(ks); -1 where a row has no further prediction. No
/// label may occur twice in a row. targets: [N, L] CSR (values are ignored). Without propensities
/// (undefined tensors) the three PS metrics are left out.
std::map<std::string, double> ranking_metrics(const at::Tensor& predicted, const at::Tensor& targets, const Propensities& propensities,
                                              const std::vector<std::int64_t>& ks = {1, 3, 5});

/// The metrics that `ranking_metrics` computes with propensities for the same `ks`.
std::vector<MetricDoc> ranking_metric_docs(const std::vector<std::int64_t>& ks = {1, 3, 5});

}  // namespace yatlab

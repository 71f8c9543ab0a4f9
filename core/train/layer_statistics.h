#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/model/architecture.h"
#include "core/train/task.h"

namespace yatlab {

/// Statistics of a language model's activations and gradients behind one block, on one batch. Index 0 of a list of them is the embeddings, which have
/// no attention and no block parameters.
struct LayerStatistics {
  double residual_rms = 0;                              ///< of the residual stream, over tokens and width
  double residual_largest = 0;                          ///< the same for the token where it is largest
  double gradient = 0;                                  ///< norm of the loss's gradient with respect to the residual stream
  double parameter_gradient = 0;                        ///< norm over the block's parameters
  double score_min = 0, score_mean = 0, score_max = 0;  ///< of the attention, over all visible pairs
  /// Entropy of the attention weights in nats, divided by that of equal weights; mean over queries and heads. 1: all visible keys have the same
  /// weight; 0: each query attends to one key only. The first query, which sees one key, does not count.
  double entropy = 0;
};

/// inputs, targets: [B, T] tokens. Runs the model in evaluation mode and leaves its gradients unchanged. Throws a config error for models that do not
/// report their layers (LanguageModel::watch).
std::vector<LayerStatistics> layer_statistics(Architecture& model, const Task& task, const at::Tensor& inputs, const at::Tensor& targets);

/// Metrics to watch while training, over all layers: "residual_rms" and "residual_largest" behind the last block, "gradient_embeddings", "score_max",
/// "attention_entropy" (the mean) and "attention_entropy_min".
Metrics layer_summary(const std::vector<LayerStatistics>& layers);
/// The metrics that it returns.
std::vector<MetricDoc> layer_summary_docs();

}  // namespace yatlab

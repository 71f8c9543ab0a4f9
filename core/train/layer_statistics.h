#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/model/architecture.h"
#include "core/train/task.h"

namespace yatlab {

/// What flows through a language model behind one block on one batch, and back. Index 0 of a list of them is the embeddings, which have
/// no attention and no parameters of a block.
struct LayerStatistics {
  double residual_rms = 0;                              ///< of the residual stream, over tokens and width
  double residual_largest = 0;                          ///< that of the token where it is largest
  double gradient = 0;                                  ///< norm of the loss's gradient with respect to the residual stream
  double parameter_gradient = 0;                        ///< norm over the block's parameters
  double score_min = 0, score_mean = 0, score_max = 0;  ///< of the attention, over all pairs that see each other
  /// Of the attention's weights in nats, over that of equal weights; mean over queries and heads. 1: all visible keys weigh the same;
  /// 0: each query looks at one alone. The first query, which has no choice, does not count.
  double entropy = 0;
};

/// inputs, targets: [B, T] tokens. The model in evaluation mode, its gradients as they were before. Throws a config error for models
/// that show nothing of their layers (LanguageModel::watch).
std::vector<LayerStatistics> layer_statistics(Architecture& model, const Task& task, const at::Tensor& inputs, const at::Tensor& targets);

/// What to watch while training, over all layers: "residual_rms" and "residual_largest" behind the last block, "gradient_embeddings",
/// "score_max", "attention_entropy" (the mean) and "attention_entropy_min".
Metrics layer_summary(const std::vector<LayerStatistics>& layers);
/// What it gives.
std::vector<MetricDoc> layer_summary_docs();

}  // namespace yatlab

#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace yatlab {

using at::Tensor;

/// Receives the values inside a model's layers: "residual" (layer 0: embeddings), "scores", ...; for analyses.
using LayerWatch = std::function<void(const char* what, std::int64_t layer, const Tensor& values)>;

/// A model that predicts the next token from the previous ones. An Architecture that also implements this can be trained and measured without
/// [tokens, vocabulary] scores in memory.
class LanguageModel {
 public:
  virtual ~LanguageModel() = default;
  /// tokens: [B, T], int64 or as stored in shards (int16, see `token_numbers`) -> [B, T, d]; position t depends only on tokens 0 .. t.
  /// Differentiable.
  virtual Tensor hidden(const Tensor& tokens) = 0;
  /// [rows, d]: logits are hidden · headᵀ. Rows from `vocabulary` on are padding and represent no token.
  virtual Tensor head() const = 0;
  /// Size of the vocabulary; 0: as many as the head has rows.
  virtual std::int64_t vocabulary() const { return 0; }
  /// From now on the backward pass recomputes each block instead of saving its intermediate values in the forward pass ("activation checkpointing").
  /// Results are the same. Models that do not support it ignore it.
  virtual void recompute(bool /*on*/) {}
  /// Floating point operations of one training step per token: 6 N + 6 L C T (llm.c), with N parameters, L layers, width C, and T tokens of context;
  /// 0: unknown.
  virtual double training_flops_per_token(std::int64_t /*context*/) const { return 0; }
  /// From now on `see` is called in every forward pass; an empty function stops it. Models without such values ignore it.
  virtual void watch(LayerWatch /*see*/) {}
};

/// int64 token numbers. Shards store them as uint16, which LibTorch reads as int16: this makes numbers from 32768 on positive again.
Tensor token_numbers(const Tensor& stored);

}  // namespace yatlab

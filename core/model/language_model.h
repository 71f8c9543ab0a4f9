#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace yatlab {

using at::Tensor;

/// Sees what passes through a model's layers: "residual" (layer 0: embeddings), "scores", ...; for analyses.
using LayerWatch = std::function<void(const char* what, std::int64_t layer, const Tensor& values)>;

/// A model that predicts the next token from what came before. An Architecture that implements this too can be
/// trained and measured without [tokens, vocabulary] scores in memory.
class LanguageModel {
 public:
  virtual ~LanguageModel() = default;
  /// tokens: [B, T], int64 or as shards store them (int16, see `token_numbers`) -> [B, T, d]; position t has seen tokens
  /// 0 .. t alone. Differentiable.
  virtual Tensor hidden(const Tensor& tokens) = 0;
  /// [rows, d]: logits are hidden · headᵀ. Rows from `vocabulary` on are padding and stand for no token.
  virtual Tensor head() const = 0;
  /// Tokens that there are; 0: as many as the head has rows.
  virtual std::int64_t vocabulary() const { return 0; }
  /// From now on the backward pass computes each block again instead of keeping what it made in the forward pass ("activation checkpointing").
  /// Results are the same. Models that cannot ignore it.
  virtual void recompute(bool /*on*/) {}
  /// Floating point operations of one training step, for each token: 6 N + 6 L C T (llm.c), with N parameters, L layers, C wide, T tokens
  /// of context; 0: not known.
  virtual double training_flops_per_token(std::int64_t /*context*/) const { return 0; }
  /// From now on `see` is called in every forward pass; an empty one ends it. Models that have nothing to show ignore it.
  virtual void watch(LayerWatch /*see*/) {}
};

/// int64 token numbers. Shards store them as uint16, which LibTorch reads as int16: numbers from 32768 on come back positive.
Tensor token_numbers(const Tensor& stored);

}  // namespace yatlab

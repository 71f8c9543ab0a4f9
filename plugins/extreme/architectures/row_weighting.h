#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "core/registry/fields.h"

namespace yatlab {

/// How a classical model weights features before it uses them.
struct RowWeighting {
  enum class Kind {
    kAsGiven,
    kUnit,   ///< rows of unit Euclidean length
    kTfidf,  ///< times ln(rows / rows that have the feature), from the training split; then unit length
  };

  /// The factor of each feature [F] float32, from the training rows (CSR).
  static at::Tensor feature_weights(Kind kind, const at::Tensor& train);
  /// CSR rows with the weights applied.
  static at::Tensor apply(Kind kind, const at::Tensor& weights, const at::Tensor& rows);

  /// The field `values`.
  static void declare(Fields& f, Kind& kind);
};

/// Inputs of any kind as CSR rows [N, F] on the CPU: dense ones are flattened, and their zeros left out. Throws a config error, which names
/// `model`, for inputs on another device.
at::Tensor feature_rows(const at::Tensor& inputs, const std::string& model);

/// Targets of any kind as CSR rows [N, labels]: class indices [N] become one label per row.
at::Tensor label_rows(const at::Tensor& targets, std::int64_t labels);

}  // namespace yatlab

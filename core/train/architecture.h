#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/ops/normalizer.h"
#include "core/ops/operator.h"

namespace yatlab {

/// What an architecture is built from, besides its own parameters.
struct BuildContext {
  std::shared_ptr<Operator> op;            ///< the experiment's `operator`; may be null
  std::shared_ptr<Normalizer> normalizer;  ///< the experiment's `normalizer`; may be null
  std::vector<std::int64_t> input_shape;   ///< of one sample
  std::int64_t num_classes = 0;
  std::uint64_t seed = 0;                  ///< root of the "init" stream
};

/// A trainable model. Constructed from its Params; `build` creates parameters once shapes are known.
class Architecture : public torch::nn::Module {
 public:
  /// Creates and initialises parameters. Called exactly once, before `forward`.
  virtual void build(const BuildContext& context) = 0;

  /// inputs: [B, ...] -> scores (before any normalizer): [B, classes]
  virtual Tensor forward(const Tensor& inputs) = 0;

  /// Scalars worth logging beside the loss ("model/alpha", "prototypes/norm").
  virtual std::map<std::string, double> observables() const { return {}; }

  /// [n, d] class prototypes, when the model has such rows; undefined otherwise. Analyses that look
  /// at prototypes ask for it.
  virtual Tensor prototypes() const { return {}; }
  /// Replaces prototypes in place (prototype inversion: w -> -w).
  virtual void set_prototypes(const Tensor&);

  /// True when `forward` may return negative scores, given its operator and scale.
  virtual bool may_be_negative() const { return true; }
};

YATLAB_KIND(Architecture, "architecture", "a trainable model built from an operator")

}  // namespace yatlab

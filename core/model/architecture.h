#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/ops/normalizer.h"
#include "core/ops/operator.h"

namespace yatlab {

/// What an architecture is built from, besides its own parameters.
struct BuildContext {
  std::shared_ptr<Operator> op;            ///< the experiment's `operator`; may be null
  std::shared_ptr<Normalizer> normalizer;  ///< the experiment's `normalizer`; may be null
  std::vector<std::int64_t> input_shape;   ///< of one sample
  std::int64_t num_classes = 0;
  std::uint64_t seed = 0;  ///< root of the "init" stream
  Tensor samples = {};     ///< training inputs [N, ...], for initializers that start from them; undefined where nothing is trained
};

/// Input of a model that fits itself (Architecture::fit).
struct FitContext {
  const Split& train;
  const Split* validation = nullptr;  ///< null where the data set has none
  std::uint64_t seed = 0;             ///< root of the "fit" stream
  std::int64_t threads = 1;           ///< `trainer.threads`: how many threads of its own it may start
  /// Reports progress in units of the model's choice (labels, passes). Not thread-safe.
  std::function<void(std::int64_t done, std::int64_t total)> progress = [](std::int64_t, std::int64_t) {};
  /// True when the run must stop: `fit` then returns as soon as it can. Thread-safe.
  std::function<bool()> stop = [] { return false; };
};

/// A trainable model. Constructed from its Params; `build` creates parameters once shapes are known.
class Architecture : public torch::nn::Module {
 public:
  /// Creates and initialises parameters. Called exactly once, before `forward`.
  virtual void build(const BuildContext& context) = 0;

  /// inputs: [B, ...] -> scores (before any normalizer): [B, classes]
  virtual Tensor forward(const Tensor& inputs) = 0;

  /// The rank of this process among those that train the model: random draws differ from rank to rank.
  void set_rank(std::int64_t rank) { rank_ = rank; }
  std::int64_t rank() const { return rank_; }

  /// True for models without gradient steps (nearest neighbours, coordinate descent). The trainer then calls `fit` once instead of its
  /// loop, and evaluates; it ignores optimizer, schedule, task loss, epochs and batch size.
  virtual bool fits_itself() const { return false; }
  /// Fits the model to the training split. After an interruption the next run starts it again. State to keep must be a registered
  /// parameter or buffer. Throws unless overridden.
  virtual void fit(const FitContext& context);

  /// Scalars to log with the loss ("model/alpha", "prototypes/norm").
  virtual std::map<std::string, double> observables() const { return {}; }

  /// Class prototypes [n, d], for analyses; undefined where the model has none.
  virtual Tensor prototypes() const { return {}; }
  /// Replaces the prototypes in place (prototype inversion: w -> -w). Throws a config error unless overridden.
  virtual void set_prototypes(const Tensor&);

  /// A small model with the same parts, observables and requirements. Planning builds it instead of this one, which may be large.
  /// Null: planning builds this one, for the shape of the data.
  virtual std::shared_ptr<Architecture> miniature() const { return nullptr; }

  /// True when `forward` may return negative scores, given its operator and scale.
  virtual bool may_be_negative() const { return true; }

 private:
  std::int64_t rank_ = 0;
};

YATLAB_KIND(Architecture, "architecture", "a trainable model built from an operator")

}  // namespace yatlab

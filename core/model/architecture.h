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

/// What a model that fits itself is given (Architecture::fit).
struct FitContext {
  const Split& train;
  const Split* validation = nullptr;  ///< null when the data set holds none back
  std::uint64_t seed = 0;             ///< root of the "fit" stream
  std::int64_t threads = 1;           ///< `trainer.threads`: how many threads of its own it may start
  /// How much is done of how much, in units of the model's choice (labels, passes). From one thread at a time.
  std::function<void(std::int64_t done, std::int64_t total)> progress = [](std::int64_t, std::int64_t) {};
  /// True when the run was asked to end: `fit` then returns as soon as it can. Safe from every thread.
  std::function<bool()> stop = [] { return false; };
};

/// A trainable model. Constructed from its Params; `build` creates parameters once shapes are known.
class Architecture : public torch::nn::Module {
 public:
  /// Creates and initialises parameters. Called exactly once, before `forward`.
  virtual void build(const BuildContext& context) = 0;

  /// inputs: [B, ...] -> scores (before any normalizer): [B, classes]
  virtual Tensor forward(const Tensor& inputs) = 0;

  /// Which of the processes that train it together this model is in: what it draws at random differs from rank to rank.
  void set_rank(std::int64_t rank) { rank_ = rank; }
  std::int64_t rank() const { return rank_; }

  /// True for models that no gradient step trains (nearest neighbours, coordinate descent). The trainer
  /// then calls `fit` once, in place of its loop, and evaluates; optimizer, schedule, task loss, epochs
  /// and batch size play no part.
  virtual bool fits_itself() const { return false; }
  /// Fits the model to the training split. A fit that `stop()` cut short starts afresh in the next run.
  /// What is to outlive the run must be a registered parameter or buffer. Throws unless overridden.
  virtual void fit(const FitContext& context);

  /// Scalars worth logging beside the loss ("model/alpha", "prototypes/norm").
  virtual std::map<std::string, double> observables() const { return {}; }

  /// [n, d] class prototypes, when the model has such rows; undefined otherwise. Analyses that look
  /// at prototypes ask for it.
  virtual Tensor prototypes() const { return {}; }
  /// Replaces prototypes in place (prototype inversion: w -> -w).
  virtual void set_prototypes(const Tensor&);

  /// A small model with the same parts: the same observables, and the same demands on its operator and data. Planning builds it in place
  /// of this one, which may be large. Null: this one is built, for the shape of the data.
  virtual std::shared_ptr<Architecture> miniature() const { return nullptr; }

  /// True when `forward` may return negative scores, given its operator and scale.
  virtual bool may_be_negative() const { return true; }

  /// True when it trains in a stack (core/train/training_stack.h): with parameters and buffers of shape [S, ...] `forward` then takes
  /// inputs [G, B, ...] and returns the members' scores [S, B, classes]. G divides S: the first S / G members see the first batch, and so on.
  /// Sparse inputs (core/data/sparse_rows.h) are [S * B, ...]: the rows of the members' batches one after the other.
  virtual bool stacks() const { return false; }
  /// False where a stack takes as long as its members alone: `launcher.stack=auto` leaves them so.
  virtual bool gains_in_stacks() const { return true; }
  /// Parameters that only say where the tensors start: they may differ from member to member.
  virtual std::vector<std::string> stacked_parameters() const { return {}; }

 private:
  std::int64_t rank_ = 0;
};

/// inputs: [B, ...] -> [B, d]; in a stack [G, B, sample], with samples of `sample_dims` dimensions -> [G, B, d]
Tensor flat_samples(const Tensor& inputs, std::size_t sample_dims);
/// A number of every member of a stack, as it multiplies what is [S, B, n]; a single number stays as it is.
Tensor for_members(const Tensor& number);

YATLAB_KIND(Architecture, "architecture", "a trainable model built from an operator")

}  // namespace yatlab

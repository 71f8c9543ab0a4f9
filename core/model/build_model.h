#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/data/dataset.h"
#include "core/model/architecture.h"
#include "core/model/checkpoint.h"

namespace yatlab {

/// The component that a config names, or null.
template <class T>
std::shared_ptr<T> optional_component(const Node& spec) {
  return spec.is_null() ? nullptr : Registry<T>::create(spec);
}

/// Builds the models of one job from its frozen config; all are identical.
class ModelBuilder {
 public:
  /// For samples of this shape and this many classes. Operator and normalizer are created here, once. samples: BuildContext::samples.
  ModelBuilder(const Node& config, std::vector<std::int64_t> input_shape, std::int64_t num_classes, std::uint64_t seed,
               Tensor samples = {});

  /// The model before the first step: randomly initialized, or loaded from `architecture.weights`.
  std::shared_ptr<Architecture> build() const;
  const std::shared_ptr<Operator>& op() const { return op_; }                    ///< may be null
  const std::shared_ptr<Normalizer>& normalizer() const { return normalizer_; }  ///< may be null

 private:
  Node architecture_;
  std::shared_ptr<Operator> op_;
  std::shared_ptr<Normalizer> normalizer_;
  std::vector<std::int64_t> input_shape_;
  std::int64_t num_classes_;
  std::uint64_t seed_;
  Tensor samples_;
};

/// A single sample of zeros in place of training samples, for models whose parameters are replaced at once.
Tensor no_samples(const std::vector<std::int64_t>& input_shape);

/// A model's parameters and buffers.
NamedTensors model_tensors(const Architecture& model);
/// Loads a checkpoint's tensors into the model. Throws a data error where they do not fit.
void restore_model(Architecture& model, const NamedTensors& tensors);

}  // namespace yatlab

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/data/permutation.h"
#include "core/model/initializer.h"

namespace yatlab {
namespace {

/// Every unit starts at a training sample: initial centres of radial basis functions, and of prototypes. No sample is used twice before all have been
/// used.
class TrainingSamples final : public Initializer {
 public:
  void fill(Tensor&, at::Generator) const override {
    throw config_error("initializer 'training_samples' gets no training samples here", {},
                       "it initializes weights on the inputs of a trained model, if the architecture passes the samples on",
                       "use architecture=one_hidden_layer, and this initializer as its 'init'");
  }
  void fill_from(const Tensor& samples, Tensor& weight, at::Generator generator) const override {
    if (samples.layout() != at::kStrided || samples.flatten(1).size(1) != weight.size(-1)) {
      throw config_error("initializer 'training_samples' needs dense samples with one value for each weight of a unit", {}, {},
                         "use a different initializer, or dense inputs");
    }
    auto rows = permutation(samples.size(0), generator.get<at::CPUGeneratorImpl>()->random64());
    for (auto i = samples.size(0); i < weight.size(0); ++i) rows.push_back(rows[static_cast<std::size_t>(i - samples.size(0))]);
    rows.resize(static_cast<std::size_t>(weight.size(0)));
    weight.copy_(samples.index_select(0, at::tensor(rows, samples.options().dtype(at::kLong))).flatten(1));
  }
};

YATLAB_REGISTER(Initializer, TrainingSamples, "training_samples", "units start at training samples, drawn at random");

}  // namespace
}  // namespace yatlab

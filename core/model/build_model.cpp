#include "core/model/build_model.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/failure.h"
#include "core/model/start_weights.h"

namespace yatlab {

ModelBuilder::ModelBuilder(const Node& config, std::vector<std::int64_t> input_shape, std::int64_t num_classes, std::uint64_t seed,
                           Tensor samples)
    : architecture_(config.at("architecture")),
      op_(optional_component<Operator>(config.at("operator"))),
      normalizer_(optional_component<Normalizer>(config.at("normalizer"))),
      input_shape_(std::move(input_shape)),
      num_classes_(num_classes),
      seed_(seed),
      samples_(std::move(samples)) {}

std::shared_ptr<Architecture> ModelBuilder::build() const {
  auto out = Registry<Architecture>::create(architecture_);
  BuildContext context;
  context.op = op_;
  context.normalizer = normalizer_;
  context.input_shape = input_shape_;
  context.num_classes = num_classes_;
  context.seed = seed_;
  context.samples = samples_;
  in_component("architecture", architecture_.at("name").as_string(), [&] { out->build(context); });
  start_from_weights(*out, architecture_, num_classes_);
  return out;
}

Tensor no_samples(const std::vector<std::int64_t>& input_shape) { return at::zeros(input_shape, at::kFloat).unsqueeze(0); }

NamedTensors model_tensors(const Architecture& model) {
  NamedTensors out;
  for (const auto& item : model.named_parameters()) out.emplace_back(item.key(), item.value().detach());
  for (const auto& item : model.named_buffers()) out.emplace_back(item.key(), item.value());
  return out;
}

void restore_model(Architecture& model, const NamedTensors& tensors) {
  const at::NoGradGuard no_grad;
  const std::map<std::string, Tensor> source(tensors.begin(), tensors.end());
  for (auto [name, tensor] : model_tensors(model)) {
    const auto it = source.find(name);
    // Tensors of a model that fits itself have the size of its data.
    const bool fits =
        it != source.end() && (it->second.sizes() == tensor.sizes() || (model.fits_itself() && it->second.dim() == tensor.dim()));
    if (!fits) {
      throw data_error(fmt::format("the checkpoint does not match the model: '{}'", name), {},
                       "it was written by a different version of this job", "start again with --fresh");
    }
    if (it->second.sizes() == tensor.sizes()) {
      tensor.copy_(it->second);
    } else {
      tensor.set_data(it->second.to(tensor.device()));
    }
  }
}

}  // namespace yatlab

#include "core/train/patch_layer.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

#include "core/train/recompute.h"

namespace yatlab {

PatchLayer::PatchLayer(std::shared_ptr<Nmn> nmn, const PatchShape& shape, std::int64_t most_numbers)
    : nmn_(std::move(nmn)), shape_(shape), most_numbers_(most_numbers) {}

Tensor PatchLayer::scores(const Tensor& images) const {
  const Tensor x = patches(images, shape_);
  const auto k = shape_.kernel;
  const Tensor w = nmn_->weight.unflatten(1, {images.size(3), k, k}).permute({0, 2, 3, 1}).flatten(1);
  return nmn_->op().scaled_scores(x.flatten(0, 2), w, nmn_->bias, nmn_->factor()).reshape({x.size(0), x.size(1), x.size(2), w.size(0)});
}

Tensor PatchLayer::forward(const Tensor& images) const {
  const auto each = shape_.windows(images.size(1)) * shape_.windows(images.size(2)) * nmn_->options().inputs;
  const auto samples = images.size(0), tile = std::max<std::int64_t>(1, most_numbers_ / each);
  if (samples <= tile) return scores(images);
  auto learned = nmn_->parameters();
  for (const auto& [name, tensor] : nmn_->op().parameters()) learned.push_back(tensor);
  std::vector<Tensor> parts;
  for (std::int64_t first = 0; first < samples; first += tile) {
    parts.push_back(
        recomputed([this](const Tensor& x) { return scores(x); }, images.narrow(0, first, std::min(tile, samples - first)), learned));
  }
  return at::cat(parts);
}

}  // namespace yatlab

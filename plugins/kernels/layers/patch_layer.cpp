#include "plugins/kernels/layers/patch_layer.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

#include "core/model/recompute.h"

namespace yatlab {
namespace {

Tensor window_scores(const Nmn& nmn, const PatchShape& shape, const Tensor& images) {
  const Tensor x = patches(images, shape);
  const auto k = shape.kernel;
  const Tensor w = nmn.weight.unflatten(1, {images.size(3), k, k}).permute({0, 2, 3, 1}).flatten(1);
  return nmn.op().scaled_scores(x.flatten(0, 2), w, nmn.bias, nmn.factor()).reshape({x.size(0), x.size(1), x.size(2), w.size(0)});
}

}  // namespace

PatchLayer::PatchLayer(std::shared_ptr<Nmn> nmn, const PatchShape& shape, std::int64_t most_numbers)
    : nmn_(std::move(nmn)), shape_(shape), most_numbers_(most_numbers) {}

Tensor PatchLayer::forward(const Tensor& images) const {
  const auto each = shape_.windows(images.size(1)) * shape_.windows(images.size(2)) * nmn_->options().inputs;
  const auto samples = images.size(0), tile = std::max<std::int64_t>(1, most_numbers_ / each);
  if (samples <= tile) return window_scores(*nmn_, shape_, images);
  auto learned = nmn_->parameters();
  for (const auto& [name, tensor] : nmn_->op().parameters()) learned.push_back(tensor);
  // The function captures everything that the backward pass needs: the layer may be destroyed by then.
  const auto again = [nmn = nmn_, shape = shape_](const Tensor& x) { return window_scores(*nmn, shape, x); };
  std::vector<Tensor> parts;
  for (std::int64_t first = 0; first < samples; first += tile) {
    parts.push_back(recomputed(again, images.narrow(0, first, std::min(tile, samples - first)), learned));
  }
  return at::cat(parts);
}

}  // namespace yatlab

#include "core/train/samples_trained_on.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "core/base/hash.h"
#include "core/data/permutation.h"

namespace yatlab {

std::uint64_t shuffle_seed(std::uint64_t seed, std::int64_t epoch) {
  return derive_seed(seed, "shuffle", static_cast<std::uint64_t>(epoch));
}

std::vector<std::int64_t> samples_trained_on(std::int64_t samples, const TrainerParams& params, std::uint64_t seed, std::int64_t steps) {
  const auto batch = params.batch_size;
  const auto per_epoch = params.drop_last ? samples / batch : (samples + batch - 1) / batch;
  std::vector<bool> seen(static_cast<std::size_t>(samples));
  std::int64_t count = 0;
  for (std::int64_t epoch = 0; per_epoch > 0 && epoch * per_epoch < steps && count < samples; ++epoch) {
    const auto of_epoch = std::min(samples, std::min(steps - epoch * per_epoch, per_epoch) * batch);
    const auto order = params.shuffle ? permutation(samples, shuffle_seed(seed, epoch)) : std::vector<std::int64_t>();
    for (std::int64_t i = 0; i < of_epoch; ++i) {
      const auto sample = static_cast<std::size_t>(order.empty() ? i : order[static_cast<std::size_t>(i)]);
      if (!seen[sample]) ++count;
      seen[sample] = true;
    }
  }
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < samples; ++i) {
    if (seen[static_cast<std::size_t>(i)]) out.push_back(i);
  }
  return out;
}

Split picked(const Split& from, const std::vector<std::int64_t>& samples) {
  if (from.rows) {
    const auto [inputs, targets] = from.rows->buffers(static_cast<std::int64_t>(samples.size()));
    from.rows->read(samples, inputs, targets);
    return {inputs, targets};
  }
  const Tensor rows = at::tensor(samples, at::kLong).to(from.inputs.device());
  return {from.inputs.index_select(0, rows), from.targets.index_select(0, rows)};
}

}  // namespace yatlab

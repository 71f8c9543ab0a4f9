#include "core/experiment/loaded_data.h"

#include "core/base/failure.h"

namespace yatlab {

std::shared_ptr<const LoadedData> DataCache::get(const Node& spec) {
  const std::lock_guard lock(mutex_);
  auto& entry = loaded_[spec.to_flow()];
  if (!entry) {
    auto data = std::make_shared<LoadedData>();
    data->dataset = Registry<Dataset>::create(spec);
    data->splits = in_component("dataset", spec.at("name").as_string(), [&] { return data->dataset->load(context_); });
    entry = std::move(data);
  }
  return entry;
}

}  // namespace yatlab

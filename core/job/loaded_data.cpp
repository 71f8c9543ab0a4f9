#include "core/job/loaded_data.h"

#include "core/base/failure.h"
#include "core/data/byte_rows.h"
#include "core/experiment/experiment_params.h"
#include "core/system/stop.h"

namespace yatlab {

DataContext data_context(const Node& data) {
  const auto params = read_params<DataParams>(data);
  DataContext out;
  out.root = params.root;
  for (const auto& path : params.search_path) out.search_path.emplace_back(path);
  out.require_real = params.require_real;
  out.offline = params.offline;
  out.stop = [] { return stop_signal() != 0; };
  return out;
}

DataCache::DataCache(DataContext context) : context_(std::make_shared<const DataContext>(std::move(context))) {}
DataCache::DataCache(const Node& data) : DataCache(data_context(data)) {}

std::shared_ptr<const LoadedData> DataCache::get(const Node& spec) {
  const std::lock_guard lock(mutex_);
  auto& entry = loaded_[spec.to_flow()];
  if (!entry) {
    auto data = std::make_shared<LoadedData>();
    data->dataset = Registry<Dataset>::create(spec);
    data->splits = in_component("dataset", spec.at("name").as_string(), [&] { return data->dataset->load(*context_); });
    // Not where data sets are made: the code there may still change the tensors.
    if (const auto train = data->splits.find("train"); train != data->splits.end() && !train->second.rows)
      train->second.rows = byte_rows(train->second);
    entry = std::move(data);
  }
  return entry;
}

}  // namespace yatlab

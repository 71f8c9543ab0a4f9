#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/base/node.h"

namespace yatlab {

struct DataContext;
struct LoadedData;

/// Loads each distinct `dataset:` of a plan once. Thread-safe.
class DataCache {
 public:
  explicit DataCache(DataContext context);
  /// data: where data sets are searched for, as configured by `data:`.
  explicit DataCache(const Node& data);

  /// `spec` is a job's completed `dataset` node. Throws data errors.
  std::shared_ptr<const LoadedData> get(const Node& spec);

 private:
  std::shared_ptr<const DataContext> context_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const LoadedData>> loaded_;
};

}  // namespace yatlab

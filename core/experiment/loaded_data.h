#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/base/node.h"
#include "core/data/dataset.h"

namespace yatlab {

/// Where data sets are looked for, as `data:` says. What takes long stops when the process is asked to.
DataContext data_context(const Node& data);

/// A data set in memory, shared by all jobs that use it.
struct LoadedData {
  std::shared_ptr<Dataset> dataset;
  std::map<std::string, Split> splits;
};

/// Loads each distinct `dataset:` of a plan once. Thread-safe.
class DataCache {
 public:
  explicit DataCache(DataContext context) : context_(std::move(context)) {}

  /// `spec` is a job's completed `dataset` node. Throws data errors.
  std::shared_ptr<const LoadedData> get(const Node& spec);

 private:
  DataContext context_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const LoadedData>> loaded_;
};

}  // namespace yatlab

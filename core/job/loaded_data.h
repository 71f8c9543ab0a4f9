#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/base/node.h"
#include "core/data/dataset.h"
#include "core/job/data_cache.h"

namespace yatlab {

/// Where data sets are searched for, as configured by `data:`. Long operations end early when the process is to stop.
DataContext data_context(const Node& data);

/// A data set in memory, shared by all jobs that use it.
struct LoadedData {
  std::shared_ptr<Dataset> dataset;
  std::map<std::string, Split> splits;
};

}  // namespace yatlab

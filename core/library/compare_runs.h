#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/record/run_view.h"
#include "core/verdict/statistics.h"

namespace yatlab {

/// A property of two runs, equal or not. Nullopt if a run does not have it.
struct ComparedValue {
  std::string name;
  std::optional<std::string> a, b;
  std::string where;  ///< for job settings: the arms that differ; "" for all
  bool equal() const { return a == b; }
};

/// A metric of one arm at one point in both runs.
struct ComparedMetric {
  std::string arm, metric;
  Node::Map point;
  Sample a, b;
  PairedTest paired;  ///< b minus a, over the seeds completed in both
  bool equal() const { return a.seeds == b.seeds && a.values == b.values && a.not_finite == b.not_finite; }
};

struct Comparison {
  RunView a, b;
  std::vector<ComparedValue> config, overrides, code, data, environment;
  std::vector<ComparedMetric> results;
  std::vector<std::string> notes;  ///< unreadable or omitted parts
};

/// Compares two runs. `every_metric`: not only the metrics of their tables.
Comparison compare_runs(const fs::path& a, const fs::path& b, bool every_metric);

/// The differences; with `all` also equal values. `width`: columns of the terminal to fit into; 0: unlimited.
std::string comparison_report(const Comparison& comparison, bool all, std::size_t width = 0);
nlohmann::ordered_json comparison_json(const Comparison& comparison, bool all);

}  // namespace yatlab

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/record/run_view.h"
#include "core/verdict/statistics.h"

namespace yatlab {

/// Something that two runs have, or do not have, in common. Nothing where a run has no such thing.
struct ComparedValue {
  std::string name;
  std::optional<std::string> a, b;
  std::string where;  ///< of settings of jobs: the arms that differ so; "" for all
  bool equal() const { return a == b; }
};

/// A metric of one arm at one point in both runs.
struct ComparedMetric {
  std::string arm, metric;
  Node::Map point;
  Sample a, b;
  PairedTest paired;  ///< b minus a, over the seeds that both completed
  bool equal() const { return a.seeds == b.seeds && a.values == b.values && a.not_finite == b.not_finite; }
};

struct Comparison {
  RunView a, b;
  std::vector<ComparedValue> config, overrides, code, data, environment;
  std::vector<ComparedMetric> results;
  std::vector<std::string> notes;  ///< what could not be read or was left out
};

/// Two runs side by side. `every_metric`: not only those of their tables.
Comparison compare_runs(const fs::path& a, const fs::path& b, bool every_metric);

/// What differs; with `all` what is equal as well. `width`: columns of the terminal, in which it finds room; 0: as wide as it gets.
std::string comparison_report(const Comparison& comparison, bool all, std::size_t width = 0);
nlohmann::ordered_json comparison_json(const Comparison& comparison, bool all);

}  // namespace yatlab

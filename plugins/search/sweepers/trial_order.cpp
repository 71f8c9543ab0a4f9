#include "plugins/search/sweepers/trial_order.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace yatlab {
namespace {

std::pair<int, double> sort_key(const Trial& trial) {
  if (!has_value(trial)) return {2, 0};
  return {trial.state == Trial::State::kPruned ? 1 : 0, trial.value};
}

}  // namespace

bool has_value(const Trial& trial) {
  return (trial.state == Trial::State::kCompleted || trial.state == Trial::State::kPruned) && std::isfinite(trial.value);
}

void best_first(const std::vector<Trial>& trials, std::vector<std::size_t>& indices) {
  std::sort(indices.begin(), indices.end());
  std::stable_sort(indices.begin(), indices.end(), [&](std::size_t a, std::size_t b) { return sort_key(trials[a]) < sort_key(trials[b]); });
}

}  // namespace yatlab

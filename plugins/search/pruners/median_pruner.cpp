#include "plugins/search/pruners/median_pruner.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace yatlab {
namespace {

constexpr double kWorst = std::numeric_limits<double>::infinity();

double finite_or_worst(double value) { return std::isfinite(value) ? value : kWorst; }

/// Of at least one value.
double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto n = values.size();
  return n % 2 ? values[n / 2] : values[n / 2 - 1] / 2 + values[n / 2] / 2;
}

}  // namespace

bool MedianPruner::prune(const std::vector<SearchCurve>& others, const SearchCurve& own) const {
  if (own.empty() || own.back().first < p_.warmup_steps) return false;
  std::vector<double> values;
  for (const auto& curve : others) {
    const auto after = std::find_if(curve.begin(), curve.end(), [&](const auto& at) { return at.first > own.back().first; });
    if (after != curve.begin()) values.push_back(finite_or_worst(std::prev(after)->second));
  }
  if (values.empty() || static_cast<std::int64_t>(values.size()) < p_.startup_trials) return false;
  double best = kWorst;
  for (const auto& at : own) best = std::min(best, finite_or_worst(at.second));
  // A trial without any finite value is ended even if the others have none either.
  return best == kWorst || best > median(std::move(values));
}

}  // namespace yatlab

#include "plugins/search/pruners/asha_pruner.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace yatlab {

bool AshaPruner::prune(const std::vector<SearchCurve>& others, const SearchCurve& own) const {
  if (own.empty() || own.back().first < p_.min_steps) return false;
  const auto step = own.back().first;
  std::int64_t rung = p_.min_steps;
  while (rung <= step / p_.reduction_factor) rung *= p_.reduction_factor;
  // It was judged at this rung when it reached it.
  if (own.size() > 1 && own[own.size() - 2].first >= rung) return false;
  const double value = own.back().second;
  if (!std::isfinite(value)) return true;
  std::int64_t came = 1, better = 0;
  for (const auto& curve : others) {
    const auto there = std::find_if(curve.begin(), curve.end(), [&](const auto& at) { return at.first >= rung; });
    if (there == curve.end()) continue;
    ++came;
    if (std::isfinite(there->second) && there->second < value) ++better;
  }
  return better >= std::max<std::int64_t>(1, came / p_.reduction_factor);
}

}  // namespace yatlab

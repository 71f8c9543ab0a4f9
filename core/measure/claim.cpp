#include "core/measure/claim.h"

#include <algorithm>
#include <cmath>

namespace yatlab {

std::int64_t ClaimContext::scaled(std::int64_t full, std::int64_t least) const {
  return std::max(least, static_cast<std::int64_t>(std::llround(static_cast<double>(full) * effort)));
}

}  // namespace yatlab

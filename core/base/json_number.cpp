#include "core/base/json_number.h"

#include <cmath>
#include <limits>

#include "core/base/node.h"
#include "core/base/text.h"

namespace yatlab {

nlohmann::ordered_json json_number(double value) {
  if (!std::isfinite(value)) return format_double(value);
  return value;
}

std::optional<double> number_in(const nlohmann::ordered_json& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (value.is_string()) {
    const auto word = lower(value.get<std::string>());
    if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (word == "inf" || word == "infinity") return std::numeric_limits<double>::infinity();
    if (word == "-inf" || word == "-infinity") return -std::numeric_limits<double>::infinity();
  }
  return std::nullopt;
}

}  // namespace yatlab

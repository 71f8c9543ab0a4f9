#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace yatlab {

/// JSON has no NaN or infinity, so these are written as text.
nlohmann::ordered_json json_number(double value);
/// A number, or a placeholder for a non-finite one: "nan", "inf", "-inf", null. Nullopt for other values.
std::optional<double> number_in(const nlohmann::ordered_json& value);

}  // namespace yatlab

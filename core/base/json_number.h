#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace yatlab {

/// JSON has no NaN or infinity: they travel as text.
nlohmann::ordered_json json_number(double value);
/// A number, or what stands for one that is not finite: "nan", "inf", "-inf", null. Nothing for other values.
std::optional<double> number_in(const nlohmann::ordered_json& value);

}  // namespace yatlab

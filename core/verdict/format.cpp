#include "core/verdict/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace yatlab {
namespace {

constexpr const char* kMinus = "\u2212";

double scaled(double value, NumberFormat format) { return is_percent(format) ? value * 100 : value; }

// "-0.00" -> "0.00"; "-1.5" -> "−1.5"; with `plus`, positive numbers get a plus sign.
std::string with_sign(std::string text, bool plus) {
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) text.erase(0, 1);
  const std::string mantissa = text.substr(0, text.find('e'));
  const bool zero = mantissa.find_first_of("123456789in") == std::string::npos;
  if (negative && !zero) return kMinus + text;
  return plus && !zero ? "+" + text : text;
}

bool is_signed(NumberFormat format) { return format == NumberFormat::kSigned || format == NumberFormat::kSignedPercent; }

std::string short_exponent(std::string text) {
  const auto e = text.find('e');
  if (e == std::string::npos) return text;
  std::string exponent = text.substr(e + 1);
  const bool negative = exponent[0] == '-';
  exponent.erase(0, exponent.find_first_not_of("+-0"));
  if (exponent.empty()) return text.substr(0, e);
  return text.substr(0, e) + (negative ? "e-" : "e") + exponent;
}

}  // namespace

const std::vector<std::pair<std::string, NumberFormat>>& number_formats() {
  static const std::vector<std::pair<std::string, NumberFormat>> formats = {
      {"number", NumberFormat::kNumber},   {"signed", NumberFormat::kSigned},
      {"percent", NumberFormat::kPercent}, {"signed_percent", NumberFormat::kSignedPercent},
      {"integer", NumberFormat::kInteger}, {"scientific", NumberFormat::kScientific}};
  return formats;
}

bool is_percent(NumberFormat format) { return format == NumberFormat::kPercent || format == NumberFormat::kSignedPercent; }

int decimals_for(NumberFormat format, const std::vector<double>& stds, const std::vector<double>& values) {
  if (format == NumberFormat::kInteger) return 0;
  if (format == NumberFormat::kScientific) return 2;
  const int most = is_percent(format) ? 2 : 4;
  double smallest = 0;
  for (double s : stds) {
    s = scaled(s, format);
    if (std::isfinite(s) && s > 0 && (smallest == 0 || s < smallest)) smallest = s;
  }
  if (smallest > 0) {
    const int exponent = static_cast<int>(std::floor(std::log10(smallest)));
    const bool leading_one = smallest / std::pow(10, exponent) < 2;
    return std::clamp(-exponent + (leading_one ? 1 : 0), 0, most);
  }
  if (is_percent(format)) return 2;
  double largest = 0;
  for (double v : values) {
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  }
  if (largest == 0) return 2;
  return std::clamp(3 - static_cast<int>(std::floor(std::log10(largest))), 0, most);
}

int decimals_beside_zero(NumberFormat format, int decimals, const Interval& interval) {
  if (interval.contains(0) || format == NumberFormat::kScientific) return decimals;
  const double nearest = std::abs(scaled(std::abs(interval.low) < std::abs(interval.high) ? interval.low : interval.high, format));
  const int most = decimals + 3;
  while (decimals < most && nearest < 0.5 * std::pow(10, -decimals)) ++decimals;
  return decimals;
}

std::string format_value(double value, NumberFormat format, int decimals) {
  if (std::isnan(value)) return "nan";
  const double v = scaled(value, format);
  if (format == NumberFormat::kScientific) {
    return with_sign(short_exponent(fmt::format("{:.{}e}", v, decimals)), false);
  }
  return with_sign(fmt::format("{:.{}f}", v, decimals), is_signed(format));
}

std::string format_exact(double value, NumberFormat format) {
  if (std::isnan(value)) return "nan";
  // Ten digits hide the rounding error of scaling by 100: 0.9208 is 92.08, not 92.08000000000001.
  return with_sign(short_exponent(fmt::format("{:.10g}", scaled(value, format))), is_signed(format));
}

std::string format_difference(double value, NumberFormat format, int decimals) {
  if (std::isnan(value)) return "nan";
  if (format == NumberFormat::kScientific) {
    return with_sign(short_exponent(fmt::format("{:.{}e}", value, decimals)), true);
  }
  return with_sign(fmt::format("{:.{}f}", scaled(value, format), decimals), true);
}

std::string unit(NumberFormat format) { return is_percent(format) ? " %" : ""; }

std::string format_p(double p) {
  if (p < 0.001) return "p < 0.001";
  return fmt::format("p = {:.{}f}", p, p < 0.1 ? 3 : 2);
}

std::string format_parameter(const Node& value) {
  if (value.is_float()) {
    const double number = value.as_double();
    const auto text = fmt::format("{:.6g}", number);
    return short_exponent(std::isfinite(number) && std::strtod(text.c_str(), nullptr) != number ? fmt::format("{}", number) : text);
  }
  if (value.is_string()) return value.as_string();
  // A component: its name, and any parameters swept with it.
  if (const Node* name = value.find("name"); name && name->is_string()) {
    std::string rest;
    for (const auto& [key, item] : value.as_map()) {
      if (key != "name") rest += (rest.empty() ? "" : ", ") + key + " " + format_parameter(item);
    }
    return rest.empty() ? name->as_string() : fmt::format("{} ({})", name->as_string(), rest);
  }
  return value.to_flow();
}

}  // namespace yatlab

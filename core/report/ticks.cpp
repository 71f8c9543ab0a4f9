#include "core/report/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace yatlab {
namespace {

std::string signed_text(std::string text) {
  if (text[0] == '-') text = "−" + text.substr(1);
  return text;
}

std::string power_text(int exponent) {
  if (exponent >= -2 && exponent <= 3) return fmt::format("{:g}", std::pow(10, exponent));
  return fmt::format("10^{{{}}}", signed_text(std::to_string(exponent)));
}

}  // namespace

std::vector<std::pair<double, std::string>> linear_ticks(double low, double high, int most, bool percent) {
  std::vector<std::pair<double, std::string>> out;
  if (!(high > low) || most < 2) return out;
  const double scale = percent ? 100 : 1;
  const double a = low * scale, b = high * scale;
  int exponent = static_cast<int>(std::floor(std::log10((b - a) / most)));
  double step = 0;
  for (const double factor : {1.0, 2.0, 2.5, 5.0, 10.0, 20.0}) {
    step = factor * std::pow(10, exponent);
    const double count = std::floor(b / step + 1e-9) - std::ceil(a / step - 1e-9) + 1;
    if (count <= most) break;
  }
  int decimals = 0;
  while (decimals < 12 && std::abs(step * std::pow(10, decimals) - std::round(step * std::pow(10, decimals))) > 1e-6) {
    ++decimals;
  }
  for (double k = std::ceil(a / step - 1e-9); k * step <= b + 1e-9 * step; ++k) {
    const double v = k == 0 ? 0 : k * step;
    std::string text;
    if (std::max(std::abs(a), std::abs(b)) >= 1e6 || decimals > 5) {
      text = fmt::format("{:.3g}", v);
    } else {
      text = fmt::format("{:.{}f}", v, decimals);
    }
    out.emplace_back(v / scale, signed_text(text) + (percent ? " %" : ""));
  }
  return out;
}

std::vector<std::pair<double, std::string>> log_ticks(double low, double high, int most) {
  std::vector<std::pair<double, std::string>> out;
  if (!(low > 0) || !(high > low)) return out;
  const int first = static_cast<int>(std::ceil(std::log10(low) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
  if (last - first < 1) {
    for (int e = first - 1; e <= last + 1; ++e) {
      for (const double factor : {1.0, 2.0, 5.0}) {
        const double v = factor * std::pow(10, e);
        if (v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9)) out.emplace_back(v, fmt::format("{:g}", v));
      }
    }
    return out;
  }
  const int step = std::max(1, (last - first) / std::max(1, most - 1) + ((last - first) % std::max(1, most - 1) > 0));
  for (int e = first; e <= last; e += step) out.emplace_back(std::pow(10, e), power_text(e));
  return out;
}

}  // namespace yatlab

#include "core/figure/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace yatlab {
namespace {

std::string signed_text(std::string text) {
  if (text[0] == '-') text = "−" + text.substr(1);
  return text;
}

std::string power_text(int exponent, bool plain) {
  if (plain || exponent == 0 || exponent == 1) return fmt::format("{:g}", std::pow(10, exponent));
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

std::vector<std::pair<double, std::string>> log_ticks(
    double low, double high, int most, bool percent,
    const std::function<bool(const std::pair<double, std::string>&, const std::pair<double, std::string>&)>& apart) {
  using TickList = std::vector<std::pair<double, std::string>>;
  if (!(low > 0) || !(high > low)) return {};
  // One notation for the whole axis.
  const bool plain = low >= 0.0099 && high <= 5100;
  const auto text = [&](double v, int exponent, bool decade) {
    if (percent) return fmt::format("{:g} %", 100 * v);
    if (decade) return power_text(exponent, plain);
    if (plain || (exponent >= -3 && exponent <= 3)) return fmt::format("{:g}", v);
    return fmt::format("{:g}·", v / std::pow(10, exponent)) + fmt::format("10^{{{}}}", signed_text(std::to_string(exponent)));
  };
  const int first = static_cast<int>(std::floor(std::log10(low))), last = static_cast<int>(std::ceil(std::log10(high)));
  const auto multiples = [&](const std::vector<double>& factors) {
    TickList out;
    for (int e = first; e <= last; ++e) {
      for (const double factor : factors) {
        const double v = factor * std::pow(10, e);
        if (v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9)) out.emplace_back(v, text(v, e, factor == 1));
      }
    }
    return out;
  };
  const auto fits = [&](const TickList& ticks) {
    if (ticks.size() > static_cast<std::size_t>(std::max(most, 3))) return false;
    for (std::size_t i = 1; apart && i < ticks.size(); ++i) {
      if (!apart(ticks[i - 1], ticks[i])) return false;
    }
    return true;
  };
  const TickList decades = multiples({1});
  if (decades.size() >= 3) {
    for (std::size_t step = 1; step < decades.size(); ++step) {
      TickList out;
      for (std::size_t i = 0; i < decades.size(); i += step) out.push_back(decades[i]);
      if (fits(out) && out.size() >= 3) return out;
      if (fits(out)) break;  // two would do, but ticks at thirds are more informative
    }
  } else {
    for (const auto& factors : {std::vector<double>{1, 2, 5}, {1, 3}, {1, 2, 4, 8}, {1, 5}, {2, 5}, {1, 2, 3, 5, 7}}) {
      TickList out = multiples(factors);
      if (out.size() >= 3 && fits(out)) return out;
    }
  }
  const auto room = [&](const TickList& ticks) {
    for (std::size_t i = 1; apart && i < ticks.size(); ++i) {
      if (!apart(ticks[i - 1], ticks[i])) return false;
    }
    return true;
  };
  // Less than a decade: steps as on a linear axis, with small and large numbers in units of a power of ten.
  const int unit = plain || percent || (first >= -3 && last <= 4) ? 0 : first;
  const double scale = std::pow(10, unit);
  for (int count = 3; count <= 9 && decades.size() < 3; ++count) {
    TickList out;
    for (const auto& [v, label] : linear_ticks(low / scale, high / scale, count, percent)) {
      if (v > 0) out.emplace_back(v * scale, unit == 0 ? label : label + fmt::format("·10^{{{}}}", signed_text(std::to_string(unit))));
    }
    for (std::size_t step = 1; out.size() > 2 * step; ++step) {
      TickList thin;
      for (std::size_t i = 0; i < out.size(); i += step) thin.push_back(out[i]);
      if (thin.size() >= 3 && room(thin)) return thin;
    }
  }
  // Decades, and ticks between them where there is room.
  TickList some = decades;
  for (std::size_t step = 2; !room(some) && step < decades.size(); ++step) {
    some.clear();
    for (std::size_t i = 0; i < decades.size(); i += step) some.push_back(decades[i]);
  }
  for (const double factor : {3.0, 2.0, 5.0, 7.0, 4.0, 6.0, 8.0, 1.5}) {
    if (some.size() >= 3) break;
    for (const auto& tick : multiples({factor})) {
      TickList more = some;
      more.insert(std::upper_bound(more.begin(), more.end(), tick, [](const auto& x, const auto& y) { return x.first < y.first; }), tick);
      if (more.size() <= 4 && room(more)) some = std::move(more);
    }
  }
  for (int count = 2; some.empty() && count <= 9; ++count) {
    for (const auto& [v, label] : linear_ticks(low / scale, high / scale, count, percent)) {
      const std::pair<double, std::string> tick{v * scale,
                                                unit == 0 ? label : label + fmt::format("·10^{{{}}}", signed_text(std::to_string(unit)))};
      if (v > 0 && (some.empty() || !apart || apart(some.back(), tick))) some.push_back(tick);
    }
  }
  return some;
}

}  // namespace yatlab

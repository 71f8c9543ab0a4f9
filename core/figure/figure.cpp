#include "core/figure/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/base/node.h"
#include "core/base/text.h"
#include "core/figure/contour.h"
#include "core/verdict/statistics.h"

namespace yatlab {
namespace {

std::array<int, 3> parse_color(const std::string& hex) {
  const auto part = [&](std::size_t at) { return std::stoi(hex.substr(at, 2), nullptr, 16); };
  return {part(1), part(3), part(5)};
}

std::string cell(double v) { return std::isnan(v) ? "" : format_double(v); }

}  // namespace

std::string Figure::note() const {
  std::string out;
  for (const auto& sentence : notes) {
    if (!sentence.empty()) out += (out.empty() ? "" : " ") + sentence;
  }
  return out;
}

void fit_column(Figure& figure) {
  if (figure.width <= kSingleColumn) return;
  const double rows = static_cast<double>(figure.rows()), cell = figure.width / static_cast<double>(figure.columns);
  figure.columns = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(kSingleColumn / cell)));
  figure.width = kSingleColumn;
  figure.height *= static_cast<double>(figure.rows()) / rows;
  // Images keep their aspect ratio.
  const bool images = std::any_of(figure.panels.begin(), figure.panels.end(),
                                  [](const Panel& panel) { return panel.equal_aspect || panel.surface || !panel.heats.empty(); });
  const double now = figure.width / static_cast<double>(figure.columns);
  if (images && now < cell) figure.height *= now / cell;
}

std::string palette_color(int index) {
  // Okabe and Ito, "Color Universal Design" (2008); black last, without yellow, which is faint on paper.
  static const char* const kColors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};
  constexpr int n = 7;
  return kColors[((index % n) + n) % n];
}

const std::vector<std::pair<double, std::string>>& color_stops(ColorMap map) {
  static const std::vector<std::pair<double, std::string>> diverging = {
      {0.0, "#123a72"}, {0.25, "#4a8ec4"}, {0.42, "#c3dcec"}, {0.5, "#ffffff"}, {0.58, "#f6d0bd"}, {0.75, "#d9604c"}, {1.0, "#7d0f22"}};
  // Perceptually uniform from dark violet to yellow, after viridis.
  static const std::vector<std::pair<double, std::string>> sequential = {{0.0, "#440154"}, {0.2, "#414487"}, {0.4, "#2a788e"},
                                                                         {0.6, "#22a884"}, {0.8, "#7ad151"}, {1.0, "#fde725"}};
  static const std::vector<std::pair<double, std::string>> light = {
      {0.0, "#ffffff"}, {0.15, "#fff2d9"}, {0.35, "#fdd49e"}, {0.55, "#fc9a5b"}, {0.75, "#e0533d"}, {0.9, "#a81c1c"}, {1.0, "#6b0000"}};
  // One stop for each colour of the palette, mixed with white.
  static const auto categories = [] {
    std::vector<std::pair<double, std::string>> out;
    for (int i = 0; i < 7; ++i) {
      const auto c = parse_color(palette_color(i));
      const auto mix = [](int v) { return static_cast<int>(std::lround(255 - 0.38 * (255 - v))); };
      out.emplace_back(i / 6.0, fmt::format("#{:02x}{:02x}{:02x}", mix(c[0]), mix(c[1]), mix(c[2])));
    }
    return out;
  }();
  switch (map) {
    case ColorMap::kDiverging:
      return diverging;
    case ColorMap::kLight:
      return light;
    case ColorMap::kCategories:
      return categories;
    case ColorMap::kSequential:
      break;
  }
  return sequential;
}

std::array<int, 3> color_at(ColorMap map, double t) {
  const auto& stops = color_stops(map);
  t = std::isnan(t) ? 0 : std::clamp(t, 0.0, 1.0);
  for (std::size_t i = 1; i < stops.size(); ++i) {
    if (t > stops[i].first) continue;
    const auto a = parse_color(stops[i - 1].second), b = parse_color(stops[i].second);
    const double share = (t - stops[i - 1].first) / (stops[i].first - stops[i - 1].first);
    std::array<int, 3> out{};
    for (std::size_t c = 0; c < 3; ++c) {
      out[c] = static_cast<int>(std::lround(a[c] + share * (b[c] - a[c])));
    }
    return out;
  }
  return parse_color(stops.back().second);
}

std::string text_color_on(const ColorScale& scale, double value) {
  double t = scale.max > scale.min ? (value - scale.min) / (scale.max - scale.min) : 0.5;
  if (scale.log && scale.max > scale.min) {
    t = value > scale.min ? std::log(value / scale.min) / std::log(scale.max / scale.min) : 0;
  }
  const auto rgb = color_at(scale.map, t);
  const auto linear = [](int v) {
    const double s = v / 255.0;
    return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
  };
  const double luminance = 0.2126 * linear(rgb[0]) + 0.7152 * linear(rgb[1]) + 0.0722 * linear(rgb[2]);
  // At this luminance black and white have the same contrast ratio: (L + 0.05)^2 = 1.05 * 0.05.
  return luminance > 0.179 ? "#000000" : "#ffffff";
}

std::pair<double, double> robust_symmetric_limits(const std::vector<double>& values, double share) {
  std::vector<double> magnitudes;
  for (double v : values) {
    if (std::isfinite(v)) magnitudes.push_back(std::abs(v));
  }
  double limit = magnitudes.empty() ? 1 : percentile(magnitudes, share);
  if (limit <= 0) limit = *std::max_element(magnitudes.begin(), magnitudes.end());
  if (limit <= 0) limit = 1;
  return {-limit, limit};
}

std::pair<double, double> finite_limits(const std::vector<double>& values) {
  double low = 0, high = 0;
  bool any = false;
  for (double v : values) {
    if (!std::isfinite(v)) continue;
    low = any ? std::min(low, v) : v;
    high = any ? std::max(high, v) : v;
    any = true;
  }
  if (!any) return {0, 1};
  if (low == high) {
    const double around = low == 0 ? 1 : std::abs(low) * 0.05;
    return {low - around, high + around};
  }
  return {low, high};
}

Legend roomiest_corner(const Panel& panel) {
  const auto coordinate = [](const Axis& axis, double v) { return axis.log ? std::log10(v) : v; };
  const auto limits = [&](const Axis& axis, bool horizontal) {
    std::vector<double> all;
    for (const Line& line : panel.lines) {
      for (double v : horizontal ? line.x : line.y) {
        if ((!axis.min || v >= *axis.min) && (!axis.max || v <= *axis.max)) all.push_back(coordinate(axis, v));
      }
    }
    return finite_limits(all);
  };
  const auto [left, right] = limits(panel.x, true);
  const auto [bottom, top] = limits(panel.y, false);
  // Compares the largest block in each corner, at most nearly half as wide as the panel, that no curve enters.
  const std::pair<Legend, std::array<bool, 2>> corners[] = {{Legend::kTopRight, {true, true}},
                                                            {Legend::kTopLeft, {false, true}},
                                                            {Legend::kBottomRight, {true, false}},
                                                            {Legend::kBottomLeft, {false, false}}};
  Legend best = Legend::kTopRight;
  double most = -1;
  for (const auto& [legend, at] : corners) {
    double room = 1;
    for (const Line& line : panel.lines) {
      for (std::size_t i = 0; i < line.x.size() && i < line.y.size(); ++i) {
        const double x = (coordinate(panel.x, line.x[i]) - left) / (right - left);
        const double y = (coordinate(panel.y, line.y[i]) - bottom) / (top - bottom);
        if (!std::isfinite(x) || !std::isfinite(y) || (at[0] ? x < 0.55 : x > 0.45)) continue;
        room = std::min(room, std::clamp(at[1] ? 1 - y : y, 0.0, 1.0));
      }
    }
    if (room > most + 1e-9) {
      most = room;
      best = legend;
    }
  }
  return best;
}

std::string figure_csv(const Figure& figure) {
  std::string out = "panel,kind,series,x,y,low,high,text\r\n";
  const auto write = [&](const std::string& panel, const char* kind, const std::string& series, double x, double y, double low, double high,
                         const std::string& text) {
    out += fmt::format("{},{},{},{},{},{},{},{}\r\n", csv_field(panel), kind, csv_field(series), cell(x), cell(y), cell(low), cell(high),
                       csv_field(text));
  };
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const Panel& panel = figure.panels[p];
    const std::string name = panel.title.empty() ? std::to_string(p) : panel.title;
    for (const Line& line : panel.lines) {
      if (line.level) {
        write(name, "reference", line.label, kNaN, line.y.front(), kNaN, kNaN, "");
        continue;
      }
      for (std::size_t i = 0; line.at_top && i < line.x.size(); ++i)
        write(name, "diverged", line.label, panel.turned ? -line.y[i] : line.x[i], kNaN, kNaN, kNaN, "");
      for (std::size_t i = 0; !line.at_top && i < line.x.size(); ++i) {
        // The same for a turned panel: x is the place, y the value.
        write(name, "line", line.label, panel.turned ? -line.y[i] : line.x[i], panel.turned ? line.x[i] : line.y[i],
              i < line.low.size() ? line.low[i] : kNaN, i < line.high.size() ? line.high[i] : kNaN,
              i < line.categories.size() ? line.categories[i] : "");
      }
    }
    for (std::size_t b = 0; b < panel.bars.size(); ++b) {
      const Bar& bar = panel.bars[b];
      write(name, "bar", bar.label, static_cast<double>(b), bar.value, bar.low.value_or(kNaN), bar.high.value_or(kNaN), "");
    }
    const auto cells = [&](const char* kind, std::size_t h, const Heat& heat) {
      for (std::size_t i = 0; i < heat.values.size(); ++i) {
        // x is the column, y the row from the top, as before the panel was turned; `low` = `high` is the value.
        auto x = i % heat.columns, y = i / heat.columns;
        if (panel.turned) std::tie(x, y) = std::make_pair(y, heat.columns - 1 - x);
        write(name, kind, std::to_string(h), static_cast<double>(x), static_cast<double>(y), heat.values[i], heat.values[i],
              i < heat.text.size() ? heat.text[i] : "");
      }
      for (const double level : heat.levels) {
        const auto curves = contour_lines(heat, level);
        for (std::size_t c = 0; c < curves.size(); ++c) {
          for (std::size_t i = 0; i < curves[c].x.size(); ++i) {
            write(name, "level", std::to_string(c), curves[c].x[i], curves[c].y[i], level, level, "");
          }
        }
      }
    };
    for (std::size_t h = 0; h < panel.heats.size(); ++h) cells("cell", h, panel.heats[h]);
    if (panel.surface) cells("surface", 0, panel.surface->grid);
    // From (x, y) by (low, high).
    for (const Arrow& a : panel.arrows) write(name, "arrow", "", a.x, a.y, a.dx, a.dy, "");
    for (const Annotation& text : panel.texts) write(name, "text", "", text.x, text.y, kNaN, kNaN, text.text);
  }
  return out;
}

}  // namespace yatlab

// What a figure draws, computed independently of the layout.
#pragma once

#include <cmath>
#include <functional>

#include "core/figure/layout.h"

namespace yatlab::testing {

/// Everything drawn, as points in inches a hundredth of an inch apart: independent of the geometry in `is_drawn_in`.
inline void each_dot(const Panel& panel, const PanelLayout& at, const std::function<void(double, double)>& dot) {
  const auto segment = [&](double x0, double y0, double x1, double y1) {
    if (!std::isfinite(x0 + y0 + x1 + y1)) return;
    const int n = 2 + static_cast<int>(std::hypot(x1 - x0, y1 - y0) / 0.01);
    for (int i = 0; i <= n; ++i) dot(x0 + (x1 - x0) * i / n, y0 + (y1 - y0) * i / n);
  };
  for (const Line& line : panel.lines) {
    for (std::size_t i = 0; i < line.x.size(); ++i) {
      const double x = at.x_at(panel.x, line.x[i]), y = at.y_at(panel.y, line.y[i]);
      if (line.markers) dot(x, y);
      if (line.stroke && i > 0) segment(at.x_at(panel.x, line.x[i - 1]), at.y_at(panel.y, line.y[i - 1]), x, y);
      if (line.low.empty()) continue;
      const double low = panel.turned ? at.x_at(panel.x, line.low[i]) : at.y_at(panel.y, line.low[i]);
      const double high = panel.turned ? at.x_at(panel.x, line.high[i]) : at.y_at(panel.y, line.high[i]);
      if (line.error_bars) panel.turned ? segment(low, y, high, y) : segment(x, low, x, high);
      if (line.error_bars || i == 0) continue;
      const double x0 = at.x_at(panel.x, line.x[i - 1]), low0 = at.y_at(panel.y, line.low[i - 1]),
                   high0 = at.y_at(panel.y, line.high[i - 1]);
      for (double t = 0; t <= 1; t += 0.02)
        segment(x0 + t * (x - x0), low0 + t * (low - low0), x0 + t * (x - x0), high0 + t * (high - high0));
    }
  }
  for (const Heat& heat : panel.heats) {
    for (std::size_t r = 0; r < heat.rows; ++r) {
      for (std::size_t c = 0; c < heat.columns; ++c) {
        dot(at.x_at(panel.x, heat.x0 + (static_cast<double>(c) + 0.5) * heat.cell),
            at.y_at(panel.y, heat.y0 + (static_cast<double>(r) + 0.5) * heat.cell));
      }
    }
  }
  for (const Arrow& a : panel.arrows)
    segment(at.x_at(panel.x, a.x), at.y_at(panel.y, a.y), at.x_at(panel.x, a.x + a.dx), at.y_at(panel.y, a.y + a.dy));
  for (std::size_t b = 0; b < panel.bars.size(); ++b) {
    for (double u = -0.35; u <= 0.35; u += 0.01) {
      const double x = at.x_at(panel.x, static_cast<double>(b) + u);
      segment(x, at.y_at(panel.y, 0), x, at.y_at(panel.y, panel.bars[b].value));
    }
  }
  for (const auto& text : panel.texts) {
    const double x = at.x_at(panel.x, text.x), y = at.y_at(panel.y, text.y), w = text_width(text.text) / 2;
    text.rotate != 0 ? segment(x, y - w, x, y + w) : segment(x - w, y, x + w, y);
  }
}

inline bool in_box(const Box& b, double x, double y) { return x > b.left && x < b.right && y > b.bottom && y < b.top; }

/// True when something drawn in the panel overlaps its legend; `where` is in inches.
inline bool legend_is_on_data(const Panel& panel, const PanelLayout& at, std::pair<double, double>* where = nullptr) {
  bool on = false;
  if (!at.legend) return false;
  each_dot(panel, at, [&](double x, double y) {
    if (!in_box(at.box, x, y) || !in_box(*at.legend, x, y)) return;
    on = true;
    if (where) *where = {x, y};
  });
  return on;
}

}  // namespace yatlab::testing

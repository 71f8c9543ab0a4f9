#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/figure/layout.h"
#include "core/figure/ticks.h"
#include "core/verdict/statistics.h"

namespace yatlab {
namespace {

// The middle of what is drawn: without the lowest and the highest part, which may be a spike or a beginning.
constexpr double kTail = 0.06;
// A side is cut off if it would take more than this many times the middle's height,
constexpr double kFlattened = 1.2;
// and of what decides no more than this share may be cut off: more is no exception.
constexpr double kFew = 0.2;
// A curve of no more points is shown from its beginning on.
constexpr std::size_t kShort = 4;
// It keeps this much room, in which the arrows stand.
constexpr double kRoom = 0.3;
// Levels may widen an axis by this many times what it spans.
constexpr double kWiden = 0.5;

double scaled(const Axis& axis, double v) { return axis.log ? (v > 0 ? std::log10(v) : kNaN) : v; }
double unscaled(const Axis& axis, double v) { return axis.log ? std::pow(10, v) : v; }

std::string value_text(const Axis& axis, double v) {
  if (axis.percent) return fmt::format("{:.3g} %", 100 * v);
  std::string text = fmt::format("{:.3g}", v);
  if (text[0] == '-') text = "−" + text.substr(1);
  return text;
}

struct Mark {
  double x = 0, value = 0;
  bool above = true;
  std::string label;
};

// One for each stretch of a line that leaves the panel, where it is farthest out.
void mark_line(const Line& line, const Axis& axis, double low, double high, std::vector<Mark>& out) {
  int side = 0;
  for (std::size_t i = 0; i < line.x.size() && i < line.y.size(); ++i) {
    const double v = line.y[i];
    if (!std::isfinite(v)) continue;
    const int now = v > high ? 1 : v < low || (axis.log && v <= 0) ? -1 : 0;
    if (now != 0 && now != side) {
      out.push_back({line.x[i], v, now > 0, line.label});
    } else if (now != 0 && (v > out.back().value) == (now > 0)) {
      out.back().x = line.x[i];
      out.back().value = v;
    }
    side = now;
  }
}

/// Whether values of the line count for limits and arrows.
bool is_curve(const Line& line) { return !line.level && !line.at_top; }

void limit_panel(Panel& panel, std::vector<std::string>& notes) {
  Axis& axis = panel.y;
  const bool any_sound = std::any_of(panel.lines.begin(), panel.lines.end(), [](const Line& l) { return is_curve(l) && !l.diverged; });
  std::vector<double> deciding, all;
  const AxisRange whole = axis_range(panel, true);
  const double zoom_from = whole.high - axis.zoom * (whole.high - whole.low);
  for (const Line& line : panel.lines) {
    if (!is_curve(line)) continue;
    const auto n = std::min(line.x.size(), line.y.size());
    const bool counts = !line.diverged || !any_sound;
    const double begin =
        axis.begins && n > kShort ? *std::min_element(line.x.begin(), line.x.begin() + static_cast<std::ptrdiff_t>(n)) : kNaN;
    const auto add = [&](double v, bool decides) {
      v = scaled(axis, v);
      if (!std::isfinite(v)) return;
      all.push_back(v);
      if (decides) deciding.push_back(v);
    };
    for (std::size_t i = 0; i < n; ++i) {
      const bool decides = counts && line.x[i] != begin && (axis.zoom >= 1 || line.x[i] >= zoom_from);
      add(line.y[i], decides);
      if (i < line.low.size()) add(line.low[i], decides);
      if (i < line.high.size()) add(line.high[i], decides);
    }
  }
  if (deciding.size() < 4) return;
  std::vector<double> sorted = deciding;
  std::sort(sorted.begin(), sorted.end());
  const bool zoomed = axis.zoom < 1;  // then all of what decides is shown
  double low = zoomed ? sorted.front() : percentile(sorted, kTail), high = zoomed ? sorted.back() : percentile(sorted, 1 - kTail);
  // Of few values a tail is less than one: leave out as many as may be cut off, wherever the next one is far nearer.
  const auto few = static_cast<std::size_t>(kFew * static_cast<double>(sorted.size()));
  const auto far = [&](double outer, double inner, double other) { return std::abs(outer - inner) > kFlattened * std::abs(inner - other); };
  for (std::size_t k = 1; !zoomed && k <= few && k + 1 < sorted.size(); ++k) {
    const double inner = sorted[sorted.size() - 1 - k];
    if (!far(sorted[sorted.size() - k], inner, sorted.front())) continue;
    high = std::min(high, inner);
    break;
  }
  for (std::size_t k = 1; !zoomed && k <= few && k + 1 < sorted.size(); ++k) {
    if (!far(sorted[k - 1], sorted[k], sorted.back())) continue;
    low = std::max(low, sorted[k]);
    break;
  }
  const double span = high - low;
  if (!(span > 0)) return;
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  const double flattened = zoomed ? kRoom : kFlattened;
  const bool cut_top = !axis.max && *most - high > flattened * span, cut_bottom = !axis.min && low - *least > flattened * span;
  if (!cut_top && !cut_bottom) return;
  const double bottom = cut_bottom ? low - kRoom * span : std::min(*least, low) - 0.04 * span;
  const double top = cut_top ? high + kRoom * span : std::max(*most, high) + 0.04 * span;
  axis.min = axis.min.value_or(unscaled(axis, bottom));
  axis.max = axis.max.value_or(unscaled(axis, top));

  std::vector<Mark> marks;
  for (const Line& line : panel.lines) {
    if (is_curve(line)) mark_line(line, axis, *axis.min, *axis.max, marks);
  }
  const AxisRange xr = axis_range(panel, true);
  const auto share = [&](double x) {
    return panel.x.log ? std::log(x / xr.low) / std::log(xr.high / xr.low) : (x - xr.low) / (xr.high - xr.low);
  };
  std::sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.above != b.above ? a.above > b.above : a.x < b.x; });
  std::vector<std::string> said;
  for (std::size_t i = 0; i < marks.size();) {
    // Neighbours share an arrow.
    std::size_t end = i + 1;
    double least_value = marks[i].value, most_value = marks[i].value;
    std::vector<std::string> who = {marks[i].label};
    while (end < marks.size() && marks[end].above == marks[i].above && share(marks[end].x) - share(marks[i].x) < 0.15) {
      least_value = std::min(least_value, marks[end].value);
      most_value = std::max(most_value, marks[end].value);
      if (std::find(who.begin(), who.end(), marks[end].label) == who.end()) who.push_back(marks[end].label);
      ++end;
    }
    const double x = marks[i].x, from = marks[i].above ? top - 0.13 * (top - bottom) : bottom + 0.13 * (top - bottom);
    const double to = marks[i].above ? top - 0.015 * (top - bottom) : bottom + 0.015 * (top - bottom);
    Arrow arrow;
    arrow.x = x;
    arrow.y = unscaled(axis, from);
    arrow.dy = unscaled(axis, to) - arrow.y;
    panel.arrows.push_back(arrow);
    Annotation text;
    const std::string first = value_text(axis, least_value), last = value_text(axis, most_value);
    text.text = first == last ? first : first + "–" + last;
    const bool left = share(x) < 0.7;
    const double aside = (left ? 0.02 : -0.02);
    text.x = panel.x.log ? x * std::pow(xr.high / xr.low, aside) : x + aside * (xr.high - xr.low);
    text.y = unscaled(axis, (from + to) / 2);
    text.align = left ? Annotation::Align::kLeft : Annotation::Align::kRight;
    text.backed = true;
    panel.texts.push_back(text);
    who.erase(std::remove(who.begin(), who.end(), ""), who.end());
    said.push_back(fmt::format("{}{} at {} {:g}", who.empty() ? "" : join(who, ", ") + " ", text.text,
                               panel.x.label.empty() ? "x =" : panel.x.label, x));
    i = end;
  }
  if (said.empty()) {
    // Bands alone: no curve leaves the panel.
    notes.push_back(fmt::format("The axis of {} ends before the widest bands do.", axis.label.empty() ? "values" : axis.label));
    return;
  }
  constexpr std::size_t kSaid = 4;
  const std::size_t more = said.size() > kSaid ? said.size() - kSaid : 0;
  if (more > 0) said.resize(kSaid);
  notes.push_back(fmt::format("The axis of {} is cut off; arrows stand where curves leave it: {}{}.",
                              axis.label.empty() ? "values" : axis.label, join(said, "; "),
                              more > 0 ? fmt::format("; and {} more", more) : ""));
}

/// Levels near the curves widen the axis; those farther away would flatten them.
void place_levels(Panel& panel, std::vector<std::string>& notes) {
  Axis& axis = panel.y;
  const auto is_level = [](const Line& l) { return l.level; };
  if (std::none_of(panel.lines.begin(), panel.lines.end(), is_level)) return;
  Panel curves = panel;
  curves.lines.erase(std::remove_if(curves.lines.begin(), curves.lines.end(), is_level), curves.lines.end());
  const AxisRange range = axis_range(curves, false);
  const double low = scaled(axis, range.low), high = scaled(axis, range.high), span = high - low;
  double least = low, most = high;
  std::vector<std::string> beyond;
  panel.lines.erase(std::remove_if(panel.lines.begin(), panel.lines.end(),
                                   [&](const Line& line) {
                                     if (!line.level) return false;
                                     const double v = scaled(axis, line.y.front());
                                     if (v > low - kWiden * span && v < high + kWiden * span) {
                                       least = std::min(least, v - 0.04 * span);
                                       most = std::max(most, v + 0.04 * span);
                                       return false;
                                     }
                                     beyond.push_back(fmt::format("{} at {}", line.label, value_text(axis, line.y.front())));
                                     return true;
                                   }),
                    panel.lines.end());
  axis.min = unscaled(axis, least);
  axis.max = unscaled(axis, most);
  if (!beyond.empty())
    notes.push_back(fmt::format("Beyond the axis of {}: {}.", axis.label.empty() ? "values" : axis.label, join(beyond, ", ")));
}

/// Below the upper edge, in as many rows as there are marks at one place.
void place_at_top(Panel& panel) {
  Axis& axis = panel.y;
  std::vector<double> taken;
  std::size_t rows = 0;
  const auto row_of = [&](double x) { return static_cast<std::size_t>(std::count(taken.begin(), taken.end(), x)); };
  for (const Line& line : panel.lines) {
    for (std::size_t i = 0; line.at_top && i < line.x.size(); ++i) {
      rows = std::max(rows, row_of(line.x[i]) + 1);
      taken.push_back(line.x[i]);
    }
  }
  if (rows == 0) return;
  constexpr double kRow = 0.07;
  const AxisRange range = axis_range(panel, false);
  const double low = scaled(axis, range.low), span = (scaled(axis, range.high) - low) / (1 - kRow * static_cast<double>(rows));
  axis.min = range.low;
  axis.max = unscaled(axis, low + span);
  taken.clear();
  for (Line& line : panel.lines) {
    if (!line.at_top) continue;
    line.y.clear();
    for (const double x : line.x) {
      line.y.push_back(unscaled(axis, low + span * (1 - kRow * (static_cast<double>(row_of(x)) + 0.5))));
      taken.push_back(x);
    }
  }
}

}  // namespace

void limit_axes(Figure& figure) {
  for (Panel& panel : figure.panels) {
    if (panel.y.robust) limit_panel(panel, figure.notes);
    panel.y.robust = false;
    place_levels(panel, figure.notes);
    place_at_top(panel);
  }
}

}  // namespace yatlab

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/text.h"
#include "core/figure/layout.h"
#include "core/figure/ticks.h"
#include "core/verdict/statistics.h"

namespace yatlab {
namespace {

// The middle of the values: without these shares at both ends, which may be a spike or a beginning.
constexpr double kTail = 0.06;
// A side is cut off if it would take more than this many times the height of the middle,
constexpr double kFlattened = 1.2;
// and only if at most this share of the deciding values is cut off: more is not an exception.
constexpr double kFew = 0.2;
// A curve with at most this many points is shown from its beginning.
constexpr std::size_t kShort = 4;
// A side that is cut off keeps this much room for the arrows.
constexpr double kRoom = 0.3;
// Levels may widen an axis by this many times its range.
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
  std::string label, category;  ///< category: of its point, on an axis of names
};

// One mark for each stretch of a line outside the panel, at its farthest point.
void mark_line(const Line& line, const Axis& axis, double low, double high, std::vector<Mark>& out) {
  int side = 0;
  for (std::size_t i = 0; i < line.x.size() && i < line.y.size(); ++i) {
    const double v = line.y[i];
    if (!std::isfinite(v)) continue;
    const int now = v > high ? 1 : v < low || (axis.log && v <= 0) ? -1 : 0;
    const bool begins = now != 0 && now != side;
    if (begins) out.push_back({line.x[i], v, now > 0, line.label, {}});
    if (begins || (now != 0 && (v > out.back().value) == (now > 0))) {
      out.back().x = line.x[i];
      out.back().value = v;
      out.back().category = i < line.categories.size() ? line.categories[i] : "";
    }
    side = now;
  }
}

/// Whether values of the line count for limits and arrows.
bool is_curve(const Line& line) { return !line.level && !line.at_top; }

/// Scaled heights of a panel's curves.
struct CurveHeights {
  std::vector<double> all, deciding;  ///< deciding: those that set the limits
};

CurveHeights curve_heights(const Panel& panel) {
  const Axis& axis = panel.y;
  const bool any_sound = std::any_of(panel.lines.begin(), panel.lines.end(), [](const Line& l) { return is_curve(l) && !l.diverged; });
  CurveHeights out;
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
      out.all.push_back(v);
      if (decides) out.deciding.push_back(v);
    };
    for (std::size_t i = 0; i < n; ++i) {
      const bool decides = counts && line.x[i] != begin && (axis.zoom >= 1 || line.x[i] >= zoom_from);
      add(line.y[i], decides);
      if (i < line.low.size()) add(line.low[i], decides);
      if (i < line.high.size()) add(line.high[i], decides);
    }
  }
  return out;
}

/// The range to show for these values (at least four); all of them if the axis is zoomed.
AxisRange middle_of(std::vector<double> sorted, bool zoomed) {
  std::sort(sorted.begin(), sorted.end());
  if (zoomed) return {sorted.front(), sorted.back()};
  AxisRange out{percentile(sorted, kTail), percentile(sorted, 1 - kTail)};
  // With few values a tail is less than one: drop as many as may be cut off, wherever the next is far nearer.
  const auto few = static_cast<std::size_t>(kFew * static_cast<double>(sorted.size()));
  const auto far = [&](double outer, double inner, double other) { return std::abs(outer - inner) > kFlattened * std::abs(inner - other); };
  for (std::size_t k = 1; k <= few && k + 1 < sorted.size(); ++k) {
    const double inner = sorted[sorted.size() - 1 - k];
    if (!far(sorted[sorted.size() - k], inner, sorted.front())) continue;
    out.high = std::min(out.high, inner);
    break;
  }
  for (std::size_t k = 1; k <= few && k + 1 < sorted.size(); ++k) {
    if (!far(sorted[k - 1], sorted[k], sorted.back())) continue;
    out.low = std::max(out.low, sorted[k]);
    break;
  }
  return out;
}

/// The scaled limits of an axis that must be cut off; empty if everything fits.
std::optional<AxisRange> cut_limits(const Axis& axis, const CurveHeights& heights) {
  const bool zoomed = axis.zoom < 1;
  const auto [low, high] = middle_of(heights.deciding, zoomed);
  const double span = high - low;
  if (!(span > 0)) return std::nullopt;
  const auto [least, most] = std::minmax_element(heights.all.begin(), heights.all.end());
  const double flattened = zoomed ? kRoom : kFlattened;
  const bool cut_top = !axis.max && *most - high > flattened * span, cut_bottom = !axis.min && low - *least > flattened * span;
  if (!cut_top && !cut_bottom) return std::nullopt;
  return AxisRange{cut_bottom ? low - kRoom * span : std::min(*least, low) - 0.04 * span,
                   cut_top ? high + kRoom * span : std::max(*most, high) + 0.04 * span};
}

/// Of the horizontal axis: 0 at its left end, 1 at its right end.
double share_of(const Panel& panel, const AxisRange& xr, double x) {
  return panel.x.log ? std::log(x / xr.low) / std::log(xr.high / xr.low) : (x - xr.low) / (xr.high - xr.low);
}

/// Whether a curve passes through the box: shares of the horizontal axis, scaled heights.
bool is_crossed(const Panel& panel, const AxisRange& xr, double left, double right, double bottom, double top) {
  for (const Line& line : panel.lines) {
    if (!is_curve(line)) continue;
    for (std::size_t i = 1; i < line.x.size(); ++i) {
      const double from = share_of(panel, xr, line.x[i - 1]), to = share_of(panel, xr, line.x[i]);
      const double y0 = scaled(panel.y, line.y[i - 1]), y1 = scaled(panel.y, line.y[i]);
      const auto height_at = [&](double s) { return from == to ? y1 : y0 + (y1 - y0) * (s - from) / (to - from); };
      const double first = std::max(left, from), last = std::min(right, to);
      if (first > last) continue;
      const double a = height_at(first), b = height_at(last);
      if (std::max(a, b) >= bottom && std::min(a, b) <= top) return true;
    }
  }
  return false;
}

/// Draws the arrow and, where they cover no curve, the values of marks that share it, the first of which is at x. Returns the values as text.
std::string draw_arrow(Panel& panel, const AxisRange& xr, const AxisRange& scaled_y, const Mark& mark, const AxisRange& values, bool left) {
  const Axis& axis = panel.y;
  const auto [bottom, top] = scaled_y;
  const double x = mark.x, from = mark.above ? top - 0.13 * (top - bottom) : bottom + 0.13 * (top - bottom);
  const double to = mark.above ? top - 0.015 * (top - bottom) : bottom + 0.015 * (top - bottom);
  Arrow arrow;
  arrow.x = x;
  arrow.y = unscaled(axis, from);
  arrow.dy = unscaled(axis, to) - arrow.y;
  panel.arrows.push_back(arrow);
  Annotation text;
  const std::string first = value_text(axis, values.low), last = value_text(axis, values.high);
  text.text = first == last ? first : first + "–" + last;
  const double aside = (left ? 0.02 : -0.02);
  text.x = panel.x.log ? x * std::pow(xr.high / xr.low, aside) : x + aside * (xr.high - xr.low);
  text.y = unscaled(axis, (from + to) / 2);
  text.align = left ? Annotation::Align::kLeft : Annotation::Align::kRight;
  text.backed = true;
  const double width = text_width(text.text) / 2.6;  // in a panel of half a page
  const double at = share_of(panel, xr, text.x);
  const double near = at + (left ? 0.35 : -0.35) * width, far = at + (left ? width : -width);  // the spike itself passes its near end
  if (!is_crossed(panel, xr, std::min(near, far), std::max(near, far), std::min(from, to), std::max(from, to))) panel.texts.push_back(text);
  return text.text;
}

/// Draws an arrow where curves leave the panel. Returns, for each, the curves, their values and the position.
std::vector<std::string> draw_arrows(Panel& panel, const AxisRange& scaled_y) {
  std::vector<Mark> marks;
  for (const Line& line : panel.lines) {
    if (is_curve(line)) mark_line(line, panel.y, *panel.y.min, *panel.y.max, marks);
  }
  const AxisRange xr = axis_range(panel, true);
  const auto share = [&](double x) { return share_of(panel, xr, x); };
  std::sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.above != b.above ? a.above > b.above : a.x < b.x; });
  std::vector<std::string> out;
  for (std::size_t i = 0; i < marks.size();) {
    // Neighbours share an arrow.
    std::size_t end = i + 1;
    AxisRange values{marks[i].value, marks[i].value};
    std::vector<std::string> who = {marks[i].label};
    while (end < marks.size() && marks[end].above == marks[i].above && share(marks[end].x) - share(marks[i].x) < 0.15) {
      values = {std::min(values.low, marks[end].value), std::max(values.high, marks[end].value)};
      if (std::find(who.begin(), who.end(), marks[end].label) == who.end()) who.push_back(marks[end].label);
      ++end;
    }
    const double x = marks[i].x;
    const auto text = draw_arrow(panel, xr, scaled_y, marks[i], values, share(x) < 0.7);
    who.erase(std::remove(who.begin(), who.end(), ""), who.end());
    out.push_back(fmt::format("{}{} at {} {}", who.empty() ? "" : join(who, ", ") + " ", text,
                              panel.x.label.empty() ? "x =" : panel.x.label,
                              marks[i].category.empty() ? fmt::format("{:g}", x) : marks[i].category));
    i = end;
  }
  return out;
}

/// The note below the figure; `arrows`: a text for each arrow.
std::string cut_note(const Axis& axis, std::vector<std::string> arrows) {
  const auto name = axis.label.empty() ? "values" : axis.label;
  if (arrows.empty()) return fmt::format("The axis of {} ends before the widest bands do.", name);  // only bands: no curve leaves the panel
  constexpr std::size_t kListed = 4;
  const std::size_t more = arrows.size() > kListed ? arrows.size() - kListed : 0;
  if (more > 0) arrows.resize(kListed);
  return fmt::format("The axis of {} is cut off; arrows stand where curves leave it: {}{}.", name, join(arrows, "; "),
                     more > 0 ? fmt::format("; and {} more", more) : "");
}

/// Cuts the y axis off if a few values would flatten all others. Several panels get the same limits.
void limit_panels(const std::vector<Panel*>& panels, std::vector<std::string>& notes) {
  CurveHeights heights;
  AxisRange whole{INFINITY, -INFINITY};
  for (const Panel* panel : panels) {
    const auto [all, deciding] = curve_heights(*panel);
    heights.all.insert(heights.all.end(), all.begin(), all.end());
    heights.deciding.insert(heights.deciding.end(), deciding.begin(), deciding.end());
    if (all.empty()) continue;
    const auto range = axis_range(*panel, false);
    whole = {std::min(whole.low, range.low), std::max(whole.high, range.high)};
  }
  const auto limits = heights.deciding.size() < 4 ? std::nullopt : cut_limits(panels.front()->y, heights);
  std::vector<std::string> arrows;
  for (Panel* panel : panels) {
    Axis& axis = panel->y;
    if (limits) {
      axis.min = axis.min.value_or(unscaled(axis, limits->low));
      axis.max = axis.max.value_or(unscaled(axis, limits->high));
      for (auto& arrow : draw_arrows(*panel, *limits)) arrows.push_back((panels.size() > 1 ? panel->title + ": " : "") + arrow);
    } else if (panels.size() > 1 && whole.low < whole.high) {
      axis.min = axis.min.value_or(whole.low);
      axis.max = axis.max.value_or(whole.high);
    }
  }
  if (limits) notes.push_back(cut_note(panels.front()->y, arrows));
}

/// Levels near the curves widen the axis; farther ones would flatten the curves.
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

/// Positions below the upper edge, in as many rows as there are marks at one x.
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
  for (auto first = figure.panels.begin(); first != figure.panels.end(); ++first) {
    if (!first->y.robust) continue;
    std::vector<Panel*> together = {&*first};
    for (auto next = first + 1; first->y.shared > 0 && next != figure.panels.end(); ++next) {
      if (next->y.robust && next->y.shared == first->y.shared) together.push_back(&*next);
    }
    limit_panels(together, figure.notes);
    for (Panel* panel : together) panel->y.robust = false;
  }
  for (Panel& panel : figure.panels) {
    place_levels(panel, figure.notes);
    place_at_top(panel);
  }
}

}  // namespace yatlab

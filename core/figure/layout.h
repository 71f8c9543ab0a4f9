#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/figure/figure.h"

namespace yatlab {

// Positions of everything in a figure, in inches from its lower left corner, computed once for every renderer.

constexpr double kLineHeight = 0.155;  ///< of text at kFontSize
constexpr double kTickGap = 0.085;     ///< between an axis and the labels below it
constexpr double kSideGap = 0.115;     ///< between an axis and the labels beside it
constexpr double kSample = 0.22;       ///< length of a line's sample in a legend
constexpr double kSampleGap = 0.08;    ///< between the sample and its label
constexpr double kStarSize = 0.065;    ///< from the centre of a star to its tips
constexpr double kLevelGap = 0.05;     ///< between the axes and the name of a level
constexpr const char* kLevelColor = "#777777";

struct Box {
  double left = 0, right = 0, bottom = 0, top = 0;
  double width() const { return right - left; }
  double height() const { return top - bottom; }
};

struct AxisRange {
  double low = 0, high = 1;
};

using Ticks = std::vector<std::pair<double, std::string>>;

/// Width of text in DejaVu Sans at kFontSize; "^{...}" of automatic tick labels counts as small text.
double text_width(std::string_view text);

/// A line's entry in a legend; its sample begins at x.
struct LegendEntry {
  const Line* line = nullptr;
  double x = 0, y = 0;  ///< y: the centre of the text
};

/// The name of a level, right of the axes at height y: next to its level, as far as other names leave room.
struct LevelName {
  const Line* line = nullptr;
  double y = 0;
};

struct PanelLayout {
  Box cell;  ///< the panel's part of the figure
  Box box;   ///< between its axes
  AxisRange x, y;
  Ticks x_ticks, y_ticks, color_ticks;
  double tick_height = 0;     ///< height of the labels below the x axis
  bool bar = false;           ///< a colour bar on the right
  bool bar_below = false;     ///< a colour bar below the panel
  std::optional<Box> legend;  ///< inside the axes
  double under = 0;           ///< height of a legend below this panel alone
  std::vector<LevelName> levels;

  double x_at(const Axis& axis, double v) const;
  double y_at(const Axis& axis, double v) const;
};

struct FigureLayout {
  double width = 0, height = 0;  ///< larger than requested where a legend needs it
  std::vector<PanelLayout> panels;
  std::vector<LegendEntry> entries;  ///< of all legends
};

/// A legend gets the requested corner, or another free place in its panel, where it covers nothing that is drawn. Without such a place it goes below
/// the figure (if all panels explain the same lines) or below its panel.
FigureLayout layout_of(const Figure& figure);

/// Whether something that the panel draws enters `area`: curves, markers, bars, bands, cells, arrows, text.
bool is_drawn_in(const Panel& panel, const PanelLayout& at, const Box& area);

/// The limits and ticks of a surface's axes.
AxisRange axis_range(const Panel& panel, bool horizontal);
Ticks axis_ticks(const Axis& axis, const AxisRange& range, double length, bool horizontal);
Ticks color_scale_ticks(const ColorScale& scale, int most);

/// Sets the limits of axes with `robust`: they follow the middle of the values, without first points and diverged lines. Values outside are marked by
/// an arrow with the value, and the figure's notes mention them. Levels far from all curves are omitted and named in the notes; marks at the top get
/// their positions.
void limit_axes(Figure& figure);

/// Where names on an x axis (`Axis::names`) would overlap, turns the panels and makes the figure as high as its names need. Names of panels that cannot
/// turn, such as bars, are at an angle instead. Labels of y axes that are
/// too long are shortened. Call it after limit_axes.
void fit_names(Figure& figure);

}  // namespace yatlab

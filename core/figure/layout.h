#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/figure/figure.h"

namespace yatlab {

// Where everything stands in a figure, in inches from its lower left corner: decided once, for every renderer.

constexpr double kLineHeight = 0.155;  ///< of text at kFontSize
constexpr double kTickGap = 0.085;     ///< between an axis and the labels below it
constexpr double kSideGap = 0.115;     ///< between an axis and the labels beside it
constexpr double kSample = 0.22;       ///< of a line in a legend
constexpr double kSampleGap = 0.08;    ///< between it and its label
constexpr double kStarSize = 0.065;    ///< from the middle of a star to its tips
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

/// Width of text in DejaVu Sans at kFontSize; "^{...}" of automatic tick labels counts as set small.
double text_width(std::string_view text);

/// A line's entry in a legend; its sample begins at x.
struct LegendEntry {
  const Line* line = nullptr;
  double x = 0, y = 0;  ///< y: the middle of the text
};

/// The name of a level, right of the axes at height y: beside its level, as far as others leave room.
struct LevelName {
  const Line* line = nullptr;
  double y = 0;
};

struct PanelLayout {
  Box cell;  ///< the panel's share of the figure
  Box box;   ///< between its axes
  AxisRange x, y;
  Ticks x_ticks, y_ticks, color_ticks;
  double tick_height = 0;     ///< of the labels below the x axis
  bool bar = false;           ///< a colour bar on the right
  bool bar_below = false;     ///< one under the panel
  std::optional<Box> legend;  ///< inside the axes
  double under = 0;           ///< height of a legend under this panel alone
  std::vector<LevelName> levels;

  double x_at(const Axis& axis, double v) const;
  double y_at(const Axis& axis, double v) const;
};

struct FigureLayout {
  double width = 0, height = 0;  ///< larger than the figure asks for where a legend needs it
  std::vector<PanelLayout> panels;
  std::vector<LegendEntry> entries;  ///< of all legends
};

/// A legend that asks for a corner gets it, or another free place in its panel: nothing that is drawn may enter it. Without such a place it
/// stands under the figure (where all panels explain the same lines) or under its panel.
FigureLayout layout_of(const Figure& figure);

/// True when something that the panel draws enters `area`: curves, markers, bars, bands, cells, arrows, text.
bool is_drawn_in(const Panel& panel, const PanelLayout& at, const Box& area);

/// The limits and ticks of a surface's axes.
AxisRange axis_range(const Panel& panel, bool horizontal);
Ticks axis_ticks(const Axis& axis, const AxisRange& range, double length, bool horizontal);
Ticks color_scale_ticks(const ColorScale& scale, int most);

/// Sets the limits of axes that ask for robust ones: the middle of what is drawn decides, without first points and without what diverged. What
/// lies outside is marked by an arrow with its value, and the figure's notes say so. Levels that are far from all curves are left out and
/// named in the notes; marks at the top get their places.
void limit_axes(Figure& figure);

}  // namespace yatlab

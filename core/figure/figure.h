#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yatlab {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Inches that the paper's columns leave for a figure.
constexpr double kSingleColumn = 3.25, kDoubleColumn = 6.75;
/// Points; nothing in a figure is smaller.
constexpr double kFontSize = 8;

/// How the points of a line are marked.
enum class Marker {
  kByColor,  ///< the shape that goes with the line's colour
  kDot,      ///< small discs
  kStar,     ///< large five-pointed stars with a white edge: prototypes
  kCross,    ///< crosses in the line's colour: what diverged
};

/// One curve with an optional band (low, high) and optional error bars (the same two, drawn as bars).
struct Line {
  std::string label;  ///< "" keeps it out of the legend
  std::vector<double> x, y, low, high;
  int color = 0;  ///< index into the Okabe-Ito palette; also chooses dash and marker
  bool markers = false;
  bool error_bars = false;  ///< draw low/high as bars instead of a band
  bool stroke = true;       ///< false: markers or bars only
  bool hollow = false;      ///< hollow, larger markers (for values that are not ours)
  double width = 1.1;       ///< points; stars grow with it
  Marker marker = Marker::kByColor;
  std::string rgb;        ///< "#rrggbb" in place of the palette's colour; "" for none
  int dash = 0;           ///< 0: goes with the colour; 1 solid, 2 dashed, 3 dotted
  bool diverged = false;  ///< robust limits do not follow it
  bool level = false;     ///< one value over the whole axis, dotted, named at its right end and not in the legend; limits do not follow it
  bool at_top = false;    ///< has places x and no values: it is marked below the panel's upper edge
};

enum class ColorMap {
  kDiverging,
  kSequential,
  kLight,       ///< sequential from white: arrows, lines and marks on it stay legible in print
  kCategories,  ///< values are palette indices; light tints
};

/// A grid of colours, placed with its lower left corner at (x0, y0) in axis units; row 0 is on top.
struct Heat {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;  ///< row-major; NaN stays blank
  double x0 = -0.5, y0 = -0.5;
  double cell = 1;                                          ///< size of a cell in axis units
  std::vector<std::string> text;                            ///< per cell, row-major; may be empty
  std::vector<std::pair<std::size_t, std::size_t>> marked;  ///< cells to frame
  bool frame = false;
  std::vector<double> levels;  ///< thin level lines are drawn where the values (cell middles) take these
};

/// An arrow of a vector field, from (x, y) to (x + dx, y + dy) in axis units.
struct Arrow {
  double x = 0, y = 0, dx = 0, dy = 0;
  std::string color = "#000000";
};

struct Bar {
  std::string label;
  double value = 0;
  std::optional<double> low, high;
  int color = 0;
};

/// Free text in axis units.
struct Annotation {
  std::string text;
  double x = 0, y = 0;
  enum class Align { kLeft, kCenter, kRight } align = Align::kCenter;
  double rotate = 0;  ///< degrees
  std::string color = "#000000";
  bool bold = false;
  bool backed = false;  ///< on a light ground of its own: curves may pass behind it
};

struct Axis {
  std::string label;
  bool log = false;
  std::optional<double> min, max;
  std::vector<std::pair<double, std::string>> ticks;  ///< own ticks; none: automatic
  bool rotate_ticks = false;
  bool visible = true;
  bool percent = false;  ///< print tick values times 100 with a % sign
  bool robust = false;   ///< y only: a few far values do not set the limits (limit_axes)
  bool begins = false;   ///< with `robust`: the first point of each line is where training begins, and does not count
  double zoom = 1;       ///< with `robust`: the share of the x axis, from the right, whose values set the limits
};

/// A grid seen as a surface over its plane, in place of everything else that a panel may hold but its
/// x and y axes and its colours.
struct Surface {
  Heat grid;
  Axis z;
  double tilt = 58, turn = 32;  ///< degrees
};

/// Where a panel's legend stands: in a corner, or wherever nothing is drawn if that is taken. Panels with kBelow share one under the whole figure.
enum class Legend { kNone, kTopLeft, kTopRight, kBottomLeft, kBottomRight, kBelow };

/// Colours of a panel's heat maps.
struct ColorScale {
  ColorMap map = ColorMap::kSequential;
  double min = 0, max = 1;
  bool bar = true;
  std::string label;
  bool percent = false;
  bool log = false;    ///< min and max above 0; smaller values take the lowest colour
  bool below = false;  ///< the bar lies under the panel
};

struct Panel {
  std::string title;
  Axis x, y;
  std::vector<Line> lines;
  std::vector<Heat> heats;
  std::vector<Bar> bars;
  std::vector<Annotation> texts;
  std::vector<Arrow> arrows;
  std::optional<Surface> surface;
  ColorScale colors;
  Legend legend = Legend::kNone;
  bool grid = true;           ///< light lines at the ticks of the y axis
  bool equal_aspect = false;  ///< one unit is as long on both axes (images)
};

/// Panels on a regular grid, filled row by row.
struct Figure {
  std::string id;
  std::string caption;             ///< what it shows
  std::vector<std::string> notes;  ///< how: sizes, seeds, intervals, what is cut off; sentences that a short caption leaves out
  double width = kSingleColumn;    ///< inches
  double height = 2.2;             ///< inches
  std::size_t columns = 1;
  std::vector<Panel> panels;

  std::size_t rows() const { return (panels.size() + columns - 1) / columns; }
  std::string note() const;  ///< the notes that are not empty, joined
};

/// Rearranges a wider figure to one column of a two-column page: fewer panels side by side, letters as large as before.
void fit_column(Figure& figure);

/// Okabe and Ito's colours, which readers with any colour vision can tell apart. "#rrggbb", cyclic.
std::string palette_color(int index);

/// Stops (position in [0, 1], "#rrggbb") of a colour map.
const std::vector<std::pair<double, std::string>>& color_stops(ColorMap map);
/// The colour at `t` in [0, 1], clamped, by linear interpolation between the stops.
std::array<int, 3> color_at(ColorMap map, double t);
/// Black or white, whichever can be read on the colour that `value` has.
std::string text_color_on(const ColorScale& scale, double value);

/// Limits for a diverging map: symmetric about 0 at the `share` percentile of |values|, never empty.
std::pair<double, double> robust_symmetric_limits(const std::vector<double>& values, double share = 0.99);
/// The corner of a panel whose lines leave most room for a legend.
Legend roomiest_corner(const Panel& panel);
/// Smallest and largest finite value, widened when they coincide.
std::pair<double, double> finite_limits(const std::vector<double>& values);

/// Everything drawn, as tidy CSV: panel, kind, series, x, y, low, high, text.
std::string figure_csv(const Figure& figure);

}  // namespace yatlab

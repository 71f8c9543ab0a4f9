#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yatlab {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Figure widths in inches for one and two columns of the paper.
constexpr double kSingleColumn = 3.25, kDoubleColumn = 6.75;
/// Points; no text in a figure is smaller.
constexpr double kFontSize = 8;

/// Markers for the points of a line.
enum class Marker {
  kByColor,  ///< the shape that belongs to the line's colour
  kDot,      ///< small discs
  kStar,     ///< large five-pointed stars with a white edge: prototypes
  kCross,    ///< crosses in the line's colour: diverged runs
};

/// One curve with an optional band (low, high) and optional error bars (the same two, drawn as bars).
struct Line {
  std::string label;  ///< "" keeps it out of the legend
  std::vector<double> x, y, low, high;
  int color = 0;  ///< index into the Okabe-Ito palette; also chooses dash and marker
  bool markers = false;
  bool error_bars = false;  ///< draw low/high as bars instead of a band
  bool stroke = true;       ///< false: markers or bars only
  bool hollow = false;      ///< hollow, larger markers (for values from others)
  double width = 1.1;       ///< points; stars scale with it
  Marker marker = Marker::kByColor;
  std::string rgb;        ///< "#rrggbb" in place of the palette's colour; "" for none
  int dash = 0;           ///< 0: determined by the colour; 1 solid, 2 dashed, 3 dotted
  bool diverged = false;  ///< robust limits ignore it
  bool level = false;     ///< one value over the whole axis, dotted, named at its right end instead of the legend; limits ignore it
  bool at_top = false;    ///< has x positions but no values: marked below the panel's upper edge
  std::vector<std::string> categories = {};  ///< of the points, where x is only a place for one; for the CSV
};

enum class ColorMap {
  kDiverging,
  kSequential,
  kLight,       ///< sequential from white: arrows, lines and marks on top stay legible in print
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
  std::vector<double> levels;  ///< draws thin level lines at these values (values are at cell centres)
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
  bool backed = false;  ///< on a light background: curves may pass behind it
};

struct Axis {
  std::string label;
  bool log = false;
  std::optional<double> min, max;
  std::vector<std::pair<double, std::string>> ticks;  ///< explicit ticks; empty: automatic
  bool rotate_ticks = false;
  bool names = false;  ///< `ticks` are names at 0, 1, ..., each of which must be readable (fit_names)
  bool visible = true;
  bool percent = false;  ///< print tick values times 100 with a % sign
  bool robust = false;   ///< y only: a few extreme values do not set the limits (limit_axes)
  bool begins = false;   ///< with `robust`: the first point of each line is where training begins, and is ignored
  double zoom = 1;       ///< with `robust`: only values in this share of the x axis, from the right, set the limits
  int shared = 0;        ///< with `robust`: panels with the same number above 0 get the same limits
};

/// A grid drawn as a surface over its plane. It replaces everything else in a panel but the x and y axes and the colours.
struct Surface {
  Heat grid;
  Axis z;
  double tilt = 58, turn = 32;  ///< degrees
};

/// The position of a panel's legend: a corner, or any free place if the corner is taken. Panels with kBelow share one below the whole figure.
enum class Legend { kNone, kTopLeft, kTopRight, kBottomLeft, kBottomRight, kBelow };

/// Colours of a panel's heat maps.
struct ColorScale {
  ColorMap map = ColorMap::kSequential;
  double min = 0, max = 1;
  bool bar = true;
  std::string label;
  bool percent = false;
  bool log = false;    ///< min and max above 0; smaller values get the lowest colour
  bool below = false;  ///< the colour bar is below the panel
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
  bool grid = true;           ///< light lines at the ticks of the y axis; of both if `turned`
  bool turned = false;        ///< values are along x, `low` and `high` of lines too; names are beside y (fit_names)
  bool equal_aspect = false;  ///< one unit has the same length on both axes (images)
};

/// Panels on a regular grid, filled row by row.
struct Figure {
  std::string id;
  std::string caption;             ///< what it shows
  std::vector<std::string> notes;  ///< how it was made: sizes, seeds, intervals, what is cut off; sentences omitted from a short caption
  double width = kSingleColumn;    ///< inches
  double height = 2.2;             ///< inches
  std::size_t columns = 1;
  std::vector<Panel> panels;

  std::size_t rows() const { return (panels.size() + columns - 1) / columns; }
  std::string note() const;  ///< the nonempty notes, joined
};

/// Rearranges a wider figure to one column of a two-column page: fewer panels side by side, at the same font size.
void fit_column(Figure& figure);

/// The colour palette of Okabe and Ito, distinguishable with any colour vision. "#rrggbb", cyclic.
std::string palette_color(int index);

/// Stops (position in [0, 1], "#rrggbb") of a colour map.
const std::vector<std::pair<double, std::string>>& color_stops(ColorMap map);
/// The colour at `t` in [0, 1], clamped, by linear interpolation between the stops.
std::array<int, 3> color_at(ColorMap map, double t);
/// Black or white, whichever is readable on the colour of `value`.
std::string text_color_on(const ColorScale& scale, double value);

/// Limits for a diverging map: symmetric about 0 at the `share` percentile of |values|, never empty.
std::pair<double, double> robust_symmetric_limits(const std::vector<double>& values, double share = 0.99);
/// The corner of a panel with the most room for a legend between its lines.
Legend roomiest_corner(const Panel& panel);
/// Smallest and largest finite value, widened when they coincide.
std::pair<double, double> finite_limits(const std::vector<double>& values);

/// Everything drawn, as tidy CSV: panel, kind, series, x, y, low, high, text.
std::string figure_csv(const Figure& figure);

}  // namespace yatlab

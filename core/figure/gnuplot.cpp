#include "core/figure/gnuplot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/node.h"
#include "core/base/text.h"
#include "core/figure/contour.h"
#include "core/figure/layout.h"
#include "core/figure/ticks.h"
#include "core/figure/yat_letter.h"

namespace yatlab {
namespace {

// For file names, without markup.
std::string plain_quote(const std::string& text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + "'";
}

// Tick labels are printf formats.
std::string tick_quote(const std::string& quoted) {
  std::string out;
  for (char c : quoted) {
    if (c == '%') out += '%';
    out += c;
  }
  return out;
}

std::string num(double v) { return fmt::format("{:.10g}", v); }
std::string rgb(const std::string& color) { return fmt::format("rgb '{}'", color); }

class Writer {
 public:
  Writer(const Figure& figure, const std::string& name) : figure_(figure), layout_(layout_of(figure)), name_(name) {}

  std::string write() {
    header();
    for (std::size_t p = 0; p < figure_.panels.size(); ++p) panel(p, layout_.panels[p]);
    return data_ + "\n" + out_ + "unset multiplot\nunset output\n";
  }

 private:
  template <class... A>
  void line(fmt::format_string<A...> text, A&&... args) {
    out_ += fmt::format(text, std::forward<A>(args)...) + "\n";
  }

  void header() {
    const std::string base = plain_quote(name_);
    data_ = fmt::format("# Figure {}, drawn by yatlab: gnuplot -c {}.gp svg|pdf|png\n", name_, name_);
    data_ += "set encoding utf8\nset datafile missing 'NaN'\n";
    line("format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'");
    // Sizes are exact in print. The factors make each terminal draw 8 points as 8 points.
    line("if (format eq 'pdf') {{");
    line(
        "  set terminal pdfcairo enhanced color font 'DejaVu Sans,{}' fontscale 0.75 linewidth 2 size {}in,{}in "
        "background '#ffffff'",
        num(kFontSize), num(layout_.width), num(layout_.height));
    line("}} else {{ if (format eq 'png') {{");
    line(
        "  set terminal pngcairo enhanced color font 'DejaVu Sans,{}' fontscale 2 linewidth 2.667 pointscale 1.6 "
        "size {},{} background '#ffffff'",
        num(kFontSize), std::lround(layout_.width * 192), std::lround(layout_.height * 192));
    line("}} else {{");
    line("  set terminal svg enhanced font 'DejaVu Sans,{}' size {},{} background '#ffffff'", num(kFontSize),
         std::lround(layout_.width * 72), std::lround(layout_.height * 72));
    line("}} }}");
    line("set output {}.'.'.format", base);
    line("set multiplot");
  }

  double x_of(double inches) const { return inches / layout_.width; }
  double y_of(double inches) const { return inches / layout_.height; }

  void panel(std::size_t p, const PanelLayout& at) {
    const Panel& panel = figure_.panels[p];
    if (panel.surface) {
      surface(panel, p, at.box);
      return;
    }
    const Box& box = at.box;
    const AxisRange &xr = at.x, &yr = at.y;
    const Ticks &xt = at.x_ticks, &yt = at.y_ticks, &ct = at.color_ticks;
    const double tick_height = at.tick_height;
    place(panel, box);
    axis("x", panel.x, xr, xt);
    axis("y", panel.y, yr, yt);
    if (!panel.x.label.empty()) {
      line("set label {} at screen {},{} center front", gnuplot_quote(panel.x.label), num(x_of((box.left + box.right) / 2)),
           num(y_of(box.bottom - tick_height - kLineHeight / 2 - 0.03)));
    }
    if (!panel.y.label.empty()) {
      double reach = 0;
      for (const auto& tick : yt) reach = std::max(reach, text_width(tick.second));
      reach += (yt.empty() ? 0 : kSideGap);
      line("set label {} at screen {},{} center rotate by 90 front", gnuplot_quote(panel.y.label),
           num(x_of(box.left - reach - kLineHeight / 2 - 0.02)), num(y_of((box.bottom + box.top) / 2)));
    }
    const bool framed = panel.x.visible || panel.y.visible;
    if (framed) {
      line("set border {} lw 0.6 lc {}", (panel.x.visible ? 1 : 0) + (panel.y.visible ? 2 : 0), rgb("#333333"));
    } else {
      line("unset border");
    }
    if (panel.grid && panel.heats.empty()) line("set grid {}tics lt 1 lw 0.4 lc {}", panel.turned ? "xtics y" : "y", rgb("#dddddd"));
    colors(panel, box, at.bar, ct);
    if (at.bar_below) bar_below(panel, box, tick_height, ct);
    line("unset key");
    for (const Annotation& text : panel.texts) annotation(text);
    for (const LevelName& level : at.levels) {
      line("set label {} at screen {},{} left front tc {}", gnuplot_quote(level.line->label), num(x_of(box.right + kLevelGap)),
           num(y_of(level.y)), rgb(kLevelColor));
    }
    curves_.clear();
    for (std::size_t h = 0; h < panel.heats.size(); ++h) heat(panel, p, h);
    bars(panel, p);
    for (std::size_t s = 0; s < panel.lines.size(); ++s) {
      if (panel.lines[s].level) {
        curves_.push_back(fmt::format("{} with lines lc {} lw 0.9 dt 3 notitle", num(panel.lines[s].y.front()), rgb(kLevelColor)));
      } else {
        const auto& l = panel.lines[s];
        const auto name = block(l, block_name(p, "line", s));
        if (l.low.empty() || l.error_bars) continue;
        const Line cut = with_crossings(l, panel, yr);
        band(l, cut.x.size() == l.x.size() ? name : block(cut, block_name(p, "band", s)));
      }
    }
    for (std::size_t h = 0; h < panel.heats.size(); ++h) levels(panel.heats[h], p, h);
    arrows(panel, p);
    for (std::size_t s = 0; s < panel.lines.size(); ++s) {
      if (panel.lines[s].level) continue;
      stroke(panel.lines[s], block_name(p, "line", s), panel.turned);
      if (panel.lines[s].marker == Marker::kStar) stars(panel, panel.lines[s], box, xr, yr);
    }
    if (curves_.empty()) curves_.push_back("NaN notitle");
    if (p + 1 == figure_.panels.size()) draw_legends();
    out_ += "plot " + join(curves_, ", \\\n     ") + "\n";
  }

  void place(const Panel& panel, const Box& box) {
    out_ += "\n";
    line("reset");
    line("set lmargin at screen {}", num(x_of(box.left)));
    line("set rmargin at screen {}", num(x_of(box.right)));
    line("set bmargin at screen {}", num(y_of(box.bottom)));
    line("set tmargin at screen {}", num(y_of(box.top)));
    title(panel, box);
  }

  void title(const Panel& panel, const Box& box) {
    if (!panel.title.empty()) {
      // Not `set title`: its distance from the frame depends on the terminal.
      line("set label {} at screen {},{} center front", gnuplot_quote(panel.title), num(x_of((box.left + box.right) / 2)),
           num(y_of(box.top + 0.06 + kLineHeight / 2)));
    }
  }

  void palette(const ColorScale& scale) {
    std::vector<std::string> stops;
    for (const auto& [at, color] : color_stops(scale.map)) stops.push_back(fmt::format("{} '{}'", num(at), color));
    line("set palette defined ({})", join(stops, ", "));
    if (scale.log) line("set logscale cb");
    if (scale.map == ColorMap::kCategories) {
      line("set cbrange [0:{}] noextend", color_stops(scale.map).size() - 1);
    } else {
      line("set cbrange [{}:{}] noextend", num(scale.min), num(scale.max));
    }
  }

  void bar_below(const Panel& panel, const Box& box, double tick_height, const Ticks& ticks) {
    const double top = box.bottom - tick_height - (panel.x.label.empty() ? 0 : kLineHeight + 0.02) - 0.07;
    line("set colorbox horizontal user origin screen {},{} size screen {},{} front noborder", num(x_of(box.left)), num(y_of(top - 0.07)),
         num(x_of(box.width())), num(y_of(0.07)));
    line("set cbtics out nomirror scale 0,0 format '' ()");
    const ColorScale& c = panel.colors;
    // Placed explicitly: the distance of a horizontal bar's labels depends on the terminal.
    for (const auto& [at, text] : ticks) {
      const double share = c.log ? std::log(at / c.min) / std::log(c.max / c.min) : (at - c.min) / (c.max - c.min);
      line("set label {} at screen {},{} center front", plain_quote(text), num(x_of(box.left + share * box.width())),
           num(y_of(top - 0.07 - kTickGap)));
    }
    if (!c.label.empty()) {
      line("set label {} at screen {},{} center front", gnuplot_quote(c.label), num(x_of((box.left + box.right) / 2)),
           num(y_of(top - 0.07 - kTickGap - kLineHeight)));
    }
  }

  void surface(const Panel& panel, std::size_t p, const Box& box) {
    const Surface& surface = *panel.surface;
    const Heat& grid = surface.grid;
    const AxisRange xr = axis_range(panel, true), yr = axis_range(panel, false);
    AxisRange zr{panel.colors.min, panel.colors.max};
    if (surface.z.min) zr.low = *surface.z.min;
    if (surface.z.max) zr.high = *surface.z.max;
    const Ticks zt = axis_ticks(surface.z, zr, box.height() - 0.9, false);
    out_ += "\n";
    line("reset");
    // Margins do not control the projected cube; origin and size do.
    line("set origin {},{}", num(x_of(box.left)), num(y_of(box.bottom)));
    line("set size {},{}", num(x_of(box.width())), num(y_of(box.height())));
    title(panel, {box.left, box.right, box.bottom, box.top - kLineHeight - 0.09});
    line("set view {},{},1.2,1.05", num(surface.tilt), num(surface.turn));
    line("set xyplane at {}", num(zr.low));
    line("set border 31 lw 0.6 lc {}", rgb("#333333"));
    unsigned which = 0;
    for (const Axis* a : {&panel.x, &panel.y, &surface.z}) {
      const char* name = which == 0 ? "x" : which == 1 ? "y" : "z";
      const AxisRange& range = which == 0 ? xr : which == 1 ? yr : zr;
      if (a->log) line("set logscale {}", name);
      line("set {}range [{}:{}] noextend", name, num(range.low), num(range.high));
      std::vector<std::string> parts;
      const Ticks ticks = which == 2 ? zt : axis_ticks(*a, range, box.width() / 2, true);
      for (const auto& [at, text] : ticks) parts.push_back(fmt::format("{} {}", tick_quote(plain_quote(text)), num(at)));
      line("set {}tics out nomirror scale 0.5,0 offset {} ({})", name, which == 2 ? "0.3,0" : "0,-0.35", join(parts, ", "));
      if (!a->label.empty()) {
        line("set {}label {} offset {}", name, gnuplot_quote(a->label),
             which == 2   ? "1.5,0 rotate by 90"
             : which == 0 ? "0,-0.4"
                          : "0.8,-0.4");
      }
      ++which;
    }
    palette(panel.colors);
    line("unset colorbox");
    line("unset key");
    line("set pm3d depthorder border lc {} lw 0.15 corners2color max", rgb("#777777"));
    const std::string name = block_name(p, "surface", 0);
    data_ += name + " << EOD\n";
    for (std::size_t r = grid.rows; r-- > 0;) {
      for (std::size_t c = 0; c < grid.columns; ++c) {
        const double v = grid.values[r * grid.columns + c];
        data_ += fmt::format("{} {} {}\n", num(grid.x0 + (static_cast<double>(c) + 0.5) * grid.cell),
                             num(grid.y0 + (static_cast<double>(grid.rows - 1 - r) + 0.5) * grid.cell),
                             std::isfinite(v) ? num(std::clamp(v, zr.low, zr.high)) : "NaN");
      }
      data_ += "\n";
    }
    data_ += "EOD\n";
    for (const Annotation& text : panel.texts) annotation(text);
    if (p + 1 == figure_.panels.size()) draw_legends();
    out_ += fmt::format("splot {} using 1:2:3 with pm3d notitle\n", name);
  }

  void axis(const char* which, const Axis& a, const AxisRange& range, const Ticks& ticks) {
    if (a.log) line("set logscale {}", which);
    line("set {}range [{}:{}] noextend", which, num(range.low), num(range.high));
    if (ticks.empty()) {
      line("unset {}tics", which);
      return;
    }
    std::vector<std::string> parts;
    for (const auto& [at, text] : ticks) {
      // Automatic labels may contain 10^{-5}; explicit ones are plain text.
      const std::string label = tick_quote(a.ticks.empty() ? plain_quote(text) : gnuplot_quote(text));
      parts.push_back(fmt::format("{} {}", label, num(at)));
    }
    line("set {}tics {} nomirror scale {},0 {} ({})", which, a.visible ? "out" : "", a.visible ? "0.5" : "0",
         a.rotate_ticks ? "rotate by 40 right" : "norotate", join(parts, ", "));
  }

  void colors(const Panel& panel, const Box& box, bool bar, const Ticks& ticks) {
    line("unset colorbox");
    if (panel.heats.empty()) return;
    palette(panel.colors);
    if (!bar) return;
    line("set colorbox user origin screen {},{} size screen {},{} front noborder", num(x_of(box.right + 0.06)), num(y_of(box.bottom)),
         num(x_of(0.08)), num(y_of(box.height())));
    std::vector<std::string> parts;
    for (const auto& [at, text] : ticks) parts.push_back(fmt::format("{} {}", tick_quote(plain_quote(text)), num(at)));
    line("set cbtics out nomirror scale 0,0 ({})", join(parts, ", "));
    double wide = 0;
    for (const auto& tick : ticks) wide = std::max(wide, text_width(tick.second));
    if (!panel.colors.label.empty()) {
      line("set label {} at screen {},{} center rotate by 90 front", gnuplot_quote(panel.colors.label),
           num(x_of(box.right + 0.26 + wide + kLineHeight / 2)), num(y_of((box.bottom + box.top) / 2)));
    }
  }

  // Drawn explicitly: gnuplot's key ignores what is below it and the width of the figure. Drawn with the last panel.
  void draw_legends() {
    double apart = 0;
    for (const LegendEntry& entry : layout_.entries) {
      const Line& l = *entry.line;
      const std::string color = rgb(color_of(l)), y = num(y_of(entry.y));
      if (l.stroke) {
        line("set arrow from screen {},{} to screen {},{} nohead lc {} lw {} dt {} front", num(x_of(entry.x)), y,
             num(x_of(entry.x + kSample)), y, color, num(l.width + apart), dash_of(l));
        // In SVG, gnuplot gives an arrow the dashes of the previous one of equal colour and width.
        apart = 0.001 - apart;
      }
      if (l.markers) {
        line("set label '' at screen {},{} point {} lc {}{} front", num(x_of(entry.x + kSample / 2)), y, point_of(l), color,
             l.marker == Marker::kCross ? " lw 1.2" : "");
      }
      line("set label {} at screen {},{} left front", gnuplot_quote(l.label), num(x_of(entry.x + kSample + kSampleGap)), y);
    }
  }

  static int dash_of(const Line& l) { return l.dash > 0 ? l.dash : l.color / 7 % 2 + 1; }
  static std::string color_of(const Line& l) { return l.rgb.empty() ? palette_color(l.color) : l.rgb; }
  static std::string point_of(const Line& l) {
    if (l.marker == Marker::kDot) return l.hollow ? "pt 6 ps 0.32" : "pt 7 ps 0.22";
    if (l.marker == Marker::kCross) return "pt 2 ps 0.9";
    static constexpr int kFull[] = {7, 5, 9, 11, 15, 2, 13}, kHollow[] = {6, 4, 8, 10, 14, 1, 12};
    const auto style = static_cast<std::size_t>((l.color % 7 + 7) % 7);
    return fmt::format("pt {} ps {}", l.hollow ? kHollow[style] : kFull[style], l.hollow ? 0.75 : 0.45);
  }

  void annotation(const Annotation& text) {
    const char* align = text.align == Annotation::Align::kLeft ? "left" : text.align == Annotation::Align::kRight ? "right" : "center";
    std::string quoted = gnuplot_quote(text.text);
    if (text.bold) quoted = "'{/:Bold " + quoted.substr(1, quoted.size() - 2) + "}'";
    if (text.backed) line("set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'");
    line("set label {} at first {},{} {} {} front tc {}{}", quoted, num(text.x), num(text.y), align,
         text.rotate != 0 ? "rotate by " + num(text.rotate) : "norotate", rgb(text.color), text.backed ? " boxed" : "");
  }

  static std::string block_name(std::size_t p, const char* kind, std::size_t i) { return fmt::format("$panel{}_{}{}", p, kind, i); }

  std::string block(const Line& l, const std::string& name) {
    data_ += name + " << EOD\n";
    for (std::size_t i = 0; i < l.x.size(); ++i) {
      const auto value = [](const std::vector<double>& v, std::size_t at) {
        return at < v.size() && std::isfinite(v[at]) ? num(v[at]) : std::string("NaN");
      };
      data_ += fmt::format("{} {} {} {}\n", value(l.x, i), value(l.y, i), value(l.low, i), value(l.high, i));
    }
    data_ += "EOD\n";
    return name;
  }

  /// gnuplot draws corners of a band that are outside the panel at its edge, which falsifies the slopes. This adds corners where the band's edges
  /// leave the panel.
  static Line with_crossings(const Line& l, const Panel& panel, const AxisRange& yr) {
    const auto scaled = [](double v, const Axis& axis) { return axis.log ? std::log(v) : v; };
    const auto unscaled = [](double v, const Axis& axis) { return axis.log ? std::exp(v) : v; };
    Line out;
    for (std::size_t i = 0; i < l.x.size() && i < l.low.size() && i < l.high.size(); ++i) {
      if (i > 0) {
        std::vector<double> cuts;
        for (const auto* edge : {&l.low, &l.high}) {
          const double from = scaled((*edge)[i - 1], panel.y), to = scaled((*edge)[i], panel.y);
          for (const double limit : {scaled(yr.low, panel.y), scaled(yr.high, panel.y)}) {
            const double share = (limit - from) / (to - from);
            if (share > 0 && share < 1) cuts.push_back(share);
          }
        }
        std::sort(cuts.begin(), cuts.end());
        const auto between = [](double share, double from, double to, const auto& in, const auto& back, const Axis& axis) {
          return back(in(from, axis) + share * (in(to, axis) - in(from, axis)), axis);
        };
        for (const double share : cuts) {
          out.x.push_back(between(share, l.x[i - 1], l.x[i], scaled, unscaled, panel.x));
          out.low.push_back(between(share, l.low[i - 1], l.low[i], scaled, unscaled, panel.y));
          out.high.push_back(between(share, l.high[i - 1], l.high[i], scaled, unscaled, panel.y));
        }
      }
      out.x.push_back(l.x[i]);
      out.low.push_back(l.low[i]);
      out.high.push_back(l.high[i]);
    }
    return out;
  }

  void band(const Line& l, const std::string& name) {
    curves_.push_back(
        fmt::format("{} using 1:3:4 with filledcurves fc {} fs transparent solid 0.18 noborder notitle", name, rgb(color_of(l))));
  }

  // Vectors with flat heads: gnuplot's own error bars leave a gap around the middle.
  static std::string error_bars(const std::string& name, const std::string& color, double width, bool turned = false) {
    return fmt::format("{} using {} with vectors heads size screen 0.006,90 lc {} lw {} notitle", name,
                       turned ? "3:2:($4-$3):(0)" : "1:3:(0):($4-$3)", color, num(width));
  }

  void stroke(const Line& l, const std::string& name, bool turned) {
    const std::string color = rgb(color_of(l));
    const std::string title = "notitle";
    if (l.error_bars) {
      curves_.push_back(error_bars(name, color, l.stroke ? 0.8 : l.width, turned));
    }
    if (l.stroke) {
      curves_.push_back(fmt::format("{} using 1:2 with {} lc {} lw {} dt {} {} {}", name, l.markers ? "linespoints" : "lines", color,
                                    num(l.width), dash_of(l), l.markers ? point_of(l) : "", title));
    } else if (l.markers && l.marker != Marker::kStar) {
      curves_.push_back(fmt::format("{} using 1:2 with points lc {} lw {} {} {}", name, color, l.marker == Marker::kCross ? "1.2" : "1",
                                    point_of(l), title));
    }
  }

  // The value `inches` away from v on an axis of this length.
  static double away(double v, double inches, const Axis& axis, const AxisRange& range, double length) {
    if (!axis.log) return v + inches / length * (range.high - range.low);
    return v * std::pow(range.high / range.low, inches / length);
  }

  // Polygons, since the size and position of a letter would depend on the terminal.
  void stars(const Panel& panel, const Line& l, const Box& box, const AxisRange& xr, const AxisRange& yr) {
    for (std::size_t i = 0; i < l.x.size() && i < l.y.size(); ++i) {
      if (!std::isfinite(l.x[i]) || !std::isfinite(l.y[i])) continue;
      if (l.x[i] < xr.low || l.x[i] > xr.high || l.y[i] < yr.low || l.y[i] > yr.high) continue;
      std::vector<std::string> corners;
      for (int k = 1; k <= 11; ++k) {  // starts in a notch: the ends of an outline do not join to a tip
        const double angle = 3.14159265358979 * (0.5 + k / 5.0),
                     radius = (k % 2 == 0 ? kStarSize : 0.42 * kStarSize) * l.width / Line().width;
        corners.push_back(fmt::format("{},{}", num(away(l.x[i], radius * std::cos(angle), panel.x, xr, box.width())),
                                      num(away(l.y[i], radius * std::sin(angle), panel.y, yr, box.height()))));
      }
      // A second edge around the white one keeps stars visible on white, too.
      line("set object polygon from first {} front fs empty border lc {} lw 1.6", join(corners, " to first "), rgb("#000000"));
      line("set object polygon from first {} front fs solid border lc {} lw 0.8 fc {}", join(corners, " to first "), rgb("#ffffff"),
           rgb(color_of(l)));
    }
  }

  void levels(const Heat& heat, std::size_t p, std::size_t h) {
    if (heat.levels.empty()) return;
    const std::string name = block_name(p, "level", h);
    data_ += name + " << EOD\n";
    for (const double level : heat.levels) {
      for (const auto& curve : contour_lines(heat, level)) {
        for (std::size_t i = 0; i < curve.x.size(); ++i) data_ += num(curve.x[i]) + " " + num(curve.y[i]) + "\n";
        data_ += "\n";
      }
    }
    data_ += "EOD\n";
    curves_.push_back(fmt::format("{} using 1:2 with lines lc {} lw 0.5 notitle", name, rgb("#666666")));
  }

  void arrows(const Panel& panel, std::size_t p) {
    if (panel.arrows.empty()) return;
    const std::string name = block_name(p, "arrow", 0);
    data_ += name + " << EOD\n";
    for (const Arrow& a : panel.arrows) {
      data_ += fmt::format("{} {} {} {} 0x{}\n", num(a.x), num(a.y), num(a.dx), num(a.dy), a.color.substr(1));
    }
    data_ += "EOD\n";
    // Head sizes are fractions of the figure's width.
    curves_.push_back(
        fmt::format("{} using 1:2:3:4:5 with vectors head filled size screen {},25,90 lw 0.7 lc rgb variable "
                    "notitle",
                    name, num(0.032 / layout_.width)));
  }

  void bars(const Panel& panel, std::size_t p) {
    if (panel.bars.empty()) return;
    const std::string name = block_name(p, "bar", 0);
    data_ += name + " << EOD\n";
    bool errors = false;
    for (std::size_t i = 0; i < panel.bars.size(); ++i) {
      const Bar& bar = panel.bars[i];
      errors = errors || (bar.low && bar.high);
      data_ += fmt::format("{} {} {} {} 0x{}\n", i, std::isfinite(bar.value) ? num(bar.value) : "NaN", bar.low ? num(*bar.low) : "NaN",
                           bar.high ? num(*bar.high) : "NaN", palette_color(bar.color).substr(1));
    }
    data_ += "EOD\n";
    curves_.push_back(name + " using 1:2:(0.7):5 with boxes fs solid 0.9 noborder lc rgb variable notitle");
    if (errors) {
      curves_.push_back(error_bars(name, rgb("#333333"), 0.8));
    }
  }

  // Clamped to the scale; category colours repeat.
  static double shown(const ColorScale& scale, double v) {
    if (scale.map != ColorMap::kCategories) return std::clamp(v, scale.min, scale.max);
    const auto n = static_cast<std::int64_t>(color_stops(scale.map).size());
    return static_cast<double>((std::llround(v) % n + n) % n);
  }

  void heat(const Panel& panel, std::size_t p, std::size_t h) {
    const Heat& heat = panel.heats[h];
    const std::string name = block_name(p, "heat", h);
    data_ += name + " << EOD\n";
    const auto x_at = [&](std::size_t c) { return heat.x0 + (static_cast<double>(c) + 0.5) * heat.cell; };
    const auto y_at = [&](std::size_t r) { return heat.y0 + (static_cast<double>(heat.rows - 1 - r) + 0.5) * heat.cell; };
    for (std::size_t i = 0; i < heat.values.size(); ++i) {
      const double v = heat.values[i];
      data_ += fmt::format("{} {} {}\n", num(x_at(i % heat.columns)), num(y_at(i / heat.columns)),
                           std::isfinite(v) ? num(shown(panel.colors, v)) : "NaN");
    }
    data_ += "EOD\n";
    const double half = heat.cell / 2;
    // A few cells are drawn as rectangles with white seams; larger grids as one image.
    if (heat.values.size() <= 400) {
      curves_.push_back(
          fmt::format("{} using 1:2:({}):({}):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc "
                      "{} notitle",
                      name, num(half), num(half), rgb("#ffffff")));
    } else {
      curves_.push_back(fmt::format("{} using 1:2:3 with image notitle", name));
    }
    for (std::size_t i = 0; i < heat.text.size() && i < heat.values.size(); ++i) {
      if (heat.text[i].empty()) continue;
      const std::string color = std::isfinite(heat.values[i]) ? text_color_on(panel.colors, heat.values[i]) : "#000000";
      const double x = x_at(i % heat.columns), y = y_at(i / heat.columns);
      const auto parts = split(heat.text[i], '\n');  // two lines at most: value and spread
      for (std::size_t k = 0; k < parts.size(); ++k) {
        const double shift = (static_cast<double>(parts.size() - 1) / 2 - static_cast<double>(k)) * 0.26 * heat.cell;
        line("set label {} at first {},{} center front tc {}", gnuplot_quote(parts[k]), num(x), num(y + shift), rgb(color));
      }
    }
    for (const auto& [r, c] : heat.marked) {
      line("set object rectangle from first {},{} to first {},{} front fs empty border lc {} lw 1.4", num(x_at(c) - half * 0.94),
           num(y_at(r) - half * 0.94), num(x_at(c) + half * 0.94), num(y_at(r) + half * 0.94), rgb("#d55e00"));
    }
    if (heat.frame) {
      line("set object rectangle from first {},{} to first {},{} front fs empty border lc {} lw 0.4", num(heat.x0), num(heat.y0),
           num(heat.x0 + heat.cell * static_cast<double>(heat.columns)), num(heat.y0 + heat.cell * static_cast<double>(heat.rows)),
           rgb("#999999"));
    }
  }

  const Figure& figure_;
  FigureLayout layout_;
  std::string name_, data_, out_;
  std::vector<std::string> curves_;
};

}  // namespace

std::string gnuplot_quote(std::string_view text) {
  // Single quotes: gnuplot runs `commands` and expands \n in double-quoted text only.
  std::string out = "'";
  for (char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '\'') {
      out += "''";
    } else if (std::string_view("\\_^{}@&~").find(c) != std::string_view::npos) {
      out += '\\';  // escapes markup of the enhanced mode
      out += c;
    } else {
      out += u < 0x20 ? ' ' : c;
    }
  }
  // At the size of the text, the letter looks like an E; in bold it closes up.
  const std::string letter = fmt::format("{{/:Normal={:g} {}}}", kYatScale * kFontSize, kYat);
  for (auto at = out.find(kYat); at != std::string::npos; at = out.find(kYat, at + letter.size()))
    out.replace(at, std::strlen(kYat), letter);
  return out + "'";
}

std::string gnuplot_script(const Figure& figure, const std::string& name) { return Writer(figure, name).write(); }

}  // namespace yatlab

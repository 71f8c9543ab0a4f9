#include "core/figure/pgf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/files.h"
#include "core/base/text.h"
#include "core/figure/contour.h"
#include "core/figure/latex_text.h"
#include "core/figure/layout.h"
#include "core/figure/yat_letter.h"

namespace yatlab {
namespace {

// Grids with more cells become an image in the PDF, inlined in the page's content; others become rectangles.
constexpr std::size_t kCells = 400;

// Inches, to a ten-thousandth. TeX's limit is 16383 points, so positions far outside any page are clamped.
std::string in(double v) {
  std::string text = fmt::format("{:.4f}", std::clamp(v, -100.0, 100.0));
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}
std::string at(double x, double y) { return "(" + in(x) + "," + in(y) + ")"; }

// Labels of automatic ticks contain gnuplot's 10^{-5}; all others are text, possibly with $math$.
std::string label_text(const std::string& text, bool automatic) {
  if (!automatic) return latex_text(text);
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto open = text.find("^{", i);
    if (open == std::string::npos) {
      out += latex_text(text.substr(i));
      break;
    }
    const auto close = text.find('}', open);
    auto power = text.substr(open + 2, close - open - 2);
    if (power.rfind("−", 0) == 0) power = "-" + power.substr(std::string("−").size());
    out += latex_text(text.substr(i, open - i)) + "$^{" + power + "}$";
    i = close + 1;
  }
  return out;
}

class PgfWriter {
 public:
  explicit PgfWriter(const Figure& figure) : figure_(figure), layout_(layout_of(figure)) {}

  std::string write() {
    for (std::size_t p = 0; p < figure_.panels.size(); ++p) panel(figure_.panels[p], layout_.panels[p]);
    for (const auto& entry : layout_.entries) legend_entry(entry);
    std::string head = fmt::format(
        "% Figure {}, drawn by yatlab. \\usepackage{{pgfplots}} (or tikz), then \\input this file: its letters are the document's.\n"
        "% {:g} inches wide; \\resizebox{{\\linewidth}}{{!}}{{\\input{{...}}}} scales it, letters too.\n",
        safe_file_name(figure_.id), layout_.width);
    const bool letters = body_.find("\\yat{}") != std::string::npos;
    if (letters) head += yat_latex();
    head +=
        "\\begin{tikzpicture}[x=1in,y=1in,line cap=round,line join=round,every node/.style={inner sep=0pt,outer "
        "sep=0pt,font=\\footnotesize}]\n";
    for (const auto& color : colors_) head += fmt::format("\\definecolor{{yat{0}}}{{HTML}}{{{0}}}\n", color);
    return head + fmt::format("\\useasboundingbox (0,0) rectangle {};\n", at(layout_.width, layout_.height)) + body_ +
           "\\end{tikzpicture}%\n";
  }

 private:
  template <class... A>
  void line(fmt::format_string<A...> text, A&&... args) {
    body_ += fmt::format(text, std::forward<A>(args)...) + "\n";
  }

  // "#0072b2" -> "yat0072B2", defined at the beginning.
  std::string color(const std::string& hex) {
    std::string name = hex.substr(1);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    colors_.insert(name);
    return "yat" + name;
  }
  std::string color_of(const Line& l) { return color(l.rgb.empty() ? palette_color(l.color) : l.rgb); }
  static std::string rgb_hex(const std::array<int, 3>& c) { return fmt::format("#{:02x}{:02x}{:02x}", c[0], c[1], c[2]); }

  std::string dash_of(const Line& l) const {
    const int dash = l.dash > 0 ? l.dash : l.color / 7 % 2 + 1;
    return dash == 2 ? ",dash pattern=on 4pt off 2.5pt" : dash >= 3 ? ",dash pattern=on 1pt off 2pt" : "";
  }

  void text(double x, double y, const std::string& content, const char* anchor, const std::string& options = {}) {
    if (!content.empty() && content != " ") line("\\node[anchor={}{}] at {} {{\\strut {}}};", anchor, options, at(x, y), content);
  }

  void panel(const Panel& panel, const PanelLayout& place) {
    if (panel.surface) {
      surface(panel, place);
      return;
    }
    const Box& b = place.box;
    const auto x = [&](double v) { return place.x_at(panel.x, v); };
    const auto y = [&](double v) { return place.y_at(panel.y, v); };
    if (panel.grid && panel.heats.empty()) {
      const auto rule = [&](const std::string& from, const std::string& to) {
        line("\\draw[{},line width=.3pt] {} -- {};", color("#dddddd"), from, to);
      };
      for (const auto& tick : place.y_ticks) rule(at(b.left, y(tick.first)), at(b.right, y(tick.first)));
      for (const auto& tick : place.x_ticks) {
        if (panel.turned) rule(at(x(tick.first), b.bottom), at(x(tick.first), b.top));
      }
    }
    line("\\begin{{scope}}\n\\clip {} rectangle {};", at(b.left, b.bottom), at(b.right, b.top));
    for (const Heat& heat : panel.heats) cells(panel, place, heat);
    for (std::size_t i = 0; i < panel.bars.size(); ++i) bar(panel, place, i);
    for (const Line& l : panel.lines) {
      if (!l.low.empty() && !l.error_bars) band(panel, place, l);
    }
    for (const Heat& heat : panel.heats) {
      for (const double level : heat.levels) {
        for (const auto& curve : contour_lines(heat, level))
          polyline(panel, place, curve.x, curve.y, color("#666666") + ",line width=.4pt");
      }
    }
    for (const Arrow& a : panel.arrows) {
      line("\\draw[{},line width=.4pt,-stealth] {} -- {};", color(a.color), at(x(a.x), y(a.y)), at(x(a.x + a.dx), y(a.y + a.dy)));
    }
    for (const Line& l : panel.lines) {
      if (l.level) {
        line("\\draw[{},line width=.7pt,dash pattern=on 1pt off 2pt] {} -- {};", color(kLevelColor), at(b.left, y(l.y.front())),
             at(b.right, y(l.y.front())));
      } else {
        curve(panel, place, l);
      }
    }
    line("\\end{{scope}}");
    axes(panel, place);
    for (const LevelName& level : place.levels)
      text(b.right + kLevelGap, level.y, latex_text(level.line->label), "west", "," + color(kLevelColor));
    for (const Heat& heat : panel.heats) heat_texts(panel, place, heat);
    for (const Annotation& a : panel.texts) {
      const char* anchor = a.align == Annotation::Align::kLeft ? "west" : a.align == Annotation::Align::kRight ? "east" : "center";
      std::string options = "," + color(a.color);
      if (a.rotate != 0) options += fmt::format(",rotate={:g}", a.rotate);
      if (a.backed) options += ",fill=white,fill opacity=.8,text opacity=1,inner sep=.5pt";
      text(x(a.x), y(a.y), (a.bold ? "\\bfseries " : "") + latex_text(a.text), anchor, options);
    }
  }

  void axes(const Panel& panel, const PanelLayout& place) {
    const Box& b = place.box;
    const std::string ink = color("#333333");
    if (panel.x.visible) line("\\draw[{},line width=.5pt] {} -- {};", ink, at(b.left, b.bottom), at(b.right, b.bottom));
    if (panel.y.visible) line("\\draw[{},line width=.5pt] {} -- {};", ink, at(b.left, b.bottom), at(b.left, b.top));
    for (const auto& [v, label] : place.x_ticks) {
      const double x = place.x_at(panel.x, v);
      if (x < b.left - 0.01 || x > b.right + 0.01) continue;
      if (panel.x.visible) line("\\draw[{},line width=.5pt] {} -- ++(0,-.03);", ink, at(x, b.bottom));
      const std::string content = label_text(label, panel.x.ticks.empty());
      if (panel.x.rotate_ticks) {
        text(x, b.bottom - 0.05, content, "north east", ",rotate=40");
      } else {
        text(x, b.bottom - kTickGap - kLineHeight / 2 + 0.02, content, "center");
      }
    }
    for (const auto& [v, label] : place.y_ticks) {
      const double y = place.y_at(panel.y, v);
      if (y < b.bottom - 0.01 || y > b.top + 0.01) continue;
      if (panel.y.visible) line("\\draw[{},line width=.5pt] {} -- ++(-.03,0);", ink, at(b.left, y));
      text(b.left - 0.07, y, label_text(label, panel.y.ticks.empty()), "east");
    }
    double reach = 0;
    for (const auto& tick : place.y_ticks) reach = std::max(reach, text_width(tick.second));
    reach += place.y_ticks.empty() ? 0 : kSideGap;
    text((b.left + b.right) / 2, b.bottom - place.tick_height - kLineHeight / 2 - 0.03, latex_text(panel.x.label), "center");
    text(b.left - reach - kLineHeight / 2 - 0.02, (b.bottom + b.top) / 2, latex_text(panel.y.label), "center", ",rotate=90");
    text((b.left + b.right) / 2, b.top + 0.06 + kLineHeight / 2, latex_text(panel.title), "center");
    color_bar(panel, place);
  }

  void color_bar(const Panel& panel, const PanelLayout& place) {
    if (!place.bar && !place.bar_below) return;
    const ColorScale& scale = panel.colors;
    const Box& b = place.box;
    const double under = b.bottom - place.tick_height - (panel.x.label.empty() ? 0 : kLineHeight + 0.02) - 0.14;
    const Box bar = place.bar ? Box{b.right + 0.06, b.right + 0.14, b.bottom, b.top} : Box{b.left, b.right, under, under + 0.07};
    constexpr int kSteps = 64;
    for (int i = 0; i < kSteps; ++i) {
      // Each extends to the end, which avoids seams.
      const double from = static_cast<double>(i) / kSteps;
      const auto fill = color(rgb_hex(color_at(scale.map, (i + 0.5) / kSteps)));
      if (place.bar) {
        line("\\fill[{}] {} rectangle {};", fill, at(bar.left, bar.bottom + from * bar.height()), at(bar.right, bar.top));
      } else {
        line("\\fill[{}] {} rectangle {};", fill, at(bar.left + from * bar.width(), bar.bottom), at(bar.right, bar.top));
      }
    }
    double wide = 0;
    for (const auto& [v, label] : place.color_ticks) {
      const double share =
          scale.log ? std::log(v / scale.min) / std::log(scale.max / scale.min) : (v - scale.min) / (scale.max - scale.min);
      wide = std::max(wide, text_width(label));
      if (place.bar) {
        text(bar.right + 0.05, bar.bottom + share * bar.height(), label_text(label, true), "west");
      } else {
        text(bar.left + share * bar.width(), bar.bottom - kTickGap, label_text(label, true), "center");
      }
    }
    if (place.bar) {
      text(b.right + 0.26 + wide + kLineHeight / 2, (b.bottom + b.top) / 2, latex_text(scale.label), "center", ",rotate=90");
    } else {
      text((b.left + b.right) / 2, bar.bottom - kTickGap - kLineHeight, latex_text(scale.label), "center");
    }
  }

  static double share_of_scale(const ColorScale& scale, double v) {
    if (scale.map == ColorMap::kCategories) {
      const auto n = static_cast<std::int64_t>(color_stops(scale.map).size());
      return static_cast<double>((std::llround(v) % n + n) % n) / static_cast<double>(n - 1);
    }
    if (!(scale.max > scale.min)) return 0.5;
    v = std::clamp(v, scale.min, scale.max);
    return scale.log ? std::log(v / scale.min) / std::log(scale.max / scale.min) : (v - scale.min) / (scale.max - scale.min);
  }

  void cells(const Panel& panel, const PanelLayout& place, const Heat& heat) {
    const double left = place.x_at(panel.x, heat.x0), right = place.x_at(panel.x, heat.x0 + heat.cell * static_cast<double>(heat.columns));
    const double bottom = place.y_at(panel.y, heat.y0), top = place.y_at(panel.y, heat.y0 + heat.cell * static_cast<double>(heat.rows));
    const double w = (right - left) / static_cast<double>(heat.columns), h = (top - bottom) / static_cast<double>(heat.rows);
    if (heat.values.size() <= kCells) {
      for (std::size_t i = 0; i < heat.values.size(); ++i) {
        if (!std::isfinite(heat.values[i])) continue;
        const double x = left + w * static_cast<double>(i % heat.columns), y = top - h * static_cast<double>(i / heat.columns + 1);
        line("\\filldraw[fill={},draw=white,line width=.5pt] {} rectangle {};",
             color(rgb_hex(color_at(panel.colors.map, share_of_scale(panel.colors, heat.values[i])))), at(x, y), at(x + w, y + h));
      }
    } else {
      image(panel.colors, heat, left, bottom, right - left, top - bottom);
    }
    for (const auto& [r, c] : heat.marked) {
      const double x = left + w * static_cast<double>(c), y = top - h * static_cast<double>(r + 1);
      line("\\draw[{},line width=1pt] {} rectangle {};", color("#d55e00"), at(x + 0.03 * w, y + 0.03 * h), at(x + 0.97 * w, y + 0.97 * h));
    }
    if (heat.frame) line("\\draw[{},line width=.3pt] {} rectangle {};", color("#999999"), at(left, bottom), at(right, top));
  }

  // An inline image with a palette of its own colours, in hexadecimal.
  void image(const ColorScale& scale, const Heat& heat, double x, double y, double w, double h) {
    constexpr int kShades = 255;
    const auto stops = scale.map == ColorMap::kCategories ? color_stops(scale.map).size() : std::size_t{kShades};
    std::string palette = "FFFFFF";  // for blank cells
    for (std::size_t i = 0; i < stops; ++i) {
      const auto c = color_at(scale.map, static_cast<double>(i) / static_cast<double>(stops - 1));
      palette += fmt::format("{:02X}{:02X}{:02X}", c[0], c[1], c[2]);
    }
    line(
        "\\pgflowlevelobj{{\\pgftransformshift{{\\pgfpoint{{{}in}}{{{}in}}}}}}{{\\csname pgfsys@invoke\\endcsname{{q {:.3f} 0 0 {:.3f} 0 0 "
        "cm",
        in(x), in(y), 72 * w, 72 * h);
    line("BI /W {} /H {} /BPC 8 /CS [/Indexed /DeviceRGB {} <{}>] /F /AHx ID", heat.columns, heat.rows, stops, palette);
    std::string row;
    for (std::size_t i = 0; i < heat.values.size(); ++i) {
      const double v = heat.values[i];
      row += fmt::format("{:02X}", std::isfinite(v) ? 1 + std::lround(share_of_scale(scale, v) * static_cast<double>(stops - 1)) : 0);
      if (row.size() >= 120 || i + 1 == heat.values.size()) {
        body_ += row + (i + 1 == heat.values.size() ? ">" : "") + "\n";
        row.clear();
      }
    }
    line("EI Q}}}}");
  }

  void heat_texts(const Panel& panel, const PanelLayout& place, const Heat& heat) {
    for (std::size_t i = 0; i < heat.text.size() && i < heat.values.size(); ++i) {
      if (heat.text[i].empty()) continue;
      const double x = place.x_at(panel.x, heat.x0 + (static_cast<double>(i % heat.columns) + 0.5) * heat.cell);
      const double y = place.y_at(panel.y, heat.y0 + (static_cast<double>(heat.rows - 1 - i / heat.columns) + 0.5) * heat.cell);
      const double height = heat.cell / (place.y.high - place.y.low) * place.box.height();
      const auto ink = color(std::isfinite(heat.values[i]) ? text_color_on(panel.colors, heat.values[i]) : "#000000");
      const auto parts = split(heat.text[i], '\n');
      for (std::size_t k = 0; k < parts.size(); ++k) {
        const double shift = (static_cast<double>(parts.size() - 1) / 2 - static_cast<double>(k)) * 0.26 * height;
        text(x, y + shift, latex_text(parts[k]), "center", "," + ink);
      }
    }
  }

  void bar(const Panel& panel, const PanelLayout& place, std::size_t i) {
    const Bar& bar = panel.bars[i];
    if (!std::isfinite(bar.value)) return;
    const auto middle = static_cast<double>(i);
    const double zero = panel.y.log ? place.box.bottom : place.y_at(panel.y, 0), x = place.x_at(panel.x, middle);
    line("\\fill[{},opacity=.9] {} rectangle {};", color(palette_color(bar.color)), at(place.x_at(panel.x, middle - 0.35), zero),
         at(place.x_at(panel.x, middle + 0.35), place.y_at(panel.y, bar.value)));
    if (bar.low && bar.high) whisker(x, place.y_at(panel.y, *bar.low), place.y_at(panel.y, *bar.high), color("#333333"), 0.6);
  }

  void whisker(double x, double low, double high, const std::string& ink, double width, bool turned = false) {
    if (!std::isfinite(x + low + high)) return;
    const auto end = [&](double across, double v) { return turned ? at(v, across) : at(across, v); };
    line("\\draw[{},line width={:g}pt] {} -- {} {} -- {} {} -- {};", ink, width, end(x, low), end(x, high), end(x - 0.02, low),
         end(x + 0.02, low), end(x - 0.02, high), end(x + 0.02, high));
  }

  // One line for each stretch between missing values.
  void polyline(const Panel& panel, const PanelLayout& place, const std::vector<double>& xs, const std::vector<double>& ys,
                const std::string& options) {
    std::string path;
    std::size_t points = 0;
    const auto end = [&] {
      if (points > 1) body_ += "\\draw[" + options + "] " + path + ";\n";
      path.clear();
      points = 0;
    };
    for (std::size_t i = 0; i < xs.size() && i < ys.size(); ++i) {
      const double x = place.x_at(panel.x, xs[i]), y = place.y_at(panel.y, ys[i]);
      if (!std::isfinite(x + y)) {
        end();
        continue;
      }
      path += (points == 0 ? "" : points % 8 == 0 ? "\n -- " : " -- ") + at(x, y);
      ++points;
    }
    end();
  }

  void band(const Panel& panel, const PanelLayout& place, const Line& l) {
    std::vector<std::pair<double, double>> low, high;
    const auto end = [&] {
      if (low.size() > 1) {
        std::string path;
        std::size_t n = 0;
        for (const auto& [x, y] : low) path += (n++ % 8 == 7 ? "\n" : "") + at(x, y) + " -- ";
        for (auto it = high.rbegin(); it != high.rend(); ++it) path += (n++ % 8 == 7 ? "\n" : "") + at(it->first, it->second) + " -- ";
        body_ += fmt::format("\\fill[{},opacity=.18] {}cycle;\n", color_of(l), path);
      }
      low.clear();
      high.clear();
    };
    for (std::size_t i = 0; i < l.x.size() && i < l.low.size() && i < l.high.size(); ++i) {
      const double x = place.x_at(panel.x, l.x[i]), a = place.y_at(panel.y, l.low[i]), b = place.y_at(panel.y, l.high[i]);
      if (!std::isfinite(x + a + b)) {
        end();
        continue;
      }
      low.emplace_back(x, a);
      high.emplace_back(x, b);
    }
    end();
  }

  void curve(const Panel& panel, const PanelLayout& place, const Line& l) {
    const std::string ink = color_of(l);
    if (l.error_bars) {
      for (std::size_t i = 0; i < l.x.size() && i < l.low.size() && i < l.high.size(); ++i) {
        const double width = l.stroke ? 0.5 : 0.7 * l.width;
        if (panel.turned) {
          whisker(place.y_at(panel.y, l.y[i]), place.x_at(panel.x, l.low[i]), place.x_at(panel.x, l.high[i]), ink, width, true);
        } else {
          whisker(place.x_at(panel.x, l.x[i]), place.y_at(panel.y, l.low[i]), place.y_at(panel.y, l.high[i]), ink, width);
        }
      }
    }
    if (l.stroke) polyline(panel, place, l.x, l.y, fmt::format("{},line width={:g}pt{}", ink, 0.8 * l.width, dash_of(l)));
    if (!l.markers) return;
    for (std::size_t i = 0; i < l.x.size() && i < l.y.size(); ++i) mark(l, place.x_at(panel.x, l.x[i]), place.y_at(panel.y, l.y[i]), ink);
  }

  void mark(const Line& l, double x, double y, const std::string& ink) {
    if (!std::isfinite(x + y)) return;
    const auto polygon = [&](std::initializer_list<std::pair<double, double>> corners, double r) {
      std::string path;
      for (const auto& [u, v] : corners) path += at(x + r * u, y + r * v) + " -- ";
      line("\\{}[{}{}] {}cycle;", l.hollow ? "draw" : "fill", ink, l.hollow ? ",line width=.6pt" : "", path);
    };
    if (l.marker == Marker::kStar) {
      const double radius = kStarSize * l.width / Line().width;
      std::string path;
      for (int k = 1; k <= 10; ++k) {
        const double angle = 3.14159265358979 * (0.5 + k / 5.0), r = (k % 2 == 0 ? 1 : 0.42) * radius;
        path += at(x + r * std::cos(angle), y + r * std::sin(angle)) + " -- ";
      }
      line("\\draw[black,line width=1.1pt] {}cycle;\n\\filldraw[fill={},draw=white,line width=.5pt] {}cycle;", path, ink, path);
      return;
    }
    if (l.marker == Marker::kCross) {
      constexpr double r = 0.033;
      line("\\draw[{},line width=1pt] {} -- {} {} -- {};", ink, at(x - r, y - r), at(x + r, y + r), at(x - r, y + r), at(x + r, y - r));
      return;
    }
    const double r = l.marker == Marker::kDot ? (l.hollow ? 0.02 : 0.014) : l.hollow ? 0.038 : 0.023;
    const int style = l.marker == Marker::kDot ? 0 : (l.color % 7 + 7) % 7;
    switch (style) {
      case 1:
        return polygon({{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}}, r);
      case 2:
        return polygon({{-1.1, -0.8}, {1.1, -0.8}, {0, 1.2}}, r);
      case 3:
        return polygon({{-1.1, 0.8}, {1.1, 0.8}, {0, -1.2}}, r);
      case 4:
        return polygon({{0, 1.2}, {-1.14, 0.37}, {-0.7, -0.97}, {0.7, -0.97}, {1.14, 0.37}}, r);
      case 5:
        line("\\draw[{},line width=.6pt] {} -- {} {} -- {};", ink, at(x - r, y - r), at(x + r, y + r), at(x - r, y + r), at(x + r, y - r));
        return;
      case 6:
        return polygon({{0, 1.3}, {1.1, 0}, {0, -1.3}, {-1.1, 0}}, r);
      default:
        line("\\{}[{}{}] {} circle[radius={}];", l.hollow ? "draw" : "fill", ink, l.hollow ? ",line width=.6pt" : "", at(x, y), in(r));
    }
  }

  // A mesh seen at an angle from above, far cells first.
  void surface(const Panel& panel, const PanelLayout& place) {
    const Surface& s = *panel.surface;
    const Heat& grid = s.grid;
    const double low = s.z.min.value_or(panel.colors.min), high = s.z.max.value_or(panel.colors.max);
    const double turn = s.turn * 3.14159265358979 / 180, tilt = s.tilt * 3.14159265358979 / 180;
    const auto flat = [&](double u, double v, double w) {  // u, v in [-1, 1], w in [0, 1]
      const double a = u * std::cos(turn) + v * std::sin(turn), b = -u * std::sin(turn) + v * std::cos(turn);
      return std::array<double, 3>{a, b * std::cos(tilt) + 1.1 * w * std::sin(tilt), b};
    };
    const Box b{place.cell.left + 0.15, place.cell.right - 0.15, place.cell.bottom + 0.25, place.cell.top - 0.3};
    const double size = std::min(b.width() / 2.9, b.height() / 2.7), cx = (b.left + b.right) / 2, cy = b.bottom + b.height() * 0.36;
    const auto put = [&](double u, double v, double w) {
      const auto p = flat(u, v, w);
      return at(cx + size * p[0], cy + size * p[1]);
    };
    struct Patch {
      double depth;
      std::string text;
    };
    std::vector<Patch> patches;
    const auto value = [&](std::size_t r, std::size_t c) { return grid.values[r * grid.columns + c]; };
    const auto u_at = [&](std::size_t c) { return 2 * static_cast<double>(c) / static_cast<double>(grid.columns - 1) - 1; };
    const auto v_at = [&](std::size_t r) { return 1 - 2 * static_cast<double>(r) / static_cast<double>(grid.rows - 1); };
    const auto w_at = [&](double z) { return (std::clamp(z, low, high) - low) / (high - low); };
    for (std::size_t r = 0; r + 1 < grid.rows; ++r) {
      for (std::size_t c = 0; c + 1 < grid.columns; ++c) {
        double top = kNaN;
        bool whole = true;
        std::string path;
        for (const auto& [dr, dc] : {std::pair<std::size_t, std::size_t>{0, 0}, {0, 1}, {1, 1}, {1, 0}}) {
          const double z = value(r + dr, c + dc);
          whole = whole && std::isfinite(z);
          if (std::isnan(top) || z > top) top = z;
          path += put(u_at(c + dc), v_at(r + dr), w_at(z)) + " -- ";
        }
        if (!whole) continue;
        patches.push_back({flat(u_at(c), v_at(r), 0)[2],
                           fmt::format("\\filldraw[fill={},draw={},line width=.1pt] {}cycle;\n",
                                       color(rgb_hex(color_at(panel.colors.map, std::round(share_of_scale(panel.colors, top) * 64) / 64))),
                                       color("#777777"), path)});
      }
    }
    std::stable_sort(patches.begin(), patches.end(), [](const Patch& p, const Patch& q) { return p.depth > q.depth; });
    const std::string ink = color("#333333");
    line("\\draw[{},line width=.4pt] {} -- {} -- {} -- {} -- cycle;", ink, put(-1, -1, 0), put(1, -1, 0), put(1, 1, 0), put(-1, 1, 0));
    for (const auto& patch : patches) body_ += patch.text;
    line("\\draw[{},line width=.4pt] {} -- {};", ink, put(-1, 1, 0), put(-1, 1, 1));
    const auto write_ticks = [&](const Ticks& ticks, const AxisRange& range, const auto& place_of, const char* anchor) {
      for (const auto& [v, label] : ticks)
        line("\\node[anchor={}] at {} {{\\strut {}}};", anchor, place_of((v - range.low) / (range.high - range.low)),
             label_text(label, true));
    };
    const AxisRange xr = axis_range(panel, true), yr = axis_range(panel, false);
    write_ticks(
        axis_ticks(panel.x, xr, 1.6, true), xr, [&](double t) { return put(2 * t - 1, -1.22, 0); }, "center");
    write_ticks(
        axis_ticks(panel.y, yr, 1.6, true), yr, [&](double t) { return put(1.18, 2 * t - 1, 0); }, "center");
    write_ticks(
        axis_ticks(s.z, {low, high}, 1.5, false), {low, high}, [&](double t) { return put(-1.06, 1.06, t); }, "east");
    if (!panel.x.label.empty()) line("\\node at {} {{\\strut {}}};", put(0, -1.5, 0), latex_text(panel.x.label));
    if (!panel.y.label.empty()) line("\\node at {} {{\\strut {}}};", put(1.5, 0, 0), latex_text(panel.y.label));
    text((place.cell.left + place.cell.right) / 2, place.cell.top - kLineHeight / 2 - 0.03, latex_text(panel.title), "center");
  }

  void legend_entry(const LegendEntry& entry) {
    const Line& l = *entry.line;
    const std::string ink = color_of(l);
    if (l.stroke)
      line("\\draw[{},line width={:g}pt{}] {} -- {};", ink, 0.8 * l.width, dash_of(l), at(entry.x, entry.y),
           at(entry.x + kSample, entry.y));
    if (l.markers) mark(l, entry.x + kSample / 2, entry.y, ink);
    text(entry.x + kSample + kSampleGap, entry.y, latex_text(l.label), "west");
  }

  const Figure& figure_;
  FigureLayout layout_;
  std::set<std::string> colors_;
  std::string body_;
};

}  // namespace

std::string pgf_picture(const Figure& figure) { return PgfWriter(figure).write(); }

}  // namespace yatlab

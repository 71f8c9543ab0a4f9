#include "core/figure/layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/figure/contour.h"
#include "core/figure/ticks.h"
#include "core/figure/yat_letter.h"

namespace yatlab {
namespace {

constexpr double kBarBelow = 0.07 + 0.07 + kTickGap + 0.09;  // a colour bar below a panel, with its labels
constexpr double kPadding = 0.06;                            // between a legend and the axes
constexpr double kClear = 0.025;                             // between a legend and what is drawn
constexpr double kEntryGap = 0.2;                            // between entries side by side

// Advance widths of DejaVu Sans for ' ' to '~', in 1/2048 em.
constexpr std::array<int, 95> kAdvances = {651,  821,  942,  1716, 1303, 1946, 1597, 563,  799,  799,  1024, 1716, 651,  739,  651,  690,
                                           1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 690,  690,  1716, 1716, 1716, 1087,
                                           2048, 1401, 1405, 1430, 1577, 1294, 1178, 1587, 1540, 604,  604,  1343, 1141, 1767, 1532, 1612,
                                           1235, 1612, 1423, 1300, 1251, 1499, 1401, 2025, 1403, 1251, 1403, 799,  690,  799,  1716, 1024,
                                           1024, 1255, 1300, 1126, 1300, 1260, 721,  1300, 1298, 569,  569,  1186, 569,  1995, 1298, 1253,
                                           1300, 1300, 842,  1067, 803,  1298, 1212, 1675, 1212, 1212, 1075, 1303, 690,  1303, 1716};

struct Wide {
  const char* text;
  int advance;
};
// Other characters that are much wider or narrower than most.
constexpr Wide kWide[] = {{"±", 1716}, {"−", 1716}, {"×", 1716}, {"→", 1716}, {"≤", 1716}, {"≥", 1716}, {"≈", 1716}, {"∞", 1706},
                          {"…", 2048}, {"½", 1985}, {"⊥", 1784}, {"ω", 1715}, {"·", 651},  {"²", 821},  {"³", 821},  {"¹", 821},
                          {"⁰", 821},  {"⁴", 821},  {"⁵", 821},  {"⁶", 821},  {"⁷", 821},  {"⁸", 821},  {"⁹", 821},  {"₁", 821},
                          {"₂", 821},  {"⁻", 1081}, {"–", 1024}, {"°", 1024}, {"‖", 1024}};

void widen(AxisRange& range, bool& any, double v, bool log) {
  if (!std::isfinite(v) || (log && v <= 0)) return;
  range.low = any ? std::min(range.low, v) : v;
  range.high = any ? std::max(range.high, v) : v;
  any = true;
}

double share_of(const Axis& axis, const AxisRange& range, double v) {
  if (axis.log) return v > 0 ? std::log(v / range.low) / std::log(range.high / range.low) : kNaN;
  return (v - range.low) / (range.high - range.low);
}

double widest(const Ticks& ticks) {
  double w = 0;
  for (const auto& tick : ticks) w = std::max(w, text_width(tick.second));
  return w;
}

bool overlap(const Box& a, const Box& b) { return a.left < b.right && b.left < a.right && a.bottom < b.top && b.bottom < a.top; }

// The Liang-Barsky test of a segment against a rectangle.
bool crosses(double x0, double y0, double x1, double y1, const Box& r) {
  double enter = 0, leave = 1;
  const double p[] = {x0 - x1, x1 - x0, y0 - y1, y1 - y0}, q[] = {x0 - r.left, r.right - x0, y0 - r.bottom, r.top - y0};
  for (int i = 0; i < 4; ++i) {
    if (p[i] == 0) {
      if (q[i] < 0) return false;
    } else if (p[i] < 0) {
      enter = std::max(enter, q[i] / p[i]);
    } else {
      leave = std::min(leave, q[i] / p[i]);
    }
  }
  return enter <= leave;
}

Box grown(const Box& b, double by) { return {b.left - by, b.right + by, b.bottom - by, b.top + by}; }

using Entries = std::vector<const Line*>;

bool same_look(const Line& a, const Line& b) {
  return a.label == b.label && a.color == b.color && a.rgb == b.rgb && a.dash == b.dash && a.marker == b.marker && a.stroke == b.stroke;
}

Entries entries_of(const Panel& panel) {
  Entries out;
  for (const Line& line : panel.lines) {
    const bool known = std::any_of(out.begin(), out.end(), [&](const Line* o) { return same_look(*o, line); });
    if (!line.label.empty() && !line.level && !known) out.push_back(&line);
  }
  return out;
}

double entry_width(const Line& l) { return kSample + kSampleGap + text_width(l.label); }

// Entries side by side, in as many rows as needed.
std::vector<Entries> rows_of(const Entries& entries, double width) {
  std::vector<Entries> rows;
  double used = 0;
  for (const Line* l : entries) {
    if (rows.empty() || used + entry_width(*l) > width) {
      rows.emplace_back();
      used = 0;
    }
    rows.back().push_back(l);
    used += entry_width(*l) + kEntryGap;
  }
  return rows;
}

// The rows, centred between left and right, from y upwards.
void put_rows(const std::vector<Entries>& rows, double left, double right, double bottom, std::vector<LegendEntry>& out) {
  for (std::size_t r = 0; r < rows.size(); ++r) {
    double width = -kEntryGap;
    for (const Line* l : rows[r]) width += entry_width(*l) + kEntryGap;
    double x = (left + right - width) / 2;
    for (const Line* l : rows[r]) {
      out.push_back({l, x, bottom + kLineHeight * (static_cast<double>(rows.size() - r) - 0.5)});
      x += entry_width(*l) + kEntryGap;
    }
  }
}

bool inside(Legend legend) { return legend != Legend::kNone && legend != Legend::kBelow; }

Box rotated_text(const Annotation& text, double x, double y) {
  const double w = text_width(text.text) * (text.bold ? 1.12 : 1), h = kLineHeight;
  const double from = text.align == Annotation::Align::kLeft ? 0 : text.align == Annotation::Align::kRight ? -w : -w / 2;
  const double angle = text.rotate * 3.14159265358979 / 180, c = std::cos(angle), s = std::sin(angle);
  Box out{1e9, -1e9, 1e9, -1e9};
  for (const double u : {from, from + w}) {
    for (const double v : {-h / 2, h / 2}) {
      const double px = x + u * c - v * s, py = y + u * s + v * c;
      out = {std::min(out.left, px), std::max(out.right, px), std::min(out.bottom, py), std::max(out.top, py)};
    }
  }
  return out;
}

// The place for a legend of this size: the requested corner, then the others, then along the edges.
std::optional<Box> free_place(const Panel& panel, const PanelLayout& at, double width, double height) {
  const Box& b = at.box;
  const double spare_x = b.width() - 2 * kPadding - width, spare_y = b.height() - 2 * kPadding - height;
  if (spare_x < 0 || spare_y < 0) return std::nullopt;
  const double right = panel.legend == Legend::kTopRight || panel.legend == Legend::kBottomRight ? 1 : 0;
  const double top = panel.legend == Legend::kTopLeft || panel.legend == Legend::kTopRight ? 1 : 0;
  std::vector<std::pair<double, double>> places = {{right, top}, {1 - right, top}, {right, 1 - top}, {1 - right, 1 - top}};
  for (const double share : {0.5, 0.25, 0.75}) {
    const double k = right == 1 ? 1 - share : share, m = top == 1 ? 1 - share : share;
    for (const auto& place : {std::pair<double, double>{k, top}, {right, m}, {k, 1 - top}, {1 - right, m}}) places.push_back(place);
  }
  for (const auto& [x, y] : places) {
    const double left = b.left + kPadding + x * spare_x, bottom = b.bottom + kPadding + y * spare_y;
    const Box area{left, left + width, bottom, bottom + height};
    if (!is_drawn_in(panel, at, grown(area, kClear))) return area;
  }
  return std::nullopt;
}

// From the lowest to the highest, without overlap.
std::vector<LevelName> level_names(const Panel& panel, const PanelLayout& at) {
  std::vector<LevelName> out;
  for (const Line& line : panel.lines) {
    if (line.level) out.push_back({&line, at.y_at(panel.y, line.y.front())});
  }
  std::sort(out.begin(), out.end(), [](const LevelName& a, const LevelName& b) { return a.y < b.y; });
  constexpr double kApart = 0.85 * kLineHeight;
  for (std::size_t i = 1; i < out.size(); ++i) out[i].y = std::max(out[i].y, out[i - 1].y + kApart);
  double highest = at.box.top + kLineHeight / 2;
  for (auto name = out.rbegin(); name != out.rend(); ++name) {
    name->y = std::min(name->y, highest);
    highest = name->y - kApart;
  }
  return out;
}

PanelLayout layout_panel(const Panel& panel, Box cell, double under) {
  PanelLayout out;
  out.cell = cell;
  out.under = under;
  out.x = axis_range(panel, true);
  out.y = axis_range(panel, false);
  if (panel.surface) {
    out.box = cell;
    return out;
  }
  Box box = cell;
  box.bottom += under;
  out.y_ticks = axis_ticks(panel.y, out.y, box.height() - 0.6, false);
  out.bar_below = !panel.heats.empty() && panel.colors.bar && panel.colors.below;
  out.bar = !panel.heats.empty() && panel.colors.bar && !out.bar_below;
  if (out.bar || out.bar_below) out.color_ticks = color_scale_ticks(panel.colors, out.bar_below ? 4 : 5);
  box.left += 0.04 + widest(out.y_ticks) + (out.y_ticks.empty() ? 0 : kSideGap) + (panel.y.label.empty() ? 0 : kLineHeight + 0.04);
  double names = 0;
  for (const Line& line : panel.lines) names = std::max(names, line.level ? kLevelGap + text_width(line.label) + 0.02 : 0);
  box.right -= out.bar ? 0.27 + widest(out.color_ticks) + (panel.colors.label.empty() ? 0 : kLineHeight + 0.03) : std::max(0.1, names);
  out.x_ticks = axis_ticks(panel.x, out.x, box.width(), true);
  const auto& xt = out.x_ticks;
  out.tick_height = xt.empty() ? 0 : panel.x.rotate_ticks ? widest(xt) * 0.75 + kLineHeight / 2 + kTickGap : kLineHeight + kTickGap;
  if (out.bar_below) box.bottom += kBarBelow + (panel.colors.label.empty() ? 0 : kLineHeight + 0.01);
  // The last tick's label extends beyond the axis.
  if (!xt.empty() && !panel.x.rotate_ticks && !out.bar) {
    const double past =
        text_width(xt.back().second) / 2 - (1 - share_of(panel.x, out.x, xt.back().first)) * box.width() - std::max(0.06, names - 0.04);
    if (past > 0) box.right -= past;
  }
  box.bottom += 0.05 + out.tick_height + (panel.x.label.empty() ? 0 : kLineHeight + 0.02);
  box.top -= panel.title.empty() ? 0.08 : kLineHeight + 0.09;
  if (panel.equal_aspect) {
    const double want = (out.y.high - out.y.low) / (out.x.high - out.x.low);
    if (box.height() > box.width() * want) {
      const double spare = box.height() - box.width() * want;
      box.top -= spare / 2;
      box.bottom += spare / 2;
    } else {
      const double spare = box.width() - box.height() / want;
      box.left += spare / 2;
      box.right -= spare / 2;
    }
  }
  out.box = box;
  out.levels = level_names(panel, out);
  return out;
}

/// Positions of the panels and legends of one figure.
class PlacedFigure {
 public:
  explicit PlacedFigure(const Figure& figure)
      : figure_(figure),
        n_(figure.panels.size()),
        columns_(std::max<std::size_t>(1, figure.columns)),
        rows_(std::max<std::size_t>(1, figure.rows())),
        width_(width_of(figure)),
        cell_width_(width_ / static_cast<double>(columns_)),
        below_(n_),
        under_(n_),
        areas_(n_) {
    for (std::size_t p = 0; p < n_; ++p) below_[p] = figure.panels[p].legend == Legend::kBelow;
    requested_ = std::min(height_of(shared().size()), kMostLegend * figure.height);
    cell_height_ = (figure.height - requested_) / static_cast<double>(rows_);
    out_.width = width_;
    place_panels();
    const auto [inner, crowded] = find_areas();
    if (!crowded.empty()) move_out(inner, crowded);
    put_legends();
  }
  FigureLayout layout() && { return std::move(out_); }

 private:
  static constexpr double kMostLegend = 0.3;  // of the requested height; a longer legend makes the figure higher
  /// Wider than requested if a legend's entry would extend over the edge.
  static double width_of(const Figure& figure) {
    double width = figure.width;
    for (const Panel& panel : figure.panels) {
      for (const Line* line : entries_of(panel)) width = std::max(width, entry_width(*line) + 0.2);
    }
    return width;
  }
  static double height_of(std::size_t legend_rows) { return legend_rows > 0 ? kLineHeight * static_cast<double>(legend_rows) + 0.06 : 0; }

  /// The legend below the figure.
  std::vector<Entries> shared() const {
    Entries out;
    for (std::size_t p = 0; p < n_; ++p) {
      if (!below_[p]) continue;
      for (const Line* line : entries_of(figure_.panels[p])) {
        if (std::none_of(out.begin(), out.end(), [&](const Line* o) { return same_look(*o, *line); })) out.push_back(line);
      }
    }
    return rows_of(out, width_ - 0.2);
  }
  /// The legend below a panel.
  std::vector<Entries> under_rows(std::size_t p) const { return rows_of(entries_of(figure_.panels[p]), cell_width_ - 0.1); }

  void place_panels() {
    out_.panels.clear();
    std::vector<double> extra(rows_);
    for (std::size_t p = 0; p < n_; ++p) {
      if (under_[p]) extra[p / columns_] = std::max(extra[p / columns_], height_of(under_rows(p).size()));
    }
    const double legend = height_of(shared().size());
    out_.height = figure_.height - requested_ + legend;
    for (const double e : extra) out_.height += e;
    double top = out_.height;
    for (std::size_t p = 0; p < n_; ++p) {
      const std::size_t r = p / columns_;
      const double left = cell_width_ * static_cast<double>(p % columns_);
      out_.panels.push_back(layout_panel(figure_.panels[p], {left, left + cell_width_, top - cell_height_ - extra[r], top}, extra[r]));
      if (p % columns_ == columns_ - 1) top -= cell_height_ + extra[r];
    }
  }

  struct Inner {
    std::vector<std::size_t> all, crowded;  ///< panels with a legend inside; those without room for it
  };
  Inner find_areas() {
    Inner out;
    for (std::size_t p = 0; p < n_; ++p) {
      const Panel& panel = figure_.panels[p];
      const Entries entries = entries_of(panel);
      if (!inside(panel.legend) || entries.empty()) continue;
      out.all.push_back(p);
      double width = 0;
      for (const Line* l : entries) width = std::max(width, entry_width(*l));
      areas_[p] = free_place(panel, out_.panels[p], width, kLineHeight * static_cast<double>(entries.size()));
      if (!areas_[p]) out.crowded.push_back(p);
    }
    return out;
  }

  /// Moves legends without room below the axes: one for all panels if it is the same.
  void move_out(const std::vector<std::size_t>& inner, const std::vector<std::size_t>& crowded) {
    const auto same = [&](std::size_t a, std::size_t b) {
      const Entries ea = entries_of(figure_.panels[a]), eb = entries_of(figure_.panels[b]);
      return ea.size() == eb.size() &&
             std::equal(ea.begin(), ea.end(), eb.begin(), [](const Line* x, const Line* y) { return same_look(*x, *y); });
    };
    const bool alike = std::all_of(inner.begin(), inner.end(), [&](std::size_t p) { return same(p, inner.front()); });
    for (const std::size_t p : alike ? inner : crowded) {
      (alike ? below_ : under_)[p] = true;
      areas_[p].reset();
    }
    const auto old = out_.panels;
    place_panels();
    for (const std::size_t p : inner) {  // boxes keep their size but move
      if (!areas_[p]) continue;
      const double dx = out_.panels[p].box.left - old[p].box.left, dy = out_.panels[p].box.bottom - old[p].box.bottom;
      areas_[p] = Box{areas_[p]->left + dx, areas_[p]->right + dx, areas_[p]->bottom + dy, areas_[p]->top + dy};
    }
  }

  void put_legends() {
    for (std::size_t p = 0; p < n_; ++p) {
      PanelLayout& panel = out_.panels[p];
      if (areas_[p]) {
        panel.legend = areas_[p];
        const Entries entries = entries_of(figure_.panels[p]);
        for (std::size_t i = 0; i < entries.size(); ++i) {
          out_.entries.push_back({entries[i], areas_[p]->left, areas_[p]->top - kLineHeight * (static_cast<double>(i) + 0.5)});
        }
      } else if (under_[p]) {
        const auto legend = under_rows(p);
        put_rows(legend, panel.cell.left, panel.cell.right, panel.cell.bottom + 0.03, out_.entries);
      }
    }
    put_rows(shared(), 0, width_, 0.03, out_.entries);
  }

  const Figure& figure_;
  const std::size_t n_, columns_, rows_;
  const double width_, cell_width_;
  double requested_ = 0, cell_height_ = 0;  // of the legend within the figure's height; of a panel
  std::vector<bool> below_, under_;         // panels with a legend below the figure; below the panel
  std::vector<std::optional<Box>> areas_;
  FigureLayout out_;
};

}  // namespace

double text_width(std::string_view text) {
  double units = 0;
  int depth = 0;
  bool raised = false;
  for (std::size_t i = 0; i < text.size();) {
    const auto u = static_cast<unsigned char>(text[i]);
    const std::size_t n = u < 0x80 ? 1 : u >= 0xF0 ? 4 : u >= 0xE0 ? 3 : 2;
    const auto character = text.substr(i, n);
    i += n;
    if (character == "^" && i < text.size() && text[i] == '{') {
      raised = true;
      ++i;
      ++depth;
      continue;
    }
    if (raised && character == "}") {
      raised = --depth > 0;
      continue;
    }
    double advance = 1330;
    if (n == 1) {
      advance = u >= 0x20 && u < 0x7F ? kAdvances[u - 0x20] : 0;
    } else if (character == kYat) {
      advance = 1274 * kYatScale;
    } else {
      for (const auto& wide : kWide) {
        if (character == wide.text) advance = wide.advance;
      }
      if (advance == 1330 && display_width(std::string(character)) == 2) advance = 2048;
    }
    units += raised ? 0.8 * advance : advance;
  }
  return units / 2048 * kFontSize / 72;
}

double PanelLayout::x_at(const Axis& axis, double v) const { return box.left + share_of(axis, x, v) * box.width(); }
double PanelLayout::y_at(const Axis& axis, double v) const { return box.bottom + share_of(axis, y, v) * box.height(); }

AxisRange axis_range(const Panel& panel, bool horizontal) {
  const Axis& axis = horizontal ? panel.x : panel.y;
  AxisRange range;
  bool any = false;
  double margin = 0.04;
  for (const Line& line : panel.lines) {
    for (double v : horizontal ? line.x : line.y) widen(range, any, v, axis.log);
    if (horizontal == panel.turned) {
      for (double v : line.low) widen(range, any, v, axis.log);
      for (double v : line.high) widen(range, any, v, axis.log);
    }
  }
  if (!panel.bars.empty()) {
    if (horizontal) {
      widen(range, any, -0.6, false);
      widen(range, any, static_cast<double>(panel.bars.size()) - 0.4, false);
      margin = 0;
    } else {
      widen(range, any, 0, false);
      for (const Bar& bar : panel.bars) {
        widen(range, any, bar.value, false);
        if (bar.low) widen(range, any, *bar.low, false);
        if (bar.high) widen(range, any, *bar.high, false);
      }
    }
  }
  const auto cover = [&](const Heat& heat) {
    const double start = horizontal ? heat.x0 : heat.y0;
    widen(range, any, start, false);
    widen(range, any, start + heat.cell * static_cast<double>(horizontal ? heat.columns : heat.rows), false);
    margin = 0;
  };
  for (const Heat& heat : panel.heats) cover(heat);
  if (panel.surface) cover(panel.surface->grid);
  if (!any) range = axis.log ? AxisRange{0.1, 10} : AxisRange{0, 1};
  if (axis.log) {
    const double low = std::log10(range.low), high = std::log10(range.high);
    const double pad = std::max((high - low) * margin, high == low ? 0.5 : 0.0);
    range = {std::pow(10, low - pad), std::pow(10, high + pad)};
  } else if (range.low == range.high) {
    const double pad = range.low == 0 ? 1 : std::abs(range.low) * 0.05;
    range = {range.low - pad, range.high + pad};
  } else {
    const double pad = (range.high - range.low) * margin;
    range = {range.low - pad, range.high + pad};
  }
  if (!panel.bars.empty() && !horizontal && range.low < 0 && range.low > -1e-3 * range.high) range.low = 0;
  if (axis.min) range.low = *axis.min;
  if (axis.max) range.high = *axis.max;
  return range;
}

Ticks axis_ticks(const Axis& axis, const AxisRange& range, double length, bool horizontal) {
  if (!axis.ticks.empty()) return axis.ticks;
  if (!axis.visible) return {};
  const int most = std::clamp(static_cast<int>(length / (horizontal ? 0.55 : 0.3)), 2, 7);
  if (!axis.log) return linear_ticks(range.low, range.high, most, axis.percent);
  return log_ticks(range.low, range.high, std::max(most, 3), axis.percent, [&](const auto& a, const auto& b) {
    const double apart = std::abs(std::log(b.first / a.first) / std::log(range.high / range.low)) * length;
    return apart >= (horizontal ? (text_width(a.second) + text_width(b.second)) / 2 + 0.06 : 0.85 * kLineHeight);
  });
}

Ticks color_scale_ticks(const ColorScale& scale, int most) {
  return scale.log ? log_ticks(scale.min, scale.max, most, scale.percent) : linear_ticks(scale.min, scale.max, most, scale.percent);
}

bool is_drawn_in(const Panel& panel, const PanelLayout& at, const Box& area) {
  const auto x = [&](double v) { return at.x_at(panel.x, v); };
  const auto y = [&](double v) { return at.y_at(panel.y, v); };
  if (panel.surface) return true;
  for (const Heat& heat : panel.heats) {
    const Box whole{x(heat.x0), x(heat.x0 + heat.cell * static_cast<double>(heat.columns)), y(heat.y0),
                    y(heat.y0 + heat.cell * static_cast<double>(heat.rows))};
    if (overlap(whole, area)) return true;
  }
  for (std::size_t i = 0; i < panel.bars.size(); ++i) {
    const Bar& bar = panel.bars[i];
    const double middle = static_cast<double>(i);
    const double zero = panel.y.log ? at.box.bottom : y(0), end = y(bar.value);
    if (std::isfinite(end) && overlap({x(middle - 0.35), x(middle + 0.35), std::min(zero, end), std::max(zero, end)}, area)) return true;
    if (bar.low && bar.high && crosses(x(middle), y(*bar.low), x(middle), y(*bar.high), grown(area, 0.04))) return true;
  }
  for (const Line& line : panel.lines) {
    if (line.level) {
      const double height = y(line.y.front());
      if (height > area.bottom && height < area.top) return true;
      continue;
    }
    const auto n = std::min(line.x.size(), line.y.size());
    const double thick = line.width / 72 / 2;
    double mark = 0;
    if (line.markers)
      mark = line.marker == Marker::kStar  ? kStarSize * line.width / Line().width + 0.02
             : line.marker == Marker::kDot ? 0.03
             : line.hollow                 ? 0.07
                                           : 0.045;
    double px = kNaN, py = kNaN, plow = kNaN, phigh = kNaN;
    for (std::size_t i = 0; i < n; ++i) {
      const double cx = x(line.x[i]), cy = y(line.y[i]);
      const auto along = [&](double v) { return panel.turned ? x(v) : y(v); };
      const double low = i < line.low.size() ? along(line.low[i]) : kNaN, high = i < line.high.size() ? along(line.high[i]) : kNaN;
      if (std::isfinite(cx) && std::isfinite(cy)) {
        if (mark > 0 && overlap({cx - mark, cx + mark, cy - mark, cy + mark}, area)) return true;
        if (line.stroke && std::isfinite(px + py) && crosses(px, py, cx, cy, grown(area, thick))) return true;
      }
      if (std::isfinite(cx + low + high)) {
        if (line.error_bars) {
          if (panel.turned ? crosses(low, cy, high, cy, grown(area, 0.03)) : crosses(cx, low, cx, high, grown(area, 0.03))) return true;
        } else {
          // The trapezium between two bars of the band: an edge enters the area, or the area is inside.
          if (crosses(cx, low, cx, high, area)) return true;
          if (std::isfinite(px + plow + phigh)) {
            if (crosses(px, plow, cx, low, area) || crosses(px, phigh, cx, high, area)) return true;
            const double ax = (area.left + area.right) / 2, ay = (area.bottom + area.top) / 2;
            if ((ax - px) * (ax - cx) <= 0 && cx != px) {
              const double t = (ax - px) / (cx - px);
              if (ay >= plow + t * (low - plow) && ay <= phigh + t * (high - phigh)) return true;
            }
          }
        }
      }
      px = cx, py = cy, plow = low, phigh = high;
    }
  }
  for (const Arrow& a : panel.arrows) {
    if (crosses(x(a.x), y(a.y), x(a.x + a.dx), y(a.y + a.dy), grown(area, 0.03))) return true;
  }
  return std::any_of(panel.texts.begin(), panel.texts.end(), [&](const Annotation& text) {
    const double cx = x(text.x), cy = y(text.y);
    return std::isfinite(cx + cy) && overlap(rotated_text(text, cx, cy), area);
  });
}

FigureLayout layout_of(const Figure& figure) { return PlacedFigure(figure).layout(); }

}  // namespace yatlab

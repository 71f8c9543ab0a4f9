#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/figure/layout.h"

namespace yatlab {
namespace {

constexpr double kNameGap = 0.06;     // between names side by side
constexpr double kNameShare = 0.4;    // of a panel's width: longer names are cut
constexpr double kLongestName = 1.2;  // of names at an angle
constexpr double kMarkRow = 0.03;     // for each mark of a category
constexpr double kTextRow = 0.36;     // of cells with text
constexpr double kMostRows = 8;       // categories get no room for all their marks if that would be higher, in inches

bool names_overlap(const Panel& panel, const PanelLayout& at) {
  if (!panel.x.names) return false;
  Ticks ticks = at.x_ticks;
  std::sort(ticks.begin(), ticks.end());
  double taken = at.cell.left;
  for (const auto& [place, name] : ticks) {
    const double middle = at.x_at(panel.x, place), half = text_width(name) / 2;
    if (middle - half < taken) return true;
    taken = middle + half + kNameGap;
  }
  return false;
}

/// Bars stay upright, and cells whose text would get too narrow.
bool can_turn(const Panel& panel) {
  return panel.bars.empty() && !panel.surface && std::all_of(panel.heats.begin(), panel.heats.end(), [](const Heat& heat) {
           return heat.text.empty() || heat.columns >= 2 * heat.rows;
         });
}

/// A name without its middle if it is wider than `width`: long names often differ at their ends.
std::string cut_name(const std::string& name, double width) {
  std::vector<std::string> letters;
  for (const char c : name) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    if (letters.empty() || !continues) letters.emplace_back();
    letters.back() += c;
  }
  const auto middle = [&] { return letters.begin() + static_cast<std::ptrdiff_t>(letters.size() * 2 / 3); };
  if (text_width(name) <= width) return name;
  while (letters.size() > 1 && text_width(join(letters, "") + "…") > width) letters.erase(middle());
  letters.insert(middle(), "…");
  return join(letters, "");
}

/// A label without its clauses after a comma, then without its middle, if it is wider than `width`; its unit stays whole.
std::string cut_label(const std::string& label, double width) {
  if (text_width(label) <= width) return label;
  const auto at = !label.empty() && label.back() == ')' ? label.rfind(" (") : std::string::npos;
  const std::string unit = at == std::string::npos ? "" : label.substr(at), name = label.substr(0, at);
  return cut_name(name.substr(0, name.find(", ")), width - text_width(unit)) + unit;
}

void cut_names(Ticks& ticks, double width) {
  for (auto& tick : ticks) tick.second = cut_name(tick.second, width);
}

/// Marks of a category are beside its place; returns how many places there are.
std::size_t spread_marks(Panel& panel) {
  const auto offset = [](double x) { return x - std::round(x); };
  std::set<long> places;
  double widest = 0;
  for (const Line& line : panel.lines) {
    for (const double x : line.x) {
      if (line.stroke) continue;
      places.insert(std::lround(1e4 * offset(x)));
      widest = std::max(widest, std::abs(offset(x)));
    }
  }
  const auto n = static_cast<double>(places.size());
  for (Line& line : panel.lines) {
    for (double& x : line.x) {
      if (!line.stroke && widest > 0) x = std::round(x) + offset(x) / widest * (n - 1) / (n + 1) / 2;
    }
  }
  return places.size();
}

/// Columns become rows, the first on top.
Heat turned(const Heat& heat) {
  Heat out = heat;
  std::swap(out.rows, out.columns);
  out.x0 = heat.y0;
  out.y0 = -(heat.x0 + heat.cell * static_cast<double>(heat.columns));
  const auto at = [&](std::size_t r, std::size_t c) { return c * out.columns + heat.rows - 1 - r; };
  for (std::size_t i = 0; i < heat.values.size(); ++i) {
    const auto to = at(i / heat.columns, i % heat.columns);
    out.values[to] = heat.values[i];
    if (i < heat.text.size()) out.text[to] = heat.text[i];
  }
  for (auto& [r, c] : out.marked) {
    const auto to = at(r, c);
    r = to / out.columns;
    c = to % out.columns;
  }
  return out;
}

/// Values along x; names beside y, the first on top. Returns the height that its categories need.
double turn(Panel& panel, double width) {
  const auto marks = static_cast<double>(spread_marks(panel)), n = static_cast<double>(panel.x.ticks.size());
  const AxisRange places = axis_range(panel, true);
  for (Line& line : panel.lines) {
    if (line.level) {  // its name would stand above the panel: the legend has it
      line.level = false;
      line.x = {places.low, places.high};
      line.y = {line.y.front(), line.y.front()};
      line.dash = 3;
      line.rgb = kLevelColor;
      if (panel.legend == Legend::kNone) panel.legend = Legend::kBelow;
    }
    line.error_bars = !line.low.empty();
    for (double& x : line.x) x = -x;
    std::swap(line.x, line.y);
  }
  double row = std::min(kMarkRow * (marks + 1), kMostRows / n);
  for (Heat& heat : panel.heats) {
    heat = turned(heat);
    row = std::max(row, heat.text.empty() ? 1.1 * kLineHeight : kTextRow);
  }
  for (Arrow& a : panel.arrows) a = {a.y, -a.x, a.dy, -a.dx, a.color};
  panel.texts.clear();  // values beside arrows, which the note has, too
  std::swap(panel.x, panel.y);
  for (auto& tick : panel.y.ticks) tick.first = -tick.first;
  panel.y.min = -places.high;
  panel.y.max = -places.low;
  cut_names(panel.y.ticks, kNameShare * width);
  panel.turned = true;
  return n * std::max(kLineHeight, row);
}

}  // namespace

void fit_names(Figure& figure) {
  const auto before = layout_of(figure);
  std::vector<double> heights(figure.panels.size());
  bool turning = false;
  for (std::size_t p = 0; p < heights.size(); ++p) {
    turning = turning || (can_turn(figure.panels[p]) && names_overlap(figure.panels[p], before.panels[p]));
  }
  for (std::size_t p = 0; p < heights.size(); ++p) {
    Panel& panel = figure.panels[p];
    if (!panel.x.names) continue;
    if (can_turn(panel) && turning) {  // all panels of a figure alike
      heights[p] = turn(panel, before.panels[p].cell.width());
    } else {
      heights[p] = before.panels[p].box.height();
    }
  }
  const auto after = layout_of(figure);
  for (std::size_t p = 0; p < heights.size(); ++p) {
    Panel& panel = figure.panels[p];
    if (!names_overlap(panel, after.panels[p])) continue;
    panel.x.rotate_ticks = true;
    cut_names(panel.x.ticks, kLongestName);
  }
  // A higher figure may have a higher legend: two passes.
  for (int pass = 0; pass < 2; ++pass) {
    const auto now = layout_of(figure);
    double missing = 0;
    for (std::size_t p = 0; p < heights.size(); ++p) missing = std::max(missing, heights[p] - now.panels[p].box.height());
    figure.height += missing * static_cast<double>(figure.rows());
  }
  const auto done = layout_of(figure);
  for (std::size_t p = 0; p < heights.size(); ++p) {
    const Box &box = done.panels[p].box, &cell = done.panels[p].cell;
    const double middle = (box.bottom + box.top) / 2;  // also the label's, which may be longer than its axis
    auto& label = figure.panels[p].y.label;
    label = cut_label(label, 2 * std::min(cell.top - middle, middle - cell.bottom));
  }
}

}  // namespace yatlab

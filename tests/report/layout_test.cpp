// Positions in figures: legends, ticks, limits.
#include "core/figure/layout.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "catch.h"
#include "core/figure/gnuplot.h"
#include "drawn.h"
#include "fake_run.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

constexpr Legend kCorners[] = {Legend::kTopLeft, Legend::kTopRight, Legend::kBottomLeft, Legend::kBottomRight};

Panel random_panel(Random& random) {
  const auto pick = [&](int n) { return static_cast<int>(random.uniform() * n); };
  Panel panel;
  panel.x.label = pick(2) ? "x" : "";
  panel.y.label = pick(2) ? "y" : "";
  panel.title = pick(2) ? "title" : "";
  panel.x.log = pick(4) == 0;
  panel.y.log = pick(4) == 0;
  panel.legend = kCorners[pick(4)];
  const int lines = 1 + pick(5), shape = pick(5);
  for (int l = 0; l < lines; ++l) {
    Line line;
    line.color = l;
    line.label = std::string(static_cast<std::size_t>(1 + pick(14)), 'a' + static_cast<char>(l));
    line.markers = pick(2);
    line.stroke = !line.markers || pick(3) > 0;
    line.error_bars = pick(4) == 0;
    const bool spread = pick(2);
    const int n = pick(3) == 0 ? 2 : 3 + pick(30);
    for (int i = 0; i < n; ++i) {
      const double t = (i + 0.5) / n;
      line.x.push_back(0.01 + 10 * t);
      double y = 1;
      if (shape == 0) y = 0.1 + std::exp(-5 * t) * (l + 1);
      if (shape == 1) y = 0.2 + t * (l + 1);
      if (shape == 2) y = 2 + std::sin(9 * t + l);
      if (shape == 3) y = 0.1 + random.uniform();
      if (shape == 4) y = i % 2 ? 0.5 : 3;  // long segments between few points
      line.y.push_back(pick(40) == 0 ? kNaN : y);
      if (spread) {
        line.low.push_back(line.y.back() * 0.8);
        line.high.push_back(line.y.back() * 1.3);
      }
    }
    panel.lines.push_back(std::move(line));
  }
  if (pick(5) == 0)
    panel.texts.push_back({"some text", 2 + 5 * random.uniform(), 0.5 + random.uniform(), Annotation::Align::kCenter, pick(2) ? 90.0 : 0});
  if (pick(6) == 0) {
    for (int i = 0; i < 5; ++i) panel.bars.push_back({"b", random.uniform(), {}, {}, 0});
    panel.x.log = panel.y.log = false;
  }
  return panel;
}

Line line_of(std::vector<double> x, std::vector<double> y, const std::string& label = "a") {
  Line line;
  line.x = std::move(x);
  line.y = std::move(y);
  line.label = label;
  return line;
}

Figure figure_of(Panel panel) {
  Figure figure;
  figure.id = "f";
  figure.panels.push_back(std::move(panel));
  return figure;
}

std::vector<double> count_to(int n) {
  std::vector<double> out(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), 0.0);
  return out;
}

}  // namespace

TEST_CASE("no legend overlaps what is drawn") {
  Random random(5);
  int inside = 0, moved = 0;
  for (int trial = 0; trial < 600; ++trial) {
    Figure figure;
    figure.id = "f";
    const int panels = 1 + trial % 4;
    for (int p = 0; p < panels; ++p) figure.panels.push_back(random_panel(random));
    figure.columns = panels > 1 ? 2 : 1;
    figure.width = panels > 1 ? kDoubleColumn : kSingleColumn;
    figure.height = 2.2 * static_cast<double>(figure.rows());
    const FigureLayout at = layout_of(figure);
    REQUIRE(at.panels.size() == figure.panels.size());
    std::size_t entries = 0;
    for (std::size_t p = 0; p < figure.panels.size(); ++p) {
      const auto& panel = at.panels[p];
      CHECK(panel.box.height() > 1);
      panel.legend ? ++inside : ++moved;
      each_dot(figure.panels[p], panel, [&](double x, double y) {
        if (!in_box(panel.box, x, y)) return;
        if (panel.legend && in_box(*panel.legend, x, y)) FAIL("trial " << trial << ", panel " << p << ": drawn at " << x << ", " << y);
      });
      if (panel.legend) {
        CHECK(panel.legend->left > panel.box.left);
        CHECK(panel.legend->right < panel.box.right);
      }
    }
    for (const auto& entry : at.entries) {
      ++entries;
      const double right = entry.x + kSample + kSampleGap + text_width(entry.line->label);
      CHECK(entry.x > 0);
      CHECK(right < figure.width);
      for (std::size_t p = 0; p < figure.panels.size(); ++p) {
        const auto& panel = at.panels[p];
        const Box text{entry.x, right, entry.y - kLineHeight / 2, entry.y + kLineHeight / 2};
        const bool mine = panel.legend && in_box(*panel.legend, (entry.x + right) / 2, entry.y);
        const Box& b = panel.box;
        // Its tick labels too.
        const bool on_panel = text.left < b.right && b.left < text.right && text.bottom < b.top && b.bottom - panel.tick_height < text.top;
        if (!mine && on_panel) FAIL("trial " << trial << ": a legend entry overlaps panel " << p);
      }
    }
    CHECK(entries > 0);
  }
  CHECK(inside > 300);  // the check is not vacuous
  CHECK(moved > 100);
}

TEST_CASE("the requested legend corner is used if it is free") {
  Panel panel;
  panel.lines.push_back(line_of({0, 1}, {0, 1}));  // from the lower left to the upper right
  for (const auto legend : kCorners) {
    panel.legend = legend;
    const auto figure = figure_of(panel);
    const auto at = layout_of(figure).panels[0];
    REQUIRE(at.legend);
    const bool right = at.legend->left > (at.box.left + at.box.right) / 2, top = at.legend->bottom > (at.box.bottom + at.box.top) / 2;
    CHECK(right != top);  // the two free ones
    if (legend == Legend::kTopLeft) CHECK(top);
    if (legend == Legend::kBottomRight) CHECK(right);
  }
  // A segment counts even if its ends are far away.
  Panel crossed;
  crossed.legend = Legend::kTopLeft;
  crossed.y.min = 0;
  crossed.y.max = 1;
  for (int k = 0; k <= 20; ++k) crossed.lines.push_back(line_of({0, 1}, {k / 20.0, k / 20.0}, k == 0 ? "a" : ""));
  const auto full = figure_of(crossed);
  const auto layout = layout_of(full);
  CHECK_FALSE(layout.panels[0].legend);
  CHECK(layout.height > full.height);  // the legend is below, and the panel keeps its size
  REQUIRE(layout.entries.size() == 1);
  CHECK(layout.entries[0].y < layout.panels[0].box.bottom - layout.panels[0].tick_height);
}

TEST_CASE("panels with the same lines share a legend that does not fit inside") {
  Panel crowded;
  crowded.legend = Legend::kTopRight;
  crowded.y.min = 0;
  crowded.y.max = 1;
  for (int k = 0; k <= 20; ++k) crowded.lines.push_back(line_of({0, 1}, {k / 20.0, k / 20.0}, k == 0 ? "a" : ""));
  Panel free;
  free.legend = Legend::kTopRight;
  free.lines.push_back(line_of({0, 1}, {0, 0}));
  auto figure = figure_of(crowded);
  figure.panels.push_back(free);
  figure.columns = 2;
  figure.width = kDoubleColumn;
  auto layout = layout_of(figure);
  CHECK(layout.entries.size() == 1);
  CHECK_FALSE(layout.panels[1].legend);
  figure.panels[1].lines[0].label = "b";
  layout = layout_of(figure);
  CHECK(layout.entries.size() == 2);
  CHECK(layout.panels[1].legend);
  CHECK(layout.panels[0].under > 0);
  CHECK(layout.panels[0].box.bottom == Approx(layout.panels[1].box.bottom));  // still side by side
}

TEST_CASE("a long legend enlarges the figure instead of shrinking panels") {
  Panel panel;
  panel.legend = Legend::kBelow;
  for (int k = 0; k < 16; ++k)
    panel.lines.push_back(line_of({0, 1}, {0, 1}, "start uniform (low -0.5, high 0.5), pixels symmetric, number " + std::to_string(k)));
  for (std::size_t k = 0; k < panel.lines.size(); ++k) panel.lines[k].color = static_cast<int>(k);
  auto figure = figure_of(panel);
  const auto layout = layout_of(figure);
  CHECK(layout.panels[0].box.height() > 0.5 * figure.height);
  CHECK(layout.height > figure.height);
  REQUIRE(layout.entries.size() == 16);
  for (const auto& entry : layout.entries) {
    CHECK(entry.x > 0);
    CHECK(entry.x + kSample + kSampleGap + text_width(entry.line->label) < layout.width);
    CHECK(entry.y < layout.panels[0].box.bottom);
  }
  const TemporaryFolder scratch;
  figure.id = "long";
  render_figure(figure, scratch.path(), {"svg"});
  const auto svg = read_file(scratch.path() / "long.svg");
  CHECK(svg.find("height=\"" + std::to_string(std::lround(layout.height * 72)) + "pt\"") != std::string::npos);
}

TEST_CASE("figures.width=column stacks panels and keeps the font size") {
  auto figure = figure_of(Panel{});
  figure.panels.assign(3, figure.panels[0]);
  figure.columns = 2;
  figure.width = kDoubleColumn;
  figure.height = 4;
  auto column = figure;
  fit_column(column);
  CHECK(column.width == kSingleColumn);
  CHECK(column.columns == 1);
  CHECK(column.height == Approx(6));
  figure.columns = 4;
  figure.panels.assign(4, figure.panels[0]);
  figure.panels[0].equal_aspect = true;
  fit_column(figure);
  CHECK(figure.columns == 2);
  CHECK(figure.height == Approx(2 * 4 * (kSingleColumn / 2) / (kDoubleColumn / 4)));
  const auto before = figure.height;
  fit_column(figure);
  CHECK(figure.height == before);
}

TEST_CASE("log axes have at least three labels without overlap") {
  Random random(3);
  for (int trial = 0; trial < 4000; ++trial) {
    Axis axis;
    axis.log = true;
    const double low = std::pow(10, -6 + 9 * random.uniform()), high = low * std::pow(10, 0.02 + 5 * random.uniform() * random.uniform());
    const bool horizontal = random.uniform() < 0.5;
    const double length = 1.3 + 4 * random.uniform();
    const auto ticks = axis_ticks(axis, {low, high}, length, horizontal);
    INFO(low << " to " << high << " along " << length << (horizontal ? " across" : " up"));
    // On a horizontal axis, long labels of a tenth of a decade far from 1 ("1.25·10^-5") need more space than a narrow panel has.
    const bool cramped = horizontal && (length < 1.5 || (length < 2.7 && high / low < 4 && (low < 1e-2 || high > 1e3)));
    CHECK(ticks.size() >= (cramped ? 1u : 3u));
    CHECK(ticks.size() <= 9);
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      CHECK(ticks[i].first >= low * (1 - 1e-6));
      CHECK(ticks[i].first <= high * (1 + 1e-6));
      CHECK_FALSE(ticks[i].second.empty());
      if (i == 0) continue;
      CHECK(ticks[i].second != ticks[i - 1].second);
      const double apart = std::log(ticks[i].first / ticks[i - 1].first) / std::log(high / low) * length;
      CHECK(apart > (horizontal ? (text_width(ticks[i].second) + text_width(ticks[i - 1].second)) / 2 : 0.12));
    }
  }
}

TEST_CASE("an initial outlier or a spike is marked instead of flattening a panel") {
  for (const bool log : {false, true}) {
    Panel panel;
    panel.x.label = "step";
    panel.y.label = "loss";
    panel.y.log = log;
    panel.y.robust = panel.y.begins = true;
    Line line = line_of(count_to(40), {}, "arm");
    for (const double x : line.x) line.y.push_back(2 + std::exp(-x / 10));
    line.y[0] = 11;
    line.y[20] = 900;
    panel.lines.push_back(line);
    auto figure = figure_of(panel);
    limit_axes(figure);
    const Panel& out = figure.panels[0];
    REQUIRE(out.y.max);
    CHECK(*out.y.max < 4);
    CHECK(*out.y.max > line.y[1]);
    CHECK(out.lines[0].y == line.y);  // the drawn values are the measured ones
    REQUIRE(out.arrows.size() == 2);
    CHECK(out.arrows[0].x == 0);
    CHECK(out.arrows[1].x == 20);
    REQUIRE(out.texts.size() == 2);
    CHECK(out.texts[0].text == "11");
    CHECK(out.texts[1].text == "900");
    for (const auto& arrow : out.arrows) {
      CHECK(arrow.dy > 0);
      CHECK(arrow.y + arrow.dy < *out.y.max);
    }
    CHECK(figure.note() == "The axis of loss is cut off; arrows stand where curves leave it: arm 11 at step 0; arm 900 at step 20.");
    CHECK(figure_csv(figure).find(",20.0,900.0,") != std::string::npos);
  }
}

TEST_CASE("the value beside an arrow covers no curve") {
  const auto texts = [](double slow) {
    Panel panel;
    panel.y.robust = panel.y.begins = true;
    Line line = line_of(count_to(40), {}, "arm");
    for (const double x : line.x) line.y.push_back(2 + 9.25 * std::exp(-x / slow) + 0.01 * x);
    panel.lines.push_back(line);
    auto figure = figure_of(panel);
    limit_axes(figure);
    REQUIRE(figure.panels[0].arrows.size() == 1);
    CHECK(figure.note().find("arm 11.2 at") != std::string::npos);  // named in any case
    return figure.panels[0].texts.size();
  };
  CHECK(texts(0.2) == 1);
  CHECK(texts(4) == 0);
}

TEST_CASE("a short training is shown from its beginning") {
  // Three epochs of MNIST: the first value is not an outlier among three.
  Panel panel;
  panel.y.robust = panel.y.begins = true;
  panel.lines = {line_of({63, 126, 189}, {2.98, 1.69, 1.17}, "linear"), line_of({63, 126, 189}, {2.26, 2.02, 1.58}, "yat")};
  auto figure = figure_of(panel);
  limit_axes(figure);
  CHECK_FALSE(figure.panels[0].y.max);
  CHECK(figure.panels[0].arrows.empty());
}

TEST_CASE("panels that share an axis have the same limits") {
  const auto drawn = [](int shared, double spike) {
    Figure figure;
    for (const double height : {1.0, 10.0}) {
      Panel panel;
      panel.title = height > 1 ? "high" : "low";
      panel.x.label = "step";
      panel.y.robust = panel.y.begins = true;
      panel.y.shared = shared;
      Line line = line_of(count_to(40), {}, "arm");
      for (const double x : line.x) line.y.push_back(height * (1 + x / 40));
      if (height > 1) line.y[20] += spike;
      panel.lines.push_back(line);
      figure.panels.push_back(panel);
    }
    limit_axes(figure);
    return figure;
  };
  for (const double spike : {0.0, 900.0}) {
    const auto shared = drawn(1, spike), own = drawn(0, spike);
    const AxisRange first = axis_range(shared.panels[0], false), second = axis_range(shared.panels[1], false);
    CHECK(first.low == second.low);
    CHECK(first.high == second.high);
    CHECK(first.low < 1);
    CHECK(first.high > 19);
    CHECK(first.high < 50);
    CHECK(axis_range(own.panels[0], false).high < 3);
    CHECK(shared.panels[0].arrows.empty());
    CHECK(shared.panels[1].arrows.size() == (spike > 0 ? 1 : 0));
    CHECK(shared.note() ==
          (spike > 0 ? "The axis of values is cut off; arrows stand where curves leave it: high: arm 915 at step 20." : ""));
  }
}

TEST_CASE("limits are unchanged if nothing is flattened") {
  Panel panel;
  panel.y.robust = true;
  Line line = line_of(count_to(30), {});
  for (const double x : line.x) line.y.push_back(5 - x / 10);
  panel.lines.push_back(line);
  auto figure = figure_of(panel);
  limit_axes(figure);
  CHECK_FALSE(figure.panels[0].y.max);
  CHECK(figure.notes.empty());
  CHECK(figure.panels[0].arrows.empty());
  // Nor if a figure does not enable it: the peak may be the point of the figure.
  figure.panels[0].lines[0].y[9] = 1e6;
  limit_axes(figure);
  CHECK_FALSE(figure.panels[0].y.max);
}

TEST_CASE("ordinary values are not cut off") {
  // In a third of a sweep the first value is as valid as any other.
  Panel panel;
  panel.y.robust = true;
  panel.lines = {line_of({1, 2, 3}, {0.54, 0.81, 0.879}), line_of({1, 2, 3}, {0.53, 0.838, 0.878})};
  auto figure = figure_of(panel);
  limit_axes(figure);
  CHECK_FALSE(figure.panels[0].y.min);
  CHECK(figure.notes.empty());
  // One of ten that is far away is an outlier.
  panel.lines = {line_of({1, 2, 3, 4, 5}, {2.3, 2.2, 2.1, 2.15, 40}), line_of({1, 2, 3, 4, 5}, {2.4, 2.35, 2.2, 2.2, 2.3})};
  figure = figure_of(panel);
  limit_axes(figure);
  REQUIRE(figure.panels[0].y.max);
  CHECK(*figure.panels[0].y.max < 3);
  REQUIRE(figure.panels[0].texts.size() == 1);
  CHECK(figure.panels[0].texts[0].text == "40");
  CHECK(figure.panels[0].texts[0].align == Annotation::Align::kRight);  // beside the arrow, inside the panel
  CHECK(figure.panels[0].texts[0].backed);                              // other curves may pass there
}

TEST_CASE("a diverging curve visibly leaves the panel") {
  Panel panel;
  panel.y.robust = true;
  panel.y.label = "loss";
  Line good = line_of(count_to(20), {}, "good"), bad = line_of(count_to(20), {}, "bad");
  for (const double x : good.x) {
    good.y.push_back(3 - x / 20);
    bad.y.push_back(3 + std::exp(x));
  }
  bad.diverged = true;
  panel.lines = {good, bad};
  auto figure = figure_of(panel);
  limit_axes(figure);
  const Panel& out = figure.panels[0];
  REQUIRE(out.y.max);
  CHECK(*out.y.max < 10);
  CHECK(*out.y.max > 3);
  REQUIRE(out.arrows.size() == 1);
  CHECK(out.arrows[0].x == 19);
  CHECK(figure.note().find("bad 1.78e+08") != std::string::npos);
  // A panel alone decides for itself.
  figure.panels[0] = panel;
  figure.panels[0].lines = {bad};
  limit_axes(figure);
  CHECK((!figure.panels[0].y.max || *figure.panels[0].y.max > 100));
}

TEST_CASE("legends are drawn at their layout position") {
  Panel panel;
  panel.legend = Legend::kTopRight;
  panel.lines.push_back(line_of({0, 1}, {0, 1}, "it's a line"));
  const auto figure = figure_of(panel);
  const auto entry = layout_of(figure).entries.at(0);
  const std::string script = gnuplot_script(figure, "f");
  CHECK(script.find("unset key") != std::string::npos);
  CHECK(script.find(" title '") == std::string::npos);
  const std::string at = fmt::format("set label 'it''s a line' at screen {:.10g},{:.10g} left front",
                                     (entry.x + kSample + kSampleGap) / figure.width, entry.y / figure.height);
  CHECK(script.find(at) != std::string::npos);
}

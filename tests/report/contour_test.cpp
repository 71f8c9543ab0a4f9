#include <cmath>

#include "catch.h"
#include "core/figure/contour.h"
#include "core/figure/gnuplot.h"
#include "fake_run.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

template <class F>
Heat sampled(std::size_t n, double half, F f) {
  Heat out;
  out.rows = out.columns = n;
  out.cell = 2 * half / static_cast<double>(n);
  out.x0 = out.y0 = -half;
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) {
      out.values.push_back(
          f(out.x0 + (static_cast<double>(c) + 0.5) * out.cell, out.y0 + (static_cast<double>(n - 1 - r) + 0.5) * out.cell));
    }
  }
  return out;
}

}  // namespace

TEST_CASE("the contour of a circle is one closed curve") {
  const auto grid = sampled(80, 2, [](double x, double y) { return x * x + y * y; });
  const auto curves = contour_lines(grid, 1.44);
  REQUIRE(curves.size() == 1);
  const auto& c = curves[0];
  CHECK(c.x.front() == c.x.back());
  CHECK(c.y.front() == c.y.back());
  double length = 0;
  for (std::size_t i = 0; i < c.x.size(); ++i) {
    // Linear interpolation of x^2 over a cell of 0.05 is off by at most cell^2 / 4, in r by that over 2 r.
    CHECK(std::hypot(c.x[i], c.y[i]) == Approx(1.2).margin(0.05 * 0.05 / 4 / 2.4 + 1e-12));
    if (i > 0) length += std::hypot(c.x[i] - c.x[i - 1], c.y[i] - c.y[i - 1]);
  }
  CHECK(length == Approx(2 * M_PI * 1.2).epsilon(1e-3));
  CHECK(contour_lines(grid, 9).empty());
}

TEST_CASE("the contour of a plane is one straight open curve from edge to edge") {
  const auto curves = contour_lines(sampled(21, 1, [](double x, double y) { return x + 2 * y; }), 0.1);
  REQUIRE(curves.size() == 1);
  const auto& c = curves[0];
  for (std::size_t i = 0; i < c.x.size(); ++i) CHECK(c.x[i] + 2 * c.y[i] == Approx(0.1).margin(1e-12));
  CHECK(std::abs(c.x.front() - c.x.back()) == Approx(40.0 / 21));  // between the centres of the outermost cells
}

TEST_CASE("contours handle saddles and gaps and several curves") {
  Heat saddle;
  saddle.rows = saddle.columns = 2;
  saddle.values = {1, 0, 0, 1};  // high at top left and bottom right
  const auto low = contour_lines(saddle, 0.4), high = contour_lines(saddle, 0.6);
  REQUIRE(low.size() == 2);
  REQUIRE(high.size() == 2);
  // Below the mean the high corners are joined, so each curve cuts off a low corner; above it a high one.
  const auto cut_off = [](const Polyline& c) {
    return std::make_pair((c.x[0] + c.x[1]) / 2 > 0.5, (c.y[0] + c.y[1]) / 2 > 0.5);  // right?, top?
  };
  for (const auto& c : low) CHECK(cut_off(c).first == cut_off(c).second);
  for (const auto& c : high) CHECK(cut_off(c).first != cut_off(c).second);

  auto plane = sampled(21, 1, [](double x, double) { return x; });
  plane.values[10 * 21 + 10] = NAN;
  CHECK(contour_lines(plane, 0.01).size() == 2);  // above and below the hole
  const auto two = contour_lines(sampled(60, 3, [](double x, double y) { return std::abs(std::hypot(x, y) - 1.5); }), 0.7);
  CHECK(two.size() == 2);
  Heat broken = plane;
  broken.values.pop_back();
  CHECK(contour_lines(broken, 0).empty());
}

TEST_CASE("contours, arrows, stars and surfaces are drawn reproducibly") {
  Figure figure;
  figure.id = "fig:field";
  figure.columns = 2;
  figure.width = kDoubleColumn;
  Panel map;
  map.heats.push_back(sampled(30, 2, [](double x, double y) { return 0.01 + x * x + y * y; }));
  map.heats[0].levels = {1, 2};
  map.colors = {ColorMap::kLight, 0.01, 8, true, "response", false};
  map.colors.log = map.colors.below = true;
  map.equal_aspect = true;
  map.arrows = {{0, 0, 0.5, 0.25, "#222222"}, {1, 1, -0.5, 0, "#ffffff"}};
  Line star;
  star.x = {1, 9};  // the second is outside
  star.y = {0.5, 9};
  star.marker = Marker::kStar;
  star.markers = true;
  star.stroke = false;
  star.rgb = "#cc79a7";
  map.x.max = map.y.max = 2;
  map.lines.push_back(star);
  Panel well;
  well.surface = Surface{map.heats[0], {}};
  well.colors = map.colors;
  figure.panels = {map, well};
  const TemporaryFolder scratch;
  const auto first = render_figure(figure, scratch.path() / "a"), second = render_figure(figure, scratch.path() / "b");
  REQUIRE(first.size() == 5);
  for (std::size_t i = 0; i < first.size(); ++i) CHECK(read_file(first[i]) == read_file(second[i]));
  const std::string script = read_file(first[0]);
  const auto count = [&](const std::string& what) {
    std::size_t n = 0;
    for (auto at = script.find(what); at != std::string::npos; at = script.find(what, at + 1)) ++n;
    return n;
  };
  CHECK(count("set object polygon") == 2);  // one star with two edges; none for the point outside
  CHECK(count("with vectors head filled") == 1);
  CHECK(count("splot") == 1);
  CHECK(count("set logscale cb") == 2);
  const std::string csv = read_file(first[1]);
  const auto rows = [&](const std::string& kind) {
    std::size_t n = 0;
    for (auto at = csv.find("," + kind + ","); at != std::string::npos; at = csv.find("," + kind + ",", at + 1)) ++n;
    return n;
  };
  std::size_t corners = 0;
  for (double level : {1.0, 2.0}) {
    for (const auto& c : contour_lines(map.heats[0], level)) corners += c.x.size();
  }
  CHECK(corners > 60);
  CHECK(rows("level") == 2 * corners);  // the surface's grid has the same
  CHECK(rows("arrow") == 2);
  CHECK(rows("cell") == 900);
  CHECK(rows("surface") == 900);
  CHECK(csv.find("0,arrow,,0.0,0.0,0.5,0.25,") != std::string::npos);
}

TEST_CASE("the legend is placed where no curves are") {
  Panel panel;
  Line line;
  for (int i = 0; i <= 10; ++i) {
    line.x.push_back(i);
    line.y.push_back(i);
  }
  panel.lines = {line};
  CHECK((roomiest_corner(panel) == Legend::kTopLeft || roomiest_corner(panel) == Legend::kBottomRight));
  for (double& y : panel.lines[0].y) y = 10 - y;
  CHECK((roomiest_corner(panel) == Legend::kTopRight || roomiest_corner(panel) == Legend::kBottomLeft));
  panel.lines[0].y = {0, 9, 9, 9, 9, 9, 9, 9, 9, 9, 10};
  CHECK(roomiest_corner(panel) == Legend::kBottomRight);
}

TEST_CASE("category colours repeat and log-scale colours follow the exponent") {
  CHECK(color_stops(ColorMap::kCategories).size() == 7);
  CHECK(color_at(ColorMap::kLight, 0) == std::array<int, 3>{255, 255, 255});
  ColorScale scale{ColorMap::kLight, 1e-3, 1, true, "", false};
  scale.log = true;
  CHECK(text_color_on(scale, 2e-3) == "#000000");
  CHECK(text_color_on(scale, 0) == "#000000");
  CHECK(text_color_on(scale, 0.9) == "#ffffff");
  scale.log = false;
  CHECK(text_color_on(scale, 0.3) == "#000000");
}

#include <cmath>
#include <functional>

#include "catch.h"
#include "core/base/error.h"
#include "core/report/report_parts.h"
#include "fake_run.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

Json grid(std::size_t n, double half, const std::function<double(double, double)>& f) {
  Json values = Json::array();
  const double cell = 2 * half / static_cast<double>(n);
  for (std::size_t i = 0; i < n * n; ++i) {
    values.push_back(f(-half + (static_cast<double>(i % n) + 0.5) * cell, half - (static_cast<double>(i / n) + 0.5) * cell));
  }
  return {{"x0", -half}, {"y0", -half}, {"cell", cell}, {"rows", n}, {"columns", n}, {"values", values}};
}

/// One arm, one job, one artifact, one figure.
struct Drawn {
  TemporaryFolder scratch;
  FakeRun fake;
  explicit Drawn(const std::string& plot, const std::string& artifact, Json json) {
    fake.experiment = "geometry";
    fake.arms = {"yat"};
    fake.config =
        "name: geometry\ntitle: t\nlabels: {yat: K}\nmetrics: {test/accuracy: {format: percent}}\nfigures:\n  fig:f: " + plot + "\n";
    fake.jobs.push_back({"yat", 3, Json::object(), {{"test/accuracy", 0.9875}}, "completed", {}, {{artifact, std::move(json)}}});
  }
  Figure draw() {
    fake.write(scratch.path());
    const RunView run = RunView::load(scratch.path());
    const auto config = ReportConfig::read(run.config, true);
    return draw_figures(run, config, config.figures.at(0)).at(0);
  }
  std::string error() {
    try {
      draw();
    } catch (const Error& e) {
      return e.why();
    }
    return "no error";
  }
};

Json field() {
  return {{"weight", {1.0, 0.5}},
          {"epsilon", 0.1},
          {"uses_epsilon", true},
          {"at_weight", 15.6},
          {"grid", grid(20, 2,
                        [](double x, double y) {
                          const double a = x + 0.5 * y;
                          return a * a / ((x - 1) * (x - 1) + (y - 0.5) * (y - 0.5) + 0.1);
                        })},
          {"arrows", {{"from", {{"data", {0.0, 0.0, 1.0, 1.0}}}}, {"gradient", {{"data", {3.0, 4.0, 0.0, 0.0}}}}}}};
}

}  // namespace

TEST_CASE("response_fields: peaks use log colours and arrows follow the gradient") {
  Drawn drawn("{plot: response_fields, caption: Fields.}", "response_field", field());
  const Figure figure = drawn.draw();
  REQUIRE(figure.panels.size() == 1);
  const Panel& p = figure.panels[0];
  CHECK(p.title == "K, ε = 0.1");
  CHECK(p.colors.log);
  CHECK(p.colors.max / p.colors.min == Approx(1000));
  CHECK(p.heats[0].levels.size() >= 6);
  REQUIRE(p.arrows.size() == 1);  // none where the gradient vanishes
  CHECK(p.arrows[0].dy / p.arrows[0].dx == Approx(4.0 / 3));
  CHECK(p.arrows[0].x + p.arrows[0].dx / 2 == Approx(0).margin(1e-12));  // its middle is on the point
  CHECK(p.lines[0].marker == Marker::kStar);
  CHECK(figure.caption.find("Fields. Colours and level lines: response of one unit with w = (1, 0.5), 20 × 20 points") == 0);
  drawn.fake.jobs[0].artifacts["response_field"]["grid"] = grid(20, 2, [](double x, double) { return x; });
  const Figure linear = drawn.draw();
  CHECK(linear.panels[0].colors.map == ColorMap::kDiverging);
  CHECK(linear.panels[0].colors.min == -linear.panels[0].colors.max);
}

TEST_CASE("potential_well: the surface keeps the peak") {
  Drawn drawn("{plot: potential_well, mesh: 5}", "response_field", field());
  const Figure figure = drawn.draw();
  REQUIRE(figure.panels.size() == 2);
  REQUIRE(figure.panels[1].surface);
  const Heat& mesh = figure.panels[1].surface->grid;
  CHECK(mesh.rows == 5);
  const auto& all = figure.panels[0].heats[0].values;
  CHECK(*std::max_element(mesh.values.begin(), mesh.values.end()) == *std::max_element(all.begin(), all.end()));
}

TEST_CASE("rays: limits are drawn where they exist") {
  Json json = {{"norm", 1.0}, {"uses_epsilon", false}};
  json["angle"] = {{"degrees", {0, 90, 180}}, {"curves", {{{"radius", 1.0}, {"response", {1, 0, 0.5}}}}}};
  json["radius"] = {
      {"radii", {0.1, 1, 10}}, {"has_limit", true}, {"curves", {{{"angle", 60.0}, {"limit", 0.25}, {"response", {0.1, 0.4, 0.25}}}}}};
  Drawn drawn("{plot: rays}", "ray_response", json);
  Figure figure = drawn.draw();
  REQUIRE(figure.panels.size() == 2);
  REQUIRE(figure.panels[1].lines.size() == 2);
  CHECK(figure.panels[1].lines[0].dash == 2);
  CHECK(figure.panels[1].lines[0].y == std::vector<double>{0.25, 0.25});
  CHECK(figure.panels[1].lines[1].label == "θ = 60°");
  CHECK(figure.caption.find("Dashed") != std::string::npos);
  drawn.fake.jobs[0].artifacts["ray_response"]["radius"]["has_limit"] = false;
  figure = drawn.draw();
  CHECK(figure.panels[1].lines.size() == 1);
  CHECK(figure.caption.find("Dashed") == std::string::npos);
}

TEST_CASE("epsilon_shapes and perturbation figures are drawn") {
  Json shape = {{"norm", 1.0}, {"uses_epsilon", true}, {"t", {0, 1}}, {"s", {0, 1}}};
  shape["curves"] = {{{"epsilon", 0.01}, {"at_weight", 100.0}, {"along", {0, 100}}, {"across", {100, 1}}},
                     {{"epsilon", 1.0}, {"at_weight", 1.0}, {"along", {0, 1}}, {"across", {1, 0.5}}}};
  const Figure shapes = Drawn("{plot: epsilon_shapes}", "epsilon_shape", shape).draw();
  CHECK(shapes.panels.at(0).y.log);
  CHECK(shapes.panels.at(1).lines.at(0).y == std::vector<double>{1, 0.01});
  CHECK(shapes.panels[1].lines.at(1).label == "ε = 1");

  Json moved = {{"uses_epsilon", true}, {"dimension", 8}, {"samples", 10}, {"starts", 4}, {"deltas", {0.1, 1}}};
  moved["curves"] = {{{"epsilon", 1.0}, {"slope", 6.0}, {"mean", {0.01, 0.1}}, {"largest", {0.1, 0.5}}, {"worst", {0.2, 0.9}}}};
  Drawn perturbation("{plot: perturbation}", "perturbation", moved);
  const Figure bounds = perturbation.draw();
  REQUIRE(bounds.panels.at(0).lines.size() == 4);
  CHECK(bounds.panels[0].lines[3].y[0] == Approx(0.6));
  CHECK(bounds.panels[0].title == "K, ε = 1");
  CHECK(bounds.note().find("10 random pairs for each δ, search from 4 starts, seed 3") != std::string::npos);
}

TEST_CASE("decision_regions: regions, boundaries and points are drawn") {
  Json json = {{"classes", 2},
               {"grid", grid(10, 1, [](double x, double) { return x > 0 ? 1.0 : 0.0; })},
               {"boundaries", {{{"between", {0, 1}}, {"x", {0, 0}}, {"y", {-1, 1}}}}},
               {"prototypes", {{"data", {-0.5, 0, 0.5, 0}}}},
               {"prototype_classes", {0, 1}},
               {"points", {{"data", {-0.2, 0.1, 0.3, 0.4, 5, 5}}}},
               {"targets", {0, 1, 1}},
               {"split", "train"}};
  const Figure figure = Drawn("{plot: decision_regions, metric: test/accuracy}", "decision_map", json).draw();
  const Panel& p = figure.panels.at(0);
  CHECK(p.colors.map == ColorMap::kCategories);
  REQUIRE(p.lines.size() == 5);                     // two clouds, one curve, two stars
  CHECK(p.lines[1].x == std::vector<double>{0.3});  // the point at (5, 5) is left out
  CHECK(p.lines[2].rgb == "#000000");
  CHECK(p.lines[3].marker == Marker::kStar);
  CHECK(p.lines[4].rgb == palette_color(1));
  CHECK(p.texts.at(0).text == "98.8 %");
  CHECK(figure.note().find("10 × 10 points, seed 3; 3 train points shown") != std::string::npos);
}

TEST_CASE("squashing: each sweep point has a curve") {
  Drawn drawn("{plot: squashing}", "squashing", {{"competitive", true}, {"rival", 1.0}, {"x", {0, 4}}, {"y", {0.0, 0.8}}});
  drawn.fake.swept = {"normalizer.power"};
  drawn.fake.jobs[0].params = {{"normalizer.power", 1.0}};
  drawn.fake.jobs.push_back(drawn.fake.jobs[0]);
  drawn.fake.jobs[1].params = {{"normalizer.power", 2.0}};
  const Figure figure = drawn.draw();
  REQUIRE(figure.panels.at(0).lines.size() == 2);
  CHECK(figure.panels[0].lines[1].label == "n = 2");
  CHECK(figure.panels[0].x.label == "x against 1");
  CHECK(figure.panels[0].x.ticks.size() == 5);
}

TEST_CASE("geometry figures report missing parts of artifacts") {
  CHECK(Drawn("{plot: rays}", "other", Json::object()).error() == "jobs/yat/seed=3 has no artifact 'ray_response'");
  CHECK(Drawn("{plot: rays}", "ray_response", Json::object())
            .error()
            .find("artifact 'ray_response' of jobs/yat/seed=3 does not have the expected format") == 0);
  Json broken = field();
  broken["grid"]["rows"] = 3;
  Drawn drawn("{plot: response_fields}", "response_field", broken);
  CHECK(drawn.error() == "it needs x0, y0, cell, rows, columns and rows x columns values");
}

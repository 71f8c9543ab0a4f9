#include <fmt/format.h>

#include "catch.h"
#include "core/base/error.h"
#include "core/report/report_parts.h"
#include "fake_run.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

/// Ten bins of a model whose accuracy is its confidence minus `excess`.
Json calibration(double excess) {
  Json bins = Json::array();
  std::int64_t tokens = 0;
  for (int b = 0; b < 10; ++b) {
    const std::int64_t count = b == 9 ? 5 : 1000 - 90 * b;
    tokens += count;
    Json bin{{"from", b / 10.0}, {"to", (b + 1) / 10.0}, {"count", count}};
    const double sure = b / 10.0 + 0.05;
    bin["confidence"] = sure;
    bin["accuracy"] = sure - excess;
    bin["accuracy_low"] = sure - excess - 0.02;
    bin["accuracy_high"] = sure - excess + 0.02;
    bins.push_back(bin);
  }
  return {{"split", "test"},
          {"tokens", tokens},
          {"samples", 50},
          {"level", 0.95},
          {"ece", {{"value", excess}, {"low", excess - 0.001}, {"high", excess + 0.001}}},
          {"bins", bins}};
}

}  // namespace

TEST_CASE("reliability: each arm has a curve of gaps above a histogram of tokens") {
  TemporaryFolder scratch;
  FakeRun fake;
  fake.experiment = "gpt2_vs_aether";
  fake.arms = {"gpt2", "aether"};
  fake.config =
      "name: gpt2_vs_aether\ntitle: t\nlabels: {gpt2: GPT-2, aether: Aether}\nfigures:\n  fig:f: {plot: reliability, caption: Sure and "
      "right.}\n";
  fake.jobs.push_back({"gpt2", 0, Json::object(), Json::object(), "completed", {}, {{"calibration", calibration(0.04)}}});
  fake.jobs.push_back({"aether", 3, Json::object(), Json::object(), "completed", {}, {{"calibration", calibration(0.01)}}});
  int drawn = 0;
  const auto draw = [&] {
    const fs::path folder = scratch.path() / std::to_string(drawn++);
    fake.write(folder);
    const RunView run = RunView::load(folder);
    const auto config = ReportConfig::read(run.config, true);
    return draw_figures(run, config, config.figures.at(0)).at(0);
  };
  const Figure figure = draw();
  REQUIRE(figure.panels.size() == 2);
  CHECK(figure.width == kSingleColumn);
  const auto& curves = figure.panels[0].lines;
  REQUIRE(curves.size() == 3);
  CHECK(curves[0].y == std::vector<double>{0, 0});  // a calibrated model
  CHECK(curves[0].label.empty());
  CHECK(curves[1].label == "GPT-2");
  CHECK(curves[2].label == "Aether");
  REQUIRE(curves[1].x.size() == 9);  // five tokens are too few
  CHECK(curves[1].error_bars);
  CHECK(curves[1].x[3] == Approx(0.35));
  CHECK(curves[1].y[3] == Approx(0.31 - 0.35));
  CHECK(curves[1].low[3] == Approx(0.29 - 0.35));
  CHECK(curves[1].high[3] == Approx(0.33 - 0.35));
  const auto& shares = figure.panels[1].lines;
  REQUIRE(shares.size() == 2);
  CHECK(shares[0].color == curves[1].color);
  double whole = 0;
  for (std::size_t i = 0; i < shares[0].y.size(); i += 2) {
    CHECK(shares[0].y[i] == shares[0].y[i + 1]);  // steps
    whole += shares[0].y[i];
  }
  CHECK(whole == Approx(1));
  CHECK(figure.caption + " " + figure.note() ==
        "Sure and right. One seed each (0, 3). Bars: 95 % intervals over resampled samples. Expected calibration error: "
        "GPT-2 0.040 [0.039, 0.041]; Aether 0.010 [0.009, 0.011].");
  fake.jobs[1].artifacts.clear();
  try {
    draw();
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(std::string(e.what()).find("calibration") != std::string::npos);
  }
}

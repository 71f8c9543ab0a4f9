#include <ATen/ATen.h>

#include <cmath>
#include <cstdlib>
#include <functional>

#include "catch.h"
#include "core/base/error.h"
#include "core/figure/gnuplot.h"
#include "core/measure/study.h"
#include "core/model/ntk.h"
#include "core/table/plot.h"
#include "helpers.h"
#include "report/fake_run.h"

using namespace yatlab;

namespace {

Node named(const char* name, const std::vector<std::pair<std::string, Node>>& params) {
  Node n = Node::map();
  n.set("name", name);
  for (const auto& [key, value] : params) n.set(key, value);
  return n;
}

StudyContext arm(const Node& op, const Node& architecture) {
  StudyContext c;
  c.op = std::make_shared<OperatorChoice>(op);
  c.seed = 4;
  c.model = [=](std::vector<std::int64_t> shape, std::int64_t outputs, std::uint64_t seed) {
    auto model = Registry<Architecture>::create(architecture);
    BuildContext b;
    b.op = OperatorChoice(op).make();
    b.input_shape = std::move(shape);
    b.num_classes = outputs;
    b.seed = seed;
    model->build(b);
    return model;
  };
  return c;
}

Findings study(const StudyContext& c, const std::vector<std::pair<std::string, Node>>& params) {
  return Registry<Study>::create(named("ntk_spectrum", params))->run(c);
}

}  // namespace

TEST_CASE("study ntk_spectrum: a linear model's kernel is x.y", "[studies][ntk]") {
  const auto c = arm(named("dot", {}), named("mlp", {{"hidden", Node::list()}, {"bias", false}}));
  // d eigenvalues of 1/d each on the sphere, and no others: fewer than 3 ranks cannot be fitted.
  const auto found = study(c, {{"dim", 5}, {"points", 200}, {"first", 1}, {"last", 5}});
  CHECK(found.metrics.at("ntk/parameters") == 5);
  CHECK(found.metrics.at("ntk/trace") == Approx(1));
  CHECK(found.metrics.at("ntk/effective_rank") == Approx(5).epsilon(0.01));
  const auto& artifact = found.artifacts.at("ntk_spectrum");
  REQUIRE(artifact.at("eigenvalues").size() == 200);
  CHECK(artifact.at("eigenvalues")[4].get<double>() == Approx(0.2).epsilon(0.1));
  CHECK(artifact.at("eigenvalues")[5].get<double>() < 1e-12);
  CHECK(artifact.at("domain") == "sphere");
  CHECK(testing::error_of([&] {
          study(c, {{"dim", 5}, {"points", 200}, {"first", 8}});
        }).find("at least 3 eigenvalues") != std::string::npos);
}

TEST_CASE("study ntk_spectrum: the yat-product's spectrum decays faster than ReLU's", "[studies][ntk]") {
  const auto yat =
      study(arm(named("yat", {{"epsilon", 1.0}}), named("one_hidden_layer", {{"width", 512}})), {{"points", 200}, {"last", 50}});
  const auto relu =
      study(arm(named("dot", {}), named("one_hidden_layer", {{"width", 512}, {"activation", "relu"}})), {{"points", 200}, {"last", 50}});
  CHECK(relu.metrics.at("ntk/decay_exponent") == Approx(1.8).margin(0.7));
  CHECK(yat.metrics.at("ntk/decay_exponent") > relu.metrics.at("ntk/decay_exponent") + 1);
  CHECK(yat.metrics.at("ntk/decay_low") < yat.metrics.at("ntk/decay_exponent"));
  double sum = 0;
  for (const auto& v : relu.artifacts.at("ntk_spectrum").at("eigenvalues")) sum += v.get<double>();
  CHECK(sum == Approx(1));
}

TEST_CASE("figure ntk_spectrum: spectra, fits and the paper's rates are drawn", "[figures][ntk]") {
  using namespace yatlab::testing;
  FakeRun fake;
  fake.experiment = "geometry";
  fake.arms = {"yat_64", "yat_512", "relu_64", "relu_512"};
  fake.config =
      "name: geometry\narms: {yat_64: [], yat_512: [], relu_64: [], relu_512: []}\n"
      "labels: {yat_64: 'ⵟ, m = 64', yat_512: 'ⵟ, m = 512', relu_64: 'ReLU, m = 64', relu_512: 'ReLU, m = 512'}\n"
      "figures: {fig:ntk: {plot: ntk_spectrum}}\n";
  for (const auto& name : fake.arms) {
    const bool yat = name[0] == 'y';
    Node spec =
        named("one_hidden_layer", {{"width", name.find("512") == std::string::npos ? 64 : 512}, {"activation", yat ? "none" : "relu"}});
    for (int seed = 0; seed < 2; ++seed) {
      auto c = arm(yat ? named("yat", {{"epsilon", 1.0}}) : named("dot", {}), spec);
      c.seed = static_cast<std::uint64_t>(seed);
      const auto found = study(c, {{"points", 200}, {"last", 50}});
      FakeRun::Job job{name, seed, Json::object(), Json::object(), "completed", {}, {}};
      job.artifacts["ntk_spectrum"] = found.artifacts.at("ntk_spectrum");
      fake.jobs.push_back(job);
    }
  }
  TemporaryFolder scratch;
  fake.write(scratch.path());
  const auto run = RunView::load(scratch.path());
  const auto config = ReportConfig::read(run.config);
  PlotRequest request{"fig:ntk", "caption", &config};
  const auto figures = Registry<Plot>::create("ntk_spectrum")->draw(run, request);
  REQUIRE(figures.size() == 1);
  CHECK(figures[0].note() == "Means over n = 2 seeds (0, 1), geometric; bands: lowest to highest.");
  const auto& lines = figures[0].panels.at(0).lines;
  REQUIRE(lines.size() == 4 + 4 + 2);  // spectra, fits, claims
  CHECK(lines[0].label.find("ⵟ, m = 64: −") == 0);
  CHECK(lines[8].label == "claimed: −2/3");
  CHECK(lines[9].label == "claimed: −1/3");
  CHECK(lines[9].y[1] / lines[9].y[0] == Approx(std::pow(200, -1.0 / 3)));
  for (std::size_t i = 0; i < lines[2].y.size(); ++i) CHECK((lines[2].low[i] <= lines[2].y[i] && lines[2].y[i] <= lines[2].high[i]));
  // A fit lies on its arm's spectrum over the fitted range.
  const auto& fit = lines[4 + 3];
  const double slope = std::log(fit.y[1] / fit.y[0]) / std::log(fit.x[1] / fit.x[0]);
  const double at20 = fit.y[0] * std::pow(20 / fit.x[0], slope);
  CHECK(lines[3].y[19] == Approx(at20).epsilon(0.6));
  if (const char* keep = std::getenv("YATLAB_TEST_FIGURES")) render_figure(figures[0], keep, {"png"});

  fake.jobs[0].artifacts["ntk_spectrum"]["dim"] = 4;
  TemporaryFolder other;
  fake.write(other.path());
  const auto draw = [&](const fs::path& directory) { Registry<Plot>::create("ntk_spectrum")->draw(RunView::load(directory), request); };
  CHECK(testing::error_of([&] { draw(other.path()); }).find("different domains") != std::string::npos);
  for (auto& job : fake.jobs) job.artifacts.clear();
  TemporaryFolder empty;
  fake.write(empty.path());
  CHECK(testing::error_of([&] { draw(empty.path()); }).find("no job has an artifact 'ntk_spectrum'") != std::string::npos);
}

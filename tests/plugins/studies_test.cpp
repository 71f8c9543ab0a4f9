#include <ATen/ATen.h>

#include <cmath>

#include "catch.h"
#include "core/base/error.h"
#include "core/config/yaml.h"
#include "core/measure/analysis.h"
#include "core/measure/study.h"
#include "helpers.h"
#include "plugins/kernels/studies/plane.h"

using namespace yatlab;
using Json = nlohmann::ordered_json;

namespace {

using testing::spec;

Node numbers(const std::vector<double>& v) {
  Node out = Node::list();
  for (double x : v) out.push_back(x);
  return out;
}

Findings study(const Node& node, const Node& op) {
  StudyContext context;
  context.op = std::make_shared<OperatorChoice>(op);
  return Registry<Study>::create(node)->run(context);
}

Node yat(double epsilon) { return spec("yat", {{"epsilon", epsilon}}); }

std::vector<double> list(const Json& j) { return j.get<std::vector<double>>(); }

}  // namespace

TEST_CASE("planes: points are ordered in rows from the top", "[studies]") {
  Plane plane;
  plane.center = {1, 10};
  plane.half_width = 2;
  plane.resolution = 4;
  const Tensor p = plane.points();
  CHECK(p.equal(at::tensor(std::vector<double>{-0.5, 11.5, 0.5, 11.5, 1.5, 11.5, 2.5, 11.5,  //
                                               -0.5, 10.5, 0.5, 10.5, 1.5, 10.5, 2.5, 10.5,  //
                                               -0.5, 9.5,  0.5, 9.5,  1.5, 9.5,  2.5, 9.5,   //
                                               -0.5, 8.5,  0.5, 8.5,  1.5, 8.5,  2.5, 8.5})
                    .view({16, 2})));
  const Heat grid = plane.grid(p.select(1, 0));
  CHECK(grid.x0 == -1);
  CHECK(grid.y0 == 8);
  CHECK(grid.cell == 1);
}

TEST_CASE("response_field: values and gradients agree with the formula", "[studies]") {
  const double epsilon = 0.3, w0 = 1.2, w1 = -0.4;
  const auto found = study(spec("response_field", {{"weight", numbers({w0, w1})}, {"resolution", 20}, {"arrows", 5}}), yat(epsilon));
  const Json& json = found.artifacts.at("response_field");
  const double w2 = w0 * w0 + w1 * w1;
  CHECK(found.metrics.at("response_field/at_weight") == Approx(w2 * w2 / epsilon).epsilon(1e-12));
  CHECK(json.at("epsilon") == epsilon);
  const auto values = list(json.at("grid").at("values"));
  REQUIRE(values.size() == 400);
  for (std::size_t i = 0; i < values.size(); i += 7) {
    const double x = -3 + 0.3 * (static_cast<double>(i % 20) + 0.5), y = 3 - 0.3 * (static_cast<double>(i / 20) + 0.5);
    const double dot = x * w0 + y * w1, d2 = (x - w0) * (x - w0) + (y - w1) * (y - w1) + epsilon;
    CHECK(values[i] == Approx(dot * dot / d2).epsilon(1e-6));
  }
  // thm:gradient, with x and w exchanged: 2 a / D (w - a (x - w) / D).
  const auto from = list(json.at("arrows").at("from").at("data")), g = list(json.at("arrows").at("gradient").at("data"));
  REQUIRE(g.size() == 50);
  for (std::size_t i = 0; i < g.size(); i += 2) {
    const double x = from[i], y = from[i + 1], a = x * w0 + y * w1;
    const double d = (x - w0) * (x - w0) + (y - w1) * (y - w1) + epsilon;
    CHECK(g[i] == Approx(2 * a / d * (w0 - a * (x - w0) / d)).epsilon(1e-9).margin(1e-12));
    CHECK(g[i + 1] == Approx(2 * a / d * (w1 - a * (y - w1) / d)).epsilon(1e-9).margin(1e-12));
  }
  // Every gradient of a linear unit is its weight.
  const auto linear = study(spec("response_field", {{"arrows", 3}, {"resolution", 4}}), spec("dot"));
  for (const auto& v : linear.artifacts.at("response_field").at("arrows").at("gradient").at("data")) {
    CHECK((v == 1.0 || v == 0.5));
  }
}

TEST_CASE("ray_response: limits of the yat-product are right and others have none", "[studies]") {
  const auto found = study(spec("ray_response", {{"norm", 1.5}, {"points", 181}}), yat(0.1));
  CHECK(found.metrics.at("rays/limit_error") < 1e-5);
  CHECK(found.metrics.at("rays/orthogonal") < 1e-30);
  const Json& json = found.artifacts.at("ray_response");
  CHECK(json.at("radius").at("has_limit") == true);
  for (const auto& curve : json.at("radius").at("curves")) {
    const double cosine = std::cos(curve.at("angle").get<double>() * M_PI / 180);
    CHECK(curve.at("limit").get<double>() == Approx(2.25 * cosine * cosine));
    const auto radii = list(json.at("radius").at("radii")), y = list(curve.at("response"));
    for (std::size_t i = 0; i < y.size(); i += 20) {
      const double k = radii[i], n4 = std::pow(1.5, 4);
      const double want = n4 * k * k * cosine * cosine / (2.25 * (1 + k * k - 2 * k * cosine) + 0.1);
      CHECK(y[i] == Approx(want).epsilon(1e-9).margin(1e-12));
    }
  }
  for (const char* other : {"dot", "euclidean", "cosine"}) {
    CHECK(study(spec("ray_response"), spec(other)).artifacts.at("ray_response").at("radius").at("has_limit") == false);
  }
}

TEST_CASE("epsilon_shape: across w the yat-product halves at sqrt(epsilon)", "[studies]") {
  const auto found = study(spec("epsilon_shape", {{"norm", 1.0}, {"across", 1.0}, {"points", 201}}), yat(7));
  const Json& json = found.artifacts.at("epsilon_shape");
  REQUIRE(json.at("curves").size() == 4);
  const auto s = list(json.at("s"));
  for (const auto& curve : json.at("curves")) {
    const double epsilon = curve.at("epsilon").get<double>();
    CHECK(curve.at("at_weight").get<double>() == Approx(1 / epsilon));
    const auto y = list(curve.at("across"));
    for (std::size_t i = 0; i < s.size(); ++i) CHECK(y[i] == Approx(1 / (s[i] * s[i] + epsilon)).epsilon(1e-9));
    const auto half = static_cast<std::size_t>(std::lround((1 + std::sqrt(epsilon)) * 100));
    CHECK(y[half] * epsilon == Approx(0.5).margin(0.03));
  }
  CHECK(study(spec("epsilon_shape"), spec("dot")).artifacts.at("epsilon_shape").at("curves").size() == 1);
}

TEST_CASE("perturbation: the worst change is between random directions and the bound", "[studies]") {
  const Node node =
      spec("perturbation", {{"samples", 2000}, {"starts", 16}, {"steps", 60}, {"dimension", 4}, {"deltas", numbers({0.001, 0.1})}});
  const auto found = study(node, yat(1));
  for (const auto& curve : found.artifacts.at("perturbation").at("curves")) {
    for (std::size_t i = 0; i < 2; ++i) {
      const double delta = i == 0 ? 0.001 : 0.1;
      CHECK(curve.at("mean")[i] < curve.at("largest")[i]);
      CHECK(curve.at("largest")[i] <= curve.at("worst")[i]);
      CHECK(curve.at("worst")[i] <= curve.at("slope").get<double>() * delta);
    }
  }
  // With epsilon = 1 and |w| = 1 the steepest point of the ball is on the ray through w: t^2 / ((1 - t)^2 + 1) has slope
  // 2 t (2 - t) / ((1 - t)^2 + 1)^2, which grows up to the surface, where it is 2.
  const auto& one = found.artifacts.at("perturbation").at("curves")[1];
  CHECK(one.at("epsilon") == 1.0);
  CHECK(one.at("worst")[0].get<double>() == Approx(2 * 0.001).epsilon(2e-3));
  CHECK(found.metrics.at("perturbation/epsilon=1/share_of_bound") == Approx(2.0 / 6).epsilon(2e-3));
  // A linear unit moves by exactly delta.
  const auto linear = study(node, spec("dot"));
  CHECK(linear.artifacts.at("perturbation").at("curves")[0].at("worst")[1].get<double>() == Approx(0.1).epsilon(1e-6));
  CHECK(linear.metrics.empty());
}

TEST_CASE("squashing: element-wise and competitive normalizers give right curves", "[studies]") {
  const auto run = [](const Node& normalizer) {
    StudyContext context;
    context.normalizer = Registry<Normalizer>::create(normalizer);
    return Registry<Study>::create(spec("squashing", {{"points", 41}}))->run(context).artifacts.at("squashing");
  };
  const auto sigmoid = run(spec("soft_sigmoid", {{"power", 2.0}})), softermax = run(spec("softermax", {{"power", 2.0}}));
  const auto tanh = run(spec("soft_tanh", {{"power", 2.0}})), softmax = run(spec("softmax", {{"power", 2.0}}));
  CHECK(sigmoid.at("competitive") == false);
  CHECK(softmax.at("competitive") == true);
  for (std::size_t i = 0; i < 41; ++i) {
    const double x = 0.1 * static_cast<double>(i), s = x * x / (1 + x * x);
    CHECK(sigmoid.at("x")[i].get<double>() == Approx(x).margin(1e-12));
    CHECK(sigmoid.at("y")[i].get<double>() == Approx(s).margin(1e-12));
    CHECK(softermax.at("y")[i].get<double>() == Approx(s).margin(1e-9));
    CHECK(tanh.at("y")[i].get<double>() == Approx(2 * s - 1).margin(1e-12));
    CHECK(softmax.at("y")[i].get<double>() == Approx(1 / (1 + std::exp(2 - 2 * x))).margin(1e-12));
  }
  CHECK_THROWS_AS(study(spec("squashing"), yat(1)), Error);
}

TEST_CASE("decision_regions: the boundary is the zero set of the quartic", "[studies]") {
  const double w[2][2] = {{1.6, 0.4}, {0.4, 1.2}}, epsilon = 0.2;
  const auto found = study(spec("decision_regions", {{"resolution", 121}}), yat(epsilon));
  CHECK(found.metrics.at("decision_regions/quartic_agreement") == 1);
  CHECK(found.metrics.at("decision_regions/share_0") + found.metrics.at("decision_regions/share_1") == Approx(1));
  const Json& json = found.artifacts.at("decision_regions");
  CHECK(json.at("classes") == 2);
  REQUIRE(json.at("boundaries").size() >= 1);
  std::size_t corners = 0;
  for (const auto& curve : json.at("boundaries")) {
    const auto xs = list(curve.at("x")), ys = list(curve.at("y"));
    for (std::size_t i = 0; i < xs.size(); ++i, ++corners) {
      const auto side = [&](double x, double y) {
        double dot[2], near[2];
        for (int k = 0; k < 2; ++k) {
          dot[k] = std::pow(w[k][0] * x + w[k][1] * y, 2);
          near[k] = std::pow(w[k][0] - x, 2) + std::pow(w[k][1] - y, 2) + epsilon;
        }
        return dot[0] * near[1] - dot[1] * near[0] > 0;
      };
      // The quartic changes sign within one cell of every corner of the curve.
      bool both[2] = {false, false};
      for (int a = -4; a <= 4; ++a) {
        for (int b = -4; b <= 4; ++b) both[side(xs[i] + 0.0125 * a, ys[i] + 0.0125 * b)] = true;
      }
      CHECK((both[0] && both[1]));
    }
  }
  CHECK(corners > 100);
  // Another operator does not follow that curve; a Voronoi boundary is the straight bisector.
  const auto cosine = study(spec("decision_regions", {{"resolution", 121}}), spec("cosine", {{"epsilon", 1e-8}}));
  CHECK(cosine.metrics.at("decision_regions/quartic_agreement") < 0.999);
  const auto voronoi = study(spec("decision_regions", {{"resolution", 121}}), spec("euclidean", {{"epsilon", 0.1}}));
  CHECK(voronoi.metrics.count("decision_regions/quartic_agreement") == 0);  // this form does not use epsilon
  const auto& line = voronoi.artifacts.at("decision_regions").at("boundaries");
  REQUIRE(line.size() == 1);
  const auto xs = list(line[0].at("x")), ys = list(line[0].at("y"));
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const double d0 = std::hypot(xs[i] - 1.6, ys[i] - 0.4), d1 = std::hypot(xs[i] - 0.4, ys[i] - 1.2);
    CHECK(d0 == Approx(d1).margin(0.02));
  }
  CHECK_THROWS_AS(study(spec("decision_regions", {{"prototypes", Node(Node::List{numbers({1, 2, 3}), numbers({1, 2})})}}), yat(1)), Error);
}

TEST_CASE("decision boundaries of three classes are drawn once between the two leaders", "[studies]") {
  Plane plane;
  plane.resolution = 90;
  plane.half_width = 2;
  const Tensor x = plane.points();
  const Tensor w = at::tensor(std::vector<double>{1, 0, -0.5, 0.8660254, -0.5, -0.8660254}).view({3, 2});
  const auto json = decision_to_json(plane, x.mm(w.t()));
  REQUIRE(json.at("boundaries").size() == 3);  // three rays from the origin
  for (const auto& curve : json.at("boundaries")) {
    const auto a = curve.at("between")[0].get<std::int64_t>(), b = curve.at("between")[1].get<std::int64_t>();
    const auto xs = list(curve.at("x")), ys = list(curve.at("y"));
    for (std::size_t i = 0; i < xs.size(); ++i) {
      const Tensor s = w.mv(at::tensor({xs[i], ys[i]}, at::kDouble));
      CHECK(s[a].item<double>() == Approx(s[b].item<double>()).margin(0.05));
      CHECK(s.max().item<double>() == Approx(s[a].item<double>()).margin(0.1));
    }
  }
}

TEST_CASE("parameter_count: GPT-2's numbers by hand", "[studies]") {
  // Two layers of width 8: attention 4 d^2, MLP 8 d^2; two norms per block and a final one, d each, without biases.
  StudyContext context;
  context.model = [](std::vector<std::int64_t> shape, std::int64_t outputs, std::uint64_t seed) {
    auto model = Registry<Architecture>::create(
        parse_yaml("{name: transformer, layers: 2, heads: 2, width: 8, context: 16, norm: {place: pre}}", "test"));
    BuildContext build;
    build.op = Registry<Operator>::create("dot");
    build.input_shape = std::move(shape);
    build.num_classes = outputs;
    build.seed = seed;
    model->build(build);
    return model;
  };
  const auto found = Registry<Study>::create(spec("parameter_count", {{"vocabulary", 100}, {"context", 16}}))->run(context);
  CHECK(found.metrics.at("parameters/embeddings") == 100 * 8);
  CHECK(found.metrics.at("parameters/positions") == 16 * 8);
  CHECK(found.metrics.at("parameters/others") == 2 * (12 * 8 * 8 + 2 * 8) + 8);
  CHECK(found.metrics.at("parameters/total") == 800 + 128 + 2 * (12 * 64 + 16) + 8);
}

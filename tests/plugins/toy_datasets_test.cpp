#include <ATen/ATen.h>

#include <cmath>

#include "catch.h"
#include "core/base/error.h"
#include "core/data/dataset.h"
#include "helpers.h"

using namespace yatlab;

namespace {

using testing::spec;

std::map<std::string, Split> load(const Node& node, std::uint64_t seed = 0) {
  DataContext context;
  context.seed = seed;
  return Registry<Dataset>::create(node)->load(context);
}

/// [n] radii of the points.
Tensor radii(const Split& s) { return s.inputs.norm(2, -1); }
Tensor of_class(const Split& s, std::int64_t c) { return s.inputs.index_select(0, s.targets.eq(c).nonzero().view(-1)); }

}  // namespace

TEST_CASE("toy sets: sizes, classes, seeds and checksums are right", "[toy]") {
  for (const char* name : {"blobs", "moons", "circles", "spirals", "xor_clouds"}) {
    INFO(name);
    const Node node = spec(name, {{"train_size", 120}, {"test_size", 60}});
    auto dataset = Registry<Dataset>::create(node);
    DataContext context;
    context.seed = 3;
    const auto splits = dataset->load(context);
    const auto& train = splits.at("train");
    CHECK(train.inputs.sizes() == at::IntArrayRef({120, 2}));
    CHECK(train.inputs.scalar_type() == at::kFloat);
    CHECK(splits.at("test").size() == 60);
    CHECK(dataset->input_shape() == std::vector<std::int64_t>{2});
    const auto classes = dataset->num_classes();
    for (std::int64_t c = 0; c < classes; ++c) CHECK(of_class(train, c).size(0) == 120 / classes);
    CHECK(dataset->provenance().tier == "embedded");
    CHECK(dataset->provenance().sha256.size() == 64);
    CHECK(train.inputs.equal(load(node, 3).at("train").inputs));
    CHECK_FALSE(train.inputs.equal(load(node, 4).at("train").inputs));
    CHECK_FALSE(train.inputs.narrow(0, 0, 60).equal(splits.at("test").inputs));
    // Without noise a shift moves every point by the same amount.
    const Node still = spec(name, {{"noise", 0.0}});
    const Node moved = spec(name, {{"noise", 0.0}, {"shift", Node(Node::List{Node(1.0), Node(-2.0)})}});
    const Tensor difference = load(moved).at("test").inputs - load(still).at("test").inputs;
    CHECK((difference - at::tensor({1.0f, -2.0f})).abs().max().item<double>() < 1e-6);
  }
}

TEST_CASE("toy sets without noise lie on their curves", "[toy]") {
  const auto circles = load(spec("circles", {{"noise", 0.0}, {"classes", 3}, {"inner", 1.0}, {"outer", 2.0}})).at("test");
  CHECK((radii(circles) - (1 + circles.targets * 0.5)).abs().max().item<double>() < 1e-6);

  const auto blobs = load(spec("blobs", {{"noise", 0.0}, {"classes", 4}, {"radius", 2.0}, {"uneven", 0.5}})).at("test");
  CHECK((radii(blobs) - (3 - 2 * blobs.targets.remainder(2))).abs().max().item<double>() < 1e-6);

  const auto clouds = load(spec("xor_clouds", {{"noise", 0.0}, {"apart", 1.5}})).at("test");
  CHECK(clouds.inputs.abs().sub(1.5).abs().max().item<double>() == 0);
  CHECK((clouds.inputs.prod(-1) < 0).eq(clouds.targets.eq(1)).all().item<bool>());
  CHECK(std::get<0>(at::unique_dim(clouds.inputs, 0)).size(0) == 4);

  // Both half circles have radius 1.4 about (-0.7, -0.35) and (0.7, 0.35).
  const auto moons = load(spec("moons", {{"noise", 0.0}})).at("test");
  for (int c = 0; c < 2; ++c) {
    const float sign = c == 0 ? -1 : 1;
    const Tensor from = of_class(moons, c) - at::tensor({0.7f * sign, 0.35f * sign});
    CHECK(from.norm(2, -1).sub(1.4).abs().max().item<double>() < 1e-5);
    CHECK((from.select(1, 1) * sign).max().item<double>() < 1e-5);  // the upper half of the first, the lower of the other
  }

  // On a spiral the radius determines the angle: half a turn between the two arms.
  const auto spirals = load(spec("spirals", {{"noise", 0.0}, {"turns", 0.75}, {"inner", 0.5}, {"outer", 2.0}})).at("test");
  const Tensor t = (radii(spirals) - 0.5) / 1.5;
  const Tensor angle = at::atan2(spirals.inputs.select(1, 1), spirals.inputs.select(1, 0));
  const Tensor want = M_PI * spirals.targets + 1.5 * M_PI * t;
  CHECK((1 - (angle - want).cos()).abs().max().item<double>() < 1e-5);
}

TEST_CASE("toy sets: the noise has the set width and invalid settings are rejected", "[toy]") {
  const Node noisy = spec("circles", {{"noise", 0.2}, {"test_size", 20000}, {"inner", 5.0}, {"outer", 6.0}});
  const auto split = load(noisy).at("test");
  // Across a circle of radius 5 or 6 the radius changes by the noise, up to a curvature of 0.2^2 / 10.
  const Tensor off = radii(split) - (5 + split.targets);
  CHECK(off.std().item<double>() == Approx(0.2).epsilon(0.02));
  CHECK_THROWS_AS(load(spec("moons", {{"noise", -1.0}})), Error);
  CHECK_THROWS_AS(load(spec("moons", {{"shift", Node(Node::List{Node(1.0)})}})), Error);
  CHECK_THROWS_AS(load(spec("blobs", {{"classes", 1}})), Error);
}

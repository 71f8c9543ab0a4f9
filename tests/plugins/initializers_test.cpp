#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <cmath>

#include "catch.h"
#include "core/base/error.h"
#include "core/model/architecture.h"
#include "core/model/initialize.h"
#include "core/model/initializer.h"

using at::Tensor;
using yatlab::ComponentRef;
using yatlab::Initializer;
using yatlab::Node;
using yatlab::Registry;

namespace {

ComponentRef ref(const char* name, const std::vector<std::pair<std::string, Node>>& p = {}) {
  ComponentRef r(name);
  for (const auto& [key, value] : p) r.node.set(key, value);
  return r;
}

Tensor filled(const ComponentRef& r, at::IntArrayRef shape = {200, 300}, std::uint64_t seed = 7) {
  Tensor w = at::empty(shape);
  yatlab::initialize(w, r, seed, "test");
  return w;
}

double average(const Tensor& t) { return t.mean().item<double>(); }
double deviation(const Tensor& t) { return t.std().item<double>(); }
double lowest(const Tensor& t) { return t.min().item<double>(); }
double highest(const Tensor& t) { return t.max().item<double>(); }

}  // namespace

TEST_CASE("initializers: values follow the documented distributions", "[initializers]") {
  const Tensor normal = filled(ref("normal", {{"mean", 1.0}, {"std", 0.3}}));
  CHECK(average(normal) == Approx(1).margin(0.01));
  CHECK(deviation(normal) == Approx(0.3).epsilon(0.02));

  const Tensor uniform = filled(ref("uniform", {{"low", -1.0}, {"high", 3.0}}));
  CHECK(average(uniform) == Approx(1).margin(0.02));
  CHECK(deviation(uniform) == Approx(4 / std::sqrt(12.0)).epsilon(0.02));
  CHECK(lowest(uniform) >= -1);
  CHECK(highest(uniform) < 3);

  // 200 units of 300 inputs
  CHECK(deviation(filled(ref("xavier_normal"))) == Approx(std::sqrt(2.0 / 500)).epsilon(0.02));
  const Tensor xavier = filled(ref("xavier_uniform", {{"gain", 2.0}}));
  const double bound = 2 * std::sqrt(6.0 / 500);
  CHECK(highest(xavier) <= bound);
  CHECK(highest(xavier) > 0.99 * bound);
  CHECK(lowest(xavier) < -0.99 * bound);
  CHECK(deviation(filled(ref("kaiming_normal"))) == Approx(std::sqrt(2.0 / 300)).epsilon(0.02));
  CHECK(deviation(filled(ref("kaiming_normal", {{"gain", 1.0}}))) == Approx(std::sqrt(1.0 / 300)).epsilon(0.02));
  CHECK((filled(ref("zeros")) == 0).all().item<bool>());
  CHECK((filled(ref("constant", {{"value", -2.5}})) == -2.5).all().item<bool>());
}

TEST_CASE("initializers: positive takes absolute values of the same draws", "[initializers]") {
  for (const char* name : {"normal", "uniform", "xavier_normal", "xavier_uniform", "kaiming_normal", "constant"}) {
    auto signed_ref = ref(name), positive = ref(name, {{"positive", true}});
    if (std::string(name) == "uniform") {
      signed_ref.node.set("low", -0.5);
      positive.node.set("low", -0.5);
    }
    CHECK(at::equal(filled(positive), filled(signed_ref).abs()));
  }
}

TEST_CASE("initializers: values depend on the generator's seed alone", "[initializers]") {
  for (const char* name : {"normal", "uniform", "xavier_normal", "xavier_uniform", "kaiming_normal"}) {
    at::manual_seed(1);
    const Tensor a = filled(ref(name), {9, 5}, 3);
    at::manual_seed(2);
    static_cast<void>(at::randn({10}));
    CHECK(at::equal(a, filled(ref(name), {9, 5}, 3)));
    CHECK_FALSE(at::equal(a, filled(ref(name), {9, 5}, 4)));
  }
  Tensor one = at::empty({4, 4}), other = at::empty({4, 4});
  yatlab::initialize(one, ref("normal"), 1, "a", 0);
  yatlab::initialize(other, ref("normal"), 1, "a", 1);
  CHECK_FALSE(at::equal(one, other));
  yatlab::initialize(other, ref("normal"), 1, "b", 0);
  CHECK_FALSE(at::equal(one, other));
}

TEST_CASE("initializers: vectors and parameters that require gradients work", "[initializers]") {
  Tensor bias = at::ones({6}).set_requires_grad(true);
  yatlab::initialize(bias, ref("constant", {{"value", 3.0}}), 1, "bias");
  CHECK((bias == 3).all().item<bool>());
  CHECK(bias.requires_grad());
  CHECK(bias.is_leaf());
}

TEST_CASE("initializers: training samples are used once each before any repeats", "[initializers]") {
  yatlab::BuildContext context;
  context.samples = at::arange(12, at::kFloat).view({4, 3, 1});
  const auto drawn = [&](std::int64_t units, std::uint64_t seed) {
    Tensor w = at::zeros({units, 3});
    context.seed = seed;
    yatlab::initialize(w, ref("training_samples"), context, "weights");
    return w;
  };
  const Tensor four = drawn(4, 1);
  CHECK(at::equal(std::get<0>(four.select(1, 0).sort()), at::tensor({0.0f, 3.0f, 6.0f, 9.0f})));
  CHECK(at::equal(four.select(1, 2) - four.select(1, 0), at::full({4}, 2.0f)));  // whole samples
  CHECK(at::equal(four, drawn(4, 1)));
  bool another = false;
  for (std::uint64_t seed = 2; seed < 10; ++seed) another = another || !at::equal(four, drawn(4, seed));
  CHECK(another);
  const Tensor six = drawn(6, 1);
  CHECK(at::equal(six.narrow(0, 4, 2), six.narrow(0, 0, 2)));
  CHECK(at::equal(six.narrow(0, 0, 4), four));
  // Other initializers ignore them.
  Tensor a = at::empty({4, 3}), b = at::empty({4, 3});
  yatlab::initialize(a, ref("normal"), context, "weights");
  yatlab::initialize(b, ref("normal"), context.seed, "weights");
  CHECK(at::equal(a, b));
  try {
    filled(ref("training_samples"));
    FAIL("no error");
  } catch (const yatlab::Error& e) {
    CHECK(std::string(e.what()).find("architecture=one_hidden_layer") != std::string::npos);
  }
}

TEST_CASE("initializers: an empty interval is rejected", "[initializers]") {
  try {
    filled(ref("uniform", {{"low", 1.0}, {"high", 0.0}}));
    FAIL("no error");
  } catch (const yatlab::Error& e) {
    CHECK(e.message() == "initializer uniform needs low <= high");
    CHECK(e.why() == "low is 1.0, high is 0.0");
    CHECK(e.exit_code() == 2);
  }
}

// Optimizers against textbook updates in double precision, implemented here without tensors.

#include <ATen/ATen.h>

#include <cmath>
#include <random>
#include <vector>

#include "catch.h"
#include "core/base/error.h"
#include "core/data/safetensors.h"
#include "core/ops/kernel_choice.h"
#include "core/train/optimizer.h"
#include "helpers.h"

namespace yatlab {
namespace {

using testing::spec;

using Vector = std::vector<double>;

/// Gradients for `steps` updates of n weights: floats, so that both sides use the same numbers.
std::vector<Vector> noise(int steps, std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Vector> out(static_cast<std::size_t>(steps), Vector(n));
  for (auto& row : out) {
    for (std::size_t i = 0; i < n; ++i) {
      const double uniform = static_cast<double>(random()) / 4294967296.0 - 0.4;
      row[i] = static_cast<float>(uniform * std::pow(10.0, static_cast<double>(i % 5) - 2.0));
    }
  }
  return out;
}

Vector start(std::size_t n) {
  Vector w(n);
  for (std::size_t i = 0; i < n; ++i) w[i] = static_cast<float>(std::sin(1.0 + static_cast<double>(i)));
  return w;
}

/// A changing rate, as from a schedule.
double rate(double base, int step) { return base * (1.0 + 0.5 * std::cos(0.1 * step)); }

struct AdamOptions {
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0;
  bool decoupled = false;
};

/// Kingma & Ba, algorithm 1; Loshchilov & Hutter, algorithm 2.
Vector textbook_adam(Vector w, const std::vector<Vector>& gradients, const AdamOptions& o) {
  Vector m(w.size()), v(w.size());
  for (std::size_t step = 0; step < gradients.size(); ++step) {
    const double t = static_cast<double>(step) + 1, lr = rate(o.lr, static_cast<int>(step));
    for (std::size_t i = 0; i < w.size(); ++i) {
      double g = gradients[step][i];
      if (!o.decoupled) g += o.weight_decay * w[i];
      m[i] = o.beta1 * m[i] + (1 - o.beta1) * g;
      v[i] = o.beta2 * v[i] + (1 - o.beta2) * g * g;
      const double mean = m[i] / (1 - std::pow(o.beta1, t)), variance = v[i] / (1 - std::pow(o.beta2, t));
      if (o.decoupled) w[i] -= lr * o.weight_decay * w[i];
      w[i] -= lr * mean / (std::sqrt(variance) + o.epsilon);
    }
  }
  return w;
}

Vector textbook_sgd(Vector w, const std::vector<Vector>& gradients, double lr, double momentum, double decay, bool nesterov) {
  Vector velocity(w.size());
  for (std::size_t step = 0; step < gradients.size(); ++step) {
    for (std::size_t i = 0; i < w.size(); ++i) {
      const double g = gradients[step][i] + decay * w[i];
      velocity[i] = momentum * velocity[i] + g;
      w[i] -= rate(lr, static_cast<int>(step)) * (nesterov ? g + momentum * velocity[i] : velocity[i]);
    }
  }
  return w;
}

enum class Layout { kDouble, kFloat, kStridedFloat };

Tensor parameter(const Vector& values, Layout layout) {
  Tensor t = at::tensor(values, at::kDouble);
  if (layout != Layout::kDouble) t = t.to(at::kFloat);
  if (layout == Layout::kStridedFloat) t = at::stack({t, t}, 1).select(1, 0);  // stride 2: no plain loop
  return t;
}

void set_gradient(const Tensor& w, const Vector& g) { w.mutable_grad() = at::tensor(g, at::kDouble).to(w.scalar_type()); }

Vector train(const Node& optimizer_spec, const std::vector<Vector>& gradients, double lr, Layout layout) {
  const auto optimizer = Registry<Optimizer>::create(optimizer_spec);
  const Tensor w = parameter(start(gradients[0].size()), layout);
  if (layout == Layout::kStridedFloat) REQUIRE_FALSE(w.is_contiguous());
  optimizer->attach({w});
  for (std::size_t step = 0; step < gradients.size(); ++step) {
    set_gradient(w, gradients[step]);
    optimizer->step(rate(lr, static_cast<int>(step)));
  }
  const Tensor out = w.to(at::kDouble).contiguous();
  return {out.data_ptr<double>(), out.data_ptr<double>() + out.numel()};
}

double worst(const Vector& a, const Vector& b) {
  double out = 0;
  for (std::size_t i = 0; i < a.size(); ++i) out = std::max(out, std::abs(a[i] - b[i]));
  return out;
}

}  // namespace

TEST_CASE("Adam and AdamW follow the textbook over many steps", "[optimizers]") {
  struct Case {
    const char* name;
    AdamOptions o;
  };
  const std::vector<Case> cases = {
      {"adam", {}},
      {"adam", {1e-2, 0.8, 0.99, 1e-6, 0.0, false}},
      {"adam", {1e-2, 0.9, 0.999, 1e-8, 0.05, false}},
      {"adam", {1e-2, 0.0, 0.9, 1e-3, 0.0, false}},
      {"adamw", {1e-3, 0.9, 0.999, 1e-8, 1e-2, true}},
      {"adamw", {1e-2, 0.9, 0.95, 1e-8, 0.3, true}},
      {"adamw", {1e-2, 0.9, 0.999, 1e-8, 0.0, true}},
  };
  for (const auto& [name, o] : cases) {
    INFO(name << " lr " << o.lr << " decay " << o.weight_decay << " beta2 " << o.beta2);
    const Node node =
        spec(name, {{"lr", o.lr}, {"beta1", o.beta1}, {"beta2", o.beta2}, {"epsilon", o.epsilon}, {"weight_decay", o.weight_decay}});
    for (const int steps : {1, 2, 7, 300}) {
      INFO("steps " << steps);
      const auto gradients = noise(steps, 37, 11);
      const auto expected = textbook_adam(start(37), gradients, o);
      CHECK(worst(train(node, gradients, o.lr, Layout::kDouble), expected) < 1e-12);
      // Each update of the fused loop is rounded to float once: a few of 6e-8 a step, with random signs.
      const double rounding = 1.5e-7 * (1 + std::sqrt(static_cast<double>(steps)));
      CHECK(worst(train(node, gradients, o.lr, Layout::kFloat), expected) < rounding);
      CHECK(worst(train(node, gradients, o.lr, Layout::kStridedFloat), expected) < rounding);
    }
  }
}

TEST_CASE("SGD with momentum, Nesterov and weight decay agrees with the textbook", "[optimizers]") {
  struct Case {
    double momentum, decay;
    bool nesterov;
  };
  for (const auto& [momentum, decay, nesterov] :
       {Case{0, 0, false}, {0.9, 0, false}, {0.9, 0, true}, {0.9, 0.02, false}, {0.5, 0.02, true}, {0, 0.1, false}}) {
    INFO("momentum " << momentum << " decay " << decay << " nesterov " << nesterov);
    const Node node = spec("sgd", {{"lr", 1e-3}, {"momentum", momentum}, {"weight_decay", decay}, {"nesterov", nesterov}});
    for (const int steps : {1, 2, 200}) {
      const auto gradients = noise(steps, 23, 5);
      const auto expected = textbook_sgd(start(23), gradients, 1e-3, momentum, decay, nesterov);
      CHECK(worst(train(node, gradients, 1e-3, Layout::kDouble), expected) < 1e-12);
      const double largest = worst(expected, Vector(expected.size()));
      REQUIRE(largest > 0.5);
      CHECK(worst(train(node, gradients, 1e-3, Layout::kFloat), expected) < 2e-6 * largest);
    }
  }
}

TEST_CASE("the first update of Adam is the learning rate whatever the gradient's size", "[optimizers]") {
  for (const double g : {1e-3, 1.0, 1e4}) {
    const auto optimizer = Registry<Optimizer>::create(spec("adam", {{"epsilon", 0.0}}));
    const Tensor w = at::zeros({3});
    optimizer->attach({w});
    set_gradient(w, {g, -g, g});
    optimizer->step(1e-3);
    CHECK(w[0].item<double>() == Approx(-1e-3).epsilon(1e-6));
    CHECK(w[1].item<double>() == Approx(1e-3).epsilon(1e-6));
  }
}

TEST_CASE("a parameter without a gradient is left alone", "[optimizers]") {
  for (const char* name : {"adam", "adamw", "sgd"}) {
    INFO(name);
    const auto optimizer = Registry<Optimizer>::create(spec(name, {{"weight_decay", 0.5}}));
    const Tensor with = at::ones({4}), without = at::ones({4});
    optimizer->attach({with, without});
    set_gradient(with, {1, 1, 1, 1});
    optimizer->step(0.1);
    CHECK(at::equal(without, at::ones({4})));
    CHECK_FALSE(at::equal(with, at::ones({4})));
    CHECK(at::equal(with.grad(), at::ones({4})));  // gradients are neither cleared nor changed by decay
  }
}

TEST_CASE("optimizer state is named tensors and a copy continues bitwise identically", "[optimizers]") {
  const auto gradients = noise(40, 12, 3);
  for (const auto& node : {spec("adam", {{"weight_decay", 0.01}}), spec("adamw"), spec("sgd", {{"momentum", 0.9}})}) {
    INFO(node.to_flow());
    const Tensor a = parameter(start(12), Layout::kFloat), b = parameter(start(12), Layout::kFloat).view({3, 4});
    const auto whole = Registry<Optimizer>::create(node);
    whole->attach({a, b});
    const auto step = [&](Optimizer& optimizer, const Tensor& x, const Tensor& y, std::size_t i) {
      set_gradient(x, gradients[i]);
      y.mutable_grad() = x.grad().view({3, 4}) * 0.5;
      optimizer.step(0.01);
    };
    for (std::size_t i = 0; i < 20; ++i) step(*whole, a, b, i);

    const std::string file = dump_safetensors(whole->state());
    const Tensor a2 = a.clone(), b2 = b.clone();
    const auto resumed = Registry<Optimizer>::create(node);
    resumed->attach({a2, b2});
    const auto loaded = parse_safetensors(file, "state");
    REQUIRE(loaded.tensors.size() == resumed->state().size());
    for (auto& [name, tensor] : resumed->state()) Tensor(tensor).copy_(loaded.at(name));
    CHECK(dump_safetensors(resumed->state()) == file);

    for (std::size_t i = 20; i < 40; ++i) {
      step(*whole, a, b, i);
      step(*resumed, a2, b2, i);
    }
    CHECK(at::equal(a, a2));
    CHECK(at::equal(b, b2));
    CHECK(dump_safetensors(resumed->state()) == dump_safetensors(whole->state()));
  }

  const auto names = [](const char* optimizer) {
    const auto o = Registry<Optimizer>::create(optimizer);
    o->attach({at::zeros({2}), at::zeros({3})});
    std::vector<std::string> out;
    for (const auto& entry : o->state()) out.push_back(entry.first);
    return out;
  };
  CHECK(names("adam") == std::vector<std::string>{"steps", "first.0", "second.0", "first.1", "second.1"});
  CHECK(names("adamw") == names("adam"));
  CHECK(names("sgd") == std::vector<std::string>{"velocity.0", "velocity.1"});
}

TEST_CASE("optimizers composed of tensor operations give the same results", "[optimizers]") {
  for (const char* name : {"adam", "adamw", "sgd"}) {
    for (const bool matrices_only : {false, true}) {
      if (matrices_only && std::string(name) == "sgd") continue;
      INFO(name << ", matrices only: " << matrices_only);
      const auto moved = [&](const std::vector<std::int64_t>& shape) {
        auto options = spec(name, {{"lr", 0.05}, {"weight_decay", 0.3}});
        if (matrices_only) options.set("decay_matrices_only", true);
        const auto optimizer = Registry<Optimizer>::create(options);
        Tensor w = at::sin(at::arange(12, at::kFloat)).view(shape).clone();
        w.set_requires_grad(true);
        optimizer->attach({w});
        for (int step = 0; step < 5; ++step) {
          w.mutable_grad() = at::cos(at::arange(12, at::kFloat) * (step + 1)).view(shape);
          optimizer->step(0.05);
        }
        return w.detach().flatten();
      };
      for (const auto& shape : {std::vector<std::int64_t>{12}, {3, 4}}) {
        const Tensor fast = moved(shape);
        const ForceGenericKernels general;
        CHECK((moved(shape) - fast).abs().max().item<double>() < 1e-6);
      }
      CHECK((moved({12}) - moved({3, 4})).abs().max().item<double>() > (matrices_only ? 1e-3 : -1));
    }
  }
}

TEST_CASE("weight decay can be limited to matrices", "[optimizers]") {
  for (const char* name : {"adam", "adamw"}) {
    INFO(name);
    const auto moved = [&](double decay, bool matrices_only, std::vector<std::int64_t> shape) {
      const auto optimizer =
          Registry<Optimizer>::create(spec(name, {{"lr", 0.1}, {"weight_decay", decay}, {"decay_matrices_only", matrices_only}}));
      Tensor w = at::full(shape, 2.0F);
      w.set_requires_grad(true);
      optimizer->attach({w});
      w.mutable_grad() = at::full(shape, 0.01F);
      optimizer->step(0.1);
      optimizer->step(0.1);
      return w.detach().flatten()[0].item<float>();
    };
    CHECK(moved(0.5, true, {3}) == moved(0, false, {3}));
    CHECK(moved(0.5, true, {3, 1}) == moved(0.5, false, {3, 1}));
    CHECK(moved(0.5, true, {3, 1}) != moved(0, false, {3, 1}));
  }
}

TEST_CASE("large parameters are updated in pieces with identical results", "[optimizers]") {
  const std::int64_t n = (1 << 15) * 3 + 37;
  Tensor whole = at::sin(at::arange(n, at::kFloat)), g = at::cos(at::arange(n, at::kFloat));
  const auto update = [&](const Tensor& start, const Tensor& gradient) {
    Tensor w = start.clone();
    w.set_requires_grad(true);
    const auto optimizer = Registry<Optimizer>::create(spec("adamw", {{"lr", 0.01}}));
    optimizer->attach({w});
    w.mutable_grad() = gradient.clone();
    optimizer->step(0.01);
    return w.detach();
  };
  const Tensor all = update(whole, g);
  // The first 64 numbers alone, so that they are in the same vector lanes.
  CHECK(at::equal(all.narrow(0, 0, 64), update(whole.narrow(0, 0, 64), g.narrow(0, 0, 64))));
  const std::int64_t second = 1 << 15;
  CHECK(at::equal(all.narrow(0, second, 64), update(whole.narrow(0, second, 64), g.narrow(0, second, 64))));
}

TEST_CASE("optimizers have the documented defaults and ranges", "[optimizers]") {
  CHECK(Registry<Optimizer>::create("adam")->base_lr() == 1e-3);
  CHECK(Registry<Optimizer>::create("adamw")->base_lr() == 1e-3);
  CHECK(Registry<Optimizer>::create("sgd")->base_lr() == 0.01);
  CHECK_THROWS_AS(Registry<Optimizer>::create(spec("adam", {{"lr", 0.0}})), Error);
  CHECK_THROWS_AS(Registry<Optimizer>::create(spec("adam", {{"beta2", 1.5}})), Error);
  CHECK_THROWS_AS(Registry<Optimizer>::create(spec("sgd", {{"momentum", -0.1}})), Error);
  CHECK_THROWS_AS(Registry<Optimizer>::create(spec("adamw", {{"weight_decay", -1.0}})), Error);
}

}  // namespace yatlab

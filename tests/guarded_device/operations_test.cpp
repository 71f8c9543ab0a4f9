// Operators, normalizers and attention give the same on a device as on the CPU, values and gradients.
#include <ATen/ATen.h>
#include <torch/autograd.h>
#include <torch/library.h>

#include <functional>

#include "catch.h"
#include "core/model/token_loss.h"
#include "core/ops/causal_softmax.h"
#include "core/ops/normalizer.h"
#include "core/ops/operator.h"
#include "core/ops/yat.h"
#include "guarded_device/guarded_device.h"
#include "guarded_device/tested_devices.h"
#include "helpers.h"
#include "plugins/language/architectures/attention.h"

namespace yatlab::testing {
namespace {

Tensor numbers(at::IntArrayRef size, double phase) {
  std::int64_t n = 1;
  for (const auto s : size) n *= s;
  return at::arange(n, at::kDouble).mul(0.7).add(phase).sin().view(size).to(at::kFloat);
}

/// The results of f for these inputs and its gradients (of an unevenly weighted sum), all on the CPU.
using Function = std::function<Tensor(const std::vector<Tensor>&)>;
std::vector<Tensor> value_and_gradients(const Function& f, const std::vector<Tensor>& given, const at::Device& device) {
  std::vector<Tensor> inputs;
  for (const auto& t : given) inputs.push_back(t.to(device).detach().requires_grad_(true));
  const Tensor y = f(inputs);
  REQUIRE(y.device().type() == device.type());
  const Tensor weights = numbers(y.sizes(), 0.3).to(y.device(), y.scalar_type());
  auto out = torch::autograd::grad({(y * weights).sum()}, inputs, {}, false, false, /*allow_unused=*/true);
  for (auto& t : out) t = t.defined() ? t.cpu() : t;
  out.insert(out.begin(), y.detach().cpu());
  return out;
}

void check_same(const Function& f, const std::vector<Tensor>& given, double tolerance = 2e-6) {
  const auto here = value_and_gradients(f, given, at::kCPU);
  for (const auto& device : tested_devices()) {
    const auto there = value_and_gradients(f, given, device);
    for (std::size_t i = 0; i < here.size(); ++i) {
      INFO(device << ", " << (i == 0 ? std::string("the value") : "gradient " + std::to_string(i)));
      REQUIRE(here[i].defined() == there[i].defined());
      if (!here[i].defined()) continue;
      const double scale = std::max(1e-30, here[i].abs().max().item<double>());
      CHECK((here[i].to(at::kDouble) - there[i].to(at::kDouble)).abs().max().item<double>() <= tolerance * scale);
    }
  }
}

}  // namespace

TEST_CASE("operators give the same results on a device", "[guarded]") {
  add_guarded_device();
  const Tensor x = numbers({6, 5}, 0.2), w = numbers({4, 5}, 1.1), b = numbers({4}, 2);
  for (const auto& name : Registry<Operator>::table().names()) {
    INFO(name);
    const auto op = Registry<Operator>::create(name);
    check_same([&](const std::vector<Tensor>& in) { return op->scores(in[0], in[1], in[2]); }, {x, w, b});
    check_same([&](const std::vector<Tensor>& in) { return op->scores(in[0], in[1]); },
               {numbers({2, 3, 6, 5}, 0.2), numbers({2, 1, 4, 5}, 0.9)});
    // Prototypes start as samples, as in one of our protocols.
    check_same([&](const std::vector<Tensor>& in) { return op->scores(in[0], in[1]); }, {x, at::cat({x.narrow(0, 0, 2), w})}, 4e-6);
  }
}

TEST_CASE("an operator in bf16 gives the same results on a device", "[guarded]") {
  const auto op = Registry<Operator>::create("yat");
  const Tensor x = numbers({40, 16}, 0.2).to(at::kBFloat16), w = numbers({24, 16}, 1.1).to(at::kBFloat16);
  check_same([&](const std::vector<Tensor>& in) { return op->scores(in[0], in[1]); }, {x, w}, 2e-2);
}

TEST_CASE("normalizers give the same results on a device", "[guarded]") {
  const Tensor scores = numbers({3, 7}, 0.4).abs();
  const Tensor mask = numbers({3, 7}, 1.9).gt(-0.5);
  for (const auto& name : Registry<Normalizer>::table().names()) {
    INFO(name);
    const auto normalizer = Registry<Normalizer>::create(name);
    check_same([&](const std::vector<Tensor>& in) { return normalizer->normalize(in[0]); }, {scores});
    check_same([&](const std::vector<Tensor>& in) { return normalizer->normalize(in[0], -1, mask.to(in[0].device())); }, {scores});
    if (name != "soft_tanh") check_same([&](const std::vector<Tensor>& in) { return normalizer->log_normalize(in[0]); }, {scores});
  }
}

TEST_CASE("attention gives the same results on a device", "[guarded]") {
  for (const char* name : {"softmax", "softermax", "soft_sigmoid"}) {
    for (const char* kernel : {"dot", "yat", "cosine", "euclidean"}) {
      const auto op = Registry<Operator>::create(kernel);
      const auto normalizer = Registry<Normalizer>::create(name);
      if (normalizer->needs_non_negative() && !op->traits().non_negative) continue;
      for (const std::int64_t length : {5, 150, 520}) {  // in parts: on the CPU from 128 on, on other devices from 512
        for (const std::int64_t block : {0, 4, 64}) {
          if ((length == 150 && block == 4) || (length == 520 && block != 0)) continue;
          INFO(kernel << " " << name << ", " << length << " tokens, block " << block);
          AttentionOptions o;
          o.block = block;
          const Tensor q = numbers({2, 2, length, 4}, 0.1), k = numbers({2, 2, length, 4}, 0.6), v = numbers({2, 2, length, 3}, 1.3);
          check_same([&](const std::vector<Tensor>& in) { return attention(op, normalizer, in[0], in[1], in[2], o); }, {q, k, v}, 2e-5);
        }
      }
    }
  }
}

TEST_CASE("a kernel for another device needs only one registration", "[guarded]") {
  if (!guarded_device_works()) return;
  add_guarded_device();
  const auto op = Registry<Operator>::create("yat");
  const Tensor x = numbers({6, 5}, 0.2).to(kGuarded), w = numbers({4, 5}, 1.1).to(kGuarded), scores = numbers({2, 3, 3}, 0.3).to(kGuarded);
  const Tensor expected = op->scores(x, w), weights = causal_softmax(scores, 0.5, 0);
  static int yat_calls = 0, softmax_calls = 0;
  {
    torch::Library body(torch::Library::IMPL, "yatlab", testing::kGuardedAutograd, __FILE__, __LINE__);
    body.impl("yat", [](const Tensor& a, const Tensor& b, const c10::optional<Tensor>&, const c10::optional<Tensor>&,
                        const c10::optional<Tensor>&, bool, double) {
      ++yat_calls;
      return at::matmul(a, b.t());
    });
    torch::Library softmax(torch::Library::IMPL, "yatlab", testing::kGuardedKey, __FILE__, __LINE__);
    softmax.impl("causal_softmax", [](const Tensor& s, double factor, std::int64_t first) {
      ++softmax_calls;
      return general_causal_softmax(s, factor, first);
    });
    CHECK(at::allclose(op->scores(x, w).cpu(), at::matmul(x, w.t()).cpu()));
    CHECK(at::equal(causal_softmax(scores, 0.5, 0).cpu(), weights.cpu()));
  }
  CHECK(yat_calls == 1);
  CHECK(softmax_calls == 1);
  CHECK(at::equal(op->scores(x, w).cpu(), expected.cpu()));
  CHECK(yat_calls == 1);
}

TEST_CASE("token_loss gives the same results on a device", "[guarded]") {
  const Tensor targets = at::arange(20, at::kLong).remainder(11);
  check_same([&](const std::vector<Tensor>& in) { return token_loss(in[0], in[1], targets.to(in[0].device()), 6, 11); },
             {numbers({20, 8}, 0.1), numbers({16, 8}, 0.5)});
  const auto scores = [&](const at::Device& device) {
    return token_scores(numbers({20, 8}, 0.1).to(device), numbers({16, 8}, 0.5).to(device), targets.to(device), 6, 11);
  };
  const auto here = scores(at::kCPU);
  for (const auto& device : tested_devices()) {
    INFO(device);
    const auto there = scores(device);
    CHECK(at::allclose(here.loss, there.loss.cpu()));
    CHECK(at::allclose(here.confidence, there.confidence.cpu()));
    CHECK(at::equal(here.correct, there.correct.cpu()));
  }
}

}  // namespace yatlab::testing

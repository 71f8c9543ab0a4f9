#include "plugins/language/architectures/attention.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <torch/autograd.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>

#include "catch.h"
#include "core/base/error.h"
#include "core/ops/kernel_choice.h"

namespace yatlab {
namespace {

using at::Tensor;

Tensor numbers(std::vector<std::int64_t> shape, std::uint64_t seed, at::ScalarType type = at::kDouble) {
  return at::randn(shape, at::make_generator<at::CPUGeneratorImpl>(seed), at::TensorOptions().dtype(type));
}

std::shared_ptr<Operator> op_of(const char* name) {
  Node spec = Node::map();
  spec.set("name", name);
  if (std::string(name) == "yat") spec.set("epsilon", 0.1);
  return Registry<Operator>::create(spec);
}

std::shared_ptr<Normalizer> normalizer_of(const char* name, double power = 1) {
  Node spec = Node::map();
  spec.set("name", name);
  spec.set("power", power);
  return Registry<Normalizer>::create(spec);
}

/// Attention by definition, one query at a time, in loops.
Tensor slowly(const Operator& op, const Normalizer& normalizer, const Tensor& q, const Tensor& k, const Tensor& v, bool causal) {
  Tensor out = at::zeros({q.size(0), v.size(1)}, q.options());
  for (std::int64_t i = 0; i < q.size(0); ++i) {
    const std::int64_t seen = causal ? i + 1 : k.size(0);
    const Tensor w = normalizer.normalize(op.scores(q.narrow(0, i, 1), k.narrow(0, 0, seen)), -1, {})[0];
    for (std::int64_t j = 0; j < seen; ++j) out[i] += w[j] * v[j];
  }
  return out;
}

double largest_difference(const Tensor& a, const Tensor& b) { return (a - b).abs().max().item<double>(); }

struct Case {
  const char* op;
  const char* normalizer;
  double power;
};
// Every pair that the registry allows: softermax and soft-sigmoid need non-negative scores.
const std::vector<Case> kCases = {{"dot", "softmax", 1},     {"yat", "softmax", 1},    {"yat", "softermax", 1},
                                  {"yat", "softermax", 2.5}, {"cosine", "softmax", 3}, {"euclidean", "softmax", 1},
                                  {"yat", "soft_sigmoid", 2}};

}  // namespace

TEST_CASE("attention agrees with its definition, whole and in blocks", "[attention]") {
  for (const auto& c : kCases) {
    INFO(c.op << " " << c.normalizer << " " << c.power);
    const auto op = op_of(c.op);
    const auto normalizer = normalizer_of(c.normalizer, c.power);
    const Tensor q = numbers({11, 4}, 1), k = numbers({11, 4}, 2), v = numbers({11, 3}, 3);
    for (const bool causal : {true, false}) {
      const Tensor expected = slowly(*op, *normalizer, q, k, v, causal);
      for (const std::int64_t block : {0, 1, 4, 11, 64}) {
        AttentionOptions o;
        o.causal = causal;
        o.block = block;
        CHECK(largest_difference(attention(op, normalizer, q, k, v, o), expected) < 1e-12);
      }
    }
  }
}

TEST_CASE("attention in blocks has the gradients of whole attention and of finite differences", "[attention]") {
  for (const auto& c : kCases) {
    INFO(c.op << " " << c.normalizer << " " << c.power);
    const auto op = op_of(c.op);
    const auto normalizer = normalizer_of(c.normalizer, c.power);
    const Tensor weight = numbers({2, 3, 7, 3}, 9);
    const auto gradients = [&](std::int64_t block) {
      const Tensor q = numbers({2, 3, 7, 4}, 1).requires_grad_(true), k = numbers({2, 3, 7, 4}, 2).requires_grad_(true),
                   v = numbers({2, 3, 7, 3}, 3).requires_grad_(true), scale = at::full({1}, 0.7, q.options()).requires_grad_(true);
      AttentionOptions o;
      o.block = block;
      o.scale = scale;
      return torch::autograd::grad({(attention(op, normalizer, q, k, v, o) * weight).sum()}, {q, k, v, scale});
    };
    const auto whole = gradients(0);
    for (const std::int64_t block : {2, 3, 7}) {
      const auto blocks = gradients(block);
      for (std::size_t i = 0; i < whole.size(); ++i) CHECK(largest_difference(whole[i], blocks[i]) < 1e-11);
    }
    // Along a random direction in q, by central differences.
    const Tensor q = numbers({2, 3, 7, 4}, 1), k = numbers({2, 3, 7, 4}, 2), v = numbers({2, 3, 7, 3}, 3), along = numbers({2, 3, 7, 4}, 5);
    AttentionOptions o;
    o.block = 3;
    o.scale = at::full({1}, 0.7, q.options());
    const auto value = [&](double h) { return (attention(op, normalizer, q + h * along, k, v, o) * weight).sum().item<double>(); };
    const double h = 1e-5, slope = (value(h) - value(-h)) / (2 * h);
    CHECK(slope == Approx((whole[0] * along).sum().item<double>()).epsilon(1e-6));
  }
}

TEST_CASE("long causal sequences computed in parts agree with the definition and its gradients", "[attention]") {
  for (const auto& c : kCases) {
    const auto op = op_of(c.op);
    const auto normalizer = normalizer_of(c.normalizer, c.power);
    for (const std::int64_t length : {127, 128, 130, 257, 300}) {
      const Tensor weight = numbers({2, length, 3}, 9);
      const auto results = [&](const std::function<Tensor(const Tensor&, const Tensor&, const Tensor&, const Tensor&)>& f) {
        const Tensor q = numbers({2, length, 4}, 1).requires_grad_(true), k = numbers({2, length, 4}, 2).requires_grad_(true),
                     v = numbers({2, length, 3}, 3).requires_grad_(true), scale = at::full({1}, 0.7, q.options()).requires_grad_(true);
        const Tensor out = f(q, k, v, scale);
        auto all = torch::autograd::grad({(out * weight).sum()}, {q, k, v, scale});
        all.push_back(out.detach());
        return all;
      };
      // The whole square of scores, and a mask.
      const Tensor mask = at::ones({length, length}, at::kBool).tril();
      const auto expected = results([&](const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& scale) {
        return at::matmul(normalizer->normalize(op->scores(q, k) * scale, -1, mask), v);
      });
      const auto compare = [&](const char* body, std::int64_t block, bool learned) {
        INFO(c.op << " " << c.normalizer << " " << c.power << ", " << length << " positions, " << body << ", block " << block);
        const auto found = results([&](const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& scale) {
          AttentionOptions o;
          o.block = block;
          o.scale = learned ? scale : scale.detach();
          const Tensor out = attention(op, normalizer, q, k, v, o);
          return learned ? out : out + 0 * scale;
        });
        for (std::size_t i = 0; i < found.size(); ++i) {
          if (i == 3 && !learned) continue;
          CHECK(largest_difference(found[i], expected[i]) < 1e-9 * (1 + expected[i].abs().max().item<double>()));
        }
      };
      compare("fast", 0, true);
      compare("fast", 0, false);
      compare("fast", 96, true);
      const ForceGenericKernels general;
      compare("general", 0, true);
    }
  }
}

TEST_CASE("a learned epsilon gets the same gradient in blocks", "[attention]") {
  Node spec = Node::map();
  spec.set("name", "yat");
  spec.set("epsilon", 0.5);
  spec.set("learn_epsilon", true);
  const auto op = Registry<Operator>::create(spec);
  const auto normalizer = normalizer_of("softmax");
  const Tensor q = numbers({9, 4}, 1, at::kFloat), k = numbers({9, 4}, 2, at::kFloat), v = numbers({9, 4}, 3, at::kFloat);
  const auto gradient = [&](std::int64_t block) {
    AttentionOptions o;
    o.block = block;
    return torch::autograd::grad({attention(op, normalizer, q, k, v, o).pow(2).sum()}, {op->parameters()[0].second})[0].item<double>();
  };
  CHECK(gradient(4) == Approx(gradient(0)).epsilon(1e-4));
  CHECK(std::abs(gradient(0)) > 1e-6);
}

TEST_CASE("causal attention never looks ahead", "[attention]") {
  const auto op = op_of("yat");
  for (const char* name : {"softmax", "softermax", "soft_sigmoid"}) {
    const auto normalizer = normalizer_of(name);
    for (const std::int64_t block : {0, 3}) {
      AttentionOptions o;
      o.block = block;
      const Tensor q = numbers({8, 4}, 1), k = numbers({8, 4}, 2), v = numbers({8, 4}, 3);
      const Tensor before = attention(op, normalizer, q, k, v, o);
      Tensor k2 = k.clone(), v2 = v.clone();
      k2.narrow(0, 5, 3).fill_(std::numeric_limits<double>::quiet_NaN());
      v2.narrow(0, 5, 3).fill_(1e300);
      k2.narrow(0, 5, 3).fill_(100);
      const Tensor after = attention(op, normalizer, q, k2, v2, o);
      CHECK(at::equal(before.narrow(0, 0, 5), after.narrow(0, 0, 5)));
    }
  }
}

TEST_CASE("softermax in blocks gives rows of zeros no weight at any power", "[attention]") {
  const auto yat = op_of("yat");
  const Tensor k = numbers({6, 4}, 2, at::kFloat), v = numbers({6, 3}, 3, at::kFloat);
  Tensor q = numbers({6, 4}, 1, at::kFloat);
  q[2].zero_();  // scores 0 everywhere
  for (const double power : {0.1, 0.3, 1.0, 4.0}) {
    const auto softermax = normalizer_of("softermax", power);
    const auto result = [&](std::int64_t block) {
      const Tensor query = q.clone().set_requires_grad(true);
      AttentionOptions o;
      o.block = block;
      const Tensor out = attention(yat, softermax, query, k, v, o);
      return std::pair{out.detach(), torch::autograd::grad({out.sum()}, {query})[0]};
    };
    const auto whole = result(0), blocks = result(2);
    INFO("power " << power);
    CHECK(whole.first[2].abs().max().item<double>() == 0);
    CHECK(at::allclose(blocks.first, whole.first, 1e-5, 1e-7));
    CHECK(at::isfinite(blocks.second).all().item<bool>());
    CHECK(at::allclose(blocks.second, whole.second, 1e-3, 1e-5));
  }
}

TEST_CASE("scores near the largest float raised to a power agree with the definition", "[attention]") {
  const auto dot = op_of("dot");
  for (const auto type : {at::kFloat, at::kDouble}) {
    const double most = type == at::kFloat ? 3e38 : 1.7e308;
    // One query against keys that are scores themselves: the first and the last share the weight, also in later rows that see both.
    const Tensor k = at::tensor({1.0, -1.0, 0.5, 0.0, 1.0, -0.3}, at::kDouble).mul(most).to(type).view({6, 1});
    const Tensor q = at::ones({6, 1}, type), v = at::tensor({1.0, 2.0, 3.0, 4.0, 9.0, 6.0}, at::kDouble).to(type).view({6, 1});
    const Tensor expected = at::tensor({1.0, 1.0, 1.0, 1.0, 5.0, 5.0}, at::kDouble).to(type).view({6, 1});
    for (const double power : {1.0, 2.0, 50.0}) {
      const auto softmax = normalizer_of("softmax", power);
      const auto result = [&](std::int64_t block) {
        const Tensor keys = k.clone().set_requires_grad(true), values = v.clone().set_requires_grad(true);
        AttentionOptions o;
        o.block = block;
        const Tensor out = attention(dot, softmax, q, keys, values, o);
        auto all = torch::autograd::grad({(out * expected).sum()}, {keys, values});
        all.push_back(out.detach());
        return all;
      };
      const auto check = [&](const char* body) {
        const auto whole = result(0);
        for (const std::int64_t block : {0, 1, 2, 4, 6}) {
          INFO(c10::toString(type) << ", power " << power << ", block " << block << ", " << body);
          const auto found = result(block);
          CHECK(at::equal(found[2], expected));
          CHECK(at::allclose(found[0], whole[0], 1e-5, 1e-5));
          CHECK(at::allclose(found[1], whole[1], 1e-5, 1e-5));
          CHECK(found[0][4].item<double>() == Approx(power * 2 * 10).epsilon(1e-5));  // rows 4 and 5: power * 1/2 * (9 - 5) * 5 each
        }
      };
      check("fast");
      const ForceGenericKernels general;
      check("general");
    }
  }
}

TEST_CASE("huge scores do not overflow and zero scores give zeros under softermax", "[attention]") {
  const auto dot = op_of("dot");
  const Tensor q = 1000 * numbers({6, 4}, 1), k = 1000 * numbers({6, 4}, 2), v = numbers({6, 4}, 3);
  AttentionOptions o;
  o.block = 2;
  CHECK(at::isfinite(attention(dot, normalizer_of("softmax"), q, k, v, o)).all().item<bool>());
  // All scores 0: softermax gives zeros.
  const auto yat = op_of("yat");
  const Tensor zero = at::zeros({6, 4}, v.options());
  CHECK(attention(yat, normalizer_of("softermax"), zero, zero, v, o).abs().max().item<double>() < 1e-200);
}

TEST_CASE("16-bit attention accumulates in float", "[attention]") {
  const auto op = op_of("yat");
  const auto normalizer = normalizer_of("softmax");
  const Tensor q = numbers({64, 16}, 1, at::kFloat).to(at::kBFloat16), k = numbers({64, 16}, 2, at::kFloat).to(at::kBFloat16),
               v = numbers({64, 16}, 3, at::kFloat).to(at::kBFloat16);
  AttentionOptions o;
  o.block = 16;
  const Tensor blocks = attention(op, normalizer, q, k, v, o);
  CHECK(blocks.scalar_type() == at::kBFloat16);
  const Tensor exact = attention(op, normalizer, q.to(at::kDouble), k.to(at::kDouble), v.to(at::kDouble));
  CHECK(largest_difference(blocks.to(at::kDouble), exact) < 0.05);
}

TEST_CASE("attention and its gradients in every type agree with double precision", "[attention]") {
  for (const auto& c : kCases) {
    const auto op = op_of(c.op);
    const auto normalizer = normalizer_of(c.normalizer, c.power);
    for (const auto type : {at::kFloat, at::kBFloat16}) {
      for (const std::int64_t length : {9, 130}) {
        const Tensor weight = numbers({2, length, 3}, 9);
        const Tensor q = numbers({2, length, 4}, 1).to(type), k = numbers({2, length, 4}, 2).to(type),
                     v = numbers({2, length, 3}, 3).to(type);
        const auto results = [&](at::ScalarType computed, const std::function<Tensor(const Tensor&, const Tensor&, const Tensor&)>& f) {
          std::vector<Tensor> inputs;
          for (const Tensor& t : {q, k, v}) inputs.push_back(t.to(computed).detach().clone().requires_grad_(true));
          const Tensor out = f(inputs[0], inputs[1], inputs[2]);
          CHECK(out.scalar_type() == computed);
          auto all = torch::autograd::grad({(out * weight.to(computed)).sum()}, inputs);
          all.push_back(out.detach());
          return all;
        };
        const Tensor mask = at::ones({length, length}, at::kBool).tril();
        const auto exact = results(at::kDouble, [&](const Tensor& a, const Tensor& b, const Tensor& values) {
          return at::matmul(normalizer->normalize(0.5 * op->scores(a, b), -1, mask), values);
        });
        for (const std::int64_t block : {0, 64}) {
          const auto found = results(type, [&](const Tensor& a, const Tensor& b, const Tensor& values) {
            AttentionOptions o;
            o.block = block;
            o.scale = at::full({1}, 0.5, a.options());
            return attention(op, normalizer, a, b, values, o);
          });
          INFO(c.op << " " << c.normalizer << " " << c.power << ", " << toString(type) << ", " << length << " positions, block " << block);
          for (std::size_t i = 0; i < exact.size(); ++i) {
            INFO(i);
            const double close = (type == at::kFloat ? 1e-4 : 0.08) * (0.5 + exact[i].abs().max().item<double>());
            CHECK(largest_difference(found[i].to(at::kDouble), exact[i]) < close);
          }
        }
      }
    }
  }
}

TEST_CASE("second derivatives of attention agree with finite differences", "[attention]") {
  for (const std::int64_t n : {6, 150}) {
    for (const auto& c : kCases) {
      const auto op = op_of(c.op);
      const auto normalizer = normalizer_of(c.normalizer, c.power);
      AttentionOptions o;
      o.scale = at::full({1}, 0.7, at::kDouble);
      o.factor = 0.6;
      const Tensor weight = numbers({n, 3}, 9);
      const std::vector<Tensor> at_rest{numbers({n, 4}, 1), numbers({n, 4}, 2), numbers({n, 3}, 3)};
      for (std::size_t moved = 0; moved < at_rest.size(); ++moved) {
        INFO(c.op << " " << c.normalizer << " " << c.power << ", " << n << " rows, along "
                  << "qkv"[moved]);
        const Tensor second = numbers(at_rest[moved].sizes().vec(), 6);
        const auto at_point = [&](double h) {
          std::vector<Tensor> out;
          for (std::size_t i = 0; i < at_rest.size(); ++i)
            out.push_back((i == moved ? at_rest[i] + h * second : at_rest[i] + 0).requires_grad_(true));
          return out;
        };
        // Slopes along fixed directions of all three inputs, and their rate of change along `second`: directly, and by differences of slopes
        // computed without a graph.
        const auto slope = [&](const std::vector<Tensor>& x, bool create_graph) {
          const Tensor y = (attention(op, normalizer, x[0], x[1], x[2], o) * weight).sum();
          const auto slopes = torch::autograd::grad({y}, x, {}, {}, create_graph);
          Tensor sum = at::zeros({}, at::kDouble);
          for (std::size_t i = 0; i < slopes.size(); ++i) sum = sum + (slopes[i] * numbers(slopes[i].sizes().vec(), 20 + i)).sum();
          return sum;
        };
        const auto x = at_point(0);
        const double h = 1e-5,
                     differences = (slope(at_point(h), false).item<double>() - slope(at_point(-h), false).item<double>()) / (2 * h);
        CHECK((torch::autograd::grad({slope(x, true)}, {x[moved]})[0] * second).sum().item<double>() == Approx(differences).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("gradients in blocks are as accurate as whole ones at any score magnitude", "[attention]") {
  struct Pair {
    const char* op;
    const char* normalizer;
  };
  const std::vector<Pair> pairs = {{"dot", "softmax"},       {"yat", "softmax"},   {"cosine", "softmax"},
                                   {"euclidean", "softmax"}, {"yat", "softermax"}, {"yat", "soft_sigmoid"}};
  const char* const kResults[] = {"dq", "dk", "dv", "dscale", "out"};
  constexpr std::int64_t kLength = 96, kWidth = 8;
  const Tensor weight = numbers({2, kLength, kWidth}, 9);
  for (const auto& pair : pairs) {
    const auto op = op_of(pair.op);
    const auto normalizer = normalizer_of(pair.normalizer, pair.op == std::string("cosine") ? 30 : 1);
    for (const auto type : {at::kFloat, at::kBFloat16}) {
      double of_whole = 0, of_blocks = 0;  // squared errors of dscale, a single number that may be right by chance in one case
      // Scores from some hundredths up to some ten thousands. Scores grow as the square of the inputs.
      for (const double size : {0.1, 1.0, 4.0, 16.0, 64.0}) {
        for (const bool causal : {true, false}) {
          std::vector<Tensor> given;
          for (std::uint64_t i = 0; i < 3; ++i) given.push_back((numbers({2, kLength, kWidth}, 1 + i) * (i < 2 ? size : 1)).to(type));
          const auto results = [&](at::ScalarType computed, std::int64_t block) {
            std::vector<Tensor> in;
            for (const auto& t : given) in.push_back(t.to(computed).detach().clone().requires_grad_(true));
            in.push_back(at::full({1}, 0.5, in[0].options()).requires_grad_(true));
            AttentionOptions o;
            o.block = block;
            o.causal = causal;
            o.scale = in.back();
            const Tensor out = attention(op, normalizer, in[0], in[1], in[2], o);
            auto all = torch::autograd::grad({(out * weight.to(computed)).sum()}, in);
            all.push_back(out.detach());
            for (auto& t : all) t = t.to(at::kDouble);
            return all;
          };
          const auto exact = results(at::kDouble, 0), whole = results(type, 0);
          for (const std::int64_t block : {8, 32, 96}) {
            const auto blocks = results(type, block);
            for (std::size_t i = 0; i < exact.size(); ++i) {
              INFO(pair.op << " " << pair.normalizer << ", " << toString(type) << ", inputs of " << size << ", causal " << causal
                           << ", block " << block << ", " << kResults[i]);
              const double off = largest_difference(blocks[i], exact[i]), off_whole = largest_difference(whole[i], exact[i]);
              const double unit = type == at::kFloat ? 1.2e-7 : 0.008;  // one rounding of the largest number is not an error
              if (i == 3) {
                const double terms = (exact[0] * given[0].to(at::kDouble)).abs().sum().item<double>() + 1e-30;
                of_whole += std::pow(off_whole / terms + unit, 2);
                of_blocks += std::pow(off / terms, 2);
                continue;
              }
              CHECK(off <= 10 * off_whole + unit * exact[i].abs().max().item<double>());
            }
          }
        }
      }
      INFO(pair.op << " " << pair.normalizer << ", " << toString(type) << ", dscale");
      CHECK(of_blocks <= 100 * of_whole);
    }
  }
}

TEST_CASE("attention's backward pass keeps its operator and normalizer alive", "[attention]") {
  for (const std::int64_t block : {0, 4}) {
    Tensor out, q = numbers({9, 4}, 1).requires_grad_(true);
    const Tensor k = numbers({9, 4}, 2), v = numbers({9, 3}, 3);
    std::weak_ptr<Operator> op;
    std::weak_ptr<Normalizer> normalizer;
    {
      const auto own = op_of("yat");
      const auto own_normalizer = normalizer_of("softmax");
      op = own;
      normalizer = own_normalizer;
      AttentionOptions o;
      o.block = block;
      out = attention(own, own_normalizer, q, k, v, o);
    }
    CHECK_FALSE(op.expired());  // only the graph holds it
    if (block > 0) CHECK_FALSE(normalizer.expired());
    out.sum().backward();
    CHECK(q.grad().abs().max().item<double>() > 0);
    out.reset();
    CHECK(op.expired());
    CHECK(normalizer.expired());
  }
}

TEST_CASE("attention in blocks reports that it has no second derivatives", "[attention]") {
  const Tensor q = numbers({6, 4}, 1).requires_grad_(true), k = numbers({6, 4}, 2), v = numbers({6, 3}, 3);
  AttentionOptions o;
  o.block = 2;
  const Tensor out = attention(op_of("yat"), normalizer_of("softmax"), q, k, v, o).sum();
  try {
    torch::autograd::grad({out}, {q}, {}, {}, /*create_graph=*/true);
    FAIL("a second derivative was returned");
  } catch (const Error& e) {
    CHECK(e.message() == "attention in blocks has no second derivatives");
    CHECK(e.hint() == "use architecture.attention.block=0");
  }
}

TEST_CASE("attention that does not work in blocks is rejected", "[attention]") {
  struct Sparsemax final : Normalizer {  // competitive, but not summable online
    Tensor normalize(const Tensor& s, std::int64_t dim, const Tensor&) const override { return at::softmax(s, dim); }
    Tensor log_normalize(const Tensor& s, std::int64_t dim, const Tensor&) const override { return at::log_softmax(s, dim); }
    bool needs_non_negative() const override { return false; }
    bool competitive() const override { return true; }
  };
  AttentionOptions o;
  o.block = 2;
  const Tensor q = numbers({4, 2}, 1);
  CHECK_THROWS_AS(attention(op_of("dot"), std::make_shared<Sparsemax>(), q, q, q, o), Error);
  CHECK_THROWS_AS(attention(op_of("dot"), normalizer_of("softmax"), q, numbers({5, 2}, 2), numbers({5, 2}, 3), o), Error);
}

}  // namespace yatlab

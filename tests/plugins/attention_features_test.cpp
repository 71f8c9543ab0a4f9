#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>
#include <torch/autograd.h>

#include <cmath>

#include "catch.h"
#include "core/base/error.h"
#include "core/config/yaml.h"
#include "core/measure/study.h"
#include "core/model/saved_bytes.h"
#include "core/ops/operator.h"
#include "plugins/language/architectures/attention_heads.h"
#include "plugins/language/architectures/feature_attention.h"
#include "plugins/language/feature_maps/random_features.h"

namespace yatlab {
namespace {

using at::Tensor;

constexpr std::int64_t kHeads = 2, kWidth = 6;

std::shared_ptr<FeatureMap> map_of(const std::string& yaml) { return Registry<FeatureMap>::create(parse_yaml(yaml, "test")); }

Tensor normal(std::vector<std::int64_t> shape, std::uint64_t seed, at::ScalarType type = at::kDouble) {
  return at::randn(shape, at::make_generator<at::CPUGeneratorImpl>(seed), at::TensorOptions().dtype(type));
}

/// All scores from whole features, then the quotient.
Tensor in_pairs(const FeatureMap& map, const std::vector<Tensor>& drawn, const Tensor& q, const Tensor& k, const Tensor& v, bool causal,
                std::int64_t length) {
  Tensor scores = at::matmul(map.features(q, {false, 0, length}, drawn), map.features(k, {true, 0, length}, drawn).transpose(-2, -1));
  CHECK(at::allclose(feature_scores(map, drawn, q, k, length), scores, 1e-10, 1e-12));
  if (causal) scores = scores.tril();
  return at::matmul(scores, v) / (scores.sum(-1, true) + map.delta());
}

const std::vector<const char*> kMaps = {
    "elu",
    "cosformer",
    "{name: favor, features: 7}",
    "{name: favor, function: relu, orthogonal: false}",
    "slay",
    "{name: slay, polynomial: exact, nodes: 2, features: 3, orthogonal: true}",
    "{name: slay, polynomial: none}",
    "{name: slay, polynomial: hadamard}",
    "{name: slay, polynomial: nystrom}",
};

/// Mean estimate of the kernel at a cosine, over heads with independent draws.
double estimate(const std::string& yaml, double cosine, std::int64_t heads = 64) {
  const auto map = map_of(yaml);
  const auto drawn = map->draw(heads, kWidth, 5);
  Tensor q = at::zeros({heads, 1, kWidth}, at::kDouble), k = q.clone();
  q.select(-1, 0).fill_(1);
  k.select(-1, 0).fill_(cosine);
  k.select(-1, 1).fill_(std::sqrt(1 - cosine * cosine));
  return feature_scores(*map, drawn, q * 3, k / 2, 1).mean().item<double>();
}

}  // namespace

TEST_CASE("attention by features equals attention with the same scores", "[features]") {
  for (const char* const yaml : kMaps) {
    const auto map = map_of(yaml);
    const auto drawn = map->draw(kHeads, kWidth, 1);
    for (const std::int64_t length : {1, 2, 7, 16, 33}) {
      const Tensor q = normal({3, kHeads, length, kWidth}, 1), k = normal({3, kHeads, length, kWidth}, 2),
                   v = normal({3, kHeads, length, 5}, 3);
      for (const bool causal : {true, false}) {
        const Tensor expected = in_pairs(*map, drawn, q, k, v, causal, 40);
        for (const std::int64_t block : {1, 4, 16, 64}) {
          INFO(yaml << " " << length << " " << causal << " " << block);
          CHECK(at::allclose(feature_attention(*map, drawn, q, k, v, {causal, block, 40}), expected, 1e-10, 1e-12));
        }
      }
    }
  }
}

TEST_CASE("attention by features has right first and second gradients", "[features]") {
  for (const char* const yaml : kMaps) {
    const auto map = map_of(yaml);
    const auto drawn = map->draw(kHeads, kWidth, 1);
    for (const bool causal : {true, false}) {
      INFO(yaml << " " << causal);
      std::vector<Tensor> x;
      for (std::uint64_t i = 0; i < 3; ++i) x.push_back(normal({kHeads, 9, kWidth}, 10 + i).requires_grad_(true));
      const Tensor direction = normal({kHeads, 9, kWidth}, 20);
      const auto twice = [&](const Tensor& out) {
        auto first = torch::autograd::grad({(out * direction).sum()}, x, {}, true, true);
        const auto second = torch::autograd::grad({(first[0] * direction).sum()}, x);
        first.insert(first.end(), second.begin(), second.end());
        return first;
      };
      const auto ours = twice(feature_attention(*map, drawn, x[0], x[1], x[2], {causal, 4, 9}));
      const auto expected = twice(in_pairs(*map, drawn, x[0], x[1], x[2], causal, 9));
      for (std::size_t i = 0; i < ours.size(); ++i) CHECK(at::allclose(ours[i], expected[i], 1e-8, 1e-10));
    }
  }
}

TEST_CASE("memory of attention by features is linear in the length", "[features]") {
  const auto map = map_of("slay");
  const auto drawn = map->draw(kHeads, kWidth, 1);
  const auto peak = [&](std::int64_t length) {
    const Tensor x = normal({kHeads, length, kWidth}, 1, at::kFloat).requires_grad_(true);
    const MemoryWatch watch;
    feature_attention(*map, drawn, x, x, x, {true, 128, length}).sum().backward();
    return static_cast<double>(watch.peak());
  };
  CHECK(peak(4096) / peak(1024) < 4.2);
}

TEST_CASE("Gauss-Laguerre quadrature is exact for polynomials", "[features]") {
  for (const std::int64_t n : {1, 2, 3, 10}) {
    const auto [t, a] = gauss_laguerre(n);
    double factorial = 1;  // the integral of e^-t t^p
    for (std::int64_t p = 0; p < 2 * n; ++p) {
      if (p > 0) factorial *= static_cast<double>(p);
      CHECK((a * t.pow(p)).sum().item<double>() == Approx(factorial).epsilon(1e-9));
    }
  }
  CHECK(gauss_laguerre(2).first[0].item<double>() == Approx(2 - std::sqrt(2.0)));
}

TEST_CASE("orthogonal projections are orthogonal, and as long as normal vectors", "[features]") {
  const Tensor w = normal_projections(400, kWidth, 8, true, at::make_generator<at::CPUGeneratorImpl>(1)).to(at::kDouble);
  const Tensor gram = at::matmul(w.transpose(-2, -1), w);
  const Tensor group = gram.narrow(-2, 0, kWidth).narrow(-1, 0, kWidth);
  CHECK((group - at::diag_embed(at::diagonal(group, 0, -2, -1))).abs().max().item<double>() < 1e-5);
  CHECK(at::diagonal(gram, 0, -2, -1).mean().item<double>() == Approx(kWidth).epsilon(0.05));
  CHECK(gram.select(-2, 0).select(-1, 7).abs().mean().item<double>() > 0.5);  // from another group
}

TEST_CASE("FAVOR+ approximates softmax attention", "[features]") {
  const Tensor q = normal({2, 1, 20, kWidth}, 1) / 2, k = normal({2, 1, 20, kWidth}, 2), v = normal({2, 1, 20, 3}, 3);
  const Tensor exact = at::matmul(at::softmax(at::matmul(q, k.transpose(-2, -1)) / std::sqrt(double{kWidth}), -1), v);
  const auto error = [&](const std::string& features) {
    const auto map = map_of("{name: performer, features: " + features + "}");
    return ((feature_attention(*map, map->draw(1, kWidth, 3), q, k, v, {false, 8, 20}) - exact).norm() / exact.norm()).item<double>();
  };
  CHECK(error("30000") < 0.1);
  CHECK(error("10") > 3 * error("30000"));
  // Long queries and keys must not give 0 / 0.
  const auto map = map_of("favor");
  const Tensor far =
      feature_attention(*map, map->draw(1, kWidth, 3), q.to(at::kFloat) * 100, k.to(at::kFloat) * 100, v.to(at::kFloat), {true, 8, 20});
  CHECK(at::isfinite(far).all().item<bool>());
}

TEST_CASE("SLAY converges to the spherical kernel with nodes and features", "[features]") {
  const double epsilon = 2;  // few nodes and features are enough
  const auto exact = [&](double x) { return x * x / (2 + epsilon - 2 * x); };
  for (const char* const polynomial : {"exact", "maclaurin", "tensor_sketch"}) {
    for (const double x : {-0.7, 0.3, 0.6}) {
      INFO(polynomial << " " << x);
      const auto yaml = fmt::format("{{name: slay, epsilon: 2.0, nodes: 4, features: 400, anchors: 64, polynomial: {}}}", polynomial);
      CHECK(estimate(yaml, x, 300) == Approx(exact(x)).margin(0.06 * (0.2 + exact(x))));
    }
  }
  // Quadrature with few nodes misses the peak, with any number of features: at x = 1 the kernel is 1 / epsilon.
  CHECK(estimate("{name: slay, epsilon: 1.0e-3, nodes: 3, features: 4000, polynomial: exact}", 1) < 10);
}

TEST_CASE("anchor features converge to 1 + 2 x^2 rather than x^2", "[features]") {
  const auto anchors = [](double x) { return estimate("{name: slay, nodes: 1, features: 1, anchors: 2000, polynomial: anchor}", x, 400); };
  const auto without = [](double x) { return estimate("{name: slay, nodes: 1, features: 1, polynomial: none}", x, 400); };
  const double at_zero = anchors(0) / without(0), at_half = anchors(0.5) / without(0.5);
  CHECK(at_zero == Approx(1.0 / (kWidth * (kWidth + 2))).epsilon(0.1));
  CHECK(at_half / at_zero == Approx(1.5).epsilon(0.1));
}

TEST_CASE("random features depend on their seed alone", "[features]") {
  const auto map = map_of("slay");
  const auto a = map->draw(2, 4, 1), b = map->draw(2, 4, 1), c = map->draw(2, 4, 2);
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].equal(b[i]));
    CHECK_FALSE(a[i].equal(c[i]));
  }
}

namespace {

struct Built {
  std::shared_ptr<Architecture> model;
  const AttentionHeads& heads() const { return dynamic_cast<const AttentionHeads&>(*model); }
};

Built built(const std::string& attention, std::uint64_t seed = 1, const std::string& more = "") {
  Built out{Registry<Architecture>::create(parse_yaml(
      "{name: transformer, layers: 2, heads: 2, width: 16, context: 12, tied: false, mlp: {kind: none}, norm: {place: none}, attention: {" +
          attention + "}" + more + "}",
      "test"))};
  BuildContext c;
  c.input_shape = {12};
  c.num_classes = 20;
  c.seed = seed;
  c.op = Registry<Operator>::create(parse_yaml("{name: yat, spherical: true, epsilon: 1.0e-3}", "test"));
  out.model->build(c);
  return out;
}

Tensor tokens(std::uint64_t seed) {
  return at::randint(0, 20, {3, 12}, at::make_generator<at::CPUGeneratorImpl>(seed), at::TensorOptions().dtype(at::kLong));
}

std::map<std::string, Tensor> buffers(const Architecture& model) {
  std::map<std::string, Tensor> out;
  for (const auto& item : model.named_buffers()) out.emplace(item.key(), item.value());
  return out;
}

}  // namespace

TEST_CASE("attention-only transformers with features work, causal or not", "[features]") {
  for (const char* const features : {"elu", "cosformer", "favor", "{name: favor, function: relu}", "slay"}) {
    for (const bool causal : {true, false}) {
      INFO(features << " " << causal);
      const auto b = built(fmt::format("features: {}, causal: {}", features, causal));
      const Tensor x = tokens(1);
      const Tensor out = b.model->forward(x);
      REQUIRE(out.sizes() == at::IntArrayRef({3, 12, 20}));
      Tensor other = x.clone();
      other.narrow(1, 8, 4).fill_(7);
      CHECK(at::allclose(b.model->forward(other).narrow(1, 0, 8), out.narrow(1, 0, 8), 1e-5, 1e-7) == causal);
      out.pow(2).sum().backward();
      for (const auto& p : b.model->named_parameters()) {
        INFO(p.key());
        CHECK(p.value().grad().defined());
        CHECK(at::isfinite(p.value().grad()).all().item<bool>());
        CHECK(p.key().find("mlp") == std::string::npos);
      }
    }
  }
}

TEST_CASE("random features differ by layer and are saved with the model and seeded", "[features]") {
  const auto a = built("features: slay", 1), b = built("features: slay", 2), c = built("features: {name: slay, seed: 7}", 1),
             d = built("features: {name: slay, seed: 7}", 2);
  const auto of = [](const Built& built) { return buffers(*built.model).at("block0.attention.drawn0"); };
  CHECK(of(a).equal(of(built("features: slay", 1))));
  CHECK_FALSE(of(a).equal(of(b)));
  CHECK(of(c).equal(of(d)));
  CHECK_FALSE(of(a).equal(of(c)));
  CHECK_FALSE(of(a).equal(buffers(*a.model).at("block1.attention.drawn0")));
}

TEST_CASE("exact spherical attention of the transformer equals a naive loop", "[features]") {
  for (const bool causal : {true, false}) {
    const auto b = built(fmt::format("causal: {}, scale: none, normalizer: {{name: softermax, epsilon: 1.0e-6}}", causal));
    const Tensor q = normal({1, 2, 5, 8}, 1, at::kFloat), k = normal({1, 2, 5, 8}, 2, at::kFloat), v = normal({1, 2, 5, 8}, 3, at::kFloat);
    const Tensor out = b.heads().mix(q, k, v);
    for (int h = 0; h < 2; ++h) {
      for (int i = 0; i < 5; ++i) {
        Tensor sum = at::zeros({8}, at::kDouble);
        double total = 1e-6;
        for (int j = 0; j < (causal ? i + 1 : 5); ++j) {
          const Tensor a = q[0][h][i].to(at::kDouble), c = k[0][h][j].to(at::kDouble);
          const double x = (at::dot(a, c) / (a.norm() * c.norm())).item<double>(), score = x * x / (2.001 - 2 * x);
          sum += score * v[0][h][j].to(at::kDouble);
          total += score;
        }
        CHECK(at::allclose(out[0][h][i].to(at::kDouble), sum / total, 1e-4, 1e-5));
      }
    }
  }
}

TEST_CASE("attention by features rejects unsupported options", "[features]") {
  CHECK_THROWS_WITH(built("features: slay, normalizer: softmax"), Catch::Contains("no normalizer"));
  CHECK_THROWS_WITH(built("features: slay, operator: dot"), Catch::Contains("no operator"));
  CHECK_THROWS_WITH(built("features: slay, scale: learned"), Catch::Contains("no learned scale"));
  CHECK_THROWS_AS(map_of("{name: slay, nodes: 0}"), Error);
  CHECK_THROWS_AS(map_of("{name: slay, polynomial: cubic}"), Error);
  CHECK_THROWS_WITH(map_of("slya"), Catch::Contains("slay"));
}

TEST_CASE("attention_approximation: the exact attention has no error and signed squares have negative sums", "[features][studies]") {
  const auto run = [](const std::string& attention, const std::string& more = "") {
    StudyContext context;
    context.seed = 3;
    context.model = [&](std::vector<std::int64_t>, std::int64_t, std::uint64_t seed) {
      const auto model = Registry<Architecture>::create(
          parse_yaml("{name: transformer, layers: 1, heads: 2, width: 16, context: 64, attention: {" + attention + "}}", "test"));
      BuildContext c;
      c.num_classes = 2;
      c.seed = seed;
      c.op = Registry<Operator>::create(parse_yaml("{name: yat, spherical: true, epsilon: 1.0e-3}", "test"));
      model->build(c);
      return model;
    };
    return Registry<Study>::create(
               parse_yaml("{name: attention_approximation, epsilon: 1.0e-3, normalizer: {name: softermax, epsilon: 1.0e-6}" + more + "}",
                          "test"))
        ->run(context)
        .metrics;
  };
  for (const char* const causal : {"true", "false"}) {
    const auto exact = run(fmt::format("scale: none, normalizer: {{name: softermax, epsilon: 1.0e-6}}, causal: {}", causal));
    CHECK(exact.at("approximation/rel_l2") < 1e-5);
    CHECK(exact.at("approximation/cosine") == Approx(1));
    CHECK(exact.at("approximation/peak") == Approx(4 * 1.001 / 1e-3).epsilon(0.01));
    CHECK(exact.at("approximation/floor") < 1e-10);
  }
  const auto slay = run("features: slay"), sketch = run("features: {name: slay, polynomial: maclaurin}");
  CHECK(slay.at("approximation/rel_l2") > 0.1);
  CHECK(slay.at("approximation/negative") == 0);
  CHECK(slay.at("approximation/floor") > 0.2);
  CHECK(sketch.at("approximation/negative") > 0.01);

  const std::string pairs = "scale: none, normalizer: {name: softermax, epsilon: 1.0e-6}",
                    signed_map = "{name: slay, polynomial: maclaurin}";
  CHECK(run(pairs, ", clamp: 10").at("approximation/rel_l2") < 1e-5);
  for (const std::string causal : {"true", "false"}) {
    INFO("causal: " << causal);
    const auto error = [&](const std::string& map, const std::string& more) {
      return run("features: " + map + ", causal: " + causal, more).at("approximation/rel_l2");
    };
    CHECK(error("slay", ", clamp: 1.0e-9") == Approx(error("slay", "")).epsilon(1e-4));
    CHECK(error("slay", ", clamp: 1.0e9, bias: false") == Approx(1).epsilon(1e-6));
    // Where sums are negative, outputs are proportional to 1 / clamp.
    CHECK(error(signed_map, ", clamp: 1.0e-7") == Approx(100 * error(signed_map, ", clamp: 1.0e-5")).epsilon(0.01));
  }
}

TEST_CASE("attention_scaling: memory is linear for features and quadratic for pairs", "[features][studies]") {
  const auto bytes = [](const std::string& attention, std::int64_t length) {
    StudyContext context;
    context.model = [&](std::vector<std::int64_t>, std::int64_t, std::uint64_t seed) {
      const auto model = Registry<Architecture>::create(parse_yaml(
          fmt::format("{{name: transformer, layers: 1, heads: 2, width: 16, context: {}, attention: {{{}}}}}", length, attention), "test"));
      BuildContext c;
      c.num_classes = 2;
      c.seed = seed;
      c.op = Registry<Operator>::create("dot");
      model->build(c);
      return model;
    };
    const auto found = Registry<Study>::create(parse_yaml("{name: attention_scaling, repeats: 1}", "test"))->run(context).metrics;
    CHECK(found.at("scaling/ms") > 0);
    return found.at("scaling/bytes");
  };
  CHECK(bytes("features: elu", 4096) / bytes("features: elu", 1024) < 4.3);
  CHECK(bytes("scale: sqrt", 2048) / bytes("scale: sqrt", 1024) > 3.5);
}

TEST_CASE("the kernel of features sums over heads the scores that attention sums over keys", "[operators]") {
  const Tensor x = normal({3, kHeads * kWidth}, 1), w = normal({4, kHeads * kWidth}, 2);
  const auto heads = [](const Tensor& rows) { return rows.view({-1, kHeads, kWidth}).transpose(0, 1); };
  for (const std::string map : {"elu", "{name: favor, features: 7, seed: 3}", "{name: slay, seed: 3}"}) {
    INFO(map);
    const auto op = Registry<Operator>::create(parse_yaml("{name: feature_kernel, heads: 2, seed: 9, map: " + map + "}", "test"));
    const auto features = map_of(map);
    const auto drawn = features->draw(kHeads, kWidth, 3);
    const FeaturePlace key{true, 0, 1};
    const Tensor expected =
        at::matmul(features->features(heads(x), key, drawn), features->features(heads(w), key, drawn).transpose(-2, -1)).sum(0);
    const Tensor found = op->scores(x, w);
    CHECK(at::allclose(found, expected, 1e-12, 1e-12));
    CHECK(at::allclose(found, op->scores(w, x).t()));
    CHECK(at::allclose(
        found,
        at::stack({op->scores(x[0].unsqueeze(0), w), op->scores(x[1].unsqueeze(0), w), op->scores(x[2].unsqueeze(0), w)}).squeeze(1)));
    CHECK(found.min().item<double>() >= 0);
    CHECK(op->traits().non_negative);
    CHECK(op->flops(3, 4, kHeads * kWidth) > 0);
  }
}

TEST_CASE("the kernel of SLAY's features is nearly the spherical yat kernel", "[operators]") {
  const auto slay = Registry<Operator>::create(
      parse_yaml("{name: feature_kernel, map: {name: slay, polynomial: exact, nodes: 24, features: 20000, epsilon: 0.5}}", "test"));
  const auto yat = Registry<Operator>::create(parse_yaml("{name: yat, spherical: true, epsilon: 0.5}", "test"));
  const Tensor x = normal({3, kWidth}, 1), w = normal({4, kWidth}, 2);
  const Tensor exact = yat->scores(x, w);
  CHECK((slay->scores(x, w) - exact).abs().max().item<double>() < 0.15 * exact.max().item<double>());
}

TEST_CASE("a kernel of features: its seed, its heads, and which maps may be negative", "[operators]") {
  const auto make = [](const std::string& yaml) {
    return Registry<Operator>::create(parse_yaml("{name: feature_kernel, " + yaml + "}", "test"));
  };
  const auto scores = [&](const std::string& yaml) { return make(yaml)->scores(normal({2, kWidth}, 1), normal({2, kWidth}, 2)); };
  CHECK(at::equal(scores("seed: 1"), scores("seed: 1")));
  CHECK_FALSE(at::allclose(scores("seed: 1"), scores("seed: 2")));
  CHECK(at::equal(scores("seed: 1, map: {name: slay, seed: 5}"), scores("seed: 2, map: {name: slay, seed: 5}")));
  for (const char* square : {"maclaurin", "tensor_sketch", "nystrom"}) {
    CHECK_FALSE(make(fmt::format("map: {{name: slay, polynomial: {}}}", square))->traits().non_negative);
  }
  for (const char* square : {"anchor", "exact", "none", "hadamard"}) {
    CHECK(make(fmt::format("map: {{name: slay, polynomial: {}}}", square))->traits().non_negative);
    CHECK(scores(fmt::format("map: {{name: slay, polynomial: {}}}", square)).min().item<double>() >= 0);
  }
  CHECK_THROWS_WITH(scores("heads: 4"), Catch::Contains("cannot be split into 4 heads"));
}

}  // namespace yatlab

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "catch.h"
#include "core/base/error.h"
#include "core/config/yaml.h"
#include "core/data/sparse_rows.h"
#include "core/model/architecture.h"
#include "plugins/extreme/architectures/label_ranker.h"
#include "plugins/extreme/architectures/one_vs_all_solver.h"
#include "plugins/extreme/architectures/row_weighting.h"
#include "plugins/extreme/tasks/ranking_metrics.h"

using namespace yatlab;

namespace {

const std::string kConfigs = std::string(YATLAB_SOURCE_DIR) + "/configs/architecture/";

// Random sparse rows and labels; labels depend on features, so that there is something to learn.
struct Problem {
  std::int64_t rows, features, labels;
  Split split;
  std::vector<std::vector<std::int64_t>> positives;  // rows of each label

  Problem(std::int64_t n, std::int64_t f, std::int64_t l, unsigned seed)
      : rows(n), features(f), labels(l), positives(static_cast<std::size_t>(l)) {
    std::mt19937 random(seed);
    const auto uniform = [&] { return static_cast<double>(random() % 1000003u) / 1000003.0; };
    auto x = at::zeros({n, f}), y = at::zeros({n, l});
    for (std::int64_t r = 0; r < n; ++r) {
      for (std::int64_t c = 0; c < f; ++c) {
        if (uniform() < 0.2) x[r][c] = 0.05 + uniform();
      }
      for (std::int64_t k = 0; k < l; ++k) {
        if (x[r][k % f].item<double>() + 0.3 * uniform() > 0.6) y[r][k] = 1;
      }
    }
    split = {feature_rows(x, "test"), feature_rows(y, "test")};
    for (std::int64_t r = 0; r < n; ++r) {
      for (std::int64_t k = 0; k < l; ++k) {
        if (y[r][k].item<float>() != 0) positives[static_cast<std::size_t>(k)].push_back(r);
      }
    }
  }
};

// F and its gradient in double, on dense matrices: the solver's objective.
double objective(const at::Tensor& x, const at::Tensor& y, const at::Tensor& w, bool hinge, double c, at::Tensor* gradient = nullptr) {
  const auto m = y * x.mv(w);
  const auto miss = (1 - m).clamp_min(0);
  const auto e = (-m.abs()).exp();
  const auto losses = hinge ? miss * miss : (-m).clamp_min(0) + e.log1p();
  if (gradient) {
    const auto slope = hinge ? -2 * y * miss : -y * at::sigmoid(-m);
    *gradient = w + c * x.t().mv(slope);
  }
  return 0.5 * w.dot(w).item<double>() + c * losses.sum().item<double>();
}

// Slow and reliable: gradient descent with Nesterov's momentum and steps 1 / L, to a gradient of 1e-9.
double slow_minimum(const at::Tensor& x, const at::Tensor& y, bool hinge, double c) {
  const double curvature = (hinge ? 2.0 : 0.25) * c * x.pow(2).sum().item<double>() + 1;  // above the Hessian's norm
  const double root = std::sqrt(curvature), momentum = (root - 1) / (root + 1);
  auto w = at::zeros({x.size(1)}, at::kDouble), v = w.clone();
  at::Tensor gradient;
  for (int i = 0; i < 200000; ++i) {
    objective(x, y, v, hinge, c, &gradient);
    const auto next = v - gradient / curvature;
    v = next + momentum * (next - w);
    w = next;
    if (gradient.norm().item<double>() < 1e-9) break;
  }
  REQUIRE(gradient.norm().item<double>() < 1e-6);
  return objective(x, y, w, hinge, c);
}

std::shared_ptr<Architecture> built(const std::string& config, std::int64_t features, std::int64_t labels) {
  auto model = Registry<Architecture>::create(parse_yaml(config, "test"));
  BuildContext context;
  context.input_shape = {features};
  context.num_classes = labels;
  model->build(context);
  return model;
}

std::shared_ptr<Architecture> fitted(const std::string& config, const Problem& p, std::int64_t threads = 1) {
  auto model = built(config, p.features, p.labels);
  FitContext context{p.split};
  context.threads = threads;
  model->fit(context);
  return model;
}

}  // namespace

TEST_CASE("The one-vs-all solver reaches the optimum that a slow solver finds", "[baselines]") {
  const Problem p(80, 15, 7, 1);
  const auto x = sparse_rows(p.split.inputs);
  for (const bool hinge : {true, false}) {
    for (const double c : {0.1, 1.0, 10.0}) {
      for (const double bias : {0.0, 1.0}) {
        OneVsAllOptions options;
        options.loss = hinge ? OneVsAllOptions::Loss::kSquaredHinge : OneVsAllOptions::Loss::kLogistic;
        options.c = c;
        options.bias = bias;
        options.tolerance = 1e-3;
        OneVsAllReport report;
        const auto w = solve_one_vs_all(x, p.positives, options, &report);
        REQUIRE(w.size() == 16);
        REQUIRE(report.objective.size() == 7);
        auto dense = p.split.inputs.to_dense().to(at::kDouble);
        dense = at::cat({dense, at::full({p.rows, 1}, bias, at::kDouble)}, 1);
        for (std::int64_t l = 0; l < p.labels; ++l) {
          INFO("hinge " << hinge << ", C " << c << ", bias " << bias << ", label " << l);
          const auto y = p.split.targets.to_dense().select(1, l).to(at::kDouble) * 2 - 1;
          auto found = at::zeros({16}, at::kDouble);
          for (std::int64_t f = 0; f < 16; ++f) found[f] = static_cast<double>(w[static_cast<std::size_t>(f)][l]);
          at::Tensor gradient;
          const double best = slow_minimum(dense, y, hinge, c), reached = objective(dense, y, found, hinge, c, &gradient);
          CHECK(report.converged[static_cast<std::size_t>(l)]);
          CHECK(reached >= best * (1 - 1e-9));
          // F is strongly convex with constant 1: the optimality gap is at most |grad|^2 / 2.
          CHECK(reached - best <= 0.5 * gradient.square().sum().item<double>() + 1e-6 * best);
          CHECK(reached <= best * (1 + 2e-4));
          CHECK(report.objective[static_cast<std::size_t>(l)] == Approx(reached).epsilon(1e-5));
          CHECK(report.gradient_norm[static_cast<std::size_t>(l)] == Approx(gradient.norm().item<double>()).margin(2e-3));
        }
      }
    }
  }
}

TEST_CASE("Labels solved together have the same solution as separately", "[baselines]") {
  const Problem p(60, 12, 9, 2);
  const auto x = sparse_rows(p.split.inputs);
  OneVsAllOptions options;
  options.tolerance = 1e-3;
  const auto together = solve_one_vs_all(x, p.positives, options);
  for (std::size_t l = 0; l < p.positives.size(); ++l) {
    const auto alone = solve_one_vs_all(x, {p.positives[l]}, options);
    for (std::size_t f = 0; f < alone.size(); ++f) {
      CHECK(alone[f][0] == Approx(together[f][static_cast<std::int64_t>(l)]).margin(2e-3));
    }
  }
}

TEST_CASE("A label that never occurs gets negative scores", "[baselines]") {
  const Problem p(50, 10, 2, 3);
  OneVsAllReport report;
  const auto w = solve_one_vs_all(sparse_rows(p.split.inputs), {{}}, OneVsAllOptions{}, &report);
  CHECK(report.converged[0]);
  CHECK(w.back()[0] < -0.9f);
}

TEST_CASE("one_vs_all_linear scores follow from its weights for any number of threads", "[baselines]") {
  const Problem p(90, 20, 37, 4);  // three groups of labels
  const std::string config = "{name: one_vs_all_linear, prune: 0, tolerance: 1e-3, values: as_given}";
  auto model = fitted(config, p);
  CHECK(model->fits_itself());
  const auto scores = model->forward(p.split.inputs);
  REQUIRE(scores.sizes() == at::IntArrayRef({90, 37}));
  // Against the solver, label by label.
  OneVsAllOptions options;
  options.tolerance = 1e-3;
  for (const std::int64_t l : {0, 15, 16, 36}) {
    const auto w = solve_one_vs_all(sparse_rows(p.split.inputs), {p.positives[static_cast<std::size_t>(l)]}, options);
    auto weights = at::zeros({20});
    for (std::int64_t f = 0; f < 20; ++f) weights[f] = w[static_cast<std::size_t>(f)][0];
    const auto expected = p.split.inputs.to_dense().mv(weights) + w.back()[0];
    CHECK(at::allclose(scores.select(1, l), expected, 1e-2, 5e-3));
  }
  CHECK(fitted(config, p, 3)->forward(p.split.inputs).equal(scores));
  // Ranking in blocks equals ranking the scores.
  const auto best = dynamic_cast<LabelRanker&>(*model).top_k(p.split.inputs, 5);
  const auto [values, order] = scores.sort(/*stable=*/true, 1, /*descending=*/true);
  CHECK(best.indices.equal(order.narrow(1, 0, 5)));
  CHECK(best.scores.equal(values.narrow(1, 0, 5)));
  // Dense inputs and class indices are also accepted.
  CHECK(model->forward(p.split.inputs.to_dense()).equal(scores));
  CHECK(model->observables().at("model/converged") == 1);

  SECTION("pruning removes small weights only") {
    const auto density = [](Architecture& m) { return m.observables().at("model/density"); };
    auto pruned = fitted("{name: one_vs_all_linear, prune: 0.3, tolerance: 1e-3, values: as_given}", p);
    CHECK(density(*pruned) < density(*model));
    const auto weights = [&](Architecture& m) {
      const auto zero = m.forward(at::zeros({1, 20}));
      return m.forward(at::eye(20)) - zero;  // [features, labels]
    };
    const auto all = weights(*model);
    const auto kept = at::where(all.abs() < 0.3, at::zeros_like(all), all);
    CHECK(at::allclose(weights(*pruned), kept, 0, 1e-6));
  }
}

TEST_CASE("one_vs_all_linear stops on request and reports progress", "[baselines]") {
  const Problem p(60, 12, 40, 5);
  auto model = built("{name: one_vs_all_linear}", p.features, p.labels);
  FitContext context{p.split};
  std::vector<std::int64_t> seen;
  context.progress = [&](std::int64_t done, std::int64_t total) {
    CHECK(total == 40);
    seen.push_back(done);
  };
  model->fit(context);
  CHECK(seen == std::vector<std::int64_t>{16, 32, 40});
  seen.clear();
  context.stop = [&] { return !seen.empty(); };
  model->fit(context);
  CHECK(seen == std::vector<std::int64_t>{16});
}

TEST_CASE("nearest_neighbours equals a dense search, ties included", "[baselines]") {
  for (const unsigned seed : {6u, 7u}) {
    Problem p(70, 11, 13, seed);
    if (seed == 7u) {  // the same rows several times: equal similarities
      std::vector<std::int64_t> rows;
      for (std::int64_t r = 0; r < 70; ++r) rows.push_back(r % 20);
      p.split = {select_sparse_rows(p.split.inputs, rows), p.split.targets};
    }
    const Problem test(35, 11, 13, seed + 100);
    auto model = fitted("{name: nearest_neighbours, neighbours: 6}", p);
    const auto scores = model->forward(test.split.inputs);
    const auto unit = [](const at::Tensor& t) {
      const auto d = t.to_dense().to(at::kDouble);
      return d / d.norm(2, {1}, true).clamp_min(1e-300);
    };
    const auto similarity = unit(test.split.inputs).mm(unit(p.split.inputs).t());
    const auto labels = p.split.targets.to_dense().to(at::kDouble);
    const auto best = dynamic_cast<LabelRanker&>(*model).top_k(test.split.inputs, 4);
    for (std::int64_t r = 0; r < 35; ++r) {
      std::vector<std::int64_t> order;
      const auto at = [&](std::int64_t i) { return std::round(similarity[r][i].item<double>() * 1e5); };
      for (std::int64_t i = 0; i < 70; ++i) order.push_back(i);
      std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return at(a) > at(b); });
      auto expected = at::zeros({13}, at::kDouble);
      for (int i = 0; i < 6; ++i)
        expected += similarity[r][order[static_cast<std::size_t>(i)]] * labels[order[static_cast<std::size_t>(i)]];
      CHECK(at::allclose(scores[r].to(at::kDouble), expected, 1e-4, 1e-5));
      // The ranking holds the labels that have a vote, best first, then -1.
      const auto voted = scores[r].gt(0).sum().item<std::int64_t>();
      for (std::int64_t i = 0; i < 4; ++i) {
        const auto label = best.indices[r][i].item<std::int64_t>();
        CHECK((label >= 0) == (i < voted));
        if (label >= 0) CHECK(scores[r][label].item<float>() == best.scores[r][i].item<float>());
        if (i > 0) CHECK(best.scores[r][i].item<float>() <= best.scores[r][i - 1].item<float>());
      }
    }
  }
}

TEST_CASE("An input unlike any training row has no neighbours", "[baselines]") {
  const Problem p(20, 6, 4, 8);
  auto model = fitted("{name: nearest_neighbours}", p);
  const auto best = dynamic_cast<LabelRanker&>(*model).top_k(feature_rows(at::zeros({1, 6}), "test"), 3);
  CHECK(best.indices.eq(-1).all().item<bool>());
  CHECK(model->forward(at::zeros({1, 6})).eq(0).all().item<bool>());
}

TEST_CASE("Feature values can be reweighted", "[baselines]") {
  // Feature 0 is in all four rows, 1 in two, 2 in one, 3 in none.
  const auto x =
      feature_rows(at::tensor({3.f, 0.f, 0.f, 0.f, 1.f, 2.f, 0.f, 0.f, 1.f, 1.f, 0.f, 0.f, 5.f, 0.f, 4.f, 0.f}).view({4, 4}), "test");
  using Kind = RowWeighting::Kind;
  const auto idf = RowWeighting::feature_weights(Kind::kTfidf, x);
  CHECK(at::allclose(idf, at::tensor({0.f, std::log(2.f), std::log(4.f), std::log(4.f)})));
  CHECK(RowWeighting::feature_weights(Kind::kUnit, x).equal(at::ones({4})));
  CHECK(RowWeighting::feature_weights(Kind::kAsGiven, narrow_sparse_rows(x, 0, 2)).equal(at::ones({4})));  // one a feature, not one a row
  CHECK(RowWeighting::apply(Kind::kAsGiven, idf, x).is_same(x));
  const auto unit = RowWeighting::apply(Kind::kUnit, idf, x).to_dense();
  CHECK(at::allclose(unit.norm(2, {1}), at::ones({4})));
  const auto weighted = RowWeighting::apply(Kind::kTfidf, idf, x).to_dense();
  CHECK(weighted[0].eq(0).all().item<bool>());  // only the word that every row has
  CHECK(at::allclose(weighted[3], at::tensor({0.f, 0.f, 1.f, 0.f})));
  // Both models accept it.
  const Problem p(60, 12, 5, 9);
  for (const char* name : {"one_vs_all_linear", "nearest_neighbours"}) {
    auto plain = fitted(fmt::format("{{name: {}}}", name), p), tfidf = fitted(fmt::format("{{name: {}, values: tfidf}}", name), p);
    CHECK_FALSE(plain->forward(p.split.inputs).equal(tfidf->forward(p.split.inputs)));
  }
}

TEST_CASE("Class indices become rows with a single label", "[baselines]") {
  const auto rows = label_rows(at::tensor(std::vector<std::int64_t>{2, 0, 2}, at::kLong), 4);
  CHECK(rows.to_dense().equal(at::tensor({0.f, 0.f, 1.f, 0.f, 1.f, 0.f, 0.f, 0.f, 0.f, 0.f, 1.f, 0.f}).view({3, 4})));
}

TEST_CASE("The baselines' config files contain their defaults", "[baselines]") {
  for (const char* name : {"one_vs_all_linear", "nearest_neighbours"}) {
    const auto& component = Registry<Architecture>::table().at(name);
    Node written = load_yaml(kConfigs + name + ".yaml"), defaults = Node::map();
    component.schema.complete(written, name);
    component.schema.complete(defaults, name);
    defaults.set("name", name);
    for (const auto& [key, value] : defaults.as_map()) {
      INFO(name << "." << key);
      REQUIRE(written.has(key));
      CHECK(written.at(key) == value);
    }
  }
}

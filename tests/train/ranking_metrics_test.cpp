#include "plugins/extreme/tasks/ranking_metrics.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>

#include "catch.h"
#include "core/base/error.h"
#include "core/data/sparse_rows.h"
#include "plugins/extreme/tasks/top_k.h"

using namespace yatlab;

namespace {

using Sets = std::vector<std::vector<std::int64_t>>;

at::Tensor csr(const Sets& rows, std::int64_t width) {
  std::vector<std::int64_t> starts{0}, columns;
  for (auto row : rows) {
    std::sort(row.begin(), row.end());
    columns.insert(columns.end(), row.begin(), row.end());
    starts.push_back(static_cast<std::int64_t>(columns.size()));
  }
  return make_sparse_rows(at::tensor(starts, at::kLong), at::tensor(columns, at::kLong),
                          at::ones({static_cast<std::int64_t>(columns.size())}), width);
}

at::Tensor ranking(const Sets& rows) {
  std::vector<std::int64_t> flat;
  for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  return at::tensor(flat, at::kLong).view({static_cast<std::int64_t>(rows.size()), -1});
}

Propensities weights(const std::vector<double>& inverse, const std::vector<double>& seen) {
  return {at::tensor(inverse, at::kDouble), at::tensor(seen, at::kDouble)};
}

// The definitions on dense 0/1 matrices, as in the field's reference code: flags of the first k,
// cumulative sums, means over all rows, and for the propensity-scored ones the same with an oracle's ranking.
std::map<std::string, double> slow_metrics(const Sets& predicted, const Sets& truth, std::int64_t labels,
                                           const std::vector<double>& inverse, const std::vector<double>& seen, std::int64_t k) {
  const auto n = static_cast<double>(truth.size());
  const auto at = [](const std::vector<double>& v, std::int64_t i) { return v[static_cast<std::size_t>(i)]; };
  const auto is_true = [&](std::size_t r, std::int64_t l) { return std::count(truth[r].begin(), truth[r].end(), l) > 0; };
  const auto norm = [&](std::size_t places) {
    double sum = 0;
    for (std::size_t i = 1; i <= places; ++i) sum += 1 / std::log2(static_cast<double>(i) + 1);
    return sum;
  };
  std::map<std::string, double> out;
  std::set<std::int64_t> occurring, found;
  double best_precision = 0, best_ndcg = 0;
  for (std::size_t r = 0; r < truth.size(); ++r) {
    occurring.insert(truth[r].begin(), truth[r].end());
    // The oracle ranks all labels by weight if true, else by 0.
    std::vector<std::int64_t> oracle(static_cast<std::size_t>(labels));
    std::iota(oracle.begin(), oracle.end(), 0);
    std::stable_sort(oracle.begin(), oracle.end(),
                     [&](auto a, auto b) { return (is_true(r, a) ? at(inverse, a) : 0) > (is_true(r, b) ? at(inverse, b) : 0); });
    const double row_norm = norm(std::min(static_cast<std::size_t>(k), truth[r].empty() ? static_cast<std::size_t>(k) : truth[r].size()));
    for (std::int64_t i = 0; i < k; ++i) {
      const double discount = 1 / std::log2(static_cast<double>(i) + 2);
      const auto p = predicted[r][static_cast<std::size_t>(i)];
      if (p >= 0 && is_true(r, p)) {
        found.insert(p);
        out["P"] += 1 / static_cast<double>(k) / n;
        out["nDCG"] += discount / row_norm / n;
        out["recall"] += 1 / static_cast<double>(truth[r].size()) / n;
        out["PSP"] += at(inverse, p) / static_cast<double>(k) / n;
        out["PSnDCG"] += at(inverse, p) * discount / row_norm / n;
        out["psp_raw"] += at(seen, p) / static_cast<double>(k) / n;
      }
      const auto o = oracle[static_cast<std::size_t>(i)];
      if (is_true(r, o)) {
        best_precision += at(inverse, o) / static_cast<double>(k) / n;
        best_ndcg += at(inverse, o) * discount / row_norm / n;
      }
    }
  }
  out["PSP"] /= best_precision;
  out["PSnDCG"] /= best_ndcg;
  out["coverage"] = static_cast<double>(found.size()) / static_cast<double>(occurring.size());
  return out;
}

}  // namespace

TEST_CASE("Ranking metrics agree with values worked out by hand", "[ranking]") {
  // Labels 0..5 with 1/p = 1, 2, 3, 4, 5, 8; label 5 is unseen in training. Five rows, best first:
  //   row  true        first three   hits at      1/p of hits
  //   0    {0, 3}      3 0 1         1, 2         4, 1
  //   1    {1}         0 1 2            2            2
  //   2    {}          4 5 0         none
  //   3    {2, 4, 5}   5 1 4         1,    3      8,    5
  //   4    {0}         2 3 4         none
  const Sets truth = {{0, 3}, {1}, {}, {2, 4, 5}, {0}};
  const Sets predicted = {{3, 0, 1}, {0, 1, 2}, {4, 5, 0}, {5, 1, 4}, {2, 3, 4}};
  const auto m = ranking_metrics(ranking(predicted), csr(truth, 6), weights({1, 2, 3, 4, 5, 8}, {1, 2, 3, 4, 5, 0}), {1, 3});
  const double d2 = 1 / std::log2(3.0), d3 = 0.5;  // discounts of the second and third rank
  const auto near = [&](const char* name, double value) {
    INFO(name);
    CHECK(m.at(name) == Approx(value).margin(1e-12));
  };
  REQUIRE(m.size() == 14);
  near("P@1", 2.0 / 5);  // rows 0 and 3
  near("P@3", (2 + 1 + 2) / 15.0);
  near("nDCG@1", 2.0 / 5);
  near("nDCG@3", ((1 + d2) / (1 + d2) + d2 / 1 + (1 + d3) / (1 + d2 + d3)) / 5);
  near("recall@1", (1 / 2.0 + 1 / 3.0) / 5);
  near("recall@3", (1 + 1 + 2 / 3.0) / 5);
  near("coverage@1", 2 / 6.0);  // labels 3 and 5, of the six that occur
  near("coverage@3", 5 / 6.0);  // all but 2
  near("PSP@1", (4 + 8.0) / (4 + 2 + 8 + 1));
  near("PSP@3", (5 + 2 + 13.0) / (5 + 2 + 16 + 1));
  near("PSnDCG@1", (4 + 8.0) / (4 + 2 + 8 + 1));
  const double best = (4 + 1 * d2) / (1 + d2) + 2 + (8 + 5 * d2 + 3 * d3) / (1 + d2 + d3) + 1;
  near("PSnDCG@3", ((4 + 1 * d2) / (1 + d2) + 2 * d2 + (8 + 5 * d3) / (1 + d2 + d3)) / best);
  near("psp_raw@1", 4 / 5.0);  // row 3 hits the unseen label 5: it counts 0
  near("psp_raw@3", (5 + 2 + 5) / 15.0);
}

TEST_CASE("Propensities by Jain, Prabhu and Varma", "[ranking]") {
  // N = 15539, A = 0.55, B = 1.5: the constants in the notes on the author's code.
  const auto p = propensities(at::tensor(std::vector<std::int64_t>{1, 100, 1000, 0}, at::kLong), 15539);
  const auto* inverse = p.inverse.data_ptr<double>();
  const double c = (std::log(15539.0) - 1) * std::pow(2.5, 0.55);
  CHECK(c == Approx(14.32).margin(0.01));
  CHECK(inverse[0] == Approx(9.65).margin(0.005));
  CHECK(inverse[1] == Approx(2.13).margin(0.005));
  CHECK(inverse[2] == Approx(1.32).margin(0.005));
  CHECK(inverse[3] == Approx(1 + c * std::pow(1.5, -0.55)).epsilon(1e-12));
  const auto* seen = p.seen.data_ptr<double>();
  CHECK(seen[0] == inverse[0]);
  CHECK(seen[3] == 0);
  // Amazon's constants.
  const auto amazon = propensities(at::tensor(std::vector<std::int64_t>{7}, at::kLong), 490449, 0.6, 2.6);
  CHECK(amazon.inverse.item<double>() == Approx(1 + (std::log(490449.0) - 1) * std::pow(3.6, 0.6) * std::pow(9.6, -0.6)).epsilon(1e-12));
}

TEST_CASE("propensities are probabilities for any number of rows and perfect PSP is 1", "[ranking]") {
  for (std::int64_t rows = 0; rows <= 8; ++rows) {
    INFO(rows << " rows");
    // Labels with no training row, with one, with all.
    const auto p = propensities(at::tensor(std::vector<std::int64_t>{0, std::min<std::int64_t>(1, rows), rows, 0}, at::kLong), rows);
    CHECK(p.inverse.min().item<double>() >= 1);
    CHECK((p.inverse.max().item<double>() > 1) == (rows >= 3));                                            // ln 3 > 1
    const auto m = ranking_metrics(ranking({{0, 1, 2}, {3, 1, 0}}), csr({{0, 1, 2}, {3}}, 4), p, {1, 3});  // the rarest first
    for (const char* name : {"PSP@1", "PSP@3", "PSnDCG@1", "PSnDCG@3"}) CHECK(m.at(name) == Approx(1).epsilon(1e-12));
    for (const auto& entry : m) CHECK(entry.second >= 0);
    // A miss still counts as a miss.
    const auto half = ranking_metrics(ranking({{2, 3, 3}, {0, 1, 2}}), csr({{0, 1, 2}, {3}}, 4), p, {1});
    CHECK(half.at("PSP@1") > 0);
    CHECK(half.at("PSP@1") < 0.51);
  }
}

TEST_CASE("propensities beyond double precision are rejected", "[ranking]") {
  const auto counts = at::tensor(std::vector<std::int64_t>{0, 2}, at::kLong);
  for (const std::int64_t rows : {2, 100}) {
    try {
      propensities(counts, rows, 2000, 1.5);
      FAIL("A = 2000 was accepted");
    } catch (const Error& e) {
      CHECK(e.kind() == ErrorKind::kConfig);
      CHECK(e.where() == "task.propensity_a, task.propensity_b");
    }
  }
  CHECK_THROWS_AS(propensities(counts, 100, 10, 1e-300), Error);
  CHECK(propensities(counts, 100, 10, 1e-3).inverse.isfinite().all().item<bool>());
}

TEST_CASE("Ranking metrics equal a slow reference on random data, ties and empty rows included", "[ranking]") {
  std::mt19937 random(3);
  const auto draw = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 40; ++round) {
    const std::int64_t labels = 6 + draw(30), rows = 1 + draw(40);
    Sets truth, predicted;
    for (std::int64_t r = 0; r < rows; ++r) {
      std::vector<std::int64_t> all(static_cast<std::size_t>(labels));
      std::iota(all.begin(), all.end(), 0);
      std::shuffle(all.begin(), all.end(), random);
      truth.emplace_back(all.begin(), all.begin() + draw(std::min<std::int64_t>(labels, 9)));  // often none
      std::shuffle(all.begin(), all.end(), random);
      predicted.emplace_back(all.begin(), all.begin() + 6);
      if (draw(4) == 0) std::fill(predicted.back().begin() + 1 + draw(5), predicted.back().end(), -1);
    }
    truth[0] = {draw(labels)};  // some label is true
    std::vector<double> inverse, seen;
    for (std::int64_t l = 0; l < labels; ++l) {
      inverse.push_back(1 + static_cast<double>(draw(5)));  // ties among the weights
      seen.push_back(draw(3) == 0 ? 0 : inverse.back());
    }
    const auto fast = ranking_metrics(ranking(predicted), csr(truth, labels), weights(inverse, seen), {1, 2, 5});
    for (const std::int64_t k : {1, 2, 5}) {
      for (const auto& [name, value] : slow_metrics(predicted, truth, labels, inverse, seen, k)) {
        INFO(name << "@" << k << ", round " << round);
        CHECK(std::abs(fast.at(fmt::format("{}@{}", name, k)) - value) < 1e-9);
      }
    }
  }
}

TEST_CASE("Ranking metrics are right for perfect and empty rankings", "[ranking]") {
  const Sets truth = {{0, 1, 2}, {3}};
  const auto p = weights({1, 2, 3, 4}, {1, 2, 3, 4});
  const auto perfect = ranking_metrics(ranking({{2, 1, 0}, {3, 0, 1}}), csr(truth, 4), p, {1, 3});
  for (const char* name : {"P@1", "nDCG@1", "nDCG@3", "PSP@1", "PSP@3", "PSnDCG@3", "recall@3", "coverage@3"}) {
    INFO(name);
    CHECK(perfect.at(name) == Approx(1).epsilon(1e-12));
  }
  CHECK(perfect.at("P@3") == Approx(4 / 6.0));
  CHECK(perfect.at("psp_raw@1") == Approx(3.5));
  // Nothing to find gives 0, not NaN.
  for (const auto& [name, value] : ranking_metrics(ranking({{0, 1, 2}}), csr({{}}, 4), p, {1, 3})) {
    INFO(name);
    CHECK(value == 0);
  }
  // Without propensities their metrics are absent.
  const auto plain = ranking_metrics(ranking({{2, 1, 0}, {3, 0, 1}}), csr(truth, 4), {}, {1});
  CHECK(plain.size() == 4);
  CHECK(plain.count("PSP@1") == 0);
  CHECK_THROWS_AS(ranking_metrics(ranking({{2, 1}, {3, 0}}), csr(truth, 4), p, {3}), Error);
  CHECK_THROWS_AS(ranking_metrics(ranking({{2}}), csr(truth, 4), p, {1}), Error);
  CHECK_THROWS_AS(ranking_metrics(ranking({{2}, {3}}), csr(truth, 4), weights({1}, {1}), {1}), Error);
}

TEST_CASE("Of equal scores the lower label ranks first", "[ranking]") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const auto scores = at::tensor({1.f,  3.f,  3.f, 2.f, 3.f,   //
                                  0.f,  0.f,  0.f, 0.f, 0.f,   //
                                  nan,  -inf, nan, 5.f, -1.f,  //
                                  -0.f, 0.f,  inf, inf, -1.f})
                          .view({4, 5});
  const auto best = top_k_labels(scores, 4);
  const std::vector<std::int64_t> expected = {1, 2, 4, 3, 0, 1, 2, 3, 3, 4, 1, 0, 2, 3, 0, 1};
  CHECK(best.indices.equal(at::tensor(expected, at::kLong).view({4, 4})));
  CHECK(best.scores[0].equal(at::tensor({3.f, 3.f, 3.f, 2.f})));
  // k above the number of labels: -1 and -inf.
  const auto all = top_k_labels(scores.narrow(0, 0, 1), 7);
  CHECK(all.indices.equal(at::tensor(std::vector<std::int64_t>{1, 2, 4, 3, 0, -1, -1}, at::kLong).view({1, 7})));
  CHECK(all.scores[0][6].item<float>() == -inf);
  CHECK_THROWS_AS(top_k_labels(scores, 0), Error);
}

TEST_CASE("Label blocks in any order rank like the whole", "[ranking]") {
  std::mt19937 random(11);
  for (int round = 0; round < 30; ++round) {
    const std::int64_t rows = 1 + static_cast<std::int64_t>(random() % 9), labels = 1 + static_cast<std::int64_t>(random() % 60),
                       k = 1 + round % 8;
    auto scores = at::empty({rows, labels});
    for (std::int64_t i = 0; i < scores.numel(); ++i) scores.data_ptr<float>()[i] = static_cast<float>(random() % 6);  // many ties
    const auto whole = top_k_labels(scores, k);
    // An independent ranking: a stable sort of everything.
    for (std::int64_t r = 0; r < rows; ++r) {
      std::vector<std::int64_t> order(static_cast<std::size_t>(labels));
      std::iota(order.begin(), order.end(), 0);
      const auto* s = scores.data_ptr<float>() + r * labels;
      std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return s[a] > s[b]; });
      for (std::int64_t i = 0; i < std::min(k, labels); ++i)
        REQUIRE(whole.indices[r][i].item<std::int64_t>() == order[static_cast<std::size_t>(i)]);
    }
    TopKMerger merger(rows, k);
    std::vector<std::int64_t> firsts;
    const std::int64_t size = 1 + static_cast<std::int64_t>(random() % 20);
    for (std::int64_t f = 0; f < labels; f += size) firsts.push_back(f);
    std::shuffle(firsts.begin(), firsts.end(), random);
    for (const auto f : firsts) merger.add(scores.narrow(1, f, std::min(size, labels - f)), f);
    const auto merged = merger.take();
    CHECK(merged.indices.equal(whole.indices));
    CHECK(merged.scores.equal(whole.scores));
  }
}

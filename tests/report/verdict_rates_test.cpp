// How often the rule of the verdicts errs, by simulation: normal values of n seeds, in units of the tolerance.
#include <fmt/format.h>

#include <iostream>
#include <map>
#include <random>

#include "catch.h"
#include "core/verdict/statistics.h"
#include "core/verdict/verdict.h"

using namespace yatlab;

namespace {

struct Case {
  std::size_t n;
  double spread;     // standard deviation over seeds
  double shift;      // true mean - the paper's value
  bool run = false;  // the paper's value is one run of its own, spread as ours
};

/// Shares of the verdicts among `trials` repetitions.
std::map<Verdict, double> rates(const Case& c, int trials) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  std::map<Verdict, double> out;
  VerdictInput in;
  in.tolerance = 1;
  in.values.resize(c.n);
  for (int i = 0; i < trials; ++i) {
    const double paper = c.run ? c.spread * normal(random) : 0;
    in.paper = {paper, paper};
    for (auto& v : in.values) v = c.shift + c.spread * normal(random);
    out[judge(in).verdict] += 1.0 / trials;
  }
  return out;
}

const std::vector<std::size_t> kSampleSizes = {3, 5, 10, 20};
const std::vector<double> kSpreads = {0.1, 0.3, 1.0, 3.0};

}  // namespace

TEST_CASE("error rates of the verdicts are bounded", "[rates]") {
  constexpr int kTrials = 2000;
  constexpr double kNoise = 0.016;  // 3.3 standard errors of a share of 0.05
  for (const auto n : kSampleSizes) {
    for (const double spread : kSpreads) {
      CAPTURE(n, spread);
      // At the tolerance and beyond, "reproduced" is false.
      for (const double shift : {1.0, 1.5}) CHECK(rates({n, spread, shift}, kTrials)[Verdict::kReproduced] <= 0.05 + kNoise);
      if (n < 5) CHECK(rates({n, spread, 0}, kTrials)[Verdict::kReproduced] == 0);
      // Where there is no difference, or one within the tolerance, "differs" is false; also when the paper's value is a run like ours.
      for (const double shift : {0.0, 1.0}) CHECK(rates({n, spread, shift}, kTrials)[Verdict::kDiffers] <= 0.05 + kNoise);
      CHECK(rates({n, spread, 0, true}, kTrials)[Verdict::kDiffers] <= 0.05 + kNoise);
    }
  }
  // And the rule does tell, where the spread allows it.
  CHECK(rates({5, 0.3, 0}, kTrials)[Verdict::kReproduced] > 0.95);
  CHECK(rates({10, 0.3, 0.5}, kTrials)[Verdict::kReproduced] > 0.95);
  CHECK(rates({10, 1, 0}, kTrials)[Verdict::kReproduced] > 0.7);
  CHECK(rates({3, 0.1, 2}, kTrials)[Verdict::kDiffers] > 0.95);
  CHECK(rates({5, 0.3, 2}, kTrials)[Verdict::kDiffers] > 0.9);
  CHECK(rates({10, 1, 4}, kTrials)[Verdict::kDiffers] > 0.9);
}

TEST_CASE("Holm's adjustment bounds the chance of any false direction", "[rates]") {
  constexpr int kTrials = 2000;
  std::mt19937_64 random(12);
  std::normal_distribution<double> normal;
  double plain = 0, adjusted = 0;
  for (int i = 0; i < kTrials; ++i) {
    std::vector<double> p;
    for (int arm = 0; arm < 12; ++arm) {
      std::vector<double> a(5), b(5);
      for (auto& v : a) v = normal(random);
      for (auto& v : b) v = normal(random);
      p.push_back(*paired_test(a, b).p);
    }
    const auto h = holm(p);
    plain += *std::min_element(p.begin(), p.end()) < 0.05;
    adjusted += *std::min_element(h.begin(), h.end()) < 0.05;
  }
  CHECK(adjusted / kTrials <= 0.05 + 0.016);
  CHECK(plain / kTrials > 0.3);  // what it is for
}

// Prints the table of docs/results.md.
TEST_CASE("the table of error rates", "[.][rates-table]") {
  constexpr int kTrials = 20000;
  const auto shares = [&](const Case& c) {
    auto r = rates(c, kTrials);
    const auto percent = [&](Verdict v) { return fmt::format("{:.0f}", 100 * r[v]); };
    return fmt::format("{} / {} / {} / {}", percent(Verdict::kReproduced), percent(Verdict::kConsistent), percent(Verdict::kDiffers),
                       percent(Verdict::kInconclusive));
  };
  std::cout << "| n | s | d = 0 | d = 0, paper a run | d = 0.5 | d = 1 | d = 2 | d = 4 |\n|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  for (const auto n : kSampleSizes) {
    for (const double s : kSpreads) {
      std::cout << fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", n, s, shares({n, s, 0}), shares({n, s, 0, true}),
                               shares({n, s, 0.5}), shares({n, s, 1}), shares({n, s, 2}), shares({n, s, 4}));
    }
  }
  SUCCEED();
}

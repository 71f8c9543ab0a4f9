// Error rates of the verdicts' rule, by simulation: normal values of n seeds, in units of the tolerance.
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
  bool run = false;  // the paper's value is a single run, with the same spread as ours
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

/// The same if the paper prints a sample, of `theirs` runs with the spread `own`. pairs: the values of its seeds, which ours share
/// together with most of their spread.
struct SampleCase {
  std::size_t n, theirs;
  double spread, own, shift;
  bool pairs = false;
};

std::map<Verdict, double> sample_rates(const SampleCase& c, int trials) {
  std::mt19937_64 random(13);
  std::normal_distribution<double> normal;
  std::map<Verdict, double> out;
  VerdictInput in;
  in.tolerance = 1;
  in.values.resize(c.n);
  for (std::size_t i = 0; i < c.n; ++i) in.seeds.push_back(static_cast<std::int64_t>(i));
  for (int i = 0; i < trials; ++i) {
    std::vector<double> shared(std::max(c.n, c.theirs)), paper(c.theirs);
    for (auto& v : shared) v = c.pairs ? 3 * c.spread * normal(random) : 0;
    for (std::size_t k = 0; k < c.n; ++k) in.values[k] = c.shift + shared[k] + c.spread * normal(random);
    for (std::size_t k = 0; k < c.theirs; ++k) paper[k] = shared[k] + c.own * normal(random);
    in.sample = PaperSample{summarize(paper), {}, {}};
    if (c.pairs) {
      in.sample->values = paper;
      in.sample->seeds.assign(in.seeds.begin(), in.seeds.begin() + static_cast<std::ptrdiff_t>(c.theirs));
    }
    in.paper = {in.sample->summary.mean, in.sample->summary.mean};
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
      // At or beyond the tolerance, "reproduced" is wrong.
      for (const double shift : {1.0, 1.5}) CHECK(rates({n, spread, shift}, kTrials)[Verdict::kReproduced] <= 0.05 + kNoise);
      if (n < 5) CHECK(rates({n, spread, 0}, kTrials)[Verdict::kReproduced] == 0);
      // Without a difference, or with one within the tolerance, "differs" is wrong; also if the paper's value is a single run like ours.
      for (const double shift : {0.0, 1.0}) CHECK(rates({n, spread, shift}, kTrials)[Verdict::kDiffers] <= 0.05 + kNoise);
      CHECK(rates({n, spread, 0, true}, kTrials)[Verdict::kDiffers] <= 0.05 + kNoise);
    }
  }
  // And the rule does decide where the spread allows it.
  CHECK(rates({5, 0.3, 0}, kTrials)[Verdict::kReproduced] > 0.95);
  CHECK(rates({10, 0.3, 0.5}, kTrials)[Verdict::kReproduced] > 0.95);
  CHECK(rates({10, 1, 0}, kTrials)[Verdict::kReproduced] > 0.7);
  CHECK(rates({3, 0.1, 2}, kTrials)[Verdict::kDiffers] > 0.95);
  CHECK(rates({5, 0.3, 2}, kTrials)[Verdict::kDiffers] > 0.9);
  CHECK(rates({10, 1, 4}, kTrials)[Verdict::kDiffers] > 0.9);
  // One run may well be two tolerances away with this spread, but the mean of twenty is not there.
  CHECK(rates({20, 1, 2}, kTrials)[Verdict::kConsistent] < 0.05);
}

TEST_CASE("error rates against a sample of the paper are bounded", "[rates]") {
  constexpr int kTrials = 2000;
  constexpr double kNoise = 0.016;
  for (const auto n : {5U, 10U}) {
    for (const auto theirs : {3U, 5U, 10U}) {
      for (const double spread : {0.3, 1.0}) {
        for (const double own : {0.1, 0.3, 1.0}) {
          CAPTURE(n, theirs, spread, own);
          for (const double shift : {1.0, 1.5})
            CHECK(sample_rates({n, theirs, spread, own, shift}, kTrials)[Verdict::kReproduced] <= 0.05 + kNoise);
          for (const double shift : {0.0, 1.0})
            CHECK(sample_rates({n, theirs, spread, own, shift}, kTrials)[Verdict::kDiffers] <= 0.05 + kNoise);
        }
      }
    }
  }
  for (const auto n : {5U, 10U}) {
    CAPTURE(n);
    CHECK(sample_rates({n, n, 0.3, 0.3, 1, true}, kTrials)[Verdict::kReproduced] <= 0.05 + kNoise);
    CHECK(sample_rates({n, n, 0.3, 0.3, 1, true}, kTrials)[Verdict::kDiffers] <= 0.05 + kNoise);
  }
  // And it does decide.
  CHECK(sample_rates({10, 10, 0.3, 0.3, 0}, kTrials)[Verdict::kReproduced] > 0.95);
  CHECK(sample_rates({5, 3, 0.1, 0.1, 2}, kTrials)[Verdict::kDiffers] > 0.95);
  CHECK(sample_rates({10, 10, 0.3, 0.3, 0, true}, kTrials)[Verdict::kReproduced] > 0.95);
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

// Prints the tables of docs/measurements/results.md.
TEST_CASE("the table of error rates", "[.][rates-table]") {
  constexpr int kTrials = 20000;
  const auto line = [&](std::map<Verdict, double> r) {
    const auto percent = [&](Verdict v) { return fmt::format("{:.0f}", 100 * r[v]); };
    return fmt::format("{} / {} / {} / {}", percent(Verdict::kReproduced), percent(Verdict::kConsistent), percent(Verdict::kDiffers),
                       percent(Verdict::kInconclusive));
  };
  const auto shares = [&](const Case& c) { return line(rates(c, kTrials)); };
  std::cout << "| n | s | d = 0 | d = 0, paper a run | d = 0.5 | d = 1 | d = 2 | d = 4 |\n|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  for (const auto n : kSampleSizes) {
    for (const double s : kSpreads) {
      std::cout << fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", n, s, shares({n, s, 0}), shares({n, s, 0, true}),
                               shares({n, s, 0.5}), shares({n, s, 1}), shares({n, s, 2}), shares({n, s, 4}));
    }
  }
  std::cout << "\n| n | the paper's n | s | d = 0 | d = 0.5 | d = 1 | d = 2 | d = 4 |\n|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  for (const auto n : {5U, 10U}) {
    for (const auto theirs : {3U, 5U, 10U}) {
      for (const double s : {0.3, 1.0}) {
        const auto at = [&](double shift) { return line(sample_rates({n, theirs, s, s, shift}, kTrials)); };
        std::cout << fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", n, theirs, s, at(0), at(0.5), at(1), at(2), at(4));
      }
    }
  }
  std::cout << "\n| pairs | s | d = 0 | d = 0.5 | d = 1 | d = 2 | d = 4 |\n|--:|--:|--:|--:|--:|--:|--:|\n";
  for (const auto n : {3U, 5U, 10U}) {
    const auto at = [&](double shift) { return line(sample_rates({n, n, 0.3, 0.3, shift, true}, kTrials)); };
    std::cout << fmt::format("| {} | 0.3 | {} | {} | {} | {} | {} |\n", n, at(0), at(0.5), at(1), at(2), at(4));
  }
  SUCCEED();
}

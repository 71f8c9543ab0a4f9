// Curves, prototypes and similarities that look like those of real runs.
#pragma once

#include "core/report/report.h"
#include "fake_run.h"

namespace yatlab::testing {

inline ReportOptions without_figures() {
  ReportOptions options;
  options.figures = false;
  return options;
}

/// A blurred seven-segment digit, 28 x 28, in [0, 1].
inline std::vector<double> blurred_digit(int digit) {
  static const int kSegments[] = {0x77, 0x24, 0x5D, 0x6D, 0x2E, 0x6B, 0x7B, 0x25, 0x7F, 0x6F};
  struct Stroke {
    double x0, y0, x1, y1;
  };
  static const Stroke kStrokes[] = {{9, 5, 19, 5},  {9, 5, 9, 14},    {19, 5, 19, 14}, {9, 14, 19, 14},
                                    {9, 14, 9, 23}, {19, 14, 19, 23}, {9, 23, 19, 23}};
  std::vector<double> out(28 * 28);
  for (int y = 0; y < 28; ++y) {
    for (int x = 0; x < 28; ++x) {
      double nearest = 1e9;
      for (int s = 0; s < 7; ++s) {
        if (!(kSegments[digit] >> s & 1)) continue;
        const auto& k = kStrokes[s];
        const double dx = std::max({k.x0 - x, 0.0, x - k.x1}), dy = std::max({k.y0 - y, 0.0, y - k.y1});
        nearest = std::min(nearest, std::sqrt(dx * dx + dy * dy));
      }
      out[static_cast<std::size_t>(y * 28 + x)] = std::exp(-nearest * nearest / 4);
    }
  }
  return out;
}

inline Json prototypes(bool yat, unsigned seed) {
  Random random(seed + (yat ? 100 : 0));
  Json data = Json::array();
  std::vector<std::vector<double>> digits;
  for (int d = 0; d < 10; ++d) digits.push_back(blurred_digit(d));
  for (std::size_t d = 0; d < 10; ++d) {
    for (std::size_t i = 0; i < 784; ++i) {
      double others = 0;
      for (std::size_t o = 0; o < 10; ++o) others += digits[o][i] / 10;
      const double signal = yat ? digits[d][i] - 0.2 * others : 0.5 * digits[d][i] - 0.6 * others;
      data.push_back(signal + (yat ? 0.08 : 0.25) * random.normal());
    }
  }
  return {{"shape", {10, 28, 28}}, {"data", data}};
}

inline Json similarities(bool yat, unsigned seed) {
  Random random(seed + (yat ? 50 : 0));
  std::vector<std::vector<double>> w;
  for (int d = 0; d < 10; ++d) {
    w.push_back(blurred_digit(d));
    for (double& v : w.back()) v += 0.2 * random.normal();
  }
  const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
    double s = 0;
    for (std::size_t i = 0; i < a.size(); ++i) s += a[i] * b[i];
    return s;
  };
  Json matrices = Json::object();
  for (const char* name : {"dot", "yat", "cosine", "euclidean"}) {
    Json rows = Json::array();
    for (const auto& a : w) {
      Json row = Json::array();
      for (const auto& b : w) {
        const double ab = dot(a, b), aa = dot(a, a), bb = dot(b, b), d2 = aa + bb - 2 * ab;
        const std::string n = name;
        row.push_back(n == "dot" ? ab : n == "yat" ? ab * ab / (d2 + 1e-5) : n == "cosine" ? ab / std::sqrt(aa * bb) : -d2);
      }
      rows.push_back(row);
    }
    matrices[name] = rows;
  }
  return {{"labels", {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}}, {"matrices", matrices}};
}

/// `mnist_run` with all data that figures read.
inline FakeRun mnist_run_with_artifacts() {
  FakeRun run = mnist_run();
  for (auto& job : run.jobs) {
    const bool yat = job.arm == "yat";
    Random random(static_cast<unsigned>(job.seed) + (yat ? 10 : 0));
    const double offset = 0.002 * random.normal();
    for (int step = 100; step <= 4700; step += 100) {
      const double t = step / 4700.0;
      job.curve.push_back(
          {{"step", step}, {"epoch", step / 938.0}, {"train/loss", (yat ? 0.27 : 0.29) + 1.5 * std::exp(-9 * t) + 0.01 * random.normal()}});
      if (step % 900 == 0)
        job.curve.push_back(
            {{"step", step}, {"epoch", step / 938.0}, {"test/accuracy", (yat ? 0.923 : 0.918) - 0.08 * std::exp(-5 * t) + offset}});
    }
    job.artifacts["prototypes"] = prototypes(yat, static_cast<unsigned>(job.seed));
    job.artifacts["prototype_similarity"] = similarities(yat, static_cast<unsigned>(job.seed));
    job.metrics["inverted/accuracy"] = yat ? 0.55 + 0.1 * random.normal() : 0.0001;
  }
  const std::string old = "  fig:mnist_prototypes: {plot: prototypes, seed: 0}\n";
  run.config.replace(run.config.find(old), old.size(), old + R"yaml(  fig:similarity: {plot: similarity}
  fig:curves: {plot: learning_curves, metrics: [train/loss, test/accuracy]}
  fig:paper: {plot: paper_comparison}
)yaml");
  return run;
}

/// epsilon x alpha, three seeds, one arm.
inline FakeRun sweep_run() {
  FakeRun run;
  run.experiment = "mnist_epsilon_alpha";
  run.arms = {"yat"};
  run.swept = {"operator.epsilon", "architecture.alpha"};
  for (double epsilon : {1e-5, 1e-3, 1e-1, 1.0, 10.0}) {
    for (double alpha : {0.5, 1.0, 2.0}) {
      for (int seed = 0; seed < 3; ++seed) {
        Random random(static_cast<unsigned>(seed + 10 * alpha - 3 * std::log10(epsilon)));
        const double e = std::log10(epsilon);
        const bool diverged = epsilon == 1e-5 && alpha == 2.0;
        run.jobs.push_back(
            {"yat",
             seed,
             {{"operator.epsilon", epsilon}, {"architecture.alpha", alpha}},
             diverged ? Json::object()
                      : Json{{"test/accuracy", 0.923 - 0.002 * e * (e > 0) - 0.003 * std::abs(alpha - 1) + 0.0008 * random.normal()},
                             {"inverted/accuracy", 0.5 + 0.05 * e + 0.1 * alpha + 0.05 * random.normal()},
                             {"model/alpha", 2.1 + 0.5 * alpha + 0.08 * random.normal()}},
             diverged ? "diverged" : "completed",
             {},
             {}});
      }
    }
  }
  run.config = R"yaml(name: mnist_epsilon_alpha
title: "ε and α of the ⵟ-product on MNIST"
arms: {yat: [operator=yat]}
metrics:
  test/accuracy: {title: test accuracy}
  inverted/accuracy: {title: accuracy of $-w$}
  model/alpha: {title: 'learned $\alpha$'}
tables:
  tab:epsilon_alpha:
    columns: [test/accuracy, inverted/accuracy, model/alpha]
figures:
  fig:epsilon_alpha: {plot: sweep_heatmap, x: operator.epsilon, y: architecture.alpha, metrics: [test/accuracy, inverted/accuracy, model/alpha]}
  fig:epsilon: {plot: sweep_lines, x: operator.epsilon, metrics: [test/accuracy, inverted/accuracy]}
paper:
  yat: {test/accuracy: 0.9238, inverted/accuracy: 0.8787}
  tolerance: {test/accuracy: 0.005, inverted/accuracy: 0.02}
)yaml";
  return run;
}

}  // namespace yatlab::testing

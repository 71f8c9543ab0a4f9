#include "plugins/extreme/tasks/ranking_metrics.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/base/error.h"
#include "core/data/sparse_rows.h"

namespace yatlab {
namespace {

// Sums over rows for one k.
struct Totals {
  double hits = 0, ndcg = 0, recall = 0, raw = 0;
  double weighted = 0, weighted_best = 0;      // 1 / p_l of hits, and of the best possible first k
  double discounted = 0, discounted_best = 0;  // the same, discounted by rank and normalised by row
  std::int64_t covered = 0;
};

}  // namespace

Propensities propensities(const at::Tensor& label_counts, std::int64_t rows, double a, double b) {
  const auto n = label_counts.to(at::kDouble);
  // With 1 or 2 rows ln N - 1 < 0 would give probabilities above 1; then every true label counts as observed.
  const double c = std::max(std::log(static_cast<double>(rows)) - 1, 0.0) * std::pow(b + 1, a);
  const auto inverse = 1 + c * at::pow(n + b, -a);
  if (!at::isfinite(inverse).all().item<bool>()) {
    throw config_error("the propensities of this task are not finite", "task.propensity_a, task.propensity_b",
                       fmt::format("A = {}, B = {}: C (N + B)^-A is not finite in double precision", a, b),
                       "write task.propensity_a=0.55 task.propensity_b=1.5, or similar values");
  }
  return {inverse, at::where(n > 0, inverse, at::zeros_like(inverse))};
}

std::vector<MetricDoc> ranking_metric_docs(const std::vector<std::int64_t>& ks) {
  std::vector<MetricDoc> out;
  for (const auto k : ks) {
    const auto add = [&](const char* name) -> MetricDoc& { return out.emplace_back(fmt::format("{}@{}", name, k)).higher(); };
    add("P").shown();
    add("nDCG");
    add("recall");
    add("coverage").called(fmt::format("labels found@{}", k));
    add("PSP").shown();
    add("PSnDCG");
    add("psp_raw").called(fmt::format("PSP@{}, not normalised", k));
  }
  return out;
}

std::map<std::string, double> ranking_metrics(const at::Tensor& predicted, const at::Tensor& targets, const Propensities& propensities,
                                              const std::vector<std::int64_t>& ks) {
  const auto truth = sparse_rows(targets);
  const auto ranking = predicted.to(at::kCPU, at::kLong).contiguous();
  const auto width = ranking.size(1);
  const auto deepest = ks.empty() ? 0 : *std::max_element(ks.begin(), ks.end());
  if (ks.empty() || *std::min_element(ks.begin(), ks.end()) < 1 || deepest > width || ranking.size(0) != truth.rows) {
    throw Error(ErrorKind::kInternal,
                fmt::format("metrics at {} of a ranking [{}, {}] of {} rows", fmt::join(ks, ", "), ranking.size(0), width, truth.rows));
  }
  const bool weighted = propensities.inverse.defined();
  const double* inverse = weighted ? propensities.inverse.data_ptr<double>() : nullptr;
  const double* seen = weighted ? propensities.seen.data_ptr<double>() : nullptr;
  if (weighted && (propensities.inverse.numel() != truth.width || propensities.seen.numel() != truth.width)) {
    throw Error(ErrorKind::kInternal, fmt::format("propensities of {} labels, targets of {}", propensities.inverse.numel(), truth.width));
  }

  std::vector<double> discount, discount_sum;  // by rank, and cumulative up to and including it
  for (std::int64_t i = 0; i < deepest; ++i) {
    discount.push_back(1 / std::log2(static_cast<double>(i) + 2));
    discount_sum.push_back((i > 0 ? discount_sum.back() : 0) + discount.back());
  }
  std::vector<Totals> totals(ks.size());
  // For each label the best rank of a hit; `deepest` without a hit, -1 for labels that are never true.
  std::vector<std::int64_t> best_place(static_cast<std::size_t>(truth.width), -1);
  std::vector<double> best;  // 1 / p_l of a row's labels, the rarest first
  for (std::int64_t r = 0; r < truth.rows; ++r) {
    const auto* begin = truth.columns + truth.starts[r];
    const auto* end = truth.columns + truth.starts[r + 1];
    const auto count = end - begin;
    if (count == 0) continue;
    for (const auto* l = begin; l != end; ++l) {
      auto& place = best_place[static_cast<std::size_t>(*l)];
      if (place < 0) place = deepest;
    }
    if (weighted) {
      best.assign(static_cast<std::size_t>(count), 0);
      std::transform(begin, end, best.begin(), [&](std::int64_t l) { return inverse[l]; });
      std::sort(best.begin(), best.end(), std::greater<>());
    }
    for (std::size_t j = 0; j < ks.size(); ++j) {
      const auto k = ks[j];
      auto& t = totals[j];
      double hits = 0, dcg = 0, sum = 0, discounted = 0, sum_best = 0, discounted_best = 0;
      for (std::int64_t i = 0; i < k; ++i) {
        const auto place = static_cast<std::size_t>(i);
        if (weighted && i < count) {
          sum_best += best[place];
          discounted_best += best[place] * discount[place];
        }
        const auto label = ranking.data_ptr<std::int64_t>()[r * width + i];
        if (!std::binary_search(begin, end, label)) continue;
        auto& known = best_place[static_cast<std::size_t>(label)];
        known = std::min(known, i);
        ++hits;
        dcg += discount[place];
        if (!weighted) continue;
        sum += inverse[label];
        discounted += inverse[label] * discount[place];
        t.raw += seen[label] / static_cast<double>(k);
      }
      const double ideal = discount_sum[static_cast<std::size_t>(std::min<std::int64_t>(k, count)) - 1];
      t.hits += hits / static_cast<double>(k);
      t.ndcg += dcg / ideal;
      t.recall += hits / static_cast<double>(count);
      t.weighted += sum / static_cast<double>(k);
      t.weighted_best += sum_best / static_cast<double>(k);
      t.discounted += discounted / ideal;
      t.discounted_best += discounted_best / ideal;
    }
  }

  std::int64_t occurring = 0;
  for (const auto place : best_place) {
    if (place < 0) continue;
    ++occurring;
    for (std::size_t j = 0; j < ks.size(); ++j) totals[j].covered += place < ks[j];
  }
  // 0 / 0 (no rows, no true labels) is defined as 0.
  const auto ratio = [](double a, double b) { return b > 0 ? a / b : 0.0; };
  const auto n = static_cast<double>(truth.rows);
  std::map<std::string, double> out;
  for (std::size_t j = 0; j < ks.size(); ++j) {
    const auto& t = totals[j];
    const auto at_k = "@" + std::to_string(ks[j]);
    out["P" + at_k] = ratio(t.hits, n);
    out["nDCG" + at_k] = ratio(t.ndcg, n);
    out["recall" + at_k] = ratio(t.recall, n);
    out["coverage" + at_k] = ratio(static_cast<double>(t.covered), static_cast<double>(occurring));
    if (!weighted) continue;
    out["PSP" + at_k] = ratio(t.weighted, t.weighted_best);
    out["PSnDCG" + at_k] = ratio(t.discounted, t.discounted_best);
    out["psp_raw" + at_k] = ratio(t.raw, n);
  }
  return out;
}

}  // namespace yatlab

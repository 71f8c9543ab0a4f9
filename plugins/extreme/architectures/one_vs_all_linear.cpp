#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <numeric>
#include <vector>

#include "core/model/architecture.h"
#include "core/system/start_threads.h"
#include "plugins/extreme/architectures/one_vs_all_solver.h"
#include "plugins/extreme/architectures/row_weighting.h"
#include "plugins/extreme/tasks/top_k.h"

namespace yatlab {
namespace {

constexpr const char* kOneVsAllLinear = "one_vs_all_linear";

/// One linear classifier per label, each trained to optimality independently: the baseline of extreme classification
/// (with the squared hinge, C = 1 and small weights set to 0 it is DiSMEC: Babbar, Schoelkopf 2017). Scores are
/// w_l . x + b_l. Weights are stored by feature, without zeros.
class OneVsAllLinear final : public Architecture, public LabelRanker {
 public:
  struct Params {
    OneVsAllOptions solver;
    double prune = 0.01;
    RowWeighting::Kind values = RowWeighting::Kind::kUnit;
    static void declare(Fields& f, Params& p) {
      using Loss = OneVsAllOptions::Loss;
      f.choice("loss", p.solver.loss, {{"squared_hinge", Loss::kSquaredHinge}, {"logistic", Loss::kLogistic}},
               "max(0, 1 - m)^2 or ln(1 + e^-m) of the margin m");
      f.field("C", p.solver.c, "weight of the losses against |w|^2 / 2").positive();
      f.field("bias", p.solver.bias, "value of a constant feature added to every row; 0: none").non_negative();
      f.field("tolerance", p.solver.tolerance,
              "stop training a label when its gradient norm is below this share of its positive rows' gradient norm at w = 0")
          .range(1e-4, 1);
      f.field("prune", p.prune, "set weights smaller than this in magnitude to 0 after training, as in DiSMEC; 0: none").non_negative();
      RowWeighting::declare(f, p.values);
    }
  };
  explicit OneVsAllLinear(const Params& p) : p_(p) {}

  void build(const BuildContext& context) override {
    labels_ = context.num_classes;
    features_ = 1;
    for (const auto n : context.input_shape) features_ *= n;
    starts_ = register_buffer("starts", at::zeros({features_ + 1}, at::kLong));
    label_of_ = register_buffer("labels", at::empty({0}, at::kInt));
    weights_ = register_buffer("weights", at::empty({0}));
    biases_ = register_buffer("biases", at::zeros({labels_}));
    feature_weights_ = register_buffer("feature_weights", at::ones({features_}));
  }

  bool fits_itself() const override { return true; }

  void fit(const FitContext& context) override {
    const auto rows = feature_rows(context.train.inputs, kOneVsAllLinear);
    feature_weights_.set_data(RowWeighting::feature_weights(p_.values, rows));
    const auto weighted = RowWeighting::apply(p_.values, feature_weights_, rows);
    const auto groups = groups_of(label_rows(context.train.targets, labels_));
    std::vector<std::vector<Weight>> found(groups.size());
    converged_ = 0;
    solve_groups(context, sparse_rows(weighted), groups, found);
    if (!context.stop()) assemble(found);
  }

  /// [B, ...] -> [B, labels]
  Tensor forward(const Tensor& inputs) override {
    auto out = at::empty({inputs.size(0), labels_});
    auto* scores = out.data_ptr<float>();
    score(inputs, [&](std::int64_t row, const std::vector<float>& s) { std::copy(s.begin(), s.end(), scores + row * labels_); });
    return out;
  }

  TopK top_k(const Tensor& inputs, std::int64_t k) override {
    TopKMerger merger(inputs.size(0), k);
    score(inputs, [&](std::int64_t row, const std::vector<float>& s) {
      for (std::int64_t l = 0; l < labels_; ++l) {
        const float v = s[static_cast<std::size_t>(l)];
        // Of equal scores the earlier label stays; non-finite scores always go to the merger, which reports them.
        if (!(v <= merger.floor(row)) || !std::isfinite(v)) merger.offer(row, l, v);
      }
    });
    return merger.take();
  }

  std::map<std::string, double> observables() const override {
    return {{"model/density", static_cast<double>(weights_.numel()) / static_cast<double>(features_ * labels_)},
            {"model/converged", static_cast<double>(converged_) / static_cast<double>(labels_)}};
  }

 private:
  struct Weight {
    std::int64_t feature;  // `features_`: the bias
    std::int32_t label;
    float value;
  };
  struct Group {
    std::vector<std::int64_t> labels;
    std::vector<std::vector<std::int64_t>> positives;
  };

  // Groups of sixteen labels with similar frequency, which converge after a similar number of steps.
  std::vector<Group> groups_of(const at::Tensor& targets) const {
    const auto truth = sparse_rows(targets);
    std::vector<std::vector<std::int64_t>> rows(static_cast<std::size_t>(labels_));
    for (std::int64_t r = 0; r < truth.rows; ++r) {
      for (auto e = truth.starts[r]; e < truth.starts[r + 1]; ++e) rows[static_cast<std::size_t>(truth.columns[e])].push_back(r);
    }
    std::vector<std::int64_t> order(static_cast<std::size_t>(labels_));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    const auto count = [&](std::int64_t l) { return rows[static_cast<std::size_t>(l)].size(); };
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return count(a) > count(b); });
    std::vector<Group> out;
    for (const auto l : order) {
      if (out.empty() || out.back().labels.size() == static_cast<std::size_t>(kLanes)) out.emplace_back();
      out.back().labels.push_back(l);
      out.back().positives.push_back(std::move(rows[static_cast<std::size_t>(l)]));
    }
    return out;
  }

  void solve_groups(const FitContext& context, const SparseRows& x, const std::vector<Group>& groups,
                    std::vector<std::vector<Weight>>& found) {
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::int64_t done = 0;
    std::exception_ptr failure;
    const auto work = [&] {
      try {
        for (auto g = next++; g < groups.size() && !context.stop(); g = next++) {
          OneVsAllReport report;
          const auto w = solve_one_vs_all(x, groups[g].positives, p_.solver, &report);
          found[g] = kept(w, groups[g].labels);
          const std::lock_guard lock(mutex);
          for (const bool c : report.converged) converged_ += c;
          context.progress(done += static_cast<std::int64_t>(groups[g].labels.size()), labels_);
        }
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
        next = groups.size();
      }
    };
    auto threads = start_threads(static_cast<std::size_t>(std::max<std::int64_t>(1, context.threads) - 1), work);
    work();
    for (auto& t : threads) t.join();
    if (failure) std::rethrow_exception(failure);
  }

  std::vector<Weight> kept(const LaneMatrix& w, const std::vector<std::int64_t>& labels) const {
    std::vector<Weight> out;
    for (std::size_t f = 0; f < w.size(); ++f) {
      const bool is_bias = f + 1 == w.size();
      for (std::size_t l = 0; l < labels.size(); ++l) {
        const float v = is_bias ? w[f][l] * static_cast<float>(p_.solver.bias) : w[f][l];
        if (!is_bias && (v == 0 || std::abs(v) < p_.prune)) continue;
        out.push_back({static_cast<std::int64_t>(f), static_cast<std::int32_t>(labels[l]), v});
      }
    }
    return out;
  }

  void assemble(const std::vector<std::vector<Weight>>& found) {
    auto starts = at::zeros({features_ + 1}, at::kLong);
    auto* start = starts.data_ptr<std::int64_t>();
    for (const auto& group : found) {
      for (const auto& w : group) {
        if (w.feature < features_) ++start[w.feature + 1];
      }
    }
    std::partial_sum(start, start + features_ + 1, start);
    const auto entries = start[features_];
    auto labels = at::empty({entries}, at::kInt), weights = at::empty({entries}), biases = at::zeros({labels_});
    std::vector<std::int64_t> place(start, start + features_);
    for (const auto& group : found) {
      for (const auto& w : group) {
        if (w.feature == features_) {
          biases.data_ptr<float>()[w.label] = w.value;
          continue;
        }
        const auto at = place[static_cast<std::size_t>(w.feature)]++;
        labels.data_ptr<std::int32_t>()[at] = w.label;
        weights.data_ptr<float>()[at] = w.value;
      }
    }
    starts_.set_data(starts);
    label_of_.set_data(labels);
    weights_.set_data(weights);
    biases_.set_data(biases);
  }

  // Calls take(row, scores of all labels) for each input, from several threads.
  template <class Take>
  void score(const Tensor& inputs, const Take& take) const {
    at::NoGradGuard no_grad;
    const auto weighted = RowWeighting::apply(p_.values, feature_weights_, feature_rows(inputs, kOneVsAllLinear));
    const auto x = sparse_rows(weighted);
    const auto* start = starts_.data_ptr<std::int64_t>();
    const auto* label = label_of_.data_ptr<std::int32_t>();
    const auto* weight = weights_.data_ptr<float>();
    const auto* bias = biases_.data_ptr<float>();
    at::parallel_for(0, x.rows, 8, [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> scores;
      for (auto r = begin; r < end; ++r) {
        scores.assign(bias, bias + labels_);
        for (auto e = x.starts[r]; e < x.starts[r + 1]; ++e) {
          const float v = x.values[e];
          for (auto i = start[x.columns[e]]; i < start[x.columns[e] + 1]; ++i) scores[static_cast<std::size_t>(label[i])] += v * weight[i];
        }
        take(r, scores);
      }
    });
  }

  Params p_;
  std::int64_t labels_ = 0, features_ = 0, converged_ = 0;
  Tensor starts_, label_of_, weights_, biases_, feature_weights_;
};

YATLAB_REGISTER(Architecture, OneVsAllLinear, kOneVsAllLinear, "one linear classifier per label, trained to optimality; no training steps");

}  // namespace
}  // namespace yatlab

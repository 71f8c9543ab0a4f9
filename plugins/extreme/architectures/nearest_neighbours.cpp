#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <vector>

#include "core/base/error.h"
#include "core/model/architecture.h"
#include "plugins/extreme/architectures/row_weighting.h"
#include "plugins/extreme/architectures/sparse_lanes.h"
#include "plugins/extreme/tasks/top_k.h"

namespace yatlab {
namespace {

constexpr const char* kNearestNeighbours = "nearest_neighbours";

/// k nearest neighbours by cosine: a label's score is the sum of the similarities of those among the k most similar
/// training rows that have it. Similarities of 0 or less do not vote. Exact: multiplies sixteen inputs at a time
/// with all training rows.
class NearestNeighbours final : public Architecture, public LabelRanker {
 public:
  struct Params {
    std::int64_t neighbours = 20;
    RowWeighting::Kind values = RowWeighting::Kind::kAsGiven;
    static void declare(Fields& f, Params& p) {
      f.field("neighbours", p.neighbours, "number of nearest training rows that vote").min(1);
      RowWeighting::declare(f, p.values);
    }
  };
  explicit NearestNeighbours(const Params& p) : p_(p) {}

  void build(const BuildContext& context) override {
    labels_ = context.num_classes;
    std::int64_t features = 1;
    for (const auto n : context.input_shape) features *= n;
    // `fit` fills these: the training rows, scaled to unit length, and their labels.
    const auto indices = [] { return at::zeros({1}, at::kLong); };
    row_starts_ = register_buffer("row_starts", indices());
    row_features_ = register_buffer("row_features", at::empty({0}, at::kLong));
    row_values_ = register_buffer("row_values", at::empty({0}));
    label_starts_ = register_buffer("label_starts", indices());
    label_indices_ = register_buffer("label_indices", at::empty({0}, at::kLong));
    weights_ = register_buffer("feature_weights", at::ones({features}));
  }

  bool fits_itself() const override { return true; }

  void fit(const FitContext& context) override {
    const auto rows = feature_rows(context.train.inputs, kNearestNeighbours);
    weights_.set_data(RowWeighting::feature_weights(p_.values, rows));
    const auto unit = normalize_sparse_rows(RowWeighting::apply(p_.values, weights_, rows));
    const auto labels = label_rows(context.train.targets, labels_);
    row_starts_.set_data(unit.crow_indices());
    row_features_.set_data(unit.col_indices());
    row_values_.set_data(unit.values());
    label_starts_.set_data(labels.crow_indices());
    label_indices_.set_data(labels.col_indices());
    context.progress(1, 1);
  }

  /// [B, ...] -> [B, labels]; labels without a neighbour score 0.
  Tensor forward(const Tensor& inputs) override {
    auto out = at::zeros({inputs.size(0), labels_});
    auto* scores = out.data_ptr<float>();
    vote(inputs, [&](std::int64_t row, const std::vector<std::pair<std::int64_t, float>>& votes) {
      for (const auto& [label, score] : votes) scores[row * labels_ + label] = score;
    });
    return out;
  }

  /// Labels without a neighbour are not ranked: -1.
  TopK top_k(const Tensor& inputs, std::int64_t k) override {
    TopKMerger merger(inputs.size(0), k);
    vote(inputs, [&](std::int64_t row, const std::vector<std::pair<std::int64_t, float>>& votes) {
      for (const auto& [label, score] : votes) merger.offer(row, label, score);
    });
    return merger.take();
  }

 private:
  // Calls take(row, votes) for each input, from several threads; votes: labels, ascending, and their scores.
  template <class Take>
  void vote(const Tensor& inputs, const Take& take) const {
    at::NoGradGuard no_grad;
    const auto queries = normalize_sparse_rows(RowWeighting::apply(p_.values, weights_, feature_rows(inputs, kNearestNeighbours)));
    const auto query = sparse_rows(queries);
    const auto trained = make_sparse_rows(row_starts_, row_features_, row_values_, query.width);
    const auto train = sparse_rows(trained);
    const auto blocks = (query.rows + kLanes - 1) / kLanes;
    at::parallel_for(0, blocks, 1, [&](std::int64_t first, std::int64_t last) {
      LaneMatrix block(static_cast<std::size_t>(query.width)), similarity;
      std::vector<std::pair<std::int64_t, float>> votes;
      for (auto b = first; b < last; ++b) {
        const auto begin = b * kLanes, count = std::min(kLanes, query.rows - begin);
        const auto spread = [&](bool clear) {
          for (std::int64_t lane = 0; lane < count; ++lane) {
            for (auto e = query.starts[begin + lane]; e < query.starts[begin + lane + 1]; ++e) {
              block[static_cast<std::size_t>(query.columns[e])][lane] = clear ? 0.f : query.values[e];
            }
          }
        };
        spread(false);
        multiply_lanes(train, block, similarity);
        spread(true);
        for (std::int64_t lane = 0; lane < count; ++lane) {
          count_votes(similarity, lane, votes);
          take(begin + lane, votes);
        }
      }
    });
  }

  void count_votes(const LaneMatrix& similarity, std::int64_t lane, std::vector<std::pair<std::int64_t, float>>& votes) const {
    TopKMerger nearest(1, p_.neighbours);
    float floor = 0;
    for (std::size_t r = 0; r < similarity.size(); ++r) {
      const float s = similarity[r][lane];
      if (!(s > floor)) continue;  // of equal ones the earlier row stays
      nearest.offer(0, static_cast<std::int64_t>(r), s);
      floor = std::max(0.f, nearest.floor(0));
    }
    votes.clear();
    const auto best = nearest.take();
    const auto* starts = label_starts_.data_ptr<std::int64_t>();
    const auto* labels = label_indices_.data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < best.indices.size(1); ++i) {
      const auto row = best.indices.data_ptr<std::int64_t>()[i];
      if (row < 0) break;
      for (auto e = starts[row]; e < starts[row + 1]; ++e) votes.emplace_back(labels[e], best.scores.data_ptr<float>()[i]);
    }
    // Within a label the nearest comes first, so the order of summation is fixed.
    std::stable_sort(votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < votes.size(); ++i) {
      if (kept > 0 && votes[kept - 1].first == votes[i].first) {
        votes[kept - 1].second += votes[i].second;
      } else {
        votes[kept++] = votes[i];
      }
    }
    votes.resize(kept);
  }

  Params p_;
  std::int64_t labels_ = 0;
  Tensor row_starts_, row_features_, row_values_, label_starts_, label_indices_, weights_;
};

YATLAB_REGISTER(Architecture, NearestNeighbours, kNearestNeighbours,
                "labels of the training rows most similar by cosine; no training steps");

}  // namespace
}  // namespace yatlab

#include "plugins/extreme/architectures/row_weighting.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/data/sparse_rows.h"

namespace yatlab {

at::Tensor RowWeighting::feature_weights(Kind kind, const at::Tensor& train) {
  if (kind != Kind::kTfidf) return at::ones({train.size(1)});
  // A feature without a training row gets the weight of one that has a single row.
  const auto frequency = column_counts(train).clamp_min(1).to(at::kDouble);
  return (static_cast<double>(train.size(0)) / frequency).log().to(at::kFloat);
}

at::Tensor RowWeighting::apply(Kind kind, const at::Tensor& weights, const at::Tensor& rows) {
  if (kind == Kind::kAsGiven) return rows;
  if (kind == Kind::kUnit) return normalize_sparse_rows(rows);
  const auto values = rows.values() * weights.index_select(0, rows.col_indices());
  return normalize_sparse_rows(make_sparse_rows(rows.crow_indices(), rows.col_indices(), values, rows.size(1)));
}

void RowWeighting::declare(Fields& f, Kind& kind) {
  f.choice("values", kind, {{"as_given", Kind::kAsGiven}, {"unit", Kind::kUnit}, {"tfidf", Kind::kTfidf}},
           "features as given; rows scaled to unit length; or features times the training split's inverse document frequency, "
           "then unit length");
}

at::Tensor feature_rows(const at::Tensor& inputs, const std::string& model) {
  if (!inputs.is_cpu()) {
    throw config_error(fmt::format("architecture '{}' works on the CPU only", model), "trainer.device", {}, "use trainer.device=cpu");
  }
  if (is_sparse_rows(inputs)) return inputs;
  const auto dense = inputs.flatten(1).to(at::kFloat).contiguous();
  const auto mask = dense.ne(0);
  auto starts = at::zeros({dense.size(0) + 1}, at::kLong);
  starts.narrow(0, 1, dense.size(0)).copy_(mask.sum(1).cumsum(0));
  return make_sparse_rows(starts, mask.nonzero().select(1, 1).contiguous(), dense.masked_select(mask), dense.size(1));
}

at::Tensor label_rows(const at::Tensor& targets, std::int64_t labels) {
  if (is_sparse_rows(targets)) return targets;
  if (targets.dim() != 1) return feature_rows(targets, "label rows");
  return make_sparse_rows(at::arange(targets.size(0) + 1, at::kLong), targets.to(at::kLong).contiguous(), at::ones({targets.size(0)}),
                          labels);
}

}  // namespace yatlab

#include "plugins/language/architectures/feature_attention.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/ops/pairwise.h"

namespace yatlab {

using at::Tensor;
namespace {

using Factors = std::vector<Tensor>;

Tensor scores_of(const Factors& queries, const Factors& keys) {
  Tensor scores = at::matmul(queries[0], keys[0].transpose(-2, -1));
  for (std::size_t i = 1; i < queries.size(); ++i) scores = scores * at::matmul(queries[i], keys[i].transpose(-2, -1));
  return scores;
}

}  // namespace

Tensor feature_sums(const FeatureMap& map, const std::vector<Tensor>& drawn, const Tensor& q, const Tensor& k, const Tensor& v,
                    const FeatureAttentionOptions& o) {
  if (o.causal && q.size(-2) != k.size(-2)) throw Error(ErrorKind::kInternal, "causal attention needs as many queries as keys");
  const auto wide = accumulation_type(q.scalar_type());
  const auto rows = [&](const Tensor& x, std::int64_t first) {
    return x.narrow(-2, first, std::min(o.block, x.size(-2) - first)).to(wide);
  };
  const auto factors_of = [&](const Tensor& x, std::int64_t first, bool keys) {
    return map.factors(rows(x, first), {keys, first, o.length}, drawn);
  };
  const auto with_one = [&](std::int64_t first) {
    const Tensor values = rows(v, first);
    return at::cat({values, at::ones_like(values.narrow(-1, 0, 1))}, -1);
  };
  Tensor state;  // sum of phi(k_j) (v_j, 1)^T: [..., m, e + 1]
  const auto collect = [&](const Factors& keys, const Tensor& values) {
    const Tensor more = at::matmul(row_products(keys).transpose(-2, -1), values);
    state = state.defined() ? state + more : more;
  };
  const auto from_state = [&](const Factors& queries) { return at::matmul(row_products(queries), state); };
  std::vector<Tensor> out;
  if (!o.causal) {
    for (std::int64_t b = 0; b < k.size(-2); b += o.block) collect(factors_of(k, b, true), with_one(b));
    for (std::int64_t b = 0; b < q.size(-2); b += o.block) out.push_back(from_state(factors_of(q, b, false)));
    return at::cat(out, -2);
  }
  for (std::int64_t b = 0; b < q.size(-2); b += o.block) {
    const Factors queries = factors_of(q, b, false), keys = factors_of(k, b, true);
    const Tensor values = with_one(b), here = at::matmul(scores_of(queries, keys).tril(), values);
    out.push_back(state.defined() ? here + from_state(queries) : here);
    if (b + o.block < k.size(-2)) collect(keys, values);
  }
  return at::cat(out, -2);
}

Tensor feature_attention(const FeatureMap& map, const std::vector<Tensor>& drawn, const Tensor& q, const Tensor& k, const Tensor& v,
                         const FeatureAttentionOptions& o) {
  const Tensor sums = feature_sums(map, drawn, q, k, v, o);
  return (sums.narrow(-1, 0, v.size(-1)) / (sums.narrow(-1, v.size(-1), 1) + map.delta())).to(q.scalar_type());
}

Tensor feature_scores(const FeatureMap& map, const std::vector<Tensor>& drawn, const Tensor& q, const Tensor& k, std::int64_t length) {
  const auto wide = accumulation_type(q.scalar_type());
  return scores_of(map.factors(q.to(wide), {false, 0, length}, drawn), map.factors(k.to(wide), {true, 0, length}, drawn));
}

}  // namespace yatlab

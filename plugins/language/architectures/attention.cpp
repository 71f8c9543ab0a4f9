#include "plugins/language/architectures/attention.h"

#include <ATen/ATen.h>
#include <torch/autograd.h>
#include <torch/custom_class.h>
#include <torch/version.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/ops/causal_softmax.h"
#include "core/ops/kernel_choice.h"
#include "core/ops/pairwise.h"

namespace yatlab {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

using OperatorPointer = std::shared_ptr<const Operator>;
using NormalizerPointer = std::shared_ptr<const Normalizer>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tensor scaled(const Tensor& scores, double factor, const Tensor& scale) {
  const Tensor out = factor == 1 ? scores : scores * factor;
  return scale.defined() ? out * scale : out;
}

/// Whether the normalizer is exactly e^s / sum e^s.
bool is_softmax(const Normalizer& normalizer, const Tensor& like) {
  if (!normalizer.competitive() || normalizer.log_offset() != -kInfinity) return false;
  const Tensor probe = at::ones({1}, like.options().device(at::kCPU));
  const Tensor logs = normalizer.log_weight(probe);
  return logs.defined() && logs.is_same(probe);
}

constexpr std::int64_t kFewestQueries = 64, kFewestQueriesElsewhere = 256;  // queries per part; off the CPU each part costs one more launch
constexpr std::int64_t kParts = 4;

#if TORCH_VERSION_MAJOR >= 2
/// Softmax of inner products off the CPU: LibTorch's own, whose kernels never hold the weights.
Tensor by_libtorch(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& o) {
  // LibTorch multiplies the products by 1 / sqrt(d).
  const double still = o.factor * std::sqrt(static_cast<double>(q.size(-1)));
  return at::scaled_dot_product_attention(std::abs(still - 1) < 1e-12 ? q : q * still, k, v, {}, /*dropout_p=*/0.0, o.causal);
}
#endif

/// What determines scores, besides queries and keys.
struct ScoreRecipe final : torch::CustomClassHolder {
  ScoreRecipe(OperatorPointer o, double f) : op(std::move(o)), factor(f) {}
  OperatorPointer op;
  double factor;
};

/// factor * scale * K(q, k); keeps only q and k and recomputes the scores in the backward pass.
class RecomputedScores : public torch::autograd::Function<RecomputedScores> {
 public:
  // `learned`: the operator's parameters, an argument only so that they receive a gradient.
  static Tensor forward(AutogradContext* context, const Tensor& q, const Tensor& k, const c10::optional<Tensor>& scale,
                        const c10::optional<Tensor>& learned, const c10::intrusive_ptr<ScoreRecipe>& recipe) {
    context->saved_data["recipe"] = c10::IValue::make_capsule(recipe);
    context->save_for_backward({q, k, scale.value_or(Tensor()), learned.value_or(Tensor())});
    return scaled(recipe->op->scores(q, k), recipe->factor, scale.value_or(Tensor()));
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto recipe = c10::static_intrusive_pointer_cast<ScoreRecipe>(context->saved_data["recipe"].toCapsule());
    auto inputs = context->get_saved_variables();
    const bool again = at::GradMode::is_enabled();  // the result may be differentiated again
    const at::AutoGradMode with_gradients(true);
    variable_list wanted, out(5);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i].defined() || !inputs[i].requires_grad()) continue;
      // The operator uses its own parameters, so they are not detached.
      if (!again && i < 3) inputs[i] = inputs[i].detach().requires_grad_(true);
      wanted.push_back(inputs[i]);
      places.push_back(i);
    }
    const Tensor scores = scaled(recipe->op->scores(inputs[0], inputs[1]), recipe->factor, inputs[2]);
    const auto found = torch::autograd::grad({scores}, wanted, {gradients[0]}, again, again, true);
    for (std::size_t i = 0; i < places.size(); ++i) out[places[i]] = found[i];
    return out;
  }
};

/// The first n rows of x for each n of `lengths`, ascending; the last is all rows. The backward pass adds the gradients in place, in the order in
/// which autograd would add those of x.narrow(-2, 0, n), without first padding each with zeros to the size of x.
class RowPrefixes : public torch::autograd::Function<RowPrefixes> {
 public:
  static variable_list forward(AutogradContext* context, const Tensor& x, const std::vector<std::int64_t>& lengths) {
    context->saved_data["lengths"] = lengths;
    variable_list out;
    for (const auto n : lengths) out.push_back(x.narrow(-2, 0, n));
    return out;
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto lengths = context->saved_data["lengths"].toIntVector();
    const Tensor sum = gradients.back().clone();
    for (std::size_t i = lengths.size() - 1; i-- > 0;) sum.narrow(-2, 0, lengths[i]).add_(gradients[i]);
    return {sum, Tensor()};
  }
};

/// All scores at once. Causal attention of many queries is split into parts, each against the keys that its queries see: 5/8 of the work.
Tensor whole(const OperatorPointer& op, const Normalizer& normalizer, const Tensor& q, const Tensor& k, const Tensor& v,
             const AttentionOptions& o) {
  const std::int64_t length = q.size(-2);
  const bool fused = o.causal && is_softmax(normalizer, q);
  const auto learned = op->parameters();
  const bool again = o.recompute && !op->traits().inner_product && learned.size() <= 1;
  const auto recipe = c10::make_intrusive<ScoreRecipe>(op, fused ? 1 : o.factor);
  const auto optional = [](const Tensor& t) { return t.defined() ? c10::optional<Tensor>(t) : c10::nullopt; };
  const auto scores_of = [&](const Tensor& query, const Tensor& key) -> Tensor {
    if (!again) return scaled(op->scores(query, key), recipe->factor, o.scale);
    return RecomputedScores::apply(query.contiguous(), key.contiguous(), optional(o.scale),
                                   optional(learned.empty() ? Tensor() : learned.front().second), recipe);
  };
  const auto weights_of = [&](const Tensor& query, const Tensor& key, std::int64_t first) -> Tensor {
    if (fused) return causal_softmax(scores_of(query, key), o.factor, first);
    const Tensor mask = o.causal ? visible_keys(first, query.size(-2), 0, key.size(-2), q.device()) : Tensor();
    return normalizer.normalize(scores_of(query, key), -1, mask);
  };
  // Queries, keys and values are copied: as views they would keep the tensor of all three alive.
  const std::int64_t fewest = use_cpu_kernel(q) ? kFewestQueries : kFewestQueriesElsewhere;
  if (!o.causal || length < 2 * fewest) return at::matmul(weights_of(q, k, 0), again ? v.contiguous() : v);
  const std::int64_t part = std::max(fewest, (length + kParts - 1) / kParts);
  const auto queries = at::split(q, part, -2);
  std::vector<std::int64_t> seen;
  for (const auto& query : queries) seen.push_back((seen.empty() ? 0 : seen.back()) + query.size(-2));
  const auto keys = RowPrefixes::apply(k.contiguous(), seen), values = RowPrefixes::apply(v.contiguous(), seen);
  std::vector<Tensor> mixed;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    mixed.push_back(at::matmul(weights_of(queries[i], keys[i], seen[i] - queries[i].size(-2)), values[i]));
  }
  return at::cat(mixed, -2);
}

/// Iterates over the blocks that causal (or full) attention needs.
struct Blocks {
  std::int64_t queries, keys, block;
  bool causal;

  template <class Call>
  void each_key_block(std::int64_t first_query, std::int64_t count, const Call& call) const {
    const std::int64_t last = causal ? std::min(keys, first_query + count) : keys;
    for (std::int64_t b = 0; b < last; b += block) call(b, std::min(block, last - b));
  }
  template <class Call>
  void each_query_block(const Call& call) const {
    for (std::int64_t b = 0; b < queries; b += block) call(b, std::min(block, queries - b));
  }
  Tensor mask(std::int64_t first_query, std::int64_t nq, std::int64_t first_key, std::int64_t nk, at::Device device) const {
    return causal ? visible_keys(first_query, nq, first_key, nk, device) : Tensor();
  }
};

/// weights (d_weights - delta): softmax's slope, where delta is d_out . out, rounded. At a weight near 1 both terms are nearly equal, so their
/// difference is mostly rounding error, which a steep score amplifies. So at each row's largest weight in the block the difference is computed as
/// d_out . (v - out). Overwrites d_weights.
Tensor competitive_slope(const Tensor& weights, const Tensor& d_weights, const Tensor& delta, const Tensor& d_out, const Tensor& out,
                         const Tensor& values) {
  const Tensor top = weights.argmax(-1, true);
  const Tensor difference = at::gather(values, -2, top.expand(out.sizes())).sub_(out);
  return d_weights.sub_(delta).scatter_(-1, top, difference.mul_(d_out).sum(-1, true)).mul_(weights);
}

/// Arguments of the forward pass other than tensors that the backward pass needs again.
struct Recipe final : torch::CustomClassHolder {
  Recipe(OperatorPointer o, NormalizerPointer n, const AttentionOptions& options)
      : op(std::move(o)), normalizer(std::move(n)), causal(options.causal), block(options.block), factor(options.factor) {}
  OperatorPointer op;
  NormalizerPointer normalizer;
  bool causal;
  std::int64_t block;
  double factor;
};

class BlockwiseAttention : public torch::autograd::Function<BlockwiseAttention> {
 public:
  // `learned`: the operator's parameters, an argument only so that they receive a gradient.
  static Tensor forward(AutogradContext* context, const Tensor& q, const Tensor& k, const Tensor& v,
                        const c10::optional<Tensor>& given_scale, const c10::optional<Tensor>& given_learned,
                        const c10::intrusive_ptr<Recipe>& recipe) {
    const Tensor scale = given_scale.value_or(Tensor()), learned = given_learned.value_or(Tensor());
    at::NoGradGuard no_grad;
    const auto& op = recipe->op;
    const auto& normalizer = recipe->normalizer;
    const bool competitive = normalizer->competitive();
    const Blocks blocks{q.size(-2), k.size(-2), recipe->block, recipe->causal};
    const auto wide = q.options().dtype(accumulation_type(q.scalar_type()));
    auto shape = q.sizes().vec();
    shape.back() = v.size(-1);
    Tensor out = at::empty(shape, wide), tops,
           log_total;  // each row's largest score, and ln of the sum of weights relative to it
    shape.back() = 1;
    if (competitive) tops = at::empty(shape, wide), log_total = at::empty(shape, wide);

    blocks.each_query_block([&](std::int64_t i, std::int64_t nq) {
      const Tensor query = q.narrow(-2, i, nq);
      Tensor sum = out.narrow(-2, i, nq).zero_();
      Tensor top, total;
      blocks.each_key_block(i, nq, [&](std::int64_t j, std::int64_t nk) {
        const Tensor values = v.narrow(-2, j, nk).to(wide.dtype());
        const Tensor scores = scaled(op->scores(query, k.narrow(-2, j, nk)), recipe->factor, scale);
        const Tensor mask = blocks.mask(i, nq, j, nk, q.device());
        if (!competitive) {
          sum.add_(at::matmul(normalizer->normalize(scores, -1, mask).to(wide.dtype()), values));
          return;
        }
        const Tensor exact = scores.to(wide.dtype()), unseen = mask.defined() ? mask.logical_not() : mask;
        const Tensor now = (mask.defined() ? exact.masked_fill(unseen, -kInfinity) : exact).amax({-1}, true);
        const Tensor highest = top.defined() ? at::maximum(top, now) : now;
        const Tensor weights = normalizer->log_ratio(exact, highest).exp();
        if (mask.defined()) weights.masked_fill_(unseen, 0);
        if (top.defined()) {
          const Tensor shrink = normalizer->log_ratio(top, highest).exp();
          sum.mul_(shrink);
          total = total * shrink + weights.sum(-1, true);
        } else {
          total = weights.sum(-1, true);
        }
        sum.add_(at::matmul(weights, values));
        top = highest;
      });
      if (!competitive) return;
      if (normalizer->log_offset() > -kInfinity) total = total + (normalizer->log_offset() - normalizer->log_weight(top)).exp();
      sum.div_(total);
      tops.narrow(-2, i, nq).copy_(top);
      log_total.narrow(-2, i, nq).copy_(total.log());
    });
    context->saved_data["recipe"] = c10::IValue::make_capsule(recipe);
    context->save_for_backward({q, k, v, scale, learned, out, tops, log_total});
    return out.to(q.scalar_type());
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    if (at::GradMode::is_enabled()) {
      throw Error(ErrorKind::kJob, "attention in blocks has no second derivatives", "architecture.attention.block", {},
                  "use architecture.attention.block=0");
    }
    const auto recipe = c10::static_intrusive_pointer_cast<Recipe>(context->saved_data["recipe"].toCapsule());
    const auto& op = recipe->op;
    const auto& normalizer = recipe->normalizer;
    const auto saved = context->get_saved_variables();
    const Tensor &q = saved[0], &k = saved[1], &v = saved[2], &scale = saved[3], &learned = saved[4], &out = saved[5], &tops = saved[6],
                 &log_total = saved[7];
    const bool competitive = normalizer->competitive();
    const Blocks blocks{q.size(-2), k.size(-2), recipe->block, recipe->causal};
    const auto wide = out.scalar_type();
    const Tensor d_out = gradients[0].to(wide);
    const Tensor delta = competitive ? (d_out * out).sum(-1, true) : Tensor();
    const bool scale_learns = scale.defined() && scale.requires_grad(), operator_learns = learned.defined() && learned.requires_grad();
    // Weights that sum to 1 do not change when a row's scores shift together, so the scale's gradient can use gaps to the row's largest score.
    const bool by_gaps = scale_learns && competitive && normalizer->log_offset() == -kInfinity;

    Tensor dq = at::zeros(q.sizes(), out.options()), dk = at::zeros(k.sizes(), out.options()), dv = at::zeros(v.sizes(), out.options());
    Tensor d_scale, d_learned;
    blocks.each_query_block([&](std::int64_t i, std::int64_t nq) {
      const Tensor d_rows = d_out.narrow(-2, i, nq);
      blocks.each_key_block(i, nq, [&](std::int64_t j, std::int64_t nk) {
        const Tensor query = q.narrow(-2, i, nq).detach().requires_grad_(true), key = k.narrow(-2, j, nk).detach().requires_grad_(true);
        const Tensor own_scale = scale.defined() ? scale.detach().requires_grad_(scale_learns) : scale;
        const Tensor mask = blocks.mask(i, nq, j, nk, q.device());
        const Tensor values = v.narrow(-2, j, nk).to(wide);
        Tensor again, d_again, weights;
        {
          at::AutoGradMode with_grad(true);
          const Tensor scores = scaled(op->scores(query, key), recipe->factor, own_scale);
          if (competitive) {
            Tensor top = tops.narrow(-2, i, nq);
            if (by_gaps) top = top + (own_scale - own_scale.detach()) * at::nan_to_num(top / scale.detach(), 0, 0, 0);
            again = normalizer->log_ratio(scores.to(wide), top);
          } else {
            again = normalizer->normalize(scores, -1, mask).to(wide);
          }
        }
        const Tensor d_weights = at::matmul(d_rows, values.transpose(-2, -1));
        if (competitive) {
          weights = (again.detach() - log_total.narrow(-2, i, nq)).exp();
          if (mask.defined()) weights = weights.masked_fill(mask.logical_not(), 0);
          d_again = competitive_slope(weights, d_weights, delta.narrow(-2, i, nq), d_rows, out.narrow(-2, i, nq), values);
        } else {
          weights = again.detach();
          d_again = d_weights;
        }
        dv.narrow(-2, j, nk).add_(at::matmul(weights.transpose(-2, -1), d_rows));
        variable_list wanted = {query, key};
        if (scale_learns) wanted.push_back(own_scale);
        if (operator_learns) wanted.push_back(learned);
        const auto found = torch::autograd::grad({again}, wanted, {d_again}, {}, false, true);
        dq.narrow(-2, i, nq).add_(found[0]);
        dk.narrow(-2, j, nk).add_(found[1]);
        const auto collect = [](Tensor& sum, const Tensor& part) {
          if (part.defined()) sum = sum.defined() ? sum + part : part;
        };
        if (scale_learns) collect(d_scale, found[2]);
        if (operator_learns) collect(d_learned, found.back());
      });
    });
    return {dq.to(q.scalar_type()), dk.to(k.scalar_type()), dv.to(v.scalar_type()), d_scale, d_learned, Tensor()};
  }
};

}  // namespace

Tensor attention(const std::shared_ptr<const Operator>& op, const std::shared_ptr<const Normalizer>& normalizer, const Tensor& q,
                 const Tensor& k, const Tensor& v, const AttentionOptions& o) {
  if (o.causal && q.size(-2) != k.size(-2)) {
    throw Error(ErrorKind::kInternal, "causal attention needs as many queries as keys");
  }
#if TORCH_VERSION_MAJOR >= 2
  if (!q.is_cpu() && op->traits().inner_product && !o.scale.defined() && is_softmax(*normalizer, q)) return by_libtorch(q, k, v, o);
#endif
  if (o.block <= 0) return whole(op, *normalizer, q, k, v, o);
  const auto learned = op->parameters();
  if (learned.size() > 1) {
    throw config_error("attention in blocks needs an operator with at most one learned tensor", "architecture.attention.block", {},
                       "use architecture.attention.block=0");
  }
  if (normalizer->competitive() && !normalizer->log_weight(at::ones({1}, q.options())).defined()) {
    throw config_error("this normalizer cannot be computed block by block", "architecture.attention.block",
                       "it is not of the form g(s) / (epsilon + sum g(s))", "use architecture.attention.block=0, softmax or softermax");
  }
  const auto recipe = c10::make_intrusive<Recipe>(op, normalizer, o);
  const auto optional = [](const Tensor& t) { return t.defined() ? c10::optional<Tensor>(t) : c10::nullopt; };
  return BlockwiseAttention::apply(q, k, v, optional(o.scale), optional(learned.empty() ? Tensor() : learned.front().second), recipe);
}

}  // namespace yatlab

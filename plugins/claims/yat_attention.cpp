#include <fmt/format.h>

#include <cmath>

#include "core/measure/claim.h"
#include "core/ops/search.h"
#include "plugins/claims/cost.h"
#include "plugins/claims/gram.h"

namespace yatlab {
namespace {

using namespace claims::kernels;
using claims::cost::relative_gap;

/// Attention with the kernel's scores in place of scaled dot products.
class YatAttention final : public Claim {
 public:
  struct Params {
    double epsilon = 1e-5;
    static void declare(Fields& f, Params& p) {
      f.field("epsilon", p.epsilon, "the kernel's epsilon; the paper's code has 1e-5").positive();
    }
  };
  explicit YatAttention(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    const auto op = context.op.with_epsilon(p_.epsilon);
    definition(context, evidence, *op);
    bounded(context, evidence, *op);
    sharpness(context, evidence, *op);
    const Tensor two = at::eye(2, at::kDouble), long_query = 1e4 * two.slice(0, 0, 1);
    const Tensor by_kernel = op->scores(long_query, two), weights = at::softmax(by_kernel, 1);
    const Tensor by_dot = at::softmax(at::matmul(long_query, two.t()), 1);
    evidence.set("scores", fmt::format("{:.4g} and {:.4g}", by_kernel[0][0].item<double>(), by_kernel[0][1].item<double>()));
    evidence.set("attention", fmt::format("({:.3g}, {:.3g})", weights[0][0].item<double>(), weights[0][1].item<double>()));
    evidence.set("by_dot", fmt::format("({:.3g}, {:.3g})", by_dot[0][0].item<double>(), by_dot[0][1].item<double>()));
    evidence.counterexample_stands(weights[0][0].item<double>() < 0.99);
  }

 private:
  /// [H, L, w] each -> [H, L, w]
  static Tensor attend(const Operator& op, const Tensor& q, const Tensor& k, const Tensor& v) {
    return at::matmul(at::softmax(op.scores(q, k), -1), v);
  }

  void definition(const ClaimContext& context, Evidence& evidence, const Operator& op) const {
    auto g = generator_of(context.seed);
    const std::int64_t heads = 3, length = 12, width = 5, d = heads * width;
    const Tensor x = normals({length, d}, g);
    const Tensor wq = normals({d, d}, g) / 4, wk = normals({d, d}, g) / 4, wv = normals({d, d}, g) / 4, wo = normals({d, d}, g) / 4;
    const auto split = [&](const Tensor& t) { return t.view({-1, heads, width}).transpose(0, 1); };
    const auto multi_head = [&](const Tensor& input) {
      const Tensor y = attend(op, split(at::matmul(input, wq)), split(at::matmul(input, wk)), split(at::matmul(input, wv)));
      return at::matmul(y.transpose(0, 1).reshape({-1, d}), wo);
    };
    const Tensor y = multi_head(x);
    evidence.at_most(Role::kCore, "multi-head attention against the printed loops: largest relative difference",
                     relative_gap(y, slow(x, wq, wk, wv, heads, wo)), 0, 1e-6, "3 heads, L = 12, width 5");
    const Tensor weights = at::softmax(op.scores(split(at::matmul(x, wq)), split(at::matmul(x, wk))), -1);
    evidence.at_most(Role::kCore, "|sum of a row of attention - 1|, largest", (weights.sum(-1) - 1).abs().max().item<double>(), 0, 1e-12);
    const Tensor order = at::randperm(length, g, at::TensorOptions().dtype(at::kLong));
    evidence.at_most(Role::kCore, "permuted tokens against permuted outputs: largest relative difference",
                     relative_gap(multi_head(x.index_select(0, order)), y.index_select(0, order)), 0, 1e-9);
  }

  Tensor slow(const Tensor& x, const Tensor& wq, const Tensor& wk, const Tensor& wv, std::int64_t heads, const Tensor& wo) const {
    const std::int64_t length = x.size(0), d = x.size(1), width = d / heads;
    std::vector<Tensor> parts;
    for (std::int64_t h = 0; h < heads; ++h) {
      const auto columns = [&](const Tensor& m) { return at::matmul(x, m.slice(1, h * width, (h + 1) * width)); };
      const Tensor q = columns(wq), k = columns(wk), v = columns(wv);
      std::vector<Tensor> rows;
      for (std::int64_t i = 0; i < length; ++i) {
        const Tensor s = (k * q[i]).sum(1), scores = s * s / ((k - q[i]).square().sum(1) + p_.epsilon);
        const Tensor e = (scores - scores.max()).exp();
        rows.push_back((e.unsqueeze(1) * v).sum(0) / e.sum());
      }
      parts.push_back(at::stack(rows));
    }
    return at::matmul(at::cat(parts, 1), wo);
  }

  /// "the same potential-well geometry and self-regularization": scores stay in [0, |k|^4/eps + |k|^2].
  void bounded(const ClaimContext& context, Evidence& evidence, const Operator&) const {
    context.tick(0.4, "largest score");
    auto g = generator_of(context.seed + 1);
    double high = 0, low = std::numeric_limits<double>::infinity();
    for (const double epsilon : {1e-2, 1.0}) {
      const auto op = context.op.with_epsilon(epsilon);
      for (const std::int64_t d : {1, 2, 8}) {
        const Tensor key = normals({1, d}, g);
        const double length = key.square().sum().item<double>();
        SearchOptions o;
        o.seed = context.seed;
        o.steps = 100;
        const Tensor starts = key + normals({context.scaled(48, 12), d}, g);
        const auto score_of = [&](const Tensor& q) { return op->scores(q, key).squeeze(1); };
        high = std::max(high, maximise(score_of, starts, {}, o).value / (length * length / epsilon + length));
        low = std::min(low, -maximise([&](const Tensor& q) { return -score_of(q); }, starts, {}, o).value);
      }
    }
    evidence.at_most(Role::kCore, "largest score over queries / (|k|^4/eps + |k|^2)", high, 1, 1e-9, "by search, d = 1, 2, 8");
    evidence.at_least(Role::kCore, "smallest score", low, 0, 0, "by search, d = 1, 2, 8");
  }

  void sharpness(const ClaimContext& context, Evidence& evidence, const Operator& op) const {
    context.tick(0.7, "how sharp attention gets");
    auto g = generator_of(context.seed + 2);
    const std::int64_t length = 64, width = 16;
    // Keys of length 1, which an ordinary head can distinguish by its queries alone.
    const Tensor raw = normals({length, width}, g), k = raw / raw.norm(2, 1, true);
    const Tensor q = 1e4 * normals({context.scaled(200, 50), width}, g);
    const Tensor kernel = at::softmax(op.scores(q, k), -1).amax(-1);
    const Tensor dot = at::softmax(at::matmul(q, k.t()) / std::sqrt(static_cast<double>(width)), -1).amax(-1);
    const std::string where = "64 keys of length 1 in d = 16, queries grown 1e4 times";
    evidence.at_least(Role::kReading, "largest attention weight of long queries, mean: one key can be singled out, as with dot products",
                      kernel.mean().item<double>(), 0.5, 0, where);
    evidence.note("the same for scaled dot products", dot.mean().item<double>(), where);
    const Tensor keys = at::eye(width, at::kDouble), query = 2 * keys.slice(0, 0, 1);
    evidence.at_most(Role::kReading, "weight of all keys orthogonal to the query ('statistical orthogonality')",
                     1 - at::softmax(op.scores(query, keys), -1)[0][0].item<double>(), 0.05, 0,
                     "16 orthonormal keys, q = 2 k_1: the scores are 4 and 0");
  }

  Params p_;
};

YATLAB_REGISTER(Claim, YatAttention, "subsec:yat_attention");

}  // namespace
}  // namespace yatlab

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <cmath>
#include <optional>

#include "core/base/hash.h"
#include "plugins/language/architectures/attention.h"
#include "plugins/language/studies/heads_of.h"

namespace yatlab {
namespace {

/// How close one attention layer's output is to that of exact spherical yat attention with the same random weights and normal inputs (SLAY,
/// tab:kernel-combined), and its scores for pairs at known angles.
class AttentionApproximation final : public Study {
 public:
  struct Params {
    std::int64_t batch = 8, pairs = 256;
    double epsilon = 1e-6;
    bool bias = true;
    std::optional<double> clamp;
    ComponentRef normalizer = "softermax";
    static void declare(Fields& f, Params& p) {
      f.field("batch", p.batch, "number of sequences, each as long as the model's context").positive();
      f.field("pairs", p.pairs, "number of query-key pairs at each angle").positive();
      f.field("epsilon", p.epsilon, "the exact kernel's epsilon").positive();
      f.field("bias", p.bias, "give the projections random biases: outputs then share a constant, which lowers relative errors");
      f.field("clamp", p.clamp,
              "attention by features divides by sums of scores clamped to at least this, a negative sum too; null: by sums plus the map's "
              "delta")
          .positive();
      f.component("normalizer", p.normalizer, "normalizer", "normalizer of the exact kernel's scores; softermax divides by their sum");
    }
  };
  explicit AttentionApproximation(const Params& p) : p_(p) {}

  FindingNames names(const ArmParts&) const override {
    return {with_prefix("approximation/", {MetricDoc("rel_l2").called("relative L2 error").lower().shown(),
                                           MetricDoc("cosine").called("cosine").higher().shown(),
                                           MetricDoc("mse").called("mean squared error").lower().as(NumberFormat::kScientific),
                                           MetricDoc("negative").called("negative denominators").lower().percent().shown(),
                                           MetricDoc("peak").called("score at 0°, over that at 60°").neither().shown(),
                                           MetricDoc("floor").called("score at 90°, over that at 60°").neither().shown()}),
            {}};
  }

  Findings run(const StudyContext& context) const override {
    const at::NoGradGuard no_grad;
    std::shared_ptr<Architecture> model;
    const AttentionHeads& heads = heads_of(context, model, "attention_approximation");
    const auto h = heads.heads(), d = heads.width(), width = h * d, length = heads.length();
    const auto generator = at::make_generator<at::CPUGeneratorImpl>(derive_seed(context.seed, "approximation"));
    const auto float_options = at::TensorOptions().dtype(at::kFloat);
    // The initialization of torch.nn.Linear.
    const auto uniform = [&](std::vector<std::int64_t> shape) {
      return (at::rand(shape, generator, float_options) * 2 - 1) / std::sqrt(static_cast<double>(width));
    };
    const Tensor in = uniform({3 * width, width}), out = uniform({width, width});
    const double biased = p_.bias ? 1 : 0;
    const Tensor in_bias = uniform({3 * width}) * biased, out_bias = uniform({width}) * biased;
    const Tensor x = at::randn({p_.batch, length, width}, generator, float_options);
    const auto qkv = at::linear(x, in, in_bias).view({p_.batch, length, 3, h, d}).permute({2, 0, 3, 1, 4}).unbind(0);
    const auto output = [&](const Tensor& mixed) {
      return at::linear(mixed.transpose(1, 2).reshape({p_.batch, length, width}), out, out_bias).to(at::kDouble).flatten();
    };
    const Tensor exact = output(exactly(heads.causal(), qkv)), ours = output(estimate(heads, qkv));
    context.progress(0.8, "angles");

    Findings found;
    const auto put = [&](const char* name, double value) { found.metrics[std::string("approximation/") + name] = value; };
    put("rel_l2", ((ours - exact).norm() / exact.norm()).item<double>());
    put("cosine", (at::dot(ours, exact) / (ours.norm() * exact.norm())).item<double>());
    put("mse", (ours - exact).pow(2).mean().item<double>());
    const Tensor sums = heads.denominators(qkv[0], qkv[1]);
    put("negative", sums.defined() ? (sums < 0).to(at::kDouble).mean().item<double>() : 0);
    const Tensor one = unit(at::randn({1, h, p_.pairs, d}, generator, float_options));
    const Tensor random = at::randn({1, h, p_.pairs, d}, generator, float_options);
    const Tensor other = unit(random - (random * one).sum(-1, true) * one);
    const auto score_at = [&](double cosine) {
      const Tensor keys = cosine * one + std::sqrt(1 - cosine * cosine) * other;
      return at::diagonal(heads.scores(one, keys), 0, -2, -1).to(at::kDouble).mean().item<double>();
    };
    const double between = score_at(0.5);
    put("peak", score_at(1) / between);
    put("floor", score_at(0) / between);
    return found;
  }

 private:
  static Tensor unit(const Tensor& rows) { return rows / rows.norm(2, -1, true); }

  Tensor estimate(const AttentionHeads& heads, const std::vector<Tensor>& qkv) const {
    if (!p_.clamp || !heads.denominators(qkv[0], qkv[1]).defined()) return heads.mix(qkv[0], qkv[1], qkv[2]);
    Tensor scores = heads.scores(qkv[0], qkv[1]);
    if (heads.causal()) scores = scores.tril();
    return at::matmul(scores, qkv[2]) / scores.sum(-1, true).clamp_min(*p_.clamp);
  }

  Tensor exactly(bool causal, const std::vector<Tensor>& qkv) const {
    Node op = Node::map();
    op.set("name", "yat");
    op.set("spherical", true);
    op.set("epsilon", p_.epsilon);
    AttentionOptions o;
    o.causal = causal;
    return attention(Registry<Operator>::create(op), Registry<Normalizer>::create(p_.normalizer), qkv[0], qkv[1], qkv[2], o);
  }

  Params p_;
};

YATLAB_REGISTER(Study, AttentionApproximation, "attention_approximation", "an attention's output against exact spherical yat attention");

}  // namespace
}  // namespace yatlab

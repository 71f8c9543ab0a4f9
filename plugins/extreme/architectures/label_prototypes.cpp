#include <ATen/ATen.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/data/sparse_rows.h"
#include "core/model/initialize.h"
#include "core/model/label_scorer.h"
#include "core/model/precision.h"
#include "core/model/stacked_architecture.h"
#include "core/ops/nmn.h"
#include "core/ops/pairwise.h"
#include "core/ops/stacked_operator.h"
#include "plugins/extreme/architectures/embedding_mean.h"
#include "plugins/extreme/architectures/label_ranker.h"
#include "plugins/extreme/tasks/top_k.h"

namespace yatlab {
namespace {

/// Extreme classification (paper, "Extreme Classification"): a query q, the mean of the embeddings of a
/// document's features, is scored against one prototype for each label, s * K(q, w_l).
class LabelPrototypes final : public StackedArchitecture, public LabelRanker, public LabelScorer {
 public:
  enum class Logits { kRaw, kLog };

  struct Params {
    std::int64_t dim = 256;
    BagWeights values = BagWeights::kBinary;
    bool normalize_query = false;
    bool normalize_prototypes = false;
    Logits logits = Logits::kRaw;
    double log_floor = 1e-9;
    ComponentRef init = "normal", prototype_init = "normal";
    ScaleParams scale;
    bool sparse_gradients = true;
    std::int64_t block = 4096;
    Precision precision = Precision::kFloat;

    static void declare(Fields& f, Params& p) {
      f.field("dim", p.dim, "length of embeddings and prototypes").positive();
      f.choice("values", p.values, {{"binary", BagWeights::kBinary}, {"weighted", BagWeights::kValues}},
               "weight of a feature in the mean: 1 (binary, the author's code), or its value");
      f.field("normalize_query", p.normalize_query, "divide the query q by its norm (at least 1e-4)");
      f.field("normalize_prototypes", p.normalize_prototypes, "score against prototypes of norm 1");
      f.choice("logits", p.logits, {{"raw", Logits::kRaw}, {"log", Logits::kLog}},
               "input of the loss: the scores E, or log(max(E, log_floor)), whose softmax is softermax of power 1; needs an operator "
               "without negative scores");
      f.field("log_floor", p.log_floor, "lower limit of scores inside the logarithm").positive();
      f.component("init", p.init, "initializer", "initializer of the embeddings");
      f.component("prototype_init", p.prototype_init, "initializer", "initializer of the prototypes");
      ScaleParams::declare(f, p.scale);
      f.field("sparse_gradients", p.sparse_gradients,
              "sparse gradients of the embeddings, for the batch's features only (same numbers, less memory)");
      f.field("block", p.block, "number of labels ranked at once (does not change results)").positive();
      declare_precision(f, p.precision,
                        "precision of scores and their gradients in training; parameters, sums, losses and rankings are always float32");
    }
  };
  explicit LabelPrototypes(const Params& p) : p_(p) {}

  void build(const BuildContext& context) override {
    NmnOptions o;
    o.inputs = p_.dim;
    o.units = context.num_classes;
    o.scale = p_.scale;
    labels_ = register_module("labels", std::make_shared<Nmn>(context.op, o));
    op_ = context.op;
    register_operator_parameters(*this, op_);
    if (p_.logits == Logits::kLog && labels_->may_be_negative()) {
      throw config_error("architecture.logits=log needs scores that are never negative", "architecture.logits",
                         "this operator (or its scale) can give negative scores", "use architecture.logits=raw, or operator=yat");
    }
    sample_dims_ = context.input_shape.size();
    embeddings_ = register_parameter("embeddings", at::zeros({flat_size(context.input_shape), p_.dim}));
    initialize(embeddings_, p_.init, context.seed, "embeddings");
    initialize(labels_->weight, p_.prototype_init, context.seed, "prototypes");
  }

  std::shared_ptr<Architecture> miniature() const override {
    Params small = p_;
    small.dim = std::min<std::int64_t>(p_.dim, 4);
    return std::make_shared<LabelPrototypes>(small);
  }

  /// -> logits [B, L]
  Tensor forward(const Tensor& inputs) override {
    const Tensor q = queries(inputs), scores = block_scores(q, labels_->weight).to(q.scalar_type());
    return p_.logits == Logits::kLog ? scores.clamp_min(p_.log_floor).log() : scores;
  }

  Tensor queries(const Tensor& inputs) override {
    const Tensor bags = is_sparse_rows(inputs) ? inputs : sample_rows(inputs).to_sparse_csr();
    const Tensor q = embedding_mean(embeddings_, bags, p_.values, p_.sparse_gradients);
    return p_.normalize_query ? on_sphere(q) : q;
  }
  Tensor label_rows() const override { return labels_->weight; }
  Tensor block_scores(const Tensor& queries, const Tensor& rows) const override { return scores_in(p_.precision, queries, rows); }
  std::vector<Tensor> score_parameters() const override {
    std::vector<Tensor> out;
    if (labels_->alpha.defined() && labels_->alpha.requires_grad()) out.push_back(labels_->alpha);
    for (const auto& [name, tensor] : op_->parameters()) out.push_back(tensor);
    return out;
  }
  double log_floor() const override { return p_.logits == Logits::kLog ? p_.log_floor : 0.0; }

  TopK top_k(const Tensor& inputs, std::int64_t k) override {
    at::NoGradGuard no_grad;
    const Tensor q = queries(inputs), rows = labels_->weight;
    TopKMerger best(q.size(0), k);
    for (std::int64_t first = 0; first < rows.size(0); first += p_.block) {
      const auto n = std::min(p_.block, rows.size(0) - first);
      best.add(scores_in(Precision::kFloat, q, rows.narrow(0, first, n)), first);
    }
    return best.take();
  }

  std::map<std::string, double> observables() const override {
    std::map<std::string, double> seen = operator_observables(op_);
    if (labels_->alpha.defined()) seen["model/alpha"] = labels_->alpha.item<double>();
    seen["prototypes/norm"] = at::norm(prototypes(), 2, {1}).mean().item<double>();
    return seen;
  }

  Tensor prototypes() const override { return labels_->weight.detach(); }
  void set_prototypes(const Tensor& values) override {
    at::NoGradGuard no_grad;
    labels_->weight.copy_(values);
  }
  bool may_be_negative() const override { return p_.logits == Logits::kLog || labels_->may_be_negative(); }

  bool faster_in_stacks() const override { return false; }  // products and memory are each member's own: docs/stacks.md
  std::vector<std::string> stacked_parameters() const override { return {"init", "prototype_init", "alpha_init"}; }

 private:
  /// [B, ...] -> [B, F]; in a stack [G, B, ...] -> [S * B, F].
  Tensor sample_rows(const Tensor& inputs) const {
    const Tensor flat = flat_samples(inputs, sample_dims_);
    return flat.dim() == 2 ? flat : flat.repeat_interleave(embeddings_.size(0) / flat.size(0), 0).flatten(0, 1);
  }
  Tensor scores_in(Precision precision, const Tensor& queries, const Tensor& rows) const {
    const auto type = computed_in(precision, queries.scalar_type());
    const Tensor q = queries.to(type), w = (p_.normalize_prototypes ? on_sphere(rows) : rows).to(type);
    return w.dim() == 3 ? stacked_scores(*op_, q, w, {}, labels_->factor()) : op_->scaled_scores(q, w, {}, labels_->factor());
  }
  static Tensor on_sphere(const Tensor& rows) { return unit_rows(rows, 1e-4).to(rows.scalar_type()); }

  Params p_;
  std::shared_ptr<Operator> op_;
  std::shared_ptr<Nmn> labels_;
  Tensor embeddings_;
  std::size_t sample_dims_ = 1;
};

YATLAB_REGISTER(Architecture, LabelPrototypes, "label_prototypes", "mean of feature embeddings, scored against one prototype per label");

}  // namespace
}  // namespace yatlab

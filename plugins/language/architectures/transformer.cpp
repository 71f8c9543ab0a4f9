#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/model/architecture.h"
#include "core/model/initialize.h"
#include "core/model/language_model.h"
#include "core/model/precision.h"
#include "core/model/recompute.h"
#include "core/model/start_weights.h"
#include "core/ops/nmn.h"
#include "core/train/device.h"
#include "plugins/language/architectures/attention.h"
#include "plugins/language/architectures/attention_heads.h"
#include "plugins/language/architectures/feature_attention.h"

namespace yatlab {
namespace {

enum class MlpKind { kGelu, kGeluTanh, kNmn, kNone };
enum class NormPlace { kNone, kPre, kPost };
enum class NormKind { kLayer, kRms };
enum class ScoreScale { kNone, kSqrt, kLearned };

/// `architecture.attention`
struct AttentionParams {
  ComponentRef op, normalizer, features;
  bool causal = true;
  ScoreScale scale = ScoreScale::kSqrt;
  std::int64_t block = 0;
  bool recompute = true;
  static void declare(Fields& f, AttentionParams& p) {
    f.component("operator", p.op, "operator", "operator between queries and keys; null: the experiment's operator");
    f.component("normalizer", p.normalizer, "normalizer", "normalizer of the scores; null: the experiment's, or softmax");
    f.component("features", p.features, "feature_map",
                "attention in linear time with these features, instead of operator, normalizer and scale; null: all pairs");
    f.field("causal", p.causal, "causal mask: no position attends to later ones; language models need it");
    f.choice("scale", p.scale, {{"none", ScoreScale::kNone}, {"sqrt", ScoreScale::kSqrt}, {"learned", ScoreScale::kLearned}},
             "factor of every score: 1, 1/sqrt(head width), or a learned number per layer, initially 1");
    f.field("block", p.block,
            "number of queries and keys processed at once, so that memory is linear in the context; 0: all, or 128 with features")
        .non_negative();
    f.field("recompute", p.recompute,
            "recompute scores in the backward pass instead of storing their inputs, context x context numbers per head; the inner "
            "product has none to store");
  }
};

/// `architecture.mlp`
struct MlpParams {
  MlpKind kind = MlpKind::kGelu;
  std::int64_t ratio = 4;
  ComponentRef op;
  ComponentRef init = "normal";
  ScaleParams scale;
  static void declare(Fields& f, MlpParams& p) {
    f.choice("kind", p.kind,
             {{"gelu", MlpKind::kGelu}, {"gelu_tanh", MlpKind::kGeluTanh}, {"nmn", MlpKind::kNmn}, {"none", MlpKind::kNone}},
             "Linear, GELU (exact, or the tanh form that GPT-2's published weights need), Linear; the operator's layer and one "
             "Linear (paper); or nothing: blocks of attention alone");
    f.field("ratio", p.ratio, "number of hidden units divided by width").positive();
    f.component("operator", p.op, "operator", "operator of the nmn layer; null: the experiment's operator");
    f.component("init", p.init, "initializer", "initializer of the nmn layer's weights");
    ScaleParams::declare(f, p.scale);
  }
};

/// `architecture.norm`
struct NormParams {
  NormPlace place = NormPlace::kPre;
  NormKind kind = NormKind::kLayer;
  static void declare(Fields& f, NormParams& p) {
    f.choice("place", p.place, {{"none", NormPlace::kNone}, {"pre", NormPlace::kPre}, {"post", NormPlace::kPost}},
             "x + f(x), x + f(norm(x)) with a final norm after the last block, or norm(x + f(x))");
    f.choice("kind", p.kind, {{"layer", NormKind::kLayer}, {"rms", NormKind::kRms}}, "LayerNorm or RMSNorm, with a learned gain");
  }
};

struct TransformerParams {
  std::int64_t layers = 12, heads = 12, width = 768, context = 1024;
  std::int64_t vocabulary_multiple = 1;
  bool bias = false, tied = true, residual_scaling = true, recompute = false;
  double dropout = 0, init_std = 0.02;
  std::optional<double> embedding_std;
  Precision precision = Precision::kFloat;
  AttentionParams attention;
  MlpParams mlp;
  NormParams norm;
  StartWeights weights;
  static void declare(Fields& f, TransformerParams& p) {
    f.field("layers", p.layers, "number of blocks; 0: predict the next token from the current position and token only").non_negative();
    f.field("heads", p.heads, "number of attention heads").positive();
    f.field("width", p.width, "width of the residual stream; a multiple of heads").positive();
    f.field("context", p.context, "number of position embeddings; longer samples are refused").positive();
    f.field("vocabulary_multiple", p.vocabulary_multiple,
            "pad the rows of the embeddings to a multiple of this (64 is faster on some hardware); padding is never predicted")
        .positive();
    f.field("bias", p.bias, "biases in linear layers");
    f.field("tied", p.tied, "weight tying: predict with the token embeddings");
    f.field("residual_scaling", p.residual_scaling, "divide the initial projections into the residual stream by sqrt(2 layers), as GPT-2");
    f.field("dropout", p.dropout, "dropout probability of embeddings and of every block's output").range(0, 0.99);
    f.field("init_std", p.init_std, "standard deviation of initial linear weights, and of embeddings unless embedding_std is set")
        .positive();
    f.field("embedding_std", p.embedding_std, "standard deviation of initial token and position embeddings; null: init_std").positive();
    f.field("recompute", p.recompute,
            "activation checkpointing: keep only every block's input and recompute the rest in the backward pass (less memory, a "
            "third more work)");
    declare_precision(f, p.precision,
                      "precision of activations and products; parameters, sums, denominators and losses are always float32");
    f.group("attention", p.attention, "attention");
    f.group("mlp", p.mlp, "MLP, the other half of a block");
    f.group("norm", p.norm, "normalisation layers");
    StartWeights::declare(f, p.weights);
  }
};

/// x Wᵀ + b in the precision of x.
struct Linear : torch::nn::Module {
  Linear(std::int64_t in, std::int64_t out, bool with_bias) {
    weight = register_parameter("weight", at::zeros({out, in}));
    if (with_bias) bias = register_parameter("bias", at::zeros({out}));
  }
  Tensor forward(const Tensor& x) const {
    return at::linear(x, weight.to(x.scalar_type()), bias.defined() ? c10::optional<Tensor>(bias.to(x.scalar_type())) : c10::nullopt);
  }
  Tensor weight, bias;
};

struct Norm : torch::nn::Module {
  Norm(std::int64_t width, NormKind k, bool with_bias) : kind(k) {
    weight = register_parameter("weight", at::ones({width}));
    if (with_bias && k == NormKind::kLayer) bias = register_parameter("bias", at::zeros({width}));
  }
  Tensor forward(const Tensor& x) const {
    const Tensor wide = x.to(at::kFloat);
    if (kind == NormKind::kLayer) return at::layer_norm(wide, weight.sizes(), weight, bias, 1e-5).to(x.scalar_type());
    return (wide * (wide.pow(2).mean(-1, true) + 1e-5).rsqrt() * weight).to(x.scalar_type());
  }
  NormKind kind;
  Tensor weight, bias;
};

/// Dropout masks of one forward pass, which depend only on the seed and on the number of passes before it.
struct Dropout {
  double share = 0;
  at::Generator generator = {};
  /// A copy that drops the same values from here on.
  Dropout fork() const { return {share, generator.defined() ? generator.clone() : generator}; }
  Tensor operator()(const Tensor& x, bool training) {
    if (share == 0 || !training) return x;
    const Tensor kept = at::rand(x.sizes(), generator, x.options().dtype(at::kFloat)).ge(share);
    return x * kept.to(x.scalar_type()) * (1 / (1 - share));
  }
};

/// A LayerWatch of one layer; may be empty.
using Shown = std::function<void(const char* what, const Tensor& values)>;

struct Attention : torch::nn::Module {
  Attention(const TransformerParams& p, std::shared_ptr<Operator> op_, std::shared_ptr<Normalizer> normalizer_,
            std::shared_ptr<FeatureMap> map_, std::uint64_t seed)
      : op(std::move(op_)),
        normalizer(std::move(normalizer_)),
        map(std::move(map_)),
        heads(p.heads),
        context(p.context),
        options(p.attention) {
    qkv = register_module("qkv", std::make_shared<Linear>(p.width, 3 * p.width, p.bias));
    out = register_module("out", std::make_shared<Linear>(p.width, p.width, p.bias));
    if (map) {
      drawn = map->draw(heads, p.width / heads, seed);
      for (std::size_t i = 0; i < drawn.size(); ++i) register_buffer("drawn" + std::to_string(i), drawn[i]);
      return;
    }
    if (options.scale == ScoreScale::kLearned) scale = register_parameter("scale", at::ones({1}));
    if (options.scale == ScoreScale::kSqrt) factor = 1 / std::sqrt(static_cast<double>(p.width / p.heads));
  }
  Tensor forward(const Tensor& x, const Shown& shown) const {
    const auto b = x.size(0), t = x.size(1), d = x.size(2);
    const auto parts = qkv->forward(x).view({b, t, 3, heads, d / heads}).permute({2, 0, 3, 1, 4}).unbind(0);  // each [B, H, T, d/H]
    if (shown) show(parts[0], parts[1], shown);
    return out->forward(mix(parts[0], parts[1], parts[2]).transpose(1, 2).reshape({b, t, d}));
  }
  /// Over all heads, [B, H, T, d/H].
  Tensor mix(const Tensor& q, const Tensor& k, const Tensor& v) const {
    if (map) return feature_attention(*map, drawn, q, k, v, by_features());
    AttentionOptions o;
    o.causal = options.causal;
    o.block = options.block;
    o.recompute = options.recompute;
    o.factor = factor;
    if (scale.defined()) o.scale = scale.to(q.scalar_type());
    return attention(op, normalizer, q, k, v, o);
  }
  FeatureAttentionOptions by_features() const { return {options.causal, options.block > 0 ? options.block : 128, context}; }
  Tensor scores(const Tensor& q, const Tensor& k) const {
    if (map) return feature_scores(*map, drawn, q, k, context);
    const Tensor all = op->scores(q, k) * factor;
    return scale.defined() ? all * scale.to(q.scalar_type()) : all;
  }
  void show(const Tensor& q, const Tensor& k, const Shown& shown) const {
    const at::NoGradGuard no_grad;
    const Tensor all = scores(q, k).to(at::kFloat);
    const Tensor pairs = at::ones({q.size(2), k.size(2)}, all.options().dtype(at::kBool));
    const Tensor seen = options.causal ? pairs.tril() : pairs;
    shown("scores", all);
    if (!map) {
      shown("weights", normalizer->normalize(all, -1, seen).to(at::kFloat));
      return;
    }
    const Tensor counted = all * seen;
    shown("weights", counted / (counted.sum(-1, true) + map->delta()));
  }
  std::shared_ptr<Operator> op;
  std::shared_ptr<Normalizer> normalizer;
  std::shared_ptr<FeatureMap> map;
  std::int64_t heads, context;
  AttentionParams options;
  std::shared_ptr<Linear> qkv, out;
  std::vector<Tensor> drawn;  // random tensors of the feature map
  Tensor scale;
  double factor = 1;
};

struct Mlp : torch::nn::Module {
  Mlp(const TransformerParams& p, const std::shared_ptr<Operator>& op) : kind(p.mlp.kind) {
    const auto hidden = p.mlp.ratio * p.width;
    if (kind == MlpKind::kNmn) {
      NmnOptions o;
      o.inputs = p.width;
      o.units = hidden;
      o.bias = p.bias;
      o.scale = p.mlp.scale;
      nmn = register_module("nmn", std::make_shared<Nmn>(op, o));
    } else {
      up = register_module("up", std::make_shared<Linear>(p.width, hidden, p.bias));
    }
    down = register_module("down", std::make_shared<Linear>(hidden, p.width, p.bias));
  }
  Tensor forward(const Tensor& x) const {
    if (kind != MlpKind::kNmn) return down->forward(at::gelu(up->forward(x), kind == MlpKind::kGelu ? "none" : "tanh"));
    const Tensor factor = nmn->factor();
    const Tensor bias = nmn->bias.defined() ? nmn->bias.to(x.scalar_type()) : nmn->bias;
    return down->forward(nmn->op().scaled_scores(x, nmn->weight.to(x.scalar_type()), bias, factor));
  }
  MlpKind kind;
  std::shared_ptr<Nmn> nmn;
  std::shared_ptr<Linear> up, down;
};

struct Block : torch::nn::Module {
  Block(const TransformerParams& p, std::shared_ptr<Attention> attention_, const std::shared_ptr<Operator>& mlp_op) : place(p.norm.place) {
    if (place != NormPlace::kNone) norm1 = register_module("norm1", std::make_shared<Norm>(p.width, p.norm.kind, p.bias));
    attention = register_module("attention", std::move(attention_));
    if (p.mlp.kind == MlpKind::kNone) return;
    if (place != NormPlace::kNone) norm2 = register_module("norm2", std::make_shared<Norm>(p.width, p.norm.kind, p.bias));
    mlp = register_module("mlp", std::make_shared<Mlp>(p, mlp_op));
  }
  Tensor forward(Tensor x, Dropout& dropout, const Shown& shown) const {
    x = part(x, norm1, [&](const Tensor& in) { return dropout(attention->forward(in, shown), is_training()); });
    if (!mlp) return x;
    return part(x, norm2, [&](const Tensor& in) { return dropout(mlp->forward(in), is_training()); });
  }
  template <class F>
  Tensor part(const Tensor& x, const std::shared_ptr<Norm>& norm, const F& f) const {
    switch (place) {
      case NormPlace::kPre:
        return x + f(norm->forward(x));
      case NormPlace::kPost:
        return norm->forward(x + f(x));
      case NormPlace::kNone:
        break;
    }
    return x + f(x);
  }
  NormPlace place;
  std::shared_ptr<Norm> norm1, norm2;
  std::shared_ptr<Attention> attention;
  std::shared_ptr<Mlp> mlp;
};

/// A decoder-only transformer: GPT-2, the paper's Aether, and everything between. Attention takes any operator and
/// any normalizer; the other half of a block is Linear-GELU-Linear or the operator's layer and one Linear (paper, fig. "attention_blocks").
class Transformer final : public Architecture, public LanguageModel, public AttentionHeads {
 public:
  using Params = TransformerParams;
  explicit Transformer(const Params& p) : p_(p) {
    if (p.width % p.heads != 0) {
      throw config_error(fmt::format("width {} is not divisible by {} heads", p.width, p.heads), "architecture.heads", {},
                         "choose a width that is a multiple of heads");
    }
  }

  void build(const BuildContext& context) override {
    const auto chosen = [&](const ComponentRef& own) { return own.node.is_null() ? context.op : Registry<Operator>::create(own); };
    const auto map = p_.attention.features.node.is_null() ? nullptr : Registry<FeatureMap>::create(p_.attention.features);
    if (map) refuse_parts_of_pairs();
    attention_op_ = map ? nullptr : chosen(p_.attention.op);
    mlp_op_ = p_.mlp.kind == MlpKind::kNmn ? chosen(p_.mlp.op) : nullptr;
    if ((!map && !attention_op_) || (p_.mlp.kind == MlpKind::kNmn && !mlp_op_)) {
      throw config_error("this transformer needs an operator", "architecture", {},
                         "set operator=dot for GPT-2, operator=yat for Aether, or a different one");
    }
    auto normalizer = !p_.attention.normalizer.node.is_null() ? Registry<Normalizer>::create(p_.attention.normalizer)
                      : context.normalizer                    ? context.normalizer
                                                              : Registry<Normalizer>::create("softmax");
    if (!map && normalizer->needs_non_negative() && !attention_op_->traits().non_negative) {
      throw config_error("the attention's normalizer cannot be used with this operator's scores", "architecture.attention.normalizer",
                         "it needs scores >= 0", "use softmax");
    }
    if (!context.input_shape.empty() && context.input_shape.back() > p_.context) {
      throw config_error(fmt::format("samples of {} tokens do not fit a context of {}", context.input_shape.back(), p_.context),
                         "architecture.context", {}, fmt::format("set architecture.context={}", context.input_shape.back()));
    }
    vocabulary_ = context.num_classes;
    const std::int64_t rows = (vocabulary_ + p_.vocabulary_multiple - 1) / p_.vocabulary_multiple * p_.vocabulary_multiple;
    tokens_ = register_parameter("tokens", at::zeros({rows, p_.width}));
    positions_ = register_parameter("positions", at::zeros({p_.context, p_.width}));
    for (std::int64_t i = 0; i < p_.layers; ++i) {
      const auto root = map && map->seed() ? static_cast<std::uint64_t>(*map->seed()) : context.seed;
      auto attention =
          std::make_shared<Attention>(p_, attention_op_, normalizer, map, derive_seed(root, "features", static_cast<std::uint64_t>(i)));
      blocks_.push_back(register_module("block" + std::to_string(i), std::make_shared<Block>(p_, std::move(attention), mlp_op_)));
    }
    if (p_.norm.place == NormPlace::kPre) last_ = register_module("norm", std::make_shared<Norm>(p_.width, p_.norm.kind, p_.bias));
    if (!p_.tied) head_ = register_parameter("head", at::zeros({rows, p_.width}));
    register_operator_parameters(*this, attention_op_);
    if (mlp_op_ && mlp_op_ != attention_op_)
      register_operator_parameters(*register_module("mlp", std::make_shared<torch::nn::Module>("mlp")), mlp_op_);
    for (const auto& item : named_parameters()) {
      if (item.key().rfind("operator.", 0) == 0 || item.key().rfind("mlp.operator.", 0) == 0) learned_by_operators_.push_back(item.value());
    }
    seed_ = context.seed;
    if (p_.dropout > 0) passes_ = register_buffer("passes", at::zeros({1}, at::kLong));  // resumed from a checkpoint
    start(context.seed);
  }

  std::shared_ptr<Architecture> miniature() const override {
    Params small = p_;
    small.layers = std::min<std::int64_t>(p_.layers, 2);
    small.width = 4 * p_.heads;
    small.mlp.ratio = 1;
    return std::make_shared<Transformer>(small);
  }

  Tensor forward(const Tensor& tokens) override {
    const Tensor h = hidden(tokens);
    return at::matmul(h, head().narrow(0, 0, vocabulary_).to(h.scalar_type()).t());
  }

  Tensor hidden(const Tensor& tokens) override {
    const Tensor numbers = token_numbers(tokens);
    const auto t = numbers.size(1);
    if (t > p_.context) {
      throw config_error(fmt::format("{} tokens do not fit a context of {}", t, p_.context), "architecture.context");
    }
    Tensor x = at::embedding(tokens_, numbers) + positions_.narrow(0, 0, t);
    x = x.to(computed_in(p_.precision, x.scalar_type()));
    Dropout dropout = next_dropout();
    x = dropout(x, is_training());
    if (watch_) watch_("residual", 0, x);
    std::int64_t layer = 0;
    for (const auto& block : blocks_) {
      ++layer;
      Shown shown;
      if (watch_) shown = [&](const char* what, const Tensor& values) { watch_(what, layer, values); };
      x = p_.recompute && at::GradMode::is_enabled() ? recomputed_block(block, x, dropout, shown) : block->forward(x, dropout, shown);
      if (watch_) watch_("residual", layer, x);
    }
    return last_ ? last_->forward(x) : x;
  }
  Tensor head() const override { return p_.tied ? tokens_ : head_; }
  std::int64_t vocabulary() const override { return vocabulary_; }
  void recompute(bool on) override { p_.recompute = on; }
  void watch(LayerWatch see) override { watch_ = std::move(see); }
  double training_flops_per_token(std::int64_t context) const override {
    double numbers = 0;
    for (const auto& p : parameters()) numbers += static_cast<double>(p.numel());
    return 6 * numbers + 6 * static_cast<double>(p_.layers * p_.width * context);
  }

  std::map<std::string, double> observables() const override {
    std::map<std::string, double> seen = operator_observables(attention_op_);
    double alpha = 0;
    std::size_t alphas = 0;
    for (const auto& block : blocks_) {
      if (!block->mlp || !block->mlp->nmn || !block->mlp->nmn->alpha.defined()) continue;
      alpha += block->mlp->nmn->alpha.item<double>();
      ++alphas;
    }
    if (alphas > 0) seen["model/alpha"] = alpha / static_cast<double>(alphas);
    return seen;
  }
  bool may_be_negative() const override { return !attention_op_ || !attention_op_->traits().non_negative; }
  Tensor mix(const Tensor& q, const Tensor& k, const Tensor& v) const override { return blocks_.front()->attention->mix(q, k, v); }
  Tensor scores(const Tensor& q, const Tensor& k) const override { return blocks_.front()->attention->scores(q, k); }
  Tensor denominators(const Tensor& q, const Tensor& k) const override {
    const Attention& a = *blocks_.front()->attention;
    return a.map ? feature_sums(*a.map, a.drawn, q, k, k.narrow(-1, 0, 1), a.by_features()).narrow(-1, 1, 1) : Tensor();
  }
  bool causal() const override { return p_.attention.causal; }
  std::int64_t length() const override { return p_.context; }
  std::int64_t heads() const override { return p_.heads; }
  std::int64_t width() const override { return p_.width / p_.heads; }

 private:
  void refuse_parts_of_pairs() const {
    const auto& a = p_.attention;
    const char* const key = !a.op.node.is_null() ? "operator" : !a.normalizer.node.is_null() ? "normalizer" : nullptr;
    const bool learned = a.scale == ScoreScale::kLearned;
    if (!key && !learned) return;
    throw config_error(fmt::format("attention by features has no {}", key ? key : "learned scale"),
                       fmt::format("architecture.attention.{}", key ? key : "scale"), "its scores are products of features",
                       fmt::format("set architecture.attention.{}, or architecture.attention.features=null",
                                   key ? std::string(key) + "=null" : "scale=sqrt"));
  }
  Tensor recomputed_block(const std::shared_ptr<Block>& block, const Tensor& x, Dropout& dropout, const Shown& shown) {
    std::vector<Tensor> leaves = block->parameters();
    leaves.insert(leaves.end(), learned_by_operators_.begin(), learned_by_operators_.end());
    // The recomputation drops the same values and reports nothing to the watch.
    auto forward = [block, before = dropout.fork(), now = &dropout, shown](const Tensor& in) mutable {
      Dropout again = before.fork();
      Dropout& mine = now ? *now : again;
      const Shown seen = now ? shown : Shown();
      now = nullptr;
      return block->forward(in, mine, seen);
    };
    return recomputed(std::move(forward), x, leaves);
  }

  Dropout next_dropout() {
    Dropout out{p_.dropout};
    if (p_.dropout == 0 || !is_training()) return out;
    const at::NoGradGuard no_grad;
    // Read it only if other code, such as a checkpoint, has written it; reading synchronizes the device.
    if (passes_._version() != passes_version_) passes_so_far_ = passes_.item<std::int64_t>();
    const auto stream = rank() == 0 ? std::string("dropout") : "dropout/rank=" + std::to_string(rank());
    out.generator = generator_on(tokens_.device(), derive_seed(seed_, stream, static_cast<std::uint64_t>(passes_so_far_)));
    ++passes_so_far_;
    passes_.add_(1);
    passes_version_ = passes_._version();
    return out;
  }

  /// GPT-2's initialization: N(0, std²), projections into the residual stream smaller by sqrt(2 layers), or sqrt(layers) without an MLP. The NMN
  /// layer has its own.
  void start(std::uint64_t seed) {
    const auto normal = [&](Tensor& weight, double std, const std::string& purpose, std::uint64_t index) {
      Node spec = Node::map();
      spec.set("name", "normal");
      spec.set("std", std);
      ComponentRef initializer;
      initializer.node = std::move(spec);
      initialize(weight, initializer, seed, purpose, index);
    };
    const double added = static_cast<double>(p_.layers) * (p_.mlp.kind == MlpKind::kNone ? 1 : 2);
    const double projected = p_.residual_scaling ? p_.init_std / std::sqrt(added) : p_.init_std;
    const double embedded = p_.embedding_std.value_or(p_.init_std);
    const auto of_tokens = [&](Tensor& weight, double std, const std::string& purpose) {
      Tensor rows = weight.detach().narrow(0, 0, vocabulary_);  // padding stays 0
      normal(rows, std, purpose, 0);
    };
    of_tokens(tokens_, embedded, "tokens");
    normal(positions_, embedded, "positions", 0);
    if (!p_.tied) of_tokens(head_, p_.init_std, "head");
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      auto& block = *blocks_[i];
      normal(block.attention->qkv->weight, p_.init_std, "qkv", i);
      normal(block.attention->out->weight, projected, "attention_out", i);
      if (!block.mlp) continue;
      if (block.mlp->up) normal(block.mlp->up->weight, p_.init_std, "mlp_up", i);
      if (block.mlp->nmn) initialize(block.mlp->nmn->weight, p_.mlp.init, seed, "nmn", i);
      normal(block.mlp->down->weight, projected, "mlp_down", i);
    }
  }

  Params p_;
  std::shared_ptr<Operator> attention_op_, mlp_op_;
  Tensor tokens_, positions_, head_;
  std::vector<Tensor> learned_by_operators_;
  std::vector<std::shared_ptr<Block>> blocks_;
  std::shared_ptr<Norm> last_;
  std::int64_t vocabulary_ = 0;
  std::uint64_t seed_ = 0;
  LayerWatch watch_;
  Tensor passes_;
  std::int64_t passes_so_far_ = 0;
  std::uint32_t passes_version_ = std::numeric_limits<std::uint32_t>::max();  // version of passes_ at the last read
};

YATLAB_REGISTER(Architecture, Transformer, "transformer", "decoder-only transformer with any attention kernel: GPT-2, Aether");

}  // namespace
}  // namespace yatlab

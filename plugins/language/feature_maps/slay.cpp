#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <cmath>

#include "core/base/error.h"
#include "core/ops/feature_map.h"
#include "core/ops/pairwise.h"
#include "plugins/language/feature_maps/random_features.h"

namespace yatlab {
namespace {

using at::Tensor;

/// How (q.k)^2 is computed or approximated.
enum class Square { kAnchor, kExact, kNone, kMaclaurin, kTensorSketch, kNystrom, kHadamard };

constexpr double kRidge = 1e-3;  // added to the diagonal of Nystrom's matrix, as in the authors' code

/// SLAY (arXiv 2602.04915): features for the spherical yat kernel x^2 / (C - 2x) of x = cos(q, k), C = 2 + epsilon. It is the integral of
/// e^(-sC) x^2 e^(2sx) over s >= 0, by Gauss-Laguerre quadrature; at each node s, features of x^2 times positive random features of e^(2sx).
///
/// Anchors a on the sphere have features (a.q)^2. As the number of anchors grows, their products tend to a multiple of 1 + 2 x^2, not of x^2.
class Slay final : public FeatureMap {
 public:
  struct Params {
    std::int64_t features = 16, anchors = 8, nodes = 3;
    double epsilon = 1e-3, delta = 1e-6;
    Square polynomial = Square::kAnchor;
    bool orthogonal = false;
    std::optional<std::int64_t> seed;
    static void declare(Fields& f, Params& p) {
      f.field("features", p.features, "random features of the exponential per quadrature node").positive();
      f.field("anchors", p.anchors, "number of features of the square: anchors, products, or the sketch's size").positive();
      f.field("nodes", p.nodes, "number of quadrature nodes").range(1, 64);
      f.field("epsilon", p.epsilon, "the kernel's epsilon").positive();
      f.choice("polynomial", p.polynomial,
               {{"anchor", Square::kAnchor},
                {"exact", Square::kExact},
                {"none", Square::kNone},
                {"maclaurin", Square::kMaclaurin},
                {"tensor_sketch", Square::kTensorSketch},
                {"nystrom", Square::kNystrom},
                {"hadamard", Square::kHadamard}},
               "features of the square: squares of products with anchors; all products of two coordinates; none (Laplace-only); "
               "random Maclaurin; TensorSketch; Nystrom; or (w.q)^2 with each random feature's w, multiplied element-wise");
      f.field("orthogonal", p.orthogonal, "random directions are orthogonal, in groups of the head's width");
      f.field("seed", p.seed, "of the random features; null: the job's").unlimited();
      f.field("delta", p.delta, "added to the sum of scores").non_negative();
    }
  };

  explicit Slay(const Params& p) : p_(p) {
    const auto [t, a] = gauss_laguerre(p.nodes);
    const double c = 2 + p.epsilon;
    for (std::int64_t r = 0; r < p.nodes; ++r) {
      nodes_.push_back(t[r].item<double>() / c);
      weights_.push_back(a[r].item<double>() / c);
    }
  }

  /// Directions [heads, width, nodes * features], followed by what the square needs: anchors [heads, width, anchors], and so on.
  std::vector<Tensor> draw(std::int64_t heads, std::int64_t width, std::uint64_t seed) const override {
    const auto generator = at::make_generator<at::CPUGeneratorImpl>(seed);
    std::vector<Tensor> at_nodes, out;
    for (std::int64_t r = 0; r < p_.nodes; ++r) {
      at_nodes.push_back(normal_projections(heads, width, p_.features, p_.orthogonal, generator));
    }
    out.push_back(at::cat(at_nodes, -1));
    const auto signs = [&](std::vector<std::int64_t> shape) { return at::randint(0, 2, shape, generator, at::kFloat) * 2 - 1; };
    switch (p_.polynomial) {
      case Square::kAnchor:
      case Square::kNystrom: {
        const Tensor normal = normal_projections(heads, width, p_.anchors, false, generator);
        const Tensor anchors = normal / normal.norm(2, -2, true);
        out.push_back(anchors);
        if (p_.polynomial == Square::kNystrom) out.push_back(inverse_root(at::matmul(anchors.transpose(-2, -1), anchors).pow(2)));
        break;
      }
      case Square::kMaclaurin:
        for (int i = 0; i < 2; ++i) out.push_back(signs({heads, width, p_.anchors}));
        break;
      case Square::kTensorSketch:
        for (int i = 0; i < 2; ++i) {  // each coordinate goes to one hash bucket, with a sign
          const Tensor places = at::randint(0, p_.anchors, {heads, width, 1}, generator, at::kLong);
          out.push_back(at::zeros({heads, width, p_.anchors}).scatter_(-1, places, signs({heads, width, 1})));
        }
        break;
      case Square::kExact:
      case Square::kNone:
      case Square::kHadamard:
        break;
    }
    return out;
  }

  Tensor features(const Tensor& rows, const FeaturePlace& place, const std::vector<Tensor>& drawn) const override {
    return row_products(factors(rows, place, drawn));
  }
  std::vector<Tensor> factors(const Tensor& rows, const FeaturePlace&, const std::vector<Tensor>& drawn) const override {
    const Tensor x = unit_rows(rows, 1e-8);
    const Tensor products = at::matmul(x, drawn[0].to(x.scalar_type()));
    std::vector<Tensor> at_nodes;
    for (std::int64_t r = 0; r < p_.nodes; ++r) {
      const auto s = nodes_[static_cast<std::size_t>(r)], w = weights_[static_cast<std::size_t>(r)];
      const Tensor here = products.narrow(-1, r * p_.features, p_.features);
      const Tensor positive = (here * std::sqrt(2 * s) + (0.5 * std::log(w / static_cast<double>(p_.features)) - s)).exp();
      at_nodes.push_back(p_.polynomial == Square::kHadamard ? positive * here.pow(2) : positive);
    }
    const Tensor exponential = at::cat(at_nodes, -1);
    if (p_.polynomial == Square::kNone || p_.polynomial == Square::kHadamard) return {exponential};
    return {square(x, drawn), exponential};
  }
  /// Each node's score is a square's estimate times a positive number; some estimates may be negative.
  bool non_negative() const override {
    return p_.polynomial == Square::kAnchor || p_.polynomial == Square::kExact || p_.polynomial == Square::kNone ||
           p_.polynomial == Square::kHadamard;
  }
  double delta() const override { return p_.delta; }
  std::optional<std::int64_t> seed() const override { return p_.seed; }

 private:
  static Tensor inverse_root(const Tensor& matrix) {
    const auto [values, vectors] = at::linalg_eigh(matrix.to(at::kDouble) + kRidge * at::eye(matrix.size(-1), at::kDouble));
    return at::matmul(vectors * values.clamp_min(1e-6).rsqrt().unsqueeze(-2), vectors.transpose(-2, -1)).to(at::kFloat);
  }

  /// Features of (q.k)^2: [..., n, width] -> [..., n, P].
  Tensor square(const Tensor& x, const std::vector<Tensor>& drawn) const {
    const auto with = [&](std::size_t i) { return at::matmul(x, drawn[i].to(x.scalar_type())); };
    const double root = 1 / std::sqrt(static_cast<double>(p_.anchors));
    switch (p_.polynomial) {
      case Square::kAnchor:
        return with(1).pow(2) * root;
      case Square::kNystrom:
        return at::matmul(with(1).pow(2), drawn[2].to(x.scalar_type()));
      case Square::kMaclaurin:
        return with(1) * with(2) * root;
      case Square::kTensorSketch:
        return at::fft_irfft(at::fft_rfft(with(1)) * at::fft_rfft(with(2)), p_.anchors);
      case Square::kExact: {
        const auto d = x.size(-1);
        const Tensor pairs = at::triu_indices(d, d, 0, x.options().dtype(at::kLong));
        const Tensor twice = at::where(pairs[0] == pairs[1], at::ones({}, x.options()), at::full({}, std::sqrt(2.0), x.options()));
        return x.index_select(-1, pairs[0]) * x.index_select(-1, pairs[1]) * twice;
      }
      case Square::kNone:
      case Square::kHadamard:
        break;
    }
    throw Error(ErrorKind::kInternal, "these features have no square");
  }

  Params p_;
  std::vector<double> nodes_, weights_;
};

YATLAB_REGISTER(FeatureMap, Slay, "slay", "spherical yat kernel: quadrature, features of a square, positive random features");

}  // namespace
}  // namespace yatlab

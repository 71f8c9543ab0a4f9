#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/measure/claim.h"
#include "plugins/claims/gram.h"

namespace yatlab {
namespace {

using namespace claims::kernels;

/// The sketched feature map, constructed: the tensor square of x, times, for each node t of the Laplace mixture, the Gaussian's power series. Inner
/// products of these finitely many features give the kernel.
class FeatureMap final : public Claim {
 public:
  struct Params {
    std::int64_t tensor_power = 2;
    static void declare(Fields& f, Params& p) { f.field("tensor_power", p.tensor_power, "tensor power of x, as printed").range(1, 3); }
  };
  explicit FeatureMap(const Params& p) : p_(p) {}

  void check(const ClaimContext& context, Evidence& evidence) const override {
    auto g = generator_of(context.seed);
    const std::vector<int> counts = {4, 12, 36};
    std::vector<double> errors(counts.size(), 0);
    std::int64_t features = 0;
    for (const double epsilon : {1.0, 4.0}) {
      const auto op = context.op.with_epsilon(epsilon);
      for (const std::int64_t d : {1, 2}) {
        if (d == 2 && epsilon < 2) continue;  // hundreds of thousands of features
        Tensor x = normals({12, d}, g);
        x = x / x.norm(2, {1}, true) * uniforms({12, 1}, g);  // unit ball
        const Tensor expected = gram(*op, x);
        for (std::size_t i = 0; i < counts.size(); ++i) {
          const auto [k, used] = from_features(x, epsilon, counts[i]);
          features = std::max(features, used);
          errors[i] = std::max(errors[i], ((k - expected).abs().max() / expected.abs().max()).item<double>());
        }
        context.tick(0.5, fmt::format("eps = {:g}, d = {}", epsilon, d));
      }
    }
    evidence.at_most(Role::kCore, "largest |<phi(x), phi(w)> - E(x,w)| / largest E", errors.back(), 0, 1e-9,
                     fmt::format("{} nodes, {} features, unit ball, d = 1 and eps = 1, 4; d = 2 and eps = 4", counts.back(), features));
    evidence.at_most(Role::kCore, "error with 12 nodes / with 4: it converges", errors[1] / errors[0], 0.1, 0);
  }

 private:
  /// Nodes and weights of the integral of e^(-s) f(s) over [0, inf) (Golub and Welsch).
  static std::pair<Tensor, Tensor> laguerre(std::int64_t count) {
    const Tensor i = at::arange(count, at::kDouble);
    const Tensor off = at::diag(i.slice(0, 1), 1);
    const auto [nodes, vectors] = at::linalg_eigh(at::diag(2 * i + 1) + off + off.t());
    return {nodes, vectors[0].square()};
  }

  /// The Gram matrix as inner products of features, and the number of features per point.
  std::pair<Tensor, std::int64_t> from_features(const Tensor& x, double epsilon, std::int64_t count) const {
    const std::int64_t n = x.size(0), d = x.size(1);
    Tensor tensor = x;  // x (x) x: [n, d^2]
    for (std::int64_t i = 1; i < p_.tensor_power; ++i) tensor = at::einsum("na,nb->nab", {tensor, x}).reshape({n, -1});
    const auto [nodes, weights] = laguerre(count);
    Tensor k = at::zeros({n, n}, at::kDouble);
    std::int64_t features = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const double weight = weights[i].item<double>() / epsilon, t = nodes[i].item<double>() / epsilon;
      if (weight < 1e-20) continue;
      // Powers of each coordinate: (2t)^(m/2) x^m / sqrt(m!), m = 0..M; their products over coordinates are e^(2t x.w).
      const auto degree = static_cast<std::int64_t>(2 * t + 10 * std::sqrt(2 * t)) + 30;
      std::vector<Tensor> columns = {(-t * x.square()).exp()};  // the Gaussian's factor, included here so that nothing overflows
      for (std::int64_t m = 1; m <= degree; ++m) {
        columns.push_back(columns.back() * x * std::sqrt(2 * t / static_cast<double>(m)));
      }
      const Tensor powers = at::stack(columns, 2);  // [n, d, M + 1]
      Tensor series = powers.select(1, 0);
      for (std::int64_t a = 1; a < d; ++a) series = at::einsum("na,nb->nab", {series, powers.select(1, a)}).reshape({n, -1});
      const Tensor phi = std::sqrt(weight) * at::einsum("na,nb->nab", {tensor, series}).reshape({n, -1});
      k += at::matmul(phi, phi.t());
      features += phi.size(1);
    }
    return {k, features};
  }

  Params p_;
};

YATLAB_REGISTER(Claim, FeatureMap, "rem:feature-map");

}  // namespace
}  // namespace yatlab

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

#include "catch.h"
#include "claims/named.h"
#include "core/measure/claim.h"
#include "plugins/claims/generalization.h"
#include "plugins/claims/gram.h"
#include "plugins/claims/precise.h"
#include "plugins/claims/simplex.h"

using namespace yatlab;
namespace kernels = yatlab::claims::kernels;
namespace simplex = yatlab::claims::simplex;

namespace {

using testing::false_in_part;
using testing::named;

OperatorChoice choose(const char* name) {
  Node spec = Node::map();
  spec.set("name", name);
  Registry<Operator>::table().at(name).schema.complete(spec, std::string("operator/") + name);
  return OperatorChoice(spec);
}

/// The evidence of one claim at small effort; `parameter` sets a variant.
Evidence rkhs_evidence(const char* label, const char* op = "yat", const char* parameter = nullptr, const Node& value = {}) {
  Node spec = Node::map();
  spec.set("name", label);
  if (parameter) spec.set(parameter, value);
  ClaimContext context{choose(op)};
  context.effort = 0.02;
  context.seed = 7;
  return check_claim(spec, context).evidence;
}

std::string status(const Evidence& e) { return to_string(e.status()); }

}  // namespace

TEST_CASE("kernel claims: statuses are as expected and corrections hold", "[claims]") {
  const std::pair<const char*, const char*> expected[] = {
      {"thm:mercer", "holds"},
      {"eq:laplace", "holds"},
      {"eq:yat_integral", "holds"},
      {"thm:min-similarity", "holds"},
      {"thm:max-similarity", "holds with a caveat"},
      {"cor:kl-identity", "holds"},
      {"prop:simplex-extremal", "holds"},
      {"thm:rkhs-embedding", "holds"},
      {"thm:pd-closure", "holds"},
      {"thm:laplace-identity", "holds"},
      {"thm:bernstein", "holds"},
      {"thm:tonelli-fubini", "holds"},
      {"thm:gibbs", "holds"},
      {"thm:bochner", "holds"},
      {"thm:hahn-banach", "holds"},
      {"rem:feature-map", "holds"},
      {"thm:generalization", "refuted"},
      {"rem:generalization", "partly false"},
      {"cor:relu-comparison", "refuted"},
      {"rem:tighter-bounds", "holds with a caveat"},
      {"def:softermax", "inexact"},
      {"def:soft-sigmoid", "holds"},
      {"def:soft-tanh", "holds"},
  };
  for (const auto& [label, wanted] : expected) {
    INFO(label);
    const Evidence e = rkhs_evidence(label);
    CHECK(status(e) == wanted);
    for (const Check* bad : e.failed_corrections()) FAIL_CHECK(bad->what << ": " << bad->comparison());
  }
}

TEST_CASE("kernel claims: decisive numbers agree with closed forms", "[claims]") {
  const Evidence mercer = rkhs_evidence("thm:mercer");
  // [[0, 1/2], [1/2, 9]]
  CHECK(named(mercer, "smallest eigenvalue with one bias b").value == Approx(4.5 - std::sqrt(20.25 + 0.25)));
  CHECK(named(mercer, "k(x,w) - k(w,x)").value == Approx(1.0 / 3));

  CHECK(named(rkhs_evidence("thm:max-similarity"), "the title's").value == Approx(32.0 / 25));

  const Evidence bound = rkhs_evidence("thm:generalization");
  CHECK(named(bound, "error / printed bound, inputs all").value == Approx(100.0 / 49));
  CHECK(named(bound, "power of n in the printed bound").value == Approx(-0.5).margin(1e-3));

  const Evidence relu = rkhs_evidence("cor:relu-comparison");
  // On the circle E's coefficients are a^2 rho^m / (2 sqrt(a^2 - 1)), a = 1 + eps/2, those of ReLU 4 / (pi^2 (m^2 - 1)^2): eps = 10, m = 12.
  const double root = std::sqrt(35.0), ours = 36 * std::pow(6 - root, 12) / (2 * root);
  CHECK(named(relu, "largest |f|_E^2").value == Approx(4 / (M_PI * M_PI * 143 * 143) / ours).epsilon(1e-3));
  CHECK(named(relu, "largest |f|_E^2").value == Approx(5.34e7).epsilon(2e-3));
  CHECK(named(relu, "f(x) = x_1 on the ball").value == Approx(100));
  // -ln rho + 4/m at most, with rho + 1/rho = 2 + eps and eps = 10
  CHECK(named(relu, "growth of ln").value > 0.5);
  CHECK(named(relu, "growth of ln").value < std::log(6 + std::sqrt(35.0)));

  CHECK(named(rkhs_evidence("rem:tighter-bounds"), "kappa").value == Approx(1e5));
  CHECK(named(rkhs_evidence("thm:min-similarity"), "E(p,q) where KL").value == Approx(1.0 / 6));
  CHECK(named(rkhs_evidence("thm:bernstein"), "domain [0, inf)").value == Approx(1000).epsilon(1e-3));
  CHECK(named(rkhs_evidence("def:softermax"), "a distribution").value == Approx(2e-15 / (1e-12 + 2e-15)));
  CHECK(named(rkhs_evidence("thm:tonelli-fubini"), "(x^2 - y^2)").value == Approx(M_PI / 2));
}

TEST_CASE("kernel claims: planted variants fail", "[claims]") {
  const auto planted = [](const char* label, const char* parameter, const Node& value) {
    INFO(label << " " << parameter);
    return rkhs_evidence(label, "yat", parameter, value).status();
  };
  CHECK(false_in_part(planted("thm:mercer", "bias", -1.0)));
  CHECK(false_in_part(planted("eq:laplace", "rate", 1.1)));
  CHECK(false_in_part(planted("eq:yat_integral", "power", 1.0)));
  CHECK(false_in_part(planted("thm:min-similarity", "value", 0.1)));
  CHECK(false_in_part(planted("thm:max-similarity", "exponent", 2.0)));
  CHECK(false_in_part(planted("cor:kl-identity", "divergence", 0.1)));
  CHECK(false_in_part(planted("thm:pd-closure", "weight", -1.0)));
  CHECK(false_in_part(planted("thm:laplace-identity", "power", 2.0)));
  CHECK(false_in_part(planted("thm:bernstein", "sign", -1.0)));
  CHECK(false_in_part(planted("thm:tonelli-fubini", "signed_function", true)));
  CHECK(false_in_part(planted("thm:gibbs", "bound", 1e-3)));
  CHECK(false_in_part(planted("thm:bochner", "lowest", -0.5)));
  CHECK(false_in_part(planted("thm:hahn-banach", "exponent", 0.5)));
  CHECK(false_in_part(planted("rem:feature-map", "tensor_power", 1)));
  CHECK(false_in_part(planted("rem:tighter-bounds", "factor", 0.9)));
  CHECK(false_in_part(planted("def:softermax", "normalizer", "softmax")));
  CHECK(false_in_part(planted("def:soft-sigmoid", "normalizer", "soft_tanh")));
  CHECK(planted("def:soft-sigmoid", "tail", 2.0) == ClaimStatus::kInexact);
  CHECK(false_in_part(planted("def:soft-tanh", "offset", 0.5)));
}

TEST_CASE("kernel claims: other operators do not satisfy claims about the yat-product", "[claims]") {
  // -|x-w|^2 is symmetric and continuous, but not positive definite; x.w is positive definite.
  CHECK(false_in_part(rkhs_evidence("thm:mercer", "euclidean").status()));
  CHECK(named(rkhs_evidence("thm:mercer", "dot"), "smallest eigenvalue / largest, in double").passed());
  for (const char* label : {"eq:laplace", "eq:yat_integral", "thm:max-similarity", "rem:feature-map", "rem:tighter-bounds"}) {
    INFO(label);
    CHECK(false_in_part(rkhs_evidence(label, "dot").status()));
  }
  CHECK(false_in_part(rkhs_evidence("thm:min-similarity", "euclidean").status()));
  CHECK(false_in_part(rkhs_evidence("prop:simplex-extremal", "euclidean").status()));
  CHECK(false_in_part(rkhs_evidence("thm:rkhs-embedding", "euclidean").status()));
  // The dot product's tangent kernel does vanish at right angles.
  CHECK(named(rkhs_evidence("rem:generalization", "dot"), "tangent kernel at right angles").passed());
}

TEST_CASE("kernel claims: eigenvalues beyond double precision are computed", "[claims]") {
  // Points 1 and 2 on the line, eps = 1: [[1, 2], [2, 16]], so (17 -+ sqrt(241)) / 2.
  const at::Tensor x = at::tensor(std::vector<double>{1, 2}, at::kDouble).unsqueeze(1);
  const auto [low, high] = kernels::extreme_eigenvalues(kernels::quad_gram(x, 1));
  const kernels::Quad root = sqrt(kernels::Quad(241));
  CHECK(static_cast<double>(abs(low - (17 - root) / 2)) < 1e-30);
  CHECK(static_cast<double>(abs(high - (17 + root) / 2)) < 1e-30);

  // Two points 1e-13 apart, for which double gets the sign wrong: det = k11 k22 - k12^2 > 0.
  const at::Tensor near = at::tensor(std::vector<double>{1, 1 + 1e-13}, at::kDouble).unsqueeze(1);
  const auto tiny = kernels::extreme_eigenvalues(kernels::quad_gram(near, 1)).first;
  CHECK(tiny > 0);
  CHECK(static_cast<double>(tiny) < 1e-25);
}

TEST_CASE("kernel claims: divergences and the ridge error agree with their definitions", "[claims]") {
  const at::Tensor p = kernels::vector_of({0.5, 0.5, 0}), q = kernels::vector_of({0.25, 0.5, 0.25});
  CHECK(simplex::divergence(p, q).item<double>() == Approx(0.5 * std::log(2.0)));
  CHECK(simplex::cross_entropy(p, q).item<double>() == Approx(1.5 * std::log(2.0)));
  CHECK(simplex::entropy(p).item<double>() == Approx(std::log(2.0)));
  CHECK(std::isinf(simplex::divergence(q, p).item<double>()));
  auto g = kernels::generator_of(3);
  const at::Tensor r = simplex::random(50, 5, 0.5, g);
  CHECK((r.sum(1) - 1).abs().max().item<double>() < 1e-15);
  CHECK(r.min().item<double>() == 0);

  // One input, the target 0: (k / (k + lambda))^2 noise^2 at that input. In d = 1 the ball is [-1, 1]; the operator is
  // x w, so f(z) = z x y / (x^2 + lambda), averaged over z: x^2 y^2 / (3 (x^2 + lambda)^2).
  claims::ridge::Problem problem;
  problem.op = choose("dot").make();
  problem.dim = 1;
  problem.noise = 2;
  double slow = 0;
  for (int i = 0; i < 2000; ++i) {
    const double x = -1 + 2 * (i + 0.5) / 2000;
    slow += x * x * 4 / (3 * (x * x + 0.3) * (x * x + 0.3)) / 2000;
  }
  CHECK(claims::ridge::error(problem, 1, 0.3, 3000, g, 20) == Approx(slow).epsilon(0.05));
}

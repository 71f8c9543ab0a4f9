// The claims about the product's calculus and geometry: their results, and that false variants of them
// fail.

#include <cmath>
#include <map>

#include "catch.h"
#include "claims/named.h"
#include "core/measure/claim.h"
#include "plugins/claims/boundary.h"
#include "plugins/claims/lipschitz_search.h"

using namespace yatlab;
using Catch::Matchers::ContainsSubstring;

namespace {

using testing::false_in_part;
using testing::named;

using Parameters = std::vector<std::pair<std::string, Node>>;

Evidence examine(const std::string& label, const Parameters& parameters, const std::string& op = "yat") {
  Node spec = Node::map(), op_spec = Node::map();
  spec.set("name", label);
  for (const auto& [name, value] : parameters) spec.set(name, value);
  op_spec.set("name", op);
  ClaimContext context{OperatorChoice(op_spec)};
  context.effort = 0.02;
  return check_claim(spec, context).evidence;
}

/// The claim as printed, for the product; checked once for all tests.
const Evidence& examine(const std::string& label) {
  static std::map<std::string, Evidence> known;
  const auto it = known.find(label);
  return it != known.end() ? it->second : known.emplace(label, examine(label, Parameters{})).first->second;
}

std::string status(const std::string& label, const Parameters& parameters = {}, const std::string& op = "yat") {
  return to_string(examine(label, parameters, op).status());
}

bool part_false(const std::string& label, const Parameters& parameters = {}, const std::string& op = "yat") {
  return false_in_part(examine(label, parameters, op).status());
}

std::shared_ptr<Operator> product(double epsilon, const std::string& name = "yat") {
  Node spec = Node::map();
  spec.set("name", name);
  return OperatorChoice(spec).with_epsilon(epsilon);
}

constexpr const char* kHolds = "holds";
constexpr const char* kCaveat = "holds with a caveat";
constexpr const char* kInexact = "inexact";
constexpr const char* kPartly = "partly false";
constexpr const char* kRefuted = "refuted";

}  // namespace

TEST_CASE("claims: the verdicts on calculus and geometry are as expected") {
  const std::map<std::string, std::string> verdicts{{"eq:yat_product", kCaveat},
                                                    {"prop:self-regulation", kHolds},
                                                    {"prop:stable-learning", kHolds},
                                                    {"thm:gradient", kHolds},
                                                    {"prop:lipschitz", kHolds},
                                                    {"lem:analyticity", kHolds},
                                                    {"prop:input-robustness", kHolds},
                                                    {"cor:dimensional-scaling", kHolds},
                                                    {"rem:optimal-epsilon", kRefuted},
                                                    {"prop:bounded-activation", kPartly},
                                                    {"thm:decision-boundary", kPartly},
                                                    {"rem:linear-boundaries", kCaveat},
                                                    {"cor:orthogonal-separation", kPartly},
                                                    {"prop:prototype-gradient", kPartly},
                                                    {"prop:backward-gradients", kInexact},
                                                    {"eq:distance_expansion", kHolds},
                                                    {"rem:stability", kInexact},
                                                    {"thm:activation-topology", kHolds},
                                                    {"rem:contrast-yat", kCaveat},
                                                    {"rem:information-loss", kHolds},
                                                    {"prop:xor-inseparable", kHolds},
                                                    {"thm:xor-solution", kHolds},
                                                    {"cor:orthogonal-xor", kHolds},
                                                    {"rem:superposition", kRefuted},
                                                    {"prop:xor-landscape", kPartly},
                                                    {"sec:softmax-tessellation", kPartly}};
  for (const auto& [label, verdict] : verdicts) {
    CAPTURE(label);
    const Evidence& evidence = examine(label);
    REQUIRE(evidence.decisive());
    CAPTURE(evidence.decisive()->what, evidence.decisive()->comparison());
    CHECK(to_string(evidence.status()) == verdict);
    for (const auto* wrong : evidence.failed_corrections()) {
      CAPTURE(wrong->what, wrong->comparison());
      CHECK(false);
    }
  }
}

TEST_CASE("claims: a statement with true and false parts says how many are false") {
  const std::map<std::string, std::string> verdicts{{"prop:bounded-activation", "1 of 3 parts false"},
                                                    {"thm:decision-boundary", "2 of 4 parts false"},
                                                    {"cor:orthogonal-separation", "1 of 3 parts false"},
                                                    {"prop:xor-landscape", "1 of 3 parts false"},
                                                    {"sec:softmax-tessellation", "1 of 3 parts false"},
                                                    {"prop:prototype-gradient", "1 of 3 parts false"},
                                                    {"rem:superposition", "refuted"}};
  for (const auto& [label, verdict] : verdicts) {
    CAPTURE(label);
    CHECK(examine(label).status_text() == verdict);
  }
}

TEST_CASE("claims: decisive numbers agree with closed forms") {
  const Evidence& product_claim = examine("eq:yat_product");
  CHECK(product_claim.decisive()->value == Approx(2));  // E(w, 2w)/E(w, w), eps = 1
  CHECK(named(product_claim, "share of the response").value == Approx(0.01 / (0.0004 / 1.01)).epsilon(1e-4));
  CHECK(named(examine("prop:stable-learning"), "|grad_w E|, the gradient").value == Approx(1.2).epsilon(1e-4));  // 2 |<w,u>|
  CHECK(examine("prop:lipschitz").decisive()->value == Approx(0.2 / 0.24).epsilon(1e-4));  // (2/eps)/(2/eps + 4/eps^2), eps = 10
  const Evidence& separation = examine("cor:orthogonal-separation");
  CHECK(separation.decisive()->value == Approx(std::sqrt(2.0)).epsilon(1e-3));  // 1 against 1/sqrt(2)
  const Evidence& bounded = examine("prop:bounded-activation");
  CHECK(bounded.decisive()->value == Approx(1 / (1 + 10 / 0.09)).epsilon(1e-3));                              // E(w, w) over the maximum
  CHECK(named(bounded, "largest E(w, x) found / (|w|^4/eps)").value == Approx(1 + 10 / 0.09).epsilon(1e-3));  // 1 + eps/|w|^2
  CHECK(named(bounded, "response left at distance").value == Approx(1).epsilon(1e-4));
  const Evidence& stability = examine("rem:stability");
  CHECK(stability.decisive()->value == Approx(11).epsilon(1e-3));
  CHECK(named(stability, "(2) |grad_x E| over L").value == Approx(2000.0 / 6));
  CHECK(examine("prop:xor-landscape").decisive()->value == 0);
  CHECK(named(examine("prop:xor-inseparable"), "labelings").value == 14);
  CHECK(named(examine("rem:superposition"), "E(w, x) / E(w, -x)").value == Approx(5));
  CHECK(named(examine("thm:decision-boundary"), "exponent of the surface's shift").value == Approx(0.5).margin(0.01));
  CHECK(named(examine("thm:xor-solution"), "E at (1 + 1e-6, 1)").value == Approx(1e-12 / 5).epsilon(1e-3));
}

TEST_CASE("claims: what the paper says twice is judged alike") {
  const auto role = [](const char* label, const std::string& check) { return named(examine(label), check).role; };
  CHECK(role("prop:bounded-activation", "largest E(w, x) found / (|w|^4/eps)") == Role::kDetail);
  CHECK(role("rem:stability", "(1) largest response over the printed |W|^4/eps") == Role::kDetail);
  CHECK(role("thm:decision-boundary", "sign changes") == Role::kCore);
  CHECK(role("sec:softmax-tessellation", "sign changes") == Role::kCore);
}

TEST_CASE("claims: false constants are refuted or inexact") {
  CHECK(part_false("eq:yat_product", {{"power", 3.0}}));
  CHECK(part_false("prop:self-regulation", {{"cosine_power", 1.0}}));
  CHECK(status("prop:stable-learning", {{"exponent", 1.5}}) == kInexact);
  CHECK(part_false("thm:gradient", {{"sign", 1.0}}));
  CHECK(part_false("prop:lipschitz", {{"linear", 1.9}, {"quadratic", 0.0}}));
  CHECK(part_false("lem:analyticity", {{"radius", 1.5}}));
  CHECK(part_false("prop:input-robustness", {{"linear", 1.5}, {"quadratic", 0.1}}));
  CHECK(named(examine("prop:input-robustness", {{"linear", 1.5}, {"quadratic", 0.1}}), "largest |change| / ((1.5/eps + 0.1/eps^2) delta)")
            .passed() == false);
  CHECK(named(examine("prop:lipschitz", {{"linear", 1.9}, {"quadratic", 0.0}}), "largest |grad_x E| / (1.9/eps + 0/eps^2)").passed() ==
        false);
  CHECK(part_false("cor:dimensional-scaling", {{"exponent", -0.5}}));
  CHECK(examine("thm:decision-boundary", {{"degree", 3}}).status_text() == "3 of 4 parts false");
  CHECK(named(examine("thm:decision-boundary", {{"degree", 3}}), "largest relative difference of order 4").passed() == false);
  CHECK(part_false("eq:distance_expansion", {{"cross", -1.0}}));
  CHECK(named(examine("thm:activation-topology", {{"rate", 1.5}}), "(proof)").passed() == false);
  CHECK(part_false("rem:information-loss", {{"allowed_gain", -1.0}}));
  CHECK(part_false("prop:xor-inseparable", {{"labels", Node(Node::List{0, 0, 0, 1})}}));
  CHECK(status("thm:xor-solution", {{"distances", Node(Node::List{4.0, 1.0})}}) == kInexact);
}

TEST_CASE("claims: corrected variants of misprinted statements hold") {
  CHECK(named(examine("rem:stability", {{"quadratic_share", 1.0}}), "(1) largest response over the printed").passed());
  CHECK(status("prop:backward-gradients", {{"second_over_d", true}}) == kHolds);
  CHECK(named(examine("prop:prototype-gradient", {{"sign", -1.0}}), "largest relative difference of grad_w E").passed());
  CHECK(named(examine("cor:orthogonal-separation", {{"best_angle", 180.0}}), "(3) largest distance").passed());
  CHECK(named(examine("rem:superposition", {{"negate_both", true}}), "largest relative difference of the responses").passed());
}

TEST_CASE("claims: other operators do not satisfy claims about the yat-product") {
  for (const char* label : {"eq:yat_product", "prop:self-regulation", "thm:gradient", "cor:dimensional-scaling", "thm:decision-boundary",
                            "eq:distance_expansion", "thm:xor-solution", "prop:prototype-gradient"}) {
    CAPTURE(label);
    CHECK(part_false(label, {}, "euclidean"));
  }
  for (const char* label : {"rem:linear-boundaries", "sec:softmax-tessellation", "rem:contrast-yat"}) {
    CAPTURE(label);
    CHECK(part_false(label, {}, "dot"));
  }
  CHECK(status("lem:analyticity", {}, "dot") == kHolds);  // polynomials are analytic too
}

TEST_CASE("claims: an operator with a kink is not analytic") {
  Node spec = Node::map();
  spec.set("name", "euclidean");
  spec.set("form", "distance");
  ClaimContext context{OperatorChoice(spec)};
  context.effort = 0.02;
  CHECK(false_in_part(check_claim(Node("lem:analyticity"), context).evidence.status()));
}

TEST_CASE("claims: results are reproducible with the seed") {
  CHECK(examine("prop:input-robustness").decisive()->value == examine("prop:input-robustness", Parameters{}).decisive()->value);
  CHECK_THROWS_WITH(Registry<Claim>::create([] {
                      Node spec = Node::map();
                      spec.set("name", "prop:xor-inseparable");
                      spec.set("labels", Node(Node::List{0, 1}));
                      return spec;
                    }()),
                    ContainsSubstring("needs four classes"));
}

TEST_CASE("claims: the Lipschitz constant is correct") {
  using namespace claims;
  for (const double epsilon : {1e-4, 1e-2, 0.3, 0.999, 1.0, 5.0}) {
    CAPTURE(epsilon);
    double best = 0;  // the slope along the ray x = (1 - r) w on a fine grid
    for (double r = 0; r <= 1; r += 1e-5) best = std::max(best, 2 * (1 - r) * (r + epsilon) / std::pow(r * r + epsilon, 2));
    CHECK(true_lipschitz(epsilon) == Approx(best).epsilon(1e-4));
    CHECK(true_lipschitz(epsilon) <= sharper_lipschitz(epsilon));
    CHECK(sharper_lipschitz(epsilon) <= printed_lipschitz(epsilon));
  }
  CHECK(true_lipschitz(1e-10) == Approx(3 * std::sqrt(3.0) / 8 * 1e15).epsilon(1e-4));
}

TEST_CASE("claims: helper formulas agree with values worked out by hand") {
  using namespace claims;
  CHECK(score(*product(1), {2, 0}, {1, 0}) == Approx(2));
  CHECK(true_maximum(1, 1) == 2);
  CHECK(printed_product(row({0, 1}), row({1, -1}), 1).item<double>() == Approx(1.0 / 6));
  CHECK(printed_gradient(row({1}), row({2}), 1).item<double>() == Approx(6));
  CHECK(printed_gradient(row({1}), row({2}), 1, -1).item<double>() == Approx(2));
  CHECK(gradient_in_w(*product(1), row({2}), row({1})).item<double>() == Approx(6));
  CHECK(text(row({1, -0.5})) == "(1, -0.5)");
  CHECK(norms(onto_ball(row({3, 4}), 2)).item<double>() == Approx(2));
  CHECK(onto_ball(row({0.3, 0.4})).equal(row({0.3, 0.4})));
}

TEST_CASE("claims: decision boundaries are located correctly") {
  using namespace claims;
  const auto op = product(1);
  const at::Tensor first = row({1, 0});
  CHECK(distance_to_boundary(*op, first, first, row({-1, 0})) == Approx(1).epsilon(1e-6));
  CHECK(distance_to_boundary(*op, first, first, row({0, 1})) == Approx(std::sqrt(0.5)).epsilon(1e-4));
  CHECK(sign_changes(*op, first, row({0.5, 1}), 1e-3) == 4);
  CHECK(sign_changes(*product(1, "dot"), first, row({0.5, 1}), 1e-3) == 2);
  // w = e1, e2: (x - y)[(x^2 + y^2 + 2)(x + y) - 2xy], at (2, 1): 1 * (7 * 3 - 4) = 17.
  CHECK(boundary_polynomial(*op, row({2, 1}), first, row({0, 1}), 1).item<double>() == Approx(17));
}

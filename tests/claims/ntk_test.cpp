#include <ATen/ATen.h>

#include "catch.h"
#include "core/measure/claim.h"
#include "plugins/claims/ntk.h"

using namespace yatlab;
using namespace yatlab::claims::tangent;

namespace {

Evidence ntk_evidence(const char* label, const std::vector<std::pair<std::string, Node>>& params = {}, const char* op = "yat") {
  Node spec = Node::map(), operator_spec = Node::map();
  spec.set("name", label);
  for (const auto& [key, value] : params) spec.set(key, value);
  operator_spec.set("name", op);
  Registry<Operator>::create(operator_spec);  // fills in the defaults
  const Evidence out = check_claim(spec, {OperatorChoice(operator_spec), 0, 0.03}).evidence;
  CHECK(out.failed_corrections().empty());
  for (const auto* failed : out.failed_corrections()) WARN(failed->what << ": " << failed->comparison());
  return out;
}

const Check& check_about(const Evidence& evidence, const std::string& part) {
  for (const auto& check : evidence.checks()) {
    if (check.what.find(part) != std::string::npos) return check;
  }
  FAIL("no check of '" << part << "'");
  return evidence.checks().front();
}

}  // namespace

TEST_CASE("prop:ntk lacks the scaling that gives it a limit", "[claims][ntk]") {
  const auto printed = ntk_evidence("prop:ntk");
  CHECK(printed.status() == ClaimStatus::kInexact);
  CHECK(check_about(printed, "first sum of K_m").value == Approx(1).margin(0.1));
  CHECK(check_about(printed, "K(0, 0)").value == 0);
  const auto right = ntk_evidence("prop:ntk", {{"readout_power", 0.0}, {"output_power", 0.5}});
  CHECK(check_about(right, "first sum of K_m").passed());
  CHECK(check_about(right, "second sum of K_m").passed());
  CHECK(right.status() == ClaimStatus::kCaveat);
}

TEST_CASE("rem:ntk-dynamics: training follows the kernel, and representations do not change", "[claims][ntk]") {
  const auto e = ntk_evidence("rem:ntk-dynamics");
  CHECK(e.status_text() == "1 of 2 parts false");
  CHECK(check_about(e, "power of m with which the distance").value < -0.25);
}

TEST_CASE("thm:deep-ntk-convergence is not checkable", "[claims][ntk]") {
  const auto e = ntk_evidence("thm:deep-ntk-convergence");
  CHECK(e.status() == ClaimStatus::kNotCheckable);
  CHECK(check_about(e, "largest rise of the loss").passed());
  CHECK(check_about(e, "growth of |e|^4").value > 0.5);
}

TEST_CASE("thm:orthogonal-ntk: the kernel is not zero at 90 degrees", "[claims][ntk]") {
  const auto e = ntk_evidence("thm:orthogonal-ntk");
  CHECK(e.status() == ClaimStatus::kRefuted);
  CHECK(check_about(e, "T1(90°) / T1(0°) in").value == Approx(1.0 / 3).margin(0.05));
  CHECK(check_about(e, "σ = 1").value == Approx(1.0 / 7).margin(0.03));
  CHECK(check_about(e, "as printed").passed());
  CHECK_FALSE(check_about(ntk_evidence("thm:orthogonal-ntk", {{"numerator_factor", 1.0}}), "as printed").passed());
}

TEST_CASE("thm:orthogonal-ntk holds for the dot product", "[claims][ntk]") {
  Node spec = Node::map();
  spec.set("name", "dot");
  const Evidence e = check_claim(Node("thm:orthogonal-ntk"), {OperatorChoice(spec), 0, 0.03}).evidence;
  CHECK(check_about(e, "at exactly 90 degrees").passed());
}

TEST_CASE("cor:class-separation: the difference is a factor rather than an order of magnitude", "[claims][ntk]") {
  CHECK(ntk_evidence("cor:class-separation").status() == ClaimStatus::kInexact);
  CHECK(check_about(ntk_evidence("cor:class-separation", {{"much_less", 0.9}}), "tenth").passed());
}

TEST_CASE("rem:relu-contrast: the printed kernel is that of features alone", "[claims][ntk]") {
  const auto e = ntk_evidence("rem:relu-contrast");
  CHECK(e.status_text() == "1 of 2 parts false");
  CHECK(check_about(e, "largest over smallest").value == Approx(2).epsilon(1e-9));
  CHECK(check_about(e, "K_ReLU(90°)").value == Approx(1 / (2 * M_PI)));
  CHECK(check_about(ntk_evidence("rem:relu-contrast", {{"cosine_factor", 2.0}}), "largest over smallest").passed());
}

TEST_CASE("prop:ntk-spectrum: the upper bound is not attained", "[claims][ntk]") {
  const auto e = ntk_evidence("prop:ntk-spectrum");
  CHECK(e.status() == ClaimStatus::kInexact);
  CHECK(ntk_evidence("prop:ntk-spectrum", {{"exponent", 60.0}}).status_text() == "1 of 2 parts false");
}

TEST_CASE("weights drawn relative to a plane have the moments of weights in R^d", "[claims][ntk]") {
  auto g = generator_of(3);
  for (const std::int64_t d : {2, 3, 20}) {
    const auto n = static_cast<double>(d);
    const Tensor normal = draw_beside_plane(Start::kNormal, d, 40000, g).square();
    CHECK(normal.sum(1).mean().item<double>() == Approx(n).epsilon(0.03));
    CHECK(normal.sum(1).var().item<double>() == Approx(2 * n).epsilon(0.08));
    const Tensor sphere = draw_beside_plane(Start::kSphere, d, 40000, g);
    CHECK((sphere.square().sum(1) - 1).abs().max().item<double>() < 1e-12);
    CHECK((sphere.select(1, 0).square() * sphere.select(1, 1).square()).mean().item<double>() == Approx(1 / (n * (n + 2))).epsilon(0.06));
  }
  // And the same kernel as for weights drawn in R^d.
  Node spec = Node::map();
  spec.set("name", "yat");
  spec.set("epsilon", 1.0);
  const auto op = operator_units(Registry<Operator>::create(spec));
  const auto plane = at_angles(op, {0, M_PI / 3}, Start::kNormal, 6, 60000, 1);
  const Tensor x = at::tensor(std::vector<double>{1, 0, 0, 0, 0, 0, 0.5, std::sqrt(0.75), 0, 0, 0, 0}, at::kDouble).view({2, 6});
  const auto full = expected_ntk(
      op, x,
      [&](std::int64_t c) {
        return normals({c, 6}, g);
      },
      32, 2000);
  const Tensor off = (plane.total.mean - full.total.mean) / (plane.total.error.square() + full.total.error.square()).sqrt();
  CHECK(off.abs().max().item<double>() < 4.5);
}

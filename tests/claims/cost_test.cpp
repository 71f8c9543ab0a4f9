// The claims about approximation, cost, memory and precision.
#include <ATen/ATen.h>

#include <cmath>
#include <map>

#include "catch.h"
#include "claims/named.h"
#include "core/measure/claim.h"
#include "plugins/claims/cost.h"

using namespace yatlab;
using namespace yatlab::claims::cost;

namespace {

using testing::false_in_part;
using testing::named;

Evidence cost_evidence(const std::string& label, const std::string& op = "yat", const std::string& parameter = "", const Node& value = {}) {
  Node spec = Node::map(), op_spec = Node::map();
  spec.set("name", label);
  if (!parameter.empty()) spec.set(parameter, value);
  op_spec.set("name", op);
  ClaimContext context{OperatorChoice(op_spec)};
  context.effort = 0.02;
  return check_claim(spec, context).evidence;
}

/// The claim as printed, for the product; computed once for all tests.
const Evidence& printed(const std::string& label) {
  static std::map<std::string, Evidence> known;
  const auto it = known.find(label);
  return it != known.end() ? it->second : known.emplace(label, cost_evidence(label)).first->second;
}

double value(const std::string& label, const std::string& start) { return named(printed(label), start).value; }

constexpr const char* kAll[] = {
    "thm:uat-external-bias", "subsec:nmn_layers", "thm:forward-complexity", "thm:backward-complexity",  "tab:complexity_summary",
    "tab:flop_single",       "claim:memory",      "claim:throughput",       "claim:bf16-stability",     "claim:norm-caching",
    "subsec:yat_attention",  "claim:representer", "claim:adaptive-scale",   "claim:scale-independence", "claim:layernorm-geometry",
    "claim:rbf-saturation"};

}  // namespace

TEST_CASE("Counted numbers count their operations") {
  const Counted a{3}, b{4};
  Counted c;
  CHECK(operations_of([&] { c = a * a + b * b - Counted{1} / b; }) == 5);
  CHECK(c.value == 24.75);
  CHECK(operations_of([] {}) == 0);
}

TEST_CASE("the counted passes agree with a calculation by hand for one pair") {
  // w = 1, x = 2, eps = 1: S = 2, D = 2, Y = 2; the derivative in x is 0, in w 2*2*2/2 + 4*2/4 = 6.
  const Tensor x = at::full({1, 1}, 2.0, at::kDouble), w = at::ones({1, 1}, at::kDouble), g = at::ones({1, 1}, at::kDouble);
  const ForwardRun forward = counted_forward(CountedMatrix(x), CountedMatrix(w), 1);
  CHECK(forward.dot.at(0, 0).value == 2);
  CHECK(forward.denominator.at(0, 0).value == 2);
  CHECK(forward.y.at(0, 0).value == 2);
  CHECK(forward.count.gemm == 2);
  CHECK(forward.count.x_norms == 3);  // with epsilon
  CHECK(forward.count.w_norms == 2);
  CHECK(forward.count.elementwise == 5);
  const BackwardRun whole = counted_backward(CountedMatrix(g), CountedMatrix(x), CountedMatrix(w), forward, false);
  CHECK(whole.x.at(0, 0).value == 0);
  CHECK(whole.w.at(0, 0).value == 6);
  CHECK(whole.count.scalar == 6);
  CHECK(whole.count.norms == 4);
  CHECK(whole.count.gemm == 4);
  const BackwardRun listed = counted_backward(CountedMatrix(g), CountedMatrix(x), CountedMatrix(w), forward, true);
  CHECK(listed.x.at(0, 0).value == 4);  // the counterexample that the claim prints
  CHECK(listed.count.norms + listed.count.rows == 0);
}

TEST_CASE("the claims on cost have the expected statuses") {
  const std::map<std::string, ClaimStatus> found = {
      {"thm:uat-external-bias", ClaimStatus::kHolds},
      {"subsec:nmn_layers", ClaimStatus::kInexact},
      {"thm:forward-complexity", ClaimStatus::kHolds},
      {"thm:backward-complexity", ClaimStatus::kInexact},
      {"tab:complexity_summary", ClaimStatus::kInexact},
      {"tab:flop_single", ClaimStatus::kInexact},
      {"claim:memory", ClaimStatus::kRefuted},
      {"claim:throughput", ClaimStatus::kRefuted},
      {"claim:bf16-stability", ClaimStatus::kInexact},
      {"claim:norm-caching", ClaimStatus::kCaveat},
      {"subsec:yat_attention", ClaimStatus::kCaveat},
      {"claim:representer", ClaimStatus::kPartlyFalse},
      {"claim:adaptive-scale", ClaimStatus::kCaveat},
      {"claim:scale-independence", ClaimStatus::kCaveat},
      {"claim:layernorm-geometry", ClaimStatus::kPartlyFalse},
      {"claim:rbf-saturation", ClaimStatus::kCaveat},
  };
  for (const auto& [label, status] : found) {
    INFO(label);
    CHECK(std::string(to_string(printed(label).status())) == to_string(status));
  }
}

TEST_CASE("corrections beside wrong statements hold") {
  for (const char* label : kAll) {
    INFO(label);
    const Evidence& e = printed(label);
    CHECK(e.failed_corrections().empty());
  }
}

TEST_CASE("decisive numbers agree with closed forms") {
  const auto& table = "tab:complexity_summary";
  CHECK(value(table, "largest ratio of the table's rows") == Approx(414720.0 / 396288).epsilon(1e-12));
  CHECK(value(table, "the printed overhead formula") == Approx(1 + 1 / 128.0 + 1 / 32.0 + 2 / 64.0).epsilon(1e-12));
  CHECK(value("thm:forward-complexity", "operations of the row norms") == 2);
  CHECK(value("thm:backward-complexity", "all element-wise operations") == 10);
  CHECK(value("tab:flop_single", "|(2d + 15)/(2d + 1)") == Approx(143.0 / 129 - 1.03).epsilon(1e-9));
  // LayerNorm + Linear + GELU + Linear over N rows keeps 10 Nd + 2N numbers, the layer's block 9 Nd; here d = 32.
  CHECK(value("claim:memory", "saving of the MLP block without") == Approx(1 - 9.0 / (10 + 2.0 / 32)).epsilon(1e-12));
  CHECK(value("claim:memory", "saving over the same block") == 0);
  CHECK(value("claim:memory", "saving over the block with ReLU") == Approx(-0.8).epsilon(1e-12));
  CHECK(value("claim:bf16-stability", "score at x = w") == Approx(1e5));
  CHECK(value("thm:uat-external-bias", "sup error for f = 1 without") >= 1 - 1e-12);
  CHECK(value("subsec:nmn_layers", "the same: attained") == Approx(1).epsilon(1e-6));
  CHECK(value("subsec:yat_attention", "weight of all keys orthogonal") == Approx(15 / (15 + std::exp(4 / (1 + 1e-5)))).epsilon(1e-6));
  CHECK(value("claim:adaptive-scale", "GPT-2's MLP") == Approx(3072 / std::log(3073.0)));
}

TEST_CASE("planted false constants are seen") {
  CHECK(false_in_part(cost_evidence("thm:uat-external-bias", "yat", "second_derivative", Node(1.0)).status()));
  CHECK(false_in_part(cost_evidence("thm:forward-complexity", "yat", "exponent", Node(1.5)).status()));
  CHECK(false_in_part(cost_evidence("thm:backward-complexity", "yat", "gemm", Node(2.0)).status()));
  CHECK(false_in_part(cost_evidence("tab:complexity_summary", "yat", "overhead", Node(0.01)).status()));
  CHECK(false_in_part(cost_evidence("tab:flop_single", "yat", "optimized_rest", Node(5.0)).status()));
  CHECK(false_in_part(cost_evidence("claim:adaptive-scale", "yat", "alpha", Node(2.0)).status()));
  CHECK(false_in_part(cost_evidence("claim:rbf-saturation", "yat", "exponent", Node(1.0)).status()));
  // The paper's size decides on throughput; small models on a CPU do not.
  CHECK(cost_evidence("claim:throughput", "yat", "at_paper_batch", Node(1.0)).status() == ClaimStatus::kRefuted);
  CHECK(cost_evidence("claim:throughput", "yat", "slowest", Node(0.1)).decisive()->value == 0.47);
  // A true variant: the block saves 10 %.
  CHECK(cost_evidence("claim:memory", "yat", "low", Node(0.1)).status() == ClaimStatus::kCaveat);
}

TEST_CASE("a wrong clock changes no verdict") {
  const auto truth = stopwatch();
  for (const char* label : {"thm:forward-complexity", "thm:backward-complexity", "tab:complexity_summary", "claim:throughput"}) {
    INFO(label);
    const Evidence& told = printed(label);
    for (const double stretch : {-1.0, 0.0, 1e9}) {
      double now = 0, step = 1;
      stopwatch() = [&] { return now += stretch * (step = 7 - step); };  // uneven, standing still, backwards
      const Evidence e = cost_evidence(label);
      stopwatch() = truth;
      CHECK(e.status() == told.status());
      REQUIRE(e.decisive());
      CHECK(e.decisive()->what == told.decisive()->what);
    }
  }
}

TEST_CASE("other operators do not satisfy claims about the yat-product") {
  for (const char* label :
       {"thm:uat-external-bias", "subsec:nmn_layers", "thm:forward-complexity", "thm:backward-complexity", "tab:flop_single",
        "claim:bf16-stability", "claim:norm-caching", "subsec:yat_attention", "claim:scale-independence"}) {
    INFO(label);
    CHECK(false_in_part(cost_evidence(label, "euclidean").status()));
  }
  CHECK(false_in_part(cost_evidence("claim:rbf-saturation", "dot").status()));
}

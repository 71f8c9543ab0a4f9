#include "core/plan/check_points.h"

#include <fmt/format.h>

#include "catch.h"
#include "experiment/support.h"
#include "holds.h"

namespace yatlab {
namespace {

using testing::holds;
using testing::with;
using testing::Workspace;

std::string swept(const std::string& at, const std::string& more = "") {
  return with("sweep: {operator.epsilon: [1e-3, 1e-5]}\ntables: {tab:one: {columns: [test/accuracy]" + at + "}}\n" + more);
}

}  // namespace

TEST_CASE("tables and paper values at missing sweep points are rejected when planned", "[plan][points]") {
  CHECK(Workspace(swept(", at: {operator.epsilon: 0.001}")).error() == "no error");  // as numbers
  const auto other = Workspace(swept(", at: {operator.epsilon: 1e-4}")).error();
  CHECK(holds(other, "table 'tab:one' is for operator.epsilon="));
  CHECK(holds(other, "which this run does not have"));
  CHECK(holds(other, "it is swept over different values"));
  const auto misspelt = Workspace(swept(", at: {operator.epsilom: 1e-3}")).error();
  CHECK(holds(misspelt, "'operator.epsilom' is not swept"));
  CHECK(holds(misspelt, "did you mean 'operator.epsilon'?"));
  CHECK(
      holds(Workspace(swept("", "paper: {'yat@operator.epsilon=1e-4': {test/accuracy: 0.9}, tolerance: {test/accuracy: 0.01}}\n")).error(),
            "the paper's number"));
  CHECK(holds(Workspace(with("tables: {tab:one: {columns: [test/accuracy], at: {optimizer.lr: 0.1}}}\n")).error(),
              "'optimizer.lr' is not swept"));
}

TEST_CASE("overriding a swept key of a table turns the error into a notice", "[plan][points]") {
  const Workspace w(swept(", at: {operator.epsilon: 1e-3}"));
  CHECK(w.error({"operator.epsilon=1e-3"}) == "no error");
  CHECK(w.error({"operator.epsilon=1e-4,1e-5"}) == "no error");
}

TEST_CASE("of many numbers of the paper at points that are not run one is named", "[plan][points]") {
  std::string paper = "paper:\n  tolerance: {test/accuracy: 0.01}\n";
  for (const char* value : {"1e-3", "1e-4", "1e-5", "1e-6", "1e-7"})
    paper += fmt::format("  'yat@operator.epsilon={}': {{test/accuracy: 0.9}}\n", value);
  const auto notices = [&](const std::string& values) {
    return Workspace(with("sweep: {operator.epsilon: [1e-3, 1e-4, 1e-5, 1e-6, 1e-7]}\n" + paper))
        .plan({"sweep.operator.epsilon=[" + values + "]"})
        .notices;
  };
  CHECK(notices("1e-3,1e-4,1e-5,1e-6,1e-7").empty());
  CHECK(notices("1e-3,1e-4,1e-5").size() == 2);
  const auto many = notices("1e-3,1e-4");
  REQUIRE(many.size() == 1);
  CHECK(holds(many[0],
              "which this run does not have: it is swept over different values; nor has it the points of 2 more of the paper's 5 numbers"));
}

TEST_CASE("keys under parameters: must exist", "[plan][points]") {
  CHECK(Workspace(swept("", "parameters: {operator.epsilon: eps, optimizer.lr: rate}\n")).error() == "no error");
  const auto text = Workspace(swept("", "parameters: {operator.epsilom: eps}\n")).error();
  CHECK(holds(text, "'parameters.operator.epsilom' is not a key of any job"));
  CHECK(holds(text, "did you mean 'operator.epsilon'?"));
}

}  // namespace yatlab

// The words of every claim: its text fits its check, and for each operator it reports the computed results.
#include <algorithm>
#include <map>
#include <regex>

#include "catch.h"
#include "core/measure/claim.h"
#include "holds.h"

using namespace yatlab;
using testing::holds;

namespace {

CheckedClaim checked(const std::string& label, const std::string& op) {
  Node spec = Node::map();
  spec.set("name", op);
  ClaimContext context{OperatorChoice(Registry<Operator>::complete(spec))};
  context.effort = 0.02;
  return check_claim(Node(label), context);
}

/// Checks each claim and operator once for all tests.
const CheckedClaim& checked_claim(const std::string& label, const std::string& op) {
  static std::map<std::pair<std::string, std::string>, CheckedClaim> known;
  const auto key = std::make_pair(label, op);
  const auto it = known.find(key);
  return it != known.end() ? it->second : known.emplace(key, checked(label, op)).first->second;
}

/// What is wrong with numbers in the words of a claim; "" if nothing is. A number that was not computed may be an input (before the first
/// colon of a counterexample: "w = (1, 0), eps = 1: ...", after "computed: ") or part of a formula (|w|^2/eps), but not a result.
std::string typed_number(const std::string& part, const std::string& text) {
  static const std::regex result("(=|<|>|≈|→|->|≤|≥| is| are| gives| of) ?[-−]?[0-9]"), decimal("[0-9]\\.[0-9]");
  std::smatch found;
  if (part == "counterexample") {
    const std::string computed = "computed: ";
    const auto colon = text.find(": ", text.rfind(computed, 0) == 0 ? computed.size() : 0);
    const std::string results = colon == std::string::npos ? text : text.substr(colon);
    if (std::regex_search(results, found, result)) return found.str();
  } else if (part == "corrected" || part == "reading") {
    if (std::regex_search(text, found, decimal)) return found.str();
  }
  return {};
}

}  // namespace

TEST_CASE("every claim's text uses all its values and has a value for each placeholder", "[claims]") {
  for (const auto& label : Registry<Claim>::table().names()) {
    for (const char* op : {"yat", "cosine"}) {
      CAPTURE(label, op);
      CHECK_NOTHROW(checked_claim(label, op));
    }
  }
}

TEST_CASE("every claim describes its checks and gives a correction if it does not hold", "[claims]") {
  for (const auto& label : Registry<Claim>::table().names()) {
    CAPTURE(label);
    const auto& claim = checked_claim(label, "yat");
    CHECK_FALSE(claim.words.tried.empty());
    CHECK(claim.evidence.failed_corrections().empty());
    if (claim.evidence.status() != ClaimStatus::kHolds) {
      CHECK_FALSE(claim.words.counterexample.empty());
      CHECK_FALSE(claim.words.corrected.empty());
    }
  }
}

TEST_CASE("corrections for the yat-product are shown for that operator only", "[claims]") {
  for (const auto& label : Registry<Claim>::table().names()) {
    CAPTURE(label);
    const auto& text = claim_text(label);
    for (const auto& [part, by_operator] : text.parts()) {
      for (const auto& [op, words] : by_operator) {
        CAPTURE(part, op);
        CHECK((op == "any" || Registry<Operator>::table().find(op)));
        if (part == "corrected") CHECK_FALSE(std::regex_search(words, std::regex("^(holds|true)\\b", std::regex::icase)));
      }
    }
    const auto& other = checked_claim(label, "cosine");
    for (const auto* wrong : other.evidence.failed_corrections()) FAIL_CHECK(wrong->what << ": " << wrong->comparison());
    for (const auto& words : {other.words.corrected, other.words.reading, other.words.counterexample}) CHECK_FALSE(holds(words, "ⵟ"));
    for (const auto& check : other.evidence.checks()) {
      CAPTURE(check.what, check.where);
      if (check.role == Role::kCorrected) CHECK(text.corrects("cosine"));
      // Exact statements about ReLU layers, linear classifiers and planes hold beside every operator.
      if (!std::regex_search(check.what, std::regex("ReLU|linear classifier|a plane")))
        CHECK_FALSE(holds(check.what + check.where, "(exact"));
    }
  }
}

TEST_CASE("no result is hard-coded in the text of a claim", "[claims]") {
  for (const auto& label : Registry<Claim>::table().names()) {
    for (const auto& [part, by_operator] : claim_text(label).parts()) {
      for (const auto& [op, text] : by_operator) {
        CAPTURE(label, part, op, text);
        CHECK(typed_number(part, text) == "");
      }
    }
  }
  CHECK(typed_number("counterexample", "w = (1, 0), eps = 1: E = {E}, which |w|^4/eps = 1 does not bound") == "= 1");
  CHECK(typed_number("counterexample", "w = (1, 0), eps = 1: E = {E} at x = (2, 0)") == "");
  CHECK(typed_number("counterexample", "computed: m = 12: E = {E}") == "");
  CHECK(typed_number("counterexample", "computed: m = 12: E = 3") == "= 3");
  CHECK(typed_number("corrected", "a ratio of 0.159") == "0.1");
}

TEST_CASE("the text of a claim is about the operator that was checked", "[claims]") {
  CHECK(checked_claim("prop:bounded-activation", "yat").words.counterexample == "w = (1, 0), eps = 1: E = 1 at x = w and 2 at x = (2, 0)");
  CHECK(checked_claim("prop:bounded-activation", "cosine").words.counterexample.empty());  // it is no larger there
  CHECK(checked_claim("rem:superposition", "yat").words.counterexample == "w = x = (1, 0), eps = 1: E(w, x) = 1, E(w, −x) = 0.2");
  CHECK(checked_claim("rem:superposition", "cosine").words.counterexample == "w = x = (1, 0), eps = 1: E(w, x) = 1, E(w, −x) = -1");
  CHECK(holds(checked_claim("rem:superposition", "yat").words.corrected, "Only the numerator is even"));
  CHECK(checked_claim("rem:superposition", "cosine").words.corrected.empty());
  CHECK(holds(checked_claim("thm:mercer", "yat").words.reading, "k(x1,x1) is 0, k(x1,x2) 0.5, k(x2,x2) 9"));
  CHECK(holds(checked_claim("claim:memory", "yat").words.counterexample, "keeps 9, with Linear + GELU in the layer's place 9"));
}

TEST_CASE("missing, unknown and unused parts of a claim's text are reported", "[claims]") {
  using Catch::Matchers::ContainsSubstring;
  const std::string head = "title: T\nstatement: S\nhow: H\n";
  const auto parse = [&](const std::string& rest) { return ClaimText::parse(head + rest, "t.yaml"); };
  CHECK_THROWS_WITH(parse(""), ContainsSubstring("the text of a claim has no key 'tried'") && ContainsSubstring("t.yaml"));
  CHECK_THROWS_WITH(parse("tried: 3\n"), ContainsSubstring("tried: 3 is not a string"));
  CHECK_THROWS_WITH(parse("tried: some\ncorected: no\n"), ContainsSubstring("did you mean 'corrected'?"));
  CHECK_THROWS_WITH(parse("tried: {yat: some}\n"), ContainsSubstring("is not a string"));
  CHECK_THROWS_WITH(ClaimText::parse("words", "t.yaml"), ContainsSubstring("must be a map"));

  const auto text =
      parse("tried: \"{n} starts\"\ncounterexample:\n  yat: \"M = {0}: E = {E}\"\n  any: \"E = {E}\"\ncorrected:\n  yat: half\n");
  CHECK(text.placeholders() == std::set<std::string>{"E", "n"});
  CHECK(text.words("yat", {{"n", "3"}, {"E", "2"}}).counterexample == "M = {0}: E = 2");
  CHECK(text.words("dot", {{"n", "3"}, {"E", "{n}"}}).counterexample == "E = {n}");
  CHECK(text.words("dot", {{"n", "3"}, {"E", "2"}}).tried == "3 starts");
  CHECK(text.words("yat", {{"n", "3"}, {"E", "2"}}).corrected == "half");
  CHECK(text.words("dot", {{"n", "3"}, {"E", "2"}}).corrected == "");
  CHECK(text.corrects("yat"));
  CHECK_FALSE(text.corrects("dot"));
  CHECK_THROWS_WITH(text.words("dot", {{"n", "3"}}), ContainsSubstring("{E} has no value"));
  CHECK_THROWS_WITH(text.words("dot", {{"n", "3"}, {"E", "2"}, {"F", "1"}}), ContainsSubstring("the value 'F' is not used in the text"));
}

#include "core/verdict/evidence.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "core/base/error.h"

namespace yatlab {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Check check(Relation relation, double value, double bound, double tolerance = 0, Role role = Role::kCore) {
  return {"it", role, relation, value, bound, tolerance, ""};
}

TEST_CASE("a check passes within its tolerance, and never for NaN") {
  CHECK(check(Relation::kAtMost, 1.0, 1.0).passed());
  CHECK_FALSE(check(Relation::kAtMost, 1.0 + 1e-15, 1.0).passed());
  CHECK(check(Relation::kAtMost, 1.1, 1.0, 0.2).passed());
  CHECK(check(Relation::kAtLeast, 0.9, 1.0, 0.2).passed());
  CHECK_FALSE(check(Relation::kAtLeast, 0.7, 1.0, 0.2).passed());
  CHECK(check(Relation::kEqual, 1.1, 1.0, 0.2).passed());
  CHECK_FALSE(check(Relation::kEqual, 1.3, 1.0, 0.2).passed());
  CHECK(check(Relation::kEqual, kInf, kInf).passed());
  CHECK_FALSE(check(Relation::kEqual, kInf, 1.0).passed());
  for (auto relation : {Relation::kAtMost, Relation::kAtLeast, Relation::kEqual}) {
    CHECK_FALSE(check(relation, kNan, 1.0, 5).passed());
  }
  CHECK(check(Relation::kNone, kNan, 0).passed());
}

TEST_CASE("a comparison shows what differs") {
  CHECK(check(Relation::kAtMost, 0.5, 1.0).comparison() == "0.5 <= 1");
  CHECK(check(Relation::kAtMost, 2.0, 1.0, 0.25).comparison() == "2 > 1 (tolerance 0.25)");
  CHECK(check(Relation::kAtLeast, 2.0, 1.0).comparison() == "2 >= 1");
  CHECK(check(Relation::kEqual, 2.0, 1.0).comparison() == "2 != 1");
  CHECK(check(Relation::kAtMost, 1.0000001, 1.0).comparison() == "1.0000001 > 1");
  CHECK(check(Relation::kNone, 2.0, 1.0).comparison() == "2");
}

TEST_CASE("the most severe failed role decides the status") {
  const auto status = [](std::initializer_list<std::pair<Role, bool>> checks) {
    Evidence evidence;
    for (const auto& [role, pass] : checks) evidence.is_true(role, "part", pass);
    return evidence.status();
  };
  CHECK(status({{Role::kCore, true}}) == ClaimStatus::kHolds);
  CHECK(status({{Role::kCore, true}, {Role::kDetail, true}, {Role::kReading, true}}) == ClaimStatus::kHolds);
  CHECK(status({{Role::kCore, true}, {Role::kReading, false}}) == ClaimStatus::kCaveat);
  CHECK(status({{Role::kCore, true}, {Role::kDetail, false}, {Role::kReading, false}}) == ClaimStatus::kInexact);
  CHECK(status({{Role::kDetail, false}, {Role::kCore, false}}) == ClaimStatus::kRefuted);
  CHECK(status({{Role::kCore, true}, {Role::kCorrected, false}}) == ClaimStatus::kHolds);
}

TEST_CASE("a statement is refuted only if all its parts are false") {
  // Without names each core check is a part.
  Evidence unnamed;
  unnamed.is_true(Role::kCore, "first", false);
  CHECK(unnamed.status_text() == "refuted");
  unnamed.is_true(Role::kCore, "second", true);
  unnamed.is_true(Role::kDetail, "as printed", false);
  CHECK(unnamed.status() == ClaimStatus::kPartlyFalse);
  CHECK(unnamed.status_text() == "1 of 2 parts false");
  CHECK(unnamed.decisive()->what == "first");
  unnamed.note("a number decides nothing", 1);
  unnamed.add({"no comparison", Role::kCore, Relation::kNone, 1, 0, 0, ""});
  CHECK(unnamed.status_text() == "1 of 2 parts false");

  // One failed check makes its part false, whatever its other checks say.
  Evidence named;
  named.part("smooth");
  named.is_true(Role::kCore, "here", true);
  named.is_true(Role::kCore, "there", false);
  named.is_true(Role::kCore, "elsewhere", true);
  named.is_true(Role::kReading, "not of the part", true);
  CHECK(named.status_text() == "refuted");
  named.part("bounded");
  named.is_true(Role::kCore, "bounded", true);
  named.part("");
  named.is_true(Role::kCore, "a part by itself", true);
  CHECK(named.status_text() == "1 of 3 parts false");
  CHECK(named.checks()[1].part == "smooth");
  CHECK(named.checks()[3].part == "");

  CheckedClaim claim{"thm:x", "X", "x", "by search", "yat", named};
  const auto json = claim_to_json(claim);
  CHECK(json.at("status") == "1 of 3 parts false");
  CHECK(json.at("checks")[0].at("part") == "smooth");
  CHECK_FALSE(json.at("checks")[5].contains("part"));
  CHECK(claim_to_json(claim_from_json(nlohmann::json::parse(json.dump()))) == json);
  // Records from before parts had names: each core check is a part.
  auto older = nlohmann::json::parse(json.dump());
  for (auto& check : older["checks"]) check.erase("part");
  CHECK(claim_from_json(older).evidence.status_text() == "1 of 5 parts false");
}

TEST_CASE("a claim without refutable checks is not checkable") {
  Evidence evidence;
  CHECK(evidence.status() == ClaimStatus::kNotCheckable);
  CHECK(evidence.decisive() == nullptr);
  evidence.note("a number", 3);
  evidence.at_most(Role::kCorrected, "something else", 1, 2, 0);
  CHECK(evidence.status() == ClaimStatus::kNotCheckable);
}

TEST_CASE("the decisive check is the first severe failure or the tightest pass") {
  Evidence evidence;
  evidence.at_most(Role::kCore, "far", 0.1, 1, 0);
  evidence.at_most(Role::kCore, "near", 0.9, 1, 0);
  evidence.at_most(Role::kReading, "nearer, but no core", 0.99, 1, 0);
  REQUIRE(evidence.decisive());
  CHECK(evidence.decisive()->what == "near");
  evidence.at_most(Role::kReading, "fails", 2, 1, 0);
  CHECK(evidence.decisive()->what == "fails");
  evidence.at_most(Role::kDetail, "fails gravely", 2, 1, 0);
  CHECK(evidence.decisive()->what == "fails gravely");
}

TEST_CASE("a failed correction of ours is named") {
  Evidence evidence;
  evidence.is_true(Role::kCore, "as printed", false);
  evidence.equals(Role::kCorrected, "the right one", 1.0, 2.0, 0.1);
  REQUIRE(evidence.failed_corrections().size() == 1);
  CHECK(evidence.failed_corrections()[0]->what == "the right one");
}

TEST_CASE("values in claim texts have four digits") {
  Evidence evidence;
  evidence.set("share", 2.0 / 3);
  evidence.set("count", std::size_t{12});
  evidence.set("none", kNan);
  evidence.set("where", "d = 2");
  CHECK(evidence.values() == std::map<std::string, std::string>{{"share", "0.6667"}, {"count", "12"}, {"none", "NaN"}, {"where", "d = 2"}});
  evidence.is_true(Role::kCore, "as printed", true);
  evidence.is_true(Role::kCorrected, "the right one", true);
  evidence.drop(Role::kCorrected);
  REQUIRE(evidence.checks().size() == 1);
  CHECK(evidence.checks()[0].role == Role::kCore);
}

TEST_CASE("a checked claim survives JSON") {
  CheckedClaim claim{"thm:x", "X", "x ≤ 1", "by search", "yat", {}};
  claim.evidence.at_most(Role::kCore, "x", 0.1 + 0.2, 1, 1e-9, "d = 3");
  claim.evidence.equals(Role::kDetail, "y", kInf, kInf, 0);
  claim.evidence.note("z", kNan);
  claim.words.counterexample = "w = 1";
  claim.words.corrected = "x ≤ 2";
  claim.words.tried = "100 starts";
  claim.words.out_of_reach = "limits";
  claim.words.reading = "of x alone";
  claim.place = "Section";
  const auto json = claim_to_json(claim);
  CHECK(json.at("numbered") == true);
  CHECK(json.at("status") == "holds");
  const auto back = claim_from_json(nlohmann::json::parse(json.dump()));
  CHECK(claim_to_json(back) == json);
  CHECK(back.evidence.checks()[0].value == 0.1 + 0.2);
  CHECK(std::isinf(back.evidence.checks()[1].value));
  CHECK(std::isnan(back.evidence.checks()[2].value));
  CHECK_THROWS_AS(claim_from_json(nlohmann::json::parse("{}")), Error);
  auto broken = nlohmann::json::parse(json.dump());
  broken["checks"][0]["role"] = "king";
  CHECK_THROWS_AS(claim_from_json(broken), Error);
}

}  // namespace
}  // namespace yatlab

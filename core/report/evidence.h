#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace yatlab {

/// What a check is to its statement, declared before anything is measured: it decides what a failure means.
enum class Role {
  kCore,       ///< what the statement is about: a failure refutes it
  kDetail,     ///< a constant, rate, formula or table entry as printed: a failure makes it inexact
  kReading,    ///< a condition it leaves out, or what a reader will take along: a failure adds a caveat
  kCorrected,  ///< the right statement, put beside one that fails; never changes the status
  kContext     ///< a number that only informs
};

enum class Relation { kAtMost, kAtLeast, kEqual, kNone };

/// One measured number held against a declared bound.
struct Check {
  std::string what;  ///< "largest |grad E| / (2/eps + 4/eps^2) found"
  Role role = Role::kContext;
  Relation relation = Relation::kNone;
  double value = 0, bound = 0;
  double tolerance = 0;  ///< absolute; >= 0
  std::string where;     ///< the worst case, and the sizes tried

  /// NaN passes nothing. Checks without a relation always pass.
  bool passed() const;
  /// "0.8319 <= 1", "1.2 > 1 + 1e-9"
  std::string comparison() const;
};

enum class ClaimStatus { kHolds, kCaveat, kInexact, kRefuted, kNotCheckable };
const char* to_string(ClaimStatus status);  ///< "holds", "holds with a caveat", "inexact", "refuted", "not checkable"

/// What was found out about one statement. The status follows from the checks alone:
/// a failed core check refutes; else a failed detail is inexact; else a failed reading is a caveat; else it holds.
/// A statement without any check that could fail is not checkable.
class Evidence {
 public:
  void at_most(Role role, std::string what, double value, double bound, double tolerance, std::string where = {});
  void at_least(Role role, std::string what, double value, double bound, double tolerance, std::string where = {});
  /// |value - bound| <= tolerance
  void equals(Role role, std::string what, double value, double bound, double tolerance, std::string where = {});
  /// A yes or no: value 1 or 0, bound 1.
  void is_true(Role role, std::string what, bool value, std::string where = {});
  void note(std::string what, double value, std::string where = {});
  void add(Check check);

  /// Numbers that a person can verify by hand; shown when the statement does not hold as printed.
  void counterexample(std::string text) { counterexample_ = std::move(text); }
  /// The right statement, or the missing condition.
  void corrected(std::string text) { corrected_ = std::move(text); }
  /// Points, dimensions, epsilons, restarts that were tried.
  void tried(std::string text) { tried_ = std::move(text); }
  /// Part of the statement that numbers cannot settle; alone, it makes the statement not checkable.
  void out_of_reach(std::string text) { out_of_reach_ = std::move(text); }

  ClaimStatus status() const;
  /// The check that decides: the first failed one of the gravest role; else the core check nearest to its bound.
  /// Null without checks.
  const Check* decisive() const;
  /// Failed corrections: a mistake of ours, which reports must show.
  std::vector<const Check*> failed_corrections() const;

  const std::vector<Check>& checks() const { return checks_; }
  const std::string& counterexample() const { return counterexample_; }
  const std::string& corrected() const { return corrected_; }
  const std::string& tried() const { return tried_; }
  const std::string& out_of_reach() const { return out_of_reach_; }

 private:
  std::vector<Check> checks_;
  std::string counterexample_, corrected_, tried_, out_of_reach_;
};

/// A checked statement, as artifacts/claim.json holds it.
struct CheckedClaim {
  std::string label;      ///< the paper's: "thm:mercer"
  std::string title;      ///< "Mercer property"
  std::string statement;  ///< in one line
  std::string how;        ///< how it was checked
  std::string op;         ///< the operator that it was checked for
  Evidence evidence;
};

nlohmann::ordered_json claim_to_json(const CheckedClaim& claim);
/// Throws a data error for JSON of another shape.
CheckedClaim claim_from_json(const nlohmann::json& json);

}  // namespace yatlab

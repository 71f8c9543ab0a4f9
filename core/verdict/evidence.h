#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace yatlab {

/// The role of a check in its statement, declared before anything is measured: it decides the meaning of a failure.
enum class Role {
  kCore,       ///< the substance of a part of the statement: a failure makes that part false
  kDetail,     ///< a constant, rate, formula or table entry as printed: a failure makes it inexact
  kReading,    ///< a condition it omits, or a likely reading: a failure adds a caveat
  kCorrected,  ///< the correct statement, next to a failing one; never changes the status
  kContext     ///< a number for information only
};

enum class Relation { kAtMost, kAtLeast, kEqual, kNone };

/// One measured number compared with a declared bound.
struct Check {
  std::string what;  ///< "largest |grad E| / (2/eps + 4/eps^2) found"
  Role role = Role::kContext;
  Relation relation = Relation::kNone;
  double value = 0, bound = 0;
  double tolerance = 0;   ///< absolute; >= 0
  std::string where;      ///< the worst case, and the sizes tried
  std::string part = {};  ///< of a core check: the part of the statement that it decides; a part by itself if ""

  /// NaN always fails. Checks without a relation always pass.
  bool passed() const;
  /// "0.8319 <= 1", "1.2 > 1 + 1e-9"
  std::string comparison() const;
};

enum class ClaimStatus { kHolds, kCaveat, kInexact, kPartlyFalse, kRefuted, kNotCheckable };
/// "holds", "holds with a caveat", "inexact", "partly false", "refuted", "not checkable"
const char* to_string(ClaimStatus status);

/// The findings on one statement. The status follows from the checks alone: a failed core check makes its part false. The statement is refuted if all
/// parts are false, and partly false if some are. Else a failed detail is inexact; else a failed reading is a caveat; else it holds. A statement without
/// any check that could fail is not checkable.
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
  /// The part of the statement that the core checks added from now on decide; "": each is a part by itself.
  void part(std::string name) { part_ = std::move(name); }
  /// Removes all checks of a role.
  void drop(Role role);

  /// A number or word for the `{name}` placeholder in the claim's text (core/measure/claim_text.h).
  void set(const std::string& name, double value);
  template <class Count, class = std::enable_if_t<std::is_integral_v<Count>>>
  void set(const std::string& name, Count value) {
    set(name, std::to_string(value));
  }
  void set(const std::string& name, std::string value) { values_[name] = std::move(value); }
  void set(const std::string& name, const char* value) { set(name, std::string(value)); }
  /// Whether the numbers of the text's counterexample contradict the statement; if not, it is not shown.
  void counterexample_stands(bool yes) { counterexample_stands_ = yes; }

  ClaimStatus status() const;
  /// The same in words: "2 of 4 parts false" for a statement that is partly false.
  std::string status_text() const;
  /// The deciding check: the first failed one of the gravest role; else the core check nearest to its bound. Null without checks.
  const Check* decisive() const;
  /// Failed corrections: our own mistakes, which reports must show.
  std::vector<const Check*> failed_corrections() const;

  const std::vector<Check>& checks() const { return checks_; }
  const std::map<std::string, std::string>& values() const { return values_; }
  bool counterexample_stands() const { return counterexample_stands_; }

 private:
  struct Parts {
    std::size_t wrong = 0, all = 0;
  };
  Parts parts() const;

  std::vector<Check> checks_;
  std::string part_;
  std::map<std::string, std::string> values_;
  bool counterexample_stands_ = true;
};

/// Texts that accompany a claim's verdict, for the operator that it was checked for; "" for none.
struct ClaimWords {
  std::string reading;         ///< what a reader should know about the statement
  std::string corrected;       ///< the correct statement, or the missing condition
  std::string counterexample;  ///< numbers that a person can verify by hand
  std::string tried;           ///< points, dimensions, epsilons, restarts
  std::string out_of_reach;    ///< part of the statement that numbers cannot settle
};

/// A checked statement, as in artifacts/claim.json.
struct CheckedClaim {
  std::string label;      ///< the paper's: "thm:mercer"
  std::string title;      ///< "Mercer property"
  std::string statement;  ///< in one line
  std::string how;        ///< how it was checked
  std::string op;         ///< the operator of the check
  Evidence evidence;
  ClaimWords words = {};
  std::string place = {};  ///< the section of the paper; "" if unknown
};

/// Whether the paper numbers it: its theorems, propositions, lemmas, corollaries and remarks. The other checked statements are equations, tables,
/// definitions in running text and claims.
bool is_numbered(const std::string& label);

nlohmann::ordered_json claim_to_json(const CheckedClaim& claim);
/// Throws a data error for JSON of another shape.
CheckedClaim claim_from_json(const nlohmann::json& json);

}  // namespace yatlab

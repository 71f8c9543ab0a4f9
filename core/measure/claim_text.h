#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "core/verdict/evidence.h"

namespace yatlab {

/// What is said of a claim: the YAML file beside its check (plugins/claims/lipschitz.yaml beside lipschitz.cpp), or what a claim
/// outside the tree hands over when it registers.
///
///     title: Lipschitz Continuity         # as the paper calls it
///     statement: ‖∇ₓE‖ ≤ 2/ε + 4/ε²       # what the paper says, in one line
///     how: Gradient ascent over x and w.  # how it is checked, in one or two sentences
///     tried: "{starts} starts"            # points, dimensions, epsilons, restarts
///     out_of_reach: all dimensions        # part of the statement that numbers cannot settle
///     reading: far from tight             # what a reader should know beside it; shown whatever the verdict
///     corrected: ...                      # the right statement, or the missing condition; shown where it does not hold
///     counterexample: "E = {E} > {bound}" # numbers that a person can verify by hand; likewise
///
/// The first four are needed. `{name}` stands for a value that the check hands over (Evidence::set). The last three may be maps by operator,
/// {yat: ..., any: ...}: what is true of one alone is shown for it alone, `any` for all others.
class ClaimText {
 public:
  using ByOperator = std::map<std::string, std::string>;

  /// Of a YAML text; `source` names it in messages. Config errors: keys that are unknown or missing.
  static ClaimText parse(std::string_view yaml, const std::string& source);

  const std::string& title() const { return title_; }
  const std::string& statement() const { return statement_; }
  const std::string& how() const { return how_; }
  /// Every `{name}` of the text, those of all operators.
  const std::set<std::string>& placeholders() const { return placeholders_; }
  /// By key and operator, "any" being every other: {"corrected": {"yat": "..."}}. As written, with placeholders.
  const std::map<std::string, ByOperator>& parts() const { return parts_; }
  /// Whether it says what is right (`corrected`) or what to know (`reading`) about this operator. Where it does not, corrections that a check
  /// tries are those of another.
  bool corrects(const std::string& op) const;
  /// The words for one operator, with `values` in place of `{name}`. A job error if a placeholder, of whatever operator, has no
  /// value or a value no placeholder.
  ClaimWords words(const std::string& op, const std::map<std::string, std::string>& values) const;

 private:
  std::string said(const std::string& part, const std::string& op) const;

  std::string source_, title_, statement_, how_;
  std::map<std::string, ByOperator> parts_;
  std::set<std::string> placeholders_;
};

/// Files of a folder of claims, embedded in the program: path and text. Called before main, by what cmake/EmbedText.cmake writes.
struct EmbeddedClaimText {
  const char* file;
  std::string_view text;
};
int embed_claim_texts(const EmbeddedClaimText* first, std::size_t count) noexcept;
/// The text embedded beside "plugins/claims/lipschitz.cpp"; nullptr if there is none.
const EmbeddedClaimText* embedded_claim_text(const std::string& source);

}  // namespace yatlab

#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "core/verdict/evidence.h"

namespace yatlab {

/// The text of a claim: the YAML file beside its check (plugins/claims/lipschitz.yaml beside lipschitz.cpp), or the text that a claim outside the
/// tree passes at registration.
///
///     title: Lipschitz Continuity         # as the paper calls it
///     place: Neural Matter Network Layers # the section of the paper
///     statement: ‖∇ₓE‖ ≤ 2/ε + 4/ε²       # what the paper says, in one line
///     how: Gradient ascent over x and w.  # how it is checked, in one or two sentences
///     tried: "{starts} starts"            # points, dimensions, epsilons, restarts
///     out_of_reach: all dimensions        # part of the statement that numbers cannot settle
///     reading: far from tight             # what a reader should know beside it; shown whatever the verdict
///     corrected: ...                      # the right statement, or the missing condition; shown where it does not hold
///     counterexample: "E = {E} > {bound}" # numbers to verify by hand, or "computed: ..."; likewise
///
/// Title, statement, how and tried are required. `{name}` is a placeholder for a value that the check sets (Evidence::set). The last three may be maps by operator,
/// {yat: ..., any: ...}: a text for one operator is shown for that operator only, `any` for all others.
class ClaimText {
 public:
  using ByOperator = std::map<std::string, std::string>;

  /// Parses a YAML text; `source` names it in messages. Config errors: unknown or missing keys.
  static ClaimText parse(std::string_view yaml, const std::string& source);

  const std::string& title() const { return title_; }
  const std::string& place() const { return place_; }
  const std::string& statement() const { return statement_; }
  const std::string& how() const { return how_; }
  /// Every `{name}` of the text, for all operators.
  const std::set<std::string>& placeholders() const { return placeholders_; }
  /// By key and operator, "any" for all others: {"corrected": {"yat": "..."}}. As written, with placeholders.
  const std::map<std::string, ByOperator>& parts() const { return parts_; }
  /// Whether the text has a `corrected` or a `reading` for this operator. If not, the corrections that a check tries belong to another operator.
  bool corrects(const std::string& op) const;
  /// The texts for one operator, with `values` in place of `{name}`. A job error if any placeholder, of any operator, has no value or any value has
  /// no placeholder.
  ClaimWords words(const std::string& op, const std::map<std::string, std::string>& values) const;

 private:
  std::string text_of(const std::string& part, const std::string& op) const;

  std::string source_, title_, place_, statement_, how_;
  std::map<std::string, ByOperator> parts_;
  std::set<std::string> placeholders_;
};

/// Files of a folder of claims, embedded in the program: path and text. Called before main, by code that cmake/EmbedText.cmake generates.
struct EmbeddedClaimText {
  const char* file;
  std::string_view text;
};
int embed_claim_texts(const EmbeddedClaimText* first, std::size_t count) noexcept;
/// The text embedded beside "plugins/claims/lipschitz.cpp"; nullptr if there is none.
const EmbeddedClaimText* embedded_claim_text(const std::string& source);

}  // namespace yatlab

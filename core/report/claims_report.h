#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/record/run_view.h"
#include "core/table/table.h"
#include "core/verdict/evidence.h"

namespace yatlab {

/// One checked statement of a run.
struct ClaimRow {
  CheckedClaim claim;
  std::string arm;
  std::int64_t seed = 0;
  std::string job;  ///< the job's folder
};

/// Whether the run's jobs, finished or not, check statements of the paper: such a run has no metrics to tabulate.
bool checks_claims(const RunView& run);
/// All checked statements of a run, in the plan's order. Unfinished jobs are skipped.
std::vector<ClaimRow> checked_claims(const RunView& run);

/// The statement's label, with the differences between its rows: "thm:mercer (cosine, seed 1)".
std::string called(const ClaimRow& row, const std::vector<ClaimRow>& rows);
/// A counterexample and what it is called: "By hand", or "Example" if its text begins with "computed: ", which is left out.
std::pair<std::string, std::string> labelled_counterexample(const std::string& text);
/// "statement", "detail as printed", "reading", "right statement"; "" for information only
const char* role_text(Role role);

/// "statement: smooth" for a check of a named part
std::string part_text(const Check& check);

/// "✓", "◐", "✗" or "?", as for claims
const char* mark(ClaimStatus status);
/// "51 numbered statements: 30 hold, 9 inexact, 8 partly false, 4 refuted. 21 others: 12 hold, 9 hold with a caveat"
std::string count_claims(const std::vector<ClaimRow>& rows);
/// The deciding check in words: "largest ratio found: 1.25 > 1". "" without checks.
std::string deciding_evidence(const CheckedClaim& claim);

/// For a terminal: a line for each statement; below failing ones, the right statement and a counterexample.
std::string claims_text(const RunView& run, const std::vector<ClaimRow>& rows, const TextStyle& style);
/// A table of all statements, then every check of each.
std::string claims_markdown(const RunView& run, const std::vector<ClaimRow>& rows);
/// A row for each verdict, the gravest first: labels of numbered statements and of the others.
std::string claims_short_table(const std::vector<ClaimRow>& rows);
/// A paragraph for each statement, the gravest verdict first: what the paper says, what was found, and an example.
std::string claims_paragraphs(const std::vector<ClaimRow>& rows);
/// A longtable; needs \usepackage{booktabs,longtable} and compiles with pdflatex.
std::string claims_latex(const RunView& run, const std::vector<ClaimRow>& rows);
/// One line for each check: label, operator, seed, status, role, what, value, relation, bound, tolerance, passed, where, job, run.
std::string claims_csv(const RunView& run, const std::vector<ClaimRow>& rows);
TableData claims_data(const RunView& run, const std::vector<ClaimRow>& rows);  ///< the same as an object

/// `claims` of summary.json.
nlohmann::ordered_json claims_json(const std::vector<ClaimRow>& rows);

}  // namespace yatlab

#pragma once

#include <string>
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
/// "statement", "detail as printed", "reading", "right statement"; "" for information only
const char* role_text(Role role);

/// "✓", "~", "≈", "✗", "?"
const char* mark(ClaimStatus status);
/// "51 numbered statements and 21 others: 30 hold, 19 hold with a caveat, 13 inexact, 8 refuted, 2 not checkable"
std::string count_claims(const std::vector<ClaimRow>& rows);
/// The deciding check in words: "largest ratio found: 1.25 > 1". "" without checks.
std::string deciding_evidence(const CheckedClaim& claim);

/// For a terminal: a line for each statement; below failing ones, the right statement and a counterexample.
std::string claims_text(const RunView& run, const std::vector<ClaimRow>& rows, const TextStyle& style);
/// A table of all statements, then every check of each.
std::string claims_markdown(const RunView& run, const std::vector<ClaimRow>& rows);
/// That table alone, for another page.
std::string claims_markdown_table(const std::vector<ClaimRow>& rows);
/// A longtable; needs \usepackage{booktabs,longtable} and compiles with pdflatex.
std::string claims_latex(const RunView& run, const std::vector<ClaimRow>& rows);
/// One line for each check: label, operator, seed, status, role, what, value, relation, bound, tolerance, passed, where, job, run.
std::string claims_csv(const RunView& run, const std::vector<ClaimRow>& rows);
TableData claims_data(const RunView& run, const std::vector<ClaimRow>& rows);  ///< the same as an object

/// `claims` of summary.json.
nlohmann::ordered_json claims_json(const std::vector<ClaimRow>& rows);

}  // namespace yatlab

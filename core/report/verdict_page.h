#pragma once

#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/base/node.h"

namespace yatlab {

/// The answer of one recorded row to a claim of the paper. The rule is in docs/results.md (The verdict on the paper).
enum class RowAnswer { kAgrees, kContradicts, kPartly, kOpen };

/// The data on which a claim's verdict is based: the paper's own data and size, other data or another size, mathematics.
enum class ClaimData { kPaper, kSubstitute, kMathematics };

/// The mark of a claim that holds in part or under a condition. It is on pages only: LaTeX has no such sign.
constexpr const char* kInPart = "◐";

/// "✓", "◐", "?" or "✗", from the answers of the deciding rows. `general`: the paper claims it for every model, so substitute data can refute it.
/// `each`: the paper claims every row, so one that contradicts refutes the claim.
std::string claim_mark(const std::vector<RowAnswer>& rows, ClaimData data, bool general, bool each = false);

/// A row with its measured numbers.
struct FoundRow {
  RowAnswer answer = RowAnswer::kOpen;
  bool decides = true;
  std::string text;
  std::string kind = {}, experiment = {};  ///< "direction"; the experiment whose record decides, "" for none
  std::string metric = {};                 ///< "" for kinds without one
  std::string name = {};                   ///< default: the metric
};

/// A claim of the paper with its rows and mark.
struct PaperClaim {
  std::string id, says, where, mark;
  ClaimData data = ClaimData::kPaper;
  bool general = false;
  std::vector<FoundRow> rows;
  bool contradicted_elsewhere = false;  ///< open, because what contradicts it is substitute data or a small model
};

/// All claims, in the order of the file. `claims`: a parsed paper.yaml. `recorded`: the folder with EXPERIMENT/summary.json. `experiments`: names of
/// the paper's experiments; a row about one that is not recorded yet is open. Throws a config error for a malformed row, and for one that names an
/// unknown experiment, arm, metric or statement.
std::vector<PaperClaim> judge_claims(const Node& claims, const fs::path& recorded, const std::vector<std::string>& experiments = {});

/// The rows of `answers`, which belong to no claim; a direction needs no `says`. Parameters and errors as for judge_claims.
std::vector<FoundRow> found_answers(const Node& paper, const fs::path& recorded, const std::vector<std::string>& experiments = {});

/// "Of 20 claims of the paper 4 hold (✓), ...".
std::string claim_counts_text(const std::vector<PaperClaim>& claims);

/// What rows found, one line a row; of many deciding rows only how many agree, and which.
std::vector<std::string> found_lines(const std::vector<FoundRow>& rows);

/// The same of a claim, with a line more if they contradict it on other data.
std::vector<std::string> found_lines(const PaperClaim& claim);

/// These lines as a cell of a Markdown table.
std::string found_cell(const PaperClaim& claim);

/// The claims' table alone: | # | the paper says | what was found | mark | data |.
std::string claims_table(const std::vector<PaperClaim>& claims);

/// The whole page, Markdown. Its title is the paper's `question`, else its `title`. Above the table is the paper's `short` answer, without sentences
/// whose claims now have other marks than under their `if`; `after` are paragraphs below the table. In both, `{id}` becomes a claim's row number.
/// `judged`: the result of judge_claims. Throws a config error for an unknown claim.
std::string verdict_page(const Node& claims, const std::vector<PaperClaim>& judged, const fs::path& recorded);

/// The same page for a terminal of `width` columns, without a table.
std::string verdict_text(const Node& claims, const std::vector<PaperClaim>& judged, const fs::path& recorded, std::size_t width);

}  // namespace yatlab

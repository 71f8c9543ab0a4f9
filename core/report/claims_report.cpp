#include "core/report/claims_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/print.h"
#include "core/base/text.h"
#include "core/figure/latex_text.h"
#include "core/figure/yat_letter.h"

namespace yatlab {
namespace {

constexpr std::array<ClaimStatus, 5> kOrder = {ClaimStatus::kHolds, ClaimStatus::kCaveat, ClaimStatus::kInexact, ClaimStatus::kRefuted,
                                               ClaimStatus::kNotCheckable};

const char* counted(ClaimStatus status, std::size_t n) {
  switch (status) {
    case ClaimStatus::kHolds:
      return n == 1 ? "holds" : "hold";
    case ClaimStatus::kCaveat:
      return n == 1 ? "holds with a caveat" : "hold with a caveat";
    default:
      return to_string(status);
  }
}

/// What distinguishes the rows of one statement: operator or arm, and seed.
std::string variant(const ClaimRow& row, const std::vector<ClaimRow>& rows) {
  std::set<std::string> arms;
  std::set<std::int64_t> seeds;
  for (const auto& r : rows) {
    arms.insert(r.arm);
    seeds.insert(r.seed);
  }
  std::string out;
  if (arms.size() > 1) out += row.arm;
  if (seeds.size() > 1) out += fmt::format("{}seed {}", out.empty() ? "" : ", ", row.seed);
  return out;
}

std::string operators(const std::vector<ClaimRow>& rows) {
  std::vector<std::string> out;
  for (const auto& row : rows) {
    const std::string name = row.claim.op == "yat" ? "ⵟ" : row.claim.op;
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  }
  return join(out, ", ");
}

const char* relation_text(Relation relation) {
  switch (relation) {
    case Relation::kAtMost:
      return "<=";
    case Relation::kAtLeast:
      return ">=";
    case Relation::kEqual:
      return "=";
    case Relation::kNone:
      break;
  }
  return "";
}

/// Text beside a verdict: unless it simply holds, the right statement and numbers to check by hand.
std::vector<std::string> remarks(const CheckedClaim& claim) {
  std::vector<std::string> out;
  const auto& e = claim.evidence;
  const auto& words = claim.words;
  const bool holds = e.status() == ClaimStatus::kHolds;
  if (!words.corrected.empty() && !holds) out.push_back("Right: " + words.corrected);
  if (!words.counterexample.empty() && !holds) out.push_back("By hand: " + words.counterexample);
  if (!words.reading.empty()) out.push_back("Note: " + words.reading);
  if (!words.out_of_reach.empty()) out.push_back("Not settled by numbers: " + words.out_of_reach);
  for (const auto* check : e.failed_corrections()) {
    out.push_back(fmt::format("Our own correction fails: {}, {}", check->what, check->comparison()));
  }
  return out;
}

}  // namespace

std::string called(const ClaimRow& row, const std::vector<ClaimRow>& rows) {
  const auto which = variant(row, rows);
  return row.claim.label + (which.empty() ? "" : " (" + which + ")");
}

const char* role_text(Role role) {
  switch (role) {
    case Role::kCore:
      return "statement";
    case Role::kDetail:
      return "detail as printed";
    case Role::kReading:
      return "reading";
    case Role::kCorrected:
      return "right statement";
    case Role::kContext:
      break;
  }
  return "";
}

bool checks_claims(const RunView& run) {
  const auto names_claim = [](const auto& param) { return param.first == "claim"; };
  return run.config.has("claims") && std::any_of(run.jobs.begin(), run.jobs.end(), [&](const JobView& job) {
           return std::any_of(job.params.begin(), job.params.end(), names_claim);
         });
}

std::vector<ClaimRow> checked_claims(const RunView& run) {
  std::vector<ClaimRow> out;
  for (const auto& job : run.jobs) {
    if (job.state != JobState::kCompleted) continue;
    if (const auto json = run.artifact(job, "claim")) {
      out.push_back({claim_from_json(*json), job.arm, job.seed, job.directory});
    }
  }
  return out;
}

const char* mark(ClaimStatus status) {
  switch (status) {
    case ClaimStatus::kHolds:
      return "✓";
    case ClaimStatus::kCaveat:
      return "~";
    case ClaimStatus::kInexact:
      return "≈";
    case ClaimStatus::kRefuted:
      return "✗";
    case ClaimStatus::kNotCheckable:
      break;
  }
  return "?";
}

std::string count_claims(const std::vector<ClaimRow>& rows) {
  std::map<ClaimStatus, std::size_t> count;
  for (const auto& row : rows) ++count[row.claim.evidence.status()];
  std::vector<std::string> parts;
  for (const auto status : kOrder) {
    if (count.count(status)) parts.push_back(fmt::format("{} {}", count[status], counted(status, count[status])));
  }
  std::set<std::string> labels;
  for (const auto& row : rows) labels.insert(row.claim.label);
  const auto numbered = static_cast<std::size_t>(std::count_if(labels.begin(), labels.end(), is_numbered)),
             others = labels.size() - numbered;
  const auto plural = [](std::size_t n) { return n == 1 ? "" : "s"; };
  const std::string repeated = labels.size() == rows.size() ? "" : fmt::format(", {} checks of them", rows.size());
  const std::string counted_labels =
      numbered == 0 ? fmt::format("{} statement{} without a number", others, plural(others))
      : others == 0 ? fmt::format("{} numbered statement{}", numbered, plural(numbered))
                    : fmt::format("{} numbered statement{} and {} other{}", numbered, plural(numbered), others, plural(others));
  return fmt::format("{}{}: {}", counted_labels, repeated, join(parts, ", "));
}

std::string deciding_evidence(const CheckedClaim& claim) {
  const auto* check = claim.evidence.decisive();
  return check ? fmt::format("{}: {}", check->what, check->comparison()) : "";
}

std::string claims_text(const RunView& run, const std::vector<ClaimRow>& rows, const TextStyle& style) {
  const auto width = static_cast<std::size_t>(std::max(60, style.width));
  std::string out = fmt::format("{} (operator {})\n{}\n", plain_text(run.title), operators(rows), count_claims(rows));
  std::size_t names = 0, statuses = 0;
  for (const auto& row : rows) {
    names = std::max(names, display_width(called(row, rows)));
    statuses = std::max(statuses, display_width(to_string(row.claim.evidence.status())));
  }
  for (const auto& row : rows) {
    const auto status = row.claim.evidence.status();
    const std::string head = fmt::format("{} {}  {}", mark(status), pad(called(row, rows), static_cast<int>(names)),
                                         pad(to_string(status), static_cast<int>(statuses)));
    const std::string colour = terminal_code(status == ClaimStatus::kHolds ? "[32m" : status == ClaimStatus::kRefuted ? "[31m" : "[33m");
    out += fmt::format("  {}{}{}\n", style.colour ? colour : "", head, style.colour ? terminal_code("[0m") : "");
    if (status == ClaimStatus::kHolds && remarks(row.claim).empty()) continue;
    if (const auto evidence = deciding_evidence(row.claim); !evidence.empty()) out += wrapped("    ", evidence, width);
    for (const auto& remark : remarks(row.claim)) out += wrapped("    ", remark, width);
  }
  return out;
}

std::string claims_markdown_table(const std::vector<ClaimRow>& rows) {
  std::string out =
      "| statement | says | verdict | decided by | worst case, sizes | right statement, counterexample |\n|:--|:--|:--|:--|:--|:--|\n";
  for (const auto& row : rows) {
    const auto& e = row.claim.evidence;
    const auto* decisive = e.decisive();
    out += fmt::format("| {}: {} | {} | {} {} | {} | {} | {} |\n", markdown_text(called(row, rows)), markdown_text(row.claim.title),
                       markdown_text(row.claim.statement), mark(e.status()), to_string(e.status()),
                       markdown_text(deciding_evidence(row.claim)),
                       markdown_text(decisive && !decisive->where.empty() ? decisive->where : row.claim.words.tried),
                       markdown_text(join(remarks(row.claim), " ")));
  }
  return out;
}

std::string claims_markdown(const RunView& run, const std::vector<ClaimRow>& rows) {
  std::string out = fmt::format("**{}**\n\nOperator {}. {}.\n\n{}", markdown_text(plain_text(run.title)), operators(rows),
                                count_claims(rows), claims_markdown_table(rows));
  for (const auto& row : rows) {
    const auto& e = row.claim.evidence;
    out += fmt::format("\n### {}: {}\n\n{}\n\nVerdict: **{}**. {}\n\n", markdown_text(called(row, rows)), markdown_text(row.claim.title),
                       markdown_text(row.claim.statement), to_string(e.status()), markdown_text(row.claim.how));
    for (const auto& remark : remarks(row.claim)) out += markdown_text(remark) + "\n\n";
    if (!row.claim.words.tried.empty()) out += "Tried: " + markdown_text(row.claim.words.tried) + "\n\n";
    if (e.checks().empty()) continue;
    out += "| check | of | found | | where |\n|:--|:--|:--|:--|:--|\n";
    for (const auto& check : e.checks()) {
      out +=
          fmt::format("| {} | {} | {} | {} | {} |\n", markdown_text(check.what), role_text(check.role), markdown_text(check.comparison()),
                      check.relation == Relation::kNone ? ""
                      : check.passed()                  ? "✓"
                                                        : "✗",
                      markdown_text(check.where));
    }
  }
  return out;
}

std::string claims_latex(const RunView& run, const std::vector<ClaimRow>& rows) {
  std::string out = fmt::format(
      "% Statements checked by run {}/{}, written by yatlab.\n"
      "% Needs \\usepackage{{booktabs,longtable}}; compiles with pdflatex.\n{}"
      "{{\\footnotesize\\setlength{{\\tabcolsep}}{{4pt}}\\raggedright\n"
      "\\begin{{longtable}}{{p{{0.23\\linewidth}}p{{0.13\\linewidth}}p{{0.56\\linewidth}}}}\n"
      "\\caption{{{}. Operator {}. {}.}}\\label{{tab:claims}}\\\\\n",
      safe_file_name(run.experiment), safe_file_name(run.run_id), yat_latex(), latex_text(run.title), latex_text(operators(rows)),
      latex_text(count_claims(rows)));
  out +=
      "\\toprule\nStatement & Verdict & Evidence \\\\\n\\midrule\n\\endfirsthead\n"
      "\\toprule\nStatement & Verdict & Evidence \\\\\n\\midrule\n\\endhead\n\\bottomrule\n\\endfoot\n";
  for (const auto& row : rows) {
    const auto& e = row.claim.evidence;
    // Labels break only at their colon and hyphens; typewriter type does not hyphenate.
    std::string label;
    for (const char c : latex_text(called(row, rows)))
      label += c == ':' || c == '-' ? std::string(1, c) + "\\allowbreak{}" : std::string(1, c);
    std::string evidence = latex_text(deciding_evidence(row.claim));
    for (const auto& remark : remarks(row.claim)) evidence += (evidence.empty() ? "" : ". ") + latex_text(remark);
    out += fmt::format("\\raggedright {}\\newline\\texttt{{{}}} & \\raggedright {} & \\raggedright {} \\tabularnewline\n\\addlinespace\n",
                       latex_text(row.claim.title), label, latex_text(to_string(e.status())), evidence);
  }
  return out + "\\end{longtable}}\n";
}

namespace {

/// Whole numbers are printed without a fraction.
nlohmann::ordered_json number_cell(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return static_cast<std::int64_t>(value);
  return value;
}

}  // namespace

TableData claims_data(const RunView& run, const std::vector<ClaimRow>& rows) {
  TableData out;
  out.columns = {"label", "title",    "operator", "arm",       "seed",   "status", "role", "check",
                 "value", "relation", "bound",    "tolerance", "passed", "where",  "job",  "run"};
  for (const auto& row : rows) {
    for (const auto& c : row.claim.evidence.checks()) {
      const bool compared = c.relation != Relation::kNone;
      auto cells = nlohmann::ordered_json::array({row.claim.label, row.claim.title, row.claim.op, row.arm, row.seed,
                                                  to_string(row.claim.evidence.status()), role_text(c.role), c.what, number_cell(c.value),
                                                  relation_text(c.relation)});
      cells.push_back(compared ? number_cell(c.bound) : nlohmann::ordered_json());
      cells.push_back(compared ? number_cell(c.tolerance) : nlohmann::ordered_json());
      cells.push_back(compared ? nlohmann::ordered_json(c.passed()) : nlohmann::ordered_json());
      for (const auto& text : {c.where, row.job, run.run_id}) cells.push_back(text);
      out.rows.push_back(std::move(cells));
    }
  }
  return out;
}

std::string claims_csv(const RunView& run, const std::vector<ClaimRow>& rows) { return to_csv(claims_data(run, rows)); }

nlohmann::ordered_json claims_json(const std::vector<ClaimRow>& rows) {
  auto out = nlohmann::ordered_json::array();
  for (const auto& row : rows) {
    nlohmann::ordered_json entry{{"arm", row.arm}, {"seed", row.seed}};
    entry.update(claim_to_json(row.claim));
    entry.erase("schema");
    entry["job"] = row.job;
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace yatlab

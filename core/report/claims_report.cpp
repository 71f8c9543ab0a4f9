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
#include "core/report/verdict_page.h"

namespace yatlab {
namespace {

constexpr std::array<ClaimStatus, 6> kOrder = {ClaimStatus::kHolds,       ClaimStatus::kCaveat,  ClaimStatus::kInexact,
                                               ClaimStatus::kPartlyFalse, ClaimStatus::kRefuted, ClaimStatus::kNotCheckable};
/// The gravest first, those that hold last.
constexpr std::array<ClaimStatus, 6> kGravest = {ClaimStatus::kRefuted, ClaimStatus::kPartlyFalse,  ClaimStatus::kInexact,
                                                 ClaimStatus::kCaveat,  ClaimStatus::kNotCheckable, ClaimStatus::kHolds};

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
  if (!words.counterexample.empty() && !holds) {
    const auto [label, text] = labelled_counterexample(words.counterexample);
    out.push_back(label + ": " + text);
  }
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

std::pair<std::string, std::string> labelled_counterexample(const std::string& text) {
  const std::string computed = "computed: ";
  if (text.rfind(computed, 0) == 0) return {"Example", text.substr(computed.size())};
  return {"By hand", text};
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

std::string part_text(const Check& check) {
  return check.part.empty() ? role_text(check.role) : fmt::format("{}: {}", role_text(check.role), check.part);
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
    case ClaimStatus::kInexact:
    case ClaimStatus::kPartlyFalse:
      return kInPart;
    case ClaimStatus::kRefuted:
      return "✗";
    case ClaimStatus::kNotCheckable:
      break;
  }
  return "?";
}

std::string count_claims(const std::vector<ClaimRow>& rows) {
  std::vector<std::string> sentences;
  for (const bool numbered : {true, false}) {
    std::map<ClaimStatus, std::size_t> count;
    std::set<std::string> labels;
    std::size_t checks = 0;
    for (const auto& row : rows) {
      if (is_numbered(row.claim.label) != numbered) continue;
      ++count[row.claim.evidence.status()];
      labels.insert(row.claim.label);
      ++checks;
    }
    if (checks == 0) continue;
    std::vector<std::string> parts;
    for (const auto status : kOrder) {
      if (count.count(status)) parts.push_back(fmt::format("{} {}", count[status], counted(status, count[status])));
    }
    const char* const plural = labels.size() == 1 ? "" : "s";
    const std::string what = numbered            ? fmt::format("numbered statement{}", plural)
                             : sentences.empty() ? fmt::format("statement{} without a number", plural)
                                                 : fmt::format("other{}", plural);
    sentences.push_back(fmt::format("{} {}{}: {}", labels.size(), what,
                                    labels.size() == checks ? "" : fmt::format(", {} checks of them", checks), join(parts, ", ")));
  }
  return join(sentences, ". ");
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
    statuses = std::max(statuses, display_width(row.claim.evidence.status_text()));
  }
  for (const auto& row : rows) {
    const auto status = row.claim.evidence.status();
    const std::string head = fmt::format("{} {}  {}", mark(status), pad(called(row, rows), static_cast<int>(names)),
                                         pad(row.claim.evidence.status_text(), static_cast<int>(statuses)));
    const std::string colour = terminal_code(status == ClaimStatus::kHolds ? "[32m" : status == ClaimStatus::kRefuted ? "[31m" : "[33m");
    out += fmt::format("  {}{}{}\n", style.colour ? colour : "", head, style.colour ? terminal_code("[0m") : "");
    if (status == ClaimStatus::kHolds && remarks(row.claim).empty()) continue;
    if (const auto evidence = deciding_evidence(row.claim); !evidence.empty()) out += wrapped("    ", evidence, width);
    for (const auto& remark : remarks(row.claim)) out += wrapped("    ", remark, width);
  }
  return out;
}

namespace {

std::string claims_markdown_table(const std::vector<ClaimRow>& rows) {
  std::string out =
      "| statement | says | verdict | decided by | worst case, sizes | right statement, counterexample |\n|:--|:--|:--|:--|:--|:--|\n";
  for (const auto& row : rows) {
    const auto& e = row.claim.evidence;
    const auto* decisive = e.decisive();
    out += fmt::format("| {}: {} | {} | {} {} | {} | {} | {} |\n", markdown_text(called(row, rows)), markdown_text(row.claim.title),
                       markdown_text(row.claim.statement), mark(e.status()), e.status_text(), markdown_text(deciding_evidence(row.claim)),
                       markdown_text(decisive && !decisive->where.empty() ? decisive->where : row.claim.words.tried),
                       markdown_text(join(remarks(row.claim), " ")));
  }
  return out;
}

}  // namespace

std::string claims_short_table(const std::vector<ClaimRow>& rows) {
  std::string out = "| verdict | numbered statements | others |\n|:--|:--|:--|\n";
  for (const auto status : kGravest) {
    std::vector<std::string> labels[2];
    for (const auto& row : rows) {
      const auto& e = row.claim.evidence;
      if (e.status() != status) continue;
      std::string label = called(row, rows);
      if (status == ClaimStatus::kPartlyFalse) label += fmt::format(" ({})", e.status_text());
      labels[is_numbered(row.claim.label) ? 0 : 1].push_back(markdown_text(label));
    }
    if (labels[0].empty() && labels[1].empty()) continue;
    out += fmt::format("| {} {} | {} | {} |\n", mark(status), to_string(status), join(labels[0], ", "), join(labels[1], ", "));
  }
  return out;
}

namespace {

/// "Theorem", "Table", ...: the kind of passage that the label names.
std::string kind_of_passage(const std::string& label) {
  static const std::map<std::string, const char*> kinds = {
      {"thm", "Theorem"},    {"prop", "Proposition"}, {"lem", "Lemma"}, {"cor", "Corollary"}, {"rem", "Remark"}, {"eq", "Equation"},
      {"def", "Definition"}, {"tab", "Table"},        {"sec", "Text"},  {"subsec", "Text"},   {"claim", "Text"}};
  const auto found = kinds.find(label.substr(0, label.find(':')));
  return found == kinds.end() ? "Statement" : found->second;
}

/// With a full stop at its end.
std::string sentence(const std::string& text) {
  const auto last = text.find_last_not_of(')');
  return last != std::string::npos && text[last] == '.' ? text : text + ".";
}

const char* heading(ClaimStatus status) {
  switch (status) {
    case ClaimStatus::kRefuted:
      return "Refuted";
    case ClaimStatus::kPartlyFalse:
      return "Some of several parts false";
    case ClaimStatus::kInexact:
      return "Inexact: a constant, rate or formula as printed is wrong";
    case ClaimStatus::kCaveat:
      return "Hold under a condition";
    case ClaimStatus::kNotCheckable:
      return "Not checkable by numbers";
    case ClaimStatus::kHolds:
      break;
  }
  return "Hold";
}

/// Whole numbers below a million are written in full.
std::string number_text(double value, int digits) {
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  if (value == std::floor(value) && std::abs(value) < 1e6) return fmt::format("{:.0f}", value + 0.0);
  return fmt::format("{:.{}g}", value, digits);
}

/// A check in words: "0.1816, where 1 is needed", or "0.9811 (allowed: at least 0.75)" if it passes; "yes" or "no".
std::string finding(const Check& check) {
  const bool passed = check.passed(), equal = check.relation == Relation::kEqual, most = check.relation == Relation::kAtMost;
  const double value = check.value, slack = passed ? check.tolerance : 0;
  if (equal && check.bound == 1 && check.tolerance == 0 && (value == 0 || value == 1)) return passed ? "yes" : "no";
  const double limit = equal ? check.bound : most ? check.bound + slack : check.bound - slack;
  int digits = 4;  // different numbers must not look alike
  while (digits < 17 && value != limit && number_text(value, digits) == number_text(limit, digits)) ++digits;
  std::string needed = (equal ? "" : most ? "at most " : "at least ") + number_text(limit, digits);
  if (equal && slack > 0) needed += fmt::format(" ± {:.2g}", slack);
  return fmt::format(passed ? "{} (allowed: {})" : "{}, where {} is needed", number_text(value, digits), needed);
}

/// What was found: the failed checks that decide the verdict, and failed details of a false statement. If it holds: all checks of its main assertion.
std::string found_text(const CheckedClaim& claim) {
  const auto& e = claim.evidence;
  const auto* decisive = e.decisive();
  if (!decisive) return "";
  const bool failed = !decisive->passed(), with_where = failed && claim.words.counterexample.empty();
  const auto text = [&](const Check& check) {
    return fmt::format("{}: {}{}", check.what, finding(check), with_where && !check.where.empty() ? " (" + check.where + ")" : "");
  };
  if (e.status() == ClaimStatus::kNotCheckable) return text(*decisive);
  std::vector<std::string> found;
  for (const auto& check : e.checks()) {
    const bool shown = check.role == decisive->role || (failed && decisive->role == Role::kCore && check.role == Role::kDetail);
    if (shown && check.relation != Relation::kNone && check.passed() != failed) found.push_back(text(check));
  }
  return join(found, "; ");
}

}  // namespace

std::string claims_paragraphs(const std::vector<ClaimRow>& rows) {
  std::string out;
  for (const auto status : kGravest) {
    std::string part;
    for (const bool numbered : {true, false}) {
      for (const auto& row : rows) {
        const auto& claim = row.claim;
        if (claim.evidence.status() != status || is_numbered(claim.label) != numbered) continue;
        part += fmt::format("\n**{}** ({}, `{}`{}){}.\nThe paper says: {}.\n", markdown_text(claim.title), kind_of_passage(claim.label),
                            called(row, rows), claim.place.empty() ? "" : ", " + markdown_text(claim.place),
                            status == ClaimStatus::kPartlyFalse ? ": " + claim.evidence.status_text() : "", markdown_text(claim.statement));
        if (const auto found = found_text(claim); !found.empty()) part += fmt::format("Found: {}.\n", markdown_text(found));
        for (const auto& remark : remarks(claim)) part += sentence(markdown_text(remark)) + "\n";
      }
    }
    if (!part.empty()) out += fmt::format("\n## {} {}\n{}", mark(status), heading(status), part);
  }
  return out;
}

std::string claims_markdown(const RunView& run, const std::vector<ClaimRow>& rows) {
  std::string out = fmt::format("**{}**\n\nOperator {}. {}.\n\n{}", markdown_text(plain_text(run.title)), operators(rows),
                                count_claims(rows), claims_markdown_table(rows));
  for (const auto& row : rows) {
    const auto& e = row.claim.evidence;
    out += fmt::format("\n### {}: {}\n\n{}\n\nVerdict: **{}**. {}\n\n", markdown_text(called(row, rows)), markdown_text(row.claim.title),
                       markdown_text(row.claim.statement), e.status_text(), markdown_text(row.claim.how));
    for (const auto& remark : remarks(row.claim)) out += markdown_text(remark) + "\n\n";
    if (!row.claim.words.tried.empty()) out += "Tried: " + markdown_text(row.claim.words.tried) + "\n\n";
    if (e.checks().empty()) continue;
    out += "| check | of | found | | where |\n|:--|:--|:--|:--|:--|\n";
    for (const auto& check : e.checks()) {
      out += fmt::format("| {} | {} | {} | {} | {} |\n", markdown_text(check.what), markdown_text(part_text(check)),
                         markdown_text(check.comparison()),
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
                       latex_text(row.claim.title), label, latex_text(e.status_text()), evidence);
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
                                                  row.claim.evidence.status_text(), role_text(c.role), c.what, number_cell(c.value),
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

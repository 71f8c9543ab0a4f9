#include <fmt/format.h>

#include <array>

#include "core/report/html_parts.h"

namespace yatlab::html {
namespace {

std::string check_row(const Check& check) {
  const bool judged = check.relation != Relation::kNone;
  const bool passed = check.passed();
  const char* outcome = !judged ? "" : passed ? "<span class=\"pass\">✓ passes</span>" : "<span class=\"fail\">✗ fails</span>";
  return fmt::format("<tr><td class=\"prose\">{}</td><td>{}</td><td class=\"found\">{}</td><td>{}</td><td class=\"prose\">{}</td></tr>\n",
                     text(check.what), text(part_text(check)), text(check.comparison()), outcome, text(check.where));
}

std::string claim_html(const ClaimRow& row, const std::string& name, const std::string& prefix) {
  const auto& e = row.claim.evidence;
  const auto& words = row.claim.words;
  const auto status = e.status();
  const bool holds = status == ClaimStatus::kHolds;
  std::string out = fmt::format(
      "<details class=\"claim {}\" id=\"{}\" data-status=\"{}\">\n<summary>{}<span class=\"claim-title\">{}</span>"
      "<code>{}</code>",
      verdict_class(to_string(status)), prefix + identifier(name), to_string(status), badge(e), text(row.claim.title), text(name));
  if (!holds) {
    // The most useful text first: the right statement, or else the deciding check.
    const std::string first = !words.corrected.empty() ? words.corrected : deciding_evidence(row.claim);
    if (!first.empty()) {
      out += fmt::format("<span class=\"gist\">{}{}</span>", words.corrected.empty() ? "" : "<b>Right:</b> ", text(first));
    }
  }
  out += "</summary>\n<div class=\"claim-body\">\n";
  out += fmt::format("<dl class=\"facts\"><dt>The paper says</dt><dd>{}</dd>\n", text(row.claim.statement));
  if (const auto evidence = deciding_evidence(row.claim); !evidence.empty()) {
    out += fmt::format("<dt>Decided by</dt><dd>{}</dd>\n", text(evidence));
  }
  if (!words.corrected.empty() && !holds) out += fmt::format("<dt>Right statement</dt><dd>{}</dd>\n", text(words.corrected));
  if (!words.counterexample.empty() && !holds) {
    const auto [label, example] = labelled_counterexample(words.counterexample);
    out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", label, text(example));
  }
  if (!words.reading.empty()) out += fmt::format("<dt>Note</dt><dd>{}</dd>\n", text(words.reading));
  if (!words.out_of_reach.empty()) out += fmt::format("<dt>Not settled by numbers</dt><dd>{}</dd>\n", text(words.out_of_reach));
  for (const auto* check : e.failed_corrections()) {
    out += fmt::format("<dt class=\"fail\">Our own correction fails</dt><dd>{}, {}</dd>\n", text(check->what), text(check->comparison()));
  }
  out += fmt::format("<dt>How it was checked</dt><dd>{}</dd>\n", text(row.claim.how));
  if (!words.tried.empty()) out += fmt::format("<dt>Tried</dt><dd>{}</dd>\n", text(words.tried));
  out += "</dl>\n";
  if (!e.checks().empty()) {
    out +=
        "<div class=\"scroll\" role=\"region\" aria-label=\"Checks\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">check</th>"
        "<th scope=\"col\">of the</th><th scope=\"col\">found</th><th scope=\"col\">outcome</th><th "
        "scope=\"col\">where</th></tr></thead>\n<tbody>\n";
    for (const auto& check : e.checks()) out += check_row(check);
    out += "</tbody></table></div>\n";
  }
  return out + "</div>\n</details>\n";
}

}  // namespace

std::string claims(const std::vector<ClaimRow>& rows, const std::string& prefix) {
  std::string out = fmt::format(
      "<p class=\"lead\">{}.</p>\n<div class=\"claim-tools\"><button type=\"button\" class=\"quiet\" "
      "data-open-claims>Open all</button></div>\n<div class=\"claims\">\n",
      text(count_claims(rows)));
  for (const auto& row : rows) out += claim_html(row, called(row, rows), prefix);
  return out + "</div>\n";
}

}  // namespace yatlab::html

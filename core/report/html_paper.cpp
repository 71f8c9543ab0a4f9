#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/figure/latex_text.h"
#include "core/report/html_parts.h"
#include "core/report/verdict_counts.h"

namespace yatlab {
namespace html {
namespace {

// "reproduced, fitted" looks like "reproduced".
std::string plain_class(const std::string& verdict) { return verdict_class(verdict.substr(0, verdict.find(','))); }

std::string score_badge(const Score& score) {
  return fmt::format("<span class=\"badge {}\">{}</span>", plain_class(score.verdict), text(score.verdict));
}

std::string run_link(const Score& score) {
  if (score.run.empty()) return text(score.experiment);
  return fmt::format("<a href=\"#{}\">{}</a>", "part-" + identifier(score.experiment), text(score.experiment));
}

std::string tally(const std::vector<Score>& scores) {
  const auto counts = count_verdicts(scores);
  std::string bar;
  for (const auto& [name, n] : counts.measured.verdicts)
    bar += fmt::format("<span class=\"part {}\" style=\"flex-grow:{}\"></span>", plain_class(name), n);
  return fmt::format("<p class=\"lead\" id=\"verdict\">{}</p>\n<div class=\"tally\" aria-hidden=\"true\">{}</div>\n",
                     text(verdict_counts_text(counts)), bar);
}

/// The paper's own numbers, compared with each other.
std::string itself_table(const std::vector<PaperCheck>& checks) {
  if (checks.empty()) return {};
  std::string out =
      "<div class=\"scroll\" role=\"region\" aria-label=\"The paper against itself\" tabindex=\"0\"><table><thead><tr>"
      "<th scope=\"col\">where</th><th scope=\"col\">the paper says</th><th scope=\"col\">its own numbers</th><th "
      "scope=\"col\">verdict</th>"
      "</tr></thead>\n<tbody>\n";
  for (const auto& c : checks) {
    out += fmt::format("<tr><th scope=\"row\"><code>{}</code></th><td>{}</td><td>{}</td><td>{}</td></tr>\n", text(c.table), text(c.says),
                       text(c.found()), c.agrees() ? "agrees" : "does not agree");
  }
  return out + "</tbody></table></div>\n";
}

std::string scorecard(const std::vector<Score>& scores) {
  std::string rows, swept;
  for (const auto& s : scores) {
    std::string& out = s.swept() ? swept : rows;
    out += fmt::format(
        "<tr data-id=\"{}\"><th scope=\"row\"><code>{}</code></th><td class=\"num\">{}</td><td class=\"num\">{}</td><td "
        "class=\"num\">{}</td>",
        text(s.id), text(s.id), text(s.paper), text(s.measured), text(s.n));
    if (s.swept()) {
      out += fmt::format("<td>{}</td><td class=\"num\">{} of {}</td><td>{}</td></tr>\n", text(s.at), s.giving, s.points, run_link(s));
    } else {
      out += fmt::format("<td>{}</td><td>{}</td><td class=\"prose\">{}</td><td>{}</td></tr>\n", score_badge(s), text(s.dataset),
                         text(s.why), run_link(s));
    }
  }
  const std::string head =
      "<th scope=\"col\">number</th><th scope=\"col\" class=\"num\">paper</th><th scope=\"col\" class=\"num\">{}</th>"
      "<th scope=\"col\" class=\"num\">n</th>";
  std::string out =
      "<div class=\"scroll\" role=\"region\" aria-label=\"Scorecard\" tabindex=\"0\"><table class=\"sortable\" "
      "id=\"scorecard\"><thead><tr>" +
      fmt::format(fmt::runtime(head), "measured") +
      "<th scope=\"col\">verdict</th><th scope=\"col\">data</th><th scope=\"col\">why</th><th "
      "scope=\"col\">experiment</th></tr></thead>\n<tbody>\n" +
      rows + "</tbody></table></div>\n";
  if (!swept.empty()) {
    out +=
        "<h3>Sweeps</h3>\n<p>The same numbers against every point of a sweep. The nearest point was chosen by the paper’s number: it "
        "shows what a protocol can give, and is not a verdict.</p>\n"
        "<div class=\"scroll\" role=\"region\" aria-label=\"Sweeps\" tabindex=\"0\"><table class=\"sortable\"><thead><tr>" +
        fmt::format(fmt::runtime(head), "nearest") +
        "<th scope=\"col\">at</th><th scope=\"col\" class=\"num\">points that give it</th><th "
        "scope=\"col\">experiment</th></tr></thead>\n<tbody>\n" +
        swept + "</tbody></table></div>\n";
  }
  return out;
}

std::string part_html(const fs::path& directory, const PaperPart& part) {
  if (part.run_id.empty()) return "<p>No complete run at full scale yet.</p>\n";
  const std::string folder = fs::relative(part.directory, directory).generic_string() + "/";
  const fs::path page = part.run / "report.html";
  std::string out =
      fmt::format("<p class=\"small\">Run <code>{}/{}</code>, {}, {}. <span class=\"files\"><a href=\"{}summary.json\">summary.json</a>",
                  text(part.name), text(part.run_id), counted(part.jobs, "job", "jobs"), text(part.made_with), link(folder));
  // Runs stay on the machine that made them, but the paper's report travels.
  if (is_there(page)) out += fmt::format(" <a href=\"{}\">the run’s own page</a>", link(fs::relative(page, directory).generic_string()));
  out += "</span></p>\n";
  if (part.recorded) out += "<p class=\"small\">Recorded earlier: this run is not among those that the page was written from.</p>\n";
  if (!part.contents.claims.empty()) out += claims(part.contents.claims, identifier(part.name) + "-");
  for (const auto& t : part.contents.tables) out += table(t, folder + "tables/" + safe_file_name(t.id), identifier(part.name) + "-");
  return out + figures(part.contents.figures, part.directory / "figures", folder + "figures/");
}

}  // namespace
}  // namespace html

std::string paper_page(const fs::path& directory, const std::vector<Score>& scores, const std::vector<PaperCheck>& itself,
                       const std::vector<PaperPart>& parts, const std::vector<std::string>& problems) {
  std::vector<html::Section> sections = {{"numbers", "Scorecard", html::scorecard(scores)},
                                         {"itself", "The paper against itself", html::itself_table(itself)}};
  std::string statements;
  for (const auto& part : parts) {
    if (!part.contents.claims.empty()) {
      statements += fmt::format("<p class=\"lead\"><a href=\"#part-{}\">{}</a>.</p>\n", html::identifier(part.name),
                                html::text(count_claims(part.contents.claims)));
    }
  }
  for (const auto& part : parts) {
    sections.push_back(
        {"part-" + html::identifier(part.name), part.title.empty() ? part.name : plain_text(part.title), html::part_html(directory, part)});
  }
  if (!problems.empty()) {
    std::string items = "<ul class=\"problems\">\n";
    for (const auto& problem : problems) items += "<li>" + html::text(problem) + "</li>\n";
    sections.push_back({"problems", "Not reported", items + "</ul>\n"});
  }
  const std::string head =
      "<header class=\"title\">\n<p class=\"kicker\">Reproduction report</p>\n<h1>The paper, number by number</h1>\n"
      "<p class=\"byline\">From the newest complete full-scale run of each experiment</p>\n</header>\n" +
      html::tally(scores) + statements;
  return html::page("Reproduction report", head, sections, nullptr);
}

}  // namespace yatlab

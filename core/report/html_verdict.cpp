#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/figure/latex_text.h"
#include "core/record/point_index.h"
#include "core/report/html_parts.h"
#include "core/table/protocol.h"
#include "core/table/table_parts.h"

namespace yatlab::html {
namespace {

// Maximum of exceptions listed at the top; the tables contain the others.
constexpr std::size_t kMaxListed = 12;

/// One number of the paper at one sweep point.
struct JudgedNumber {
  const PaperNumber* number;
  Node::Map point;
  Sample sample;
  Judgement judgement;
};

std::vector<JudgedNumber> judged_numbers(const RunView& run, const ReportConfig& config) {
  std::vector<JudgedNumber> out;
  for (const auto& number : config.paper) {
    for (const auto& point : run.points_of(number.arm)) {
      if (!point_matches(number.at, point)) continue;
      out.push_back({&number, point, run.sample(number.arm, point, number.metric), judge_number(run, config, number, point)});
    }
  }
  return out;
}

// "α of ⵟ"
std::string name_of(const ReportConfig& config, const PaperNumber& number) {
  std::string title = config.metric(number.metric).title;
  for (const auto& table : config.tables) {
    if (table.id != number.table) continue;
    for (const auto& column : table.columns) {
      if (column.metric == number.metric && !column.header.empty()) title = column.header;
    }
  }
  return plain_text(config.arm_label(number.arm)) + ", " + plain_text(title);
}

std::string verdict_words(Verdict verdict, std::size_t n) {
  switch (verdict) {
    case Verdict::kReproduced:
      return n == 1 ? "is reproduced" : "are reproduced";
    case Verdict::kConsistent:
      return n == 1 ? "is consistent" : "are consistent";
    case Verdict::kBetter:
      return n == 1 ? "comes out better" : "come out better";
    case Verdict::kWorse:
      return n == 1 ? "comes out worse" : "come out worse";
    case Verdict::kDiffers:
      return n == 1 ? "differs" : "differ";
    case Verdict::kInconclusive:
      return n == 1 ? "is inconclusive" : "are inconclusive";
    case Verdict::kUndertrained:
      return n == 1 ? "is of an undertrained model" : "are of undertrained models";
    case Verdict::kNotComparable:
      break;
  }
  return n == 1 ? "is not comparable" : "are not comparable";
}

std::string plain_numbers(const ReportConfig& config, const std::vector<JudgedNumber>& all) {
  std::map<Verdict, std::size_t> count;
  for (const auto& one : all) ++count[one.judgement.verdict];
  std::vector<std::string> words;
  for (const auto verdict : all_verdicts()) {
    if (count[verdict]) words.push_back(fmt::format("{} {}", count[verdict], verdict_words(verdict, count[verdict])));
  }
  std::string out;
  if (words.size() == 1) {
    const auto verdict = all.front().judgement.verdict;
    const std::string all_of = all.size() == 1   ? "The paper’s one number"
                               : all.size() == 2 ? "Both of the paper’s numbers"
                                                 : fmt::format("All {} of the paper’s numbers", all.size());
    out = fmt::format("{} {}.", all_of, verdict_words(verdict, all.size()));
  } else {
    out = fmt::format("Of the paper’s {} numbers here, {}.", all.size(), join(words, ", "));
  }
  if (std::any_of(all.begin(), all.end(), [](const JudgedNumber& one) { return one.judgement.fitted; }))
    out += fmt::format(" “Reproduced” and “consistent” refer to a fitted protocol: {}.", config.fitted->text);
  out = fmt::format("<p class=\"lead\" id=\"verdict\">{}</p>\n", text(out));
  std::string items;
  std::size_t listed_count = 0, others = 0;
  for (const auto& one : all) {
    if (one.judgement.verdict == Verdict::kReproduced) continue;
    if (++listed_count > kMaxListed) {
      ++others;
      continue;
    }
    const auto format = format_of(config, *one.number);
    items += fmt::format("<li>{} <b>{}</b>: {} against the paper’s {}. <span class=\"because\">{}.</span></li>\n", badge(one.judgement),
                         text(name_of(config, *one.number)), text(measured_text(one.sample, format)),
                         text(printed_text(*one.number, format)), text(one.judgement.why));
  }
  if (others) items += fmt::format("<li>and {} more, in the tables</li>\n", others);
  if (items.empty()) return out;
  return out + "<details class=\"numbers\"><summary>Those not reproduced, and why</summary><ul class=\"exceptions\">\n" + items +
         "</ul></details>\n";
}

// A number of the paper does not belong to one point of a sweep: how many points come near enough to each number.
std::string swept_numbers(const ReportConfig& config, const std::vector<JudgedNumber>& all) {
  struct Count {
    const PaperNumber* number;
    std::size_t points = 0, giving = 0, comparable = 0;
  };
  std::vector<Count> counts;
  for (const auto& one : all) {
    auto found = std::find_if(counts.begin(), counts.end(), [&](const Count& c) { return c.number == one.number; });
    if (found == counts.end()) found = counts.insert(counts.end(), Count{one.number});
    ++found->points;
    found->giving += gives(one.sample, *one.number) && one.judgement.verdict != Verdict::kNotComparable;
    found->comparable += one.judgement.verdict != Verdict::kNotComparable;
  }
  const auto none = std::count_if(counts.begin(), counts.end(), [](const Count& c) { return c.giving == 0; });
  std::string out = fmt::format(
      "<p class=\"lead\" id=\"verdict\">A sweep: each of the paper’s numbers is compared with every point. "
      "{}</p>\n<div class=\"scroll\" role=\"region\" aria-label=\"Numbers over the sweep\" tabindex=\"0\">"
      "<table><thead><tr><th scope=\"col\">number</th><th scope=\"col\" class=\"num\">paper</th>"
      "<th scope=\"col\" class=\"num\">points that give it</th></tr></thead>\n<tbody>\n",
      none == 0 ? "Every number is given by some point, within its tolerance."
                : fmt::format("{} of {} are given by no point, within their tolerance.", none, counts.size()));
  for (const auto& c : counts) {
    const auto format = format_of(config, *c.number);
    out += fmt::format("<tr><th scope=\"row\">{}</th><td class=\"num\">{}</td><td class=\"num\">{}{} of {}</td></tr>\n",
                       text(name_of(config, *c.number)), text(printed_text(*c.number, format)), c.comparable == 0 ? "not comparable: " : "",
                       c.giving, c.points);
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace

std::string verdicts(const RunView& run, const ReportConfig& config, const ReportContents& contents) {
  std::string out;
  if (!contents.claims.empty())
    out += fmt::format("<p class=\"lead\" id=\"claims-verdict\">{}.</p>\n", text(count_claims(contents.claims)));
  const auto all = judged_numbers(run, config);
  if (!all.empty()) {
    const bool swept = std::any_of(all.begin(), all.end(), [&](const JudgedNumber& one) {
      return std::count_if(all.begin(), all.end(), [&](const JudgedNumber& o) { return o.number == one.number; }) > 1;
    });
    out += swept ? swept_numbers(config, all) : plain_numbers(config, all);
  }
  std::string lines;
  std::size_t n = 0;
  for (const auto& table : contents.tables) {
    for (const auto& line : table.comparisons) {
      lines += fmt::format("<li>{}</li>\n", text(plain_text(comparison_text(table, line))));
      ++n;
    }
  }
  // More than a few are left to the tables.
  if (n > 0 && n <= 4)
    out += "<h2 class=\"minor\">Arms against each other, seed by seed</h2>\n<ul class=\"comparisons\">\n" + lines + "</ul>\n";
  return out;
}

std::string warnings(const RunView& run, const ReportConfig& config) {
  std::vector<std::string> items;
  for (const auto& data : run.datasets()) {
    if (data.substituted_for.empty()) continue;
    items.push_back(
        fmt::format("<b>Substitute data.</b> <code>{}</code> is used instead of <code>{}</code>: no number here can be "
                    "compared with {}.",
                    text(data.name), text(data.substituted_for), config.has_paper() ? "the paper’s" : "those of the real data"));
  }
  if (!run.scale.empty()) {
    items.push_back(fmt::format("<b>Reduced scale.</b> The run was made at scale <code>{}</code>, not in full.", text(run.scale)));
  }
  if (!run.protocol_overrides.empty()) {
    std::vector<std::string> all;
    for (const auto& o : run.protocol_overrides) all.push_back("<code>" + text(o) + "</code>");
    std::vector<std::string> changed;
    for (const auto& arm : run.arms) {
      if (!protocol_changes(run, arm).empty()) changed.push_back(text(plain_text(config.arm_label(arm))));
    }
    items.push_back("<b>Changed protocol.</b> The command line set " + join(all, " ") +
                    (changed.size() < run.arms.size() ? ", for " + join(changed, ", ") + " alone." : "."));
  }
  std::map<JobState, std::size_t> states;
  for (const auto& job : run.jobs) ++states[job.state];
  if (states[JobState::kFailed]) {
    items.push_back(
        fmt::format("<b>{} failed.</b> Their values are missing from the tables.", counted(states[JobState::kFailed], "job", "jobs")));
  }
  if (states[JobState::kDiverged]) {
    items.push_back(fmt::format("<b>{} diverged.</b> A result too: named in the tables, without values.",
                                counted(states[JobState::kDiverged], "job", "jobs")));
  }
  if (states[JobState::kPruned]) {
    items.push_back(fmt::format("<b>{} pruned.</b> The search ended their trials early: they would hardly have been the best.",
                                counted(states[JobState::kPruned], "job", "jobs")));
  }
  const auto unfinished =
      static_cast<std::size_t>(std::count_if(run.jobs.begin(), run.jobs.end(), [](const JobView& job) { return !is_over(job.state); }));
  if (unfinished) {
    items.push_back(
        fmt::format("<b>Not finished.</b> {} of {} are still to be done.", unfinished, counted(run.jobs.size(), "job", "jobs")));
  }
  std::string out;
  for (const auto& item : items) out += "<p class=\"warning\" role=\"note\">" + item + "</p>\n";
  return out;
}

}  // namespace yatlab::html

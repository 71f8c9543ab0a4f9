#include "core/report/verdict_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/verdict/verdict.h"

namespace yatlab {
namespace {

/// From the strongest support of the paper to the weakest.
const std::vector<std::string>& by_support() {
  static const std::vector<std::string> all = {"reproduced", "reproduced, fitted", "consistent",   "consistent, fitted",
                                               "better",     "inconclusive",       "undertrained", "differs",
                                               "worse",      "not comparable",     "not run"};
  return all;
}

std::size_t rank_of(const std::string& verdict) {
  const auto& all = by_support();
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), verdict) - all.begin());
}

std::vector<std::string> in_order() {
  std::vector<std::string> out;
  for (const auto verdict : all_verdicts()) {
    Judgement judgement{verdict, {}};
    out.push_back(verdict_name(judgement));
    judgement.fitted = true;
    if (rank_of(verdict_name(judgement)) < by_support().size()) out.push_back(verdict_name(judgement));
  }
  out.push_back("not run");
  return out;
}

VerdictCounts::Part part_of(const std::vector<Score>& scores, bool formulas) {
  VerdictCounts::Part out;
  std::map<std::string, std::string> verdicts;  // by measurement
  for (const auto& score : scores) {
    if (score.swept() || score.formula != formulas) continue;
    ++out.rows;
    const auto [at, first] = verdicts.emplace(score.measurement, score.verdict);
    if (!first && rank_of(score.verdict) > rank_of(at->second)) at->second = score.verdict;
  }
  out.counted = verdicts.size();
  for (const auto& name : in_order()) {
    const auto n = std::count_if(verdicts.begin(), verdicts.end(), [&](const auto& entry) { return entry.second == name; });
    if (n > 0) out.verdicts.emplace_back(name, static_cast<std::size_t>(n));
  }
  return out;
}

std::string part_text(const VerdictCounts::Part& part, const char* one, const char* many) {
  std::vector<std::string> words;
  for (const auto& [name, n] : part.verdicts) words.push_back(counted_verdict(n, name));
  // Names contain commas.
  return fmt::format("{} {} ({} number{}): {}.", part.counted, part.counted == 1 ? one : many, part.rows, part.rows == 1 ? "" : "s",
                     join(words, "; "));
}

}  // namespace

std::string measurement_name(const std::string& id, const std::string& arm, const std::string& metric, const std::string& formula,
                             const std::vector<double>& values) {
  if (!formula.empty()) return formula;
  if (values.empty()) return id;
  std::string out = arm + "\n" + metric;
  for (const double v : values) out += "\n" + format_double(v);
  return out;
}

VerdictCounts count_verdicts(const std::vector<Score>& scores) { return {part_of(scores, false), part_of(scores, true)}; }

std::string verdict_counts_text(const VerdictCounts& counts) {
  std::string out = part_text(counts.measured, "measurement", "measurements");
  if (counts.formulas.counted > 0) out += " " + part_text(counts.formulas, "closed form or count", "closed forms and counts");
  return out;
}

}  // namespace yatlab

#include "core/report/repeat_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/record/run_metric.h"
#include "core/verdict/statistics.h"

namespace yatlab {
namespace {

/// Rounding of other instruction sets stays far below; a change of the mathematics seldom does.
constexpr double kSameDigits = 1e-6;
constexpr double kWithin = 0.99;

bool is_same(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= kSameDigits * std::max(std::abs(a), std::abs(b));
}

/// The largest plausible difference of two draws from the distribution of these values.
std::optional<double> apart(const std::vector<double>& values) {
  const auto s = sample_std(values);
  if (!s) return std::nullopt;
  return *s == 0 ? 0.0 : t_quantile((1 + kWithin) / 2, static_cast<double>(values.size() - 1)) * *s * std::sqrt(2.0);
}

RepeatedNumber number_of(const RunView& recorded, const JobView& before, const std::string& metric, std::optional<double> again) {
  RepeatedNumber out;
  out.job = before.directory;
  out.metric = metric;
  out.recorded = before.metrics.at(metric);
  out.again = again;
  const auto seeds = recorded.sample(before.arm, before.params, metric);
  out.seeds = seeds.values.size();
  out.explained = apart(seeds.values);
  if (!again) {
    out.agreement = Agreement::kBeyond;
  } else if (!is_same(out.recorded, *again)) {
    out.agreement = !out.explained                                      ? Agreement::kUndecided
                    : std::abs(*again - out.recorded) <= *out.explained ? Agreement::kWithinSeeds
                                                                        : Agreement::kBeyond;
  }
  return out;
}

/// Times and speeds, which no run repeats.
std::set<std::string> times_of(const RunView& run) {
  std::set<std::string> out;
  for (const auto& doc : run.docs) {
    const bool per_second = doc.unit.size() > 2 && doc.unit.compare(doc.unit.size() - 2, 2, "/s") == 0;
    if (doc.unit == "s" || doc.unit == "ms" || per_second) out.insert(doc.name);
  }
  return out;
}

void add_job(const RunView& recorded, const JobView& before, const JobView& again, const std::set<std::string>& times, Repetition& out) {
  ++out.jobs;
  if (before.dataset && again.dataset && before.dataset->sha256 != again.dataset->sha256) {
    out.other_data.push_back(before.directory);
    return;
  }
  // If only one diverged, there are no other numbers to compare.
  const bool one_diverged = (before.state == JobState::kDiverged) != (again.state == JobState::kDiverged);
  for (const auto& [metric, value] : before.metrics) {
    if (metric != "run/diverged" && (one_diverged || describes_run(metric) || times.count(metric) > 0)) continue;
    const auto found = again.metrics.find(metric);
    out.numbers.push_back(number_of(recorded, before, metric, found == again.metrics.end() ? std::nullopt : std::optional(found->second)));
  }
}

std::string key_of(const ClaimRow& row) { return fmt::format("{}\n{}\n{}", row.claim.label, row.arm, row.seed); }

/// As a multiple of what seeds explain; infinite if they explain nothing, and for numbers no longer measured.
double distance(const RepeatedNumber& number) {
  if (!number.again) return HUGE_VAL;
  const double difference = std::abs(*number.again - number.recorded);
  if (number.explained && *number.explained > 0) return difference / *number.explained;
  return is_same(number.recorded, *number.again) ? 0 : HUGE_VAL;
}

std::string described(const RepeatedNumber& number) {
  if (!number.again) return fmt::format("recorded {:.6g}, not measured any more", number.recorded);
  const auto both = fmt::format("recorded {:.6g}, now {:.6g}", number.recorded, *number.again);
  switch (number.agreement) {
    case Agreement::kSame:
      return both;
    case Agreement::kUndecided:
      return both + "; one recorded seed tells no spread";
    case Agreement::kWithinSeeds:
    case Agreement::kBeyond:
      break;
  }
  if (*number.explained == 0) return fmt::format("{}; the same for all of {} seeds", both, number.seeds);
  return fmt::format("{}; two of {} seeds lie up to {:.3g} apart", both, number.seeds, *number.explained);
}

const char* word(Agreement agreement) {
  switch (agreement) {
    case Agreement::kSame:
      return "same";
    case Agreement::kWithinSeeds:
      return "within";
    case Agreement::kUndecided:
      return "unknown";
    case Agreement::kBeyond:
      return "BEYOND";
  }
  return "";
}

}  // namespace

std::size_t Repetition::count(Agreement agreement) const {
  return static_cast<std::size_t>(
      std::count_if(numbers.begin(), numbers.end(), [&](const auto& number) { return number.agreement == agreement; }));
}

bool Repetition::disagrees() const {
  return count(Agreement::kBeyond) > 0 || std::any_of(claims.begin(), claims.end(), [](const auto& claim) { return !claim.same(); });
}

bool Repetition::all_same() const {
  return !disagrees() && other_data.empty() && numbers.size() + claims.size() > 0 && count(Agreement::kSame) == numbers.size();
}

Repetition hold_against(const RecordedExperiment& recorded, const RunView& again) {
  Repetition out;
  std::map<std::string, const JobView*> before;
  for (const auto& job : recorded.run.jobs) before[job.directory] = &job;
  const auto times = times_of(again);
  for (const auto& job : again.jobs) {
    const auto found = before.find(job.directory);
    if (found != before.end() && job.finished()) add_job(recorded.run, *found->second, job, times, out);
  }
  std::map<std::string, const ClaimRow*> now;
  const auto rows = checked_claims(again);
  for (const auto& row : rows) now[key_of(row)] = &row;
  for (const auto& row : recorded.claims) {
    const bool planned = std::any_of(again.jobs.begin(), again.jobs.end(), [&](const auto& job) { return job.directory == row.job; });
    if (!planned) continue;
    const auto found = now.find(key_of(row));
    out.claims.push_back(
        {row.claim.label, row.claim.evidence.status_text(), found == now.end() ? "" : found->second->claim.evidence.status_text()});
  }
  return out;
}

std::string agreement_counts(const std::vector<Repetition>& repetitions) {
  const auto in_all = [&](auto&& count) {
    std::size_t out = 0;
    for (const auto& each : repetitions) out += count(each);
    return out;
  };
  const auto numbers = in_all([](const auto& each) { return each.numbers.size(); });
  std::vector<std::string> parts;
  const auto part = [&](Agreement agreement, const char* text) {
    if (const auto n = in_all([&](const auto& each) { return each.count(agreement); }); n > 0)
      parts.push_back(fmt::format("{} {}", n, text));
  };
  part(Agreement::kSame, "the same");
  part(Agreement::kWithinSeeds, "within what seeds explain");
  part(Agreement::kUndecided, "apart, with one recorded seed to judge by");
  part(Agreement::kBeyond, "beyond what seeds explain");
  std::vector<std::string> out;
  if (numbers > 0) out.push_back(fmt::format("{} number{}: {}", numbers, numbers == 1 ? "" : "s", join(parts, ", ")));
  if (const auto claims = in_all([](const auto& each) { return each.claims.size(); }); claims > 0) {
    const auto same = in_all([](const auto& each) {
      return static_cast<std::size_t>(
          std::count_if(each.claims.begin(), each.claims.end(), [](const auto& claim) { return claim.same(); }));
    });
    out.push_back(fmt::format("{} statement{}: {} judged the same", claims, claims == 1 ? "" : "s", same));
  }
  if (const auto other = in_all([](const auto& each) { return each.other_data.size(); }); other > 0)
    out.push_back(fmt::format("{} job{} trained on other data", other, other == 1 ? "" : "s"));
  return out.empty() ? "no numbers to compare" : join(out, "; ");
}

std::string repetition_text(const Repetition& repetition, bool all) {
  std::string out;
  for (const auto& job : repetition.other_data) out += fmt::format("  OTHER    {}: trained on other data than what is recorded\n", job);
  for (const auto& claim : repetition.claims) {
    if (!claim.same()) {
      out += fmt::format("  BEYOND   {}: recorded \"{}\", now {}\n", claim.label, claim.recorded,
                         claim.again.empty() ? "not checked any more" : "\"" + claim.again + "\"");
    } else if (all) {
      out += fmt::format("  same     {}: {}\n", claim.label, claim.recorded);
    }
  }
  auto numbers = repetition.numbers;
  std::stable_sort(numbers.begin(), numbers.end(), [](const auto& a, const auto& b) {
    return a.agreement != b.agreement ? a.agreement > b.agreement : distance(a) > distance(b);
  });
  for (const auto& number : numbers) {
    if (number.agreement == Agreement::kSame && !all) continue;
    out += fmt::format("  {:<8} {} {}: {}\n", word(number.agreement), number.job, number.metric, described(number));
  }
  return out;
}

}  // namespace yatlab

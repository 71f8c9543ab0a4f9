#include "core/report/verdict_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/experiment/paper_file.h"
#include "core/report/html_parts.h"
#include "core/report/verdict_counts.h"
#include "core/table/comparisons.h"
#include "core/table/protocol_directions.h"
#include "core/table/table.h"
#include "core/verdict/evidence.h"
#include "core/verdict/format.h"
#include "core/verdict/statistics.h"
#include "core/verdict/verdict.h"

namespace yatlab {

std::string claim_mark(const std::vector<RowAnswer>& rows, ClaimData data, bool general, bool each) {
  const auto count = [&](RowAnswer answer) { return std::count(rows.begin(), rows.end(), answer); };
  const auto all = static_cast<std::ptrdiff_t>(rows.size());
  if (count(RowAnswer::kOpen) == all) return "?";
  if (count(RowAnswer::kAgrees) == all) return data == ClaimData::kSubstitute ? kInPart : "✓";
  const bool contradicted = count(RowAnswer::kContradicts) > 0 && (each || count(RowAnswer::kAgrees) + count(RowAnswer::kPartly) == 0);
  if (contradicted) return data == ClaimData::kSubstitute && !general ? "?" : "✗";
  return kInPart;
}

namespace {

using SummaryJson = nlohmann::ordered_json;
constexpr std::size_t kSeedsToDiverge = 3;

const std::vector<std::pair<std::string, ClaimData>>& kinds_of_data() {
  static const std::vector<std::pair<std::string, ClaimData>> all = {
      {"paper", ClaimData::kPaper}, {"substitute", ClaimData::kSubstitute}, {"mathematics", ClaimData::kMathematics}};
  return all;
}

std::string text_of(const Node& node, const char* key, const std::string& otherwise = "") {
  const Node* found = node.find(key);
  return found ? found->as_string() : otherwise;
}

bool is_true(const Node& row, const char* key) {
  const Node* found = row.find(key);
  return found && found->as_bool();
}

Error row_error(const Node& row, const std::string& what, const std::string& instead) {
  return config_error(what, row.origin().describe(), "the verdict is made only from recorded rows", instead);
}

/// The recorded summaries, each read once.
class Summaries {
 public:
  Summaries(fs::path folder, const std::vector<std::string>& experiments) : folder_(std::move(folder)), experiments_(experiments) {}
  /// Whether this is an experiment of the paper that is not recorded yet.
  bool lacks(const std::string& experiment) const {
    return std::find(experiments_.begin(), experiments_.end(), experiment) != experiments_.end() &&
           !is_there(folder_ / safe_file_name(experiment) / "summary.json");
  }
  const SummaryJson& of(const Node& row, const std::string& experiment) {
    if (const auto known = read_.find(experiment); known != read_.end()) return known->second;
    const fs::path path = folder_ / safe_file_name(experiment) / "summary.json";
    if (!is_there(path)) {
      throw row_error(row, "there is no recorded result of '" + experiment + "', and it is not an experiment of the paper",
                      "give a folder of " + folder_.string() + ", or an experiment in the folder of the paper's file");
    }
    return read_[experiment] = parse_ordered_json(read_json_text(path));
  }

 private:
  fs::path folder_;
  std::vector<std::string> experiments_;
  std::map<std::string, SummaryJson> read_;
};

/// An arm at each of its points, or the arm itself.
std::vector<const SummaryJson*> entries_of(const Node& row, const SummaryJson& summary, const std::string& arm) {
  const auto found = summary.at("arms").find(arm);
  if (found == summary.at("arms").end()) {
    throw row_error(row, "'" + arm + "' is not a recorded arm of '" + text_in(summary, "experiment") + "'",
                    "choose one of the arms in its summary.json");
  }
  std::vector<const SummaryJson*> out;
  const auto points = found->find("points");
  if (points == found->end()) return {&*found};
  for (const auto& point : *points) {
    bool here = true;
    if (const Node* at = row.find("at")) {
      for (const auto& [key, value] : at->as_map()) {
        const auto has = point.at("params").find(key);
        if (has == point.at("params").end()) {
          here = false;
          continue;
        }
        const auto own = from_json(*has);
        here = here && (value.is_list() ? std::count(value.as_list().begin(), value.as_list().end(), own) > 0 : own == value);
      }
    }
    if (here) out.push_back(&point);
  }
  if (out.empty()) throw row_error(row, "'" + arm + "' has no such point", "give under `at` a point that its summary.json lists");
  return out;
}

/// The points of an arm that a row compares: one, or those that it averages over.
std::vector<const SummaryJson*> compared_entries(const Node& row, const SummaryJson& summary, const std::string& arm) {
  const auto all = entries_of(row, summary, arm);
  if (all.size() != 1 && !is_true(row, "average")) throw row_error(row, "'" + arm + "' is a sweep", "give one of its points under `at`");
  return all;
}

using BySeed = std::map<std::int64_t, double>;
BySeed values_of(const Node& row, const SummaryJson& entry, const std::string& metric) {
  BySeed out;
  const auto found = entry.at("metrics").find(metric);
  if (found == entry.at("metrics").end()) {
    if (entry.at("n") == 0) return out;  // all diverged
    throw row_error(row, "'" + metric + "' is not a recorded metric", "choose one of the metrics in summary.json");
  }
  for (std::size_t i = 0; i < found->at("seeds").size(); ++i)
    out[found->at("seeds")[i].get<std::int64_t>()] = found->at("values")[i].get<double>();
  return out;
}

/// Each seed's mean over points; seeds that a point lacks are left out.
BySeed averages_of(const Node& row, const std::vector<const SummaryJson*>& entries, const std::string& metric) {
  auto out = values_of(row, *entries.front(), metric);
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const auto more = values_of(row, *entries[i], metric);
    for (auto seed = out.begin(); seed != out.end();) {
      const auto found = more.find(seed->first);
      if (found == more.end()) {
        seed = out.erase(seed);
      } else {
        seed->second += found->second;
        ++seed;
      }
    }
  }
  for (auto& [seed, value] : out) value /= static_cast<double>(entries.size());
  return out;
}

std::vector<double> listed(const BySeed& values) {
  std::vector<double> out;
  for (const auto& [seed, value] : values) out.push_back(value);
  return out;
}

NumberFormat row_format(const Node& row) {
  const auto name = text_of(row, "format", "number");
  for (const auto& [known, format] : number_formats()) {
    if (known == name) return format;
  }
  throw row_error(row, "'" + name + "' is not a number format", "write number, percent or signed_percent");
}

std::string mean_and_spread(const std::vector<double>& values, NumberFormat format, std::optional<int> digits = {}) {
  if (values.empty()) return "none";
  const auto s = sample_std(values);
  const bool varies = s && *s > 0;
  const int decimals = digits ? *digits : decimals_for(format, {s.value_or(0)}, {mean(values)});
  auto out = format_value(mean(values), format, decimals);
  if (varies) out += " ± " + format_value(*s, is_percent(format) ? NumberFormat::kPercent : NumberFormat::kNumber, decimals);
  return out;
}

/// A paired comparison: recorded in summary.json, or computed from its values.
struct Pair {
  std::string name;
  std::vector<double> arm, baseline;
  PairedTest test;
  std::optional<double> p;  ///< adjusted
  std::optional<Interval> interval;
  bool deterministic = false, lost = false, recorded = false;
  bool other_documents = false;  ///< other documents might say otherwise
  double margin = 0;
  double p_against = 1;   ///< that the margin contradicts the row, adjusted over the claim's rows with a margin
  std::string direction;  ///< as recorded: under a fitted protocol it is judged over all protocols
};

bool same_comparison(const SummaryJson& entry, const Node& row, const std::string& arm, const std::string& baseline) {
  if (row.has("baseline_metric") || entry.value("metric", "") != text_of(row, "metric") || !entry.contains("arms") ||
      entry.contains("baseline_params"))
    return false;
  if (entry["arms"][0] != arm || entry["arms"][1] != baseline) return false;
  const Node* at = row.find("at");
  if (!at) return true;
  const auto params = entry.find("params");
  return params != entry.end() && std::all_of(at->as_map().begin(), at->as_map().end(), [&](const auto& item) {
           const auto has = params->find(item.first);
           return has != params->end() && from_json(*has) == item.second;
         });
}

Pair pair_of(const Node& row, const SummaryJson& summary) {
  Pair out;
  const auto arm = text_of(row, "arm"), baseline = text_of(row, "baseline"), metric = text_of(row, "metric");
  const auto own = compared_entries(row, summary, arm), other = compared_entries(row, summary, baseline);
  const auto a = averages_of(row, own, metric), b = averages_of(row, other, text_of(row, "baseline_metric", metric));
  std::vector<double> left, right;
  for (const auto& [seed, value] : a) {
    if (const auto match = b.find(seed); match != b.end()) left.push_back(value), right.push_back(match->second);
  }
  out.arm = listed(a);
  out.baseline = listed(b);
  out.test = paired_test(left, right);
  const auto diverged = [](const SummaryJson* entry) { return entry->at("diverged") > 0; };
  out.lost = std::any_of(own.begin(), own.end(), diverged) || std::any_of(other.begin(), other.end(), diverged);
  const auto flat = [](const std::vector<double>& v) { return std::all_of(v.begin(), v.end(), [&](double x) { return x == v.front(); }); };
  out.deterministic = !left.empty() && flat(left) && flat(right) && left.size() != 2;
  for (const auto& entry : summary.value("comparisons", SummaryJson::array())) {
    if (!same_comparison(entry, row, arm, baseline)) continue;
    out.recorded = true;
    out.direction = text_in(entry, "direction");
    if (entry.at("p_holm").is_number()) out.p = entry["p_holm"].get<double>();
    // The choice of documents counts as chance, too.
    std::optional<Interval> wide;
    if (const auto documents = entry.find("ci95_documents"); documents != entry.end() && documents->is_array())
      wide = Interval{documents->at(0).get<double>(), documents->at(1).get<double>()};
    out.interval = adjusted_interval(out.test, out.p, wide);
    out.other_documents = wide && (out.interval ? *out.interval : *wide).contains(0);
    break;
  }
  if (!out.recorded && !out.deterministic) out.p = out.test.p;
  return out;
}

/// Of both means, their difference and its `interval`, which is shown beside them.
int pair_decimals(const Node& row, const Pair& pair, const std::optional<Interval>& interval) {
  const auto format = row_format(row);
  const auto spread = [](const std::vector<double>& values) { return sample_std(values).value_or(0); };
  const int decimals =
      decimals_for(format, {spread(pair.arm), spread(pair.baseline), pair.test.std.value_or(0)}, {mean(pair.arm), mean(pair.baseline)});
  return interval ? decimals_beside_zero(format, decimals, *interval) : decimals;
}

/// The arm's mean and the baseline's.
std::string means_text(const Node& row, const Pair& pair, int decimals) {
  const auto format = row_format(row);
  return fmt::format("{} {} : {}{}", text_of(row, "name", text_of(row, "metric")), mean_and_spread(pair.arm, format, decimals),
                     mean_and_spread(pair.baseline, format, decimals), unit(format));
}

/// "+1.2", and with `interval` " [0.4, 2.0]"; `level`: " 90 %".
std::string difference_text(const Node& row, const PairedTest& test, int decimals, const std::optional<Interval>& interval,
                            const char* level = "") {
  const auto format = row_format(row), plain = is_percent(format) ? NumberFormat::kPercent : NumberFormat::kNumber;
  std::string out = format_difference(test.difference, format, decimals);
  if (interval)
    out += fmt::format("{} [{}, {}]", level, format_value(interval->low, plain, decimals), format_value(interval->high, plain, decimals));
  return out;
}

std::string pair_text(const Node& row, const Pair& pair) {
  const int decimals = pair_decimals(row, pair, pair.interval);
  const auto out = means_text(row, pair, decimals);
  if (pair.deterministic || pair.test.n < 2) return out + fmt::format(" (n = {})", pair.test.n);
  return out + fmt::format(" (n = {}; {}{})", pair.test.n, difference_text(row, pair.test, decimals, pair.interval),
                           pair.p ? ", " + format_p(*pair.p) : "");
}

/// "0.023", "0.15 points"; a share of the baseline's mean is rounded to two digits.
std::string margin_text(const Node& row, double margin) {
  const bool percent = is_percent(row_format(row));
  if (row.has("margin_share")) margin = std::stod(fmt::format("{:.2g}", margin));
  return format_exact(margin, percent ? NumberFormat::kPercent : NumberFormat::kNumber) + (percent ? " points" : "");
}

/// " (the tolerance of the table)": where a margin or a range comes from.
std::string because_text(const Node& row) { return row.has("because") ? " (" + text_of(row, "because") + ")" : ""; }

bool says_higher(const Node& row) {
  const auto says = text_of(row, "says");
  if (says != "higher" && says != "lower") throw row_error(row, "'" + says + "' is not a direction", "write says: higher, or lower");
  return says == "higher";
}

FoundRow direction_row(const Node& row, const Pair& pair) {
  FoundRow out;
  out.text = pair_text(row, pair);
  if (pair.direction == "one fitted protocol" || pair.direction == "depends on the protocol") {
    out.answer = pair.direction == "one fitted protocol" ? RowAnswer::kOpen : RowAnswer::kPartly;
    out.text += pair.direction == "one fitted protocol" ? ", under one fitted protocol: not decided" : ", " + pair.direction;
    return out;
  }
  if (row.has("margin") && pair.p_against < kSignificant && !pair.lost) {
    out.answer = RowAnswer::kContradicts;
    out.text += fmt::format(", {} by less than {}", text_of(row, "says"), margin_text(row, pair.margin));
    return out;
  }
  const bool decided = pair.deterministic ? pair.test.difference != 0 : pair.test.n >= kFewestPairs && pair.p && *pair.p < kSignificant;
  if (decided && !pair.lost && !pair.other_documents) {
    out.answer = (pair.test.difference > 0) == says_higher(row) ? RowAnswer::kAgrees : RowAnswer::kContradicts;
  } else {
    out.text += ", not decided";
  }
  return out;
}

/// A weighted sum of arms, as recorded.
FoundRow contrast_row(const Node& row, const SummaryJson& summary) {
  const auto name = text_of(row, "contrast"), metric = text_of(row, "metric");
  for (const auto& entry : summary.value("comparisons", SummaryJson::array())) {
    if (text_in(entry, "contrast") != name || text_in(entry, "metric") != metric) continue;
    PairedTest test;
    test.n = entry.at("n").get<std::size_t>();
    test.difference = entry.at("difference").get<double>();
    const auto& ends = entry.at(entry.contains("ci95_adjusted") ? "ci95_adjusted" : "ci95");
    std::optional<Interval> interval;
    if (ends.is_array()) interval = Interval{ends[0].get<double>(), ends[1].get<double>()};
    const auto format = row_format(row);
    int decimals = decimals_for(format, {entry.at("std").is_number() ? entry["std"].get<double>() : 0}, {test.difference});
    if (interval) decimals = decimals_beside_zero(format, decimals, *interval);
    const bool tested = entry.at("p_holm").is_number(), decided = tested && entry["p_holm"].get<double>() < kSignificant;
    FoundRow out;
    out.text = fmt::format("{} {}{} (n = {}{}){}", text_of(row, "name", name), difference_text(row, test, decimals, interval),
                           is_percent(format) ? " points" : "", test.n, tested ? ", " + format_p(entry["p_holm"].get<double>()) : "",
                           decided ? "" : ", not decided");
    if (decided && row.has("says")) out.answer = (test.difference > 0) == says_higher(row) ? RowAnswer::kAgrees : RowAnswer::kContradicts;
    return out;
  }
  throw row_error(row, "'" + name + "' is not a recorded contrast of '" + metric + "'",
                  "give one that summary.json lists under `comparisons`");
}

/// `says`, else the recorded metric's own direction.
bool higher_is_better(const Node& row, const SummaryJson& summary) {
  if (row.has("says")) return says_higher(row);
  for (const auto& metric : summary.value("metrics", SummaryJson::array())) {
    const auto better = text_in(metric, "better");
    if (text_in(metric, "name") == text_of(row, "metric") && (better == "higher" || better == "lower")) return better == "higher";
  }
  throw row_error(row, "the record does not say whether more or less of '" + text_of(row, "metric") + "' is better",
                  "write says: higher, or lower");
}

/// The sign of the difference that the margin limits: 1 where more is worse.
double margin_sign(const Node& row, const SummaryJson& summary) {
  const auto kind = text_of(row, "kind");
  return kind == "equal" || !(kind == "direction" ? says_higher(row) : higher_is_better(row, summary)) ? 1 : -1;
}

/// `direction` with a margin: the lead is smaller. `no_worse`, `equal`: the difference is larger.
double p_against_margin(const Node& row, const Pair& pair, const SummaryJson& summary) {
  const auto kind = text_of(row, "kind");
  const double sign = margin_sign(row, summary);
  if (kind == "direction") return p_above(pair.test, -pair.margin, sign);
  const double above = p_above(pair.test, pair.margin, sign);
  return std::min(1.0, 2 * (kind == "equal" ? std::min(above, p_above(pair.test, pair.margin, -sign)) : above));
}

/// `no_worse` and `equal`: against a margin, absolute or as a share of the baseline's mean.
FoundRow margin_row(const Node& row, const Pair& pair, const SummaryJson& summary) {
  FoundRow out;
  if (pair.test.n < kFewestPairs || !pair.test.std || pair.lost) {
    out.text = fmt::format("{} (n = {}), not decided", means_text(row, pair, pair_decimals(row, pair, {})), pair.test.n);
    return out;
  }
  const double sign = margin_sign(row, summary), n = static_cast<double>(pair.test.n);
  const bool within = p_above(pair.test, -pair.margin, -sign) < kSignificant &&
                      (text_of(row, "kind") == "no_worse" || p_above(pair.test, -pair.margin, sign) < kSignificant);
  const bool beyond = !within && pair.p_against < kSignificant;
  out.answer = within ? RowAnswer::kAgrees : beyond ? RowAnswer::kContradicts : RowAnswer::kOpen;
  const double half = t_quantile(0.95, n - 1) * *pair.test.std / std::sqrt(n);
  const Interval interval{pair.test.difference - half, pair.test.difference + half};
  const int decimals = pair_decimals(row, pair, interval);
  out.text = fmt::format("{} (n = {}; {}), at most {} {}{}: {}", means_text(row, pair, decimals), pair.test.n,
                         difference_text(row, pair.test, decimals, interval, ", 90 %"), margin_text(row, pair.margin),
                         text_of(row, "kind") == "equal" ? "apart" : "worse", because_text(row),
                         within   ? "yes"
                         : beyond ? "no"
                                  : "not decided");
  return out;
}

FoundRow within_row(const Node& row, const Pair& pair) {
  FoundRow out;
  const auto& range = row.at("range").as_list();
  const Interval range_of_paper{range.at(0).as_double(), range.at(1).as_double()};
  std::vector<double> changes;
  for (std::size_t i = 0; i < pair.test.n && i < pair.arm.size() && i < pair.baseline.size(); ++i)
    changes.push_back(pair.arm[i] / pair.baseline[i] - 1);
  const auto interval = confidence_interval(changes);
  const Interval found = interval ? *interval : Interval{mean(changes), mean(changes)};
  const bool inside = range_of_paper.contains(found.low) && range_of_paper.contains(found.high);
  const bool outside = found.high < range_of_paper.low || found.low > range_of_paper.high;
  if (inside) out.answer = RowAnswer::kAgrees;
  if (outside) out.answer = RowAnswer::kContradicts;
  const auto percent = [](double share) { return format_value(share, NumberFormat::kSignedPercent, 1); };
  const auto limit = [](double share) { return format_exact(share, NumberFormat::kSignedPercent); };
  out.text = fmt::format("{} {}{} % (n = {}), {} {} to {} %{}{}", text_of(row, "name", text_of(row, "metric")), percent(mean(changes)),
                         interval ? fmt::format(" [{}, {}]", percent(found.low), percent(found.high)) : "", changes.size(),
                         outside ? "not in" : "in", limit(range_of_paper.low), limit(range_of_paper.high), because_text(row),
                         inside || outside ? "" : ": not decided");
  return out;
}

RowAnswer by_share(std::size_t give, std::size_t all) {
  const auto found = among_protocols(give, all);
  return found == AmongProtocols::kNearlyAll    ? RowAnswer::kAgrees
         : found == AmongProtocols::kNearlyNone ? RowAnswer::kContradicts
                                                : RowAnswer::kPartly;
}

std::vector<std::string> arms_in(const Node& row) {
  std::vector<std::string> out;
  for (const auto& arm : row.at("arms").as_list()) out.push_back(arm.as_string());
  return out;
}

/// Over a sweep: the number of points where an arm is above the baseline, or gives a number.
FoundRow protocols_row(const Node& row, const SummaryJson& summary) {
  const auto metric = text_of(row, "metric"), name = text_of(row, "name", metric);
  const auto format = row_format(row);
  std::vector<double> values;
  std::size_t give = 0, seeds = 0;
  const auto margin = row.has("margin") ? std::optional(row.at("margin").as_double()) : std::nullopt;
  const auto gives = [&](double v) {
    return std::abs(v - row.at("paper").as_double()) <= (row.has("tolerance") ? row.at("tolerance").as_double() : 0);
  };
  const auto ahead = [&](double v) { return says_higher(row) ? v : -v; };
  for (const auto& arm : arms_in(row)) {
    for (const auto* entry : entries_of(row, summary, arm)) {
      const auto own = listed(values_of(row, *entry, metric));
      if (own.empty()) continue;
      seeds = std::max(seeds, own.size());
      if (row.has("baseline")) {
        for (const auto* other : entries_of(row, summary, text_of(row, "baseline"))) {
          if (entry->contains("params") && other->at("params") != entry->at("params")) continue;
          values.push_back(mean(own) - mean(listed(values_of(row, *other, metric))));
          give += row.has("paper") ? gives(values.back()) : margin ? ahead(values.back()) >= -*margin : ahead(values.back()) > 0;
        }
      } else {
        values.push_back(mean(own));
        give += row.has("above") ? values.back() > row.at("above").as_double() : gives(values.back());
      }
    }
  }
  if (values.empty()) throw row_error(row, "'" + metric + "' has no values in this sweep", "choose a different metric");
  FoundRow out;
  out.answer = by_share(give, values.size());
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const int decimals = row.has("baseline") || !is_percent(format) || std::abs(*high) < 0.01 ? 2 : 1;
  const auto shown = [&](double v) {
    return row.has("baseline") ? format_difference(v, format, decimals) : format_value(v, format, decimals);
  };
  const auto over = text_of(row, "over", "protocols");
  const std::string points = row.has("baseline") && is_percent(format) ? " points" : "";
  std::string what;
  if (row.has("above")) {
    what = "above " + format_exact(row.at("above").as_double(), format) + unit(format);
  } else if (row.has("paper")) {
    what = format_exact(row.at("paper").as_double(), format) + (row.has("baseline") ? points : unit(format));
  } else if (margin) {
    const auto plain = is_percent(format) ? NumberFormat::kPercent : NumberFormat::kNumber;
    what = fmt::format("at most {}{} {}", format_exact(*margin, plain), points, says_higher(row) ? "lower" : "higher");
  } else {
    what = text_of(row, "says");
  }
  out.text = fmt::format("{} {} in {} of {} {}", name, what, give, values.size(), over);
  if (row.has("baseline")) {
    out.text +=
        fmt::format(" ({} seeds each; {} to {}, median {}{})", seeds, shown(*low), shown(*high), shown(percentile(values, 0.5)), points);
  } else {
    out.text += fmt::format(" ({}{})", *low == *high ? shown(*low) : shown(*low) + " to " + shown(*high), unit(format));
  }
  return out;
}

FoundRow divergence_row(const Node& row, const SummaryJson& summary) {
  FoundRow out;
  std::size_t all = 0, none = 0, open = 0;
  const auto entries = entries_of(row, summary, text_of(row, "arm"));
  std::vector<std::string> counts;
  for (const auto* entry : entries) {
    const auto diverged = entry->at("diverged").get<std::size_t>(), ended = entry->at("n").get<std::size_t>() + diverged;
    counts.push_back(fmt::format("{} of {}", diverged, ended));
    const auto params = entry->find("params");
    if (entries.size() > 1 && params != entry->end() && params->size() == 1)
      counts.back() = format_parameter(from_json(params->front())) + ": " + counts.back();
    if (ended < kSeedsToDiverge)
      ++open;
    else if (diverged == ended)
      ++all;
    else if (diverged == 0)
      ++none;
  }
  const auto name = text_of(row, "name", text_of(row, "arm"));
  out.text = entries.size() == 1 ? fmt::format("{} diverges on {} seeds", name, counts.front())
                                 : fmt::format("{} diverges at {} of {} learning rates ({} seeds)", name, entries.size() - none - open,
                                               entries.size(), join(counts, ", "));
  if (open == 0)
    out.answer = all == entries.size() ? RowAnswer::kAgrees : none == entries.size() ? RowAnswer::kContradicts : RowAnswer::kPartly;
  return out;
}

FoundRow numbers_row(const Node& row, const SummaryJson& summary) {
  FoundRow out;
  std::map<std::string, std::size_t> counts;
  std::size_t all = 0;
  bool fitted = false;
  for (const auto& id : row.at("ids").as_list()) {
    bool found = false;
    for (const auto& entry : summary.at("paper")) {
      const auto own = text_in(entry, "id");
      if (own != id.as_string() && own.rfind(id.as_string() + "/", 0) != 0) continue;
      found = true;
      ++all;
      ++counts[text_in(entry, "verdict")];
      fitted = fitted || entry.value("fitted", false);
    }
    if (!found)
      throw row_error(row, "'" + id.as_string() + "' is not a recorded number of the paper",
                      "give an id that summary.json lists under `paper`");
  }
  std::vector<std::string> words;
  for (const char* verdict : {"reproduced", "consistent", "differs", "better", "worse", "inconclusive", "not comparable"}) {
    if (counts[verdict] > 0) words.push_back(counted_verdict(counts[verdict], verdict));
  }
  out.text = fmt::format("of {} {}: {}{}", all, text_of(row, "name", "printed numbers"), join(words, ", "),
                         fitted ? ", under a fitted protocol" : "");
  const auto yes = counts["reproduced"] + counts["consistent"], no = counts["differs"] + counts["better"] + counts["worse"];
  if (yes + no > 0) out.answer = yes == all && !fitted ? RowAnswer::kAgrees : no == all ? RowAnswer::kContradicts : RowAnswer::kPartly;
  return out;
}

/// A number of the paper for each seed.
FoundRow seeds_row(const Node& row, const SummaryJson& summary) {
  const auto format = row_format(row);
  const auto values = listed(averages_of(row, compared_entries(row, summary, text_of(row, "arm")), text_of(row, "metric")));
  const double paper = row.at("paper").as_double(), tolerance = row.at("tolerance").as_double();
  const auto give = std::count_if(values.begin(), values.end(), [&](double v) { return std::abs(v - paper) <= tolerance; });
  FoundRow out;
  if (values.size() >= kFewestPairs) out.answer = by_share(static_cast<std::size_t>(give), values.size());
  const auto shown = [&](double v) { return format_value(v, format, decimals_for(format, {tolerance}, {v})); };
  out.text = fmt::format("{} {}{} in {} of {} seeds", text_of(row, "name", text_of(row, "metric")), format_exact(paper, format),
                         unit(format), give, values.size());
  if (!values.empty()) out.text += fmt::format(" ({} to {})", shown(percentile(values, 0)), shown(percentile(values, 1)));
  return out;
}

/// "1 : 0.2 : 0": the mean of each arm, for display; at_least or at_most decides.
FoundRow value_row(const Node& row, const SummaryJson& summary) {
  FoundRow out;
  const auto format = row_format(row);
  std::vector<std::string> words;
  std::size_t n = 0;
  for (const auto& arm : arms_in(row)) {
    const auto values = listed(averages_of(row, compared_entries(row, summary, arm), text_of(row, "metric")));
    n = std::max(n, values.size());
    words.push_back(row.has("share") ? format_value(mean(values), format, is_percent(format) ? 0 : 2) : mean_and_spread(values, format));
  }
  out.text = fmt::format("{} {}{} (n = {})", text_of(row, "name", text_of(row, "metric")), join(words, " : "), unit(format), n);
  return out;
}

FoundRow statements_row(const Node& row, const SummaryJson& summary) {
  FoundRow out;
  std::map<std::string, std::size_t> counts;
  std::size_t all = 0;
  const auto add = [&](const SummaryJson& claim) {
    const auto status = text_in(claim, "status");
    ++counts[status.find(" parts false") == std::string::npos ? status : to_string(ClaimStatus::kPartlyFalse)];
    ++all;
  };
  const auto& claims = summary.at("claims");
  if (row.has("numbered")) {
    for (const auto& claim : claims) {
      if (claim.value("numbered", false)) add(claim);
    }
  } else {
    for (const auto& label : row.at("labels").as_list()) {
      const auto found =
          std::find_if(claims.begin(), claims.end(), [&](const auto& c) { return text_in(c, "label") == label.as_string(); });
      if (found == claims.end())
        throw row_error(row, "'" + label.as_string() + "' is not a recorded statement", "give a label that 'yatlab list claim' shows");
      add(*found);
    }
  }
  std::vector<std::string> words;
  const std::vector<std::pair<std::string, const char*>> order = {{"holds", "hold"},
                                                                  {"holds with a caveat", "hold with a condition"},
                                                                  {"inexact", "have a wrong constant, rate or formula"},
                                                                  {"partly false", "are false in part"},
                                                                  {"refuted", "are false"},
                                                                  {"not checkable", "cannot be checked"}};
  for (const auto& [status, plural] : order) {
    if (counts[status] > 0) words.push_back(fmt::format("{} {}", counts[status], plural));
  }
  out.text = fmt::format("of {} statement{}: {}", all, all == 1 ? "" : "s", join(words, ", "));
  if (all <= 3 && row.has("labels")) {
    words.clear();
    for (const auto& label : row.at("labels").as_list()) {
      for (const auto& claim : claims) {
        if (text_in(claim, "label") == label.as_string())
          words.push_back(fmt::format("{} {}", label.as_string(), text_in(claim, "status")));
      }
    }
    out.text = join(words, ", ");
  }
  if (counts["holds"] == all)
    out.answer = RowAnswer::kAgrees;
  else if (counts["refuted"] == all)
    out.answer = RowAnswer::kContradicts;
  else if (counts["not checkable"] < all)
    out.answer = RowAnswer::kPartly;
  return out;
}

std::string kind_of(const Node& row) { return text_of(row, "kind"); }
std::string experiment_of(const Node& row) { return text_of(row, "experiment", kind_of(row) == "statements" ? "claims" : ""); }

/// Paired comparisons of the rows that have one. Those in no table are adjusted over those of the claim.
std::vector<Pair> pairs_of(const std::vector<Node>& rows, Summaries& summaries) {
  std::vector<Pair> pairs;
  std::vector<std::size_t> unrecorded, limited;
  std::vector<double> p, p_against;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    pairs.emplace_back();
    if (!rows[i].find("baseline") || kind_of(rows[i]) == "protocols" || summaries.lacks(experiment_of(rows[i]))) continue;
    const auto& summary = summaries.of(rows[i], experiment_of(rows[i]));
    auto& pair = pairs.back() = pair_of(rows[i], summary);
    const Node *margin = rows[i].find("margin"), *share = rows[i].find("margin_share");
    if (margin || share) {
      pair.margin = margin ? margin->as_double() : share->as_double() * std::abs(mean(pair.baseline));
      if (pair.test.n >= kFewestPairs && pair.test.std) limited.push_back(i), p_against.push_back(p_against_margin(rows[i], pair, summary));
    }
    if (!pairs.back().recorded && pairs.back().p && kind_of(rows[i]) == "direction") unrecorded.push_back(i), p.push_back(*pairs.back().p);
  }
  const auto adjusted_against = holm(p_against);
  for (std::size_t i = 0; i < limited.size(); ++i) pairs[limited[i]].p_against = adjusted_against[i];
  const auto adjusted = holm(p);
  for (std::size_t i = 0; i < unrecorded.size(); ++i) {
    auto& pair = pairs[unrecorded[i]];
    pair.p = adjusted[i];
    pair.interval = adjusted_interval(pair.test, pair.p);
  }
  return pairs;
}

FoundRow found_row(const Node& row, const Pair& pair, Summaries& summaries) {
  FoundRow found;
  const auto what = kind_of(row);
  if (what == "missing") {
    found.text = text_of(row, "note");
    return found;
  }
  if (summaries.lacks(experiment_of(row))) {
    found.text = fmt::format("{}: not recorded yet", text_of(row, "name", experiment_of(row)));
    return found;
  }
  const auto& summary = summaries.of(row, experiment_of(row));
  found = what == "direction"   ? direction_row(row, pair)
          : what == "contrast"  ? contrast_row(row, summary)
          : what == "no_worse"  ? margin_row(row, pair, summary)
          : what == "equal"     ? margin_row(row, pair, summary)
          : what == "within"    ? within_row(row, pair)
          : what == "protocols" ? protocols_row(row, summary)
          : what == "diverges"  ? divergence_row(row, summary)
          : what == "numbers"   ? numbers_row(row, summary)
          : what == "seeds"     ? seeds_row(row, summary)
          : what == "value"     ? value_row(row, summary)
          : what == "statements"
              ? statements_row(row, summary)
              : throw row_error(row, "'" + what + "' is not a kind of row", "see docs/results.md, The verdict on a paper");
  if (row.has("note")) found.text += " (" + text_of(row, "note") + ")";
  return found;
}

std::vector<FoundRow> found_rows(const std::vector<Node>& listed, Summaries& summaries) {
  std::vector<Node> rows;
  for (const auto& row : listed) {
    for (auto& single : single_rows(row)) rows.push_back(std::move(single));
  }
  const auto pairs = pairs_of(rows, summaries);
  std::vector<FoundRow> out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto found = found_row(rows[i], pairs[i], summaries);
    found.kind = kind_of(rows[i]);
    found.experiment = experiment_of(rows[i]);
    found.metric = text_of(rows[i], "metric");
    found.name = text_of(rows[i], "name", found.metric);
    found.decides = !is_true(rows[i], "also") && found.kind != "value";
    out.push_back(std::move(found));
  }
  return out;
}

}  // namespace

std::vector<FoundRow> found_answers(const Node& paper, const fs::path& recorded, const std::vector<std::string>& experiments) {
  const Node* const answers = paper.find("answers");
  if (!answers) return {};
  Summaries summaries(recorded, experiments);
  std::map<std::string, std::vector<Node>> by_experiment;  // p-values are adjusted within one
  for (auto row : answers->as_list()) {
    if (kind_of(row) == "direction" && !row.has("says")) row.set("says", "higher");
    by_experiment[experiment_of(row)].push_back(std::move(row));
  }
  std::vector<FoundRow> out;
  for (const auto& [experiment, rows] : by_experiment) {
    auto found = found_rows(rows, summaries);
    std::move(found.begin(), found.end(), std::back_inserter(out));
  }
  return out;
}

std::vector<PaperClaim> judge_claims(const Node& claims, const fs::path& recorded, const std::vector<std::string>& experiments) {
  check_paper_file(claims);
  Summaries summaries(recorded, experiments);
  std::vector<PaperClaim> out;
  for (const auto& node : claims.at("claims").as_list()) {
    PaperClaim claim;
    claim.id = text_of(node, "id");
    claim.says = text_of(node, "says");
    claim.where = text_of(node, "where");
    claim.general = node.has("general");
    const auto data = text_of(node, "data");
    const auto kind = std::find_if(kinds_of_data().begin(), kinds_of_data().end(), [&](const auto& k) { return k.first == data; });
    if (kind == kinds_of_data().end())
      throw row_error(node, "'" + data + "' is not a kind of data", "write paper, substitute or mathematics");
    claim.data = kind->second;
    claim.rows = found_rows(node.at("rows").as_list(), summaries);
    std::vector<RowAnswer> answers;
    for (const auto& row : claim.rows) {
      if (row.decides) answers.push_back(row.answer);
    }
    const bool each = is_true(node, "each");
    claim.mark = claim_mark(answers, claim.data, claim.general, each);
    claim.contradicted_elsewhere = claim.mark == "?" && claim_mark(answers, claim.data, true, each) == "✗";
    out.push_back(std::move(claim));
  }
  return out;
}

std::vector<std::string> found_lines(const std::vector<FoundRow>& rows) {
  constexpr std::ptrdiff_t kMaxRows = 8;
  const auto deciding = std::count_if(rows.begin(), rows.end(), [](const auto& r) { return r.decides; });
  std::vector<std::string> found;
  if (deciding > kMaxRows) {
    const std::pair<RowAnswer, const char*> answers[] = {{RowAnswer::kAgrees, "agree"},
                                                         {RowAnswer::kContradicts, "contradict it"},
                                                         {RowAnswer::kPartly, "agree in part"},
                                                         {RowAnswer::kOpen, "are not decided"}};
    for (const auto& [answer, words] : answers) {
      std::vector<std::string> names;
      for (const auto& row : rows) {
        if (row.decides && row.answer == answer) names.push_back(row.name);
      }
      if (!names.empty()) found.push_back(fmt::format("{} of {} {} ({})", names.size(), deciding, words, join(names, "; ")));
    }
  }
  for (const auto& row : rows) {
    if (deciding <= kMaxRows || !row.decides) found.push_back(row.text);
  }
  return found;
}

std::vector<std::string> found_lines(const PaperClaim& claim) {
  auto lines = found_lines(claim.rows);
  if (claim.contradicted_elsewhere) lines.push_back("contradicted, but on substitute data or a small model");
  return lines;
}

std::string found_cell(const PaperClaim& claim) {
  auto lines = found_lines(claim);
  for (auto& line : lines) line = markdown_text(line);
  return join(lines, "<br>");
}

namespace {

const char* letter_of(ClaimData data) { return data == ClaimData::kPaper ? "P" : data == ClaimData::kSubstitute ? "S" : "M"; }

}  // namespace

std::string claims_table(const std::vector<PaperClaim>& claims) {
  std::string out = "| # | the paper says | what was found | | data |\n|--:|:--|:--|:-:|:-:|\n";
  std::size_t i = 0;
  for (const auto& claim : claims) {
    out += fmt::format("| {} | {} ({}) | {} | {} | {} |\n", ++i, markdown_text(claim.says), markdown_text(claim.where), found_cell(claim),
                       claim.mark, letter_of(claim.data));
  }
  return out;
}

namespace {

/// Our values of a number of the paper.
std::vector<double> values_behind(const SummaryJson& summary, const SummaryJson& number) {
  const auto arm = summary.at("arms").find(text_in(number, "arm"));
  if (arm == summary.at("arms").end()) return {};
  const auto values = [&](const SummaryJson& entry) {
    const auto metric = entry.at("metrics").find(text_in(number, "metric"));
    return metric == entry.at("metrics").end() ? std::vector<double>{} : metric->at("values").get<std::vector<double>>();
  };
  const auto points = arm->find("points");
  if (points == arm->end()) return values(*arm);
  for (const auto& point : *points) {
    if (number.contains("params") && point.at("params") == number["params"]) return values(point);
  }
  return {};
}

/// The recorded numbers of the paper, as a scorecard counts them.
std::vector<Score> recorded_scores(const fs::path& recorded) {
  std::vector<Score> out;
  std::set<std::string> known;
  for (const auto& folder : entries_if_there(recorded)) {
    if (!is_there(folder / "summary.json")) continue;
    const auto summary = parse_ordered_json(read_json_text(folder / "summary.json"));
    std::map<std::string, Score> scores;
    for (const auto& entry : summary.at("paper")) {
      auto& score = scores[text_in(entry, "id")];
      if (!score.id.empty()) {
        ++score.points;
        continue;
      }
      score.id = text_in(entry, "id");
      score.verdict = text_in(entry, "verdict") + (entry.value("fitted", false) ? ", fitted" : "");
      score.formula = entry.contains("formula");
      score.measurement = measurement_name(score.id, text_in(entry, "arm"), text_in(entry, "metric"), text_in(entry, "formula"),
                                           values_behind(summary, entry));
    }
    for (auto& [id, score] : scores) {
      if (known.insert(id).second) out.push_back(std::move(score));
    }
  }
  return out;
}

/// How many of the paper's numbers from training could be compared: the same count as the scorecard's.
std::string coverage(const fs::path& recorded) {
  const auto counts = count_verdicts(recorded_scores(recorded)).measured;
  if (counts.counted == 0) return {};
  std::size_t other = 0, fitted = 0;
  std::vector<std::string> words;
  for (const auto& [verdict, n] : counts.verdicts) {
    if (verdict == to_string(Verdict::kNotComparable)) {
      other = n;
      continue;
    }
    words.push_back(counted_verdict(n, verdict));
    if (verdict.find(", fitted") != std::string::npos) fitted += n;
  }
  const auto compared = counts.counted - other;
  const auto all = fmt::format("{} measurements ({} numbers) in its tables", counts.counted, counts.rows);
  std::string out =
      other == 0
          ? fmt::format("All {} could be compared with the paper's", all)
          : fmt::format("Of the {}, {} could be compared with the paper's; for the other {} there was substitute data or a smaller model",
                        all, compared, other);
  // Names contain commas.
  if (compared > 0) out += (other == 0 ? ": " : fmt::format(". Those {}: ", compared)) + join(words, "; ");
  out += ".";
  if (fitted > 0) out += fmt::format(" Fitted: {} agree under a protocol that was chosen because it gives them.", fitted);
  return out;
}

}  // namespace

std::string claim_counts_text(const std::vector<PaperClaim>& claims) {
  std::map<std::string, std::size_t> marks;
  for (const auto& claim : claims) ++marks[claim.mark];
  const auto verb = [&](const char* mark) { return marks[mark] == 1 ? "holds" : "hold"; };
  auto out = fmt::format("Of {} of the paper {} {} (✓), {} {} in part or under a condition (◐), {} {} not hold (✗), and {} {} open (?)",
                         html::counted(claims.size(), "claim", "claims"), marks["✓"], verb("✓"), marks["◐"], verb("◐"), marks["✗"],
                         marks["✗"] == 1 ? "does" : "do", marks["?"], marks["?"] == 1 ? "is" : "are");
  const auto elsewhere = std::count_if(claims.begin(), claims.end(), [](const auto& claim) { return claim.contradicted_elsewhere; });
  if (elsewhere > 0) out += fmt::format(": {} contradicted, but on substitute data or a small model", elsewhere);
  return out + ".";
}

namespace {

/// The claim that a text of the file names.
std::vector<PaperClaim>::const_iterator claim_named(const std::string& id, const Node& text, const std::vector<PaperClaim>& judged) {
  const auto found = std::find_if(judged.begin(), judged.end(), [&](const auto& claim) { return claim.id == id; });
  if (found == judged.end()) throw row_error(text, "'" + id + "' is not a claim", "write the id of a claim");
  return found;
}

/// `{loss}` becomes the number of the claim `loss` in the table.
std::string with_row_numbers(const Node& text, const std::vector<PaperClaim>& judged) {
  std::string out;
  const auto& written = text.as_string();
  std::size_t at = 0;
  for (auto open = written.find('{'); open != std::string::npos; open = written.find('{', at)) {
    const auto close = written.find('}', open);
    const auto id = written.substr(open + 1, close == std::string::npos ? close : close - open - 1);
    if (close == std::string::npos) throw row_error(text, "'{" + id + "' has no closing brace", "write the id of a claim in braces");
    out += written.substr(at, open - at) + std::to_string(claim_named(id, text, judged) - judged.begin() + 1);
    at = close + 1;
  }
  return out + written.substr(at);
}

/// The sentences of the short answer whose claims have the marks that they were written for.
std::string short_answer(const Node& claims, const std::vector<PaperClaim>& judged) {
  const Node* sentences = claims.find("short");
  std::vector<std::string> out;
  for (const auto& sentence : sentences ? sentences->as_list() : std::vector<Node>{}) {
    bool fits = true;
    for (const auto& [id, mark] : sentence.at("if").as_map()) fits = fits && claim_named(id, mark, judged)->mark == mark.as_string();
    if (fits) out.push_back(with_row_numbers(sentence.at("says"), judged));
  }
  return join(out, " ");
}

struct Paragraph {
  std::string head, text;
};

/// What stands above and below the claims.
struct PageTexts {
  std::string title;
  std::vector<Paragraph> before, after;
};

PageTexts texts_of(const Node& claims, const std::vector<PaperClaim>& judged, const fs::path& recorded) {
  PageTexts out;
  out.title = text_of(claims, "question", text_of(claims, "title", "What the paper claims"));
  if (const auto answer = short_answer(claims, judged); !answer.empty()) out.before.push_back({"Short answer.", answer});
  out.before.push_back({"", claim_counts_text(judged)});
  out.before.push_back(
      {"Data:",
       "P the paper's own data and size, S substitute data or a small model, M mathematics. a : b is an arm and its baseline, mean ± "
       "standard deviation over n seeds; the interval is 95 %, adjusted like the p beside it. What S contradicts is open, unless the "
       "paper claims it of every model."});
  if (const auto covered = coverage(recorded); !covered.empty()) out.after.push_back({"How much of the paper this covers.", covered});
  const Node* after = claims.find("after");
  for (const auto& part : after ? after->as_list() : std::vector<Node>{})
    out.after.push_back({text_of(part, "head"), with_row_numbers(part.at("text"), judged)});
  return out;
}

}  // namespace

std::string verdict_page(const Node& claims, const std::vector<PaperClaim>& judged, const fs::path& recorded) {
  const auto texts = texts_of(claims, judged, recorded);
  const auto paragraph = [](const Paragraph& p) { return (p.head.empty() ? "" : "**" + p.head + "** ") + p.text + "\n"; };
  std::string out = fmt::format("# {}\n\n", texts.title);
  for (const auto& part : texts.before) out += paragraph(part) + "\n";
  out += claims_table(judged);
  for (const auto& part : texts.after) out += "\n" + paragraph(part);
  out +=
      "\nEvery number with its interval, seeds and rule: [SCORECARD.md](SCORECARD.md); the rule of the marks: "
      "[docs/results.md](../../docs/results.md#the-verdict-on-a-paper).\n";
  if (is_there(recorded / "STATEMENTS.md")) out += "Every checked statement, with a counterexample: [STATEMENTS.md](STATEMENTS.md).\n";
  return out;
}

std::string verdict_text(const Node& claims, const std::vector<PaperClaim>& judged, const fs::path& recorded, std::size_t width) {
  const auto texts = texts_of(claims, judged, recorded);
  const auto paragraph = [&](const Paragraph& p) { return wrapped("", p.head.empty() ? p.text : p.head + " " + p.text, width) + "\n"; };
  std::string out = texts.title + "\n\n";
  for (const auto& part : texts.before) out += paragraph(part);
  std::size_t i = 0;
  for (const auto& claim : judged) {
    out += wrapped("  ", fmt::format("{} {} {}  {} ({})", ++i, claim.mark, letter_of(claim.data), claim.says, claim.where), width);
    for (const auto& line : found_lines(claim)) out += wrapped("      ", line, width);
    out += "\n";
  }
  for (const auto& part : texts.after) out += paragraph(part);
  return out + fmt::format("Every number with its interval, seeds and rule: {}\n", (recorded / "SCORECARD.md").string());
}

}  // namespace yatlab

#include "core/table/comparisons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/table/best_points.h"
#include "core/table/protocol_directions.h"
#include "core/table/table.h"
#include "core/table/unmet_requirements.h"
#include "core/verdict/verdict.h"

namespace yatlab {
namespace {

// For a claim that a model diverges: see docs/results.md.
constexpr std::size_t kFewestToDiverge = 5, kFewestToTrain = 3;

/// Jobs of an arm, and its weight.
struct WeightedJobs {
  double weight;
  std::vector<const JobView*> jobs;
};

/// The documents of the arm's job with this seed, if it completed; null without them.
nlohmann::json documents_of(const RunView& run, const WeightedJobs& arm, std::int64_t seed) {
  for (const auto* job : arm.jobs) {
    if (job->seed != seed || job->state != JobState::kCompleted) continue;
    if (auto found = run.artifact(*job, "documents")) return *found;
  }
  return nullptr;
}

/// Turns JSON's placeholder for numbers that are not finite into NaN.
std::vector<double> losses_in(const nlohmann::json& documents) {
  std::vector<double> out;
  for (const auto& loss : documents.at("losses")) out.push_back(loss.is_number() ? loss.get<double>() : std::nan(""));
  return out;
}

/// The difference of the losses per document, over the seeds that all arms have: positive weights against negative ones.
std::optional<DocumentDifference> over_documents(const RunView& run, const std::vector<WeightedJobs>& arms) {
  std::vector<std::vector<double>> above, below;
  std::vector<double> tokens;
  for (const auto* job : arms.front().jobs) {
    std::vector<nlohmann::json> found;
    for (const auto& arm : arms) found.push_back(documents_of(run, arm, job->seed));
    if (std::any_of(found.begin(), found.end(), [](const auto& documents) { return documents.is_null(); })) continue;
    if (tokens.empty()) tokens = found.front().at("tokens").get<std::vector<double>>();
    std::vector<double> more(tokens.size(), 0.0), less(tokens.size(), 0.0);
    bool finite = true;
    for (std::size_t i = 0; i < arms.size(); ++i) {
      if (found[i].at("tokens").get<std::vector<double>>() != tokens) return std::nullopt;  // another text
      const auto losses = losses_in(found[i]);
      finite = finite && std::all_of(losses.begin(), losses.end(), [](double v) { return std::isfinite(v); });
      if (losses.size() != tokens.size()) throw Error(ErrorKind::kInternal, "documents: losses and tokens have different lengths");
      auto& side = arms[i].weight > 0 ? more : less;
      for (std::size_t d = 0; d < losses.size(); ++d) side[d] += std::abs(arms[i].weight) * losses[d];
    }
    if (!finite) continue;
    above.push_back(std::move(more));
    below.push_back(std::move(less));
  }
  return document_difference(above, below, tokens);
}

/// The line's difference over documents; for a recorded run that is not here, from its summary.
std::optional<DocumentDifference> over_documents(const RunView& run, const std::vector<WeightedJobs>& arms, const ComparisonLine& line) {
  if (auto here = over_documents(run, arms)) return here;
  for (const auto& known : run.differences) {
    const bool same = known.metric == line.metric && known.arm == line.arm && known.baseline == line.baseline &&
                      known.contrast == line.contrast.name && same_point(known.point, line.point) &&
                      same_point(known.baseline_point, line.baseline_point);
    // Only if the summary covers the same seeds.
    if (same && std::abs(known.over.difference - line.test.difference) < 1e-9) return known.over;
  }
  return std::nullopt;
}

/// Decides whether an arm diverges as the paper says.
void decide_divergence(ComparisonLine& line) {
  line.why = fmt::format("{} of {} seed{} diverged", line.diverged, line.ended, line.ended == 1 ? "" : "s");
  if (line.ended >= kFewestToDiverge && line.diverged == line.ended) {
    line.verdict = direction::kDiverges;
  } else if (line.ended >= kFewestToTrain && line.diverged == 0) {
    line.verdict = direction::kDoesNotDiverge;
  } else {
    line.verdict = direction::kDivergenceUndecided;
  }
}

/// Whether all seeds give the same value, as in deterministic solvers: a test would take that for certainty.
bool without_spread(const std::vector<double>& values) {
  return values.size() >= kFewestPairs && std::all_of(values.begin(), values.end(), [&](double v) { return v == values.front(); });
}

/// For each seed that all arms of the contrast have.
std::vector<double> weighted_sums(const Contrast& contrast, const std::vector<Sample>& samples) {
  std::vector<double> out;
  for (const auto seed : samples.front().seeds) {
    double sum = 0;
    bool all = true;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const auto at = std::find(samples[i].seeds.begin(), samples[i].seeds.end(), seed);
      all = all && at != samples[i].seeds.end();
      if (all) sum += contrast.weights[i].second * samples[i].values[static_cast<std::size_t>(at - samples[i].seeds.begin())];
    }
    if (all) out.push_back(sum);
  }
  return out;
}

/// See ComparisonLine::data.
const char* data_of(const RunView& run, const ReportConfig& config, const TableSpec& spec, const std::string& arm, const Node::Map& point) {
  const Node* own = spec.paper.is_map() ? spec.paper.find("dataset") : nullptr;
  const auto papers = own && own->is_string() ? own->as_string() : config.paper_dataset;
  for (const JobView* job : run.jobs_of(arm, point)) {
    if (!job->dataset) continue;
    if (!job->dataset->substituted_for.empty() || (!papers.empty() && job->dataset->name != papers)) return compared_on::kSubstitute;
  }
  return run.scale.empty() ? compared_on::kPaper : compared_on::kSmaller;
}

/// Whether a test decides a statement of the paper.
bool is_claim(const ComparisonLine& line) {
  return line.paper.kind == PaperExpectation::Kind::kLower || line.paper.kind == PaperExpectation::Kind::kHigher;
}

/// Equal for a comparison and its mirror image, in any table.
std::string comparison_key(const ComparisonLine& line) {
  const auto& other_point = line.baseline_point.empty() ? line.point : line.baseline_point;
  std::string a = line.arm + "\n" + point_label(line.point), b = line.baseline + "\n" + point_label(other_point);
  if (b < a) std::swap(a, b);
  std::string out = line.metric + "\n" + line.contrast.name;
  // In tables of best points the values differ.
  return out + "\n" + a + "\n" + b + "\n" + format_double(std::abs(line.test.difference)) + "\n" + std::to_string(line.test.n);
}

/// Holm's adjustment in one family: first over the comparisons from the file, then over all of them for arms that the command line added. An added
/// arm thus leaves the other results unchanged.
void adjust_family(const std::vector<ComparisonLine*>& lines) {
  std::vector<double> own, all;
  for (const auto* line : lines) {
    all.push_back(*line->test.p);
    if (!line->added) own.push_back(*line->test.p);
  }
  const auto of_own = holm(own), of_all = holm(all);
  std::size_t tested = 0, tested_own = 0;
  for (auto* line : lines) {
    line->p_adjusted = line->added ? of_all[tested] : of_own[tested_own++];
    ++tested;
  }
}

/// A comparison within its family: its table, and its adjusted p there.
struct FamilyEntry {
  char family = 'B';
  std::string table;
  std::optional<double> p_adjusted;
};

/// Assigns the comparisons of all tables to families (docs/results.md, Families), and adjusts each family.
std::map<std::string, FamilyEntry> assign_families(std::vector<std::pair<std::string, std::vector<ComparisonLine>>>& tables,
                                                   const std::vector<std::string>& added) {
  const auto is_added = [&](const std::string& arm) { return std::find(added.begin(), added.end(), arm) != added.end(); };
  std::map<std::string, FamilyEntry> out;
  for (const bool claims : {true, false}) {
    for (auto& [table, lines] : tables) {
      std::vector<ComparisonLine*> family;
      for (auto& line : lines) {
        line.added = is_added(line.arm) || is_added(line.baseline);
        if (claims && !is_claim(line)) continue;
        if (!out.emplace(comparison_key(line), FamilyEntry{claims ? 'A' : 'B', table, {}}).second) continue;
        if (!line.deterministic && line.test.p) family.push_back(&line);
      }
      adjust_family(family);
      for (const auto* line : family) out[comparison_key(*line)].p_adjusted = line->p_adjusted;
    }
  }
  return out;
}

/// Requires the line's adjusted p and interval.
void decide_direction(ComparisonLine& line) {
  bool decided =
      line.deterministic ? line.test.difference != 0 : line.test.n >= kFewestPairs && line.p_adjusted && *line.p_adjusted < kSignificant;
  if (line.documents && (line.adjusted ? *line.adjusted : line.documents->ci95).contains(0)) {
    if (decided) line.why = "other documents might say otherwise";
    decided = false;
  }
  if (!decided || !line.not_finite.empty()) {
    line.verdict = direction::kUndecided;
  } else {
    line.verdict =
        (line.test.difference > 0) == (line.paper.kind == PaperExpectation::Kind::kHigher) ? direction::kSame : direction::kOpposite;
  }
}

/// Requires the line's change.
void decide_change(ComparisonLine& line, const std::vector<double>& changes) {
  VerdictInput in;
  in.paper = line.paper.change;
  for (const double change : changes) {
    if (std::isfinite(change)) in.values.push_back(change);
  }
  in.not_finite = changes.size() - in.values.size();
  for (const auto& [arm, sample] : line.not_finite) in.not_finite += sample.not_finite.size();
  in.deterministic = line.deterministic && !line.without_spread;
  in.format = "signed_percent";
  const auto judgement = judge(in);
  line.verdict = verdict_name(judgement);
  line.why = judgement.why;
}

}  // namespace

namespace {

/// A table's comparisons, before any adjustment. `changes`: for each line, arm / baseline - 1 by seed.
std::vector<ComparisonLine> compared(const RunView& run, const ReportConfig& config, const TableSpec& spec,
                                     std::vector<std::vector<double>>& changes) {
  std::vector<ComparisonLine> out;
  if (!spec.compare) return out;
  std::optional<BestPoints> best;
  if (spec.rows == TableSpec::Rows::kBest) best.emplace(run, config, spec);
  const auto& baseline = spec.compare->baseline;
  std::set<std::string> seen;
  const auto add = [&](const std::string& metric, const std::string& arm, const Node::Map& at, const Node::Map& baseline_at) {
    // Each arm at its own point; two arms without swept parameters are compared only once.
    const auto point = run.point_of(arm, at).value_or(at), baseline_point = run.point_of(baseline, baseline_at).value_or(baseline_at);
    if (!seen.insert(metric + "\n" + arm + "\n" + point_label(point) + "\n" + point_label(baseline_point)).second) return;
    const auto own = best ? best->sample(arm, metric) : run.sample(arm, point, metric);
    const auto other = best ? best->sample(baseline, metric) : run.sample(baseline, baseline_point, metric);
    const auto [a, b] = paired(own, other);
    const auto expected = spec.compare->expectation(arm, metric);
    std::vector<std::pair<std::string, Sample>> not_finite;
    if (!own.not_finite.empty()) not_finite.emplace_back(arm, own);
    if (!other.not_finite.empty()) not_finite.emplace_back(baseline, other);
    if (a.empty() && not_finite.empty() && expected.kind != PaperExpectation::Kind::kDiverges) return;
    const auto info = config.metric(metric);
    ComparisonLine line;
    line.metric = metric;
    line.arm = arm;
    line.baseline = baseline;
    line.point = point;
    line.test = paired_test(a, b);
    line.paper = expected;
    line.data = data_of(run, config, spec, arm, point);
    line.without_spread = !info.deterministic && !info.share && without_spread(a) && without_spread(b);
    line.deterministic = info.deterministic || line.without_spread;
    line.not_finite = std::move(not_finite);
    line.diverged = own.diverged + own.not_finite.size();
    line.ended = line.diverged + run.sample(arm, point, metric).values.size();
    if (!same_point(point, baseline_point)) line.baseline_point = baseline_point;
    if (metric == "documents/loss") {
      line.documents = over_documents(run, {{1, run.jobs_of(arm, point)}, {-1, run.jobs_of(baseline, baseline_point)}}, line);
    }
    std::vector<double> relative;
    for (std::size_t i = 0; i < a.size(); ++i) relative.push_back(a[i] / b[i] - 1);
    if (expected.kind == PaperExpectation::Kind::kChange &&
        std::all_of(relative.begin(), relative.end(), [](double v) { return std::isfinite(v); }))
      line.change = paired_test(relative, std::vector<double>(relative.size(), 0.0));
    auto requirements = info.requirements;
    requirements.insert(requirements.end(), spec.compare->requirements.begin(), spec.compare->requirements.end());
    // A diverged model has learnt nothing, so conditions do not apply.
    if (expected.anything() && expected.kind != PaperExpectation::Kind::kDiverges) {
      auto unmet = unmet_by(run, config, requirements, arm, point);
      if (!unmet) unmet = unmet_by(run, config, requirements, baseline, baseline_point);
      if (unmet) {
        line.verdict = unmet->otherwise == Requirement::Else::kUndertrained ? direction::kUndertrained : direction::kUndecided;
        line.why = unmet->why;
      }
    }
    out.push_back(std::move(line));
    changes.push_back(std::move(relative));
  };
  const auto add_contrast = [&](const std::string& metric, const Contrast& contrast, const Node::Map& at) {
    ComparisonLine line;
    line.metric = metric;
    line.contrast = contrast;
    std::vector<Sample> samples;
    std::vector<WeightedJobs> jobs;
    std::set<std::string> parameters;  // that some arm has
    std::string key = metric + "\n" + contrast.name;
    for (const auto& [arm, weight] : contrast.weights) {
      const auto point = run.point_of(arm, at).value_or(at);
      samples.push_back(best ? best->sample(arm, metric) : run.sample(arm, point, metric));
      if (!best) jobs.push_back({weight, run.jobs_of(arm, point)});
      for (const auto& [parameter, value] : point) parameters.insert(parameter);
      key += "\n" + point_label(point);
    }
    if (!seen.insert(key).second) return;
    for (const auto& [parameter, value] : at) {
      if (parameters.count(parameter) > 0) line.point.emplace_back(parameter, value);
    }
    const auto values = weighted_sums(contrast, samples);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (!samples[i].not_finite.empty()) line.not_finite.emplace_back(contrast.weights[i].first, samples[i]);
    }
    if (values.empty() && line.not_finite.empty()) return;
    const auto info = config.metric(metric);
    line.test = paired_test(values, std::vector<double>(values.size(), 0.0));
    line.without_spread = !info.deterministic && !info.share &&
                          std::all_of(samples.begin(), samples.end(), [](const Sample& s) { return without_spread(s.values); });
    line.deterministic = info.deterministic || line.without_spread;
    if (metric == "documents/loss" && !best) line.documents = over_documents(run, jobs, line);
    out.push_back(std::move(line));
    changes.emplace_back();
  };
  const auto each_arm = [&](const auto& call) {
    if (baseline.empty()) return;
    for (const auto& arm : arms_of(run, spec)) {
      if (arm != baseline) call(arm);
    }
  };
  if (best) {
    const auto beside = baseline.empty() ? std::nullopt : best->of(baseline);
    for (const auto& metric : spec.compare->metrics) {
      each_arm([&](const std::string& arm) {
        const auto point = best->of(arm);
        if (point && beside) add(metric, arm, *point, *beside);
      });
      for (const auto& contrast : spec.compare->contrasts) add_contrast(metric, contrast, {});
    }
  } else {
    for (const auto& point : run.points_at(spec.at)) {
      for (const auto& metric : spec.compare->metrics) {
        each_arm([&](const std::string& arm) { add(metric, arm, point, point); });
        for (const auto& contrast : spec.compare->contrasts) add_contrast(metric, contrast, point);
      }
    }
  }
  return out;
}

}  // namespace

std::optional<Interval> adjusted_interval(const PairedTest& test, const std::optional<double>& p_adjusted,
                                          const std::optional<Interval>& documents) {
  if (documents && p_adjusted && test.std && *test.std == 0) return documents;
  if (!test.p || !p_adjusted || !test.std || *test.std == 0 || test.n < 2) return std::nullopt;
  const double alpha = *p_adjusted > 0 ? kSignificant * *test.p / *p_adjusted : kSignificant;
  double half = t_quantile(1 - alpha / 2, static_cast<double>(test.n) - 1) * *test.std / std::sqrt(static_cast<double>(test.n));
  if (documents) half *= std::max(1.0, documents->width() / test.ci95->width());
  return Interval{test.difference - half, test.difference + half};
}

std::vector<ComparisonLine> compare_arms(const RunView& run, const ReportConfig& config, const TableSpec& spec) {
  if (!spec.compare) return {};
  std::vector<std::pair<std::string, std::vector<ComparisonLine>>> tables;
  std::vector<std::vector<double>> changes, others;
  std::optional<std::size_t> here;
  for (const auto& table : config.tables) {
    if (!table.compare) continue;
    if (table.id == spec.id) here = tables.size();
    tables.emplace_back(table.id, table.id == spec.id ? compared(run, config, spec, changes) : compared(run, config, table, others));
  }
  if (!here) {  // a table that is not in the experiment's file
    here = tables.size();
    tables.emplace_back(spec.id, compared(run, config, spec, changes));
  }
  const auto family_of = assign_families(tables, run.added_arms);
  auto out = std::move(tables[*here].second);
  for (std::size_t i = 0; i < out.size(); ++i) {
    auto& line = out[i];
    const auto& entry = family_of.at(comparison_key(line));
    line.family = entry.family;
    line.family_table = entry.table;
    line.p_adjusted = entry.p_adjusted;
    line.adjusted = adjusted_interval(line.test, line.p_adjusted, line.documents ? std::optional(line.documents->ci95) : std::nullopt);
    if (!line.paper.anything()) continue;
    if (!line.verdict.empty()) {
      // An unmet condition has decided.
    } else if (line.paper.kind == PaperExpectation::Kind::kDiverges) {
      decide_divergence(line);
    } else if (line.paper.kind == PaperExpectation::Kind::kChange) {
      decide_change(line, changes[i]);
    } else {
      decide_direction(line);
    }
    if (config.fitted) judge_over_protocols(line, *config.fitted, run.protocols.get());
  }
  return out;
}

}  // namespace yatlab

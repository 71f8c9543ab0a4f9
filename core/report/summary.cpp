#include "core/report/summary.h"
#include "core/record/point_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "core/base/json_text.h"
#include "core/report/claims_report.h"
#include "core/table/table.h"
#include "core/verdict/metric_docs.h"

namespace yatlab {
namespace {

using Json = nlohmann::ordered_json;

Json finite_or_null(double v) { return std::isfinite(v) ? Json(v) : Json(); }
Json finite_or_null(const std::optional<double>& v) { return v ? finite_or_null(*v) : Json(); }
Json interval(const std::optional<Interval>& i) { return i ? Json::array({finite_or_null(i->low), finite_or_null(i->high)}) : Json(); }
// A number, or the ends of a range.
Json paper_json(const Interval& paper) { return paper.width() == 0 ? Json(paper.low) : Json::array({paper.low, paper.high}); }
Json point_json(const Node::Map& point) {
  Json out = Json::object();
  for (const auto& [key, value] : point) out[key] = to_json(value);
  return out;
}

Json dataset_json(const DatasetUse& data) {
  return Json{{"name", data.name},
              {"sha256", data.sha256.empty() ? Json() : Json(data.sha256)},
              {"tier", data.tier.empty() ? Json() : Json(data.tier)},
              {"substituted_for", data.substituted_for.empty() ? Json() : Json(data.substituted_for)}};
}

// One arm at one point.
Json arm_json(const RunView& run, const ReportConfig& config, const std::string& arm, const Node::Map& point) {
  const auto jobs = run.jobs_of(arm, point);
  std::size_t n = 0, failed = 0, diverged = 0, unfinished = 0;
  std::set<std::string> metrics;
  Json ids = Json::array();
  for (const JobView* job : jobs) {
    n += job->state == JobState::kCompleted;
    failed += job->state == JobState::kFailed;
    diverged += job->state == JobState::kDiverged;
    unfinished += !is_over(job->state);
    ids.push_back(job->directory);
    if (job->state != JobState::kCompleted) continue;
    for (const auto& entry : job->metrics) metrics.insert(entry.first);
  }
  Json out = {{"n", n}, {"failed", failed}, {"diverged", diverged}, {"unfinished", unfinished}};
  out["metrics"] = Json::object();
  for (const auto& metric : metrics) {
    const auto sample = run.sample(arm, point, metric);
    out["metrics"][metric] = Json{{"mean", finite_or_null(mean(sample.values))},
                                  {"std", finite_or_null(sample_std(sample.values))},
                                  {"ci95", interval(reported_interval(sample.values, config.metric(metric).share))},
                                  {"values", sample.values},
                                  {"seeds", sample.seeds}};
    if (!sample.not_finite.empty()) out["metrics"][metric]["not_finite"] = sample.not_finite;
  }
  out["jobs"] = std::move(ids);
  if (const auto all = run.datasets(); all.size() > 1) {  // which of the summary's data sets these jobs used, by index
    Json used = Json::array();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (std::any_of(jobs.begin(), jobs.end(), [&](const JobView* job) { return job->dataset && *job->dataset == all[i]; }))
        used.push_back(i);
    }
    out["datasets"] = std::move(used);
  }
  Json changed = Json::array();
  for (const JobView* job : jobs) {
    for (const auto& text : job->changed_by) {
      if (std::find(changed.begin(), changed.end(), text) == changed.end()) changed.push_back(text);
    }
  }
  if (!changed.empty()) out["protocol_overrides"] = std::move(changed);
  return out;
}

/// Adds the entries of `before` about other subjects.
void keep_others(Json& now, const Json& before) {
  std::set<std::string> subjects;
  for (const auto& entry : now) subjects.insert(subject_of(entry));
  for (const auto& entry : before) {
    if (subjects.count(subject_of(entry)) == 0) now.push_back(entry);
  }
}

}  // namespace

std::string subject_of(const Json& entry) {
  std::string out;
  for (const char* key : {"id", "metric", "arm", "arms", "contrast", "params", "baseline_params"}) {
    if (entry.contains(key)) out += dump_json_replacing(entry.at(key)) + "\n";
  }
  return out;
}

Json build_summary(const RunView& run, const ReportConfig& config) {
  const auto points = run.points();
  const bool swept = !(points.size() == 1 && points.front().empty());
  Json out;
  out["schema"] = 1;
  out["experiment"] = run.experiment;
  out["run_id"] = run.run_id;
  out["title"] = config.title;
  out["status"] = run.status();
  if (run.made) out["made"] = made_with_json(*run.made);
  out["scale"] = run.scale.empty() ? Json() : Json(run.scale);
  out["protocol_overrides"] = run.protocol_overrides;
  if (!run.added_arms.empty()) out["added_arms"] = run.added_arms;
  const auto datasets = run.datasets();
  out["dataset"] = datasets.empty() ? Json() : dataset_json(datasets.front());
  if (datasets.size() > 1) {
    out["datasets"] = Json::array();
    for (const auto& data : datasets) out["datasets"].push_back(dataset_json(data));
  }
  for (const auto& data : run.other_datasets()) out["other_datasets"].push_back(dataset_json(data));
  out["swept"] = run.swept;
  if (!run.docs.empty()) out["metrics"] = metric_docs_json(run.docs);
  out["arms"] = Json::object();
  for (const auto& arm : run.arms) {
    if (!swept) {
      out["arms"][arm] = arm_json(run, config, arm, points.front());
      continue;
    }
    Json list = Json::array();
    Json total = {{"n", 0}, {"failed", 0}, {"diverged", 0}, {"unfinished", 0}};
    for (const auto& point : run.points_of(arm)) {
      Json entry = {{"params", point_json(point)}};
      entry.update(arm_json(run, config, arm, point));
      for (const char* key : {"n", "failed", "diverged", "unfinished"}) {
        total[key] = total[key].get<int>() + entry[key].get<int>();
      }
      list.push_back(std::move(entry));
    }
    total["points"] = std::move(list);
    out["arms"][arm] = std::move(total);
  }
  out["comparisons"] = Json::array();
  std::set<std::string> seen;
  for (const auto& table : config.tables) {
    for (const auto& line : compare_arms(run, config, table)) {
      const std::string key = line.metric + "\n" + line.contrast.name + "\n" + line.arm + "\n" + line.baseline + "\n" +
                              point_label(line.point) + "\n" + point_label(line.baseline_point);
      if (!seen.insert(key).second) continue;  // two tables may contain the same
      Json entry = {{"metric", line.metric}};
      if (line.contrast.name.empty()) {
        entry["arms"] = {line.arm, line.baseline};
      } else {
        entry["contrast"] = line.contrast.name;
        for (const auto& [arm, weight] : line.contrast.weights) entry["weights"][arm] = weight;
      }
      if (swept) entry["params"] = point_json(line.point);
      if (!line.baseline_point.empty()) entry["baseline_params"] = point_json(line.baseline_point);
      entry["n"] = line.test.n;
      entry["difference"] = finite_or_null(line.test.difference);
      entry["std"] = finite_or_null(line.test.std);
      entry["ci95"] = line.deterministic ? Json() : interval(line.test.ci95);
      if (line.documents) {
        entry["documents"] = line.documents->documents;
        entry["ci95_documents"] = interval(line.documents->ci95);
      }
      entry["p"] = line.deterministic ? Json() : finite_or_null(line.test.p);
      entry["p_sign_flip"] = line.deterministic ? Json() : finite_or_null(line.test.p_sign_flip);
      entry["p_holm"] = finite_or_null(line.p_adjusted);
      entry["ci95_adjusted"] = line.deterministic ? Json() : interval(line.adjusted);
      entry["family"] = std::string(1, line.family);
      entry["family_table"] = line.family_table;
      for (const auto& [arm, sample] : line.not_finite) entry["not_finite"][arm] = sample.not_finite;
      if (line.paper.anything()) {
        entry["paper"] = line.paper.kind == PaperExpectation::Kind::kLower      ? Json("lower")
                         : line.paper.kind == PaperExpectation::Kind::kHigher   ? Json("higher")
                         : line.paper.kind == PaperExpectation::Kind::kDiverges ? Json("diverges")
                                                                                : paper_json(line.paper.change);
        if (line.change) entry["change"] = finite_or_null(line.change->difference);
        entry["direction"] = line.verdict;
        if (!line.why.empty()) entry["why"] = line.why;
        entry["data"] = line.data;
      }
      out["comparisons"].push_back(std::move(entry));
    }
  }
  out["paper"] = Json::array();
  for (const auto& paper : config.paper) {
    for (const auto& point : run.points_of(paper.arm)) {
      if (!point_matches(paper.at, point)) continue;
      const auto sample = run.sample(paper.arm, point, paper.metric);
      const auto judgement = judge_number(run, config, paper, point);
      Json entry = {{"id", paper.id}, {"arm", paper.arm}, {"metric", paper.metric}};
      if (swept) entry["params"] = point_json(point);
      if (const auto formula = config.metric(paper.metric).formula; !formula.empty()) entry["formula"] = formula;
      entry["paper"] = paper_json(paper.value);
      if (paper.sample) {
        entry["paper_std"] = paper.sample->summary.std;
        entry["paper_n"] = paper.sample->summary.n;
      }
      entry["tolerance"] = paper.tolerance;
      entry["measured"] = finite_or_null(mean(sample.values));
      entry["std"] = finite_or_null(sample_std(sample.values));
      entry["n"] = sample.values.size();
      if (!sample.not_finite.empty()) entry["not_finite"] = sample.not_finite;
      entry["verdict"] = to_string(judgement.verdict);
      if (judgement.fitted) entry["fitted"] = true;
      entry["why"] = judgement.why;
      out["paper"].push_back(std::move(entry));
    }
  }
  if (const auto claims = checked_claims(run); !claims.empty()) out["claims"] = claims_json(claims);
  return out;
}

std::string summary_text(const nlohmann::ordered_json& summary) {
  // External text may not be UTF-8; a report must not fail because of it.
  const auto text = dump_json_replacing(summary, 2) + "\n";
  static constexpr std::string_view kInLists = "0123456789+-.eE, \n";
  std::string out;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (quoted && text[i] == '\\')
      out += text[++i];
    else if (text[i] == '"')
      quoted = !quoted;
    if (quoted || text[i] != '[') continue;
    const auto end = text.find_first_not_of(kInLists, i + 1);
    if (end == std::string::npos || text[end] != ']') continue;
    for (++i; i < end; ++i) {
      if (text[i] == ',')
        out += ", ";
      else if (text[i] != ' ' && text[i] != '\n')
        out += text[i];
    }
    out += ']';
  }
  return out;
}

std::string summary_text(const RunView& run, const ReportConfig& config) { return summary_text(build_summary(run, config)); }

void renew_summary(const fs::path& path, const RunView& run, const ReportConfig& config) {
  auto summary = parse_ordered_json(read_json_text(path));
  auto now = build_summary(run, config);
  for (const char* list : {"comparisons", "paper"}) {
    keep_others(now[list], summary[list]);
    summary[list] = std::move(now[list]);
  }
  write_file_atomic(path, summary_text(summary));
}

}  // namespace yatlab

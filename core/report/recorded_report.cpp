#include "core/report/recorded_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/record/run_metric.h"
#include "core/verdict/metric_docs.h"

namespace yatlab {
namespace {

using RecordedJson = nlohmann::ordered_json;

DatasetUse dataset_of(const RecordedJson& json) {
  return {text_in(json, "name"), text_in(json, "sha256"), text_in(json, "tier"), text_in(json, "substituted_for")};
}

/// "seed=3" in "jobs/yat/seed=3,operator.epsilon=0.1".
std::int64_t seed_in(const std::string& folder) {
  const auto at = folder.rfind("/seed=");
  return at == std::string::npos ? 0 : std::atoll(folder.c_str() + at + 6);
}

Node::Map point_of(const RecordedJson& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? Node::Map{} : from_json(*found).as_map();
}

/// Adds the jobs of one arm at one point. Which of several data sets they used is in the entry; in older records the point alone tells.
void add_jobs(RunView& run, const std::string& arm, const RecordedJson& entry, const std::vector<DatasetUse>& datasets) {
  const auto point = point_of(entry, "params");
  const auto used = entry.find("datasets");
  const auto only = used != entry.end() && used->size() == 1 ? used->front().get<std::size_t>() : datasets.size();
  std::map<std::int64_t, JobView> jobs;
  for (const auto& folder : entry.at("jobs")) {
    JobView job;
    job.arm = arm;
    job.directory = folder.get<std::string>();
    job.seed = seed_in(job.directory);
    job.params = point;
    job.state = JobState::kDiverged;
    if (datasets.size() == 1) {
      job.dataset = datasets.front();
    } else if (only < datasets.size()) {
      job.dataset = datasets[only];
    } else {
      for (const auto& [key, value] : point) {
        const Node* name = value.is_map() ? value.find("name") : &value;
        for (const auto& data : datasets) {
          if (key == "dataset" && name && name->is_string() && name->as_string() == data.name) job.dataset = data;
        }
      }
    }
    jobs[job.seed] = std::move(job);
  }
  const bool none_diverged = entry.value("diverged", 0) == 0;
  for (const auto& [metric, values] : entry.at("metrics").items()) {
    const auto& seeds = values.at("seeds");
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      const auto job = jobs.find(seeds[i].get<std::int64_t>());
      if (job == jobs.end()) continue;
      job->second.metrics[metric] = values.at("values").at(i).get<double>();
      // Diverged jobs have metrics of the run, too.
      if (!describes_run(metric)) job->second.state = JobState::kCompleted;
    }
    for (const auto& seed : values.value("not_finite", RecordedJson::array())) {
      const auto job = jobs.find(seed.get<std::int64_t>());
      if (job == jobs.end()) continue;
      job->second.metrics[metric] = std::numeric_limits<double>::quiet_NaN();
      if (!describes_run(metric)) job->second.state = JobState::kCompleted;
    }
  }
  for (auto& [seed, job] : jobs) {
    if (none_diverged) job.state = JobState::kCompleted;
    // A summary has no metrics for a point whose jobs all diverged.
    if (job.state == JobState::kDiverged) job.metrics.emplace("run/diverged", 1.0);
    run.jobs.push_back(std::move(job));
  }
}

std::optional<RecordedDifference> difference_of(const RecordedJson& entry) {
  const auto interval = entry.find("ci95_documents");
  if (interval == entry.end() || !interval->is_array()) return std::nullopt;
  RecordedDifference out;
  out.metric = text_in(entry, "metric");
  if (entry.contains("contrast")) {
    out.contrast = text_in(entry, "contrast");
  } else {
    out.arm = entry.at("arms").at(0).get<std::string>();
    out.baseline = entry.at("arms").at(1).get<std::string>();
  }
  out.point = point_of(entry, "params");
  out.baseline_point = point_of(entry, "baseline_params");
  out.over.difference = entry.at("difference").get<double>();
  out.over.ci95 = {interval->at(0).get<double>(), interval->at(1).get<double>()};
  // Older summaries have intervals that are narrower than those over the seeds alone.
  if (const auto seeds = entry.find("ci95"); seeds != entry.end() && seeds->is_array() && seeds->at(0).is_number()) {
    out.over.ci95.low = std::min(out.over.ci95.low, seeds->at(0).get<double>());
    out.over.ci95.high = std::max(out.over.ci95.high, seeds->at(1).get<double>());
  }
  out.over.seeds = entry.at("n").get<std::size_t>();
  out.over.documents = entry.at("documents").get<std::size_t>();
  return out;
}

/// The index of a file among the ids of a config. Files without an id come last, in the order of default_figures().
template <class Specs>
std::size_t place_among(const Specs& specs, const std::string& stem) {
  std::size_t best = specs.size(), length = 0;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const auto id = safe_file_name(specs[i].id);
    if (stem.rfind(id, 0) == 0 && id.size() > length) best = i, length = id.size();
  }
  if (best < specs.size()) return best;
  const auto begins = [&](const char* with) { return stem.rfind(with, 0) == 0; };
  return best + (begins("fig_sweep") || begins("fig_search") ? 0 : begins("fig_learning_curves") ? 1 : 2);
}

template <class Specs>
std::vector<fs::path> files_in(const fs::path& folder, const Specs& specs) {
  std::vector<fs::path> out;
  for (const auto& path : entries_if_there(folder)) {
    if (is_file(path) && path.extension() != ".tmp") out.push_back(path);
  }
  std::sort(out.begin(), out.end(), [&](const fs::path& a, const fs::path& b) {
    const auto x = place_among(specs, a.stem().string()), y = place_among(specs, b.stem().string());
    return x != y ? x < y : a < b;
  });
  return out;
}

}  // namespace

std::optional<RecordedExperiment> read_recorded(const fs::path& directory, const Node& config, std::shared_ptr<const RunView> protocols) {
  const fs::path path = directory / "summary.json";
  if (!is_there(path)) return std::nullopt;
  RecordedExperiment out;
  RunView& run = out.run;
  run.config = config;
  run.protocols = std::move(protocols);
  run.directory = directory;
  try {
    const auto json = parse_ordered_json(read_json_text(path));
    run.experiment = json.at("experiment").get<std::string>();
    run.run_id = json.at("run_id").get<std::string>();
    run.title = text_in(json, "title");
    run.scale = text_in(json, "scale");
    if (const auto seconds = json.find("job_seconds"); seconds != json.end()) out.job_seconds = seconds->get<double>();
    if (const auto made = json.find("made"); made != json.end()) run.made = made_with_of(*made);
    for (const auto& name : json.at("swept")) run.swept.push_back(name.get<std::string>());
    if (const auto metrics = json.find("metrics"); metrics != json.end()) run.docs = metric_docs_of(*metrics);
    std::vector<DatasetUse> datasets;
    if (const auto all = json.find("datasets"); all != json.end()) {
      for (const auto& data : *all) datasets.push_back(dataset_of(data));
    } else if (json.at("dataset").is_object()) {
      datasets.push_back(dataset_of(json.at("dataset")));
    }
    for (const auto& [arm, entry] : json.at("arms").items()) {
      run.arms.push_back(arm);
      const auto points = entry.find("points");
      if (points == entry.end())
        add_jobs(run, arm, entry, datasets);
      else
        for (const auto& point : *points) add_jobs(run, arm, point, datasets);
    }
    for (const auto& data : json.value("other_datasets", RecordedJson::array())) {
      for (auto& job : run.jobs) job.others.push_back(dataset_of(data));  // which jobs used it is not recorded
    }
    for (const auto& entry : json.value("comparisons", RecordedJson::array())) {
      if (const auto known = difference_of(entry)) run.differences.push_back(*known);
    }
    if (const auto claims = json.find("claims"); claims != json.end()) {
      for (const auto& claim : *claims) {
        auto whole = parse_json(dump_json(claim));
        whole["schema"] = 1;
        out.claims.push_back({claim_from_json(whole), text_in(claim, "arm"), claim.value("seed", std::int64_t{0}), text_in(claim, "job")});
      }
    }
  } catch (const nlohmann::json::exception& e) {
    throw data_error("a recorded result cannot be read", path.string(), e.what(),
                     "restore the file from version control, or run the experiment");
  }
  const auto report = config.is_null() ? ReportConfig() : ReportConfig::read(config, false, run.docs);
  out.files = files_in(directory / "tables", report.tables);
  for (auto& file : files_in(directory / "figures", report.figures)) out.files.push_back(std::move(file));
  for (const auto& spec : report.tables) out.contents.tables.push_back(build_table(run, report, spec));
  out.contents.claims = out.claims;
  std::set<std::string> stems;
  for (const auto& file : out.files) {
    const auto stem = file.stem().string();
    if (file.parent_path().filename() != "figures" || (file.extension() != ".svg" && file.extension() != ".png") ||
        !stems.insert(stem).second)
      continue;
    const fs::path caption = fs::path(file).replace_extension(".txt");
    const std::string text = is_there(caption) ? read_file(caption) : "";
    const auto blank = text.find("\n\n");
    out.contents.figures.push_back(
        {stem, std::string(trim(text.substr(0, blank))), stem, blank == std::string::npos ? "" : std::string(trim(text.substr(blank)))});
  }
  return out;
}

}  // namespace yatlab

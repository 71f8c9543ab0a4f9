// Shared by the job types. Not part of the public interface.
#pragma once

#include <nlohmann/json.hpp>

#include "core/base/files.h"
#include "core/base/json_number.h"
#include "core/compose/job_type.h"
#include "core/job/job.h"
#include "core/measure/analysis.h"
#include "core/record/job_summary.h"

namespace yatlab {

void write_json(const fs::path& path, const nlohmann::ordered_json& json);

/// Splits on the job's device. CPU data is shared, not copied. Splits with rows in files stay there, and their batches are moved; sparse data stays,
/// and its user sends the entries of each batch.
std::map<std::string, Split> splits_on(const std::map<std::string, Split>& splits, const at::Device& device);
/// Those whose samples are tensors: analyses need these.
std::map<std::string, Split> splits_in_tensors(std::map<std::string, Split> splits);

/// Thrown inside a job to stop it; becomes the state kInterrupted.
struct StopRequested {};

/// The findings of a job's analyses or studies so far.
struct FoundSoFar {
  Metrics metrics;
  std::vector<Media> media;
};
/// The data's entry in a summary.
DatasetUse dataset_use(const Dataset& dataset);
/// Adds findings to the earlier ones and writes their artifacts.
void keep_findings(const Findings& findings, const fs::path& directory, FoundSoFar& all);
/// Saves media, dated `step` unless they have a step of their own, and passes them to the observer.
void show_media(std::vector<Media> media, std::int64_t step, const fs::path& directory, JobObserver& observer);

/// Reports progress for work that is not counted in steps; throws StopRequested when the run is to stop.
std::function<void(double share, const std::string& what)> progress_of(JobObserver& observer);

/// The keys of a training job's JobResult::performance; some exist for language models only.
std::vector<MetricDoc> performance_docs();

}  // namespace yatlab

// What the sorts of jobs share. Not part of the public interface.
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

/// Splits on the device that the job asks for. CPU data is shared, not copied; rows stay in their files, and batches of them are moved; sparse data stay, and the entries of a batch are sent by who works with them.
std::map<std::string, Split> splits_on(const std::map<std::string, Split>& splits, const at::Device& device);

/// Thrown inside a job that was told to stop; becomes the state kInterrupted.
struct StopRequested {};

/// What a job's analyses or studies have found so far.
struct FoundSoFar {
  Metrics metrics;
  std::vector<Media> media;
};
/// What a summary says of the data.
DatasetUse dataset_use(const Dataset& dataset);
/// Joins findings to those before and writes their artifacts.
void keep_findings(const Findings& findings, const fs::path& directory, FoundSoFar& all);
/// Keeps what the job shows, as of `step` where it does not say otherwise, and hands it on.
void show_media(std::vector<Media> media, std::int64_t step, const fs::path& directory, JobObserver& observer);

/// Progress for work that is not counted in steps; throws StopRequested when the run was told to stop.
std::function<void(double share, const std::string& what)> progress_of(JobObserver& observer);

/// The keys of a training job's JobResult::performance; some are there for language models alone.
std::vector<MetricDoc> performance_docs();

}  // namespace yatlab

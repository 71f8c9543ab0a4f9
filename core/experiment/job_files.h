// What the sorts of jobs share. Not part of the public interface.
#pragma once

#include <nlohmann/json.hpp>

#include "core/base/files.h"
#include "core/measure/analysis.h"
#include "core/experiment/job.h"

namespace yatlab {

/// JSON has no NaN or infinity: they travel as text.
nlohmann::ordered_json json_number(double value);
void write_json(const fs::path& path, const nlohmann::ordered_json& json);

/// The job's summary.json: what every sort of job says about itself.
nlohmann::ordered_json summary_head(const JobSpec& job, const char* status, const Metrics& metrics);

/// The component that a config names, or null.
template <class T>
std::shared_ptr<T> optional_component(const Node& spec) {
  return spec.is_null() ? nullptr : Registry<T>::create(spec);
}

/// Thrown inside a job that was told to stop; becomes the state kInterrupted.
struct StopRequested {};

/// What a job's analyses or studies have found so far.
struct FoundSoFar {
  Metrics metrics;
  std::vector<Media> media;
};
/// Joins findings to those before and writes their artifacts.
void keep_findings(const Findings& findings, const fs::path& directory, FoundSoFar& all);
/// Keeps what the job shows, as of `step` where it does not say otherwise, and hands it on.
void show_media(std::vector<Media> media, std::int64_t step, const fs::path& directory, const JobHooks& hooks);

/// Progress for work that is not counted in steps; throws StopRequested when the run was told to stop.
std::function<void(double share, const std::string& what)> progress_of(const JobHooks& hooks);

/// The keys of a training job's JobResult::performance; some are there for language models alone.
std::vector<std::string> performance_names();

}  // namespace yatlab

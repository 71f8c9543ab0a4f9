#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/files.h"
#include "core/record/job_status.h"
#include "core/record/metric_row.h"

namespace yatlab {

/// The data that a job was trained on, as it recorded it.
struct DatasetUse {
  std::string name, sha256, tier;
  std::string substituted_for;  ///< the real dataset that a substitute was used for; "" for real data
  bool operator==(const DatasetUse& o) const {
    return name == o.name && sha256 == o.sha256 && tier == o.tier && substituted_for == o.substituted_for;
  }
};

/// summary.json of a job: its result. It depends on the job alone: arm and parameters, which may be renamed, stand in job.yaml.
struct JobSummary {
  std::string hash;                        ///< the job's identity
  std::optional<JobState> state = {};      ///< completed or diverged
  Metrics metrics = {};                    ///< finite and non-finite ones
  std::optional<std::int64_t> steps = {};  ///< of a training
  std::string why = {};                    ///< of what diverged
  std::optional<DatasetUse> dataset = {};  ///< of trainings and analyses
  std::string verdict = {};                ///< of a claim
};

void write_job_summary(const fs::path& job, const JobSummary& summary);
/// Nothing where there is none, or where it is not a JSON object: `problem`, if given, says which. Throws a file error where the system refuses it.
std::optional<JobSummary> read_job_summary(const fs::path& job, std::string* problem = nullptr);

}  // namespace yatlab

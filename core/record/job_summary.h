#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/record/job_status.h"
#include "core/record/metric_row.h"

namespace yatlab {

/// The recorded data of a job.
struct DatasetUse {
  std::string name, sha256, tier;
  std::string substituted_for;  ///< the real dataset that this one replaces; "" for real data
  bool operator==(const DatasetUse& o) const {
    return name == o.name && sha256 == o.sha256 && tier == o.tier && substituted_for == o.substituted_for;
  }
};

/// summary.json of a job: its result. It depends only on the job. Arm and parameters, which may be renamed, are in job.yaml.
struct JobSummary {
  std::string hash;                        ///< the job's identity
  std::optional<JobState> state = {};      ///< completed or diverged
  Metrics metrics = {};                    ///< finite and non-finite ones
  std::optional<std::int64_t> steps = {};  ///< of a training
  std::string why = {};                    ///< why a job diverged
  std::optional<DatasetUse> dataset = {};  ///< of trainings and analyses
  std::string verdict = {};                ///< of a claim
  std::vector<DatasetUse> others = {};     ///< further data sets that an analysis read
};

void write_job_summary(const fs::path& job, const JobSummary& summary);
/// Nullopt if it is missing or not a JSON object; `problem`, if given, says which. Throws a file error if the system refuses the file.
std::optional<JobSummary> read_job_summary(const fs::path& job, std::string* problem = nullptr);

}  // namespace yatlab

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/node.h"
#include "core/record/job_file.h"

namespace yatlab {

class JobType;

/// One arm x sweep point x seed (x part), or an analysis of the model that such a job trained, with everything that decides its result.
struct JobSpec {
  const JobType* type = nullptr;
  std::string arm;
  std::int64_t seed = 0;
  std::vector<std::pair<std::string, Node>> params;  ///< the sweep point, and the part
  std::string part;                    ///< the parameter that tells it from the arm's other jobs at that point: "claim", or ""
  Node config;                         ///< resolved; the frozen part only
  std::string hash;                    ///< of config, code and, for an analysis, the training
  std::string directory;               ///< below the run: "jobs/yat/seed=0", "jobs/yat/seed=0/analyses/prototype_norms"
  Node resources = Node::map();        ///< its requirements on a cluster (ResourceParams)
  Node trained = {};                   ///< for an analysis: the config of the training that it analyses
  std::vector<JobSpec> analyses = {};  ///< analyses of this training: jobs on its last checkpoint
  std::vector<std::string> changed_by =
      {};  ///< overrides that make it differ from the file's job; for an analysis, those that change only it

  /// "yat seed=0 operator.epsilon=1e-05"
  std::string label() const;
  /// The training data set; nullptr if there is none.
  const Node* dataset() const;
};

/// Reads the job in a folder, with its analyses; `directory` stays empty. Throws a data error if there is none.
JobSpec read_job(const fs::path& job_directory);
/// The contents of its job.yaml; data: where data sets are searched for (DataParams).
JobFile job_file(const JobSpec& job, const Node& data);

}  // namespace yatlab

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/node.h"
#include "core/record/job_file.h"

namespace yatlab {

class JobType;

/// One arm x sweep point x seed (x part), or an analysis of what such a job trained, with everything that decides its result.
struct JobSpec {
  const JobType* type = nullptr;
  std::string arm;
  std::int64_t seed = 0;
  std::vector<std::pair<std::string, Node>> params;  ///< the sweep point, and the part
  std::string part;                    ///< the parameter that tells it from other jobs of the arm at that point: "claim", or ""
  Node config;                         ///< resolved; the frozen part only
  std::string hash;                    ///< of config, code and, for an analysis, the training
  std::string directory;               ///< below the run: "jobs/yat/seed=0", "jobs/yat/seed=0/analyses/prototype_norms"
  Node resources = Node::map();        ///< what it needs of a cluster (ResourceParams)
  Node trained = {};                   ///< of an analysis: the config of the training that it looks at
  std::vector<JobSpec> analyses = {};  ///< of what is trained here: jobs on its last checkpoint
  std::vector<std::string> changed_by =
      {};  ///< overrides by which it is another job than the file's; of an analysis those that change it alone

  /// "yat seed=0 operator.epsilon=1e-05"
  std::string label() const;
  /// What it is trained on; nullptr where there is none.
  const Node* dataset() const;
};

/// The job that a folder holds, with its analyses; `directory` stays empty. Throws a data error where it holds none.
JobSpec read_job(const fs::path& job_directory);
/// What its folder says of it; data: where data are looked for (DataParams).
JobFile job_file(const JobSpec& job, const Node& data);

}  // namespace yatlab

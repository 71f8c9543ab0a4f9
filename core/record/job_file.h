#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/files.h"
#include "core/base/node.h"

namespace yatlab {

/// A plugin library that a job's components come from.
struct JobLibrary {
  std::string path, sha256;
};

/// job.yaml: everything that is needed to do a job, wherever. Written when it is planned; what became of it stands in status.json.
struct JobFile {
  std::string type;  ///< "training", "analysis", "study", "claim"
  std::string arm;
  std::int64_t seed = 0;
  std::vector<std::pair<std::string, Node>> params;  ///< the sweep point, and the part
  std::string part;                         ///< the parameter that tells it from other jobs of the arm at that point: "claim", or ""
  std::string hash;                         ///< its identity: config, code, and what it needs
  std::map<std::string, std::string> uses;  ///< components and types of jobs -> the hash of their code
  std::vector<std::string> needs;           ///< folders of jobs whose results it takes, from its own: "../.."
  Node config = Node::map();                ///< resolved; the part of the experiment that decides its result
  Node resources = Node::map();             ///< what it needs of a cluster (ResourceParams)
  Node data = Node::map();                  ///< where data are looked for (DataParams)
  std::vector<JobLibrary> libraries;
};

/// The text of job.yaml.
std::string to_yaml(const JobFile& job);
/// Throws a data error where the folder holds no job, or its job.yaml is damaged.
JobFile read_job_file(const fs::path& job_directory);
/// Whether a folder is a job's.
bool is_job_folder(const fs::path& path);

}  // namespace yatlab

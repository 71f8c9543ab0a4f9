#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/files.h"
#include "core/base/node.h"

namespace yatlab {

/// A plugin library that provides components of a job.
struct JobLibrary {
  std::string path, sha256;
};

/// job.yaml: everything needed to run a job on any machine. Written when the job is planned; its progress is in status.json.
struct JobFile {
  std::string type;  ///< "training", "analysis", "study", "claim"
  std::string arm;
  std::int64_t seed = 0;
  std::vector<std::pair<std::string, Node>> params;  ///< the sweep point, and the part
  std::string part;  ///< the parameter that distinguishes it from other jobs of the arm at that point: "claim", or ""
  std::string hash;  ///< its identity: config, code, and required jobs
  std::map<std::string, std::string> uses;  ///< components and job types -> the hash of their code
  std::vector<std::string> needs;           ///< folders of jobs whose results it uses, relative to its own: "../.."
  Node config = Node::map();                ///< resolved; the part of the experiment that determines its result
  Node resources = Node::map();             ///< what it needs from a cluster (ResourceParams)
  Node data = Node::map();                  ///< where to find data (DataParams)
  std::vector<JobLibrary> libraries;
};

/// The text of job.yaml.
std::string to_yaml(const JobFile& job);
/// Throws a data error if the folder has no job, or its job.yaml is damaged.
JobFile read_job_file(const fs::path& job_directory);
/// Whether a folder is a job's folder.
bool is_job_folder(const fs::path& path);

}  // namespace yatlab

#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "core/base/node.h"
#include "core/registry/registry.h"

namespace yatlab {

class JobType;

/// Calls `see` for every component that a job's frozen config names, those named by the parameters of others included. path: its place in
/// the config, "architecture.attention.operator".
void each_component(const Node& frozen,
                    const std::function<void(const Component& component, const Node& spec, const std::string& path)>& see);

/// The code that a job uses, and no other: {"operator/yat": hash, ..., "training": hash}. A component's hash is that of its source with all
/// that it includes (cmake/source_hashes.cpp), or of the library that it comes from.
std::map<std::string, std::string> uses_of(const JobType& type, const Node& frozen);

/// The plugin libraries that a job's components come from.
std::set<std::string> libraries_of(const Node& frozen);

/// Identity of one job: its frozen config with seed, and the code that it uses.
std::string job_hash(const Node& frozen, const JobType& type);

/// job_hash of one config with any seed, for many of them: the config is written out once.
class JobHashes {
 public:
  JobHashes(Node frozen, const JobType& type);
  std::string of(std::int64_t seed) const;

 private:
  std::string before_, behind_;  // the seed
};

/// The revision of the tree that this program was built from, as git knew it then.
struct SourceRevision {
  std::string revision;  ///< whole; "" where it was not built from a git tree
  bool changed = false;  ///< the tree differed from that revision
};
SourceRevision source_revision();

/// Identity of all the code that makes results.
std::string code_hash();

}  // namespace yatlab

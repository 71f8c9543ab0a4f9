#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "core/base/node.h"
#include "core/registry/registry.h"

namespace yatlab {

class JobType;

/// Calls `see` for every component in a job's frozen config, including those in the parameters of others. path: its key path in the config,
/// "architecture.attention.operator".
void each_component(const Node& frozen,
                    const std::function<void(const Component& component, const Node& spec, const std::string& path)>& see);

/// Hashes of exactly the code that a job uses: {"operator/yat": hash, ..., "training": hash}. A component's hash covers its source with all
/// its includes (cmake/source_hashes.cpp), or the library that provides it.
std::map<std::string, std::string> uses_of(const JobType& type, const Node& frozen);

/// The plugin libraries that a job's components come from.
std::set<std::string> libraries_of(const Node& frozen);

/// Identity of one job: its frozen config with the seed, and the code that it uses.
std::string job_hash(const Node& frozen, const JobType& type);

/// Computes job_hash for many seeds of one config, which is serialised only once.
class JobHashes {
 public:
  JobHashes(Node frozen, const JobType& type);
  std::string of(std::int64_t seed) const;

 private:
  std::string before_, behind_;  // the serialised text before and after the seed
};

/// The git revision of the source tree at build time.
struct SourceRevision {
  std::string revision;  ///< full; "" if not built from a git tree
  bool changed = false;  ///< the tree differed from that revision
};
SourceRevision source_revision();

/// Identity of all the code that produces results.
std::string code_hash();

}  // namespace yatlab

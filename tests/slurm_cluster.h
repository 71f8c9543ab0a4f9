#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "catch.h"
#include "core/base/process.h"
#include "temporary_folder.h"

namespace yatlab::testing {

/// A Slurm cluster of two nodes on this machine (slurm_cluster.sh), alive as long as the test program; nullptr where Slurm is not installed.
class SlurmCluster {
 public:
  static SlurmCluster* get() {
    static SlurmCluster cluster;
    return cluster.works_ ? &cluster : nullptr;
  }
  ~SlurmCluster() {
    if (works_) control({"stop"});
  }
  void node_down(const char* node) const { REQUIRE(control({"node-down", node}).status == 0); }
  void node_up(const char* node) const { REQUIRE(control({"node-up", node}).status == 0); }

 private:
  SlurmCluster() {
    if (std::system(
            "PATH=$PATH:/usr/sbin; command -v slurmctld >/dev/null && command -v slurmd >/dev/null && command -v munged >/dev/null") != 0)
      return;
    const auto answer = control({"start"});
    INFO(answer.output);
    REQUIRE(answer.status == 0);
    ::setenv("SLURM_CONF", (folder_.path() / "slurm.conf").c_str(), 1);
    works_ = true;
  }
  ProcessResult control(std::vector<std::string> words) const {
    words.insert(words.begin(), {"bash", std::string(YATLAB_SOURCE_DIR) + "/tests/slurm_cluster.sh"});
    words.insert(words.begin() + 3, folder_.path().string());
    return run_process(words);
  }

  TemporaryFolder folder_;
  bool works_ = false;
};

}  // namespace yatlab::testing

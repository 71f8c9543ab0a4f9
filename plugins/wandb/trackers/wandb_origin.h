// Where and with what a run is made, as W&B's pages show it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "plugins/wandb/log/settings.h"

namespace yatlab {

struct WandbOrigin {
  std::string commit, remote;  ///< of the git repository; without user and password. Empty: none, or not wanted
  std::string host, program;
  nlohmann::ordered_json metadata;  ///< for wandb-metadata.json
};

/// What WANDB_HOST, WANDB_PROGRAM, WANDB_GIT_COMMIT, ... say, else what is found. `hardware`: cores, memory, GPUs.
WandbOrigin wandb_origin(const wandb::Settings& settings, const nlohmann::ordered_json& hardware);

}  // namespace yatlab

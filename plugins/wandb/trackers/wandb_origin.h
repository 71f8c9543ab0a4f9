// Where and with which program a run is made, as W&B's pages show it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "plugins/wandb/log/settings.h"

namespace yatlab {

struct WandbOrigin {
  std::string commit, remote;  ///< of the git repository; without user and password. Empty: none, or disabled
  std::string host, program;
  nlohmann::ordered_json metadata;  ///< for wandb-metadata.json
};

/// From WANDB_HOST, WANDB_PROGRAM, WANDB_GIT_COMMIT, ..., otherwise detected. `hardware`: cores, memory, GPUs.
WandbOrigin wandb_origin(const wandb::Settings& settings, const nlohmann::ordered_json& hardware);

}  // namespace yatlab

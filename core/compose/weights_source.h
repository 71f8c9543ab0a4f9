#pragma once

#include "core/base/files.h"
#include "core/base/node.h"

namespace yatlab {

/// The safetensors file for `architecture.weights`: the file itself, model.safetensors in a folder, or in the newest checkpoint of a job (or
/// of a run with one job). Throws a data error if there is none, and a config error that lists the choices for several jobs.
fs::path weights_file(const fs::path& named);

/// In a job's frozen config, sets `architecture.weights` to the file's absolute path and `architecture.weights_sha256` to its hash. The job's
/// identity includes the hash but not the path. Does nothing if the model starts from random weights. Settings stored with the weights that tensor
/// shapes do not show (heads; for GPT-2's published weights also activation and score scale) must match the architecture; a config error names a
/// mismatch.
void pin_weights(Node& frozen);

}  // namespace yatlab

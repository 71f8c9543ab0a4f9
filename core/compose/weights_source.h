#pragma once

#include "core/base/files.h"
#include "core/base/node.h"

namespace yatlab {

/// The safetensors file that `architecture.weights` means: a file itself, model.safetensors of a folder, or of the newest checkpoint of a job (or
/// of a run with one). Throws a data error when there is none, a config error with the choices for several jobs.
fs::path weights_file(const fs::path& named);

/// In a job's frozen config, has `architecture.weights` name that file, absolutely, and `architecture.weights_sha256` its bytes: the job's
/// identity holds these and not the place. Nothing where it starts from drawn weights. What is said beside the weights and does not show in the
/// tensors (heads; of GPT-2's from elsewhere also the activation and the scale of scores) must be the architecture's, else a config error names it.
void pin_weights(Node& frozen);

}  // namespace yatlab

#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/data/safetensors.h"
#include "core/model/architecture.h"

namespace yatlab {

/// `architecture.weights`, of architectures that can start from a trained model.
struct StartWeights {
  std::optional<std::string> file, sha256;
  static void declare(Fields& f, StartWeights& p);
};

/// A model's tensors under its architecture's names, from a safetensors file that names them so or as Hugging Face's GPT-2 does.
NamedTensors read_weights(const std::filesystem::path& file);

/// Gives a model all of these tensors. Every one must fit: a data error names `from`, the first that is missing, has another shape, or that
/// the model has no place for. Rows of embeddings beyond `classes` tokens are padding, on both sides, biases of zeros need no place, and
/// how often a model has dropped something is left as it is.
void give_weights(Architecture& model, const NamedTensors& tensors, std::int64_t classes, const std::string& from);

/// Has a model that was just built start from what its config's `weights` names, if anything. Checks the file's SHA-256 where the config has
/// it.
void start_from_weights(Architecture& model, const Node& architecture, std::int64_t classes);

}  // namespace yatlab

#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/data/safetensors.h"
#include "core/model/architecture.h"

namespace yatlab {

/// The setting `architecture.weights`, for architectures that can start from a trained model.
struct StartWeights {
  std::optional<std::string> file, sha256;
  static void declare(Fields& f, StartWeights& p);
};

/// A model's tensors under its architecture's names, from a safetensors file with those names or with the names of Hugging Face's GPT-2.
NamedTensors read_weights(const std::filesystem::path& file);

/// Copies all these tensors into a model. Every one must fit: a data error names `from` and the first tensor that is missing, has another shape, or
/// is unknown to the model. Rows of embeddings beyond `classes` tokens are padding, on both sides. Biases of zeros need no counterpart, and the
/// model's count of passes with dropout is unchanged.
void give_weights(Architecture& model, const NamedTensors& tensors, std::int64_t classes, const std::string& from);

/// Loads the weights that the config's `weights` names, if any, into a newly built model. Checks the file's SHA-256 if the config has it.
void start_from_weights(Architecture& model, const Node& architecture, std::int64_t classes);

}  // namespace yatlab

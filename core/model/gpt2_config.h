#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/node.h"
#include "core/model/gpt2_weights.h"

namespace yatlab {

/// The settings in the `config.json` of GPT-2's weights that affect a prediction (Hugging Face's keys). Missing numbers are empty.
struct Gpt2Config {
  std::optional<std::int64_t> heads, layers, width, context, vocabulary,
      inner;                     ///< n_head, n_layer, n_embd, n_positions, vocab_size, n_inner
  std::optional<bool> tied;      ///< tie_word_embeddings
  bool exact_gelu = false;       ///< activation_function "gelu"; else the approximation by tanh, "gelu_new"
  bool scaled_attention = true;  ///< scale_attn_weights: scores are divided by the square root of the head dimension
  double dropout = 0;            ///< of embeddings and of every block's output, in training
};

/// Reads it. Throws data errors that name the file, the key and its value: values that should be numbers and are not, contradictions, or settings of
/// a model other than ours (another activation, cross attention, scores divided by the layer's number, ...).
Gpt2Config read_gpt2_config(const std::filesystem::path& file);

/// Throws a data error with both values where the config contradicts the tensors' shapes.
void check_gpt2_config(const Gpt2Config& config, const Gpt2Shape& shape, const std::string& where);

/// The text of a `config.json` that Hugging Face's code can read too; every number must be set.
std::string gpt2_config_text(const Gpt2Config& config);

/// The config of a job's model. `job`: its config; `shape`: of its exported tensors. Throws a config error that names the setting which GPT-2 does
/// not have (another operator, say).
Gpt2Config gpt2_config_of(const Node& job, const Gpt2Shape& shape);

/// Returns `architecture` (configs/architecture/gpt2_hf.yaml) with the settings that match these weights.
Node gpt2_architecture(Node architecture, const Gpt2Config& config, const Gpt2Shape& shape, std::int64_t heads);

}  // namespace yatlab

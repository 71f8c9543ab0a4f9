#pragma once

#include <string>

#include "core/data/safetensors.h"

namespace yatlab {

// Converts between the names and layout of GPT-2's weights in Hugging Face's safetensors files and those of the architecture `transformer`
// (configs/architecture/gpt2_hf.yaml). Hugging Face stores linear weights as [in, out] ("Conv1D"), we as [out, in].

/// The sizes of a GPT-2 that follow from its tensors' shapes. The number of heads does not.
struct Gpt2Shape {
  std::int64_t layers = 0, width = 0, context = 0, vocabulary = 0;
  std::int64_t inner = 0;  ///< hidden units of a block's MLP
  bool tied = true;        ///< the output head is the token embeddings
  bool has_head = false;   ///< there is a tensor lm_head.weight, even if it repeats the token embeddings
};

/// The transformer's tensors, from a file whose names begin with "transformer." or not. Causal masks (".attn.bias", ".attn.masked_bias") are left
/// out, and so is a head that equals the token embeddings. In float32. Throws data errors that name tensors which are missing, unknown or of a shape
/// that contradicts the others.
NamedTensors import_gpt2(const Safetensors& file, Gpt2Shape* shape = nullptr);

/// The reverse: names without "transformer.", as in OpenAI's published weights; a separate head as "lm_head.weight". Throws a config error that names
/// the first tensor which GPT-2 does not have (another operator's, say) or lacks (biases).
NamedTensors export_gpt2(const NamedTensors& model);

}  // namespace yatlab

#pragma once

#include <string>

#include "core/data/safetensors.h"

namespace yatlab {

// GPT-2's weights as Hugging Face's safetensors files name and lay them out, and as the architecture `transformer` does
// (configs/architecture/gpt2_hf.yaml). There, the weights of linear layers are stored [in, out] ("Conv1D"), here [out, in].

/// What the tensors' shapes tell of a GPT-2. The number of heads is not among it.
struct Gpt2Shape {
  std::int64_t layers = 0, width = 0, context = 0, vocabulary = 0;
  std::int64_t inner = 0;  ///< hidden units of the other half of a block
  bool tied = true;        ///< predicts with the token embeddings
  bool has_head = false;   ///< there is a tensor lm_head.weight, be it the token embeddings once more
};

/// The transformer's tensors, from a file whose names begin with "transformer." or not. Causal masks (".attn.bias",
/// ".attn.masked_bias") are left out, and so is a head that equals the token embeddings. In float32. Throws data errors that
/// name tensors which are missing, unknown or of another shape than the others imply.
NamedTensors import_gpt2(const Safetensors& file, Gpt2Shape* shape = nullptr);

/// The other way: names without "transformer.", as OpenAI's published weights have them; a head of its own as "lm_head.weight".
/// Throws a config error that names the first tensor which GPT-2 does not have (another operator's, say) or lacks (biases).
NamedTensors export_gpt2(const NamedTensors& model);

}  // namespace yatlab

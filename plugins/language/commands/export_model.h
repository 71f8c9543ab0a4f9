#pragma once

#include <filesystem>
#include <string_view>

#include "core/data/dataset.h"

namespace yatlab::cli {

/// The file plugins/language/commands/modeling_aether.py, embedded by the build.
extern const std::string_view kModelingAether;

/// Writes a trained model (anything that `load_trained_model` accepts) into a new folder. Language models: model.safetensors, config.json and the
/// tokenizer's files in the format of Hugging Face's transformers, for GPT2LMHeadModel if the model is a GPT-2, else with modeling_aether.py. Other
/// models: model.safetensors, and a README.md with PyTorch code. Also reference.safetensors (inputs, and the scores that this program computes for
/// them in float32), and job.yaml and summary.json, so that `yatlab evaluate` and `architecture.weights` can read the folder. Throws a config error,
/// and writes nothing, if the folder contains other files, or if the format cannot represent the model.
void export_model(const std::filesystem::path& trained, const std::filesystem::path& out, const DataContext& context);

}  // namespace yatlab::cli

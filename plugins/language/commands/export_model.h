#pragma once

#include <filesystem>
#include <string_view>

#include "core/data/dataset.h"

namespace yatlab::cli {

/// The file plugins/language/commands/modeling_aether.py, built in.
extern const std::string_view kModelingAether;

/// Writes a trained model (what `load_trained_model` takes) into a folder of its own. Language models: model.safetensors, config.json and the
/// tokenizer's files as Hugging Face's transformers reads them, as GPT2LMHeadModel where it is one, else with modeling_aether.py; others:
/// model.safetensors and a README.md that says what to compute. In both cases reference.safetensors, inputs and the scores that this program computes
/// for them in float32, job.yaml and summary.json, by which `yatlab evaluate` and `architecture.weights` read the folder. Throws a config
/// error, and writes nothing, where the folder has other files, or the model is none that the files can say.
void export_model(const std::filesystem::path& trained, const std::filesystem::path& out, const DataContext& context);

}  // namespace yatlab::cli

#include "core/model/start_weights.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <map>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/model/build_model.h"
#include "core/model/gpt2_weights.h"
#include "core/model/language_model.h"

namespace yatlab {
namespace {

constexpr const char* kPasses = "passes";  // number of passes with dropout

std::string sizes_text(at::IntArrayRef sizes) { return fmt::format("[{}]", fmt::join(sizes.begin(), sizes.end(), ", ")); }

/// Whether the tensor is a bias of zeros: a model without it predicts the same.
bool no_bias(const std::string& name, const Tensor& tensor) {
  const std::string end = ".bias";
  return name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0 &&
         !tensor.count_nonzero().item<std::int64_t>();
}

}  // namespace

void StartWeights::declare(Fields& f, StartWeights& p) {
  f.field("weights", p.file,
          "initial weights: a .safetensors file, a folder with model.safetensors (from `yatlab model export`, or Hugging Face's GPT-2), or "
          "a job; every tensor must fit; null: random");
  f.field("weights_sha256", p.sha256,
          "SHA-256 sum of the file in `weights`, filled in when the job is planned; if given, the file must match it");
}

NamedTensors read_weights(const std::filesystem::path& file) {
  auto weights = load_safetensors(file);
  if (!weights.find("wte.weight") && !weights.find("transformer.wte.weight")) return std::move(weights.tensors);
  try {
    return import_gpt2(weights);
  } catch (const Error& e) {
    throw e.within(file.string());
  }
}

void give_weights(Architecture& model, const NamedTensors& tensors, std::int64_t classes, const std::string& from) {
  const at::NoGradGuard no_grad;
  const bool predicts_tokens = dynamic_cast<const LanguageModel*>(&model) != nullptr;
  std::map<std::string, Tensor> given(tensors.begin(), tensors.end());
  const auto refuse = [&](std::string what, const std::string& why = {}) {
    return data_error(std::move(what), from, why,
                      "set the keys of the architecture as in training: they are in the job.yaml or config.json of the weights");
  };
  for (auto [name, tensor] : model_tensors(model)) {
    if (name == kPasses) continue;
    const auto it = given.find(name);
    if (it == given.end()) throw refuse(fmt::format("the weights have no tensor '{}', which this model has", name));
    const Tensor& source = it->second;
    const bool rows_of_tokens = predicts_tokens && (name == "tokens" || name == "head") && source.dim() == 2 &&
                                source.size(1) == tensor.size(1) && source.size(0) >= classes && tensor.size(0) >= classes;
    if (rows_of_tokens && source.size(0) != tensor.size(0)) {
      if (source.narrow(0, classes, source.size(0) - classes).count_nonzero().item<std::int64_t>() > 0) {  // padding rows are 0
        throw refuse(
            fmt::format("'{}' is {} in the weights and {} in this model", name, sizes_text(source.sizes()), sizes_text(tensor.sizes())),
            fmt::format("the data has {} tokens", classes));
      }
      tensor.narrow(0, 0, classes).copy_(source.narrow(0, 0, classes));
    } else if (source.sizes() == tensor.sizes()) {
      tensor.copy_(source);
    } else {
      const bool longer = name == "positions" && source.dim() == 2 && source.size(1) == tensor.size(1);
      throw refuse(
          fmt::format("'{}' is {} in the weights and {} in this model", name, sizes_text(source.sizes()), sizes_text(tensor.sizes())),
          longer ? fmt::format("they were trained with architecture.context={}; dataset.context may be less", source.size(0)) : "");
    }
    given.erase(it);
  }
  for (const auto& [name, tensor] : given) {
    if (name == kPasses || no_bias(name, tensor)) continue;
    throw refuse(fmt::format("the weights have a tensor '{}', which this model does not have", name));
  }
}

void start_from_weights(Architecture& model, const Node& architecture, std::int64_t classes) {
  const Node* const given = architecture.find("weights");
  if (!given || given->is_null()) return;
  const fs::path file = given->as_string();
  if (const Node* const sum = architecture.find("weights_sha256"); sum && !sum->is_null()) {
    const auto found = sha256_file(file);
    if (found != sum->as_string()) {
      throw data_error("these are not the weights that the job was planned with", file.string(),
                       fmt::format("their SHA-256 is {}, but the plan has {}", found, sum->as_string()),
                       "start a new run: this is a different job");
    }
  }
  give_weights(model, read_weights(file), classes, file.string());
}

}  // namespace yatlab

#include "core/model/gpt2_weights.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "core/base/text.h"

namespace yatlab {
namespace {

using at::Tensor;

/// One tensor under its two names.
struct Pair {
  std::string theirs, ours;
  bool transposed = false;
};

std::vector<Pair> pairs_of(std::int64_t layers) {
  std::vector<Pair> out = {{"wte.weight", "tokens"}, {"wpe.weight", "positions"}};
  for (std::int64_t i = 0; i < layers; ++i) {
    const auto theirs = fmt::format("h.{}.", i), ours = fmt::format("block{}.", i);
    const auto add = [&](const char* their, const char* our, bool linear) {
      out.push_back({theirs + their + ".weight", ours + our + ".weight", linear});
      out.push_back({theirs + their + ".bias", ours + our + ".bias"});
    };
    add("ln_1", "norm1", false);
    add("attn.c_attn", "attention.qkv", true);
    add("attn.c_proj", "attention.out", true);
    add("ln_2", "norm2", false);
    add("mlp.c_fc", "mlp.up", true);
    add("mlp.c_proj", "mlp.down", true);
  }
  out.push_back({"ln_f.weight", "norm.weight"});
  out.push_back({"ln_f.bias", "norm.bias"});
  return out;
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string shape_text(at::IntArrayRef sizes) {
  std::string out;
  for (const auto size : sizes) out += fmt::format("{}{}", out.empty() ? "" : ", ", size);
  return "[" + out + "]";
}

/// The shape of one of Hugging Face's tensors in a GPT-2 of shape `s`.
std::vector<std::int64_t> shape_of(const std::string& name, const Gpt2Shape& s) {
  const auto d = s.width, n = s.inner;
  if (name == "wte.weight" || name == "lm_head.weight") return {s.vocabulary, d};
  if (name == "wpe.weight") return {s.context, d};
  const bool weight = ends_with(name, ".weight");
  if (name.find(".ln_") != std::string::npos || name.rfind("ln_f", 0) == 0) return {d};
  if (name.find(".c_attn.") != std::string::npos) return weight ? std::vector<std::int64_t>{d, 3 * d} : std::vector<std::int64_t>{3 * d};
  if (name.find(".c_fc.") != std::string::npos) return weight ? std::vector<std::int64_t>{d, n} : std::vector<std::int64_t>{n};
  if (name.find(".mlp.c_proj.") != std::string::npos) return weight ? std::vector<std::int64_t>{n, d} : std::vector<std::int64_t>{d};
  return weight ? std::vector<std::int64_t>{d, d} : std::vector<std::int64_t>{d};
}

/// 12 for "h.12.ln_1.weight"; -1 if it is not a number.
std::int64_t layer_number(const std::string& name) {
  std::int64_t out = 0;
  std::size_t i = 2;
  for (; i < name.size() && is_digit(name[i]) && i < 11; ++i) out = 10 * out + (name[i] - '0');
  return i == 2 || i == name.size() || name[i] != '.' ? -1 : out;
}

Error gpt2_weights_error(const std::string& what, const std::string& why = {}) {
  return data_error(what, {}, why,
                    "GPT-2's weights are in a file 'model.safetensors' with tensors wte.weight, h.0.attn.c_attn.weight, ...");
}

}  // namespace

NamedTensors import_gpt2(const Safetensors& file, Gpt2Shape* shape) {
  std::map<std::string, Tensor> given;
  Gpt2Shape s;
  for (const auto& [name, tensor] : file.tensors) {
    const std::string prefix = "transformer.";
    const auto plain = name.rfind(prefix, 0) == 0 ? name.substr(prefix.size()) : name;
    if (ends_with(plain, ".attn.bias") || ends_with(plain, ".attn.masked_bias")) continue;
    if (!given.emplace(plain, tensor).second) throw gpt2_weights_error(fmt::format("the tensor '{}' is given twice", plain));
    if (plain.rfind("h.", 0) == 0) s.layers = std::max<std::int64_t>(s.layers, layer_number(plain) + 1);
  }
  if (s.layers > static_cast<std::int64_t>(given.size())) {
    throw gpt2_weights_error(fmt::format("there are only {} tensors for {} layers", given.size(), s.layers));
  }
  const auto tensor_of = [&](const std::string& name) {
    const auto it = given.find(name);
    if (it == given.end()) throw gpt2_weights_error(fmt::format("there is no tensor '{}'", name));
    return it->second;
  };
  for (const auto* name : {"wte.weight", "wpe.weight", "h.0.mlp.c_fc.weight"}) {
    if (tensor_of(name).dim() != 2)
      throw gpt2_weights_error(fmt::format("'{}' is {}", name, shape_text(tensor_of(name).sizes())), "it must have two dimensions");
  }
  s.vocabulary = tensor_of("wte.weight").size(0);
  s.width = tensor_of("wte.weight").size(1);
  s.context = tensor_of("wpe.weight").size(0);
  s.inner = tensor_of("h.0.mlp.c_fc.weight").size(1);

  const auto checked = [&](const std::string& name) {
    const Tensor tensor = tensor_of(name);
    if (const auto expected = shape_of(name, s); tensor.sizes() != at::IntArrayRef(expected)) {
      throw gpt2_weights_error(fmt::format("'{}' is {}", name, shape_text(tensor.sizes())),
                               fmt::format("the other tensors imply {}", shape_text(expected)));
    }
    given.erase(name);
    return tensor;
  };
  NamedTensors out;
  for (const auto& pair : pairs_of(s.layers)) {
    Tensor tensor = checked(pair.theirs).to(at::kFloat);
    if (pair.transposed) tensor = tensor.t();
    out.emplace_back(pair.ours, tensor.contiguous());
  }
  s.has_head = given.count("lm_head.weight") > 0;
  if (s.has_head) {
    const Tensor head = checked("lm_head.weight").to(at::kFloat);
    s.tied = at::equal(head, out.front().second);
    if (!s.tied) out.emplace_back("head", head.contiguous());
  }
  if (!given.empty()) throw gpt2_weights_error(fmt::format("'{}' is not a tensor of GPT-2", given.begin()->first));
  if (shape) *shape = s;
  return out;
}

NamedTensors export_gpt2(const NamedTensors& model) {
  std::map<std::string, Tensor> given(model.begin(), model.end());
  given.erase("passes");  // number of passes with dropout: used only in training
  std::int64_t layers = 0;
  while (given.count(fmt::format("block{}.attention.qkv.weight", layers))) ++layers;
  NamedTensors out;
  for (const auto& pair : pairs_of(layers)) {
    const auto it = given.find(pair.ours);
    if (it == given.end()) {
      throw config_error(fmt::format("this model has no '{}', which GPT-2 has", pair.ours), "architecture", {},
                         "only models of architecture=gpt2_hf can be written as GPT-2");
    }
    out.emplace_back(pair.theirs, (pair.transposed ? it->second.t() : it->second).contiguous());
    given.erase(it);
  }
  if (const auto it = given.find("head"); it != given.end()) {
    out.emplace_back("lm_head.weight", it->second);
    given.erase(it);
  }
  if (!given.empty()) {
    throw config_error(fmt::format("GPT-2 has no tensor like this model's '{}'", given.begin()->first), "architecture", {},
                       "only models of architecture=gpt2_hf can be written as GPT-2");
  }
  return out;
}

}  // namespace yatlab

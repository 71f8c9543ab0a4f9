#include "core/model/gpt2_weights.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "catch.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/config/yaml.h"
#include "core/model/architecture.h"
#include "core/model/language_model.h"
#include "holds.h"
#include "temporary_folder.h"

namespace yatlab {
namespace {

using at::Tensor;
using testing::holds;
using Named = std::map<std::string, Tensor>;

constexpr std::int64_t kLayers = 2, kHeads = 3, kWidth = 12, kContext = 10, kVocabulary = 23;

/// A tiny GPT-2 as saved by Hugging Face's code.
NamedTensors hugging_face(const std::string& prefix = "", bool with_masks = false) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(7);
  NamedTensors out;
  const auto add = [&](const std::string& name, at::IntArrayRef shape, double mean = 0) {
    out.emplace_back(prefix + name, at::randn(shape, generator) * 0.4 + mean);
  };
  add("wte.weight", {kVocabulary, kWidth});
  add("wpe.weight", {kContext, kWidth});
  for (std::int64_t i = 0; i < kLayers; ++i) {
    const auto h = fmt::format("h.{}.", i);
    for (const auto* norm : {"ln_1", "ln_2"}) {
      add(h + norm + ".weight", {kWidth}, 1);
      add(h + norm + ".bias", {kWidth});
    }
    add(h + "attn.c_attn.weight", {kWidth, 3 * kWidth});
    add(h + "attn.c_attn.bias", {3 * kWidth});
    add(h + "attn.c_proj.weight", {kWidth, kWidth});
    add(h + "attn.c_proj.bias", {kWidth});
    add(h + "mlp.c_fc.weight", {kWidth, 4 * kWidth});
    add(h + "mlp.c_fc.bias", {4 * kWidth});
    add(h + "mlp.c_proj.weight", {4 * kWidth, kWidth});
    add(h + "mlp.c_proj.bias", {kWidth});
    if (!with_masks) continue;
    out.emplace_back(prefix + h + "attn.bias", at::ones({1, 1, kContext, kContext}).tril());
    out.emplace_back(prefix + h + "attn.masked_bias", at::full({}, -1e4));
  }
  add("ln_f.weight", {kWidth}, 1);
  add("ln_f.bias", {kWidth});
  return out;
}

/// GPT-2's logits for one text, number by number, from Hugging Face's tensors.
std::vector<std::vector<double>> slow_gpt2(const NamedTensors& tensors, const std::vector<int>& text) {
  const Named named(tensors.begin(), tensors.end());
  const auto value = [&](const std::string& name, std::int64_t i, std::int64_t j = -1) {
    const Tensor t = named.at(name).contiguous();
    return static_cast<double>(t.data_ptr<float>()[j < 0 ? i : i * t.size(1) + j]);
  };
  using Vector = std::vector<double>;
  const auto norm = [&](const Vector& x, const std::string& name) {
    double mean = 0, variance = 0;
    for (const double v : x) mean += v / kWidth;
    for (const double v : x) variance += (v - mean) * (v - mean) / kWidth;
    Vector out(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      out[i] = (x[i] - mean) / std::sqrt(variance + 1e-5) * value(name + ".weight", at) + value(name + ".bias", at);
    }
    return out;
  };
  const auto conv1d = [&](const Vector& x, const std::string& name) {  // x W + b, W [in, out]
    Vector out(static_cast<std::size_t>(named.at(name + ".weight").size(1)));
    for (std::size_t o = 0; o < out.size(); ++o) {
      out[o] = value(name + ".bias", static_cast<std::int64_t>(o));
      for (std::size_t i = 0; i < x.size(); ++i)
        out[o] += x[i] * value(name + ".weight", static_cast<std::int64_t>(i), static_cast<std::int64_t>(o));
    }
    return out;
  };
  std::vector<Vector> stream;
  for (std::size_t t = 0; t < text.size(); ++t) {
    Vector x(kWidth);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = value("wte.weight", text[t], static_cast<std::int64_t>(i)) +
             value("wpe.weight", static_cast<std::int64_t>(t), static_cast<std::int64_t>(i));
    }
    stream.push_back(x);
  }
  for (std::int64_t layer = 0; layer < kLayers; ++layer) {
    const auto h = fmt::format("h.{}.", layer);
    std::vector<Vector> qkv;
    for (const auto& x : stream) qkv.push_back(conv1d(norm(x, h + "ln_1"), h + "attn.c_attn"));
    for (std::size_t t = 0; t < stream.size(); ++t) {
      constexpr std::size_t kHead = kWidth / kHeads;
      Vector mixed(kWidth);
      for (std::size_t head = 0; head < kHeads; ++head) {
        Vector weight(t + 1);
        double sum = 0;
        for (std::size_t s = 0; s <= t; ++s) {
          double score = 0;
          for (std::size_t i = 0; i < kHead; ++i) score += qkv[t][head * kHead + i] * qkv[s][kWidth + head * kHead + i];
          sum += weight[s] = std::exp(score / std::sqrt(static_cast<double>(kHead)));
        }
        for (std::size_t s = 0; s <= t; ++s) {
          for (std::size_t i = 0; i < kHead; ++i) mixed[head * kHead + i] += weight[s] / sum * qkv[s][2 * kWidth + head * kHead + i];
        }
      }
      const auto added = conv1d(mixed, h + "attn.c_proj");
      for (std::size_t i = 0; i < added.size(); ++i) stream[t][i] += added[i];
    }
    for (auto& x : stream) {
      auto hidden = conv1d(norm(x, h + "ln_2"), h + "mlp.c_fc");
      for (double& v : hidden) v = 0.5 * v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));  // "gelu_new"
      const auto added = conv1d(hidden, h + "mlp.c_proj");
      for (std::size_t i = 0; i < added.size(); ++i) x[i] += added[i];
    }
  }
  std::vector<Vector> logits;
  for (const auto& x : stream) {
    const auto last = norm(x, "ln_f");
    Vector row(kVocabulary);
    for (std::size_t v = 0; v < row.size(); ++v) {
      for (std::size_t i = 0; i < last.size(); ++i)
        row[v] += last[i] * value("wte.weight", static_cast<std::int64_t>(v), static_cast<std::int64_t>(i));
    }
    logits.push_back(row);
  }
  return logits;
}

std::shared_ptr<Architecture> transformer(bool tied = true) {
  Node spec = load_yaml(fs::path(YATLAB_SOURCE_DIR) / "configs/architecture/gpt2_hf.yaml");
  spec.set("layers", kLayers);
  spec.set("heads", kHeads);
  spec.set("width", kWidth);
  spec.set("context", kContext);
  spec.set("tied", tied);
  auto model = Registry<Architecture>::create(spec);
  BuildContext context;
  context.op = Registry<Operator>::create("dot");
  context.input_shape = {kContext};
  context.num_classes = kVocabulary;
  model->build(context);
  return model;
}

void fill(Architecture& model, const NamedTensors& tensors) {
  const at::NoGradGuard no_grad;
  const Named from(tensors.begin(), tensors.end());
  std::size_t filled = 0;
  for (auto& p : model.named_parameters()) {
    INFO(p.key());
    REQUIRE(from.count(p.key()) == 1);
    REQUIRE(from.at(p.key()).sizes() == p.value().sizes());
    p.value().copy_(from.at(p.key()));
    ++filled;
  }
  CHECK(filled == from.size());
}

std::string import_error(const NamedTensors& tensors) {
  try {
    import_gpt2({tensors, {}});
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("imported weights give GPT-2's own logits", "[gpt2_weights]") {
  for (const auto& [prefix, masks] : {std::pair{"", true}, std::pair{"transformer.", false}}) {
    const auto theirs = hugging_face(prefix, masks);
    Gpt2Shape shape;
    const auto ours = import_gpt2({theirs, {}}, &shape);
    CHECK(shape.layers == kLayers);
    CHECK(shape.width == kWidth);
    CHECK(shape.context == kContext);
    CHECK(shape.vocabulary == kVocabulary);
    CHECK(shape.tied);
    const auto model = transformer();
    fill(*model, ours);
    const std::vector<int> text = {3, 0, 22, 7, 7, 11, 1, 19, 4, 8};
    const auto expected = slow_gpt2(hugging_face(), text);
    const Tensor got = model->forward(at::tensor(std::vector<std::int64_t>(text.begin(), text.end())).unsqueeze(0))[0].detach();
    double worst = 0;
    for (std::size_t t = 0; t < text.size(); ++t) {
      for (std::size_t v = 0; v < kVocabulary; ++v) {
        worst = std::max(worst, std::abs(got[static_cast<std::int64_t>(t)][static_cast<std::int64_t>(v)].item<double>() - expected[t][v]));
      }
    }
    CHECK(worst < 2e-4);
  }
}

TEST_CASE("export and import are each other's inverse, to the byte", "[gpt2_weights]") {
  const TemporaryFolder folder;
  save_safetensors(folder.path() / "a", hugging_face(), {{"format", "pt"}});
  const auto ours = import_gpt2(load_safetensors(folder.path() / "a"));
  save_safetensors(folder.path() / "b", export_gpt2(ours), {{"format", "pt"}});
  CHECK(read_file(folder.path() / "b") == read_file(folder.path() / "a"));
  const auto again = import_gpt2(load_safetensors(folder.path() / "b"));
  REQUIRE(again.size() == ours.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    CHECK(again[i].first == ours[i].first);
    CHECK(at::equal(again[i].second, ours[i].second));
  }
}

TEST_CASE("a separate output head is kept unless it equals the embeddings", "[gpt2_weights]") {
  auto theirs = hugging_face();
  theirs.emplace_back("lm_head.weight", theirs.front().second.clone());
  Gpt2Shape shape;
  CHECK(import_gpt2({theirs, {}}, &shape).size() == hugging_face().size());
  CHECK(shape.tied);
  theirs.back().second += 1;
  const auto ours = import_gpt2({theirs, {}}, &shape);
  CHECK_FALSE(shape.tied);
  fill(*transformer(false), ours);
  const auto back = export_gpt2(ours);
  CHECK(back.back().first == "lm_head.weight");
  CHECK(at::equal(back.back().second, theirs.back().second));
}

TEST_CASE("half precision files are converted to float", "[gpt2_weights]") {
  NamedTensors half;
  for (const auto& [name, tensor] : hugging_face()) half.emplace_back(name, tensor.to(at::kHalf));
  for (const auto& [name, tensor] : import_gpt2({half, {}})) CHECK(tensor.scalar_type() == at::kFloat);
}

TEST_CASE("a file that is not GPT-2 is rejected with a reason", "[gpt2_weights]") {
  auto tensors = hugging_face();
  tensors.emplace_back("h.0.crossattention.c_attn.weight", at::ones({2}));
  CHECK(holds(import_error(tensors), "'h.0.crossattention.c_attn.weight' is not a tensor of GPT-2"));
  tensors = hugging_face();
  tensors.erase(tensors.begin() + 3);
  CHECK(holds(import_error(tensors), "there is no tensor 'h.0.ln_1.bias'"));
  tensors = hugging_face();
  tensors[6].second = tensors[6].second.t();
  CHECK(holds(import_error(tensors), "'h.0.attn.c_attn.weight' is [36, 12]"));
  CHECK(holds(import_error(tensors), "the other tensors imply [12, 36]"));
  tensors = hugging_face();
  tensors.emplace_back("transformer.wte.weight", tensors[0].second);
  CHECK(holds(import_error(tensors), "is given twice"));
  CHECK(holds(import_error({}), "there is no tensor 'wte.weight'"));
  for (const char* name : {"h.4000000000.ln_1.weight", "h.99999999999999999999.ln_1.weight", "h.-1.ln_1.weight", "h.x", "h."}) {
    INFO(name);
    tensors = hugging_face();
    tensors.emplace_back(name, at::ones({kWidth}));
    const auto error = import_error(tensors);
    CHECK((holds(error, fmt::format("'{}' is not a tensor of GPT-2", name)) || holds(error, "tensors for 4000000001 layers")));
  }
  const auto refused = [](NamedTensors ours) {
    try {
      export_gpt2(ours);
    } catch (const Error& e) {
      return e.message();
    }
    return std::string("no error");
  };
  auto ours = import_gpt2({hugging_face(), {}});
  ours.emplace_back("block0.mlp.nmn.alpha", at::ones({}));
  CHECK(refused(ours) == "GPT-2 has no tensor like this model's 'block0.mlp.nmn.alpha'");
  ours = import_gpt2({hugging_face(), {}});
  ours.erase(ours.begin() + 3);
  CHECK(refused(ours) == "this model has no 'block0.norm1.bias', which GPT-2 has");
}

}  // namespace yatlab

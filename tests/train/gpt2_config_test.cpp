#include "core/model/gpt2_config.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "catch.h"
#include "core/base/files.h"
#include "core/config/yaml.h"
#include "helpers.h"
#include "holds.h"
#include "temporary_folder.h"

namespace yatlab {
namespace {

using testing::error_of;
using testing::holds;

// The keys of the config.json beside OpenAI's smallest model, as Hugging Face publishes it.
const char* const kPublished = R"({
  "activation_function": "gelu_new",
  "architectures": ["GPT2LMHeadModel"],
  "attn_pdrop": 0.1, "bos_token_id": 50256, "embd_pdrop": 0.1, "eos_token_id": 50256,
  "initializer_range": 0.02, "layer_norm_epsilon": 1e-05, "model_type": "gpt2",
  "n_ctx": 1024, "n_embd": 768, "n_head": 12, "n_layer": 12, "n_positions": 1024,
  "resid_pdrop": 0.1, "summary_activation": null, "summary_first_dropout": 0.1,
  "summary_proj_to_labels": true, "summary_type": "cls_index", "summary_use_proj": true,
  "task_specific_params": {"text-generation": {"do_sample": true, "max_length": 50}},
  "vocab_size": 50257
})";

Gpt2Config read_text(const std::string& text) {
  const TemporaryFolder folder;
  write_file_atomic(folder.path() / "config.json", text);
  return read_gpt2_config(folder.path() / "config.json");
}

Gpt2Shape published_shape() {
  Gpt2Shape s;
  s.layers = 12;
  s.width = 768;
  s.inner = 3072;
  s.context = 1024;
  s.vocabulary = 50257;
  return s;
}

/// A job with architecture=gpt2_hf and further settings.
Node job_with(const std::string& architecture, const std::string& op = "{name: dot}", const std::string& normalizer = "null") {
  Node job = parse_yaml(fmt::format("architecture: {{name: transformer, bias: true, heads: 4, width: 8, mlp: {{kind: "
                                    "gelu_tanh}}{}{}}}\noperator: {}\nnormalizer: {}\n",
                                    architecture.empty() ? "" : ", ", architecture, op, normalizer),
                        "job.yaml");
  return job;
}

}  // namespace

TEST_CASE("the published config.json is read and written back the same", "[gpt2_config]") {
  const auto config = read_text(kPublished);
  CHECK(config.heads == 12);
  CHECK(config.layers == 12);
  CHECK(config.width == 768);
  CHECK(config.context == 1024);
  CHECK(config.vocabulary == 50257);
  CHECK_FALSE(config.inner);
  CHECK_FALSE(config.tied);
  CHECK_FALSE(config.exact_gelu);
  CHECK(config.scaled_attention);
  CHECK(config.dropout == 0.1);
  check_gpt2_config(config, published_shape(), "config.json");

  Gpt2Config other;
  other.heads = 4;
  other.layers = 2;
  other.width = 8;
  other.context = 16;
  other.vocabulary = 257;
  other.inner = 24;
  other.tied = false;
  other.exact_gelu = true;
  other.scaled_attention = false;
  other.dropout = 0.25;
  const auto again = read_text(gpt2_config_text(other));
  CHECK(again.heads == 4);
  CHECK(again.layers == 2);
  CHECK(again.width == 8);
  CHECK(again.context == 16);
  CHECK(again.vocabulary == 257);
  CHECK(again.inner == 24);
  CHECK(again.tied == false);
  CHECK(again.exact_gelu);
  CHECK_FALSE(again.scaled_attention);
  CHECK(again.dropout == 0.25);
  CHECK(holds(gpt2_config_text(other), "\"model_type\": \"gpt2\""));
}

TEST_CASE("a hostile config.json is rejected with its key and value", "[gpt2_config]") {
  const std::pair<std::string, std::string> cases[] = {
      {"", "it is not JSON"},
      {"{", "it is not JSON"},
      {"[1]", "it is not a JSON object"},
      {"{\"n_head\": 12} x", "it is not JSON"},
      {std::string(100000, '['), "it is not JSON"},
      {"{\"n_head\": 12, \"n_head\": 4}", "'n_head' is given twice"},
      {"{\"n_head\": \"12\"}", "n_head is \"12\""},
      {"{\"n_head\": -12}", "n_head is -12"},
      {"{\"n_head\": 0}", "n_head is 0"},
      {"{\"n_head\": 12.0}", "n_head is 12.0"},
      {"{\"n_head\": true}", "n_head is true"},
      {"{\"n_head\": [12]}", "n_head is [12]"},
      {"{\"n_head\": 18446744073709551615}", "n_head is 18446744073709551615"},
      {"{\"n_layer\": 1e300}", "n_layer is 1e+300"},
      {"{\"n_embd\": \"" + std::string(5000, 'x') + "\"}", "n_embd is \"" + std::string(56, 'x') + "...\n"},
      {"{\"n_embd\": \"" + std::string(59, 'x') + "\"}", "n_embd is \"" + std::string(56, 'x') + "...\n"},
      {"{\"n_embd\": \"" + std::string(58, 'x') + "\"}", "n_embd is \"" + std::string(58, 'x') + "\"\n"},
      {"{\"n_positions\": 1024, \"n_ctx\": 2048}", "n_positions is 1024, n_ctx is 2048"},
      {"{\"model_type\": \"gpt_neox\"}", "model_type is \"gpt_neox\""},
      {"{\"model_type\": 2}", "model_type is 2"},
      {"{\"activation_function\": \"relu\"}", "activation_function is \"relu\""},
      {"{\"activation_function\": 1}", "activation_function is 1"},
      {"{\"layer_norm_epsilon\": 1e-6}", "layer_norm_epsilon is 1e-06"},
      {"{\"layer_norm_epsilon\": \"1e-5\"}", "layer_norm_epsilon is \"1e-5\""},
      {"{\"scale_attn_by_inverse_layer_idx\": true}", "scale_attn_by_inverse_layer_idx is true"},
      {"{\"add_cross_attention\": true}", "add_cross_attention is true"},
      {"{\"scale_attn_weights\": \"no\"}", "scale_attn_weights is \"no\""},
      {"{\"tie_word_embeddings\": 1}", "tie_word_embeddings is 1"},
      {std::string(2 << 20, ' ') + "{}", "it is not a config.json of GPT-2"},
  };
  for (const auto& [text, part] : cases) {
    INFO(text.substr(0, 100));
    const auto error = error_of([&, &text = text] { read_text(text); });
    INFO(error);
    CHECK(error.rfind(part, 0) == 0);
    CHECK(holds(error, "config.json"));
    CHECK(holds(error, "give --heads"));
    CHECK(error.size() < 600);
  }
  // Missing keys are not an error.
  CHECK_FALSE(read_text("{}").heads);
  CHECK_FALSE(read_text("{\"n_head\": null, \"scale_attn_by_inverse_layer_idx\": false}").heads);
  CHECK(read_text("{\"layer_norm_epsilon\": 9.999999747378752e-06}").scaled_attention);
  CHECK(read_text("{\"activation_function\": \"gelu\"}").exact_gelu);
}

TEST_CASE("a config.json for other weights is rejected with both values", "[gpt2_config]") {
  const auto config = read_text(kPublished);
  const auto with_shape = [&](const std::function<void(Gpt2Shape&)>& change) {
    auto shape = published_shape();
    change(shape);
    return error_of([&] { check_gpt2_config(config, shape, "here/config.json"); });
  };
  CHECK(holds(with_shape([](auto& s) { s.layers = 24; }), "n_layer is 12, but the weights have 24\n  at: here/config.json"));
  CHECK(holds(with_shape([](auto& s) { s.context = 512; }), "n_positions is 1024, but the weights have 512"));
  CHECK(holds(with_shape([](auto& s) { s.vocabulary = 257; }), "vocab_size is 50257, but the weights have 257"));
  CHECK(holds(with_shape([](auto& s) { s.width = 1024, s.inner = 4096; }), "n_embd is 768, but the weights have 1024"));
  CHECK(holds(with_shape([](auto& s) { s.inner = 1536; }), "n_inner (default: 4 n_embd) is 3072, but the weights have 1536"));
  const auto tied = [](bool said, bool is, bool has_head) {
    Gpt2Config c;
    c.tied = said;
    auto shape = published_shape();
    shape.tied = is;
    shape.has_head = has_head;
    return error_of([&] { check_gpt2_config(c, shape, "config.json"); });
  };
  CHECK(holds(tied(true, false, true), "tie_word_embeddings is true, but the weights have an lm_head.weight of their own"));
  CHECK(holds(tied(false, true, false), "tie_word_embeddings is false, but the weights have no lm_head.weight"));
  CHECK(tied(true, true, true) == "no error");
  CHECK(tied(false, true, true) == "no error");
}

TEST_CASE("only a GPT-2 model is exported as one", "[gpt2_config]") {
  auto shape = published_shape();
  shape.width = 8;
  const auto config = gpt2_config_of(job_with("dropout: 0.5"), shape);
  CHECK(config.heads == 4);
  CHECK(config.scaled_attention);
  CHECK_FALSE(config.exact_gelu);
  CHECK(config.dropout == 0.5);
  CHECK_FALSE(gpt2_config_of(job_with("attention: {scale: none}"), shape).scaled_attention);
  CHECK(gpt2_config_of(job_with("", "{name: dot}", "{name: softmax}"), shape).heads == 4);
  CHECK(gpt2_config_of(job_with("attention: {operator: {name: dot}}", "{name: yat}"), shape).heads == 4);
  const auto refused = [&](const Node& job) { return error_of([&] { gpt2_config_of(job, shape); }); };
  CHECK(holds(refused(job_with("", "{name: yat}")), "GPT-2's attention has the operator 'dot', not 'yat'"));
  CHECK(holds(refused(job_with("", "null")), "not 'null'"));
  CHECK(holds(refused(job_with("attention: {operator: {name: cosine}}")), "not 'cosine'"));
  CHECK(holds(refused(job_with("", "{name: dot}", "{name: softmax, power: 2}")),
              "GPT-2's attention has the normalizer 'softmax', not {name: softmax, power: 2}"));
  CHECK(holds(refused(job_with("attention: {scale: learned}")), "GPT-2 does not support attention.scale=learned"));
  CHECK(holds(refused(job_with("norm: {kind: rms}")), "GPT-2 has LayerNorm before attention and before the MLP"));
  CHECK(holds(refused(job_with("norm: {place: post}")), "GPT-2 has LayerNorm before attention and before the MLP"));
  Node nmn = job_with("");
  nmn.find_path("architecture.mlp")->set("kind", "nmn");
  CHECK(holds(refused(nmn), "GPT-2 does not support mlp.kind=nmn"));
  Node other = job_with("");
  other.set("architecture", testing::spec("prototype_classifier"));
  CHECK(holds(refused(other), "'prototype_classifier' is not a transformer"));
}

TEST_CASE("an architecture is configured for its weights", "[gpt2_config]") {
  const Node base = load_yaml(fs::path(YATLAB_SOURCE_DIR) / "configs/architecture/gpt2_hf.yaml");
  Gpt2Shape shape = published_shape();
  shape.inner = 2 * shape.width;
  shape.tied = false;
  Gpt2Config config;
  config.exact_gelu = true;
  config.scaled_attention = false;
  const Node a = gpt2_architecture(base, config, shape, 12);
  CHECK(a.at("heads").as_int() == 12);
  CHECK(a.at("layers").as_int() == 12);
  CHECK(a.at("context").as_int() == 1024);
  CHECK_FALSE(a.at("tied").as_bool());
  CHECK(a.at("mlp").at("ratio").as_int() == 2);
  CHECK(a.at("mlp").at("kind").as_string() == "gelu");
  CHECK(a.at("attention").at("scale").as_string() == "none");
  CHECK(a.at("bias").as_bool());
  const auto refused = [&](std::int64_t heads) { return error_of([&] { gpt2_architecture(base, config, shape, heads); }); };
  CHECK(holds(refused(7), "a width of 768 is not divisible by 7 heads"));
  CHECK(holds(refused(0), "a width of 768 is not divisible by 0 heads"));
  CHECK(holds(refused(-12), "is not divisible by -12 heads"));
  shape.inner = 1000;
  CHECK(holds(refused(12), "1000 hidden units"));
}

}  // namespace yatlab

#include "core/model/gpt2_config.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/model/architecture.h"

namespace yatlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uintmax_t kLongestConfig = 1 << 20;
constexpr double kLayerNormEpsilon = 1e-5;  // the transformer's epsilon
constexpr const char* kOnlyGpt2 = "only models of architecture=gpt2_hf can be written as GPT-2";

/// A value as shown in an error message.
std::string shown(const Json& value) {
  auto text = dump_json_ascii(value);  // ASCII: can be cut at any byte
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

class Reader {
 public:
  explicit Reader(const fs::path& file) : file_(file.string()) {
    if (size_of_file(file) > kLongestConfig) fail("it is not a config.json of GPT-2", "it is longer than 1 MiB");
    const auto text = read_file(file);
    std::set<std::string> keys;
    std::string twice;
    try {
      json_ = Json::parse(text, [&](int depth, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::key && depth == 1 && !keys.insert(parsed.get<std::string>()).second)
          twice = parsed.get<std::string>();
        return true;
      });
    } catch (const nlohmann::json::exception& e) {
      fail("it is not JSON", e.what());
    }
    if (!json_.is_object()) fail("it is not a JSON object");
    if (!twice.empty()) fail(fmt::format("'{}' is given twice", twice));
  }

  [[noreturn]] void fail(const std::string& what, const std::string& why = {}) const {
    throw data_error(what, file_, why, "put the config.json of these weights there, or remove it and give --heads");
  }
  /// nullptr when the key is missing.
  const Json* find(const char* key) const {
    const auto it = json_.find(key);
    return it == json_.end() || it->is_null() ? nullptr : &*it;
  }
  std::optional<std::int64_t> count(const char* key) const {
    const Json* const value = find(key);
    if (!value) return std::nullopt;
    constexpr std::uint64_t highest = std::numeric_limits<std::int32_t>::max();
    if (!value->is_number_unsigned() || value->get<std::uint64_t>() < 1 || value->get<std::uint64_t>() > highest) {
      fail(fmt::format("{} is {}", key, shown(*value)), fmt::format("it must be an integer from 1 to {}", highest));
    }
    return value->get<std::int64_t>();
  }
  std::optional<bool> truth(const char* key) const {
    const Json* const value = find(key);
    if (!value) return std::nullopt;
    if (!value->is_boolean()) fail(fmt::format("{} is {}", key, shown(*value)), "it must be true or false");
    return value->get<bool>();
  }
  std::optional<double> number(const char* key) const {
    const Json* const value = find(key);
    if (!value) return std::nullopt;
    if (!value->is_number()) fail(fmt::format("{} is {}", key, shown(*value)), "it must be a number");
    return value->get<double>();
  }
  void refuse_truth(const char* key, const char* why) const {
    if (truth(key).value_or(false)) fail(fmt::format("{} is true", key), why);
  }

 private:
  std::string file_;
  Json json_;
};

/// A component's parameters with their defaults.
template <class Interface>
Node whole(Node spec) {
  const auto& component = Registry<Interface>::table().at(spec.at("name").as_string());
  component.schema.complete(spec, component.kind + "/" + component.name);
  return spec;
}

const Node& chosen(const Node& own, const Node* others) {
  static const Node none;
  return !own.is_null() ? own : others ? *others : none;
}

}  // namespace

Gpt2Config read_gpt2_config(const fs::path& file) {
  const Reader in(file);
  if (const Json* type = in.find("model_type"); type && *type != "gpt2")
    in.fail(fmt::format("model_type is {}", shown(*type)), "only gpt2 can be imported");
  Gpt2Config out;
  out.heads = in.count("n_head");
  out.layers = in.count("n_layer");
  out.width = in.count("n_embd");
  out.context = in.count("n_positions");
  out.vocabulary = in.count("vocab_size");
  out.inner = in.count("n_inner");
  if (const auto older = in.count("n_ctx")) {  // the name before n_positions; files of that time have both
    if (out.context && out.context != older)
      in.fail(fmt::format("n_positions is {}, n_ctx is {}", *out.context, *older), "both mean the context, so they must be equal");
    out.context = older;
  }
  if (const Json* activation = in.find("activation_function")) {
    const auto name = activation->is_string() ? activation->get<std::string>() : "";
    if (name != "gelu_new" && name != "gelu_pytorch_tanh" && name != "gelu") {
      in.fail(fmt::format("activation_function is {}", shown(*activation)), "the transformer supports gelu_new (tanh) and gelu (exact)");
    }
    out.exact_gelu = name == "gelu";
  }
  if (const auto epsilon = in.number("layer_norm_epsilon");
      epsilon && !(std::abs(*epsilon - kLayerNormEpsilon) < 1e-3 * kLayerNormEpsilon)) {
    in.fail(fmt::format("layer_norm_epsilon is {}", format_double(*epsilon)), "the transformer supports only 1e-05");
  }
  in.refuse_truth("scale_attn_by_inverse_layer_idx", "the transformer scales the scores of all layers equally");
  in.refuse_truth("add_cross_attention", "the transformer has no encoder");
  out.scaled_attention = in.truth("scale_attn_weights").value_or(true);
  out.tied = in.truth("tie_word_embeddings");
  if (const auto share = in.number("resid_pdrop"); share && *share >= 0 && *share < 1) out.dropout = *share;
  return out;
}

void check_gpt2_config(const Gpt2Config& config, const Gpt2Shape& shape, const std::string& where) {
  const auto same = [&](const char* key, const std::optional<std::int64_t>& configured, std::int64_t found) {
    if (configured && *configured != found) {
      throw data_error(fmt::format("{} is {}, but the weights have {}", key, *configured, found), where,
                       "this config.json does not belong to these weights",
                       "put the config.json of these weights there, or remove it and give --heads");
    }
  };
  same("n_layer", config.layers, shape.layers);
  same("n_embd", config.width, shape.width);
  same("n_positions", config.context, shape.context);
  same("vocab_size", config.vocabulary, shape.vocabulary);
  same("n_inner", config.inner, shape.inner);
  if (!config.inner && shape.inner != 4 * shape.width) same("n_inner (default: 4 n_embd)", 4 * shape.width, shape.inner);
  if (config.tied && *config.tied && !shape.tied) {
    throw data_error("tie_word_embeddings is true, but the weights have an lm_head.weight of their own", where);
  }
  if (config.tied && !*config.tied && shape.tied && !shape.has_head) {
    throw data_error("tie_word_embeddings is false, but the weights have no lm_head.weight", where);
  }
}

std::string gpt2_config_text(const Gpt2Config& c) {
  const Json json{{"architectures", Json::array({"GPT2LMHeadModel"})},
                  {"model_type", "gpt2"},
                  {"activation_function", c.exact_gelu ? "gelu" : "gelu_new"},
                  {"n_head", c.heads.value()},
                  {"n_layer", c.layers.value()},
                  {"n_embd", c.width.value()},
                  {"n_inner", c.inner.value()},
                  {"n_positions", c.context.value()},
                  {"n_ctx", c.context.value()},
                  {"vocab_size", c.vocabulary.value()},
                  {"layer_norm_epsilon", kLayerNormEpsilon},
                  {"scale_attn_weights", c.scaled_attention},
                  {"tie_word_embeddings", c.tied.value()},
                  {"embd_pdrop", c.dropout},
                  {"resid_pdrop", c.dropout},
                  {"attn_pdrop", 0.0}};
  return dump_json(json, 2) + "\n";
}

Gpt2Config gpt2_config_of(const Node& job, const Gpt2Shape& shape) {
  const Node a = whole<Architecture>(job.at("architecture"));
  const auto refuse = [](const std::string& what, const std::string& key) { throw config_error(what, key, {}, kOnlyGpt2); };
  if (a.at("name").as_string() != "transformer") refuse(fmt::format("'{}' is not a transformer", a.at("name").as_string()), "architecture");
  const Node &attention = a.at("attention"), &mlp = a.at("mlp"), &norm = a.at("norm");
  const Node& op = chosen(attention.at("operator"), job.find("operator"));
  if (op.is_null() || op.at("name").as_string() != "dot") {
    refuse(fmt::format("GPT-2's attention has the operator 'dot', not '{}'", op.is_null() ? "null" : op.at("name").as_string()),
           "operator");
  }
  const Node& n = chosen(attention.at("normalizer"), job.find("normalizer"));
  if (!n.is_null() && whole<Normalizer>(n) != whole<Normalizer>(Node(Node::Map{{"name", "softmax"}}))) {
    refuse(fmt::format("GPT-2's attention has the normalizer 'softmax', not {}", shortened(n.to_flow())), "normalizer");
  }
  const auto& scale = attention.at("scale").as_string();
  const auto& kind = mlp.at("kind").as_string();
  if (scale != "sqrt" && scale != "none")
    refuse(fmt::format("GPT-2 does not support attention.scale={}", scale), "architecture.attention.scale");
  if (kind != "gelu" && kind != "gelu_tanh") refuse(fmt::format("GPT-2 does not support mlp.kind={}", kind), "architecture.mlp.kind");
  if (norm.at("place").as_string() != "pre" || norm.at("kind").as_string() != "layer")
    refuse("GPT-2 has LayerNorm before attention and before the MLP", "architecture.norm");
  Gpt2Config out;
  out.heads = a.at("heads").as_int();
  out.layers = shape.layers;
  out.width = shape.width;
  out.context = shape.context;
  out.vocabulary = shape.vocabulary;
  out.inner = shape.inner;
  out.tied = shape.tied;
  out.exact_gelu = kind == "gelu";
  out.scaled_attention = scale == "sqrt";
  out.dropout = a.at("dropout").as_double();
  return out;
}

Node gpt2_architecture(Node architecture, const Gpt2Config& config, const Gpt2Shape& shape, std::int64_t heads) {
  if (heads < 1 || shape.width % heads != 0) {
    throw config_error(fmt::format("a width of {} is not divisible by {} heads", shape.width, heads), {}, {},
                       "set --heads to a divisor of the width");
  }
  if (shape.inner % shape.width != 0) {
    throw data_error(fmt::format("the MLP has {} hidden units, which is not a multiple of the width {}", shape.inner, shape.width));
  }
  architecture.set("layers", shape.layers);
  architecture.set("heads", heads);
  architecture.set("width", shape.width);
  architecture.set("context", shape.context);
  architecture.set("tied", shape.tied);
  const auto part = [&](const char* key) -> Node& {
    if (!architecture.has(key)) architecture.set(key, Node::map());
    return *architecture.find(key);
  };
  part("attention").set("scale", config.scaled_attention ? "sqrt" : "none");
  part("mlp").set("kind", config.exact_gelu ? "gelu" : "gelu_tanh");
  part("mlp").set("ratio", shape.inner / shape.width);
  return architecture;
}

}  // namespace yatlab

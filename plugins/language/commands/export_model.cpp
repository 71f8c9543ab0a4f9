#include "plugins/language/commands/export_model.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/compose/trained_model.h"
#include "core/data/locate.h"
#include "core/data/safetensors.h"
#include "core/job/evaluate_model.h"
#include "core/job/trained_language_model.h"
#include "core/model/build_model.h"
#include "core/model/gpt2_config.h"
#include "core/model/gpt2_weights.h"
#include "core/record/job_file.h"

namespace yatlab::cli {
namespace {

using Json = nlohmann::ordered_json;
using Files = std::map<std::string, std::string>;

constexpr std::int64_t kReferenceTokens = 16, kReferenceSamples = 4;

/// A component's parameters with its defaults.
template <class Interface>
Node completed_spec(Node spec) {
  if (spec.is_null()) return spec;
  const auto& component = Registry<Interface>::table().at(spec.at("name").as_string());
  component.schema.complete(spec, component.kind + "/" + component.name);
  return spec;
}

/// Config error unless the folder is new, empty, or contains only an earlier export, which will be replaced.
void require_own_folder(const fs::path& out) {
  static const std::set<std::string> kOurs = {
      "model.safetensors", "reference.safetensors", "config.json",           "generation_config.json",  "vocab.json", "merges.txt",
      "README.md",         "modeling_aether.py",    "tokenizer_config.json", "special_tokens_map.json", "job.yaml",   "summary.json"};
  std::error_code ec;
  if (fs::exists(out, ec) && !fs::is_directory(out, ec))
    throw config_error(fmt::format("'{}' is a file", out.string()), "--out", {}, "name a folder: --out models/NAME");
  if (fs::is_directory(out, ec)) {
    const auto there = entries_of(out);
    const bool earlier = is_job_folder(out) && fs::exists(out / "model.safetensors", ec);
    for (const auto& entry : there) {
      if (earlier && kOurs.count(entry.filename().string())) continue;
      throw config_error(fmt::format("'{}' is not empty: it contains {}", out.string(), entry.filename().string()), "--out", {},
                         fmt::format("use a new folder: --out {}", (out / "model").string()));
    }
  }
  require_writable_folder(out, "--out", "use a different folder: --out FOLDER");
}

/// vocab.json and merges.txt as GPT2Tokenizer reads them, with the rest that it asks for. Bytes are byte-level BPE without a merge.
Files tokenizer_files(const Node* spec, const Tokenizer& tokenizer, std::int64_t context, const DataContext& data) {
  const bool bytes = tokenizer.vocabulary() == 257;
  const auto name = spec && spec->find("name") ? spec->at("name").as_string() : std::string("bytes");
  if (!bytes && name != "gpt2") {
    throw config_error(fmt::format("the tokenizer '{}' cannot be written as Hugging Face files", name), "dataset.tokenizer", {},
                       "models of the tokenizers 'gpt2' and 'bytes' can be exported");
  }
  const auto letters = [&](Token token) {
    std::string out;
    if (token == tokenizer.end_of_text()) return std::string("<|endoftext|>");
    for (const char c : tokenizer.decode({token})) out += byte_letter(static_cast<unsigned char>(c));
    return out;
  };
  Json vocabulary = Json::object();
  for (std::size_t token = 0; token < tokenizer.vocabulary(); ++token) vocabulary[letters(static_cast<Token>(token))] = token;
  Files out;
  out["vocab.json"] = dump_json(vocabulary) + "\n";
  if (bytes) {
    out["merges.txt"] = "#version: 0.2\n";
  } else {
    std::vector<std::string> mirrors;
    if (const Node* const given = spec->find("mirrors")) {
      for (const auto& mirror : given->as_list()) mirrors.push_back(mirror.as_string());
    }
    out["merges.txt"] = read_file(locate(declare_files("gpt2-bpe", spec->at("files"), mirrors, {}, "tokenizer"), data).paths.at("merges"));
  }
  const std::string end = "<|endoftext|>";
  out["special_tokens_map.json"] = dump_json(Json{{"bos_token", end}, {"eos_token", end}, {"unk_token", end}}, 2) + "\n";
  out["tokenizer_config.json"] = dump_json(Json{{"tokenizer_class", "GPT2Tokenizer"},
                                                {"add_prefix_space", false},
                                                {"bos_token", end},
                                                {"eos_token", end},
                                                {"unk_token", end},
                                                {"model_max_length", context}},
                                           2) +
                                 "\n";
  return out;
}

/// Adds zeros for missing biases, because GPT-2's code has biases in all linear layers.
NamedTensors with_zero_biases(const NamedTensors& model) {
  NamedTensors out = model;
  std::set<std::string> names;
  for (const auto& entry : model) names.insert(entry.first);
  const std::string end = ".weight";
  for (const auto& [name, tensor] : model) {
    if (name.size() <= end.size() || name.compare(name.size() - end.size(), end.size(), end) != 0) continue;
    const auto bias = name.substr(0, name.size() - end.size()) + ".bias";
    if (!names.count(bias)) out.emplace_back(bias, at::zeros({tensor.size(0)}));
  }
  return out;
}

Json json_of(const Node& node) { return to_json(node); }

/// config.json of a model that is not a GPT-2, for modeling_aether.py.
std::string aether_config(const Node& config, std::int64_t vocabulary, std::int64_t end_of_text) {
  const Node architecture = completed_spec<Architecture>(config.at("architecture"));
  Node attention = architecture.at("attention"), mlp = architecture.at("mlp");
  const Node op = completed_spec<Operator>(config.at("operator"));
  attention.set("operator", completed_spec<Operator>(attention.at("operator")));
  attention.set("normalizer", completed_spec<Normalizer>(attention.at("normalizer")));
  mlp.set("operator", completed_spec<Operator>(mlp.at("operator")));
  const Node normalizer = completed_spec<Normalizer>(config.at("normalizer"));
  const auto known = [](const Node& spec, const std::set<std::string>& names, const char* key) {
    if (spec.is_null() || names.count(spec.at("name").as_string())) return;
    throw config_error(fmt::format("the {} '{}' cannot be exported", key, spec.at("name").as_string()), key,
                       "modeling_aether.py does not support it", fmt::format("it supports {}", join({names.begin(), names.end()}, ", ")));
  };
  const std::set<std::string> operators = {"dot", "cosine", "euclidean", "yat"},
                              normalizers = {"softmax", "softermax", "soft_sigmoid", "soft_tanh"};
  for (const Node& spec : {op, attention.at("operator"), mlp.at("operator")}) known(spec, operators, "operator");
  for (const Node& spec : {normalizer, attention.at("normalizer")}) known(spec, normalizers, "normalizer");
  for (const Node& half : {attention.at("operator"), mlp.at("operator")}) {
    const Node* const learned = half.find("learn_epsilon");
    if (learned && learned->as_bool())
      throw config_error("an epsilon learned by only one half of the blocks cannot be exported", "architecture", {},
                         "modeling_aether.py supports one epsilon for all");
  }
  Node out = architecture;
  out.set("attention", attention);
  out.set("mlp", mlp);
  for (const char* key : {"weights", "weights_sha256", "precision", "recompute"}) out.erase(key);
  const Json json{
      {"architectures", Json::array({"AetherForCausalLM"})},
      {"model_type", "aether"},
      {"auto_map", {{"AutoConfig", "modeling_aether.AetherConfig"}, {"AutoModelForCausalLM", "modeling_aether.AetherForCausalLM"}}},
      {"vocab_size", vocabulary},
      {"bos_token_id", end_of_text},
      {"eos_token_id", end_of_text},
      {"num_hidden_layers", architecture.at("layers").as_int()},
      {"num_attention_heads", architecture.at("heads").as_int()},
      {"hidden_size", architecture.at("width").as_int()},
      {"max_position_embeddings", architecture.at("context").as_int()},
      {"tie_word_embeddings", false},
      {"use_cache", false},
      {"torch_dtype", "float32"},
      {"operator", op.is_null() ? Json::object() : json_of(op)},
      {"normalizer", json_of(normalizer)},
      {"architecture", json_of(out)}};
  return dump_json(json, 2) + "\n";
}

/// The model's training data, settings and recorded metrics, for README.md.
std::string provenance_text(const TrainedModel& trained, const RecordedEnd& recorded, const nlohmann::json& summary) {
  std::string out = fmt::format("Arm `{}`, seed {}, after {} updates.\n\n", trained.arm, trained.seed, trained.step);
  for (const char* key : {"operator", "normalizer", "architecture", "task", "optimizer", "schedule"}) {
    const Node* const node = trained.config.find(key);
    if (node && !node->is_null()) out += fmt::format("- {}: `{}`\n", key, shortened(node->to_flow(), 600));
  }
  if (summary.is_object() && summary.contains("dataset")) {
    const auto& data = summary.at("dataset");
    out += fmt::format("\nData: {}, SHA-256 `{}` ({}).", data.value("name", ""), data.value("sha256", ""), data.value("tier", ""));
    if (data.contains("substituted_for") && data.at("substituted_for").is_string())
      out += fmt::format(" **A substitute, where {} was asked for.**", data.at("substituted_for").get<std::string>());
    out += "\n";
  }
  if (!recorded.why_diverged.empty()) out += fmt::format("\n**Its training diverged:** {}.\n", recorded.why_diverged);
  if (!recorded.metrics.empty()) {
    out += "\n| as recorded | |\n|:--|--:|\n";
    for (const auto& [name, value] : recorded.metrics) out += fmt::format("| {} | {:.6g} |\n", name, value);
  }
  return out + "\n`job.yaml` has the whole config, `summary.json` the numbers.\n";
}

std::string shapes_table(const NamedTensors& tensors) {
  std::string out = "| tensor | shape |\n|:--|:--|\n";
  for (const auto& [name, tensor] : tensors)
    out += fmt::format("| `{}` | [{}] |\n", name, fmt::join(tensor.sizes().begin(), tensor.sizes().end(), ", "));
  return out;
}

/// PyTorch code of the kernel K(x, w); empty for operators unknown here.
std::string kernel_python(const Node& op, bool bias) {
  if (op.is_null()) return "";
  const auto name = op.at("name").as_string();
  const auto number = [&](const char* key) { return format_double(op.at(key).as_double()); };
  const std::string plus = bias ? " + bias" : "", parameters = bias ? "x, w, bias" : "x, w";
  std::string body;
  if (name == "dot") body = "    return x @ w.T" + plus + "\n";
  if (name == "cosine") {
    body = fmt::format("    unit = lambda t: t / t.norm(dim=-1, keepdim=True).clamp_min({})\n    return unit(x) @ unit(w).T{}\n",
                       number("epsilon"), plus);
  }
  const std::string squared = "    squared = torch.cdist(x, w, compute_mode=\"donot_use_mm_for_euclid_dist\").square()\n";
  if (name == "euclidean") {
    const auto form = op.at("form").as_string();
    const auto value = form == "squared"    ? "-squared"
                       : form == "distance" ? "-squared.sqrt()"
                                            : fmt::format("1 / (squared + {})", number("epsilon"));
    body = squared + "    return " + value + plus + "\n";
  }
  if (name == "yat") {
    if (op.at("spherical").as_bool()) body = "    x, w = (t / t.norm(dim=-1, keepdim=True).clamp_min(1e-8) for t in (x, w))\n";
    const bool after = op.at("bias_place").as_string() == "after";
    const auto epsilon =
        op.at("learn_epsilon").as_bool() ? "torch.nn.functional.softplus(tensors[\"operator.free_epsilon\"])" : number("epsilon");
    body += squared + fmt::format("    return (x @ w.T{}) ** 2 / (squared + {}){}\n", after ? "" : plus, epsilon, after ? plus : "");
  }
  return body.empty() ? "" : fmt::format("def kernel({}):\n{}\n", parameters, body);
}

/// PyTorch code of one NMN layer: s * K(x, rows of the layer).
std::string layer_python(const Node& architecture, const std::string& layer, const std::string& input, bool bias) {
  std::string factor;
  const Node* const scale = architecture.find("scale");
  const auto kind = scale ? scale->as_string() : "none";
  const auto units = fmt::format("len(tensors[\"{}.weight\"])", layer);
  if (kind == "n_over_log") factor = fmt::format("({0} / math.log1p({0})) ** tensors[\"{1}.alpha\"] * ", units, layer);
  if (kind == "sqrt_n_over_log") factor = fmt::format("(math.sqrt({0}) / math.log1p({0})) ** tensors[\"{1}.alpha\"] * ", units, layer);
  if (kind == "multiply") factor = fmt::format("tensors[\"{}.alpha\"] * ", layer);
  if (kind == "constant") factor = "math.sqrt(2) * ";
  return fmt::format("{}kernel({}, tensors[\"{}.weight\"]{})", factor, input, layer,
                     bias ? fmt::format(", tensors[\"{}.bias\"]", layer) : "");
}

/// PyTorch code of the model's scores; empty for architectures or operators unknown here.
std::string classifier_python(const TrainedModel& trained) {
  const Node a = completed_spec<Architecture>(trained.config.at("architecture"));
  const Node* const has_bias = a.find("bias");
  const bool bias = has_bias && has_bias->as_bool();
  const auto kernel = kernel_python(completed_spec<Operator>(trained.config.at("operator")), bias);
  if (kernel.empty()) return "";
  const auto name = a.at("name").as_string();
  std::string body;
  if (name == "prototype_classifier") {
    body = "    scores = " + layer_python(a, "layer", "x", bias) + "\n";
    if (const auto each = a.at("per_class").as_int(); each > 1) {
      const bool most = a.at("combine").as_string() == "max";
      body += fmt::format("    scores = scores.view(len(x), -1, {}).{}(-1)\n", each, most ? "amax" : "logsumexp");
    }
    body += "    return scores\n";
  } else if (name == "mlp") {
    const auto activation = a.at("activation").as_string();
    const auto layers = a.at("hidden").size() + 1;
    for (std::size_t i = 0; i < layers; ++i) {
      auto layer = layer_python(a, fmt::format("layer{}", i), "x", bias);
      const bool last = i + 1 == layers;
      if (!last && activation == "tanh") layer = "torch.tanh(" + layer + ")";
      if (!last && (activation == "relu" || activation == "gelu")) layer = "torch.nn.functional." + activation + "(" + layer + ")";
      body += fmt::format("    {}{}\n", last ? "return " : "x = ", layer);
    }
  } else if (name == "one_hidden_layer") {
    body = "    hidden = " + layer_python(Node::map(), "hidden", "x", bias) + "\n";
    if (a.at("activation").as_string() == "relu") body += "    hidden = hidden.relu()\n";
    body += fmt::format("    return hidden @ tensors[\"readout\"].T * {} ** -{}\n", a.at("width").as_int(),
                        format_double(a.at("output_power").as_double()));
  } else {
    return "";
  }
  return kernel + "def scores(x):  # [B, ...] -> [B, classes]\n    x = x.flatten(1)\n" + body;
}

NamedTensors in_float(const NamedTensors& tensors) {
  NamedTensors out;
  for (const auto& [name, tensor] : tensors) {
    if (name != "passes")
      out.emplace_back(name, tensor.is_floating_point() ? tensor.detach().to(at::kFloat).contiguous() : tensor.detach());
  }
  return out;
}

bool is_finite(const at::Tensor& tensor) { return !tensor.is_floating_point() || at::isfinite(tensor).all().item<bool>(); }

/// Data error if the model's tensors or scores are not finite: such a model is of no use.
void require_finite(const NamedTensors& tensors, const NamedTensors& reference, const TrainedModel& trained, const RecordedEnd& recorded) {
  std::string what;
  for (const auto& [name, tensor] : tensors) {
    if (what.empty() && !is_finite(tensor)) what = fmt::format("its tensor '{}' contains values that are not finite", name);
  }
  for (const auto& [name, tensor] : reference) {
    if (what.empty() && !is_finite(tensor)) what = "its scores are not finite";
  }
  if (what.empty()) return;
  throw data_error(fmt::format("the model of '{}' cannot be exported: {}", trained.folder.string(), what), {},
                   recorded.why_diverged.empty() ? "" : "its training diverged: " + recorded.why_diverged,
                   "choose a job that did not diverge; 'yatlab status' shows which did");
}

struct Export {
  Files files;
  NamedTensors tensors, reference;
  std::map<std::string, std::string> metadata = {{"format", "pt"}};
  Node config;  // as written to the folder's job.yaml
  std::string what;
};

/// Config error for kinds of attention that neither GPT-2's code nor modeling_aether.py supports.
void refuse_other_attention(const Node& config) {
  const Node architecture = completed_spec<Architecture>(config.at("architecture"));
  const auto refuse = [](const char* what, const char* key) {
    throw config_error(fmt::format("a model {} cannot be exported", what), key, "the exported PyTorch code does not support it");
  };
  const Node& attention = architecture.at("attention");
  if (!attention.at("features").is_null()) refuse("with attention by features", "architecture.attention.features");
  if (!attention.at("causal").as_bool()) refuse("whose positions attend to later positions", "architecture.attention.causal");
  if (architecture.at("mlp").at("kind").as_string() == "none") refuse("with attention only", "architecture.mlp.kind");
}

Export language_export(const TrainedModel& trained, const DataContext& context, const std::string& provenance) {
  Export out;
  out.config = trained.config;
  refuse_other_attention(out.config);
  const auto lm = load_language_model(trained.folder);
  const auto tokenizer = lm.tokenizer(context);
  const auto vocabulary = static_cast<std::int64_t>(tokenizer->vocabulary());
  Node& architecture = *out.config.find("architecture");
  architecture.set("vocabulary_multiple", 1);  // padding is left out
  NamedTensors tensors = in_float(trained.tensors);
  for (auto& [name, tensor] : tensors) {
    if (name == "tokens" || name == "head") tensor = tensor.narrow(0, 0, vocabulary).contiguous();
  }
  const auto end = static_cast<std::int64_t>(tokenizer->end_of_text());
  const Node* const spec = trained.config.find_path("dataset.tokenizer");
  out.files = tokenizer_files(spec, *tokenizer, lm.context, context);
  std::string load;
  bool gpt2 = true;
  try {
    out.tensors = export_gpt2(with_zero_biases(tensors));
    Gpt2Shape shape;
    import_gpt2({out.tensors, {}}, &shape);
    auto config = parse_ordered_json(gpt2_config_text(gpt2_config_of(trained.config, shape)));
    config["bos_token_id"] = config["eos_token_id"] = end;
    out.files["config.json"] = dump_json(config, 2) + "\n";
    out.metadata["n_head"] = fmt::format("{}", config.at("n_head").get<std::int64_t>());
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::kConfig) throw;
    gpt2 = false;
  }
  if (gpt2) {
    out.what = "a GPT-2, as GPT2LMHeadModel reads it";
    load =
        "from transformers import GPT2LMHeadModel, GPT2Tokenizer\n\nmodel = GPT2LMHeadModel.from_pretrained(\".\")\ntokenizer = "
        "GPT2Tokenizer.from_pretrained(\".\")\n";
  } else {
    out.tensors = tensors;
    out.files["config.json"] = aether_config(out.config, vocabulary, end);
    out.files["modeling_aether.py"] = std::string(kModelingAether);
    out.what = "with modeling_aether.py";
    load =
        "from transformers import AutoModelForCausalLM, GPT2Tokenizer\n\nmodel = AutoModelForCausalLM.from_pretrained(\".\", "
        "trust_remote_code=True)\n"
        "tokenizer = GPT2Tokenizer.from_pretrained(\".\")\n\n# or with PyTorch alone:\nfrom modeling_aether import AetherForCausalLM\n\n"
        "model = AetherForCausalLM.from_pretrained(\".\")\n";
  }
  TrainedModel exact = trained;
  exact.config.find("architecture")->set("precision", "float32");
  const at::NoGradGuard no_grad;
  const auto length = std::min(kReferenceTokens, lm.context);
  const at::Tensor inputs =
      (at::arange(kReferenceSamples * length, at::kLong) * 7919 + 65).remainder(vocabulary).view({kReferenceSamples, length});
  const at::Tensor scores = exact.model({length}, vocabulary)->forward(inputs);
  out.reference = {{"inputs", inputs}, {"scores", scores.narrow(-1, 0, vocabulary).contiguous()}};
  out.files["README.md"] = fmt::format(
      "# {}: a language model\n\n{}\n```python\n{}```\n\nTokens: {}. A document begins behind `<|endoftext|>` ({}). "
      "`GPT2Tokenizer` makes that token of these letters wherever they stand in a text; in training they were text like any other (but for "
      "what `data tokenize --endoftext token` wrote), as they are for "
      "`GPT2Tokenizer.from_pretrained(\".\", split_special_tokens=True)`. "
      "`reference.safetensors` has tokens "
      "(`inputs` [{}, {}]) and the logits that Yatlab computes for them in float32 (`scores`).\n\n{}",
      trained.arm, provenance, load, vocabulary == 257 ? "bytes (byte-level BPE without a merge)" : "GPT-2's", end, kReferenceSamples,
      length, shapes_table(out.tensors));
  return out;
}

Export classifier_export(const TrainedModel& trained, const DataContext& context, const std::string& provenance) {
  Export out;
  out.config = trained.config;
  out.tensors = in_float(trained.tensors);
  out.what = "as tensors, with what to compute in README.md";
  DataCache cache(context);
  const auto data = cache.get(trained.config.at("dataset"));
  const auto shape = data->dataset->input_shape();
  const auto model = trained.model(shape, data->dataset->num_classes());
  const auto program = classifier_python(trained);
  const auto test = data->splits.find("test");
  if (test != data->splits.end() && test->second.inputs.defined() && test->second.inputs.layout() == at::kStrided) {
    const at::NoGradGuard no_grad;
    const at::Tensor inputs = test->second.inputs.narrow(0, 0, std::min<std::int64_t>(kReferenceSamples, test->second.size())).contiguous();
    out.reference = {{"inputs", inputs}, {"scores", model->forward(inputs).contiguous()}};
  }
  const auto code =
      program.empty()
          ? std::string("What is computed from them: the components' sources in `plugins`, folders `architectures` and `operators`.\n")
          : "```python\nimport math\nimport torch\nfrom safetensors.torch import load_file\n\ntensors = "
            "load_file(\"model.safetensors\")\n\n" +
                program +
                "```\n\nThe class is the largest score's. Inputs are those of `reference.safetensors` (`inputs`), whose scores as Yatlab "
                "computes them "
                "in float32 stand beside them (`scores`).\n";
  out.files["README.md"] = fmt::format("# {}: a classifier\n\n{}\nInputs: [{}]; {} classes.\n\n{}\n{}", trained.arm, provenance,
                                       fmt::join(shape, ", "), data->dataset->num_classes(), shapes_table(out.tensors), code);
  return out;
}

}  // namespace

void export_model(const fs::path& path, const fs::path& folder, const DataContext& context) {
  const auto trained = load_trained_model(path);
  if (trained.from == TrainedModel::From::kPublished)
    throw config_error(fmt::format("'{}' is not a job", path.string()), "command line", "its weights already have Hugging Face's format");
  const auto recorded = recorded_end(trained.folder);
  std::error_code ec;
  const auto summary_file = trained.folder / "summary.json";
  const auto summary_text = fs::exists(summary_file, ec) ? read_file(summary_file) : std::string();
  const auto provenance = provenance_text(trained, recorded, parse_json(summary_text, false));
  const bool text = trained.tensor("tokens") && trained.tensor("positions");
  auto out = text ? language_export(trained, context, provenance) : classifier_export(trained, context, provenance);
  require_finite(out.tensors, out.reference, trained, recorded);
  if (!recorded.why_diverged.empty()) say_error("note: the training of this model diverged: {}\n", recorded.why_diverged);

  require_own_folder(folder);
  out.metadata["step"] = fmt::format("{}", trained.step);
  auto job = read_job_file(trained.folder);
  job.config = out.config;
  job.needs.clear();
  if (!summary_text.empty()) out.files["summary.json"] = summary_text;
  for (const auto& entry : entries_of(folder)) remove_tree(folder / entry.filename());
  save_safetensors(folder / "model.safetensors", out.tensors, out.metadata);
  if (!out.reference.empty()) save_safetensors(folder / "reference.safetensors", out.reference);
  for (const auto& [name, content] : out.files) write_file_atomic(folder / name, content);
  write_file_atomic(folder / "job.yaml", to_yaml(job));
  say("{}: the model of {} after {} steps, {}\n", folder.string(), trained.folder.string(), trained.step, out.what);
}

}  // namespace yatlab::cli

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/cli/out_folder.h"
#include "core/config/yaml.h"
#include "core/job/trained_language_model.h"
#include "core/model/gpt2_config.h"
#include "core/system/stop.h"
#include "plugins/language/commands/export_model.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

constexpr const char* kHeads = "n_head";  // in a safetensors file's metadata, as in config.json

/// The contents of configs/<group>/<name>.yaml, not composed.
Node config_called(const std::string& group, const std::string& name) {
  for (const auto& root : config_path()) {
    const auto file = root / group / (name + ".yaml");
    if (fs::exists(file)) return load_yaml(file);
  }
  throw config_error(fmt::format("there is no configs/{}/{}.yaml", group, name), "command line", {}, "run it from the repository");
}

/// config.json in the folder of the weights.
fs::path config_beside(const fs::path& weights) {
  return (weights.has_parent_path() ? weights.parent_path() : fs::path(".")) / "config.json";
}

/// The number of attention heads, which cannot be derived from the tensors. All sources that specify it must agree.
std::int64_t heads_of(const std::optional<std::int64_t>& option, const Gpt2Config& config, const fs::path& config_file,
                      const Safetensors& weights, const std::string& weights_file) {
  struct Source {
    std::string name;
    std::int64_t heads;
  };
  std::vector<Source> sources;
  if (option) sources.push_back({"--heads", *option});
  if (config.heads) sources.push_back({fmt::format("n_head of '{}'", config_file.string()), *config.heads});
  if (const auto it = weights.metadata.find(kHeads); it != weights.metadata.end()) {
    const auto& text = it->second;
    const bool number = !text.empty() && text.size() < 10 && std::all_of(text.begin(), text.end(), is_digit);
    if (!number)
      throw data_error(fmt::format("the metadata contain {}='{}'", kHeads, text.substr(0, 60)), weights_file, "it must be an integer");
    sources.push_back({fmt::format("the metadata of '{}'", weights_file), std::stoll(text)});
  }
  if (sources.empty()) {
    throw config_error("the number of attention heads of this model is unknown", weights_file,
                       fmt::format("there is {} '{}'", config.layers || config.width ? "no n_head in" : "no", config_file.string()),
                       "put the model's config.json there, or give --heads N (12, 16, 20 and 25 for OpenAI's four sizes)");
  }
  for (const auto& other : sources) {
    if (other.heads != sources.front().heads) {
      throw config_error(fmt::format("{} says {} heads, {} says {}", sources.front().name, sources.front().heads, other.name, other.heads),
                         "command line", {}, "they must agree");
    }
  }
  return sources.front().heads;
}

/// Imports GPT-2's weights into a new job folder. named: their file, or its folder.
void import_weights(const fs::path& named, const fs::path& out, const std::optional<std::int64_t>& heads_option) {
  std::error_code ec;
  const fs::path file = fs::is_directory(named, ec) ? named / "model.safetensors" : named;
  const auto weights = load_safetensors(file);
  Gpt2Shape shape;
  const auto tensors = import_gpt2(weights, &shape);
  const fs::path config_file = config_beside(file);
  Gpt2Config published;
  if (fs::exists(config_file, ec)) published = read_gpt2_config(config_file);
  check_gpt2_config(published, shape, config_file.string());
  const auto heads = heads_of(heads_option, published, config_file, weights, file.string());
  Node config = Node::map(), dataset = Node::map(), op = Node::map();
  op.set("name", "dot");
  dataset.set("name", "fineweb");
  dataset.set("context", shape.context);
  dataset.set("tokenizer", config_called("tokenizer", "gpt2"));
  config.set("operator", std::move(op));
  config.set("normalizer", Node());
  config.set("architecture", gpt2_architecture(config_called("architecture", "gpt2_hf"), published, shape, heads));
  config.set("dataset", std::move(dataset));
  save_language_model(out, config, tensors);
  say("{}: {} layers, width {}, {} heads, context {}, vocabulary {}\n", out.string(), shape.layers, shape.width, heads, shape.context,
      shape.vocabulary);
}

}  // namespace

static void model_options(po::options_description& options) {
  options.add_options()("out", po::value<std::string>()->default_value(""), "folder to write")(
      "heads", po::value<std::int64_t>(), "import: number of attention heads, if neither config.json nor the file contains it")(
      "root", po::value<std::string>()->default_value("data"),
      "folder that holds downloaded data: export also writes the tokenizer's files");
}

static int model_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  const std::string verb = args.words.empty() ? "" : args.words.front();
  if (verb != "import" && verb != "export") {
    throw config_error(verb.empty() ? "model needs import or export" : fmt::format("model has no action '{}'", verb), "command line", {},
                       suggestion(verb, {"import", "export"}));
  }
  if (args.words.size() != 2)
    throw config_error(fmt::format("'model {}' takes one {}", verb, verb == "import" ? "file" : "job"), "command line");
  if (args.text("out").empty()) throw config_error("--out is required", "command line");
  require_folder_name(args.text("out"), verb == "import" ? "it becomes a job's folder" : "the weights are its model.safetensors");
  if (verb == "import") {
    std::optional<std::int64_t> heads;
    if (args.has("heads")) heads = args.options["heads"].as<std::int64_t>();
    import_weights(args.words[1], args.text("out"), heads);
  } else {
    if (args.has("heads")) throw config_error("--heads is for 'model import'", "command line", "a job's config contains its heads");
    DataContext data;
    data.root = args.text("root");
    data.stop = [] { return stop_signal() != 0; };
    export_model(args.words[1], args.text("out"), data);
  }
  return 0;
}

YATLAB_COMMAND("model", model_command, model_options);

}  // namespace yatlab::cli

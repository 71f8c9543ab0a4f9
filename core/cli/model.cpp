#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/config/yaml.h"
#include "core/experiment/trained_language_model.h"
#include "core/train/gpt2_weights.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

/// configs/<group>/<name>.yaml, as it stands.
Node config_called(const std::string& group, const std::string& name) {
  for (const auto& root : config_path()) {
    const auto file = root / group / (name + ".yaml");
    if (std::filesystem::exists(file)) return load_yaml(file);
  }
  throw config_error(fmt::format("there is no configs/{}/{}.yaml", group, name), "command line", {}, "run it from the repository");
}

/// Reads GPT-2's weights into a job's folder.
void import_weights(const std::string& file, const std::string& out, std::int64_t heads) {
  Gpt2Shape shape;
  const auto tensors = import_gpt2(load_safetensors(file), &shape);
  if (heads == 0) heads = shape.width / 64;  // all of OpenAI's sizes
  if (heads < 1 || shape.width % heads != 0) {
    throw config_error(fmt::format("a width of {} cannot be shared by {} heads", shape.width, heads), "command line", {}, "set --heads");
  }
  Node config = Node::map(), architecture = config_called("architecture", "gpt2_hf"), dataset = Node::map(), op = Node::map();
  architecture.set("layers", shape.layers);
  architecture.set("heads", heads);
  architecture.set("width", shape.width);
  architecture.set("context", shape.context);
  architecture.set("tied", shape.tied);
  op.set("name", "dot");
  dataset.set("name", "fineweb");
  dataset.set("context", shape.context);
  Node tokenizer = config_called("tokenizer", "gpt2");
  dataset.set("tokenizer", std::move(tokenizer));
  config.set("operator", std::move(op));
  config.set("normalizer", Node());
  config.set("architecture", std::move(architecture));
  config.set("dataset", std::move(dataset));
  save_language_model(out, config, tensors);
  fmt::print("{}: {} layers, width {}, {} heads, context {}, vocabulary {}\n", out, shape.layers, shape.width, heads, shape.context, shape.vocabulary);
}

}  // namespace

int model_command(const Command& self, const std::vector<std::string>& arguments) {
  po::options_description options("options");
  options.add_options()("out", po::value<std::string>()->default_value(""), "folder (import) or file (export) to write")(
      "heads", po::value<std::int64_t>()->default_value(0), "import: attention heads, which the file does not tell; 0: width / 64");
  const auto args = parse_arguments(self, arguments, options);
  if (args.help) return 0;
  const std::string verb = args.words.empty() ? "" : args.words.front();
  if (verb != "import" && verb != "export") {
    throw config_error(verb.empty() ? "model does what?" : fmt::format("model cannot '{}'", verb), "command line", {}, suggestion(verb, {"import", "export"}));
  }
  if (args.words.size() != 2) throw config_error(fmt::format("'model {}' takes one {}", verb, verb == "import" ? "file" : "job"), "command line");
  if (args.text("out").empty()) throw config_error("--out must be given", "command line");
  if (verb == "import") {
    import_weights(args.words[1], args.text("out"), args.options["heads"].as<std::int64_t>());
  } else {
    const auto trained = load_language_model(args.words[1]);
    save_safetensors(args.text("out"), export_gpt2(model_tensors(*trained.model)), {{"format", "pt"}});
    fmt::print("{}: the model of {} after {} steps\n", args.text("out"), trained.job.string(), trained.step);
  }
  return 0;
}

}  // namespace yatlab::cli

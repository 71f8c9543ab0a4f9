#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_number.h"
#include "core/base/json_text.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/config/compose.h"
#include "core/config/yaml.h"
#include "core/data/wikitext_plain.h"
#include "core/experiment/experiment_params.h"
#include "core/job/evaluate_model.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

/// The keys that overrides may set: the data, the task, and how to evaluate.
struct EvaluateParams {
  ComponentRef dataset, task = "classification";
  TrainerParams trainer;
  DataParams data;
  static void declare(Fields& f, EvaluateParams& p) {
    f.component("dataset", p.dataset, "dataset", "data set to evaluate on");
    f.component("task", p.task, "task", "loss and metrics to evaluate");
    f.group("trainer", p.trainer, "threads, device and eval_batch_size");
    f.group("data", p.data, "where to look for data");
  }
};

const std::set<std::string> kTrainerKeys = {"trainer.threads", "trainer.device", "trainer.eval_batch_size"};

bool is_below(const std::string& key, const std::string& group) { return key == group || key.rfind(group + ".", 0) == 0; }

/// configs/tokenizer/gpt2.yaml, for imported weights with GPT-2's vocabulary.
Node gpt2_tokenizer() {
  for (const auto& root : config_path()) {
    const auto file = root / "tokenizer" / "gpt2.yaml";
    if (fs::exists(file)) return load_yaml(file);
  }
  return Node(Node::Map{{"name", "gpt2"}});
}

/// The tokenizer of the model's training text; null if the model does not read tokens.
Node tokenizer_spec(const TrainedModel& trained) {
  const auto* const tokens = trained.tensor("tokens");
  if (!tokens) return {};
  constexpr std::int64_t kGpt2 = 50257;
  const Node* const own = trained.config.find_path("dataset.tokenizer");
  const bool named = own && !own->is_null();
  if (tokens->size(0) >= kGpt2) return named ? *own : gpt2_tokenizer();
  if (named && own->at("name").as_string() != "gpt2") return *own;  // fewer tokens than GPT-2 has: trained on the bytes of substitute data
  return Node(Node::Map{{"name", "bytes"}});
}

/// A temporary file with the lifetime of this object.
class ComposedFrom {
 public:
  explicit ComposedFrom(const Node& config) : path_(temporary_name(fs::temp_directory_path() / "evaluate.yaml")) {
    write_file_unsynced(path_, emit_yaml(config));
  }
  ~ComposedFrom() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  ComposedFrom(const ComposedFrom&) = delete;
  ComposedFrom& operator=(const ComposedFrom&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// The job's data set and task with the overrides. `dataset=NAME` uses another data set, with the model's tokenizer and the job's sample length.
Node composed_request(const TrainedModel& trained, const std::vector<std::string>& words, bool text) {
  std::vector<std::string> rest, keys;
  std::string dataset;
  for (const auto& word : words) {
    const auto parsed = parse_override(word);
    keys.push_back(parsed.key);
    if (parsed.is_sweep())
      throw config_error(fmt::format("'{}' has several values", word), "command line", {}, "evaluate takes one data set at a time");
    if (parsed.key == "dataset" && parsed.kind == OverrideKind::kChange && parsed.value.is_string()) {
      dataset = parsed.value.as_string();
      continue;
    }
    if (!is_below(parsed.key, "dataset") && !is_below(parsed.key, "task") && !is_below(parsed.key, "data") &&
        !kTrainerKeys.count(parsed.key)) {
      throw config_error(
          fmt::format("evaluate cannot set '{}'", parsed.key), "command line", {},
          "evaluate takes dataset=NAME, dataset.KEY, task.KEY, data.KEY, trainer.threads, trainer.device and trainer.eval_batch_size");
    }
    rest.push_back(word);
  }
  const bool predicts_tokens = trained.tensor("tokens") != nullptr;
  Node file = Node::map();
  const auto of_job = [&](const char* key) {
    const Node* const node = trained.config.find(key);
    return node ? escape_interpolations(*node) : Node();
  };
  if (!dataset.empty()) {
    Node choice = Node::map();
    choice.set("/dataset", dataset);
    file.set("defaults", Node(Node::List{choice, Node("_self_")}));
  } else if (!text) {
    if (of_job("dataset").is_null() || trained.arm == "imported") {
      throw config_error(fmt::format("no data set given for '{}'", trained.folder.string()), "command line",
                         "it is not a job trained here, so its own data set is not known",
                         "give a data set, dataset=wikitext2, or a text, --text FILE");
    }
    file.set("dataset", of_job("dataset"));
  }
  const Node task = of_job("task");
  file.set("task", !task.is_null() ? task : Node(Node::Map{{"name", predicts_tokens ? "language_modeling" : "classification"}}));
  if (const Node trainer = of_job("trainer"); !trainer.is_null()) file.set("trainer", trainer);
  if (trained.from == TrainedModel::From::kJob && !trained.data.is_null() && !trained.data.as_map().empty())
    file.set("data", escape_interpolations(trained.data));
  const ComposedFrom written(file);
  static const Schema schema = Schema::of<EvaluateParams>();
  Node out = Composer(config_path(), &schema).compose(written.path(), {OverrideLayer("command line", rest)}).config;
  out = resolve(out);
  schema.read_texts(out);
  if (!dataset.empty() && predicts_tokens) {
    Node& node = *out.find("dataset");
    const auto is_set = [&](const std::string& key) {
      return std::any_of(keys.begin(), keys.end(), [&](const auto& k) { return is_below(k, key); });
    };
    if (node.has("tokenizer") && !is_set("dataset.tokenizer")) node.set("tokenizer", tokenizer_spec(trained));
    if (node.has("context") && !is_set("dataset.context")) {
      const Node* const own = trained.config.find_path("dataset.context");
      node.set("context", own && trained.arm != "imported" ? own->as_int() : trained.tensor("positions")->size(0));
    }
  }
  return out;
}

std::string share_of(const std::map<std::string, std::int64_t>& samples, const char* what) {
  std::vector<std::string> out;
  for (const auto& [split, count] : samples) out.push_back(fmt::format("{}: {} {}", split, count, what));
  return join(out, ", ");
}

void check_evaluate_words(const Command& self, const Arguments& args) {
  if (args.words.empty()) throw config_error("no job or folder given", "command line", {}, fmt::format("for example: {}", self.example));
  for (const char* option : {"stride", "wikitext"}) {
    if (args.has(option) && !args.has("text"))
      throw config_error(fmt::format("--{} needs --text", option), "command line", {}, "give a text: --text FILE");
  }
}

struct EvaluatedModel {
  Evaluation found;
  RecordedEnd recorded = {};  ///< recorded by the job on the same data; empty for other data
  std::string on = {};        ///< the data that the model was evaluated on
};

EvaluatedModel evaluate_on_text(const Arguments& args, const TrainedModel& trained, const Node& composed, const DataContext& context) {
  TextRequest request;
  request.trainer = read_params<TrainerParams>(composed.at("trainer"));
  request.tokenizer = tokenizer_spec(trained);
  const auto file = read_file(args.text("text"));
  request.words = count_words(file);
  request.text = args.flag("wikitext") ? plain_wikitext(file) : file;
  if (args.has("stride")) {
    request.stride = args.options["stride"].as<std::int64_t>();
    if (request.stride < 1) throw config_error("--stride must be positive", "command line");
  }
  EvaluatedModel out;
  out.found = evaluate_text(trained, request, context);
  out.on = fmt::format("{}: {} tokens predicted, {} bytes, {} words", args.text("text"), out.found.samples.at("text"), request.text.size(),
                       request.words);
  return out;
}

EvaluatedModel evaluate_on_data(const Arguments& args, const TrainedModel& trained, const Node& composed, const DataContext& context) {
  EvaluationRequest request;
  request.dataset = composed.at("dataset");
  request.task = composed.at("task");
  request.trainer = read_params<TrainerParams>(composed.at("trainer"));
  if (args.has("split")) request.splits = args.options["split"].as<std::vector<std::string>>();
  DataCache cache(context);
  EvaluatedModel out;
  out.found = evaluate_model(trained, request, cache, context);
  const auto& data = out.found.data;
  out.on = fmt::format("{} (SHA-256 {}{}); {}", data.name, data.sha256.substr(0, 12),
                       data.substituted_for.empty() ? "" : ", in place of " + data.substituted_for, share_of(out.found.samples, "samples"));
  const auto same = [&](const char* key) { return trained.config.find(key) && *trained.config.find(key) == composed.at(key); };
  if (same("dataset") && same("task")) out.recorded = recorded_end(trained.folder);
  return out;
}

/// Whether both are equal; two NaNs are.
bool is_recorded_number(double recorded, double value) { return recorded == value || (std::isnan(recorded) && std::isnan(value)); }

struct ComparedMetrics {
  std::vector<std::string> differ;
  std::size_t compared = 0;
};

ComparedMetrics compare_with_record(const EvaluatedModel& model) {
  ComparedMetrics out;
  for (const auto& [name, value] : model.found.metrics) {
    const auto it = model.recorded.metrics.find(name);
    if (it == model.recorded.metrics.end()) continue;
    ++out.compared;
    if (!is_recorded_number(it->second, value)) out.differ.push_back(name);
  }
  return out;
}

void print_evaluation_json(const Arguments& args, const TrainedModel& trained, const Evaluation& found, const ComparedMetrics& comparison) {
  const bool text = args.has("text");
  nlohmann::ordered_json json{{"model", trained.folder.string()}, {"step", trained.step}};
  if (text) {
    json["text"] = args.text("text");
  } else {
    json["data"] = {{"name", found.data.name}, {"sha256", found.data.sha256}, {"substituted_for", found.data.substituted_for}};
  }
  auto& samples = json[text ? "tokens" : "samples"] = nlohmann::ordered_json::object();
  for (const auto& [split, count] : found.samples) samples[split] = count;
  auto& metrics = json["metrics"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : found.metrics) metrics[name] = json_number(value);
  if (!found.not_finite.empty()) json["not_finite"] = found.not_finite;
  if (comparison.compared > 0) json["differs_from_record"] = comparison.differ;
  say("{}\n", dump_json(json, 2));
}

void print_evaluation(const TrainedModel& trained, const EvaluatedModel& model, const ComparedMetrics& comparison) {
  const auto& found = model.found;
  const auto& recorded = model.recorded.metrics;
  say("{}, step {}\n{}\n\n", trained.folder.string(), trained.step, model.on);
  std::size_t width = 0;
  for (const auto& entry : found.metrics) width = std::max(width, entry.first.size());
  for (const auto& [name, value] : found.metrics) {
    const auto it = recorded.find(name);
    say("  {}  {:>12}{}\n", pad(name, static_cast<int>(width)), fmt::format("{:.6g}", value),
        it == recorded.end()                    ? ""
        : is_recorded_number(it->second, value) ? "  as recorded"
                                                : fmt::format("  recorded: {:.6g}", it->second));
  }
  if (!found.not_finite.empty()) {
    const auto why = recorded_end(trained.folder).why_diverged;
    say("\nthe model's scores on {} are not finite: {}\n", join(found.not_finite, ", "),
        why.empty() ? "its training diverged, or the values in these data are too large" : "its training diverged (" + why + ")");
  }
  if (!comparison.differ.empty() && found.not_finite.empty()) {  // a diverged run recorded earlier metrics
    say("\n{} of {} numbers differ from the recorded ones: a different machine, device or number of threads rounds differently, or code or "
        "files have changed\n",
        comparison.differ.size(), comparison.compared);
  }
}

}  // namespace

void evaluate_options(po::options_description& options) {
  options.add_options()("split", po::value<std::vector<std::string>>()->composing(),
                        "test, validation or train; repeatable. Default: all but train")(
      "text", po::value<std::string>(), "measure a language model on this whole text instead of a data set")(
      "stride", po::value<std::int64_t>(),
      "--text: tokens between the starts of two windows; default: the model's context, so that windows do not overlap")(
      "wikitext", po::bool_switch(), "--text: undo WikiText's blanks and @-@ first; words are counted before that")(
      "json", po::bool_switch(), "print JSON, with all digits");
}

int evaluate_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  check_evaluate_words(self, args);
  const bool text = args.has("text");
  const auto trained = load_trained_model(args.words.front());
  const Node composed = composed_request(trained, {args.words.begin() + 1, args.words.end()}, text);
  const auto context = data_context(composed.at("data"));
  const auto model = text ? evaluate_on_text(args, trained, composed, context) : evaluate_on_data(args, trained, composed, context);
  const auto comparison = compare_with_record(model);
  if (args.flag("json")) {
    print_evaluation_json(args, trained, model.found, comparison);
  } else {
    print_evaluation(trained, model, comparison);
  }
  return 0;
}

}  // namespace yatlab::cli

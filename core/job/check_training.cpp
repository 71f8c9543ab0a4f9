#include "core/job/check_training.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/failure.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/data/sparse_rows.h"
#include "core/experiment/report_config.h"
#include "core/job/job_files.h"
#include "core/job/loaded_data.h"
#include "core/measure/analysis.h"
#include "core/model/build_model.h"
#include "core/model/language_model.h"
#include "core/model/start_weights.h"
#include "core/train/device.h"
#include "core/train/optimizer.h"

namespace yatlab {
namespace {

// Placeholders for sizes that only the data's files contain.
constexpr std::int64_t kSomeFeatures = 16, kSomeClasses = 8, kSomeTokens = 8;

/// Two samples of the data's shape.
Split made_up(const DataShape& data, std::int64_t classes) {
  const auto generator = at::make_generator<at::CPUGeneratorImpl>(2);
  const auto sparse = [&](std::int64_t width) {
    const auto last = std::max<std::int64_t>(width - 1, 0);
    return make_sparse_rows(at::tensor(std::vector<std::int64_t>{0, 1, 2}), at::tensor(std::vector<std::int64_t>{0, last}), at::ones({2}),
                            width);
  };
  Split out;
  switch (data.inputs) {
    case DataShape::Inputs::kDense: {
      std::vector<std::int64_t> shape = data.input_shape;
      shape.insert(shape.begin(), 2);
      out.inputs = at::randn(shape, generator);
      break;
    }
    case DataShape::Inputs::kSparseRows:
      out.inputs = sparse(data.input_shape.empty() ? kSomeFeatures : data.input_shape[0]);
      break;
    case DataShape::Inputs::kTokens: {
      const auto length = std::min(kSomeTokens, data.input_shape.empty() ? kSomeTokens : data.input_shape.back());
      out.inputs = at::randint(0, classes, {2, length}, generator, at::TensorOptions(at::kShort));
      break;
    }
    case DataShape::Inputs::kUnknown:
      break;
  }
  switch (data.targets) {
    case DataShape::Targets::kClasses:
      out.targets = at::tensor(std::vector<std::int64_t>{0, classes - 1});
      break;
    case DataShape::Targets::kLabelSets:
      out.targets = sparse(classes);
      break;
    case DataShape::Targets::kTokens:
      out.targets = at::randint(0, classes, {2, out.inputs.size(-1)}, generator, at::TensorOptions(at::kShort));
      break;
    case DataShape::Targets::kUnknown:
      break;
  }
  return out;
}

bool is_known(const DataShape& data) {
  if (data.inputs == DataShape::Inputs::kUnknown || data.targets == DataShape::Targets::kUnknown) return false;
  // A dense sample must have its true size, because networks are built for it.
  return data.inputs != DataShape::Inputs::kDense || (!data.input_shape.empty() && data.num_classes > 0);
}

/// One batch forward and backward, and one evaluation.
void rehearse(ArmParts& parts, const Node& config, std::int64_t classes) {
  const auto called = [&](const char* key) { return config.at(key).is_null() ? std::string("-") : config.at(key).at("name").as_string(); };
  const Split batch = made_up(parts.data, classes);
  auto& model = *parts.model;
  try {
    parts.task->observe(batch);
    if (model.fits_itself()) return;
    model.train();
    parts.task->training_loss(model, batch.inputs, batch.targets).backward();
    model.eval();
    const auto measured = parts.task->evaluate(model, batch, 2);
    auto declared = names_of(parts.task->metrics(parts));
    std::vector<std::string> made;
    for (const auto& [name, value] : measured) made.push_back(name);
    std::sort(declared.begin(), declared.end());
    if (made != declared) {
      throw config_error(fmt::format("task '{}' does not measure what it declares", called("task")), "task",
                         fmt::format("declared: {}; measured: {}", join(declared, ", "), join(made, ", ")),
                         "make Task::metrics declare what Task::evaluate returns");
    }
  } catch (const std::exception&) {
    throw refusal(fmt::format("architecture '{}' with operator '{}' fails on two test samples with the shape of the data",
                              called("architecture"), called("operator")),
                  "architecture", "its forward pass, its gradient or the loss of the task fails");
  }
}

/// A model of text on other data: its lookup of tokens would fail with a message that names no token.
void require_tokens(const Architecture& model, const Node& config, const DataShape& data) {
  if (!dynamic_cast<const LanguageModel*>(&model) || data.inputs == DataShape::Inputs::kTokens ||
      data.inputs == DataShape::Inputs::kUnknown)
    return;
  const auto& own = Registry<Architecture>::table().at(config.at("architecture").at("name").as_string()).source;
  const auto pack = [](const std::string& source) { return source.substr(0, source.find('/', source.find('/') + 1)); };
  std::vector<std::string> with_tokens;
  for (const auto& component : Registry<Dataset>::table().all()) {
    try {
      if (Registry<Dataset>::create(Node(component.name))->shape().inputs == DataShape::Inputs::kTokens)
        with_tokens.push_back(component.name);
    } catch (const Error&) {  // it has required parameters: data of the architecture's own pack fits it
      if (pack(component.source) == pack(own)) with_tokens.push_back(component.name);
    }
  }
  const auto name = [&](const char* key) { return config.at(key).at("name").as_string(); };
  throw config_error(fmt::format("architecture '{}' needs tokens, which dataset '{}' does not have", name("architecture"), name("dataset")),
                     "architecture", "its inputs are sequences of token numbers",
                     with_tokens.empty() ? "'yatlab list dataset' shows the data sets"
                                         : "data sets of tokens: " + join(with_tokens, ", ") + "; with task=language_modeling");
}

std::shared_ptr<Architecture> built(const Node& config, const ArmParts& parts, std::int64_t classes) {
  auto model = Registry<Architecture>::create(config.at("architecture"));
  require_tokens(*model, config, parts.data);
  if (auto small = model->miniature()) model = std::move(small);
  BuildContext context;
  context.op = parts.op;
  context.normalizer = parts.normalizer;
  context.input_shape = parts.data.input_shape;
  if (context.input_shape.empty()) {
    context.input_shape = {parts.data.inputs == DataShape::Inputs::kTokens ? kSomeTokens : kSomeFeatures};
  }
  context.num_classes = classes;
  context.samples = made_up(parts.data, classes).inputs;
  try {
    model->build(context);
  } catch (const std::exception&) {
    throw refusal(fmt::format("architecture '{}' cannot be built", config.at("architecture").at("name").as_string()), "architecture",
                  fmt::format("its inputs have the shape {}; number of classes: {}", shape_text(context.input_shape), classes));
  }
  return model;
}

/// Replaces all floats by one value: arms that differ only in floats are built alike.
Node without_floats(const Node& node) {
  if (node.is_float()) return Node(0.5);
  if (node.is_list()) {
    Node out = Node::list();
    for (const auto& item : node.as_list()) out.push_back(without_floats(item));
    return out;
  }
  if (!node.is_map()) return node;
  Node out = Node::map();
  for (const auto& [key, item] : node.as_map()) out.set(key, without_floats(item));
  return out;
}

/// For a model with start weights, builds the whole model and loads them, so that a mismatch is found before anything runs.
void check_start_weights(const Node& config, const DataShape& data) {
  const Node* const weights = config.at("architecture").find("weights");
  if (!weights || weights->is_null() || data.input_shape.empty()) return;
  auto classes = data.num_classes;
  if (classes == 0) {  // for text, only the tokenizer knows the number of tokens: take it from the weights
    for (const auto& [name, tensor] : read_weights(weights->as_string())) {
      if (name == "tokens") classes = tensor.size(0);
    }
  }
  if (classes > 0) ModelBuilder(config, data.input_shape, classes, 0, no_samples(data.input_shape)).build();
}

/// "training accuracy" for the split that is called train.
std::string title_on(const std::string& split) { return (split == "train" ? "training" : split) + " {}"; }

/// The metrics of one split; by default, tables have columns only for the split that judges.
std::vector<MetricDoc> metrics_on(const std::string& split, std::vector<MetricDoc> metrics, bool judges) {
  for (auto& metric : metrics) metric.tabulated = metric.tabulated && judges;
  return with_prefix(split + "/", std::move(metrics), title_on(split));
}

/// The loss that training minimises: the task's metric of that name, if it has one.
MetricDoc training_loss_of(const std::vector<MetricDoc>& metrics, const std::string& name, const std::string& title) {
  MetricDoc out = MetricDoc("loss").lower();
  for (const auto& metric : metrics) {
    if (metric.name == "loss") out = metric;
  }
  out.name = name;
  out.tabulated = false;
  return out.called(title);
}

void check_diverging(const ArmParts& parts, const ArmNames& at_evaluations, std::int64_t classes, const std::string& arm) {
  if (!parts.trainer.diverged_evaluations) return;
  if (at_evaluations.history.count("test/loss") && parts.task->constant_loss(made_up(parts.data, classes))) return;
  throw config_error(
      fmt::format("arm '{}': trainer.diverged_evaluations: this task does not know the loss of a prediction that ignores its input", arm),
      "trainer.diverged_evaluations", "language_modeling does: the entropy of single tokens",
      "use trainer.diverged_above, or turn it off with trainer.diverged_evaluations=null");
}

void check_stopping(const Node& config, const ArmNames& at_evaluations, const std::string& arm) {
  const auto check = [&](const char* group) {
    const Node& node = config.at("trainer").at(group).at("metric");
    if (node.is_null()) return false;
    const auto metric = node.as_string();
    const auto& names = at_evaluations.history;
    if (!names.count(metric)) {
      const auto slash = metric.find('/');
      std::string hint = suggestion(metric, {names.begin(), names.end()});
      if (metric.rfind("validation/", 0) == 0 && config.at("dataset").has("validation")) {
        hint = "hold samples back with dataset.validation=0.1";
      } else if (metric.rfind("train/", 0) == 0 && names.count("test" + metric.substr(slash))) {
        hint = "set trainer.eval_train=true";
      }
      throw config_error(fmt::format("arm '{}': trainer.{}.metric: no evaluation measures '{}'", arm, group, metric),
                         node.origin().describe(), "evaluations measure " + join({names.begin(), names.end()}, ", "), hint);
    }
    return true;
  };
  const auto is_loss = [&](const Node& metric) {
    ReportConfig titles;
    titles.docs = at_evaluations.docs;
    return titles.metric(metric.as_string()).better == Direction::kLower;
  };
  if (check("target")) {
    const Node& target = config.at("trainer").at("target");
    if (is_loss(target.at("metric")) && target.at("at_most").is_null()) {
      throw config_error(
          fmt::format("arm '{}': trainer.target.metric: lower values of '{}' are better", arm, target.at("metric").as_string()),
          target.at("metric").origin().describe(), "at_least would be reached by the worst values",
          "set trainer.target.at_most=0.1, or another value that is low enough");
    }
  }
  if (check("early_stopping")) {
    const Node& early = config.at("trainer").at("early_stopping");
    if (is_loss(early.at("metric")) && early.at("better").as_string() == "higher") {
      throw config_error(
          fmt::format("arm '{}': trainer.early_stopping: lower values of '{}' are better", arm, early.at("metric").as_string()),
          early.at("metric").origin().describe(), "it would keep the worst parameters", "set trainer.early_stopping.better=lower");
    }
  }
}

std::int64_t classes_or_some(const DataShape& data) { return data.num_classes > 0 ? data.num_classes : kSomeClasses; }

/// Builds the arm's model and runs a made-up batch: once for all arms with the same parts.
void rehearse_once(ArmCheck& check) {
  const Node& config = check.frozen.config;
  ArmParts& parts = check.parts;
  Node made_of = Node::map();
  for (const char* key : {"operator", "normalizer", "architecture", "dataset", "task"}) made_of.set(key, without_floats(config.at(key)));
  auto& rehearsal = check.rehearsed[dump_json(to_json(made_of))];
  if (rehearsal) {
    parts.model = rehearsal->model;
    parts.task = rehearsal->task;
    check.guarded(config.at("task"), [&] { parts.task->check(parts); });
    return;
  }
  const auto classes = classes_or_some(parts.data);
  parts.task = Registry<Task>::create(config.at("task"));
  check.guarded(config.at("task"), [&] { parts.task->set_normalizer(parts.normalizer); });
  parts.model = check.guarded(config.at("architecture"), [&] { return built(config, parts, classes); });
  check.guarded(config.at("task"), [&] { parts.task->check(parts); });
  if (parts.normalizer && parts.normalizer->needs_non_negative() && parts.model->may_be_negative()) {
    check.guarded(config.at("normalizer"), [&] {
      throw config_error("this architecture's scores can be negative, which the normalizer does not support", {}, {},
                         "use normalizer=softmax");
    });
  }
  check.guarded(config.at("architecture"), [&] { rehearse(parts, config, classes); });
  rehearsal = std::make_shared<const ArmParts>(parts);
}

/// Checks that start weights, device and optimizer fit the model.
void check_trains_model(ArmCheck& check) {
  const Node& config = check.frozen.config;
  ArmParts& parts = check.parts;
  check.guarded(config.at("architecture"), [&] { check_start_weights(config, parts.data); });
  if (parts.model->fits_itself() && parts.trainer.device != "cpu") {
    check.guarded(config.at("trainer").at("device"), [&] {
      throw config_error(fmt::format("architecture '{}' works on the CPU only", config.at("architecture").at("name").as_string()),
                         "trainer.device", "it is not trained by gradient steps: it is fitted by its own code", "use trainer.device=cpu");
    });
  }
  if (!parts.model->fits_itself()) {
    check.guarded(config.at("optimizer"), [&] { Registry<Optimizer>::create(config.at("optimizer"))->check(parts); });
  }
}

/// The metrics of training; its target and its early stopping must use one of them.
ArmNames names_of_training(const ArmCheck& check) {
  const ArmParts& parts = check.parts;
  ArmNames names;
  const auto metrics = parts.task->metrics(parts);
  const auto splits = parts.data.splits.empty() ? DataShape::usual_splits(true) : parts.data.splits;
  const bool tested = std::find(splits.begin(), splits.end(), "test") != splits.end();
  for (const auto& split : splits) {
    if (split != "train" || parts.trainer.eval_train)
      names.add_history(metrics_on(split, metrics, split == "test" || (!tested && split != "train")));
  }
  for (const auto& [name, value] : parts.model->observables()) names.history.insert(name);
  if (!parts.model->fits_itself()) names.add_history({training_loss_of(metrics, "train/loss", "training loss")});
  check_stopping(check.frozen.config, names, check.name);
  check_diverging(parts, names, classes_or_some(parts.data), check.name);
  names.results = names.history;
  names.add_history({training_loss_of(metrics, "train/batch_loss", "training loss of single batches"),
                     MetricDoc("train/lr").called("learning rate").neither()});
  if (parts.trainer.grad_clip)
    names.add_history({MetricDoc("train/gradient_norm").called("norm of the gradient, before clipping").neither()});
  if (const auto& target = parts.trainer.target.metric) {
    names.add_results({MetricDoc("target/reached").called(*target + " reached").higher().percent().shown(),
                       MetricDoc("target/step").called("steps until then").lower().as(NumberFormat::kInteger).shown()});
  }
  if (const auto& early = parts.trainer.early_stopping.metric) {
    names.add_results({MetricDoc("best/step").called("step of the best " + *early).neither().as(NumberFormat::kInteger),
                       MetricDoc("best/epoch").called("epoch of the best " + *early).neither()});
  }
  names.add_results(with_prefix("run/", performance_docs()));
  return names;
}

}  // namespace

ArmNames check_training(ArmCheck& check) {
  const Node& config = check.frozen.config;
  ArmParts& parts = check.parts;
  const Node& trainer = config.at("trainer");
  parts.trainer = read_params<TrainerParams>(trainer);
  check.guarded(trainer.at("device"), [&] { device_of(parts.trainer.device); });
  const auto dataset = Registry<Dataset>::create(config.at("dataset"));
  parts.data = check.guarded(config.at("dataset"), [&] { return dataset->shape(); });
  parts.can_hold_back = config.at("dataset").has("validation");
  if (!is_known(parts.data)) {
    ArmNames names;
    names.known = false;
    return names;
  }
  rehearse_once(check);
  check_trains_model(check);
  ArmNames names = names_of_training(check);
  for (const auto& spec : check.frozen.analyses.as_list()) {
    check.guarded(spec, [&] {
      const auto analysis = Registry<Analysis>::create(spec);
      analysis->check(parts);
      names.add(analysis->names(parts), fmt::format("analysis '{}'", spec.at("name").as_string()));
    });
  }
  return names;
}

void check_analyses(const JobSpec& training, ArmParts parts, DataCache& cache) {
  if (training.analyses.empty()) return;
  const auto loaded = cache.get(*training.dataset());
  const auto splits = splits_in_tensors(loaded->splits);
  parts.data = loaded->dataset->shape();
  parts.data.input_shape = loaded->dataset->input_shape();
  parts.data.num_classes = loaded->dataset->num_classes();
  parts.data.splits.clear();
  for (const auto& [name, split] : splits) parts.data.splits.push_back(name);
  parts.can_hold_back = training.dataset()->has("validation");
  const auto other_data = [&](const Node& dataset) {
    const auto other = cache.get(dataset);
    return OtherData{other->dataset, other->splits};
  };
  for (const auto& job : training.analyses) {
    const Node& spec = job.config.at("analysis");
    in_component("analysis", spec.at("name").as_string(), [&] {
      const auto analysis = Registry<Analysis>::create(spec);
      analysis->check(parts);
      analysis->check_data(parts, {*loaded->dataset, splits, other_data});
    });
  }
}

}  // namespace yatlab

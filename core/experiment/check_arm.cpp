#include "core/experiment/check_arm.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/failure.h"
#include "core/base/text.h"
#include "core/data/sparse_rows.h"
#include "core/experiment/analysis.h"
#include "core/experiment/claim.h"
#include "core/experiment/job_files.h"
#include "core/experiment/study.h"
#include "core/report/config.h"
#include "core/train/arm_parts.h"
#include "core/train/device.h"
#include "core/train/initialize.h"
#include "core/train/optimizer.h"
#include "core/train/schedule.h"

namespace yatlab {
namespace {

// What stands for sizes that only the data's files tell.
constexpr std::int64_t kSomeFeatures = 16, kSomeClasses = 8, kSomeTokens = 8;

/// Runs `act`; its errors get the arm's name and the place of `node`, or of the key that they name, in the config.
template <class Act>
auto in_arm(const std::string& arm, const FrozenArm& frozen, const Node& node, const Act& act) {
  try {
    return act();
  } catch (const Error& e) {
    const Node* exact = e.where().empty() ? nullptr : frozen.config.find_path(e.where());
    const Node& at = exact ? *exact : node;
    auto place = at.origin().describe();
    for (const auto& [key, by] : frozen.chosen_by) {
      if (frozen.config.find(key) == &at) place = by;
    }
    if (!place.empty()) place = ", " + place;
    throw Error(e.kind(), e.message(), fmt::format("arm '{}'{}{}", arm, place, exact || e.where().empty() ? "" : ", " + e.where()), e.why(),
                e.hint());
  }
}

/// Makes the component of `spec`, at `path` in the config, and those that its parameters name: each refuses parameters that do not fit
/// together.
void construct(const Node& config, const std::string& kind, const Node& spec, const std::string& path);

void construct_fields(const Node& config, const std::vector<Field>& fields, const Node& values, const std::string& path) {
  for (const auto& field : fields) {
    const Node* value = values.find(field.name);
    if (!value || value->is_null()) continue;
    if (field.type == FieldType::kGroup) construct_fields(config, field.fields, *value, path + "." + field.name);
    if (field.type == FieldType::kComponent) construct(config, field.kind, *value, path + "." + field.name);
  }
}

void construct(const Node& config, const std::string& kind, const Node& spec, const std::string& path) {
  if (spec.is_null()) return;
  const auto& table = component_table(kind);
  try {
    table.create(spec);
  } catch (const Error& e) {
    throw Error(e.kind(), e.message(), config.find_path(e.where()) ? e.where() : path, e.why(), e.hint());
  }
  construct_fields(config, table.at(spec.at("name").as_string()).schema.fields, spec, path);
}

void check_normalizer(const FrozenArm& frozen, const ArmParts& parts, const std::string& arm) {
  if (!parts.normalizer || !parts.op || !parts.normalizer->needs_non_negative() || parts.op->traits().non_negative) return;
  std::vector<std::string> operators, normalizers;
  for (const auto& c : Registry<Operator>::table().all()) {
    try {
      if (Registry<Operator>::create(Node(c.name))->traits().non_negative) operators.push_back(c.name);
    } catch (const Error&) {  // needs parameters of its own: cannot be proposed
    }
  }
  for (const auto& c : Registry<Normalizer>::table().all()) {
    try {
      if (!Registry<Normalizer>::create(Node(c.name))->needs_non_negative()) normalizers.push_back(c.name);
    } catch (const Error&) {
    }
  }
  const Node &normalizer = frozen.config.at("normalizer"), &op = frozen.config.at("operator");
  const auto chosen = frozen.chosen_by.find("normalizer");
  throw config_error(fmt::format("arm '{}': normalizer '{}' cannot take the scores of operator '{}'", arm, normalizer.at("name").as_string(),
                                 op.at("name").as_string()),
                     chosen != frozen.chosen_by.end() ? chosen->second : normalizer.origin().describe(), "it needs scores >= 0, and this operator's can be negative",
                     fmt::format("use one of the operators {} or one of the normalizers {}", join(operators, ", "), join(normalizers, ", ")));
}

std::string shape_text(at::IntArrayRef shape) { return fmt::format("[{}]", fmt::join(shape.begin(), shape.end(), ", ")); }

/// In a catch block: what went wrong in somebody's code, as a config error. One that is one already passes.
Error refusal(std::string what, const std::string& where, const std::string& hint) {
  const auto cause = current_error();
  return cause.kind() == ErrorKind::kConfig ? cause : config_error(std::move(what), where, cause.message(), hint);
}

/// An operator's scores of two inputs and three weights.
void check_scores(const Operator& op, const Node& spec) {
  const auto name = spec.at("name").as_string();
  const auto generator = at::make_generator<at::CPUGeneratorImpl>(1);
  const Tensor x = at::randn({2, 4}, generator), w = at::randn({3, 4}, generator);
  Tensor scores;
  try {
    scores = op.scores(x, w);
  } catch (const std::exception&) {
    throw refusal(fmt::format("operator '{}' fails on inputs [2, 4] and weights [3, 4]", name), {}, "scores(x: [B, d], w: [n, d]) must give [B, n]");
  }
  if (scores.sizes() != at::IntArrayRef({2, 3})) {
    throw config_error(fmt::format("operator '{}' gives scores of shape {} for inputs [2, 4] and weights [3, 4]", name, shape_text(scores.sizes())),
                       {}, {}, "scores(x: [B, d], w: [n, d]) must give [B, n]");
  }
}

/// Two samples of the data's shape.
Split made_up(const DataShape& data, std::int64_t classes) {
  const auto generator = at::make_generator<at::CPUGeneratorImpl>(2);
  const auto sparse = [&](std::int64_t width) {
    const auto last = std::max<std::int64_t>(width - 1, 0);
    return make_sparse_rows(at::tensor(std::vector<std::int64_t>{0, 1, 2}), at::tensor(std::vector<std::int64_t>{0, last}), at::ones({2}), width);
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
  // A dense sample must have its true size: networks are made for it.
  return data.inputs != DataShape::Inputs::kDense || (!data.input_shape.empty() && data.num_classes > 0);
}

/// One batch there and back, and one evaluation.
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
    auto declared = parts.task->metrics(parts);
    std::vector<std::string> made;
    for (const auto& [name, value] : measured) made.push_back(name);
    std::sort(declared.begin(), declared.end());
    if (made != declared) {
      throw config_error(fmt::format("task '{}' measures other things than it declares", called("task")), "task",
                         fmt::format("declared: {}; measured: {}", join(declared, ", "), join(made, ", ")), "make Task::metrics say what evaluate gives");
    }
  } catch (const std::exception&) {
    throw refusal(fmt::format("architecture '{}' with operator '{}' fails on two made-up samples of the data's shape", called("architecture"),
                              called("operator")),
                  "architecture", "its forward pass, its gradient or the task's loss cannot take them");
  }
}

std::shared_ptr<Architecture> built(const Node& config, const ArmParts& parts, std::int64_t classes) {
  auto model = Registry<Architecture>::create(config.at("architecture"));
  if (auto small = model->miniature()) model = std::move(small);
  BuildContext context;
  context.op = parts.op;
  context.normalizer = parts.normalizer;
  context.input_shape = parts.data.input_shape;
  if (context.input_shape.empty()) {
    context.input_shape = {parts.data.inputs == DataShape::Inputs::kTokens ? kSomeTokens : kSomeFeatures};
  }
  context.num_classes = classes;
  try {
    model->build(context);
  } catch (const std::exception&) {
    throw refusal(fmt::format("architecture '{}' cannot be built", config.at("architecture").at("name").as_string()), "architecture",
                  fmt::format("its inputs are {}, its classes {}", shape_text(context.input_shape), classes));
  }
  return model;
}

/// All floats made equal: arms that differ in them alone are put together alike.
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

void insert(std::set<std::string>& into, const std::vector<std::string>& names) { into.insert(names.begin(), names.end()); }

/// Adds what one of several lookers finds; two that would write one name are refused.
void add_findings(ArmNames& names, const FindingNames& found, const std::string& who) {
  for (const auto& metric : found.metrics) {
    if (!names.results.insert(metric).second) {
      throw config_error(fmt::format("{} makes the metric '{}', which is there already", who, metric), {}, "one would overwrite the other",
                         "take one of them out, or, where it has a parameter 'artifact', give it another");
    }
  }
  for (const auto& artifact : found.artifacts) {
    if (!names.artifacts.insert(artifact).second) {
      throw config_error(fmt::format("{} makes the artifact '{}', which is there already", who, artifact), {}, "one would overwrite the other",
                         "take one of them out, or, where it has a parameter 'artifact', give it another");
    }
  }
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
      throw config_error(fmt::format("arm '{}': trainer.{}.metric: no evaluation measures '{}'", arm, group, metric), node.origin().describe(),
                         "evaluations measure " + join({names.begin(), names.end()}, ", "), hint);
    }
    return true;
  };
  const auto is_loss = [](const Node& metric) { return default_metric_info(metric.as_string()).better == Direction::kLower; };
  if (check("target")) {
    const Node& target = config.at("trainer").at("target");
    if (is_loss(target.at("metric")) && target.at("at_most").is_null()) {
      throw config_error(fmt::format("arm '{}': trainer.target.metric: of '{}', lower values are better", arm, target.at("metric").as_string()),
                         target.at("metric").origin().describe(), "at_least would be reached by the worst", "set trainer.target.at_most=0.1, or what is low enough");
    }
  }
  if (check("early_stopping")) {
    const Node& early = config.at("trainer").at("early_stopping");
    if (is_loss(early.at("metric")) && early.at("better").as_string() == "higher") {
      throw config_error(fmt::format("arm '{}': trainer.early_stopping: of '{}', lower values are better", arm, early.at("metric").as_string()),
                         early.at("metric").origin().describe(), "it would keep the worst parameters", "set trainer.early_stopping.better=lower");
    }
  }
}

}  // namespace

void ArmNames::add(const ArmNames& other) {
  known = known && other.known;
  results.insert(other.results.begin(), other.results.end());
  history.insert(other.history.begin(), other.history.end());
  artifacts.insert(other.artifacts.begin(), other.artifacts.end());
}

/// What was found out about a model by building it.
struct ArmChecker::Rehearsal {
  ArmParts parts;
};

ArmNames ArmChecker::check(const std::string& arm, const FrozenArm& frozen) {
  const Node& config = frozen.config;
  const auto guarded = [&](const Node& node, const auto& act) { return in_arm(arm, frozen, node, act); };
  for (const char* key : {"operator", "normalizer", "architecture", "dataset", "task", "optimizer", "schedule"}) {
    if (const Node* spec = config.find(key)) guarded(*spec, [&] { construct(config, key, *spec, key); });
  }
  ArmParts parts;
  if (const Node& spec = config.at("operator"); !spec.is_null()) {
    parts.operator_spec = spec;
    parts.op = Registry<Operator>::create(spec);
    guarded(spec, [&] { check_scores(*parts.op, spec); });
  }
  if (const Node* spec = config.find("normalizer")) parts.normalizer = optional_component<Normalizer>(*spec);
  if (config.has("normalizer")) check_normalizer(frozen, parts, arm);

  ArmNames names;
  if (frozen.kind == JobKind::kClaim) {
    for (const auto& spec : frozen.claims.as_list()) guarded(spec, [&] { Registry<Claim>::create(spec); });
    names.results = {"checks", "checks_failed"};
    names.artifacts = {"claim"};
    return names;
  }
  if (frozen.kind == JobKind::kStudy) {
    if (const Node& spec = config.at("architecture"); !spec.is_null()) parts.model = Registry<Architecture>::create(spec);
    for (const auto& spec : config.at("studies").as_list()) {
      guarded(spec, [&] {
        const auto study = Registry<Study>::create(spec);
        study->check(parts);
        add_findings(names, study->names(parts), fmt::format("study '{}'", spec.at("name").as_string()));
      });
    }
    return names;
  }

  const Node& trainer = config.at("trainer");
  parts.trainer = read_params<TrainerParams>(trainer);
  guarded(trainer.at("device"), [&] { device_of(parts.trainer.device); });
  const auto dataset = Registry<Dataset>::create(config.at("dataset"));
  parts.data = guarded(config.at("dataset"), [&] { return dataset->shape(); });
  parts.can_hold_back = config.at("dataset").has("validation");
  if (!is_known(parts.data)) {
    names.known = false;
    return names;
  }

  Node made_of = Node::map();
  for (const char* key : {"operator", "normalizer", "architecture", "dataset", "task"}) made_of.set(key, without_floats(config.at(key)));
  auto& rehearsal = rehearsed_[to_json(made_of).dump()];
  if (!rehearsal) {
    const auto classes = parts.data.num_classes > 0 ? parts.data.num_classes : kSomeClasses;
    parts.task = Registry<Task>::create(config.at("task"));
    guarded(config.at("task"), [&] { parts.task->set_normalizer(parts.normalizer); });
    parts.model = guarded(config.at("architecture"), [&] { return built(config, parts, classes); });
    guarded(config.at("task"), [&] { parts.task->check(parts); });
    if (parts.normalizer && parts.normalizer->needs_non_negative() && parts.model->may_be_negative()) {
      guarded(config.at("normalizer"), [&] {
        throw config_error("this architecture's scores can be negative, which the normalizer cannot take", {}, {}, "use normalizer=softmax");
      });
    }
    guarded(config.at("architecture"), [&] { rehearse(parts, config, classes); });
    rehearsal = std::make_shared<const Rehearsal>(Rehearsal{parts});
  } else {
    parts.model = rehearsal->parts.model;
    parts.task = rehearsal->parts.task;
    guarded(config.at("task"), [&] { parts.task->check(parts); });
  }

  const auto metrics = parts.task->metrics(parts);
  for (const auto& split : parts.data.splits.empty() ? DataShape::usual_splits(true) : parts.data.splits) {
    if (split != "train" || parts.trainer.eval_train) insert(names.history, with_prefix(split + "/", metrics));
  }
  for (const auto& [name, value] : parts.model->observables()) names.history.insert(name);
  if (!parts.model->fits_itself()) names.history.insert("train/loss");
  check_stopping(config, names, arm);
  names.results = names.history;
  insert(names.history, {"train/batch_loss", "train/lr"});
  if (parts.trainer.grad_clip) names.history.insert("train/gradient_norm");
  if (parts.trainer.target.metric) insert(names.results, {"target/reached", "target/step"});
  if (parts.trainer.early_stopping.metric) insert(names.results, {"best/step", "best/epoch"});
  for (const auto& name : performance_names()) names.results.insert("run/" + name);
  for (const auto& spec : config.at("analyses").as_list()) {
    guarded(spec, [&] {
      const auto analysis = Registry<Analysis>::create(spec);
      analysis->check(parts);
      add_findings(names, analysis->names(parts), fmt::format("analysis '{}'", spec.at("name").as_string()));
    });
  }
  return names;
}

}  // namespace yatlab

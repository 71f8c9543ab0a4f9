// A small training, with its history in memory.
#pragma once

#include "core/train/trainer.h"

#include <ATen/ATen.h>

#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "catch.h"
#include "core/config/yaml.h"
#include "core/data/safetensors.h"
#include "core/ops/stacked_operator.h"
#include "core/train/device.h"
#include "core/train/training_stack.h"
#include "helpers.h"
#include "train/sparse.h"

namespace yatlab::testing {

/// Keeps the history in memory. A position is a number of rows.
struct Recorder final : TrainObserver {
  struct Row {
    std::int64_t step;
    double epoch;
    Metrics metrics;
    std::int64_t samples = 0;
    bool operator==(const Row& o) const { return step == o.step && epoch == o.epoch && metrics == o.metrics; }
    friend std::ostream& operator<<(std::ostream& out, const Row& row) {
      out << "step " << row.step << " epoch " << row.epoch;
      for (const auto& [name, value] : row.metrics) out << " " << name << "=" << value;
      return out << "\n";
    }
  };
  std::vector<Row> rows;
  std::vector<Progress> progress;
  void on_metrics(const TrainTime& at, const Metrics& metrics) override { rows.push_back({at.step, at.epoch, metrics, at.samples}); }
  void on_resume(std::int64_t step) override { resumed.push_back(step); }
  void on_checkpoint(std::int64_t step) override { checkpoints.push_back(step); }
  std::vector<std::int64_t> resumed, checkpoints;
  void on_progress(const Progress& p) override { progress.push_back(p); }
  HistoryMark mark_history() override { return {static_cast<std::int64_t>(rows.size()), "of them"}; }
  bool rewind_history(const HistoryMark& mark) override {
    REQUIRE(mark.position <= static_cast<std::int64_t>(rows.size()));
    REQUIRE(mark.sha256 == (mark.position == 0 ? "" : "of them"));
    if (foreign && mark.position > 0) return false;
    rows.resize(static_cast<std::size_t>(mark.position));
    return true;
  }
  void on_notice(const std::string& text) override { notices.push_back(text); }
  bool foreign = false;  // the history belongs to another training
  std::vector<std::string> notices;
  std::vector<std::int64_t> steps_with(const std::string& metric) const {
    std::vector<std::int64_t> out;
    for (const auto& row : rows) {
      if (row.metrics.count(metric)) out.push_back(row.step);
    }
    return out;
  }
};

/// 50 points in 4 dimensions, 3 classes by region; 20 more for testing.
inline std::map<std::string, Split> points() {
  const auto make = [](std::int64_t n, double phase) {
    const Tensor t = at::arange(n * 4, at::kDouble).mul(0.7).add(phase).sin().view({n, 4});
    const Tensor labels = (t.select(1, 0) > 0.3).to(at::kLong) + (t.select(1, 1) > 0).to(at::kLong);
    return Split{t.to(at::kFloat), labels};
  };
  return {{"train", make(50, 0.1)}, {"test", make(20, 2.3)}};
}

struct Setup {
  TrainerParams params;
  Node optimizer = spec("adam", {{"lr", 0.05}});
  Node schedule = spec("constant");
  Node op = spec("yat");
  Node architecture = spec("prototype_classifier", {{"scale", "n_over_log"}});
  Node task = spec("classification");
  Node normalizer = {};
  std::vector<std::int64_t> input_shape = {4};
  std::int64_t classes = 3;
  std::map<std::string, Split> splits = points();
  std::uint64_t seed = 3;

  Setup() {
    params.epochs = 3;
    params.batch_size = 8;  // 7 batches per epoch, the last of 2
    params.log_every = 4;
    params.checkpoint_seconds = 1e9;
  }
};

/// A transformer on 22 texts of 8 tokens, vocabulary 11.
inline Setup small_language_model(double dropout = 0) {
  const auto texts = [](std::int64_t n, std::int64_t phase) {
    const Tensor t = (at::arange(n * 9, at::kLong).view({n, 9}).pow(2) + phase).remainder(11);
    return Split{t.narrow(1, 0, 8).contiguous(), t.narrow(1, 1, 8).contiguous()};
  };
  Setup s;
  s.architecture = parse_yaml("{name: transformer, layers: 2, heads: 2, width: 16, context: 8}", "test");
  s.architecture.set("dropout", dropout);
  s.task = spec("language_modeling");
  s.op = spec("dot");
  s.optimizer = spec("adamw", {{"lr", 0.01}});
  s.input_shape = {8};
  s.classes = 11;
  s.splits = {{"train", texts(22, 1)}, {"test", texts(5, 7)}};
  s.params.batch_size = 6;  // the last of 4
  s.params.log_every = 1;
  return s;
}

/// Label prototypes on 50 samples of 30 features, one of them empty, and 20 for measuring; of 9 labels one has no sample.
inline Setup label_sets(bool sparse_inputs) {
  at::manual_seed(23);
  const auto make = [&](std::int64_t n) {
    Tensor features = random_sparse(n, 30, 0.2), labels = random_labels(n, 9, 0.3);
    features[3].zero_();
    labels[5].zero_();
    return Split{sparse_inputs ? csr_of(features) : features, csr_of(labels)};
  };
  Setup s;
  s.splits = {{"train", make(50)}, {"test", make(20)}};
  s.architecture = parse_yaml("{name: label_prototypes, dim: 6}", "test");
  s.task = spec("multilabel");
  s.op = spec("yat", {{"epsilon", 0.1}});
  s.input_shape = {30};
  s.classes = 9;
  s.optimizer = spec("adam", {{"lr", 0.01}});
  return s;
}

struct Trained {
  TrainOutcome outcome;
  std::string model;  ///< bytes of parameters and optimizer state
  std::map<std::string, Tensor> parameters = {};
};

/// Never stops.
inline bool go_on() { return false; }

inline Trained train(const Setup& s, const fs::path& checkpoints, Recorder& recorder, const std::function<bool()>& stop = go_on,
                     ProcessGroup* group = nullptr, StackSlot* slot = nullptr) {
  const auto model = Registry<Architecture>::create(s.architecture);
  BuildContext context;
  context.op = Registry<Operator>::create(s.op);
  context.input_shape = s.input_shape;
  context.num_classes = s.classes;
  context.seed = s.seed;
  model->build(context);
  model->to(device_of(s.params.device));
  const auto task = Registry<Task>::create(s.task);
  if (!s.normalizer.is_null()) task->set_normalizer(Registry<Normalizer>::create(s.normalizer));
  task->observe(s.splits.at("train"));
  const auto optimizer = Registry<Optimizer>::create(s.optimizer);
  optimizer->attach(model->parameters());
  const auto schedule = Registry<Schedule>::create(s.schedule);
  std::function<TrainOutcome(TrainingLoop&)> together;
  if (slot) {
    Node config = Node::map();
    config.set("architecture", s.architecture);
    config.set("operator", s.op);
    config.set("normalizer", s.normalizer);
    together = [&, config](TrainingLoop& loop) {
      std::map<std::string, double> numbers;
      for (const auto& name : stacked_parameters(*context.op)) numbers[name] = s.op.find(name) ? s.op.at(name).as_double() : 1e-5;
      return slot->train(
          {slot->place(), loop, *model, *task, [&] { return ModelBuilder(config, s.input_shape, s.classes, s.seed); }, numbers});
    };
  }
  Trained out;
  out.outcome = Trainer(s.params, s.seed, checkpoints).run(*model, *task, s.splits, *optimizer, *schedule, recorder, stop, group, together);
  for (const auto& p : model->named_parameters()) out.parameters[p.key()] = p.value().detach().clone();
  NamedTensors all;
  for (const auto& p : model->named_parameters()) all.emplace_back(p.key(), p.value().detach());
  for (const auto& entry : optimizer->state()) all.emplace_back("optimizer." + entry.first, entry.second);
  out.model = dump_safetensors(all);
  return out;
}

inline std::function<bool()> after(int steps) {
  return [steps, n = 0]() mutable { return ++n >= steps; };
}

}  // namespace yatlab::testing

#include "core/train/trainer.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <torch/autograd.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/data/batches.h"
#include "core/train/checkpoint.h"

namespace yatlab {
namespace {

using Clock = std::chrono::steady_clock;

NamedTensors named_state(const Architecture& model) {
  NamedTensors out;
  for (const auto& item : model.named_parameters()) out.emplace_back(item.key(), item.value().detach());
  for (const auto& item : model.named_buffers()) out.emplace_back(item.key(), item.value());
  return out;
}

void copy_into(const NamedTensors& from, const NamedTensors& to, const char* what) {
  at::NoGradGuard no_grad;
  std::map<std::string, Tensor> source(from.begin(), from.end());
  for (auto [name, tensor] : to) {
    const auto it = source.find(name);
    if (it == source.end() || it->second.sizes() != tensor.sizes()) {
      throw data_error(fmt::format("the checkpoint's {} does not fit: '{}'", what, name), {},
                       "it was written by another version of this job", "start afresh with --fresh");
    }
    tensor.copy_(it->second);
  }
}

double clip_gradients(const std::vector<Tensor>& parameters, double limit) {
  double squares = 0;
  for (const auto& p : parameters) {
    if (p.grad().defined()) squares += std::pow(p.grad().norm().item<double>(), 2);
  }
  const double norm = std::sqrt(squares);
  if (norm > limit) {
    for (const auto& p : parameters) {
      if (p.grad().defined()) p.grad().mul_(limit / (norm + 1e-6));
    }
  }
  return norm;
}

/// The part of a run that changes from step to step, besides tensors.
struct Position {
  std::int64_t step = 0;
  double loss_sum = 0;          // over the samples of this epoch
  std::int64_t loss_count = 0;
  std::int64_t target_step = -1;
  Metrics metrics;

  std::string to_json(std::int64_t history) const {
    // Doubles travel as text that reads back as the same bits.
    nlohmann::ordered_json j{{"step", step},           {"loss_sum", loss_sum},
                             {"loss_count", loss_count}, {"target_step", target_step},
                             {"history", history}};
    for (const auto& [name, value] : metrics) j["metrics"][name] = format_double(value);
    return j.dump(2) + "\n";
  }
  static Position from_json(const std::string& text, std::int64_t& history) {
    const auto j = nlohmann::json::parse(text);
    Position p;
    p.step = j.at("step");
    p.loss_sum = j.at("loss_sum");
    p.loss_count = j.at("loss_count");
    p.target_step = j.at("target_step");
    history = j.at("history");
    if (j.contains("metrics")) {
      for (const auto& [name, value] : j.at("metrics").items()) {
        p.metrics[name] = std::strtod(value.get<std::string>().c_str(), nullptr);
      }
    }
    return p;
  }
};

}  // namespace

TrainOutcome Trainer::run(Architecture& model, const Task& task, const std::map<std::string, Split>& splits,
                          Optimizer& optimizer, const Schedule& schedule, TrainObserver& observer,
                          const std::function<bool()>& stop) const {
  const Split& train = splits.at("train");
  Batches batches(train.inputs, train.targets, params_.batch_size, params_.drop_last);
  const auto per_epoch = batches.count();
  const auto total = per_epoch * params_.epochs;
  const CheckpointStore store(checkpoints_);
  const auto parameters = model.parameters();

  TrainOutcome outcome;
  Position at;
  if (const auto checkpoint = store.load_latest()) {
    copy_into(checkpoint->model, named_state(model), "model");
    copy_into(checkpoint->optimizer, optimizer.state(), "optimizer state");
    std::int64_t history = 0;
    at = Position::from_json(checkpoint->state, history);
    observer.rewind_history(history);
    outcome.resumed = true;
  } else {
    observer.rewind_history(0);
  }

  auto last_checkpoint = Clock::now();
  const auto save = [&] {
    const auto history = observer.history_position();
    store.save({at.step, named_state(model), optimizer.state(), at.to_json(history)});
    last_checkpoint = Clock::now();
  };
  const auto evaluate = [&](std::int64_t epoch) {
    model.eval();
    Metrics row;
    for (const auto& [name, split] : splits) {
      if (name == "train" && !params_.eval_train) continue;
      for (const auto& [metric, value] : task.evaluate(model, split, params_.eval_batch_size)) {
        row[name + "/" + metric] = value;
      }
    }
    for (const auto& [name, value] : model.observables()) row[name] = value;
    model.train();
    if (at.loss_count > 0 && !row.count("train/loss")) {
      row["train/loss"] = at.loss_sum / static_cast<double>(at.loss_count);
    }
    for (const auto& [name, value] : row) at.metrics[name] = value;
    observer.on_metrics(at.step, epoch, row);
    if (!params_.target.metric || at.target_step >= 0) return;
    const auto it = at.metrics.find(*params_.target.metric);
    if (it == at.metrics.end()) {
      throw config_error(fmt::format("trainer.target.metric: no metric '{}'", *params_.target.metric), {},
                         {}, "train/... metrics other than the loss need trainer.eval_train=true");
    }
    if (it->second >= params_.target.at_least) at.target_step = at.step;
  };
  const auto finish = [&](TrainOutcome::State state) {
    outcome.state = state;
    outcome.steps = at.step;
    outcome.metrics = at.metrics;
    if (params_.target.metric) {
      outcome.metrics["target/reached"] = at.target_step >= 0 ? 1.0 : 0.0;
      if (at.target_step >= 0) outcome.metrics["target/step"] = static_cast<double>(at.target_step);
    }
    return outcome;
  };

  model.train();
  std::int64_t samples = 0;
  std::int64_t ordered_epoch = -1;
  if (!outcome.resumed) evaluate(0);  // step 0 of every learning curve

  while (at.step < total && at.target_step < 0) {
    const auto epoch = at.step / per_epoch;
    if (epoch != ordered_epoch) {
      batches.start_epoch(params_.shuffle, derive_seed(seed_, "shuffle", static_cast<std::uint64_t>(epoch)));
      ordered_epoch = epoch;
    }
    const auto in_epoch = at.step % per_epoch;
    if (in_epoch == 0) {
      at.loss_sum = 0;
      at.loss_count = 0;
    }
    const Batch batch = batches.get(in_epoch);
    const Tensor loss = task.loss(model.forward(batch.inputs), batch.targets);
    const double value = loss.item<double>();
    if (!(value <= params_.diverged_above)) {  // NaN compares false
      outcome.why = fmt::format("training loss {} at step {} (trainer.diverged_above={})",
                                format_double(value), at.step, format_double(params_.diverged_above));
      at.metrics["train/loss"] = value;
      observer.on_metrics(at.step, epoch + 1, {{"train/loss", value}});
      return finish(TrainOutcome::State::kDiverged);
    }
    for (const auto& p : parameters) p.mutable_grad().reset();
    loss.backward();
    if (params_.grad_clip) clip_gradients(parameters, *params_.grad_clip);
    optimizer.step(optimizer.base_lr() * schedule.factor(at.step, total, per_epoch));
    ++at.step;
    samples += batch.inputs.size(0);
    at.loss_sum += value * static_cast<double>(batch.inputs.size(0));
    at.loss_count += batch.inputs.size(0);

    if (at.step % params_.log_every == 0) observer.on_metrics(at.step, epoch + 1, {{"train/batch_loss", value}});
    observer.on_progress({at.step, total, epoch + 1, params_.epochs, samples,
                          at.loss_sum / static_cast<double>(at.loss_count)});
    const bool epoch_done = at.step % per_epoch == 0;
    if (epoch_done && ((epoch + 1) % params_.eval_every == 0 || at.step == total)) evaluate(epoch + 1);
    if (at.step == total || at.target_step >= 0) break;
    if (stop()) {
      save();
      return finish(TrainOutcome::State::kInterrupted);
    }
    const double since = std::chrono::duration<double>(Clock::now() - last_checkpoint).count();
    if (since > params_.checkpoint_seconds ||
        (params_.checkpoint_steps && at.step % *params_.checkpoint_steps == 0)) {
      save();
    }
  }
  save();
  return finish(TrainOutcome::State::kCompleted);
}

}  // namespace yatlab

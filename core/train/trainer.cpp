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
#include "core/train/build_model.h"
#include "core/train/checkpoint.h"
#include "core/train/gradient_exchange.h"

namespace yatlab {
namespace {

using Clock = std::chrono::steady_clock;

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

/// The numbers of a gradient: of a sparse one (whose rows are distinct), those that are stored.
Tensor stored(const Tensor& gradient) { return gradient.is_sparse() ? gradient._values() : gradient; }

/// The norm of all gradients together, which then is at most `limit`. Returns what it was before.
double clip_gradients(const std::vector<Tensor>& parameters, double limit) {
  double squares = 0;
  for (const auto& p : parameters) {
    if (p.grad().defined()) squares += std::pow(stored(p.grad()).norm().item<double>(), 2);
  }
  const double norm = std::sqrt(squares);
  if (norm <= limit) return norm;
  for (const auto& p : parameters) {
    if (p.grad().defined()) stored(p.grad()).mul_(limit / (norm + 1e-6));
  }
  return norm;
}

nlohmann::ordered_json to_json(const Metrics& metrics) {
  // Doubles travel as text that reads back as the same bits.
  nlohmann::ordered_json j = nlohmann::ordered_json::object();
  for (const auto& [name, value] : metrics) j[name] = format_double(value);
  return j;
}

Metrics metrics_of(const nlohmann::json& j) {
  Metrics out;
  for (const auto& [name, value] : j.items()) out[name] = std::strtod(value.get<std::string>().c_str(), nullptr);
  return out;
}

/// Early stopping so far: the best evaluation and the parameters that gave it.
struct Best {
  std::int64_t step = -1, epoch = 0;
  std::int64_t waited = 0;  // evaluations since
  Metrics metrics;
  NamedTensors model;  // "best/<name>"

  static constexpr const char* kPrefix = "best/";

  void keep(const Architecture& from) {
    if (model.empty()) {
      for (const auto& [name, tensor] : model_tensors(from)) model.emplace_back(kPrefix + name, tensor.clone());
    }
    const auto now = model_tensors(from);
    for (std::size_t i = 0; i < now.size(); ++i) model[i].second.copy_(now[i].second);
  }
  void restore(const Architecture& to) const {
    const auto into = model_tensors(to);
    at::NoGradGuard no_grad;
    for (std::size_t i = 0; i < into.size(); ++i) {
      Tensor tensor = into[i].second;
      tensor.copy_(model[i].second);
    }
  }
};

/// The part of a run that changes from step to step, besides tensors.
struct Position {
  std::int64_t step = 0;
  double loss_sum = 0;  // over the samples of this epoch
  std::int64_t loss_count = 0;
  std::int64_t target_step = -1;
  Metrics metrics;
  Best best;              // early stopping only
  bool restored = false;  // the training is over and the model holds the best parameters

  void restart_mean() {
    loss_sum = 0;
    loss_count = 0;
  }
  std::string to_text(const HistoryMark& history) const {
    nlohmann::ordered_json j{{"step", step},
                             {"loss_sum", loss_sum},
                             {"loss_count", loss_count},
                             {"target_step", target_step},
                             {"history", history.position},
                             {"history_sha256", history.sha256}};
    if (!metrics.empty()) j["metrics"] = to_json(metrics);
    if (best.step >= 0) {
      j["best"] = {{"step", best.step}, {"epoch", best.epoch}, {"waited", best.waited}, {"restored", restored}};
      j["best"]["metrics"] = to_json(best.metrics);
    }
    return j.dump(2) + "\n";
  }
  static Position from_text(const std::string& text, HistoryMark& history) {
    const auto j = nlohmann::json::parse(text);
    Position p;
    p.step = j.at("step");
    p.loss_sum = j.at("loss_sum");
    p.loss_count = j.at("loss_count");
    p.target_step = j.at("target_step");
    history = {j.at("history"), j.at("history_sha256")};
    if (j.contains("metrics")) p.metrics = metrics_of(j.at("metrics"));
    if (j.contains("best")) {
      const auto& b = j.at("best");
      p.best.step = b.at("step");
      p.best.epoch = b.at("epoch");
      p.best.waited = b.at("waited");
      p.best.metrics = metrics_of(b.at("metrics"));
      p.restored = b.at("restored");
    }
    return p;
  }
};

/// Steps between two looks at whether ranks still have the same parameters.
constexpr std::int64_t kCheckEvery = 100;

std::vector<Tensor> tensors_of(const NamedTensors& named) {
  std::vector<Tensor> out;
  for (const auto& entry : named) out.push_back(entry.second);
  return out;
}

/// What rank 0 thinks.
bool as_rank_0(bool value, ProcessGroup& group) {
  const Tensor said = at::tensor({static_cast<std::int64_t>(value)}, at::kLong);
  group.broadcast(said);
  return said.item<std::int64_t>() != 0;
}

}  // namespace

Metrics Trainer::evaluate(Architecture& model, const Task& task, const std::map<std::string, Split>& splits) const {
  model.eval();
  Metrics row;
  for (const auto& [name, split] : splits) {
    if (name == "train" && !params_.eval_train) continue;
    for (const auto& [metric, value] : task.evaluate(model, split.in_tensors("evaluation (trainer.eval_train)"), params_.eval_batch_size)) {
      row[name + "/" + metric] = value;
    }
  }
  for (const auto& [name, value] : model.observables()) row[name] = value;
  model.train();
  return row;
}

double Trainer::accumulate_gradients(Architecture& model, const Task& task, const Batch& batch, std::int64_t samples,
                                     const std::function<void(double)>& before_last) const {
  const auto size = batch.inputs.defined() ? batch.inputs.size(0) : 0;
  const auto part = std::min(params_.micro_batch.value_or(size), size);
  double value = 0;
  for (std::int64_t begin = 0; begin < size; begin += part) {
    const auto count = std::min(part, size - begin);
    const bool all_here = count == size, whole = count == samples;
    Tensor loss = task.training_loss(model, all_here ? batch.inputs : row_range(batch.inputs, begin, count),
                                     all_here ? batch.targets : row_range(batch.targets, begin, count));
    const double share = static_cast<double>(count) / static_cast<double>(samples);
    value += whole ? loss.item<double>() : share * loss.item<double>();
    // Nobody will ask for its gradient; other ranks, though, do not know yet.
    if (!before_last && !(value <= params_.diverged_above)) return value;
    if (before_last && begin + count == size) before_last(value);
    (whole ? loss : loss * share).backward();
  }
  if (before_last && size == 0) before_last(value);
  return value;
}

TrainOutcome Trainer::fit(Architecture& model, const Task& task, const std::map<std::string, Split>& splits, TrainObserver& observer,
                          const std::function<bool()>& stop) const {
  TrainOutcome outcome;
  observer.rewind_history({});
  const auto validation = splits.find("validation");
  FitContext context{splits.at("train").in_tensors("a model that fits itself")};
  if (validation != splits.end()) context.validation = &validation->second;
  context.seed = seed_;
  context.threads = params_.threads;
  const auto samples = context.train.size();
  context.progress = [&](std::int64_t done, std::int64_t total) { observer.on_progress({done, total, 1, 1, samples, 0}); };
  context.stop = [&] { return stop(); };
  {
    at::NoGradGuard no_grad;
    model.fit(context);
  }
  if (stop()) {
    outcome.state = TrainOutcome::State::kInterrupted;
    return outcome;
  }
  outcome.steps = 1;
  outcome.metrics = evaluate(model, task, splits);
  observer.on_metrics({1, 1, samples}, outcome.metrics);
  const Position end{1, 0, 0, -1, outcome.metrics, {}, false};
  CheckpointStore(checkpoints_).save({1, model_tensors(model), {}, end.to_text(observer.mark_history())});
  observer.on_checkpoint(1);
  return outcome;
}

TrainOutcome Trainer::run(Architecture& model, const Task& task, const std::map<std::string, Split>& splits, Optimizer& optimizer,
                          const Schedule& schedule, TrainObserver& observer, const std::function<bool()>& stop, ProcessGroup* group) const {
  if (model.fits_itself()) return fit(model, task, splits, observer, stop);
  const bool leads = !group || group->rank() == 0;
  const Split& train = splits.at("train");
  Batches batches(train, params_.batch_size, params_.drop_last, at::Device(params_.device));
  if (group) {
    if (params_.batch_size < group->size()) {
      throw config_error(fmt::format("{} ranks share a batch of {} samples", group->size(), params_.batch_size), "trainer.batch_size",
                         "some would have nothing to do", "take fewer ranks, or larger batches");
    }
    batches.take_part({group->rank(), group->size()});
    model.set_rank(group->rank());
  }
  const auto per_epoch = batches.count();
  const auto samples_per_epoch = params_.drop_last ? per_epoch * params_.batch_size : train.size();
  const auto time_of = [&](std::int64_t step) {
    const auto begun = std::min(step % per_epoch * params_.batch_size, samples_per_epoch);
    return TrainTime{step, static_cast<double>(step) / static_cast<double>(per_epoch), step / per_epoch * samples_per_epoch + begun};
  };
  const auto total = params_.steps.value_or(per_epoch * params_.epochs);
  const auto epochs = (total + per_epoch - 1) / per_epoch;
  const CheckpointStore store(checkpoints_);
  const auto parameters = model.parameters();
  const auto& early = params_.early_stopping;

  TrainOutcome outcome;
  Position at;
  std::vector<std::string> damaged;
  auto checkpoint = leads ? store.load_latest(&damaged) : std::nullopt;
  for (const auto& text : damaged) observer.on_notice("a checkpoint is damaged and not used: " + text);
  if (checkpoint) {
    HistoryMark history;
    at = Position::from_text(checkpoint->state, history);
    if (!observer.rewind_history(history)) {
      observer.on_notice(fmt::format("the history is not the one that the checkpoint of step {} goes on from: trained anew", at.step));
      checkpoint.reset();
      at = {};
    }
  }
  if (checkpoint) {
    restore_model(model, checkpoint->model);
    copy_into(checkpoint->optimizer, optimizer.state(), "optimizer state");
    if (at.best.step >= 0 && !at.restored) {
      at.best.keep(model);
      copy_into(checkpoint->model, at.best.model, "best model");
    }
    observer.on_resume(at.step);
    outcome.resumed = true;
  } else if (leads) {
    store.remove_all();
    observer.rewind_history({});
  }
  if (group) {
    const Tensor known =
        at::tensor({at.step, static_cast<std::int64_t>(outcome.resumed), static_cast<std::int64_t>(at.restored)}, at::kLong);
    group->broadcast(known);
    at.step = known[0].item<std::int64_t>();
    outcome.resumed = known[1].item<std::int64_t>() != 0;
    at.restored = known[2].item<std::int64_t>() != 0;
    broadcast(tensors_of(model_tensors(model)), *group);
    broadcast(tensors_of(optimizer.state()), *group);
  }

  auto last_checkpoint = Clock::now();
  const auto planned = [&] { return params_.checkpoint_steps && at.step % *params_.checkpoint_steps == 0; };
  const auto save = [&](bool passing) {
    if (!leads) return;
    const auto history = observer.mark_history();
    NamedTensors tensors = model_tensors(model);
    if (!at.restored) tensors.insert(tensors.end(), at.best.model.begin(), at.best.model.end());
    store.save({at.step, tensors, optimizer.state(), at.to_text(history), passing});
    last_checkpoint = Clock::now();
    observer.on_checkpoint(at.step);
  };
  const auto watch = [&](std::int64_t epoch) {
    const auto it = at.metrics.find(*early.metric);
    if (it == at.metrics.end()) {
      if (at.step == 0) return;  // a mean over steps
      throw config_error(fmt::format("trainer.early_stopping.metric: no metric '{}'", *early.metric), {}, {},
                         "validation/... needs a data set that holds samples back (dataset.validation)");
    }
    const double before = at.best.step < 0 ? it->second : at.best.metrics.at(*early.metric);
    const bool higher = early.better == TrainerParams::EarlyStopping::Better::kHigher;
    if (at.best.step < 0 || (higher ? it->second > before : it->second < before)) {
      at.best.step = at.step;
      at.best.epoch = epoch;
      at.best.waited = 0;
      at.best.metrics = at.metrics;
      at.best.keep(model);
    } else {
      ++at.best.waited;
    }
  };
  const auto evaluate_here = [&](std::int64_t epoch) {
    Metrics row = evaluate(model, task, splits);
    if (at.loss_count > 0 && !row.count("train/loss")) {
      row["train/loss"] = at.loss_sum / static_cast<double>(at.loss_count);
    }
    for (const auto& [name, value] : row) at.metrics[name] = value;
    observer.on_metrics(time_of(at.step), row);
    if (early.metric) watch(epoch);
    if (!params_.target.metric || at.target_step >= 0) return;
    const auto it = at.metrics.find(*params_.target.metric);
    if (it == at.metrics.end()) {
      if (at.step == 0) return;
      throw config_error(fmt::format("trainer.target.metric: no metric '{}'", *params_.target.metric), {}, {},
                         "train/... metrics other than the loss need trainer.eval_train=true");
    }
    const auto& target = params_.target;
    if (target.at_most ? it->second <= *target.at_most : it->second >= target.at_least) at.target_step = at.step;
  };
  const auto finish = [&](TrainOutcome::State state) {
    outcome.state = state;
    outcome.steps = at.step;
    outcome.metrics = at.metrics;
    if (at.restored) {
      outcome.metrics["best/step"] = static_cast<double>(at.best.step);
      outcome.metrics["best/epoch"] = static_cast<double>(at.best.epoch);
    }
    if (params_.target.metric) {
      outcome.metrics["target/reached"] = at.target_step >= 0 ? 1.0 : 0.0;
      if (at.target_step >= 0) outcome.metrics["target/step"] = static_cast<double>(at.target_step);
    }
    return outcome;
  };

  model.train();
  std::int64_t samples = 0;
  std::int64_t ordered_epoch = -1;
  bool good_enough = false;  // or no longer improving
  const auto decide = [&] {
    good_enough = at.target_step >= 0 || at.restored || (early.metric && at.best.waited >= early.patience);
    if (group) good_enough = as_rank_0(good_enough, *group);
  };
  const auto evaluate_now = [&](std::int64_t epoch) {
    if (leads) evaluate_here(epoch);
    decide();
  };
  outcome.resumed ? decide() : evaluate_now(0);  // step 0 of every learning curve
  const auto done = [&] { return at.step == total || good_enough; };
  std::optional<GradientExchange> exchange;
  if (group) exchange.emplace(parameters, model.buffers(), *group);
  const auto require_equal = [&](bool with_gradients) {
    std::vector<Tensor> tensors = tensors_of(model_tensors(model));
    for (const auto& p : parameters) {
      if (with_gradients) tensors.push_back(p.grad());
    }
    if (equal_on_all_ranks(tensors, *group)) return;
    throw Error(ErrorKind::kJob,
                fmt::format("ranks differ in their {} at step {}", with_gradients ? "parameters or gradients" : "parameters", at.step), {},
                "they were equal before: machines that compute differently, a broken memory, or a component that draws numbers of its own",
                "train in one process, or on machines of one kind");
  };
  bool checked = false;

  while (!done()) {
    const auto epoch = at.step / per_epoch;
    if (epoch != ordered_epoch) {
      batches.start_epoch(params_.shuffle, derive_seed(seed_, "shuffle", static_cast<std::uint64_t>(epoch)));
      ordered_epoch = epoch;
    }
    const auto in_epoch = at.step % per_epoch;
    if (in_epoch == 0 && !params_.eval_steps) at.restart_mean();
    const auto step_begin = Clock::now();
    const Batch batch = batches.get(in_epoch);
    for (const auto& p : parameters) p.mutable_grad().reset();
    const auto size = batches.size_of(in_epoch);
    double value = 0;
    bool asked = false;  // to stop
    if (exchange) {
      const bool asked_here = stop();
      accumulate_gradients(model, task, batch, size, [&](double part) { exchange->begin(part, asked_here); });
      const auto agreed = exchange->finish();
      value = agreed.loss;
      asked = agreed.stop;
      if (!checked || at.step % kCheckEvery == 0) require_equal(true);
      checked = true;
    } else {
      value = accumulate_gradients(model, task, batch, size, {});
    }
    if (!(value <= params_.diverged_above)) {  // NaN compares false
      save(false);                             // analyses look at it
      outcome.why = fmt::format("training loss {} at step {} (trainer.diverged_above={})", format_double(value), at.step,
                                format_double(params_.diverged_above));
      at.metrics["train/loss"] = value;
      if (leads) observer.on_metrics(time_of(at.step), {{"train/loss", value}});
      return finish(TrainOutcome::State::kDiverged);
    }
    Metrics logged{{"train/batch_loss", value}};
    if (params_.grad_clip) logged["train/gradient_norm"] = clip_gradients(parameters, *params_.grad_clip);
    const double rate = optimizer.base_lr() * schedule.factor(at.step, total, per_epoch);
    logged["train/lr"] = rate;
    optimizer.step(rate);
    ++at.step;
    samples += size;
    outcome.samples = samples;
    outcome.seconds += std::chrono::duration<double>(Clock::now() - step_begin).count();
    at.loss_sum += value * static_cast<double>(size);
    at.loss_count += size;

    if (leads && at.step % params_.log_every == 0) observer.on_metrics(time_of(at.step), logged);
    if (leads) observer.on_progress({at.step, total, epoch + 1, epochs, samples, at.loss_sum / static_cast<double>(at.loss_count)});
    const bool due =
        params_.eval_steps ? at.step % *params_.eval_steps == 0 : at.step % per_epoch == 0 && (epoch + 1) % params_.eval_every == 0;
    if (due || at.step == total) {
      evaluate_now(epoch + 1);
      if (params_.eval_steps) at.restart_mean();
    }
    if (done()) break;
    if (group ? asked : stop()) {
      save(!planned());
      return finish(TrainOutcome::State::kInterrupted);
    }
    const double since = std::chrono::duration<double>(Clock::now() - last_checkpoint).count();
    if (since > params_.checkpoint_seconds || planned()) save(!planned());
  }
  if (early.metric && !at.restored) {
    if (leads) at.best.restore(model);
    if (group) broadcast(tensors_of(model_tensors(model)), *group);
    at.metrics = at.best.metrics;
    at.restored = true;
  }
  if (group) require_equal(false);
  save(false);
  return finish(TrainOutcome::State::kCompleted);
}

}  // namespace yatlab

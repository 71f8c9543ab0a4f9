#include "core/train/training_loop.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/model/build_model.h"
#include "core/train/device.h"
#include "core/train/evaluate_splits.h"
#include "core/train/gradients.h"
#include "core/train/samples_trained_on.h"

namespace yatlab {
namespace {

/// Steps between two checks that all ranks have the same parameters.
constexpr std::int64_t kCheckEvery = 100;

void copy_into(const NamedTensors& from, const NamedTensors& to, const char* what) {
  at::NoGradGuard no_grad;
  std::map<std::string, Tensor> source(from.begin(), from.end());
  for (auto [name, tensor] : to) {
    const auto it = source.find(name);
    if (it == source.end() || it->second.sizes() != tensor.sizes()) {
      throw data_error(fmt::format("the checkpoint's {} does not match: '{}'", what, name), {},
                       "it was written by a different version of this job", "start again with --fresh");
    }
    tensor.copy_(it->second);
  }
}

std::vector<Tensor> tensors_of(const NamedTensors& named) {
  std::vector<Tensor> out;
  for (const auto& entry : named) out.push_back(entry.second);
  return out;
}

/// A non-finite number is worse than every finite one.
bool is_better(double now, double before, bool higher) {
  if (!std::isfinite(now) || !std::isfinite(before)) return std::isfinite(now) && !std::isfinite(before);
  return higher ? now > before : now < before;
}

/// Rank 0's value, on every rank.
bool as_rank_0(bool value, ProcessGroup& group) {
  const Tensor rank_0_value = at::tensor({static_cast<std::int64_t>(value)}, at::kLong);
  group.broadcast(rank_0_value);
  return rank_0_value.item<std::int64_t>() != 0;
}

/// The model's device: each of several ranks may have its own GPU.
at::Device device_of_model(const Architecture& model, const TrainerParams& params) {
  const auto parameters = model.parameters();
  return parameters.empty() ? device_of(params.device) : parameters.front().device();
}

/// The total over all epochs, of updates or of samples.
std::int64_t in_all(std::int64_t each, std::int64_t epochs, const char* what) {
  std::int64_t out = 0;
  if (!__builtin_mul_overflow(each, epochs, &out)) return out;
  throw config_error(fmt::format("{} epochs of {} {} are too many to count", epochs, each, what), "trainer.epochs", {}, "use fewer epochs");
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

TrainingLoop::TrainingLoop(const TrainerParams& params, std::uint64_t seed, const std::filesystem::path& checkpoints,
                           const TrainingParts& parts)
    : params_(params),
      seed_(seed),
      parts_(parts),
      leads_(!parts.group || parts.group->rank() == 0),
      batches_(parts.splits.at("train"), params.batch_size, params.drop_last, device_of_model(parts.model, params)),
      per_epoch_(batches_.count()),
      samples_per_epoch_(params.drop_last ? per_epoch_ * params.batch_size : parts.splits.at("train").size()),
      total_(params.steps ? *params.steps : in_all(per_epoch_, params.epochs, "updates")),
      epochs_(total_ / per_epoch_ + (total_ % per_epoch_ != 0)),
      parameters_(parts.model.parameters()),
      store_(checkpoints),
      writer_(store_) {
  in_all(samples_per_epoch_, epochs_, "samples");
  if (!parts.group) return;
  const auto rank = parts.group->rank(), ranks = parts.group->size();
  if (params.batch_size < ranks) {
    throw config_error(fmt::format("{} ranks cannot share a batch of {} samples", ranks, params.batch_size), "trainer.batch_size",
                       "some ranks would have no samples", "use fewer ranks, or larger batches");
  }
  batches_.take_part({rank, ranks});
  parts.model.set_rank(rank);
}

TrainOutcome TrainingLoop::run() {
  prepare();
  begin();
  while (!over()) {
    Step step = begin_step();
    compute_gradients(step);
    update(step);
    end_step(step);
  }
  return finish();
}

void TrainingLoop::prepare() {
  if (leads_) resume();
  if (parts_.group) share_position();
  parts_.model.train();
}

void TrainingLoop::begin(const std::optional<Metrics>& measured) {
  if (outcome_.resumed) {
    decide();
  } else {
    evaluate(0, measured);
  }
  if (parts_.group) exchange_ = std::make_unique<GradientExchange>(parameters_, parts_.model.buffers(), *parts_.group);
}

TrainOutcome TrainingLoop::finish() {
  if (diverged_) return end_diverged(*diverged_);
  if (interrupted_) return end(TrainOutcome::State::kInterrupted);
  if (not_finite_) return end_not_finite();
  if (not_learning_) return end_not_learning();
  if (params_.early_stopping.metric && !at_.restored) restore_best();
  if (parts_.group) require_equal_ranks(false);
  save(false);
  return end(TrainOutcome::State::kCompleted);
}

// --- start ---

std::optional<Checkpoint> TrainingLoop::usable_checkpoint() {
  std::vector<std::string> damaged;
  auto checkpoint = store_.load_latest(&damaged);
  for (const auto& text : damaged) parts_.observer.on_notice("a checkpoint is damaged and not used: " + text);
  if (!checkpoint) return std::nullopt;
  HistoryMark history;
  at_ = TrainingPosition::from_text(checkpoint->state, history);
  if (parts_.observer.rewind_history(history)) return checkpoint;
  parts_.observer.on_notice(fmt::format("the history does not match the checkpoint of step {}: training restarts from step 0", at_.step));
  at_ = {};
  return std::nullopt;
}

void TrainingLoop::resume() {
  const auto checkpoint = usable_checkpoint();
  if (!checkpoint) {
    store_.remove_all();
    parts_.observer.rewind_history({});
    return;
  }
  restore_model(parts_.model, checkpoint->model);
  copy_into(checkpoint->optimizer, parts_.optimizer.state(), "optimizer state");
  if (at_.best.step >= 0 && !at_.restored) {
    at_.best.keep(parts_.model);
    copy_into(checkpoint->model, at_.best.model, "best model");
  }
  parts_.observer.on_resume(at_.step);
  outcome_.resumed = true;
}

void TrainingLoop::share_position() {
  const Tensor known =
      at::tensor({at_.step, static_cast<std::int64_t>(outcome_.resumed), static_cast<std::int64_t>(at_.restored)}, at::kLong);
  parts_.group->broadcast(known);
  at_.step = known[0].item<std::int64_t>();
  outcome_.resumed = known[1].item<std::int64_t>() != 0;
  at_.restored = known[2].item<std::int64_t>() != 0;
  broadcast(tensors_of(model_tensors(parts_.model)), *parts_.group);
  broadcast(tensors_of(parts_.optimizer.state()), *parts_.group);
}

// --- one update ---

TrainingLoop::Step TrainingLoop::begin_step() {
  Step step;
  step.epoch = at_.step / per_epoch_;
  step.index = at_.step % per_epoch_;
  step.size = batches_.size_of(step.index);
  if (step.index == 0 && !params_.eval_steps) at_.restart_mean();
  step.begun = Clock::now();
  return step;
}

std::uint64_t TrainingLoop::order_seed(std::int64_t epoch) {
  if (epoch != seeded_epoch_) order_seed_ = shuffle_seed(seed_, epoch);
  seeded_epoch_ = epoch;
  return order_seed_;
}

BatchPlace TrainingLoop::place_of(const Step& step) {
  return {batches_.data(), params_.shuffle, params_.shuffle ? order_seed(step.epoch) : 0, step.index, step.size};
}

Batch TrainingLoop::batch_of(const Step& step) {
  if (step.epoch != ordered_epoch_) {
    batches_.start_epoch(params_.shuffle, order_seed(step.epoch));
    ordered_epoch_ = step.epoch;
  }
  return batches_.get(step.index);
}

void TrainingLoop::compute_gradients(Step& step) {
  const Batch batch = batch_of(step);
  for (const auto& p : parameters_) p.mutable_grad().reset();
  if (!exchange_) {
    step.loss = accumulate_gradients(params_, parts_.model, parts_.task, batch, step.size);
    return;
  }
  const bool stop_here = parts_.stop();
  accumulate_gradients(params_, parts_.model, parts_.task, batch, step.size, [&](double part) { exchange_->begin(part, stop_here); });
  const auto agreed = exchange_->finish();
  step.loss = agreed.loss;
  step.stop_requested = agreed.stop;
  if (!compared_ || at_.step % kCheckEvery == 0) require_equal_ranks(true);
  compared_ = true;
}

void TrainingLoop::update(Step& step) {
  if (!(step.loss <= params_.diverged_above)) {  // NaN compares false
    diverged_ = step.loss;
    return;
  }
  if (params_.grad_clip) step.gradient_norm = clip_gradients(parameters_, *params_.grad_clip);
  release_parameters();
  step.rate = parts_.optimizer.base_lr() * parts_.schedule.factor(at_.step, total_, per_epoch_);
  parts_.optimizer.step(step.rate);
  ++at_.step;
  at_.add_loss(step.loss, step.size);
  outcome_.samples += step.size;
  outcome_.seconds += seconds_since(step.begun);
  step.taken = true;
}

void TrainingLoop::end_step(const Step& step) {
  if (!step.taken) return;
  if (leads_) observe(step);
  if (evaluation_due(step)) {
    evaluate(step.epoch + 1, step.measured);
    if (params_.eval_steps) at_.restart_mean();
  }
  if (done()) return;
  if (step.stop_requested ? *step.stop_requested : parts_.stop()) {
    save(!planned());
    interrupted_ = true;
    return;
  }
  if (overdue() || planned()) save(!planned());
  report_written(writer_.written());
}

void TrainingLoop::observe(const Step& step) {
  if (at_.step % params_.log_every == 0) {
    Metrics row{{"train/batch_loss", step.loss}, {"train/lr", step.rate}};
    if (step.gradient_norm.defined()) row["train/gradient_norm"] = step.gradient_norm.item<double>();
    parts_.observer.on_metrics(time_of(at_.step), row);
  }
  parts_.observer.on_progress(
      {at_.step, total_, step.epoch + 1, epochs_, outcome_.samples, at_.loss_sum / static_cast<double>(at_.loss_count)});
}

TrainTime TrainingLoop::time_of(std::int64_t step) const {
  const auto begun = std::min(step % per_epoch_ * params_.batch_size, samples_per_epoch_);
  return {step, static_cast<double>(step) / static_cast<double>(per_epoch_), step / per_epoch_ * samples_per_epoch_ + begun};
}

// --- evaluation ---

bool TrainingLoop::evaluation_due(const Step& step) const {
  if (!step.taken) return false;
  if (at_.step == total_) return true;
  if (params_.eval_steps) return at_.step % *params_.eval_steps == 0;
  return at_.step % per_epoch_ == 0 && (step.epoch + 1) % params_.eval_every == 0;
}

bool TrainingLoop::measures_as(const TrainingLoop& other) const {
  const auto same = [](const auto& a, const auto& b) {
    return a.first == b.first && a.second.inputs.is_same(b.second.inputs) && a.second.targets.is_same(b.second.targets) &&
           a.second.rows == b.second.rows;
  };
  const auto &own = parts_.splits, &others = other.parts_.splits;
  return params_.eval_batch_size == other.params_.eval_batch_size && params_.eval_train == other.params_.eval_train &&
         std::equal(own.begin(), own.end(), others.begin(), others.end(), same);
}

std::vector<Metrics> TrainingLoop::measure_stacked(Architecture& model, std::int64_t members) const {
  return evaluate_stacked(params_, model, members, dynamic_cast<const StackedTask&>(parts_.task), parts_.splits);
}

void TrainingLoop::evaluate(std::int64_t epoch, const std::optional<Metrics>& measured) {
  if (leads_) {
    Metrics row = measured ? *measured : evaluate_splits(params_, parts_.model, parts_.task, parts_.splits);
    if (measured) {
      for (const auto& [name, value] : parts_.model.observables()) row[name] = value;
    }
    if (at_.loss_count > 0 && !row.count("train/loss")) row["train/loss"] = at_.loss_sum / static_cast<double>(at_.loss_count);
    for (const auto& [name, value] : row) at_.metrics[name] = value;
    parts_.observer.on_metrics(time_of(at_.step), row);
    if (!metric_not_finite()) {
      if (params_.early_stopping.metric) note_best(epoch);
      if (params_.target.metric && at_.target_step < 0) note_target();
      if (params_.diverged_evaluations && at_.step > 0) note_evaluation_without_learning();
    }
  }
  decide();
}

std::optional<std::string> TrainingLoop::metric_not_finite() const { return not_finite(params_, parts_.task, parts_.splits, at_.metrics); }

/// A metric that the settings name. nullptr before the first step, when means over steps do not exist yet.
const double* TrainingLoop::named_metric(const std::string& name, const char* key, const char* hint) const {
  const auto it = at_.metrics.find(name);
  if (it != at_.metrics.end()) return &it->second;
  if (at_.step == 0) return nullptr;
  throw config_error(fmt::format("{}: there is no metric '{}'", key, name), {}, {}, hint);
}

void TrainingLoop::note_best(std::int64_t epoch) {
  const auto& early = params_.early_stopping;
  const double* now = named_metric(*early.metric, "trainer.early_stopping.metric",
                                   "validation/... needs a data set that holds samples back (dataset.validation)");
  if (!now) return;
  const bool higher = early.better == TrainerParams::EarlyStopping::Better::kHigher;
  if (at_.best.step >= 0 && !is_better(*now, at_.best.metrics.at(*early.metric), higher)) {
    ++at_.best.waited;
    return;
  }
  at_.best.step = at_.step;
  at_.best.epoch = epoch;
  at_.best.waited = 0;
  at_.best.metrics = at_.metrics;
  at_.best.keep(parts_.model);
}

void TrainingLoop::note_target() {
  const auto& target = params_.target;
  const double* now =
      named_metric(*target.metric, "trainer.target.metric", "train/... metrics other than the loss need trainer.eval_train=true");
  if (!now || !std::isfinite(*now)) return;
  if (target.at_most ? *now <= *target.at_most : *now >= target.at_least) at_.target_step = at_.step;
}

void TrainingLoop::note_evaluation_without_learning() {
  const double* loss = named_metric("test/loss", "trainer.diverged_evaluations", "it needs a test split and a task that measures a loss");
  const auto constant = parts_.task.constant_loss(parts_.splits.at("test"));
  if (!constant) {
    throw config_error("this task does not know the loss of a prediction that ignores its input", "trainer.diverged_evaluations", {},
                       "remove it, or use task=language_modeling");
  }
  at_.evaluations_without_learning = *loss < *constant ? 0 : at_.evaluations_without_learning + 1;  // NaN compares false
}

void TrainingLoop::decide() {
  const bool no_better = params_.early_stopping.metric && at_.best.waited >= params_.early_stopping.patience;
  good_enough_ = at_.target_step >= 0 || at_.restored || no_better;
  not_learning_ = params_.diverged_evaluations && at_.evaluations_without_learning >= *params_.diverged_evaluations;
  not_finite_ = metric_not_finite().has_value();
  if (!parts_.group) return;
  good_enough_ = as_rank_0(good_enough_, *parts_.group);
  not_learning_ = as_rank_0(not_learning_, *parts_.group);
  not_finite_ = as_rank_0(not_finite_, *parts_.group);
}

// --- checkpoints ---

bool TrainingLoop::overdue() const { return seconds_since(last_checkpoint_) > params_.checkpoint_seconds; }

void TrainingLoop::save(bool passing) {
  if (!leads_) return;
  report_written(writer_.wait());
  const auto history = parts_.observer.mark_history();
  NamedTensors tensors = model_tensors(parts_.model);
  if (!at_.restored) tensors.insert(tensors.end(), at_.best.model.begin(), at_.best.model.end());
  // These do not change until the optimizer's next update.
  std::vector<Tensor> unchanged = parameters_;
  const auto state = parts_.optimizer.state();
  for (const auto& entry : state) unchanged.push_back(entry.second);
  writer_.begin({at_.step, tensors, state, at_.to_text(history), passing}, unchanged);
  passing_ = passing;
  last_checkpoint_ = Clock::now();
}

void TrainingLoop::release_parameters() {
  if (writer_.release_parameters()) return;
  parts_.observer.on_notice(fmt::format(
      "the checkpoint of step {} is written again, from a copy: something other than the optimizer changed parameters while it was written",
      at_.step));
  save(passing_);
}

void TrainingLoop::report_written(std::optional<std::int64_t> step) {
  if (step) parts_.observer.on_checkpoint(*step);
}

// --- end ---

void TrainingLoop::restore_best() {
  release_parameters();
  if (leads_) at_.best.restore(parts_.model);
  if (parts_.group) broadcast(tensors_of(model_tensors(parts_.model)), *parts_.group);
  at_.metrics = at_.best.metrics;
  at_.restored = true;
}

void TrainingLoop::require_equal_ranks(bool with_gradients) const {
  std::vector<Tensor> tensors = tensors_of(model_tensors(parts_.model));
  for (const auto& p : parameters_) {
    if (with_gradients) tensors.push_back(p.grad());
  }
  if (equal_on_all_ranks(tensors, *parts_.group)) return;
  throw Error(ErrorKind::kJob,
              fmt::format("ranks differ in their {} at step {}", with_gradients ? "parameters or gradients" : "parameters", at_.step), {},
              "they were equal before; possible causes: machines that compute differently, faulty memory, or a component with its own "
              "random numbers",
              "train in one process, or on machines of the same kind");
}

TrainOutcome TrainingLoop::end(TrainOutcome::State state) {
  report_written(writer_.wait());
  outcome_.state = state;
  outcome_.steps = at_.step;
  outcome_.metrics = at_.metrics;
  if (at_.restored) {
    outcome_.metrics["best/step"] = static_cast<double>(at_.best.step);
    outcome_.metrics["best/epoch"] = static_cast<double>(at_.best.epoch);
  }
  if (params_.target.metric) {
    outcome_.metrics["target/reached"] = at_.target_step >= 0 ? 1.0 : 0.0;
    if (at_.target_step >= 0) outcome_.metrics["target/step"] = static_cast<double>(at_.target_step);
  }
  return outcome_;
}

TrainOutcome TrainingLoop::end_diverged(double loss) {
  save(false);  // for analyses
  outcome_.why = fmt::format("training loss {} at step {} (trainer.diverged_above={})", format_double(loss), at_.step,
                             format_double(params_.diverged_above));
  at_.metrics["train/loss"] = loss;
  if (leads_) parts_.observer.on_metrics(time_of(at_.step), {{"train/loss", loss}});
  return end(TrainOutcome::State::kDiverged);
}

TrainOutcome TrainingLoop::end_not_finite() {
  save(false);  // for analyses
  if (leads_) outcome_.why = not_finite_text(at_.metrics, metric_not_finite().value(), at_.step);
  return end(TrainOutcome::State::kDiverged);
}

TrainOutcome TrainingLoop::end_not_learning() {
  save(false);  // for analyses
  if (leads_) {
    outcome_.why = fmt::format(
        "test/loss {} at step {}: for {} evaluation{} in a row not below {}, the loss of a prediction that ignores its input "
        "(trainer.diverged_evaluations={})",
        format_double(at_.metrics.at("test/loss")), at_.step, at_.evaluations_without_learning,
        at_.evaluations_without_learning == 1 ? "" : "s", format_double(parts_.task.constant_loss(parts_.splits.at("test")).value()),
        *params_.diverged_evaluations);
  }
  return end(TrainOutcome::State::kDiverged);
}

}  // namespace yatlab

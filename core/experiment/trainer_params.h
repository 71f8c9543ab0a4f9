#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/registry/fields.h"

namespace yatlab {

/// `trainer:` in a config. All of it is part of a job's identity, except the fields declared otherwise.
struct TrainerParams {
  /// Stop early once a metric is good enough; the steps needed become a result.
  struct Target {
    std::optional<std::string> metric;
    double at_least = 1.0;
    std::optional<double> at_most;
    static void declare(Fields& f, Target& t) {
      f.field("metric", t.metric, "metric that ends the training early, e.g. train/accuracy; null: none");
      f.field("at_least", t.at_least, "stop training at this value or above");
      f.field("at_most", t.at_most, "for losses, instead of at_least: stop training at this value or below");
    }
  };

  /// Stop once a metric no longer improves, and keep the best parameters.
  struct EarlyStopping {
    enum class Better { kHigher, kLower };
    std::optional<std::string> metric;
    std::int64_t patience = 3;
    Better better = Better::kHigher;
    static void declare(Fields& f, EarlyStopping& e) {
      f.field("metric", e.metric, "metric to watch, e.g. validation/P@1; null: no early stopping");
      f.field("patience", e.patience, "evaluations without a new best before the training ends").positive();
      f.choice("better", e.better, {{"higher", Better::kHigher}, {"lower", Better::kLower}}, "which values of the metric are better");
    }
  };

  std::int64_t epochs = 5;
  std::optional<std::int64_t> steps;
  std::int64_t batch_size = 64;
  std::optional<std::int64_t> micro_batch;
  std::int64_t eval_batch_size = 1000;
  std::int64_t eval_every = 1;
  std::optional<std::int64_t> eval_steps;
  bool eval_train = false;
  bool shuffle = true;
  bool drop_last = false;
  std::optional<double> grad_clip;
  double diverged_above = 1e4;
  std::optional<std::int64_t> diverged_evaluations;
  std::int64_t log_every = 100;
  std::int64_t threads = 1;
  std::string device = "cpu";
  std::optional<double> peak_tflops;
  Target target;
  EarlyStopping early_stopping;
  double checkpoint_seconds = 30;
  std::optional<std::int64_t> checkpoint_steps;
  enum class KeepCheckpoints { kAll, kLast, kNone } keep_checkpoints = KeepCheckpoints::kAll;

  static void declare(Fields& f, TrainerParams& p) {
    f.field("epochs", p.epochs, "passes over the training split").positive();
    f.field("steps", p.steps, "total number of updates, over as many epochs as needed; null: `epochs` decides").positive();
    f.field("batch_size", p.batch_size, "samples per update").positive();
    f.field("micro_batch", p.micro_batch,
            "samples per forward and backward pass; gradients are accumulated over an update; null: the whole batch")
        .positive();
    f.field("eval_batch_size", p.eval_batch_size, "samples per evaluation batch").positive();
    f.field("eval_every", p.eval_every, "epochs between evaluations; there is always one after the last epoch").positive();
    f.field("eval_steps", p.eval_steps, "updates between evaluations, instead of eval_every; null: eval_every decides").positive();
    f.field("eval_train", p.eval_train, "also evaluate the training split (train/accuracy)");
    f.field("shuffle", p.shuffle, "shuffle the samples every epoch");
    f.field("drop_last", p.drop_last, "leave out an incomplete last batch");
    f.field("grad_clip", p.grad_clip,
            "clip the global gradient norm at this value, and log the norm before clipping as train/gradient_norm; .inf: only log it; "
            "null: neither")
        .positive()
        .unlimited();
    f.field("diverged_above", p.diverged_above,
            "a training loss above this, or NaN, ends the run as diverged; an evaluation with non-finite loss or scores always does")
        .positive()
        .unlimited();
    f.field("diverged_evaluations", p.diverged_evaluations,
            "end the run as diverged after this many evaluations in a row (not counting step 0) whose test/loss is not below that of a "
            "prediction that ignores its input (for language models: the entropy of single tokens); null: never")
        .positive();
    f.field("log_every", p.log_every, "steps between log entries of the batch loss, learning rate and gradient norm").positive();
    f.field("threads", p.threads, "CPU threads per job; fixed, so that results do not depend on the machine").range(1, 1024);
    f.field("device", p.device, "cpu, cuda or cuda:N");
    f.field("peak_tflops", p.peak_tflops,
            "peak TFLOP/s of the device in the precision used, to log run/mfu = (6 N + 6 L C T) tokens/s / peak (llm.c's formula); null: "
            "not logged")
        .positive()
        .steers();
    f.group("target", p.target, "stop early at a metric's value");
    f.group("early_stopping", p.early_stopping, "stop when a metric no longer improves; the best parameters are kept");
    f.field("checkpoint_seconds", p.checkpoint_seconds, "seconds between checkpoints (does not change results)")
        .positive()
        .unlimited()
        .steers();
    f.field("checkpoint_steps", p.checkpoint_steps, "steps between checkpoints, in addition to the seconds (does not change results)")
        .positive()
        .steers();
    f.choice("keep_checkpoints", p.keep_checkpoints,
             {{"all", KeepCheckpoints::kAll}, {"last", KeepCheckpoints::kLast}, {"none", KeepCheckpoints::kNone}},
             "which of a job's last two checkpoints to keep after its analyses; with none, an analysis added later trains again (does not "
             "change results)")
        .steers();
  }
};

}  // namespace yatlab

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/registry/fields.h"

namespace yatlab {

/// `trainer:` in a config. All of it is part of a job's identity except what is said to be not.
struct TrainerParams {
  /// Stop early once a metric is good enough; the steps needed become a result.
  struct Target {
    std::optional<std::string> metric;
    double at_least = 1.0;
    static void declare(Fields& f, Target& t) {
      f.field("metric", t.metric, "metric that ends the training early, e.g. train/accuracy; null: none");
      f.field("at_least", t.at_least, "the value that is enough");
    }
  };

  std::int64_t epochs = 5;
  std::int64_t batch_size = 64;
  std::int64_t eval_batch_size = 1000;
  std::int64_t eval_every = 1;
  bool eval_train = false;
  bool shuffle = true;
  bool drop_last = false;
  std::optional<double> grad_clip;
  double diverged_above = 1e4;
  std::int64_t log_every = 100;
  std::int64_t threads = 1;
  std::string device = "cpu";
  Target target;
  double checkpoint_seconds = 30;
  std::optional<std::int64_t> checkpoint_steps;

  static void declare(Fields& f, TrainerParams& p) {
    f.field("epochs", p.epochs, "passes over the training split").positive();
    f.field("batch_size", p.batch_size, "samples in one update").positive();
    f.field("eval_batch_size", p.eval_batch_size, "samples in one evaluation batch").positive();
    f.field("eval_every", p.eval_every, "epochs between two evaluations; the last epoch always ends in one")
        .positive();
    f.field("eval_train", p.eval_train, "also evaluate the training split (train/accuracy)");
    f.field("shuffle", p.shuffle, "a new order of the samples every epoch");
    f.field("drop_last", p.drop_last, "leave out an incomplete last batch");
    f.field("grad_clip", p.grad_clip, "clip the global gradient norm at this value; null: do not").positive();
    f.field("diverged_above", p.diverged_above, "a training loss above this, or NaN, ends the run as diverged")
        .positive();
    f.field("log_every", p.log_every, "steps between two entries of the training loss").positive();
    f.field("threads", p.threads, "CPU threads of one job; fixed, so that results do not depend on the machine")
        .positive();
    f.field("device", p.device, "cpu, cuda or cuda:N");
    f.group("target", p.target, "stop early at a metric's value");
    f.field("checkpoint_seconds", p.checkpoint_seconds,
            "seconds between two checkpoints (does not change results)").positive();
    f.field("checkpoint_steps", p.checkpoint_steps,
            "steps between two checkpoints, besides the seconds (does not change results)").positive();
  }
};

}  // namespace yatlab

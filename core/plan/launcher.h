#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/plan/job_spec.h"
#include "core/registry/registry.h"

namespace yatlab {

/// A job that another process does: what its folder shows is handed to the run's trackers.
class JobElsewhere {
 public:
  virtual ~JobElsewhere() = default;
  /// Hands on what is new: rows, progress, checkpoints. To be called now and then.
  virtual void look() = 0;
  /// Whether somebody asked that this job stop, where a tracker mirrors it.
  virtual bool wants_stop() = 0;
  /// The process is over. `crash`: how, where it did not end by itself ("killed by signal 11 (Segmentation fault)"), and its last lines; that
  /// becomes the job's error. `lost`: it was taken away (killed, no memory), and nothing is wrong with the job.
  virtual void end(const std::string& crash, bool lost) = 0;
};

/// Which jobs may train together.
struct StackRule {
  std::size_t most = 1;       ///< in one stack; 1: every job alone
  bool where_faster = false;  ///< those that gain nothing by it are left alone
};

/// The jobs that a launcher is to have done, and how it can. State is read from the jobs' folders.
class Launch {
 public:
  virtual ~Launch() = default;
  virtual std::size_t jobs() const = 0;
  virtual const JobSpec& job(std::size_t i) const = 0;
  virtual fs::path folder(std::size_t i) const = 0;
  /// The run's folder, which holds them all.
  virtual fs::path run() const = 0;
  /// Does the job here, in the calling thread; several threads may. Does not throw.
  virtual void execute(std::size_t i) = 0;
  /// Every job once: those of one list may train together (job_stacks.h).
  virtual std::vector<std::vector<std::size_t>> stacks(const StackRule& rule, std::size_t workers) const = 0;
  /// Does these jobs here, whose trainings go through a stack, each in a thread of its own. Does not throw.
  virtual void execute_together(const std::vector<std::size_t>& jobs) = 0;
  /// The words of a command that does it in a process of its own.
  virtual std::vector<std::string> command(std::size_t i) const = 0;
  /// Says that another process does the job. Does not throw.
  virtual std::unique_ptr<JobElsewhere> elsewhere(std::size_t i) = 0;
  /// Says that the job was left to a queue ("Slurm array 4711"), and nobody waits for it here.
  virtual void left(std::size_t i, const std::string& queue) = 0;
  /// Whether to stay until every job is over, where a launcher need not.
  virtual bool wait() const = 0;
  /// True when no more jobs are to begin and those that run are to be asked to stop.
  virtual bool over() const = 0;
  /// Why it is over: one job failed, and that is the end of all.
  virtual bool failed_fast() const = 0;
  /// Whether jobs that failed are to be done again.
  virtual bool retry_failed() const { return false; }
  /// Tells whoever gave the command, and the run's log.
  virtual void notice(const std::string&) {}
};

/// Brings the jobs of a plan to where they run.
class Launcher {
 public:
  virtual ~Launcher() = default;

  /// Throws a config error where it cannot work on this machine. Called before anything of a run begins.
  virtual void check() const {}
  /// Throws a config error where it cannot take such a job. Called when the job is planned, on whatever machine that is.
  virtual void check_job(const JobSpec&) const {}
  /// False where jobs run on other machines: data and devices are theirs, and nobody looks for them here.
  virtual bool here() const { return true; }

  /// Jobs that run at the same time, given how many there are and the threads each one takes.
  virtual std::size_t workers(std::size_t jobs, std::size_t threads_per_job) const = 0;

  /// Which jobs it trains together (job_stacks.h): none.
  virtual StackRule stack() const { return {}; }

  /// Has every job done once, in order, up to `workers` at the same time, and returns when all are done, or left to a queue, or `launch.over()`.
  virtual void run(Launch& launch, std::size_t workers) const = 0;
};

/// What `launcher.stack` says: off (which YAML reads as false), auto (up to 128, where that is faster), else a number from 2. Config error for
/// anything else.
StackRule stack_rule(const Node& given);

YATLAB_KIND(Launcher, "launcher", "runs a plan's jobs somewhere")

/// A launcher whose jobs run on this machine, some at a time.
class LauncherHere : public Launcher {
 public:
  struct Params {
    std::int64_t workers = 0, gpu_slots = 1;
    static void declare(Fields& f, Params& p) {
      f.field("workers", p.workers, "jobs at the same time; 0: as many as the cores allow").non_negative();
      f.field("gpu_slots", p.gpu_slots, "jobs that may use one GPU at the same time").positive();
    }
  };
  explicit LauncherHere(const Params& p) : p_(p) {}
  std::size_t workers(std::size_t jobs, std::size_t threads_per_job) const override;

 protected:
  /// Calls work(i) for every job once, in order, from `workers` threads, until `launch.over()`; one whose trainer.device is a GPU waits until
  /// that has a slot. `work` does not throw.
  void each_in_turn(Launch& launch, std::size_t workers, const std::function<void(std::size_t)>& work) const;
  /// The same of jobs that are done together, by their places; a stack's jobs need the same device.
  void each_in_turn(Launch& launch, std::size_t workers, const std::vector<std::vector<std::size_t>>& stacks,
                    const std::function<void(const std::vector<std::size_t>&)>& work) const;

 private:
  Params p_;
};

/// Throws a config error where a training's batches are too small for so many ranks.
void require_share_of_batches(const JobSpec& job, std::int64_t ranks);

/// Calls work(i) for every i below `jobs` once, in order, from `workers` threads. `work` does not throw; start_threads may.
void each_job(std::size_t jobs, std::size_t workers, const std::function<void(std::size_t)>& work);

}  // namespace yatlab

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/plan/job_spec.h"
#include "core/registry/registry.h"

namespace yatlab {

/// A job that runs in another process. What appears in its folder is passed on to the run's trackers.
class ExternalJob {
 public:
  virtual ~ExternalJob() = default;
  /// Passes on new rows, progress and checkpoints. Call it regularly.
  virtual void poll() = 0;
  /// Whether the user asked a tracker to stop this job.
  virtual bool wants_stop() = 0;
  /// The process has ended. `crash`: how, where it did not exit on its own ("killed by signal 11 (Segmentation fault)"), and its last lines;
  /// this becomes the job's error. `lost`: it was killed from outside or by lack of memory; the job itself did not fail.
  virtual void finish(const std::string& crash, bool lost) = 0;
};

/// Which jobs may train together.
struct StackRule {
  std::size_t most = 1;       ///< maximum number of jobs in a stack; 1: no stacks
  bool where_faster = false;  ///< only jobs that train faster in a stack
};

/// The jobs that a launcher has to run, and the ways to run them. Each job's state is read from its folder.
class Launch {
 public:
  virtual ~Launch() = default;
  virtual std::size_t jobs() const = 0;
  virtual const JobSpec& job(std::size_t i) const = 0;
  virtual fs::path folder(std::size_t i) const = 0;
  /// Holds the folders of all jobs.
  virtual fs::path run_folder() const = 0;

  /// Runs these jobs in this process: one in the calling thread; several as one stack (core/train/training_stack.h), each in a thread of its own.
  /// Several threads may call it. Does not throw.
  virtual void run_here(const std::vector<std::size_t>& jobs) = 0;
  /// Every job once, in lists for `run_here`. Here and not in the launcher, because the models must be built to know which jobs are alike.
  virtual std::vector<std::vector<std::size_t>> stacks(const StackRule& rule, std::size_t workers) const = 0;
  /// The command that runs the job in a process of its own.
  virtual std::vector<std::string> command(std::size_t i) const = 0;
  /// Begins to follow a job that another process runs. Does not throw.
  virtual std::unique_ptr<ExternalJob> follow(std::size_t i) = 0;
  /// The job is now in a queue ("Slurm array 4711"), and this process does not wait for it.
  virtual void leave_to_queue(std::size_t i, const std::string& queue) = 0;

  /// Whether the launcher must wait for queued jobs (--wait).
  virtual bool wait() const = 0;
  /// True when no further job may start and running jobs should be asked to stop.
  virtual bool stopping() const = 0;
  /// Whether `stopping` is due to a failed job (--fail-fast).
  virtual bool failed_fast() const = 0;
  /// Whether failed jobs run again (--retry-failed).
  virtual bool retry_failed() const { return false; }
  /// Shows a message to the user and adds it to the run's log.
  virtual void notice(const std::string&) {}
};

/// Runs the jobs of a plan somewhere: in this process, in others, on a cluster.
class Launcher {
 public:
  virtual ~Launcher() = default;

  /// Throws a config error if it cannot work on this machine. Called before a run begins.
  virtual void check() const {}
  /// Throws a config error if it cannot run such a job. Called when the job is planned, possibly on another machine.
  virtual void check_job(const JobSpec&) const {}
  /// False if jobs run on other machines, so that their data and devices are not required on this one.
  virtual bool on_this_machine() const { return true; }

  /// How many jobs run at the same time, given their number and the threads of each.
  virtual std::size_t workers(std::size_t jobs, std::size_t threads_per_job) const = 0;

  /// Which jobs may train together; by default none.
  virtual StackRule stack() const { return {}; }

  /// Runs every job once, in order, up to `workers` at the same time. Returns when all are finished, or in a queue, or `launch.stopping()`.
  virtual void run(Launch& launch, std::size_t workers) const = 0;
};

/// Reads `launcher.stack`: off (false in YAML), auto (up to 128, where that is faster), or a number from 2. Config error for anything else.
StackRule stack_rule(const Node& given);

YATLAB_KIND(Launcher, "launcher", "runs a plan's jobs, here or on a cluster")

/// A launcher whose jobs run on this machine.
class LocalProcessLauncher : public Launcher {
 public:
  struct Params {
    std::int64_t workers = 0, gpu_slots = 1;
    static void declare(Fields& f, Params& p) {
      f.field("workers", p.workers, "jobs to run in parallel; 0: as many as the cores allow").non_negative();
      f.field("gpu_slots", p.gpu_slots, "jobs that may share one GPU").positive();
    }
  };
  explicit LocalProcessLauncher(const Params& p) : p_(p) {}
  std::size_t workers(std::size_t jobs, std::size_t threads_per_job) const override;

 protected:
  /// Calls work(i) for every job once, in order, from `workers` threads, until `launch.stopping()`. A job whose trainer.device is a GPU waits
  /// for a free slot of it. `work` must not throw.
  void each_in_turn(Launch& launch, std::size_t workers, const std::function<void(std::size_t)>& work) const;
  /// The same for lists of jobs. The jobs of one list need the same device.
  void each_in_turn(Launch& launch, std::size_t workers, const std::vector<std::vector<std::size_t>>& stacks,
                    const std::function<void(const std::vector<std::size_t>&)>& work) const;

 private:
  Params p_;
};

/// Throws a config error where a batch has fewer samples than there are ranks.
void require_share_of_batches(const JobSpec& job, std::int64_t ranks);

/// Calls work(i) for every i below `jobs` once, in order, from `workers` threads. `work` must not throw; starting threads may.
void each_job(std::size_t jobs, std::size_t workers, const std::function<void(std::size_t)>& work);

}  // namespace yatlab

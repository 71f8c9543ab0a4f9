#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/files.h"

namespace yatlab {

/// A job array that a run submitted to Slurm. Its folder `slurm/<number>` below the run holds jobs.txt (one job folder, relative to the run, per
/// line; task N is in line N + 1), name, submit.sh, the tasks' output and, once sbatch has answered, id.
struct SlurmArray {
  int number = 0;
  fs::path folder;
  std::string name;               ///< in the queue
  std::string id;                 ///< "4711"; "" if sbatch did not answer: then its name identifies it in the queue
  std::vector<std::string> jobs;  ///< "jobs/yat/seed=0"
  /// "4711_3"; "" if there is no id.
  std::string task(std::size_t index) const;
};

/// A queue name for an array in this folder: "yatlab-<id of the run>-<number>-1a2b3c4d". Every call returns a new name. It has only letters,
/// digits and "._=+-", because squeue splits names at commas.
std::string new_slurm_name(const fs::path& folder);

/// A Slurm command, protected from environment variables that would change it: squeue's filters, and sbatch's wait option.
std::vector<std::string> slurm_command(std::vector<std::string> words);

/// The arrays of a run, in the order of submission.
std::vector<SlurmArray> slurm_arrays(const fs::path& run);

/// Slurm's information about one task.
struct SlurmTask {
  std::string id;      ///< "4711_3"
  std::string state;   ///< "PENDING", "RUNNING", "COMPLETING", "COMPLETED", "NODE_FAIL", ...
  std::string reason;  ///< why it is in that state; "" if there is no reason
  std::string node;
  int exit_code = 0, signal = 0;  ///< of a finished task, if Slurm still has it: see task_that_ended

  bool runs() const;   ///< it is running: RUNNING, COMPLETING, ...
  bool waits() const;  ///< it is in the queue: PENDING, REQUEUED, ...
  bool ended() const { return !runs() && !waits(); }
  bool held() const;  ///< it waits for an action or a limit, not for free nodes: its owner, an administrator, other limits
};

/// The tasks of a run's arrays in Slurm's queue, by the job's folder relative to the run; for repeated submissions of a job the last. Nullopt
/// if squeue is missing or does not answer.
std::optional<std::map<std::string, SlurmTask>> slurm_tasks(const std::vector<SlurmArray>& arrays);

/// The record of scontrol or sacct for a task that has left the queue; the state is "" if neither has one.
SlurmTask task_that_ended(const std::string& id);

/// The Slurm task of this process, "4711_3"; "" outside Slurm.
std::string slurm_task_here();

/// Cancels tasks, or (signal "TERM") tells them to save and exit. Throws a job error with scancel's message.
void cancel_slurm_tasks(const std::vector<std::string>& ids, const std::string& signal = {});

}  // namespace yatlab

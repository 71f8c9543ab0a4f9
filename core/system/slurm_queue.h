#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/files.h"

namespace yatlab {

/// A job array that a run handed to Slurm: its folder `slurm/<number>` below the run holds jobs.txt (a job's folder below the run in each
/// line, that of task N in line N + 1), name, submit.sh, the tasks' output and, once sbatch has answered, id.
struct SlurmArray {
  int number = 0;
  fs::path folder;
  std::string name;               ///< in the queue
  std::string id;                 ///< "4711"; "" where sbatch was not heard of: then its name tells it in the queue
  std::vector<std::string> jobs;  ///< "jobs/yat/seed=0"
  /// "4711_3"; "" where there is no id.
  std::string task(std::size_t index) const;
};

/// How an array of this folder is called in the queue: "yatlab-<id of the run>-<number>-1a2b3c4d". Every call gives another name, of letters,
/// digits and "._=+-" alone: squeue takes commas for the end of a name.
std::string new_slurm_name(const fs::path& folder);

/// The words of a command of Slurm, without what the environment would add to them: filters of squeue, and that sbatch is to wait.
std::vector<std::string> slurm_command(std::vector<std::string> words);

/// Of a run, in the order in which they were submitted.
std::vector<SlurmArray> slurm_arrays(const fs::path& run);

/// What Slurm says of one task.
struct SlurmTask {
  std::string id;      ///< "4711_3"
  std::string state;   ///< "PENDING", "RUNNING", "COMPLETING", "COMPLETED", "NODE_FAIL", ...
  std::string reason;  ///< why it is in that state; "" where there is nothing to say
  std::string node;
  int exit_code = 0, signal = 0;  ///< of one that is over, where Slurm still knows: see task_that_ended

  bool runs() const;   ///< it has a place: RUNNING, COMPLETING, ...
  bool waits() const;  ///< in the queue: PENDING, REQUEUED, ...
  bool ended() const { return !runs() && !waits(); }
  bool held() const;  ///< it waits for somebody, not for a place: for its owner, an administrator, other limits
};

/// The tasks of a run's arrays that Slurm knows, by the folder of the job below the run; of several submissions of a job the last. Nothing
/// where squeue is missing or does not answer: nobody knows.
std::optional<std::map<std::string, SlurmTask>> slurm_tasks(const std::vector<SlurmArray>& arrays);

/// What scontrol or sacct remember of a task that is no longer in the queue; the state is "" where neither does.
SlurmTask task_that_ended(const std::string& id);

/// As which this process runs, "4711_3"; "" outside Slurm's jobs.
std::string slurm_task_here();

/// Cancels tasks, or (signal "TERM") tells them to save and leave. Throws a job error with what scancel said.
void cancel_slurm_tasks(const std::vector<std::string>& ids, const std::string& signal = {});

}  // namespace yatlab

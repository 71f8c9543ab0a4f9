#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include "core/base/error.h"
#include "core/base/process.h"
#include "core/base/shell.h"
#include "core/base/text.h"
#include "core/experiment/experiment_params.h"
#include "core/experiment/job_ending.h"
#include "core/experiment/job_type.h"
#include "core/experiment/launcher.h"
#include "core/experiment/recorded_run.h"
#include "core/runs/slurm_queue.h"

namespace yatlab {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kTasks = "ntasks";  // option of sbatch for a job of several ranks

/// What a line of a batch script may hold: no value of a config may begin a line of its own, or another option.
void require_plain(const std::string& what, const std::string& value) {
  for (const char c : value) {
    if (static_cast<unsigned char>(c) <= ' ' || c == 0x7f) {
      throw config_error(fmt::format("{}: '{}' holds blanks or control characters", what, visible(shortened(value))), {},
                         "sbatch takes one word");
    }
  }
}

/// How sbatch counts tasks of an array here: their indices are below it.
std::size_t longest_array() {
  constexpr std::size_t kUsual = 1001;
  const auto answer = run_process({"scontrol", "show", "config"});
  const auto at = answer.output.find("MaxArraySize");
  if (answer.status != 0 || at == std::string::npos) return kUsual;
  const auto value = std::strtoull(answer.output.c_str() + answer.output.find('=', at) + 1, nullptr, 10);
  return value > 1 ? value : kUsual;
}

/// A job on its way through the queue.
struct Waiting {
  std::size_t job = 0;
  SlurmTask said = {};                          ///< by squeue, when it was asked last
  std::unique_ptr<JobElsewhere> followed = {};  ///< from when it runs
  bool missed = false;                          ///< it had left the queue already when squeue was asked before
  bool told = false;                            ///< to stop
};

}  // namespace

/// Job arrays of a Slurm cluster. All that is shared with it is the file system: the run's folder, the program, the data.
class SlurmLauncher final : public Launcher {
 public:
  struct Params {
    std::int64_t workers = 0, ranks = 1;
    std::optional<std::string> partition, account, qos, constraint;
    std::vector<std::string> options, setup;
    std::int64_t save_s = 120, requeues = 100;
    double poll_s = 15;
    static void declare(Fields& f, Params& p) {
      f.field("workers", p.workers, "jobs of an array that run at the same time; 0: as many as the cluster has room for").non_negative();
      f.field("ranks", p.ranks, "processes that train a job together, each on its part of every batch").positive();
      f.field("partition", p.partition, "null: the cluster's default");
      f.field("account", p.account, "who pays; null: the user's default");
      f.field("qos", p.qos, "quality of service; null: the user's default");
      f.field("constraint", p.constraint, "features that nodes must have: a100");
      f.field("options", p.options, "more options of sbatch: [--exclusive, --mail-type=END]");
      f.field("setup", p.setup, "lines of shell before a job: [module load cuda]");
      f.field("save_s", p.save_s, "seconds before its time limit at which a job saves and goes to the end of the queue").range(1, 65535);
      f.field("requeues", p.requeues, "how often that may happen to one job").non_negative();
      f.field("poll_s", p.poll_s, "seconds between two looks at the queue, with --wait").positive();
    }
  };

  explicit SlurmLauncher(const Params& p) : p_(p) {
    const auto word = [](const char* name, const std::optional<std::string>& value) {
      if (value) require_plain(fmt::format("launcher.{}", name), *value);
    };
    word("partition", p_.partition);
    word("account", p_.account);
    word("qos", p_.qos);
    word("constraint", p_.constraint);
    for (const auto& option : p_.options) {
      require_plain("launcher.options", option);
      if (option.empty() || option[0] != '-')
        throw config_error(fmt::format("launcher.options: '{}' is no option", shortened(option)), {}, {}, "write it like --exclusive");
    }
    for (const auto& line : p_.setup) {
      if (line.find('\n') != std::string::npos)
        throw config_error("launcher.setup: a line holds a line break", {}, {}, "make it two entries");
    }
  }

  bool here() const override { return false; }

  void check() const override {
    for (const char* command : {"sbatch", "squeue", "scancel", "scontrol"}) {
      std::string why;
      try {
        const auto answer = run_process({command, "--version"});
        if (answer.status == 0) continue;
        why = trim(answer.output);
      } catch (const Error& e) {
        why = e.why().empty() ? e.message() : e.why();
      }
      throw config_error(fmt::format("launcher=slurm needs Slurm: '{}' does not work here", command), {}, why,
                         "start it where jobs are submitted from (a login node); launcher=processes works without");
    }
  }

  std::size_t workers(std::size_t jobs, std::size_t) const override {
    return p_.workers > 0 ? std::min(jobs, static_cast<std::size_t>(p_.workers)) : jobs;
  }

  void run(Launch& launch, std::size_t) const override {
    const auto known = tasks_of(launch);
    std::map<std::string, std::vector<std::size_t>> to_submit;  // what they need -> jobs
    for (std::size_t i = 0; i < launch.jobs(); ++i) {
      const auto& job = launch.job(i);
      const auto task = known.find(job.directory);
      const bool queued = task != known.end() && !task->second.ended();  // by an earlier command
      if (!queued) to_submit[needs_of(job)].push_back(i);
    }
    const auto most = longest_array();
    for (const auto& [needs, jobs] : to_submit) {
      for (std::size_t begin = 0; begin < jobs.size() && !launch.over(); begin += most) {
        submit(launch, needs,
               {jobs.begin() + static_cast<std::ptrdiff_t>(begin),
                jobs.begin() + static_cast<std::ptrdiff_t>(std::min(jobs.size(), begin + most))});
      }
    }
    if (launch.wait()) return follow(launch);
    const auto arrays = array_of_jobs(launch);
    for (std::size_t i = 0; i < launch.jobs(); ++i) leave(launch, i, arrays);
  }

 private:
  /// What squeue says of the run's jobs, by folder.
  static std::map<std::string, SlurmTask> tasks_of(const Launch& launch) {
    // Slurm's controller may be restarting: nothing must be submitted twice for that.
    for (int attempt = 0; attempt < 5; ++attempt) {
      if (attempt > 0) std::this_thread::sleep_for(std::chrono::seconds(2));
      if (auto known = slurm_tasks(slurm_arrays(launch.run()))) return *std::move(known);
      if (launch.over()) break;
    }
    throw Error(ErrorKind::kJob, "squeue does not answer", {}, "so nobody knows which jobs are in the queue already",
                "the same command goes on from here");
  }

  static std::map<std::string, std::string> array_of_jobs(const Launch& launch) {
    std::map<std::string, std::string> out;
    for (const auto& array : slurm_arrays(launch.run())) {
      for (const auto& job : array.jobs) out[job] = array.id.empty() ? array.name() : array.id;
    }
    return out;
  }
  static void leave(Launch& launch, std::size_t i, const std::map<std::string, std::string>& arrays) {
    const auto array = arrays.find(launch.job(i).directory);
    if (array != arrays.end()) launch.left(i, "Slurm array " + array->second);
  }

  /// Lines of the batch script: jobs of one array have them in common.
  std::string needs_of(const JobSpec& job) const {
    const auto needs = read_params<ResourceParams>(job.resources);
    const auto& trainer = job.config.at("trainer");
    std::string out;
    const auto option = [&](const char* name, const std::string& value) {
      require_plain(fmt::format("resources.{}", name), value);
      out += fmt::format("#SBATCH --{}={}\n", name, value);
    };
    option("cpus-per-task", std::to_string(needs.cpus.value_or(trainer.at("threads").as_int())));
    const bool together = p_.ranks > 1 && job.type == &training_job();
    if (together) option(kTasks, std::to_string(p_.ranks));
    if (needs.memory) option("mem", *needs.memory);
    if (needs.time) option("time", *needs.time);
    const Node* device = trainer.find("device");
    const bool cuda = device && device->as_string().compare(0, 4, "cuda") == 0;
    if (const auto gpus = needs.gpus.value_or(cuda ? 1 : 0); gpus > 0)
      together ? option("gpus-per-task", std::to_string(gpus)) : option("gres", fmt::format("gpu:{}", gpus));
    return out;
  }

  std::string script_of(const Launch& launch, const SlurmArray& array, const std::string& needs) const {
    const auto folder = fs::absolute(array.folder).string();
    std::string out = "#!/bin/bash\n# The jobs of jobs.txt as a job array: task N does the job of line N + 1.\n";
    const auto option = [&](const char* name, const std::string& value) {
      out += fmt::format("#SBATCH --{}={}\n", name, shell_word(value));
    };
    option("job-name", array.name());
    option("array", fmt::format("0-{}{}", array.jobs.size() - 1, p_.workers > 0 ? fmt::format("%{}", p_.workers) : ""));
    option("output", folder + "/%a.txt");
    option("open-mode", "append");
    option("chdir", fs::current_path().string());
    option("signal", fmt::format("B:USR1@{}", p_.save_s));
    out += "#SBATCH --requeue\n" + needs;
    if (p_.partition) option("partition", *p_.partition);
    if (p_.account) option("account", *p_.account);
    if (p_.qos) option("qos", *p_.qos);
    if (p_.constraint) option("constraint", *p_.constraint);
    for (const auto& text : p_.options) out += "#SBATCH " + text + "\n";
    out += "\n";
    for (const auto& line : p_.setup) out += line + "\n";
    auto command = launch.command(0);
    command.pop_back();  // the job's folder
    if (needs.find(kTasks) != std::string::npos) command.insert(command.begin(), {"srun", "--kill-on-bad-exit=0"});
    out += fmt::format("run={}\njob=$(sed -n \"$((SLURM_ARRAY_TASK_ID + 1))p\" {})\nrequeues={}\n",
                       shell_word(fs::absolute(launch.run()).string()), shell_word(folder + "/jobs.txt"), p_.requeues);
    out += R"(
# Shortly before the time limit (USR1) the job saves, and waits in the queue again. Cancelled or preempted (TERM), it saves too.
again=
if [ "${SLURM_RESTART_COUNT:-0}" -lt "$requeues" ]; then again=--requeued; fi
)";
    out += shell_command(command) + " $again \"$run/$job\" &\n";
    out += R"(child=$!
trap 'kill -s USR1 $child' USR1
trap 'kill -s TERM $child' TERM
while :; do
  wait $child
  status=$?
  [ -e /proc/$child ] || break  # a signal ends the wait, not the job
done
if [ $status -eq $((128 + 10)) ] && [ -n "$again" ]; then exec scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"; fi
exit $status
)";
    return out;
  }

  void submit(Launch& launch, const std::string& needs, const std::vector<std::size_t>& jobs) const {
    SlurmArray array;
    const auto earlier = slurm_arrays(launch.run());
    array.number = earlier.empty() ? 1 : earlier.back().number + 1;
    array.folder = launch.run() / "slurm" / std::to_string(array.number);
    std::string list;
    for (const auto i : jobs) {
      array.jobs.push_back(launch.job(i).directory);
      list += array.jobs.back() + "\n";
    }
    make_folders(array.folder);
    write_file_atomic(array.folder / "submit.sh", script_of(launch, array, needs));
    write_file_atomic(array.folder / "jobs.txt", list);  // last: without it there is no array
    // Before they can begin: from then on their own processes write it.
    std::map<std::size_t, JobStatus> before;
    for (const auto i : jobs) {
      auto status = read_job_status(launch.folder(i));
      if (is_finished(status.state)) continue;  // it lacks analyses
      before[i] = status;
      status.state = JobState::kSubmitted;
      status.submitted = utc_text(std::time(nullptr));
      status.batch_job.clear();
      write_job_status(launch.folder(i), status, Lasting::kNo);
    }
    const auto answer = run_process({"sbatch", "--parsable", (array.folder / "submit.sh").string()});
    const auto id = trim(answer.output.substr(0, answer.output.find(';')));
    if (answer.status != 0 || id.empty() || !std::all_of(id.begin(), id.end(), is_digit)) {
      for (const auto& [i, status] : before) write_job_status(launch.folder(i), status, Lasting::kNo);
      remove_tree(array.folder);
      throw Error(ErrorKind::kConfig, "sbatch refuses the jobs", {}, trim(answer.output), "see launcher.* and resources.*");
    }
    write_file_atomic(array.folder / "id", id + "\n");
  }

  void follow(Launch& launch) const {
    std::vector<Waiting> tasks(launch.jobs());
    for (std::size_t i = 0; i < tasks.size(); ++i) tasks[i].job = i;
    const auto output = outputs_of(launch);
    auto asked = Clock::time_point::min();
    const auto every = std::chrono::duration<double>(p_.poll_s);
    while (!tasks.empty()) {
      bool now = asked == Clock::time_point::min() || Clock::now() - asked >= every;
      if (now) {
        asked = Clock::now();
        const auto known = slurm_tasks(slurm_arrays(launch.run()));
        now = known.has_value();  // else the controller is restarting
        for (auto& task : tasks) {
          if (!now) break;
          const auto found = known->find(launch.job(task.job).directory);
          task.said = found == known->end() ? SlurmTask{task.said.id, "", "", task.said.node} : found->second;
        }
      }
      for (auto it = tasks.begin(); it != tasks.end();) {
        it = look_at(launch, *it, now, output) ? tasks.erase(it) : std::next(it);
      }
      if (launch.over()) return give_up(launch, tasks);
      std::this_thread::sleep_for(std::min<std::chrono::duration<double>>(every, std::chrono::seconds(1)));
    }
  }

  /// True when the job is over. asked: squeue was just now.
  static bool look_at(Launch& launch, Waiting& task, bool asked, const std::map<std::string, fs::path>& output) {
    if (!task.followed && (task.said.runs() || (asked && task.said.ended()))) task.followed = launch.elsewhere(task.job);
    if (!task.followed) return false;
    task.followed->look();
    // When all is over, every job says so: that is this command's end, not the jobs'.
    if (task.said.runs() && !task.told && task.followed->wants_stop() && !launch.over()) {
      cancel_slurm_tasks({task.said.id}, "TERM");
      task.told = true;
    }
    if (!asked || !task.said.ended()) return false;
    const bool done = is_over(recorded_result(launch.job(task.job), launch.run()).state);
    // A file system of many machines may show what they wrote a little late.
    if (!done && !task.missed) {
      task.missed = true;
      return false;
    }
    const auto ending = done ? JobEnding{} : ending_of(task.said, output.at(launch.job(task.job).directory));
    task.followed->look();
    task.followed->end(ending.crash, ending.lost);
    return true;
  }

  static JobEnding ending_of(const SlurmTask& task, const fs::path& output) {
    auto said = task;
    if (!task.id.empty()) {
      said = task_that_ended(task.id);
      if (said.state.empty()) said.state = task.state;
    }
    const auto lost = [&](const std::string& text) {
      return JobEnding{text + (said.id.empty() ? "" : fmt::format(" (Slurm job {})", said.id)), true};
    };
    if (said.state == "FAILED" || said.state == "COMPLETED") {
      // A shell says of a command that a signal ended: 128 + the signal; `yatlab job` says so of those at which it saves.
      const int by_shell = said.exit_code - 128;
      const bool saved = by_shell == SIGTERM || by_shell == SIGINT || by_shell == SIGHUP || by_shell == SIGUSR1 || by_shell == SIGPIPE;
      if (said.signal == 0 && by_shell > 0 && !saved) return job_ending(0, by_shell, output);
      return job_ending(said.exit_code, said.signal, output);
    }
    if (said.state == "TIMEOUT") return lost("it came to its time limit: resources.time, launcher.save_s");
    if (said.state == "OUT_OF_MEMORY") return lost("it ran out of memory: resources.memory");
    if (said.state == "NODE_FAIL") return lost(fmt::format("its node {} failed", said.node));
    if (said.state == "CANCELLED") return lost("it was cancelled");
    if (!said.state.empty()) return lost("Slurm ended it: " + lower(said.state));
    return lost("it is not in Slurm's queue any more, and nobody knows how it ended");
  }

  static std::map<std::string, fs::path> outputs_of(const Launch& launch) {
    std::map<std::string, fs::path> out;
    for (const auto& array : slurm_arrays(launch.run())) {
      for (std::size_t i = 0; i < array.jobs.size(); ++i) out[array.jobs[i]] = array.folder / fmt::format("{}.txt", i);
    }
    return out;
  }

  /// Somebody wants to wait no longer, or the first failure is the end of all.
  static void give_up(Launch& launch, std::vector<Waiting>& tasks) {
    const auto arrays = array_of_jobs(launch);
    std::vector<std::string> ids;
    for (auto& task : tasks) {
      if (!task.said.id.empty()) ids.push_back(task.said.id);
      if (!launch.failed_fast()) leave(launch, task.job, arrays);
      if (task.followed) task.followed->end("", true);
    }
    if (launch.failed_fast()) cancel_slurm_tasks(ids);
  }

  Params p_;
};

YATLAB_REGISTER(Launcher, SlurmLauncher, "slurm", "job arrays of a Slurm cluster");

}  // namespace yatlab

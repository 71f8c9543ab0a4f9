#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/compose/job_type.h"
#include "core/experiment/experiment_params.h"
#include "core/plan/launcher.h"
#include "core/plan/recorded_run.h"
#include "core/system/shell.h"
#include "core/system/slurm_queue.h"
#include "plugins/cluster/launchers/job_ending.h"

namespace yatlab {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kTasks = "--ntasks=";             // option of sbatch for a job of several ranks
constexpr auto kSubmitting = std::chrono::seconds(20);  // after that long Slurm has taken an array, or never will

/// Throws a config error unless the value of an sbatch option is a single word.
void require_plain(const std::string& what, const std::string& value) {
  for (const char c : value) {
    if (static_cast<unsigned char>(c) <= ' ' || c == 0x7f) {
      throw config_error(fmt::format("{}: '{}' contains spaces or control characters", what, visible(shortened(value))), {},
                         "sbatch expects a single word");
    }
  }
}

/// Options of sbatch that the launcher sets itself; with other values it could not find its jobs again.
void require_free(const std::string& option) {
  constexpr std::string_view kLetters = "JaoeDWMhV";
  static const std::vector<std::string> kNames = {"job-name", "array",      "output",  "error",    "chdir",     "signal",
                                                  "requeue",  "no-requeue", "wrap",    "clusters", "test-only", "parsable",
                                                  "help",     "usage",      "version", "wait",     "open-mode"};
  const auto begin = option.find_first_not_of('-');
  if (begin == std::string::npos) return;
  const auto name = option.substr(begin, option.find('=') - begin);
  const auto is_short_for = [&](const std::string& long_name) { return long_name.compare(0, name.size(), name) == 0; };
  const bool taken =
      begin == 1 ? kLetters.find(name[0]) != std::string_view::npos : std::any_of(kNames.begin(), kNames.end(), is_short_for);
  if (!taken) return;
  throw config_error(fmt::format("launcher.options: '{}' is set by the launcher", shortened(option)), {},
                     "the launcher needs its own value to find the run's jobs again", "remove it");
}

/// Seconds of a time limit in sbatch's format: 90 (minutes), 2:30 (minutes and seconds), 2:30:00, 1-12, 1-12:30, 1-12:30:00; nullopt for an
/// unlimited one.
std::optional<std::int64_t> seconds_of_limit(const std::string& text) {
  const auto word = lower(text);
  if (word == "infinite" || word == "unlimited" || word == "0") return std::nullopt;
  const auto dash = text.find('-');
  const bool with_days = dash != std::string::npos;
  auto parts = split(with_days ? text.substr(dash + 1) : text, ':');
  const auto count = parts.size();
  if (with_days) parts.insert(parts.begin(), text.substr(0, dash));
  const bool plain = std::all_of(parts.begin(), parts.end(), [](const std::string& part) {
    return !part.empty() && part.size() < 10 && std::all_of(part.begin(), part.end(), is_digit);
  });
  if (!plain || count > 3) {
    throw config_error(fmt::format("resources.time: '{}' is not a time limit", visible(shortened(text))), {}, {},
                       "write minutes (90), hours:minutes:seconds (\"2:30:00\"), or days-hours (1-12)");
  }
  std::vector<std::int64_t> units = {60};  // minutes alone
  if (with_days) {
    units = {86400, 3600, 60, 1};
  } else if (count > 1) {
    units = count == 2 ? std::vector<std::int64_t>{60, 1} : std::vector<std::int64_t>{3600, 60, 1};
  }
  std::int64_t out = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) out += units[i] * std::strtoll(parts[i].c_str(), nullptr, 10);
  return out;
}

/// The id "4711" in the output of sbatch --parsable, which may also contain warnings; "" if there is none.
std::string submitted_id(const std::string& output) {
  for (const auto& line : split(output, '\n')) {
    const auto id = trim(line.substr(0, line.find(';')));  // a cluster's name may follow
    if (!id.empty() && std::all_of(id.begin(), id.end(), is_digit)) return id;
  }
  return {};
}

/// Whether it is unknown if Slurm accepted the jobs, because sbatch or the controller did not answer.
bool went_unanswered(const ProcessResult& sbatch) {
  const auto output = lower(sbatch.output);
  const auto says = [&](const char* text) { return output.find(text) != std::string::npos; };
  return sbatch.status > 128 || says("timed out") || says("unable to contact") || says("connection") || says("communication") ||
         says("zero bytes were transmitted") || says("unexpected message");
}

/// The last submission of a job.
struct Submission {
  std::string task;   ///< "4711_3"; "" if the array's id is not known
  std::string array;  ///< "4711", or its name
  fs::path output;
};

std::map<std::string, Submission> last_submissions(const std::vector<SlurmArray>& arrays) {
  std::map<std::string, Submission> out;
  for (const auto& array : arrays) {
    for (std::size_t i = 0; i < array.jobs.size(); ++i)
      out[array.jobs[i]] = {array.task(i), array.id.empty() ? array.name : array.id, array.folder / fmt::format("{}.txt", i)};
  }
  return out;
}

/// The limit of task indices in an array here (MaxArraySize).
std::size_t longest_array() {
  constexpr std::size_t kUsual = 1001;
  const auto answer = run_process({"scontrol", "show", "config"});
  const auto at = answer.output.find("MaxArraySize");
  if (answer.status != 0 || at == std::string::npos) return kUsual;
  const auto value = std::strtoull(answer.output.c_str() + answer.output.find('=', at) + 1, nullptr, 10);
  return value > 1 ? value : kUsual;
}

/// A submitted job that is not over.
struct SubmittedJob {
  std::size_t job = 0;
  SlurmTask reported = {};                     ///< as squeue last reported it
  std::unique_ptr<ExternalJob> followed = {};  ///< once it runs
  bool missed = false;                         ///< it had already left the queue at the previous poll
  bool stop_sent = false;                      ///< it was told to save and exit
  bool held = false;                           ///< Slurm holds it, and the user was notified
};

}  // namespace

/// Submits job arrays to a Slurm cluster, which needs only a shared file system with the run's folder, the program and the data.
class SlurmLauncher final : public Launcher {
 public:
  struct Params {
    std::int64_t workers = 0, ranks = 1;
    std::optional<std::string> partition, account, qos, constraint;
    std::vector<std::string> options, setup;
    std::int64_t save_s = 120, requeues = 100;
    double poll_s = 15;
    static void declare(Fields& f, Params& p) {
      f.field("workers", p.workers, "maximum number of an array's jobs that run at once; 0: as many as fit on the cluster").non_negative();
      f.field("ranks", p.ranks, "processes that train a job together, each on its part of every batch").positive();
      f.field("partition", p.partition, "Slurm partition; null: the cluster's default");
      f.field("account", p.account, "account to charge; null: the user's default");
      f.field("qos", p.qos, "quality of service; null: the user's default");
      f.field("constraint", p.constraint, "required node features, such as a100");
      f.field("options", p.options, "further sbatch options: [--exclusive, --mail-type=END]");
      f.field("setup", p.setup, "shell lines to run before each job: [module load cuda]");
      f.field("save_s", p.save_s, "seconds before its time limit at which a job saves a checkpoint and rejoins the end of the queue")
          .range(1, 65535);
      f.field("requeues", p.requeues, "maximum number of times that a job may rejoin the queue at its time limit").non_negative();
      f.field("poll_s", p.poll_s, "seconds between two polls of the queue, with --wait").positive().max(1e7);
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
        throw config_error(fmt::format("launcher.options: '{}' is not an option", shortened(option)), {}, {}, "write it like --exclusive");
      require_free(option);
    }
    for (const auto& line : p_.setup) {
      if (line.find('\n') != std::string::npos)
        throw config_error("launcher.setup: a line contains a line break", {}, {}, "write it as two entries");
    }
  }

  bool on_this_machine() const override { return false; }

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
                         "run it on a login node, or use launcher=processes, which works without Slurm");
    }
    if (std::getenv("SBATCH_CLUSTERS")) {
      throw config_error(
          "SBATCH_CLUSTERS is set", {}, "sbatch would submit to a different cluster than squeue asks",
          "use SLURM_CLUSTERS, which all Slurm commands read: export SLURM_CLUSTERS=$SBATCH_CLUSTERS; unset SBATCH_CLUSTERS");
    }
  }

  void check_job(const JobSpec& job) const override {
    needs_of(job);
    require_share_of_batches(job, p_.ranks);
    const Node* time = job.resources.find("time");
    if (!time || time->is_null()) return;
    try {
      const auto limit = seconds_of_limit(time->as_string());
      if (!limit || *limit > p_.save_s) return;
      throw config_error(fmt::format("resources.time={} leaves no time to train", time->as_string()), {},
                         fmt::format("a job saves launcher.save_s={} seconds before its time limit", p_.save_s),
                         fmt::format("set a longer time, such as resources.time={}, or save later: launcher.save_s={}",
                                     (p_.save_s + 59) / 60 + 10, std::max<std::int64_t>(1, *limit / 2)));
    } catch (const Error& e) {
      throw e.within(time->origin().describe());
    }
  }

  std::size_t workers(std::size_t jobs, std::size_t) const override {
    return p_.workers > 0 ? std::min(jobs, static_cast<std::size_t>(p_.workers)) : jobs;
  }

  void run(Launch& launch, std::size_t) const override {
    const auto known = tasks_of(launch);
    if (launch.stopping()) return;
    const auto earlier = last_submissions(slurm_arrays(launch.run_folder()));
    std::map<std::vector<std::string>, std::vector<std::size_t>> to_submit;  // what they need -> jobs
    std::set<std::size_t> queued;
    std::map<std::string, std::size_t> never_began;  // array -> jobs
    for (std::size_t i = 0; i < launch.jobs(); ++i) {
      const auto& job = launch.job(i);
      const auto task = known.find(job.directory);
      if (task != known.end() && !task->second.ended()) {  // by an earlier command
        queued.insert(i);
        continue;
      }
      const auto before = earlier.find(job.directory);
      if (before != earlier.end() && is_pending(launch.folder(i))) {
        const auto ending = ending_of(task == known.end() ? SlurmTask{} : task->second, before->second, launch.folder(i));
        if (!ending.crash.empty() && !ending.lost && !launch.retry_failed()) {
          launch.follow(i)->finish(ending.crash, false);
          continue;
        }
        const bool was_there = !before->second.task.empty();
        if (was_there && ending.lost && read_job_status(launch.folder(i)).state == JobState::kSubmitted)
          ++never_began[before->second.array];
      }
      to_submit[needs_of(job)].push_back(i);
    }
    for (const auto& [array, jobs] : never_began) {
      launch.notice(fmt::format(
          "{} job{} of Slurm array {} left the queue without starting (cancelled, or Slurm could not start {}); submitted again", jobs,
          jobs == 1 ? "" : "s", array, jobs == 1 ? "it" : "them"));
    }
    const auto most = longest_array();
    for (const auto& [needs, jobs] : to_submit) {
      for (std::size_t begin = 0; begin < jobs.size() && !launch.stopping(); begin += most) {
        const std::vector<std::size_t> some(jobs.begin() + static_cast<std::ptrdiff_t>(begin),
                                            jobs.begin() + static_cast<std::ptrdiff_t>(std::min(jobs.size(), begin + most)));
        submit(launch, needs, some);
        queued.insert(some.begin(), some.end());
      }
    }
    if (launch.wait()) return follow(launch, queued);
    const auto now = last_submissions(slurm_arrays(launch.run_folder()));
    for (const auto i : queued) leave(launch, i, now);
  }

 private:
  /// Whether the job is submitted, running or preempted according to its folder.
  static bool is_pending(const fs::path& folder) {
    const auto state = read_job_status(folder).state;
    return state == JobState::kSubmitted || state == JobState::kRunning || state == JobState::kPreempted;
  }

  /// The run's jobs in Slurm's queue, by folder.
  static std::map<std::string, SlurmTask> tasks_of(const Launch& launch) {
    // Slurm's controller may be restarting; jobs must not be submitted twice because of that.
    for (int attempt = 0; attempt < 5; ++attempt) {
      if (attempt > 0) std::this_thread::sleep_for(std::chrono::seconds(2));
      auto arrays = slurm_arrays(launch.run_folder());
      auto known = slurm_tasks(arrays);
      if (launch.stopping()) return {};
      if (!known) continue;
      note_ids(arrays, *known);
      const auto waited_for = std::any_of(arrays.begin(), arrays.end(), [](const SlurmArray& array) { return may_be_on_its_way(array); });
      if (!waited_for) return *std::move(known);
      attempt = 0;  // its sbatch may still be running although the command that started it was killed
    }
    throw Error(ErrorKind::kJob, "squeue does not answer", {}, "it is unknown which jobs are already in the queue",
                "run the same command again to continue");
  }

  /// Records the ids of arrays that were known only by name.
  static void note_ids(std::vector<SlurmArray>& arrays, const std::map<std::string, SlurmTask>& known) {
    const auto last = last_submissions(arrays);
    for (auto& array : arrays) {
      for (std::size_t i = 0; array.id.empty() && i < array.jobs.size(); ++i) {
        const auto task = known.find(array.jobs[i]);
        if (task == known.end() || last.at(array.jobs[i]).array != array.name) continue;
        array.id = task->second.id.substr(0, task->second.id.find('_'));
        write_file_atomic(array.folder / "id", array.id + "\n");
      }
    }
  }

  static bool may_be_on_its_way(const SlurmArray& array) {
    std::error_code ec;
    const auto made = fs::last_write_time(array.folder / "jobs.txt", ec);
    const auto age = fs::file_time_type::clock::now() - made;
    return array.id.empty() && !ec && age < kSubmitting && age > -kSubmitting;  // clocks of machines differ
  }

  static void leave(Launch& launch, std::size_t i, const std::map<std::string, Submission>& submissions) {
    const auto job = submissions.find(launch.job(i).directory);
    if (job != submissions.end()) launch.leave_to_queue(i, "Slurm array " + job->second.array);
  }

  /// The resource options of sbatch; all jobs of an array have the same.
  std::vector<std::string> needs_of(const JobSpec& job) const {
    const auto needs = read_params<ResourceParams>(job.resources);
    const auto& trainer = job.config.at("trainer");
    std::vector<std::string> out;
    const auto option = [&](const char* name, const std::string& value) {
      require_plain(fmt::format("resources.{}", name), value);
      out.push_back(fmt::format("--{}={}", name, value));
    };
    option("cpus-per-task", std::to_string(needs.cpus.value_or(trainer.at("threads").as_int())));
    const bool together = p_.ranks > 1 && job.type == &training_job();
    if (together) out.push_back(kTasks + std::to_string(p_.ranks));
    if (needs.memory) option("mem", *needs.memory);
    if (needs.time) option("time", *needs.time);
    const Node* device = trainer.find("device");
    const bool cuda = device && device->as_string().compare(0, 4, "cuda") == 0;
    if (const auto gpus = needs.gpus.value_or(cuda ? 1 : 0); gpus > 0)
      together ? option("gpus-per-task", std::to_string(gpus)) : option("gres", fmt::format("gpu:{}", gpus));
    return out;
  }

  /// All options are on the command line: the user's SBATCH_* variables override options in a script, and paths in it are expanded as patterns.
  std::vector<std::string> sbatch_of(const SlurmArray& array, const std::vector<std::string>& needs) const {
    std::vector<std::string> out = {"sbatch", "--parsable"};
    out.insert(out.end(), needs.begin(), needs.end());
    const auto option = [&](const char* name, const std::string& value) { out.push_back(fmt::format("--{}={}", name, value)); };
    if (p_.partition) option("partition", *p_.partition);
    if (p_.account) option("account", *p_.account);
    if (p_.qos) option("qos", *p_.qos);
    if (p_.constraint) option("constraint", *p_.constraint);
    out.insert(out.end(), p_.options.begin(), p_.options.end());
    option("job-name", array.name);
    option("array", fmt::format("0-{}{}", array.jobs.size() - 1, p_.workers > 0 ? fmt::format("%{}", p_.workers) : ""));
    option("signal", fmt::format("B:USR1@{}", p_.save_s));
    // The script changes to its folder itself: Slurm expands '%' and '\\' in these options, and starts no job if the result is not a folder.
    option("chdir", "/");
    option("output", "/dev/null");
    option("error", "/dev/null");
    out.push_back("--requeue");
    out.push_back(fs::absolute(array.folder / "submit.sh").string());
    return out;
  }

  std::string script_of(const Launch& launch, const SlurmArray& array, const std::vector<std::string>& needs) const {
    std::string out = "#!/bin/bash\n# The jobs of jobs.txt as a job array: task N does the job of line N + 1. Submitted by\n#   ";
    out += visible(shell_command(sbatch_of(array, needs)));
    out += fmt::format("\n\nfolder={}\nexec >>\"$folder/$SLURM_ARRAY_TASK_ID.txt\" 2>&1 || exit\ncd -- {} || exit\n\n",
                       shell_word(fs::absolute(array.folder).string()), shell_word(fs::current_path().string()));
    for (const auto& line : p_.setup) out += line + "\n";
    auto command = launch.command(0);
    command.pop_back();  // the job's folder
    const bool ranks = std::any_of(needs.begin(), needs.end(),
                                   [](const std::string& option) { return option.compare(0, std::strlen(kTasks), kTasks) == 0; });
    if (ranks) command.insert(command.begin(), {"srun", "--kill-on-bad-exit=0"});
    out += fmt::format("run={}\njob=$(sed -n \"$((SLURM_ARRAY_TASK_ID + 1))p\" \"$folder/jobs.txt\")\nrequeues={}\n",
                       shell_word(fs::absolute(launch.run_folder()).string()), p_.requeues);
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

  void submit(Launch& launch, const std::vector<std::string>& needs, const std::vector<std::size_t>& jobs) const {
    SlurmArray array;
    const auto earlier = slurm_arrays(launch.run_folder());
    array.number = earlier.empty() ? 1 : earlier.back().number + 1;
    array.folder = launch.run_folder() / "slurm" / std::to_string(array.number);
    array.name = new_slurm_name(array.folder);
    std::string list;
    for (const auto i : jobs) {
      array.jobs.push_back(launch.job(i).directory);
      list += array.jobs.back() + "\n";
    }
    make_folders(array.folder);
    write_file_atomic(array.folder / "submit.sh", script_of(launch, array, needs));
    write_file_atomic(array.folder / "name", array.name + "\n");
    write_file_atomic(array.folder / "jobs.txt", list);  // last: it marks the array as complete
    // Before submission: once a job begins, its own process writes its status.
    std::map<std::size_t, JobStatus> before;
    for (const auto i : jobs) {
      auto status = read_job_status(launch.folder(i));
      if (is_finished(status.state)) continue;  // only its analyses are missing
      before[i] = status;
      status.state = JobState::kSubmitted;
      status.submitted = utc_text(std::time(nullptr));
      status.batch_job.clear();
      write_job_status(launch.folder(i), status, Durable::kNo);
    }
    const auto answer = run_process(slurm_command(sbatch_of(array, needs)));
    array.id = submitted_id(answer.output);
    if (answer.status != 0 || array.id.empty()) array.id = id_in_queue(array, went_unanswered(answer) || answer.status == 0);
    if (!array.id.empty()) return write_file_atomic(array.folder / "id", array.id + "\n");
    for (const auto& [i, status] : before) write_job_status(launch.folder(i), status, Durable::kNo);
    remove_tree(array.folder);
    throw Error(ErrorKind::kConfig, "sbatch refuses the jobs", {}, trim(answer.output), "check launcher.* and resources.*");
  }

  /// The id of an array whose submission seems to have failed; "" if Slurm did not accept it. sbatch may time out although Slurm accepts the jobs.
  /// doubtful: Slurm may still accept them. Throws a job error, and keeps the written files, if this cannot be determined.
  static std::string id_in_queue(const SlurmArray& array, bool doubtful) {
    const auto begun = Clock::now();
    for (;;) {
      const auto known = slurm_tasks({array});
      for (const auto& [job, task] : known.value_or(std::map<std::string, SlurmTask>{})) {
        // Slurm also lists refused tasks: they have ended without a node.
        if (!task.ended() || !task.node.empty()) return task.id.substr(0, task.id.find('_'));
      }
      if (known && !doubtful) return {};
      if (Clock::now() - begun > std::chrono::seconds(6)) break;
      std::this_thread::sleep_for(std::chrono::seconds(2));
    }
    throw Error(ErrorKind::kJob, "sbatch did not report whether Slurm accepted the jobs", {}, "Slurm's controller did not answer in time",
                fmt::format("run the same command again: it asks Slurm for '{}' before it submits anything", array.name));
  }

  void follow(Launch& launch, const std::set<std::size_t>& jobs) const {
    std::vector<SubmittedJob> tasks;
    for (const auto i : jobs) {
      tasks.emplace_back();
      tasks.back().job = i;
    }
    const auto submissions = last_submissions(slurm_arrays(launch.run_folder()));
    auto last_poll = Clock::time_point::min();
    const auto every = std::chrono::duration<double>(p_.poll_s);
    while (!tasks.empty()) {
      bool now = last_poll == Clock::time_point::min() || Clock::now() - last_poll >= every;
      if (now) {
        last_poll = Clock::now();
        const auto known = slurm_tasks(slurm_arrays(launch.run_folder()));
        now = known.has_value();  // otherwise the controller is restarting
        for (auto& task : tasks) {
          if (!now) break;
          const auto found = known->find(launch.job(task.job).directory);
          task.reported = found == known->end() ? SlurmTask{task.reported.id, "", "", task.reported.node} : found->second;
          if (task.reported.held() && !std::exchange(task.held, true))
            launch.notice(fmt::format("Slurm holds {} ({}): {}", launch.job(task.job).label(), task.reported.id, task.reported.reason));
        }
      }
      for (auto it = tasks.begin(); it != tasks.end();) {
        it = poll_job(launch, *it, now, submissions) ? tasks.erase(it) : std::next(it);
      }
      if (launch.stopping()) return stop_waiting(launch, tasks);
      std::this_thread::sleep_for(std::min<std::chrono::duration<double>>(every, std::chrono::seconds(1)));
    }
  }

  /// True when the job is over. polled: `reported` was just updated.
  static bool poll_job(Launch& launch, SubmittedJob& task, bool polled, const std::map<std::string, Submission>& submissions) {
    if (!task.followed && (task.reported.runs() || (polled && task.reported.ended()))) task.followed = launch.follow(task.job);
    if (!task.followed) return false;
    task.followed->poll();
    // When this command is stopping, every job wants to stop, but submitted jobs continue without it.
    if (task.reported.runs() && !task.stop_sent && task.followed->wants_stop() && !launch.stopping()) {
      cancel_slurm_tasks({task.reported.id}, "TERM");
      task.stop_sent = true;
    }
    if (!polled || !task.reported.ended()) return false;
    const bool done = is_over(recorded_result(launch.job(task.job), launch.run_folder()).state);
    // On a network file system the job's files may appear with a delay.
    if (!done && !task.missed) {
      task.missed = true;
      return false;
    }
    const auto ending =
        done ? JobEnding{} : ending_of(task.reported, submissions.at(launch.job(task.job).directory), launch.folder(task.job));
    task.followed->poll();
    task.followed->finish(ending.crash, ending.lost);
    return true;
  }

  /// reported: by squeue; its id is "" if squeue no longer lists the task.
  static JobEnding ending_of(SlurmTask reported, const Submission& submission, const fs::path& folder) {
    if (reported.id.empty()) reported.id = submission.task;
    if (!reported.id.empty()) {
      auto more = task_that_ended(reported.id);
      if (more.state.empty()) more.state = reported.state;
      reported = more;
    }
    const auto lost = [&](const std::string& text) {
      return JobEnding{text + (reported.id.empty() ? "" : fmt::format(" (Slurm job {})", reported.id)), true};
    };
    if (reported.state == "FAILED" || reported.state == "COMPLETED") {
      // A shell returns 128 + signal for a command that a signal ended; `yatlab job` does so for signals at which it saves.
      const int by_shell = reported.exit_code - 128;
      const auto status = read_job_status(folder);
      const bool began = is_finished(status.state) || status.batch_job == reported.id;
      if (!began && by_shell <= 0) {
        const auto how =
            reported.reason.empty() || reported.reason == "None" || reported.reason == "NonZeroExitCode" ? "" : reported.reason + ", ";
        return {fmt::format("its batch script ended before the job began ({}exit code {}, Slurm job {})", how, reported.exit_code,
                            reported.id) +
                    last_lines(submission.output),
                false};
      }
      const bool saved = by_shell == SIGTERM || by_shell == SIGINT || by_shell == SIGHUP || by_shell == SIGUSR1 || by_shell == SIGPIPE;
      if (reported.signal == 0 && by_shell > 0 && !saved) return job_ending(0, by_shell, submission.output);
      return job_ending(reported.exit_code, reported.signal, submission.output);
    }
    if (reported.state == "TIMEOUT") return lost("it reached its time limit: resources.time, launcher.save_s");
    if (reported.state == "OUT_OF_MEMORY") return lost("it ran out of memory: resources.memory");
    if (reported.state == "NODE_FAIL") return lost(fmt::format("its node {} failed", reported.node));
    if (reported.state == "CANCELLED") return lost("it was cancelled");
    if (!reported.state.empty()) return lost("Slurm ended it: " + lower(reported.state));
    return lost("it is no longer in Slurm's queue, and it is unknown how it ended");
  }

  /// Ends waiting: on a stop request the jobs stay in the queue; after a failure with --fail-fast they are cancelled.
  static void stop_waiting(Launch& launch, std::vector<SubmittedJob>& tasks) {
    const auto submissions = last_submissions(slurm_arrays(launch.run_folder()));
    std::vector<std::string> ids;
    for (auto& task : tasks) {
      if (!task.reported.id.empty()) ids.push_back(task.reported.id);
      if (!launch.failed_fast()) leave(launch, task.job, submissions);
      if (task.followed) task.followed->finish("", true);
    }
    if (launch.failed_fast()) cancel_slurm_tasks(ids);
  }

  Params p_;
};

YATLAB_REGISTER(Launcher, SlurmLauncher, "slurm", "job arrays of a Slurm cluster");

}  // namespace yatlab

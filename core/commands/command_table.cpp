#include "core/commands/command_table.h"

namespace yatlab::cli {
namespace {

/// Another name of `serve`.
int ui_command(const Command& self, const std::vector<std::string>& arguments) {
  return run_pack_command(self.pack, "serve", self, arguments);
}

}  // namespace

void use_all_commands() {
  set_commands({
      {"run", "EXPERIMENT [key=value ...]", "train every arm on every seed; tables, figures, verdicts",
       "yatlab run experiments/mnist_inversion.yaml operator.epsilon=1e-3 'seeds=range(0,10)'", run_command, true},
      {"plan", "EXPERIMENT [key=value ...]", "list the jobs that a run would start, without starting them",
       "yatlab plan experiments/sweeps/mnist_epsilon_alpha.yaml", plan_command, true},
      {"job", "FOLDER ...", "run the unfinished part of the job in a folder (used by launchers)",
       "yatlab job results/mnist_inversion/latest/jobs/yat/seed=0", job_command},
      {"config", "EXPERIMENT [key=value ...]", "print the composed config; --explain KEY shows where a value comes from",
       "yatlab config experiments/mnist_inversion.yaml --arm yat --explain operator.epsilon", config_command, true},
      {"list", "[KIND] | metrics EXPERIMENT", "list component kinds, the components of a kind, or the metrics of an experiment",
       "yatlab list operator", list_command},
      {"describe", "KIND/NAME | KIND | EXPERIMENT | KEY | experiment | functions | ...",
       "show the settings of a component, a kind, an experiment or a key", "yatlab describe operator/yat", describe_command},
      {"report", "[RUN ... | PAPER]", "write the tables and figures of runs again, or the report of a paper (results/paper/)",
       "yatlab report results/mnist_inversion/latest", report_command},
      {"verdict", "[PAPER]", "print the verdict on each claim of a paper, from recorded results", "yatlab verdict", verdict_command},
      {"verify", "[PAPER]", "check that a paper's tables, verdicts and pages follow from its recorded numbers; trains nothing",
       "yatlab verify calibration --junit verify.xml", verify_command},
      {"bundle", "RUN | PAPER", "pack experiments, results, hashes of data and a script that repeats jobs into a zip archive",
       "yatlab bundle mnist_inversion --out mnist_inversion.zip", bundle_command},
      {"repeat", "[EXPERIMENT ...] [key=value ...]", "run some jobs of recorded results again and compare every number",
       "yatlab repeat xor --jobs 2", repeat_command},
      {"runs", "[EXPERIMENT] [key=value | metric>x | state=failed | arm=yat | tag=best ...]",
       "list runs, newest first; filter by name, state, metric or tag",
       "yatlab runs mnist_inversion operator.epsilon=1e-5 'test/accuracy>0.92'", runs_command},
      {"status", "[RUN]", "show the progress of a run: running jobs, failed jobs and their errors",
       "yatlab status mnist_inversion --follow", status_command},
      {"serve", "[RESULTS]", "show runs in the browser while they train: tables, curves, jobs", "yatlab serve results --open", pack_command,
       false, "serve", true},
      {"ui", "[RESULTS]", nullptr, "yatlab ui results", ui_command, false, "serve", true},
      {"compare", "RUN RUN", "compare two runs: config, code, data, results", "yatlab compare mnist_inversion/2026-11-21_14 tag:best",
       compare_command},
      {"export", "RUN | EXPERIMENT ... --format csv|jsonl", "write jobs or logged steps of runs as one table, for pandas",
       "yatlab export mnist_inversion --format csv --out jobs.csv", export_command},
      {"tag", "RUN [+TAG | -TAG ...]", "add or remove tags of a run, or print them", "yatlab tag mnist_inversion +for-paper -draft",
       tag_command},
      {"note", "RUN [TEXT]", "write or print a note on a run", "yatlab note mnist_inversion 'the first with the new loader'", note_command},
      {"prune", "[EXPERIMENT | RUN ...]", "remove superseded runs, empty runs and checkpoints; lists them first",
       "yatlab prune mnist_inversion --checkpoints none", prune_command},
      {"data", "list | fetch NAME ... | verify [NAME ...] | describe NAME|EXPERIMENT [dataset.key=value ...] | tokenize FILE ...",
       "list, download, verify, describe and tokenize data sets", "yatlab data fetch mnist", data_command},
      {"generate", "JOB", "generate text with a trained language model",
       "yatlab generate results/gpt2_vs_aether/latest/jobs/gpt2/seed=0 --prompt 'Once upon'", pack_command, false, "language"},
      {"evaluate", "JOB|FOLDER [dataset=NAME dataset.key=value task.key=value ...]",
       "evaluate a trained or imported model on its data, other data or a text",
       "yatlab evaluate models/gpt2 --text wiki.test.raw --stride 512", evaluate_command},
      {"model", "import FILE|FOLDER --out FOLDER | export JOB --out FOLDER",
       "export models as Hugging Face folders (config, tokenizer, safetensors); import GPT-2 weights",
       "yatlab model export results/gpt2_vs_aether/latest/jobs/gpt2/seed=0 --out models/gpt2", pack_command, false, "language"},
      {"replay", "RUN [tracker.key=value ...]", "send a finished run to a tracker: Weights & Biases, TensorBoard, or a plugin's",
       "yatlab replay results/mnist_inversion/latest --tracker wandb tracker.project=mnist", replay_command},
      {"sync", "[DIR ...]", "upload offline runs to Weights & Biases", "yatlab sync wandb", pack_command, false, "wandb"},
      {"plugin", "new KIND NAME [--project DIR] | new paper NAME | build DIR | promote JOB|EXPERIMENT:ARM --name NAME",
       "create a component with config and test, a project of your own, or a paper; build a project; turn an arm's formula into a "
       "component",
       "yatlab plugin new operator my_kernel", plugin_command},
      {"new", "KIND NAME | paper NAME", nullptr, "yatlab new paper my_paper", new_command},
      {"doctor", "", "check this machine: libraries, devices, threads, memory", "yatlab doctor", doctor_command},
      {"test", "[FOLDER ...]", "run the tests, or those of some folders", "./run.sh test config registry", test_command},
      {"bench", "[NAME ...]", "run the benchmarks", "./run.sh bench", bench_command},
      {"fuzz", "[TARGET ...] [SECONDS]", "fuzz the parsers of files and command lines (60 s each; 0: kept inputs only)",
       "./run.sh fuzz yaml 300", fuzz_command},
      {"completion", "bash | zsh | fish | install [SHELL]", "complete commands, experiments, keys and values in the shell",
       "yatlab completion install", completion_command},
      {"help", "[COMMAND | hydra]", "print this text, the help of a command, or the equivalents of Hydra's flags", "yatlab help hydra",
       help_command},
      {"complete", "-- WORD ...", nullptr, "yatlab complete -- experiments/xor.yaml trainer.", complete_command},
  });
}

}  // namespace yatlab::cli

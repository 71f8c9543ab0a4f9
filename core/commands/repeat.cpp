#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/cli/experiments.h"
#include "core/cli/out_folder.h"
#include "core/cli/papers.h"
#include "core/compose/as_written.h"
#include "core/config/override.h"
#include "core/experiment/experiment_params.h"
#include "core/plan/plan.h"
#include "core/report/repeat_comparison.h"
#include "core/run/run.h"
#include "core/system/shell.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

/// An experiment with recorded results.
struct Recorded {
  PlannedRun planned;
  RecordedExperiment results;
};

/// Nullopt if no results of it are recorded. Config error if `overrides` may change its results.
std::optional<Recorded> find_recorded(const fs::path& experiment, const std::vector<std::string>& overrides, const fs::path& folder) {
  PlanRequest request;
  request.experiment = experiment;
  request.overrides = overrides;
  request.config_path = config_path(experiment);
  auto planned = plan_run(request);
  Plan& plan = *planned.plan;
  auto results = read_recorded(folder / plan.name, Node());
  if (!results) return std::nullopt;
  const auto fixed = [&](const std::string& what, const std::string& why) {
    return config_error(fmt::format("{} cannot be repeated with {}", plan.name, what), "command line", why,
                        "remove it; to run the experiment with it: yatlab run " + shell_word(experiment.string()) + " " + shell_word(what));
  };
  for (const auto& text : overrides) {
    if (may_change_results(parse_override(text, "command line").key)) throw fixed(text, "its recorded numbers were made without it");
  }
  if (plan.scale != results->run.scale) throw fixed("scale=" + plan.scale, "its recorded numbers are from another scale");
  return Recorded{std::move(planned), std::move(*results)};
}

/// `count` of the recorded jobs, evenly spaced in the plan.
std::set<std::string> chosen_jobs(const Plan& plan, const RunView& recorded, std::size_t count) {
  std::set<std::string> known, out;
  for (const auto& job : recorded.jobs) known.insert(job.directory);
  std::vector<std::string> both;
  for (const auto& job : plan.jobs) {
    if (known.count(job.directory)) both.push_back(job.directory);
  }
  count = std::min(count, both.size());
  for (std::size_t i = 0; i < count; ++i) out.insert(both[i * both.size() / count]);
  return out;
}

/// Keeps only the console: no other tracker receives a repetition.
void quieten_trackers(Plan& plan) {
  Node console = Node::list();
  for (const auto& spec : plan.experiment.at("trackers").as_list()) {
    if ((spec.is_string() ? spec : spec.at("name")).as_string() == "console") console.push_back(spec);
  }
  plan.set("trackers", std::move(console));
  plan.set("tracker", Node());
}

/// Removes a run, and the folder of its experiment and the one above if they are then empty.
void leave_nothing(const fs::path& run) {
  remove_tree(run);
  const auto experiment = run.parent_path();
  std::error_code ec;
  if (fs::is_symlink(experiment / "latest", ec) && !fs::exists(experiment / "latest", ec)) fs::remove(experiment / "latest", ec);
  if (fs::remove(experiment, ec)) fs::remove(experiment.parent_path(), ec);
}

class Repeating {
 public:
  Repeating(std::size_t jobs, fs::path out, bool all, bool same, RunOptions options)
      : jobs_(jobs), out_(std::move(out)), all_(all), same_(same), options_(std::move(options)) {}

  /// Runs some of its jobs again and prints how they compare with the recorded results. Returns the run's exit code.
  int repeat(Recorded& recorded) {
    Plan& plan = *recorded.planned.plan;
    const auto total = recorded.results.run.jobs.size();
    if (recorded.planned.search) {
      say("{}: its points come from a search; a search cannot be repeated in parts\n", plan.name);
      unlike_ = unlike_ || same_;
      return 0;
    }
    const auto chosen = chosen_jobs(plan, recorded.results.run, jobs_);
    if (chosen.empty()) {
      say("{}: none of its {} recorded jobs is in the current experiment\n", plan.name, total);
      unlike_ = true;
      return 0;
    }
    keep_jobs(plan, chosen);
    plan.set("results", Node(out_.string()).set_origin(plan.experiment.at("results").origin()));
    quieten_trackers(plan);
    const auto outcome = run_plan(recorded.planned, options_);
    if (outcome.exit_code > 128) return outcome.exit_code;
    auto repetition = hold_against(recorded.results, RunView::load(outcome.directory));
    say("{}: {} of {} recorded jobs; {}\n  recorded: {}\n{}", plan.name, repetition.jobs, total, agreement_counts({repetition}),
        made_with_text(recorded.results.run.made), repetition_text(repetition, all_));
    if (outcome.exit_code == 0 && !differs(repetition)) {
      leave_nothing(outcome.directory);
    } else {
      say("  kept: {}\n", outcome.directory.string());
    }
    repetitions_.push_back(std::move(repetition));
    return outcome.exit_code;
  }

  /// Prints a summary if more than one experiment was repeated.
  void sum_up() const {
    std::size_t jobs = 0;
    for (const auto& each : repetitions_) jobs += each.jobs;
    if (repetitions_.size() > 1) say("\n{} experiments, {} jobs; {}\n", repetitions_.size(), jobs, agreement_counts(repetitions_));
  }
  bool disagrees() const {
    return unlike_ || std::any_of(repetitions_.begin(), repetitions_.end(), [&](const auto& each) { return differs(each); });
  }

 private:
  bool differs(const Repetition& repetition) const { return repetition.disagrees() || (same_ && !repetition.all_same()); }

  std::size_t jobs_;
  fs::path out_;
  bool all_, same_;
  RunOptions options_;
  std::vector<Repetition> repetitions_;
  bool unlike_ = false;  ///< none of an experiment's recorded jobs is in its current plan
};

std::size_t count_of(const std::string& text) {
  if (text == "all") return static_cast<std::size_t>(-1);
  if (text.empty() || text.size() > 9 || !std::all_of(text.begin(), text.end(), is_digit) || std::stoul(text) == 0) {
    throw config_error(fmt::format("'{}' is not a number of jobs", text), "--jobs", {}, "give a number from 1, or all");
  }
  return std::stoul(text);
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> out;
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(folder, ec)) {
    if (fs::exists(entry.path() / "summary.json", ec)) out.push_back(entry.path().filename().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<fs::path> folders_of_papers() {
  std::vector<fs::path> out;
  for (const auto& paper : papers()) out.push_back(paper.results);
  return out.empty() ? std::vector<fs::path>{"results/paper"} : out;
}

/// The file of the experiment that a word refers to: as in other commands, or the name of its recorded folder.
fs::path experiment_called(const std::string& word, const std::vector<std::string>& recorded, const std::string& command) {
  if (std::find(recorded.begin(), recorded.end(), word) != recorded.end() && find_experiment(word).empty()) {
    for (const auto& file : experiment_files()) {
      if (experiment_name(file) == word) return file;
    }
  }
  return required_experiment({word}, command);
}

}  // namespace

void repeat_options(po::options_description& options) {
  options.add_options()("jobs", po::value<std::string>()->default_value("1"), "how many jobs of each experiment, evenly spaced; or all")(
      "recorded", po::value<std::string>(), "folder of the recorded results (default: those of the papers)")(
      "out", po::value<std::string>()->default_value("results/.repeated"),
      "folder that the jobs run in; jobs that agree are removed afterwards")("all", po::bool_switch(),
                                                                             "also list the numbers that are the same")(
      "same", po::bool_switch(), "exit code 1 unless every number is the same to six digits, not only within what seeds explain")(
      "quiet,q", po::bool_switch(), "no progress");
}

int repeat_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  const auto folders = args.has("recorded") ? std::vector<fs::path>{args.text("recorded")} : folders_of_papers();
  const auto folder_of = [&](const fs::path& experiment) { return folders.size() == 1 ? folders.front() : paper_of(experiment).results; };
  std::vector<std::string> names, searched;
  for (const auto& folder : folders) {
    for (auto& name : names_in(folder)) names.push_back(std::move(name));
    searched.push_back("'" + folder.string() + "'");
  }
  if (names.empty()) {
    throw config_error(fmt::format("no results are recorded in {}", join(searched, ", ")), "--recorded", {},
                       "'yatlab report' without a run records all runs in results/paper");
  }
  std::vector<fs::path> files;
  std::vector<std::string> overrides;
  for (const auto& word : args.words) {
    if (is_override(word))
      overrides.push_back(word);
    else
      files.push_back(experiment_called(word, names, self.name));
  }
  const bool named = !files.empty();
  if (!named) files = experiment_files();
  RunOptions run;
  run.fresh = run.wait = true;
  run.report = false;
  run.quiet = args.flag("quiet");
  run.command = "yatlab repeat " + shell_command(arguments);
  require_folder_name(args.text("out"), "jobs are run in it");
  Repeating repeating(count_of(args.text("jobs")), args.text("out"), args.flag("all"), args.flag("same"), run);
  std::deque<Recorded> all;
  for (const auto& file : files) {
    if (auto recorded = find_recorded(file, overrides, folder_of(file))) {
      all.push_back(std::move(*recorded));
    } else if (named) {
      throw config_error(fmt::format("there are no recorded results of '{}' in '{}'", file.string(), folder_of(file).string()),
                         "command line", {}, "recorded: " + join(names, ", "));
    }
  }
  int code = 0;
  for (auto& recorded : all) {
    int of_this = 0;
    try {
      of_this = repeating.repeat(recorded);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::kData || all.size() == 1) throw;  // the others can be repeated without its data
      say_error("{}: not repeated: {}\n", recorded.planned.plan->name, e.what());
      of_this = e.exit_code();
    }
    if (of_this > 128) return of_this;
    code = std::max(code, of_this);
  }
  repeating.sum_up();
  return code == 0 && repeating.disagrees() ? 1 : code;
}

}  // namespace yatlab::cli

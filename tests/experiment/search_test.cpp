#include "core/plan/search.h"

#include <cmath>
#include <limits>
#include <set>

#include "catch.h"
#include "core/compose/search_space.h"
#include "core/library/run_status.h"
#include "core/record/run_view.h"
#include "core/record/trial_log.h"
#include "core/report/default_figures.h"
#include "core/report/default_tables.h"
#include "core/table/table.h"
#include "experiment/components.h"
#include "experiment/support.h"
#include "holds.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

const char* const kSearched = R"(metrics: {train/loss: {better: lower}}
tables:
  tab:one: {columns: [test/loss, test/accuracy]}
sweep: {optimizer.lr: 'tag(log, interval(1e-4, 1))'}
)";

/// The tiny experiment with a search over its learning rate.
std::string searched(const std::string& sweeper) { return with(std::string(kSearched) + "sweeper: {" + sweeper + "}\n"); }

std::vector<ProposedTrial> log_of(const fs::path& run) { return TrialLog(run).read(); }

/// "yat 0: 0.01; yat 1: 0.2": the trials of one arm in the order of their proposal.
std::string trials_of(const fs::path& run, const std::string& arm) {
  std::string out;
  for (const auto& trial : log_of(run)) {
    if (trial.arm == arm) out += fmt::format("{}: {}; ", trial.number, trial.point.front().second.to_flow());
  }
  return out;
}

}  // namespace

TEST_CASE("a search plans its startup points in advance and equally for every arm", "[search]") {
  const Workspace random(searched("name: random, trials: 4"));
  const auto all = random.plan();
  CHECK(all.jobs.size() == 2 * 4 * 2);
  CHECK(all.to_come == 0);
  REQUIRE(all.search);
  CHECK((all.search->method == "random" && all.search->metric == "test/loss" && !all.search->higher && all.search->trials == 4));
  std::map<std::string, std::set<double>> rates;
  for (const auto& job : all.jobs) {
    const double rate = job.config.find_path("optimizer.lr")->as_double();
    CHECK((rate >= 1e-4 && rate < 1));
    rates[job.arm].insert(rate);
  }
  CHECK(rates["linear"].size() == 4);
  CHECK(rates["linear"] == rates["yat"]);

  const Workspace tpe(searched("name: tpe, startup: 3, trials: 5"));
  const auto first = tpe.plan();
  CHECK(first.jobs.size() == 2 * 3 * 2);
  CHECK(first.to_come == 2 * 2 * 2);
  CHECK(first.hash == tpe.plan({"sweeper.trials=50", "sweeper.batch=4"}).hash);  // the same search, extended
  CHECK(first.hash != tpe.plan({"sweeper.seed=1"}).hash);
  CHECK(first.hash != tpe.plan({"sweeper.metric=test/accuracy"}).hash);
  CHECK(tpe.plan({"sweeper.metric=test/accuracy"}).search->higher);
}

TEST_CASE("a search runs all trials and resumes identically after any stop", "[search]") {
  const std::string one_by_one = "name: tpe, startup: 3, trials: 7, batch: 1, seed: 1";
  const Workspace whole(searched(one_by_one));
  const auto run = whole.run();
  REQUIRE(run.exit_code == 0);
  CHECK(log_of(run.directory).size() == 2 * 7);
  const RunView view = RunView::load(run.directory);
  CHECK(view.complete());
  CHECK(view.jobs.size() == 2 * 7 * 2);
  CHECK(view.points_of("yat").size() == 7);
  CHECK(trials_of(run.directory, "yat") != trials_of(run.directory, "linear"));  // each follows its own results
  const auto before = contents_below(run.directory / "jobs");
  const auto again = whole.run();
  CHECK(again.directory == run.directory);
  CHECK(contents_below(run.directory / "jobs") == before);

  // First five trials, then all.
  const Workspace parts(searched(one_by_one));
  const auto begun = parts.run({"sweeper.trials=5"});
  CHECK(log_of(begun.directory).size() == 2 * 5);
  const auto extended = parts.run();
  CHECK(extended.directory == begun.directory);
  CHECK(trials_of(extended.directory, "yat") == trials_of(run.directory, "yat"));
  CHECK(trials_of(extended.directory, "linear") == trials_of(run.directory, "linear"));

  // A power cut while a trial was recorded: no job of it had started.
  const auto log = read_file(begun.directory / "trials.jsonl");
  const auto cut = log.rfind('\n', log.size() - 2);
  write_file_atomic(begun.directory / "trials.jsonl", log.substr(0, cut + 20));
  const auto mended = parts.run();
  CHECK(mended.exit_code == 0);
  CHECK(trials_of(mended.directory, "yat") == trials_of(run.directory, "yat"));
  CHECK(trials_of(mended.directory, "linear") == trials_of(run.directory, "linear"));
}

TEST_CASE("a log with other trials is rejected", "[search][errors]") {
  const Workspace w(searched("name: tpe, startup: 3, trials: 3"));
  const auto run = w.run();
  auto log = read_file(run.directory / "trials.jsonl");
  const auto refused = [&](const std::string& text, const std::string& why) {
    write_file_atomic(run.directory / "trials.jsonl", text);
    try {
      w.run();
      FAIL("the log was accepted");
    } catch (const Error& e) {
      CHECK(holds(e.what(), why));
      CHECK(holds(e.what(), "--fresh"));
    }
  };
  refused(R"({"trial":0,"arm":"linear","point":{"optimizer.lr":0.5}})"
          "\n",
          "trial 0 of arm 'linear' does not belong to this search");
  refused("{\"trial\":0}\n", "a trial cannot be read");
  refused(log + R"({"trial":9,"arm":"yat","point":{"optimizer.lr":0.5}})"
                "\n",
          "trial 9 of arm 'yat' does not belong to this search");
}

TEST_CASE("a parameter that an arm lacks is ignored in its trials", "[search]") {
  const Workspace w(with(R"(tables:
  tab:one: {columns: [test/loss]}
sweep: {optimizer.lr: 'tag(log, interval(1e-3, 1))', operator.epsilon: 'tag(log, interval(1e-5, 1))'}
sweeper: {name: tpe, startup: 3, trials: 5, batch: 1}
)"));
  const auto run = w.run();
  REQUIRE(run.exit_code == 0);
  const auto view = RunView::load(run.directory);
  for (const auto& point : view.points_of("linear")) CHECK(point.size() == 1);
  for (const auto& point : view.points_of("yat")) CHECK(point.size() == 2);
  CHECK(view.points_of("linear").size() == 5);
  for (const auto& trial : log_of(run.directory)) CHECK(trial.point.size() == 2);
}

TEST_CASE("a space smaller than the number of trials is searched exhaustively", "[search]") {
  const Workspace w(with(R"(tables:
  tab:one: {columns: [test/loss]}
sweep: {optimizer.lr: [0.01, 0.1, 0.3], trainer.batch_size: [20, 40], where: lr * batch_size < 10}
sweeper: {name: tpe, startup: 2, trials: 50}
)"));
  const auto run = w.run();
  CHECK(run.exit_code == 0);
  const auto view = RunView::load(run.directory);
  CHECK(view.points_of("yat").size() == 5);  // of six, without 0.3 x 40
  CHECK(view.jobs.size() == 5 * 2 * 2);
  CHECK(view.complete());
}

TEST_CASE("impossible searches are rejected when planned", "[search][errors]") {
  const auto error = [](const std::string& lines, std::vector<std::string> overrides = {}) {
    return Workspace(with(lines)).error(std::move(overrides));
  };
  const std::string table = "tables:\n  tab:one: {columns: [test/loss]}\n", sweep = "sweep: {optimizer.lr: 'interval(0.1, 1)'}\n";
  CHECK(holds(error(table + "sweeper: tpe\n"), "there is nothing to search"));
  CHECK(holds(error(sweep + "sweeper: tpe\n"), "the search has no metric"));
  CHECK(holds(error(table + sweep + "sweeper: {name: tpe, metric: test/los}\n"), "did you mean 'test/loss'?"));
  CHECK(holds(error(table + sweep + "sweeper: {name: tpe, metric: train/loss}\nmetrics: {train/loss: {better: none}}\n"),
              "it is not known whether lower or higher 'train/loss' is better"));
  CHECK(holds(error(table + sweep), "a grid cannot list interval(0.1, 1.0)"));
  CHECK(holds(error(table + "sweep: {optimizer.lr: 'interval(0.1, 1)', where: lr > 2}\nsweeper: tpe\n"), "satisfied its condition"));
  CHECK(holds(error(table + "sweep: {notes: [a, b]}\nsweeper: tpe\n"), "'notes'"));
  CHECK(holds(error(table + "sweep: {optimizer: [adam, sgd]}\nsweeper: cmaes\n"), "CMA-ES supports only numbers"));
}

TEST_CASE("pruned trials end early and do not count as results", "[search]") {
  // Learning rates that are equivalent after one epoch, except that some do not learn at all.
  const Workspace w(with(R"(tables:
  tab:one: {columns: [test/loss]}
sweep: {optimizer.lr: 'tag(log, interval(1e-6, 1e-1))'}
sweeper: {name: random, trials: 12, pruner: {name: median, startup_trials: 3}}
)"));
  const auto run = w.run({"trainer.epochs=4"});
  CHECK(run.exit_code == 0);
  const auto view = RunView::load(run.directory);
  std::size_t pruned = 0;
  for (const auto& job : view.jobs) {
    if (job.state != JobState::kPruned) continue;
    ++pruned;
    CHECK(holds(job.error, "test/loss was"));
    const auto curve = view.curve(job);
    // The first seed's curve ended the trial; the second seed never started, as one worker takes them in turn.
    CHECK(curve.empty() == (job.seed == 1 && !fs::exists(run.directory / job.directory / "checkpoints")));
    if (!curve.empty()) CHECK(curve.back().epoch < 4);  // at the end of training nothing is left to save
    CHECK_FALSE(fs::exists(run.directory / job.directory / "summary.json"));
  }
  CHECK(pruned >= 4);
  CHECK(pruned <= 2 * 12 * 2 - 2 * 3 * 2);
  CHECK(view.complete());
  CHECK(view.status() == "complete");
  const auto now = read_run_now(run.directory, 0);
  CHECK(now.over());  // followers of the run need not wait
  CHECK(now.states()[JobState::kPruned] == pruned);
  const auto page = read_file(run.directory / "report.html");
  CHECK(holds(page, std::to_string(pruned) + " jobs pruned."));
  CHECK_FALSE(holds(page, "Not finished."));
  for (const auto& group : read_json(run.directory / "summary.json").at("arms")) CHECK(group.at("unfinished") == 0);
  for (const auto& point : view.points_of("yat")) CHECK(view.sample("yat", point, "test/loss").unfinished == 0);
  const auto before = contents_below(run.directory / "jobs", true);
  w.run({"trainer.epochs=4"});
  CHECK(contents_below(run.directory / "jobs", true) == before);
}

TEST_CASE("a search method gets each trial's mean loss over seeds of its own arm", "[search]") {
  witnessed_trials().clear();
  const Workspace w(with(R"(tables:
  tab:one: {columns: [test/accuracy]}
sweep: {optimizer.lr: 'interval(0.001, 0.1)'}
sweeper: {name: witness, trials: 4, batch: 1}
)"));
  const auto run = w.run();
  REQUIRE(run.exit_code == 0);
  const auto view = RunView::load(run.directory);
  std::map<std::string, std::size_t> asked;  // proposals per arm; arms alternate
  for (const auto& trials : witnessed_trials()) {
    if (trials.empty()) continue;  // the first of each arm
    const std::string arm = asked["linear"] <= asked["yat"] ? "linear" : "yat";
    ++asked[arm];
    CHECK(trials.size() == asked[arm]);
    const auto points = view.points_of(arm);
    for (std::size_t i = 0; i < trials.size(); ++i) {
      const auto accuracy = view.sample(arm, points.at(i), "test/accuracy").values;
      REQUIRE(accuracy.size() == 2);
      CHECK(trials[i].state == Trial::State::kCompleted);
      CHECK(trials[i].value == Approx(-(accuracy[0] + accuracy[1]) / 2).epsilon(1e-12));
      REQUIRE(trials[i].point.size() == 1);
      CHECK(trials[i].point.front() == points.at(i).front().second.as_double());
    }
  }
  CHECK(asked == std::map<std::string, std::size_t>{{"linear", 3}, {"yat", 3}});
}

TEST_CASE("a trial with a diverged seed or a failed analysis counts as failed", "[search]") {
  witnessed_trials().clear();
  const Workspace w(with(R"(tables:
  tab:one: {columns: [test/loss]}
sweep: {optimizer.lr: 'interval(0.001, 0.1)'}
sweeper: {name: witness, trials: 2, batch: 1}
analyses: [breaking]
)"));
  Breaking::seeds() = {1};
  CHECK(w.run({"~arms.linear"}).exit_code == 1);
  Breaking::seeds().clear();
  REQUIRE(witnessed_trials().size() == 2);
  REQUIRE(witnessed_trials()[1].size() == 1);
  CHECK(witnessed_trials()[1][0].state == Trial::State::kFailed);
}

TEST_CASE("a pruner sees earlier curves of its arm and seed but never last values", "[search]") {
  const Workspace w(with(R"(tables:
  tab:one: {columns: [test/accuracy]}
sweep: {optimizer.lr: 'interval(0.001, 0.1)'}
sweeper: {name: witness, trials: 2, batch: 1, pruner: witness}
)"));
  w.run({"trainer.epochs=3"});
  shown_curves().clear();
  const auto run = w.run({"trainer.epochs=3", "sweeper.trials=3"});
  const auto view = RunView::load(run.directory);
  const auto curve_of = [&](const std::string& arm, std::size_t trial, std::int64_t seed) {
    SearchCurve out;
    const auto points = view.points_of(arm);
    for (const JobView* job : view.jobs_of(arm, points.at(trial))) {
      if (job->seed != seed) continue;
      for (const auto& at : view.curve(*job)) {
        const auto value = at.metrics.find("test/accuracy");
        if (value != at.metrics.end()) out.emplace_back(static_cast<std::int64_t>(at.step), -value->second);
      }
    }
    return out;
  };
  REQUIRE(shown_curves().size() == 2 * 2 * 3);  // arms, seeds, evaluations before the last: at the start and after two epochs
  std::size_t i = 0;
  for (const std::string arm : {"linear", "yat"}) {
    for (const std::int64_t seed : {0, 1}) {
      const auto whole = curve_of(arm, 2, seed);
      REQUIRE(whole.size() == 4);
      for (std::size_t values = 1; values <= 3; ++values, ++i) {
        CHECK(shown_curves()[i].own == SearchCurve(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(values)));
        CHECK(shown_curves()[i].others == std::vector<SearchCurve>{curve_of(arm, 0, seed), curve_of(arm, 1, seed)});
      }
    }
  }
}

TEST_CASE("a job resumed from a checkpoint reports its later values once", "[search]") {
  const Workspace w(with(R"(tables:
  tab:one: {columns: [test/loss]}
sweep: {optimizer.lr: 'interval(0.001, 0.1)'}
sweeper: {name: witness, trials: 1, pruner: witness}
)"));
  const auto planned = plan_run(w.request());
  const auto& job = planned.plan->jobs.front();
  const auto row = [](std::int64_t step, double loss) { return MetricRow{step, 0, {}, {{"test/loss", loss}}}; };
  shown_curves().clear();
  planned.search->see(job, row(10, 3), 40);
  planned.search->see(job, row(20, 2), 40);
  planned.search->rewind(job, 10);
  planned.search->see(job, row(20, 1), 40);
  CHECK(shown_curves().back().own == SearchCurve{{10, 3}, {20, 1}});
}

TEST_CASE("a pruner sees diverged and failed trials as the worst from the start", "[search][finite]") {
  const double worst = std::numeric_limits<double>::infinity();
  const Workspace w(with(R"(tables:
  tab:one: {columns: [test/loss]}
sweep: {optimizer.lr: 'interval(0.001, 0.1)'}
sweeper: {name: random, trials: 3, pruner: witness}
)"));
  const auto planned = plan_run(w.request());
  auto& search = *planned.search;
  std::map<std::int64_t, std::vector<const JobSpec*>> trials;  // of one arm, by seed
  for (const auto& job : planned.plan->jobs) {
    if (job.arm == "yat") trials[job.seed].push_back(&job);
  }
  const auto see = [&](std::size_t trial, std::int64_t seed, std::int64_t step, double loss) {
    search.see(*trials.at(seed).at(trial), {step, 0, {}, {{"test/loss", loss}}}, 40);
  };
  /// The curves of the other two trials that the last trial's pruner receives.
  const auto shown = [&] {
    shown_curves().clear();
    see(2, 0, 30, 3);
    return shown_curves().back().others;
  };
  const SearchCurve first{{10, 1}, {20, 0.5}}, second{{10, 2}};
  see(0, 0, 10, 1);
  see(0, 0, 20, 0.5);
  see(1, 0, 10, 2);
  CHECK(shown() == std::vector<SearchCurve>{first, second});
  for (const auto state : {JobState::kCompleted, JobState::kInterrupted, JobState::kPruned}) search.ended(*trials.at(0).at(1), state);
  CHECK(shown() == std::vector<SearchCurve>{first, second});
  // Another seed may supply the rest of the trial's curve.
  search.ended(*trials.at(1).at(0), JobState::kDiverged);
  CHECK(shown() == std::vector<SearchCurve>{{{10, worst}, {20, worst}}, second});
  search.ended(*trials.at(0).at(1), JobState::kFailed);
  CHECK(shown() == std::vector<SearchCurve>{{{10, worst}, {20, worst}}, {{10, worst}}});
  // Failed jobs are retried.
  see(1, 0, 20, 1.5);
  CHECK(shown() == std::vector<SearchCurve>{{{10, worst}, {20, worst}}, {{10, 2}, {20, 1.5}}});
}

TEST_CASE("diverged trials never make a pruner end a good one", "[search][finite]") {
  for (const std::string pruner : {"{name: median, startup_trials: 3}", "{name: asha, min_steps: 5}"}) {
    INFO(pruner);
    const Workspace w(with(R"(tables:
  tab:one: {columns: [test/accuracy]}
sweep: {optimizer.lr: 'interval(0.001, 0.1)'}
sweeper: {name: random, trials: 8, pruner: )" +
                           pruner + "}\n"));
    const auto planned = plan_run(w.request({"seeds=[0]", "~arms.linear"}));
    auto& search = *planned.search;
    const auto& jobs = planned.plan->jobs;
    REQUIRE(jobs.size() == 8);
    const auto see = [&](std::size_t trial, std::int64_t step, double accuracy) {
      search.see(jobs[trial], {step, 0, {}, {{"test/accuracy", accuracy}}}, 40);
      return search.why_pruned(jobs[trial]).empty();
    };
    // Five trials begin better than they end.
    for (std::size_t trial = 0; trial < 5; ++trial) {
      CHECK(see(trial, 0, 0.2));
      CHECK(see(trial, 5, 0.2));
      search.ended(jobs[trial], JobState::kDiverged);
    }
    CHECK(see(5, 5, 0.1));
    CHECK(see(5, 10, 1));
    CHECK(see(6, 5, 0.1));
    CHECK_FALSE(see(7, 5, std::nan("")));
  }
}

TEST_CASE("a pruner sees diverged trials of earlier processes as the worst", "[search][finite]") {
  const Workspace w(with(R"(tables:
  tab:one: {columns: [test/loss]}
sweep: {optimizer.lr: 'interval(0.001, 0.1)'}
sweeper: {name: witness, trials: 2, batch: 1, pruner: witness}
)"));
  const Strings short_run = {"trainer.diverged_above=1e-9", "~arms.linear", "seeds=[0]"};
  CHECK(w.run(short_run).exit_code == 0);
  shown_curves().clear();
  auto longer = short_run;
  longer.emplace_back("sweeper.trials=3");
  CHECK(w.run(longer).exit_code == 0);
  REQUIRE(shown_curves().size() == 1);
  const SearchCurve lost{{0, std::numeric_limits<double>::infinity()}};
  CHECK(shown_curves().front().others == std::vector<SearchCurve>{lost, lost});
  CHECK(std::isfinite(shown_curves().front().own.back().second));
}

TEST_CASE("a trial with one pruned and one diverged seed counts as failed", "[search][finite]") {
  const Workspace w(with(R"(tables:
  tab:one: {columns: [test/loss]}
sweep: {optimizer.lr: 'interval(0.001, 0.1)'}
sweeper: {name: witness, trials: 1, batch: 1}
)"));
  const auto run = w.run({"~arms.linear"});
  const auto view = RunView::load(run.directory);
  const auto becomes = [&](std::size_t job, JobState state) {
    auto status = read_job_status(run.directory / view.jobs.at(job).directory);
    status.state = state;
    write_job_status(run.directory / view.jobs.at(job).directory, status);
  };
  becomes(0, JobState::kPruned);
  becomes(1, JobState::kDiverged);
  witnessed_trials().clear();
  w.run({"~arms.linear", "sweeper.trials=2"});
  REQUIRE_FALSE(witnessed_trials().empty());
  REQUIRE(witnessed_trials().back().size() == 1);
  CHECK(witnessed_trials().back()[0].state == Trial::State::kFailed);
}

TEST_CASE("tables of a search show each arm's best point and figures show the progress", "[search]") {
  const Workspace w(searched("name: random, trials: 4") + "report: {default_figures: true}\n");
  const auto run = w.run();
  const auto view = RunView::load(run.directory);
  const auto config = report_config(view);
  REQUIRE(config.tables.size() == 1);
  CHECK(config.tables.front().rows == TableSpec::Rows::kBest);
  CHECK(config.tables.front().best_by == "test/loss");
  std::vector<std::string> plots;
  for (const auto& figure : default_figures(view, config)) plots.push_back(figure.plot);
  CHECK(plots == std::vector<std::string>{"search_history", "search_slices"});
  // Every trial has a row for each arm, in the order of proposal, with the parameter and its loss.
  const auto trials = build_table(view, config, default_tables(view, config).at(0));
  CHECK(trials.id == "trials");
  REQUIRE(trials.rows.size() == 8);
  const auto asked = view.points_of("linear");
  for (std::size_t t = 0; t < 4; ++t) {
    CHECK(trials.rows[t].arm == "linear");
    CHECK(same_point(trials.rows[t].point, asked[t]));
    CHECK(trials.rows[t].cells.at(0).sample.values.size() == view.seeds().size());
    CHECK(trials.rows[4 + t].arm == "yat");
  }
  CHECK(trials.columns.front().metric == "test/loss");
  CHECK(fs::exists(run.directory / "tables/trials.md"));
  CHECK(testing::holds(read_file(run.directory / "report.html"), "every trial"));
  CHECK(fs::exists(run.directory / "figures/fig_search.svg"));
  CHECK(fs::exists(run.directory / "figures/fig_search_slices.svg"));
}

TEST_CASE("ascending lists are ordinal and other lists are categorical", "[search]") {
  const auto dimensions = [] {
    std::vector<Dimension> out;
    for (const char* text : {"a=interval(0,2)", "b=1,3,9", "c=9,1", "d=x,y", "e=int(interval(2,5))"}) {
      out.push_back(dimension_of(parse_override(text)));
    }
    return out;
  }();
  const auto space = space_of(dimensions);
  using Kind = SearchParameter::Kind;
  REQUIRE(space.parameters.size() == 5);
  CHECK(space.parameters[0].kind == Kind::kReal);
  CHECK((space.parameters[1].kind == Kind::kInteger && space.parameters[1].high == 2));
  CHECK((space.parameters[2].kind == Kind::kChoice && space.parameters[2].choices == 2));
  CHECK(space.parameters[3].kind == Kind::kChoice);
  CHECK((space.parameters[4].kind == Kind::kInteger && space.parameters[4].low == 2 && space.parameters[4].high == 5));
  const SearchPoint point{0.5, 2, 1, 0, 3};
  std::vector<std::pair<std::string, Node>> values;
  std::string text;
  for (const auto& o : sweep_point(dimensions, point)) {
    values.emplace_back(o.address(), o.value);
    text += o.text + " ";
  }
  CHECK(text == "a=0.5 b=9 c=1 d=x e=3 ");
  CHECK(search_point(dimensions, values) == point);
  values.erase(values.begin());
  const auto partial = search_point(dimensions, values);
  REQUIRE(partial);
  CHECK(std::isnan(partial->front()));
  values.front().second = Node(4);
  CHECK_FALSE(search_point(dimensions, values));
  CHECK_FALSE(points_in(dimensions));
  CHECK(points_in({dimensions[1], dimensions[4]}) == std::size_t{12});
}

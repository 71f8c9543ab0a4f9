#include "core/verdict/metric_docs.h"

#include "catch.h"
#include "core/base/files.h"
#include "core/config/yaml.h"
#include "core/report/default_figures.h"
#include "core/report/plot_tools.h"
#include "core/report/recorded_report.h"
#include "core/report/summary.h"
#include "fake_figures.h"
#include "holds.h"
#include "temporary_folder.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

const std::vector<MetricDoc> kDocs = {MetricDoc("test/accuracy").called("test accuracy").higher().percent().shown(),
                                      MetricDoc("test/loss").called("test loss").in("nats").lower(),
                                      MetricDoc("edges/lead").called("narrow leads").lower().percent().shown(), "edges/count"};

ReportConfig read(const std::string& yaml, std::vector<MetricDoc> docs = kDocs) {
  return ReportConfig::read(parse_yaml(yaml, "x.yaml"), false, std::move(docs));
}

/// Two arms, three seeds, metrics of an analysis beside the task's, and no config of tables and figures.
FakeRun unspoken(const std::string& more = "") {
  FakeRun run;
  run.arms = {"linear", "yat"};
  run.config = "name: mnist_inversion\narms: {linear: [], yat: []}\n" + more;
  run.docs = metric_docs_json(kDocs);
  for (const auto& arm : run.arms) {
    for (int seed = 0; seed < 3; ++seed) {
      FakeRun::Job job;
      job.arm = arm;
      job.seed = seed;
      const double chance = 0.01 * seed;
      job.metrics = {{"test/accuracy", 0.9 + chance}, {"test/loss", 0.4 + chance}, {"edges/lead", 0.1}, {"edges/count", 7}};
      for (int step = 1; step <= 3; ++step) {
        job.curve.push_back(
            {{"step", step}, {"epoch", step}, {"train/loss", 1.0 / step}, {"test/accuracy", 0.3 * step}, {"test/loss", 1.0 / step}});
      }
      job.artifacts["prototypes"] = prototypes(arm == "yat", static_cast<unsigned>(seed));
      run.jobs.push_back(std::move(job));
    }
  }
  return run;
}

std::vector<std::string> drawn(const FakeRun& fake) {
  const TemporaryFolder scratch;
  fake.write(scratch.path());
  const auto run = RunView::load(scratch.path());
  std::vector<std::string> out;
  for (const auto& spec : default_figures(run, report_config(run))) {
    out.push_back(spec.plot);
    CHECK_NOTHROW(draw_figures(run, report_config(run), spec));
  }
  return out;
}

std::string table_of(const FakeRun& fake) {
  const TemporaryFolder scratch;
  fake.write(scratch.path());
  const auto run = RunView::load(scratch.path());
  ReportContents contents;
  report_run(run, report_config(run), scratch.path() / "out", without_figures(), contents);
  const auto text = read_file(scratch.path() / "out/tables/results.md");
  const auto begin = text.find("\n|");
  return text.substr(begin + 1, text.find('\n', begin + 1) - begin - 1);
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("metric descriptions are written in order and read back") {
  const auto json = metric_docs_json(kDocs);
  CHECK(json.dump() ==
        R"([{"name":"test/accuracy","title":"test accuracy","better":"higher","format":"percent","shown":true},)"
        R"({"name":"test/loss","title":"test loss","unit":"nats","better":"lower"},)"
        R"({"name":"edges/lead","title":"narrow leads","better":"lower","format":"percent","shown":true},{"name":"edges/count"}])");
  CHECK(metric_docs_json(metric_docs_of(json)).dump() == json.dump());
  for (const auto direction : {Direction::kHigher, Direction::kLower, Direction::kNone}) {
    MetricDoc doc("a");
    doc.better = direction;
    CHECK(metric_docs_of(metric_docs_json({doc})).at(0).better == direction);
  }
  // An external file: entries of another form are skipped.
  CHECK(metric_docs_of(nlohmann::ordered_json::parse(R"({"a": 1})")).empty());
  const auto odd = metric_docs_of(
      nlohmann::ordered_json::parse(R"([3, {"title": "x"}, {"name": 4}, {"name": "a", "better": "up", "title": 5, "shown": 1}])"));
  REQUIRE(odd.size() == 1);
  CHECK(odd[0].name == "a");
  CHECK(odd[0].title.empty());
  CHECK_FALSE(odd[0].better);
  CHECK_FALSE(odd[0].tabulated);
}

TEST_CASE("an experiment's metric description overrides those of its source and name") {
  const auto silent = read("name: x");
  CHECK(silent.metric("edges/lead").title == "narrow leads");
  CHECK(silent.metric("edges/lead").better == Direction::kLower);
  CHECK(silent.metric("edges/lead").format == NumberFormat::kPercent);
  CHECK(silent.metric("edges/count").title == "edges/count");
  CHECK(axis_title(silent, "test/loss") == "test loss (nats)");
  CHECK(axis_title(silent, "test/accuracy") == "test accuracy");
  CHECK(read("name: x", {MetricDoc("test/loss").neither()}).metric("test/loss").better == Direction::kNone);
  CHECK(read("name: x", {"test/loss"}).metric("test/loss").better == Direction::kLower);
  CHECK(read("name: x", {MetricDoc("a/reached").called("there")}).metric("a/reached").share);

  const auto spoken = read("metrics: {edges/lead: {better: higher}, test/loss: {title: L}, test/accuracy: {title: acc, unit: points}}");
  CHECK(spoken.metric("edges/lead").better == Direction::kHigher);
  CHECK(spoken.metric("edges/lead").title == "narrow leads");
  CHECK(spoken.metric("test/loss").better == Direction::kLower);
  CHECK(axis_title(spoken, "test/loss") == "L");  // a title of its own may include the unit
  CHECK(axis_title(spoken, "test/accuracy") == "acc (points)");
}

TEST_CASE("an experiment without tables gets the default columns in order") {
  CHECK(table_of(unspoken()) == "|  | test accuracy | narrow leads |");
  // Runs that recorded no descriptions of metrics show those measured on the test split.
  auto before = unspoken();
  before.docs = nullptr;
  CHECK(table_of(before) == "|  | test/accuracy | test/loss |");
  // Described but unmeasured metrics are not columns.
  auto less = unspoken();
  for (auto& job : less.jobs) job.metrics.erase("edges/lead");
  CHECK(table_of(less) == "|  | test accuracy |");
  // Metrics with numbers of the paper are always shown.
  CHECK(table_of(unspoken("paper: {linear: {test/loss: 0.4}, tolerance: {test/loss: 0.1}}\n")) ==
        "|  | test accuracy | narrow leads | test loss |");
}

TEST_CASE("an experiment without figures gets learning curves and plots of its artifacts") {
  CHECK(drawn(unspoken()) == Names{"learning_curves", "prototypes"});
  CHECK(drawn(unspoken("report: {default_figures: false}\n")).empty());
  CHECK(drawn(unspoken("figures: {format: [svg]}\n")) == Names{"learning_curves", "prototypes"});
  CHECK(drawn(unspoken("figures: {fig:mine: {plot: learning_curves}}\n")).empty());
  // Evaluated once: there is no curve. Measured on one arm only: the other one is ignored.
  auto once = unspoken();
  for (auto& job : once.jobs) {
    job.curve.resize(1);
    if (job.arm == "linear") job.artifacts.clear();
  }
  CHECK(drawn(once) == Names{"prototypes"});
  auto unfinished = unspoken();
  for (auto& job : unfinished.jobs) job.state = "running";
  CHECK(drawn(unfinished).empty());
}

TEST_CASE("a report stored elsewhere keeps metric descriptions") {
  const TemporaryFolder scratch;
  const auto fake = unspoken();
  fake.write(scratch.path() / "run");
  const auto run = RunView::load(scratch.path() / "run");
  FakeRun::put(scratch.path() / "kept/summary.json", summary_text(run, report_config(run)));
  const auto kept = read_recorded(scratch.path() / "kept", run.config);
  REQUIRE(kept);
  CHECK(metric_docs_json(kept->run.docs) == metric_docs_json(kDocs));
  CHECK(report_config(kept->run).metric("edges/lead").title == "narrow leads");
}

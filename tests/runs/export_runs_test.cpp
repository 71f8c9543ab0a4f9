#include "core/library/export_runs.h"

#include <nlohmann/json.hpp>
#include <set>

#include "catch.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "holds.h"
#include "runs/support.h"

namespace yatlab::testing {
namespace {

/// Parses RFC 4180 to the letter.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> out(1);
  std::string field;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '"' && i + 1 < text.size() && text[i + 1] == '"')
        field += c, ++i;
      else if (c == '"')
        quoted = false;
      else
        field += c;
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',' || c == '\r') {
      out.back().push_back(std::move(field));
      field.clear();
      if (c == '\r') {
        REQUIRE(text.at(++i) == '\n');
        out.emplace_back();
      }
    } else {
      REQUIRE(c != '\n');
      field += c;
    }
  }
  REQUIRE(out.back().empty());  // the last line has an end as well
  out.pop_back();
  return out;
}

struct ExportedTable {
  std::string text;
  Exported done;
  std::vector<std::vector<std::string>> rows;
  ExportedTable(const std::vector<fs::path>& runs, ExportRows kind, ExportFormat format = ExportFormat::kCsv) {
    done = export_runs(runs, kind, format, [&](std::string_view piece) { text += piece; });
    if (format == ExportFormat::kCsv) rows = parse_csv(text);
  }
  std::string at(std::size_t row, const std::string& column) const {
    const auto place = std::find(rows[0].begin(), rows[0].end(), column);
    INFO(column);
    REQUIRE(place != rows[0].end());
    return rows[row + 1][static_cast<std::size_t>(place - rows[0].begin())];
  }
};

TEST_CASE("jobs of several runs are exported as one table with the union of columns") {
  const TemporaryFolder results;
  const auto first = place_run(results.path(), swept_run("2026-11-20_10-00-00-000000"));
  auto other = mnist_run();
  other.jobs[0].metrics["weird"] = "nan";
  other.jobs[1].metrics["weird"] = "-inf";
  other.jobs[2].metrics["weird"] = 0.1 + 0.2;
  other.jobs[3].state = "failed";
  other.jobs[3].error = "it said \"no\",\r\nthen stopped";
  const auto second = place_run(results.path(), other);
  const ExportedTable table({first, second}, ExportRows::kJobs);
  REQUIRE(table.rows.size() == 1 + 12 + 10);
  for (const auto& row : table.rows) CHECK(row.size() == table.done.columns);
  CHECK(table.done.rows == 22);
  CHECK(table.rows[0][0] == "experiment");
  CHECK(table.rows[0][5] == "operator.epsilon");
  CHECK(table.at(0, "operator.epsilon") == "1e-05");
  CHECK(table.at(12, "operator.epsilon") == "");
  CHECK(table.at(0, "test/accuracy") == format_double(0.90));
  CHECK(table.at(0, "model/alpha") == "");
  CHECK(table.at(0, "state") == "completed");
  CHECK(table.at(0, "wall_s") == "2.5");
  CHECK(table.at(0, "dataset_sha256") == "ab12");
  CHECK(table.at(12, "weird") == "nan");
  CHECK(table.at(13, "weird") == "-inf");
  CHECK(table.at(14, "weird") == "0.30000000000000004");
  CHECK(table.at(15, "error") == "it said \"no\",\r\nthen stopped");
  CHECK(table.at(15, "test/accuracy") == "");
  CHECK(table.at(15, "state") == "failed");
}

TEST_CASE("exporting settings adds a column for every config key") {
  const TemporaryFolder results;
  auto fake = swept_run("2026-11-20_10-00-00-000000");
  for (auto& job : fake.jobs) job.config += "trainer: {epochs: 7, early_stopping: {patience: 2}}\n";
  const auto run = place_run(results.path(), fake);
  const ExportedTable table({run}, ExportRows::kJobsWithSettings);
  CHECK(table.at(0, "trainer.epochs") == "7");
  CHECK(table.at(0, "trainer.early_stopping.patience") == "2");
  CHECK(table.at(0, "operator.epsilon") == "1e-05");
  CHECK(std::count(table.rows[0].begin(), table.rows[0].end(), "operator.epsilon") == 1);
  CHECK(std::count(table.rows[0].begin(), table.rows[0].end(), "seed") == 1);
  CHECK(table.at(0, "test/accuracy") == format_double(0.90));
  const ExportedTable plain({run}, ExportRows::kJobs);
  CHECK(std::count(plain.rows[0].begin(), plain.rows[0].end(), "trainer.epochs") == 0);
}

TEST_CASE("jobs can be exported as JSON lines") {
  const TemporaryFolder results;
  auto fake = swept_run("2026-11-20_10-00-00-000000");
  fake.jobs[0].metrics["weird"] = "nan";
  const auto run = place_run(results.path(), fake);
  const ExportedTable table({run}, ExportRows::kJobs, ExportFormat::kJsonLines);
  const auto lines = split(table.text, '\n');
  REQUIRE(lines.size() == 13);
  const auto first = nlohmann::ordered_json::parse(lines[0]), last = nlohmann::ordered_json::parse(lines[11]);
  CHECK(first["test/accuracy"] == 0.90);
  CHECK(first["operator.epsilon"] == 1e-5);
  CHECK(first["seed"] == 0);
  CHECK(first["weird"].is_null());
  CHECK(last["weird"].is_null());
  CHECK(first.size() == table.done.columns);
  CHECK(first["error"].is_null());
}

TEST_CASE("logged steps are exported as rows and truncated lines are omitted") {
  const TemporaryFolder results;
  auto fake = swept_run("2026-11-20_10-00-00-000000");
  fake.jobs[0].curve = {{{"step", 0}, {"epoch", 0}, {"train/loss", 2.5}},
                        {{"step", 10}, {"epoch", 0.5}, {"train/loss", "nan"}, {"test/accuracy", 0.5}}};
  fake.jobs[5].curve = {{{"step", 7}, {"tokens", 4096}, {"note", "no number"}}};
  for (auto& job : fake.jobs) job.with_manifest = false;
  const auto run = place_run(results.path(), fake);
  const auto history = run / FakeRun::directory(fake.jobs[5]) / "metrics.jsonl";
  FakeRun::put(history, read_file(history) + "{\"step\": 8, \"only/here\": 1, \"train/lo");
  const ExportedTable table({run}, ExportRows::kSteps);
  CHECK(table.rows[0] == std::vector<std::string>{"experiment", "run", "job", "arm", "seed", "operator.epsilon", "step", "epoch", "tokens",
                                                  "test/accuracy", "train/loss"});
  REQUIRE(table.rows.size() == 4);
  CHECK(table.at(1, "step") == "10");
  CHECK(table.at(1, "epoch") == "0.5");
  CHECK(table.at(1, "train/loss") == "nan");
  CHECK(table.at(0, "test/accuracy") == "");
  CHECK(table.at(2, "step") == "7");
  CHECK(table.at(2, "train/loss") == "");  // no value is carried over from the row before
  CHECK(table.at(2, "tokens") == "4096");
  CHECK(table.at(2, "seed") == "2");
  REQUIRE(table.done.notes.size() == 1);
  CHECK(holds(table.done.notes[0], "1 line "));
}

TEST_CASE("parameters and metrics with reserved column names get separate columns") {
  const TemporaryFolder results;
  auto fake = swept_run("2026-11-20_10-00-00-000000");
  fake.jobs.resize(1);
  fake.jobs[0].params = {{"seed", 77}, {"state", "x"}};
  fake.jobs[0].metrics = {{"arm", 1.5}, {"steps", 2.5}, {"state", 3.5}};
  const auto run = place_run(results.path(), fake);
  const ExportedTable table({run}, ExportRows::kJobs);
  CHECK(std::set<std::string>(table.rows[0].begin(), table.rows[0].end()).size() == table.rows[0].size());
  CHECK(table.at(0, "seed") == "0");
  CHECK(table.at(0, "params.seed") == "77");
  CHECK(table.at(0, "state") == "completed");
  CHECK(table.at(0, "params.state") == "x");
  CHECK(table.at(0, "metrics.arm") == "1.5");
  CHECK(table.at(0, "metrics.steps") == "2.5");
}

TEST_CASE("damaged numbers are not exported") {
  const TemporaryFolder results;
  const auto fake = swept_run("2026-11-20_10-00-00-000000");
  const auto run = place_run(results.path(), fake);
  change_file(run / FakeRun::directory(fake.jobs[0]) / "summary.json", "0.9", "0.7");
  const ExportedTable table({run}, ExportRows::kJobs);
  CHECK(table.at(0, "test/accuracy") == "");
  CHECK(table.at(0, "state") == "interrupted");
  CHECK(table.done.notes.size() == 1);
  CHECK_THROWS_AS(ExportedTable({results.path()}, ExportRows::kJobs), Error);
}

TEST_CASE("an export ends when requested") {
  const TemporaryFolder results;
  const auto run = place_run(results.path(), swept_run("2026-11-20_10-00-00-000000"));
  int asked = 0;
  std::string text;
  const auto done = export_runs(
      {run}, ExportRows::kJobs, ExportFormat::kCsv, [&](std::string_view piece) { text += piece; }, [&] { return ++asked > 3; });
  CHECK(done.rows == 0);
  CHECK(text.empty());
}

}  // namespace
}  // namespace yatlab::testing

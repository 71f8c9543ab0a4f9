#include "core/library/run_index.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include <thread>

#include "catch.h"
#include "core/base/hash.h"
#include "core/base/process.h"
#include "core/record/run_notes.h"
#include "runs/support.h"

namespace yatlab::testing {
namespace {

const std::string kId = "2026-11-21_14-02-11-3fa9c1";

const fs::path kIndexName = ".index.sqlite";

TEST_CASE("the index agrees with the folders") {
  const TemporaryFolder results;
  place_run(results.path(), swept_run(kId));
  const auto index = RunIndex::open(results.path());
  REQUIRE(index.runs().size() == 1);
  const auto& run = index.runs().front();
  CHECK(run.name() == "sweep/" + kId);
  CHECK(run.latest);
  CHECK_FALSE(run.superseded);
  CHECK(run.code == "c0de1234");
  CHECK(run.git == "abcdef0123");
  CHECK(run.overrides == std::vector<std::string>{"trainer.epochs=3", "seeds=range(0,3)"});
  CHECK(run.states == std::map<JobState, std::size_t>{{JobState::kCompleted, 12}});
  CHECK(run.problem == "");
  const auto jobs = index.jobs(run);
  REQUIRE(jobs.size() == 12);
  CHECK(jobs[4].arm == "linear");
  CHECK(jobs[4].seed == 1);
  CHECK(point_label(jobs[4].params) == "operator.epsilon=0.1");
  CHECK(jobs[4].metrics.at("test/accuracy") == 0.90 + 0.001 + 0.01);
  CHECK(jobs[4].wall_s == 2.5);
  REQUIRE(jobs[4].dataset);
  CHECK(jobs[4].dataset->name == "mnist");
  CHECK(index.metric_names() == std::vector<std::string>{"test/accuracy", "test/loss"});
}

TEST_CASE("reopening the index reads only what changed") {
  const TemporaryFolder results;
  const auto run = place_run(results.path(), swept_run(kId));
  place_run(results.path(), swept_run("2026-11-21_15-00-00-aaaaaa"));
  CHECK(RunIndex::open(results.path()).runs_read() == 2);
  {
    const auto again = RunIndex::open(results.path());
    CHECK(again.runs_read() == 0);
    CHECK(again.jobs_read() == 0);
    CHECK(again.runs().size() == 2);
  }
  // A job's numbers, with unchanged file size, so that only time and inode differ.
  const auto job = run / "jobs/yat/seed=1,operator.epsilon=0.1";
  fs::remove(job / "manifest.json");
  change_file(job / "summary.json", "0.93", "0.83");
  {
    const auto changed = RunIndex::open(results.path());
    CHECK(changed.runs_read() == 0);
    CHECK(changed.jobs_read() == 1);
    const auto jobs = changed.jobs(*changed.find("sweep/" + kId));
    CHECK(jobs[10].metrics.at("test/accuracy") < 0.84);
  }
  change_notes(run, [](RunNotes& notes) { notes.tags = {"best"}; });
  {
    const auto tagged = RunIndex::open(results.path());
    CHECK(tagged.runs_read() == 1);
    CHECK(tagged.find("sweep/" + kId)->tags == std::vector<std::string>{"best"});
  }
  fs::remove_all(run);
  const auto left = RunIndex::open(results.path());
  CHECK(left.runs().size() == 1);
  CHECK(left.groups().size() == 4);  // nothing of the removed run
  CHECK(left.values_of("test/accuracy").size() == 4);
}

TEST_CASE("a running job is followed from state to state") {
  const TemporaryFolder results;
  auto fake = swept_run(kId);
  fake.jobs[0].state = "planned";
  fake.jobs[0].config = "";
  fake.jobs[0].with_manifest = false;
  const auto run = place_run(results.path(), fake);
  const auto folder = run / FakeRun::directory(fake.jobs[0]);
  fs::remove_all(folder);
  CHECK(RunIndex::open(results.path()).runs().front().states.at(JobState::kPlanned) == 1);
  fs::create_directories(folder);
  JobStatus status;
  status.state = JobState::kRunning;
  status.host = host_name();
  status.pid = ::getpid();
  write_job_status(folder, status);
  write_heartbeat(folder, {std::time(nullptr), 5, 10, 1, ""});
  CHECK(RunIndex::open(results.path()).runs().front().states.at(JobState::kRunning) == 1);
  // Its process disappears, and no file changes.
  write_heartbeat(folder, {std::time(nullptr) - 3600, 5, 10, 1, ""});
  CHECK(RunIndex::open(results.path()).runs().front().states.at(JobState::kInterrupted) == 1);
  CHECK(RunIndex::open(results.path()).jobs_read() == 0);
}

TEST_CASE("a missing, damaged or outdated index is rebuilt") {
  const TemporaryFolder results;
  place_run(results.path(), swept_run(kId));
  const auto file = results.path() / kIndexName;
  RunIndex::open(results.path());
  const auto sound = read_file(file);
  const auto damaged = [&](const std::string& bytes) {
    write_file_unsynced(file, bytes);
    const auto index = RunIndex::open(results.path());
    CHECK(index.runs_read() == 1);
    CHECK(index.runs().size() == 1);
    CHECK(index.values_of("test/accuracy").size() == 4);
    CHECK(RunIndex::open(results.path()).runs_read() == 0);  // and the new index is valid
  };
  damaged("");
  damaged("garbage");
  damaged(std::string(100000, '\0'));
  damaged(sound.substr(0, sound.size() / 2));
  auto altered = sound;
  const auto at = altered.find("c0de1234");
  REQUIRE(at != std::string::npos);
  altered[at] = 'd';
  damaged(altered);
  // Sealed, but by a program version with other tables.
  Database other;
  other.run("CREATE TABLE runs(x); PRAGMA user_version = 2");
  damaged(other.bytes() + sha256(other.bytes()));
  Database later;
  later.run("PRAGMA user_version = 999");
  damaged(later.bytes() + sha256(later.bytes()));
}

TEST_CASE("the index is a database that SQLite's own tools read") {
  const TemporaryFolder results;
  place_run(results.path(), swept_run(kId));
  RunIndex::open(results.path());
  sqlite3* opened = nullptr;
  REQUIRE(sqlite3_open_v2((results.path() / kIndexName).c_str(), &opened, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  REQUIRE(sqlite3_prepare_v2(opened, "SELECT count(*) FROM jobs WHERE state = 'completed'", -1, &statement, nullptr) == SQLITE_OK);
  REQUIRE(sqlite3_step(statement) == SQLITE_ROW);
  CHECK(sqlite3_column_int(statement, 0) == 12);
  sqlite3_finalize(statement);
  sqlite3_close(opened);
}

TEST_CASE("everything works without a writable index") {
  const TemporaryFolder results;
  place_run(results.path(), swept_run(kId));
  SECTION("its name is taken by a folder") { fs::create_directories(results.path() / kIndexName / "x"); }
  SECTION("its name is a broken link") { fs::create_symlink("/nonexistent/place", results.path() / kIndexName); }
  SECTION("the folder is read-only") { ::chmod(results.path().c_str(), 0555); }
  for (int i = 0; i < 2; ++i) {
    const auto index = RunIndex::open(results.path());
    CHECK(index.runs().size() == 1);
    CHECK(index.values_of("test/accuracy").size() == 4);
  }
  ::chmod(results.path().c_str(), 0755);
  for (const auto& entry : fs::directory_iterator(results.path())) CHECK(entry.path().extension() != ".tmp");
}

TEST_CASE("a missing results folder means no runs and is not created") {
  const TemporaryFolder folder;
  CHECK(RunIndex::open(folder.path() / "results").runs().empty());
  CHECK_FALSE(fs::exists(folder.path() / "results"));
}

TEST_CASE("a damaged run affects only itself") {
  const TemporaryFolder results;
  place_run(results.path(), swept_run(kId));
  const auto bad = place_run(results.path(), swept_run("2026-11-21_15-00-00-aaaaaa"));
  SECTION("its plan is not JSON") {
    write_file_unsynced(bad / "plan.json", "{\"schema\": 1, ");
    const auto index = RunIndex::open(results.path());
    REQUIRE(index.runs().size() == 2);
    CHECK_FALSE(index.runs()[0].readable);
    CHECK(index.runs()[0].problem != "");
    CHECK(index.runs()[1].readable);
    CHECK(index.values_of("test/accuracy").size() == 4);
  }
  SECTION("its config is not YAML") {
    write_file_unsynced(bad / "config.yaml", "a: [");
    const auto index = RunIndex::open(results.path());
    CHECK(index.runs()[0].problem != "");
    CHECK(index.values_of("test/accuracy").size() == 8);  // its numbers are still there
  }
  SECTION("a job's numbers are altered") {
    change_file(bad / "jobs/yat/seed=1,operator.epsilon=0.1/summary.json", "0.93", "0.99");
    const auto index = RunIndex::open(results.path());
    CHECK(index.runs()[0].problem != "");
    CHECK(index.runs()[0].states.at(JobState::kInterrupted) == 1);
    for (const auto& [group, values] : index.values_of("test/accuracy")) {
      for (const auto& [seed, value] : values) CHECK(value < 0.95);
    }
  }
  SECTION("its notes are invalid") {
    write_file_unsynced(bad / "notes.yaml", "- 1");
    const auto index = RunIndex::open(results.path());
    CHECK(index.runs()[0].problem != "");
    CHECK(index.runs()[0].states.at(JobState::kCompleted) == 12);
  }
  SECTION("a folder is in place of a file") {
    fs::remove(bad / "plan.json");
    fs::create_directories(bad / "plan.json");
    const auto index = RunIndex::open(results.path());
    CHECK(index.runs().size() == 2);
    CHECK_FALSE(index.runs()[0].readable);
  }
}

TEST_CASE("folders that are not runs are ignored") {
  const TemporaryFolder results;
  place_run(results.path(), swept_run(kId));
  fs::create_directories(results.path() / "paper/tables");
  fs::create_directories(results.path() / "sweep/.2026-11-21_16-00-00-bbbbbb.77.0.tmp");
  FakeRun::put(results.path() / "sweep/.2026-11-21_16-00-00-bbbbbb.77.0.tmp/plan.json", "{}");
  FakeRun::put(results.path() / "README.md", "");
  fs::create_directory_symlink("nowhere", results.path() / "gone");
  CHECK(RunIndex::open(results.path()).runs().size() == 1);
}

TEST_CASE("names with SQL, quotes or newlines are treated as data") {
  const TemporaryFolder results;
  auto fake = swept_run(kId);
  fake.experiment = "x'); DROP TABLE jobs; --";
  fake.jobs.resize(1);
  fake.jobs[0].arm = "a\"'; DELETE FROM runs; --\nb";
  fake.jobs[0].metrics = {{"m'); DROP TABLE metrics; --", 1.5}};
  fake.jobs[0].with_manifest = false;
  fake.arms = {fake.jobs[0].arm};
  fake.overrides = {"note='); DROP TABLE runs; --\n"};
  fake.write(results.path() / fake.experiment / "run\nwith 'newline'");
  for (int i = 0; i < 2; ++i) {
    const auto index = RunIndex::open(results.path());
    REQUIRE(index.runs().size() == 1);
    CHECK(index.runs()[0].id == "run\nwith 'newline'");
    CHECK(index.runs()[0].overrides == fake.overrides);
    const auto jobs = index.jobs(index.runs()[0]);
    REQUIRE(jobs.size() == 1);
    CHECK(jobs[0].arm == fake.jobs[0].arm);
    CHECK(index.values_of("m'); DROP TABLE metrics; --").size() == 1);
    CHECK(index.values_of("' OR 1=1 --").empty());
  }
}

TEST_CASE("non-finite values are distinguished from missing ones") {
  const TemporaryFolder results;
  auto fake = swept_run(kId);
  fake.jobs.resize(2);
  fake.jobs[0].metrics = {{"a", "nan"}, {"b", "inf"}, {"c", 1e300}};
  fake.jobs[1].metrics = {{"a", 1}, {"b", nullptr}};
  place_run(results.path(), fake);
  const auto index = RunIndex::open(results.path());
  const auto jobs = index.jobs(index.runs()[0]);
  CHECK(std::isnan(jobs[0].metrics.at("a")));
  CHECK(std::isinf(jobs[0].metrics.at("b")));
  CHECK(jobs[0].metrics.at("c") == 1e300);
  CHECK(jobs[0].metrics.count("d") == 0);
  CHECK(std::isnan(jobs[1].metrics.at("b")));
  const auto a = index.values_of("a").begin()->second, b = index.values_of("b").begin()->second;
  REQUIRE(a.size() == 2);
  CHECK(std::isnan(a[0].second));
  CHECK(a[1].second == 1);
  REQUIRE(b.size() == 2);
  CHECK((std::isinf(b[0].second) && std::isnan(b[1].second)));
}

TEST_CASE("settings come from the sweep, then the job's config, then the run's config") {
  const TemporaryFolder results;
  place_run(results.path(), swept_run(kId));
  const auto index = RunIndex::open(results.path());
  const auto values = [&](const std::string& key) {
    std::map<std::string, std::string> out;
    const auto found = index.settings_of(key);
    for (const auto& group : index.groups()) {
      if (found.count(group.key)) out[group.arm + " " + point_label(group.point)] = found.at(group.key);
    }
    return out;
  };
  using Map = std::map<std::string, std::string>;
  CHECK(values("operator") == Map{{"linear operator.epsilon=1e-5", "dot"},
                                  {"linear operator.epsilon=0.1", "dot"},
                                  {"yat operator.epsilon=1e-5", "yat"},
                                  {"yat operator.epsilon=0.1", "yat"}});
  CHECK(values("optimizer.lr").size() == 4);
  CHECK(values("optimizer").at("yat operator.epsilon=0.1") == "adam");
  CHECK(values("workers").at("linear operator.epsilon=0.1") == "2");  // the run's own
  CHECK(values("hidden").at("linear operator.epsilon=0.1") == "[64, 32]");
  CHECK(values("no.such.key").empty());
  const auto names = index.setting_names();
  CHECK(std::binary_search(names.begin(), names.end(), "operator.epsilon"));
  CHECK(std::binary_search(names.begin(), names.end(), "trainer.epochs"));
}

TEST_CASE("a run is superseded if a newer run has all its finished jobs") {
  const TemporaryFolder results;
  auto old = swept_run("2026-11-20_10-00-00-000000"), more = swept_run("2026-11-21_10-00-00-111111");
  old.jobs.resize(4);
  place_run(results.path(), old);
  place_run(results.path(), more);
  CHECK(RunIndex::open(results.path()).find("sweep/2026-11-20_10-00-00-000000")->superseded);
  CHECK_FALSE(RunIndex::open(results.path()).find("sweep/2026-11-21_10-00-00-111111")->superseded);
  old.jobs[3].hash = "another";
  place_run(results.path(), old);
  CHECK_FALSE(RunIndex::open(results.path()).find("sweep/2026-11-20_10-00-00-000000")->superseded);
}

TEST_CASE("concurrent processes never see an incomplete index") {
  const TemporaryFolder results;
  const auto run = place_run(results.path(), swept_run(kId));
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 15; ++i) {
        if (t == 0) change_notes(run, [&](RunNotes& notes) { notes.note = std::to_string(i); });
        const auto index = RunIndex::open(results.path());
        wrong += index.runs().size() != 1 || index.values_of("test/accuracy").size() != 4 || index.runs()[0].problem != "";
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(RunIndex::open(results.path()).runs()[0].note == "14");
}

TEST_CASE("numbers are compared by value") {
  CHECK(same_setting("1e-5", "0.00001"));
  CHECK(same_setting("1e-05", "1e-5"));
  CHECK(same_setting("64", "64.0"));
  CHECK(same_setting("[64,32]", "[64, 32]"));
  CHECK_FALSE(same_setting("64", "640"));
  CHECK_FALSE(same_setting("adam", "Adam"));
  CHECK_FALSE(same_setting("1e-5", "1e-6"));
  CHECK_FALSE(same_setting("", "0"));
}

}  // namespace
}  // namespace yatlab::testing

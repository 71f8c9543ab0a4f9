#include "plugins/wandb/log/run_log.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <thread>

#include "catch.h"
#include "core/base/error.h"
#include "core/base/file_calls.h"
#include "core/base/hash.h"
#include "failing_files.h"
#include "plugins/wandb/log/text.h"
#include "temporary_folder.h"
#include "trackers/wandb/environment.h"
#include "trackers/wandb/log_reader.h"

namespace yatlab::wandb {
namespace {

using testing::field;
using testing::read_fields;
using testing::read_items;
using testing::records_of;
using Row = std::vector<std::pair<std::string, double>>;

RunDescription description(const std::string& id = "abcd1234") {
  RunDescription d;
  d.id = id;
  d.project = "demo";
  d.config = {{"lr", 0.1}, {"operator", {{"name", "yat"}}}};
  return d;
}

std::string value_of(const std::vector<std::pair<std::string, std::string>>& items, const std::string& key) {
  std::string out;
  for (const auto& [k, v] : items) {
    if (k == key) out = v;
  }
  return out;
}

/// The steps of all rows in a log, in order.
std::vector<int> steps(const fs::path& log) {
  std::vector<int> out;
  for (const auto& row : records_of(log, 2)) out.push_back(std::stoi(value_of(read_items(row, 1), "_step")));
  return out;
}

/// The shortest PNG header with a size: 3 x 2.
const std::string kPng("\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR\0\0\0\x03\0\0\0\x02\x08", 25);

}  // namespace

TEST_CASE("a run's log has the records that readers need in order", "[wandb][run]") {
  const TemporaryFolder folder;
  fs::path path;
  {
    auto d = description();
    d.metadata = {{"os", "Linux"}};
    d.tags = {"a", "b"};
    d.git_commit = "c0de";
    d.program = "yatlab";
    RunLog log(folder.path() / "wandb", d);
    path = log.path();
    CHECK(log.folder().filename().string().size() == 28 + 8);
    CHECK(fs::read_symlink(folder.path() / "wandb/latest-run") == log.folder().filename());
    MetricDefinition epoch, accuracy;
    epoch.name = "epoch";
    log.define(epoch);
    accuracy.name = "test/accuracy";
    accuracy.step_metric = "epoch";
    accuracy.goal = MetricDefinition::Goal::kMaximize;
    accuracy.max = accuracy.best = accuracy.last = true;
    log.define(accuracy);
    log.define(accuracy);  // once is enough
    CHECK(log.history(0, Row{{"test/accuracy", 0.5}, {"epoch", 0}, {"loss", std::nan("")}}));
    CHECK(log.history(10, Row{{"test/accuracy", 0.9}, {"epoch", 1}, {"loss", HUGE_VAL}}));
    CHECK_FALSE(log.history(10, Row{{"loss", 1}}));  // steps must increase
    CHECK(log.history(20, Row{{"test/accuracy", 0.8}, {"epoch", 2}, {"loss", 0.25}}));
    log.system({{"cpu", 12.5}});
    log.console("epoch 1\nep");
    log.console("och \xE2");
    log.console("\xB5\x9F\n", false);
    log.console("bad \xC3(\n", true);
    log.summary("status", "completed");
    log.finish(7);
    log.console("after the end");
    CHECK_FALSE(log.history(30, Row{{"loss", 1}}));
  }
  const auto records = testing::read_log(read_file(path));
  std::vector<int> kinds;
  std::vector<std::string> slots;
  for (std::size_t i = 0; i < records.size(); ++i) {
    CHECK(field(records[i], 1) == std::to_string(i + 1));  // numbered without a gap
    for (const auto& [number, value] : read_fields(records[i])) {
      if (number != 1 && number != 16) kinds.push_back(number);
      // The official sync answers a run record if it requests an answer, and nothing else.
      CHECK((number == 16) == (number == 16 && !field(records[i], 17).empty()));
      if (number == 16) CHECK(read_fields(value).front() == std::pair<int, std::string>{1, "1"});
      if (number == 16) slots.push_back(field(value, 4));
    }
  }
  REQUIRE(kinds.size() > 8);
  CHECK(std::vector<int>(kinds.begin(), kinds.begin() + 7) == std::vector<int>{21, 17, 6, 12, 12, 11, 2});
  CHECK(std::vector<int>(kinds.end() - 4, kinds.end()) == std::vector<int>{3, 18, 20, 22});  // summary, exit, final, footer
  CHECK(std::count(kinds.begin(), kinds.end(), 17) == 1);
  REQUIRE(slots.size() == 1);
  CHECK(slots[0].size() == 12);

  const auto run = records_of(path, 17).front();
  CHECK(field(run, 1) == "abcd1234");
  CHECK(field(run, 3) == "demo");
  CHECK(!field(run, 17).empty());
  CHECK(field(field(run, 21), 2) == "c0de");
  const auto config = read_items(field(run, 4), 1);
  CHECK(config == std::vector<std::pair<std::string, std::string>>{{"lr", "0.1"}, {"operator", "{\"name\":\"yat\"}"}});

  const auto rows = records_of(path, 2);
  REQUIRE(rows.size() == 3);
  for (const auto& row : rows) {
    for (const auto& [number, item] : read_fields(row)) {
      if (number != 1) continue;
      CHECK(!field(item, 1).empty());  // a plain key: old readers give a path of one part no name
      CHECK(field(item, 2).empty());
    }
    CHECK(!value_of(read_items(row, 1), "_timestamp").empty());
    CHECK(!value_of(read_items(row, 1), "_runtime").empty());
    CHECK(!value_of(read_items(row, 1), "epoch").empty());
    CHECK(field(field(row, 2), 1) == (value_of(read_items(row, 1), "_step") == "0" ? "" : value_of(read_items(row, 1), "_step")));
  }
  CHECK(value_of(read_items(rows[0], 1), "loss") == "NaN");
  CHECK(value_of(read_items(rows[1], 1), "loss") == "Infinity");

  std::map<std::string, std::string> summary;
  for (const auto& record : records_of(path, 3)) {
    for (const auto& [key, value] : read_items(record, 1)) summary[key] = value;
  }
  CHECK(summary["test/accuracy"] == R"({"last":0.8,"max":0.9,"best":0.9})");
  CHECK(summary["loss"] == "0.25");
  CHECK(summary["_step"] == "20");
  CHECK(summary["_wandb"] == R"({"runtime":0})");
  CHECK(summary["status"] == "\"completed\"");
  const auto metric = records_of(path, 12).back();
  CHECK(field(metric, 4) == "epoch");
  CHECK(field(metric, 8) == "2");

  std::string out, error;
  for (const auto& record : records_of(path, 13)) (field(record, 1) == "1" ? out : error) += field(record, 3);
  CHECK(out == "epoch 1\nepoch \xE2\xB5\x9F\n");
  CHECK(error == "bad \xEF\xBF\xBD(\n");
  CHECK(field(records_of(path, 18).front(), 1) == "7");
  CHECK(has_ended(path.parent_path()));
  const auto metadata = nlohmann::json::parse(read_file(path.parent_path() / "files/wandb-metadata.json"));
  CHECK(metadata.at("os") == "Linux");
  CHECK(metadata.at("program") == "yatlab");
  CHECK(read_file(path.parent_path() / "files/output.log") == "epoch 1\nepoch \xE2\xB5\x9F\nbad \xEF\xBF\xBD(\n");
  // Telemetry: features known at the start, then further ones used; numbered as by the service.
  const auto features = [&](const std::string& telemetry) {
    std::vector<int> numbers;
    for (const auto& [number, value] : read_fields(field(telemetry, 3))) numbers.push_back(number);
    return numbers;
  };
  CHECK(features(field(run, 19)) == std::vector<int>{14, 15, 16, 57, 61, 62});
  CHECK(field(field(run, 19), 5).rfind("yatlab ", 0) == 0);
  CHECK(field(field(run, 19), 13).rfind("linux-", 0) == 0);
  REQUIRE(records_of(path, 11).size() == 1);
  CHECK(features(records_of(path, 11).front()) == std::vector<int>{7, 14, 15, 16, 57, 61, 62, 63, 64, 66});
}

TEST_CASE("images, tables and artifacts are copied under the official names", "[wandb][run]") {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "weights.bin") << "weights";
  std::ofstream(folder.path() / "readme.txt") << "read me";
  RunLog log(folder.path() / "wandb", description());
  const auto image = log.image("val/../x", 5, kPng, "a caption");
  CHECK(image.at("path") == "media/images/val/_/x_5_" + sha256(kPng).substr(0, 20) + ".png");
  CHECK(image.at("width") == 3);
  CHECK(image.at("height") == 2);
  CHECK(read_file(log.folder() / "files" / image.at("path").get<std::string>()) == kPng);
  CHECK_THROWS_WITH(log.image("x", 0, "GIF89a", ""), "an image is not a PNG");
  Json rows = Json::array();
  for (int i = 0; i < 10003; ++i) rows.push_back({i, "x"});
  const auto table = log.table("t", 5, {"a", "b"}, rows);
  CHECK(table.at("nrows") == 10000);
  const auto bytes = read_file(log.folder() / "files" / table.at("path").get<std::string>());
  CHECK(table.at("sha256") == sha256(bytes));
  CHECK(table.at("size") == bytes.size());
  CHECK(Json::parse(bytes).at("data").at(9999) == Json({9999, "x"}));
  CHECK(log.history(5, Json{{"val/../x", image}, {"t", table}}));

  log.artifact("model", "a model:1", {{"weights.bin", folder.path() / "weights.bin"}, {"docs/readme.txt", folder.path() / "readme.txt"}},
               {{"seed", 3}}, {"best"});
  const auto artifact = records_of(log.path(), 8).back();  // after the table's
  CHECK(field(artifact, 5) == "a-model-1");
  // By hand: the digest hashes a text of the base64 MD5s, with files sorted by name.
  const auto text =
      "wandb-artifact-manifest-v1\ndocs/readme.txt:" + base64(md5("read me")) + "\nweights.bin:" + base64(md5("weights")) + "\n";
  CHECK(field(artifact, 6) == hex(md5(text)));
  CHECK(field(artifact, 15).size() == 128);
  CHECK(field(artifact, 9).empty());  // made by the run, so that it shows as its output
  std::vector<std::string> aliases, copies;
  for (const auto& [number, value] : read_fields(artifact)) {
    if (number == 11) aliases.push_back(value);
  }
  CHECK(aliases == std::vector<std::string>{"latest", "best"});
  for (const auto& [number, entry] : read_fields(field(artifact, 12))) {
    if (number == 4) copies.push_back(field(entry, 6));
  }
  REQUIRE(copies.size() == 2);
  for (const fs::path copy : copies) {  // never the user's own file
    CHECK(copy.is_absolute());
    CHECK(copy.parent_path().parent_path() == fs::absolute(folder.path() / "wandb/artifact-staging"));
    CHECK(fs::hard_link_count(copy) == 1);
  }
  CHECK(read_file(copies[0]) == "read me");
  CHECK(fs::exists(folder.path() / "weights.bin"));
}

TEST_CASE("a table is also an artifact that its value refers to", "[wandb][run]") {
  const TemporaryFolder folder;
  RunLog log(folder.path() / "wandb", description());
  const auto table = log.table("tables/a b", 5, {"n", "s", "m", "e"}, {{1, "x", 1, nullptr}, {2.5, nullptr, "y", nullptr}});
  const auto artifact = records_of(log.path(), 8).front();
  CHECK(field(artifact, 4) == "run_table");
  // The official client's name for this one: invalid characters are dropped, and a checksum is appended.
  CHECK(field(artifact, 5) == "run-abcd1234-tablesab-YtSVqQ");
  CHECK(field(artifact, 9).empty());  // made by the run
  CHECK(table.at("artifact_path") == "wandb-client-artifact://" + field(artifact, 15) + "/tables/a b.table.json");
  CHECK(table.at("_latest_artifact_path") == "wandb-client-artifact://" + field(artifact, 16) + ":latest/tables/a b.table.json");
  std::string entry;
  for (const auto& [number, value] : read_fields(field(artifact, 12))) {
    if (number == 4) entry = value;
  }
  CHECK(field(entry, 1) == "tables/a b.table.json");
  const auto bytes = read_file(field(entry, 6));
  CHECK(field(entry, 2) == base64(md5(bytes)));
  CHECK(field(artifact, 6) == hex(md5("wandb-artifact-manifest-v1\ntables/a b.table.json:" + base64(md5(bytes)) + "\n")));
  const auto content = Json::parse(bytes);
  CHECK(content.at("_type") == "table");
  CHECK(content.at("nrows") == 2);
  CHECK(content.at("data").at(1).at(0) == 2.5);
  CHECK(
      content.at("column_types").dump() ==
      R"({"params":{"type_map":{"n":{"wb_type":"number"},"s":{"params":{"allowed_types":[{"wb_type":"none"},{"wb_type":"string"}]},"wb_type":"union"},)"
      R"("m":{"params":{"allowed_types":[{"wb_type":"any"},{"wb_type":"none"}]},"wb_type":"union"},"e":{"wb_type":"none"}}},"wb_type":"typedDict"})");
}

TEST_CASE("data sets used by runs have one version for the same files", "[wandb][run]") {
  const TemporaryFolder folder;
  InputArtifact data;
  data.type = "dataset";
  data.name = "mnist";
  data.files = {{"test.gz", "https://example.org/test.gz", std::string(64, 'b'), 20},
                {"a.gz", "https://example.org/a.gz", std::string(64, 'a'), 10}};
  data.metadata = {{"license", "CC"}};
  data.aliases = {"v2"};
  std::vector<std::string> artifacts;
  for (const char* id : {"run1", "run2", "run3"}) {
    if (std::string(id) == "run3") data.files[0].sha256[0] = 'c';
    fs::path path;
    for (int part = 0; part < 2; ++part) {  // the second continues the first
      RunLog log(folder.path(), description(id));
      path = log.path();
      log.input(data);
      log.input(data);
    }
    REQUIRE(records_of(path, 8).size() == 1);  // once is enough
    artifacts.push_back(records_of(path, 8).front());
  }
  const auto& a = artifacts[0];
  const auto text = "wandb-artifact-manifest-v1\na.gz:" + std::string(64, 'a') + "\ntest.gz:" + std::string(64, 'b') + "\n";
  CHECK(field(a, 6) == hex(md5(text)));
  CHECK(field(a, 9) == "1");
  CHECK(field(a, 10) == "1");
  CHECK(field(a, 15).size() == 128);
  for (const int same : {4, 5, 6, 8, 12, 15, 16}) CHECK(field(a, same) == field(artifacts[1], same));
  CHECK(field(a, 15) != field(artifacts[2], 15));
  CHECK(field(a, 6) != field(artifacts[2], 6));
  CHECK(field(a, 16) == field(artifacts[2], 16));
  std::vector<std::string> entries;
  for (const auto& [number, value] : read_fields(field(a, 12))) {
    if (number == 4) entries.push_back(value);
  }
  REQUIRE(entries.size() == 2);
  CHECK(field(entries[1], 3) == "https://example.org/test.gz");
  CHECK(field(entries[1], 2) == std::string(64, 'b'));
  CHECK(field(entries[1], 4) == "20");
  CHECK(field(entries[1], 6).empty());  // nothing to upload
}

TEST_CASE("histograms, HTML and alerts are logged", "[wandb][run]") {
  const TemporaryFolder folder;
  CHECK(RunLog::histogram({0, 1, 2.5}, {3, 4}).dump() == R"({"_type":"histogram","values":[3.0,4.0],"bins":[0.0,1.0,2.5]})");
  std::vector<double> edges{0}, counts;
  for (int i = 1; i <= 1025; ++i) edges.push_back(i), counts.push_back(1);
  const auto merged = RunLog::histogram(edges, counts);  // 342 bins: 341 of three, one of two
  REQUIRE(merged.at("values").size() == 342);
  CHECK(merged.at("values").at(0) == 3.0);
  CHECK(merged.at("values").at(341) == 2.0);
  CHECK(merged.at("bins").size() == 343);
  CHECK(merged.at("bins").at(342) == 1025.0);
  counts.resize(512);
  edges.resize(513);
  CHECK(RunLog::histogram(edges, counts).at("values").size() == 512);
  CHECK_THROWS_WITH(RunLog::histogram({0, 1}, {1, 2}), Catch::Matchers::ContainsSubstring("one more edge than counts"));
  CHECK_THROWS_WITH(RunLog::histogram({0, std::nan("")}, {1}), Catch::Matchers::ContainsSubstring("finite"));

  RunLog log(folder.path(), description());
  const auto page = log.html("pages/a", 7, "<p>x</p>");
  const auto hash = sha256("<p>x</p>");
  CHECK(page.dump() ==
        R"({"_type":"html-file","sha256":")" + hash + R"(","size":8,"path":"media/html/pages/a_7_)" + hash.substr(0, 20) + R"(.html"})");
  CHECK(read_file(log.folder() / "files" / page.at("path").get<std::string>()) == "<p>x</p>");
  log.alert("diverged", "loss is NaN", AlertLevel::kError);
  const auto alert = records_of(log.path(), 10).front();
  CHECK(field(alert, 1) == "diverged");
  CHECK(field(alert, 2) == "loss is NaN");
  CHECK(field(alert, 3) == "ERROR");
  CHECK(field(alert, 4) == "60000");
}

TEST_CASE("an unfinished log is continued and a finished one is not", "[wandb][run][resume]") {
  const TemporaryFolder folder;
  fs::path first;
  {
    RunLog log(folder.path(), description());
    first = log.path();
    MetricDefinition loss;
    loss.name = "loss";
    loss.goal = MetricDefinition::Goal::kMinimize;
    loss.min = loss.last = true;
    log.define(loss);
    for (int i = 0; i < 5; ++i) log.history(i, Row{{"loss", 5.0 - i}});
    log.flush();
  }
  std::ofstream(first, std::ios::app | std::ios::binary) << "half a record";
  {
    RunLog log(folder.path(), description());
    CHECK(log.continued());
    CHECK(log.path() == first);
    CHECK(log.last_step() == 4);
    CHECK_FALSE(log.history(3, Row{{"loss", 9}}));  // repeated after a checkpoint
    CHECK(log.history(5, Row{{"loss", 7}}));
    log.finish(0);
  }
  CHECK(steps(first) == std::vector<int>{0, 1, 2, 3, 4, 5});
  CHECK(records_of(first, 17).size() == 1);
  std::string loss;
  for (const auto& record : records_of(first, 3)) {
    if (const auto value = value_of(read_items(record, 1), "loss"); !value.empty()) loss = value;
  }
  CHECK(loss == R"({"last":7,"min":1})");  // over both parts
  RunLog again(folder.path(), description());
  CHECK_FALSE(again.continued());
  CHECK(again.id() == "abcd1234-2");
  CHECK(again.last_step() == -1);
  CHECK(again.path() != first);
}

TEST_CASE("the log of a killed writer is continued without loss or repetition", "[wandb][run][crash]") {
  const TemporaryFolder folder;
  const int kills = 8;
  for (int kill = 0; kill < kills; ++kill) {
    const pid_t child = ::fork();
    if (child == 0) {
      RunLog log(folder.path(), description());
      const std::string text(20000, 'x');  // records that cross block boundaries
      for (std::int64_t step = log.last_step() + 1;; ++step) {
        log.history(step, Row{{"loss", static_cast<double>(step)}});
        if (step % 7 == 0) log.console(text + "\n");
      }
    }
    // Until it has written a record.
    const auto size = [&] {
      const auto run = find_run(folder.path(), "abcd1234");
      std::error_code none;
      const auto n = run.empty() ? 0 : fs::file_size(run / "run-abcd1234.wandb", none);
      return none ? 0 : n;
    };
    const auto before = size();
    while (size() < before + 100000) ::usleep(100);
    ::usleep(static_cast<useconds_t>(kill * 333));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
  }
  RunLog log(folder.path(), description());
  CHECK(log.continued());
  log.finish(0);
  const auto all = steps(log.path());
  REQUIRE(all.size() > 100);
  for (std::size_t i = 0; i < all.size(); ++i) REQUIRE(all[i] == static_cast<int>(i));
}

TEST_CASE("a full disk leaves no partial record and the log can be continued", "[wandb][run][crash]") {
  const TemporaryFolder folder;
  RunLog log(folder.path(), description());
  REQUIRE(log.history(1, Row{{"a", 1}}));
  for (std::size_t room = 0; room < 30; ++room) {
    yatlab::testing::FullDisk calls(room);
    const FileCallsReplaced replaced(calls);
    try {
      log.history(2, Row{{"a", 2}});
      FAIL("no error");
    } catch (const Error& e) {
      CHECK(e.kind() == ErrorKind::kFile);
      CHECK(e.hint() == "free some disk space and run the same command again");
    }
  }
  {
    yatlab::testing::FullDisk calls(1000);
    const FileCallsReplaced replaced(calls);
    write_file_atomic(folder.path() / "small", "x");
    CHECK_THROWS_AS(log.artifact("model", "m", {{"a", folder.path() / "small"}, {"b", log.path()}}, nullptr, {}), Error);
    CHECK(fs::is_empty(folder.path() / "artifact-staging"));
  }
  log.history(3, Row{{"a", 3}});
  log.finish(0);
  std::string record;
  LogReader reader(log.path());
  while (reader.next(record) == LogReader::Result::kRecord) {
  }
  CHECK(reader.next(record) == LogReader::Result::kEnd);
  CHECK(has_ended(log.folder()));
}

TEST_CASE("media names cannot leave the folder or exceed the file name limit", "[wandb][run][security]") {
  const TemporaryFolder folder;
  RunLog log(folder.path(), description());
  const auto inside = fs::canonical(log.folder()) / "files/media";
  for (const std::string& key :
       {std::string("../../../../up"), std::string("/etc/passwd"), std::string("a/../../b"), std::string(5000, 'n'), std::string(50, '/'),
        std::string("zero\0byte\x1b[2J", 13), std::string("\xe2\xb5\x9f") + std::string(159, 'x') + "\xe2\xb5\x9f"}) {
    INFO(key);
    const auto path = fs::canonical(log.folder() / "files" / log.image(key, 1, kPng, "").at("path").get<std::string>());
    CHECK(path.lexically_relative(inside).begin()->string() == "images");
    CHECK(fs::canonical(log.folder() / "files" / log.html(key, 1, "x").at("path").get<std::string>())
              .lexically_relative(inside)
              .begin()
              ->string() == "html");
    log.table(key, 1, {"a"}, Json::array());
    log.artifact(key, key, {{key, log.path()}}, nullptr, {});
  }
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    CHECK(entry.path().filename().string().find_first_of("\x1b\n") == std::string::npos);
  }
  CHECK(entries_of(folder.path()).size() == 3);  // the run, latest-run, artifact-staging
}

TEST_CASE("a log truncated after its exit record is finished and completed", "[wandb][run][crash]") {
  const TemporaryFolder folder;
  fs::path path, run;
  {
    RunLog log(folder.path(), description());
    log.history(1, Row{{"a", 1}});
    log.finish(0);
    path = log.path();
    run = log.folder();
  }
  const auto whole = read_file(path);
  std::vector<std::uint64_t> ends;  // of records
  LogReader reader(path);
  for (std::string record; reader.next(record) == LogReader::Result::kRecord;) ends.push_back(reader.position());
  REQUIRE(records_of(path, 18).size() == 1);
  for (std::size_t cut = 1; cut <= 4; ++cut) {  // footer, final, exit, the record before them
    for (const std::uint64_t more : {0, 3}) {
      INFO(cut << " records cut, " << more << " bytes of the next left");
      write_file_atomic(path, whole.substr(0, ends[ends.size() - 1 - cut] + more));
      CHECK(has_ended(run) == (cut <= 2));
      if (cut <= 2) CHECK(read_file(path) == whole);
    }
  }
}

TEST_CASE("many threads write one log", "[wandb][run][threads]") {
  const TemporaryFolder folder;
  RunLog log(folder.path(), description());
  std::atomic<std::int64_t> next{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        log.history(next++, Row{{"loss", 1}});
        log.console("line\n");
        log.system({{"cpu", 1}});
      }
    });
  }
  for (auto& t : threads) t.join();
  log.finish(0);
  const auto all = steps(log.path());
  CHECK(std::is_sorted(all.begin(), all.end()));
  CHECK(std::set<int>(all.begin(), all.end()).size() == all.size());
  CHECK(records_of(log.path(), 13).size() == 2000);
  CHECK(records_of(log.path(), 7).size() == 2000);
}

TEST_CASE("the API key is removed from texts in the log", "[wandb][run][security]") {
  const TemporaryFolder folder;
  const auto key = std::make_shared<Secret>(testing::kKey);
  auto d = description();
  d.config["token"] = "x" + testing::kKey;
  d.notes = testing::kKey;
  d.metadata = {{"args", {testing::kKey}}};
  RunLog log(folder.path(), d, key);
  log.console("export WANDB_API_KEY=" + testing::kKey + "\n");
  log.summary("why", testing::kKey);
  log.table("t", 0, {testing::kKey}, Json::array({{testing::kKey}}));
  log.finish(0);
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    if (!entry.is_regular_file()) continue;
    INFO(entry.path());
    CHECK(read_file(entry.path()).find(testing::kKey) == std::string::npos);
  }
  CHECK(read_file(log.path()).find("***") != std::string::npos);
}

}  // namespace yatlab::wandb

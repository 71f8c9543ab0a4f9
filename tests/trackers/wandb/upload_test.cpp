#include "plugins/wandb/log/upload.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <fstream>
#include <mutex>
#include <regex>
#include <set>
#include <thread>

#include "catch.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/system/file_lock.h"
#include "holds.h"
#include "plugins/wandb/log/log_file.h"
#include "plugins/wandb/log/records.h"
#include "plugins/wandb/log/run_log.h"
#include "plugins/wandb/log/sync.h"
#include "plugins/wandb/log/text.h"
#include "plugins/wandb/log/uploader.h"
#include "temporary_folder.h"
#include "trackers/wandb/environment.h"
#include "trackers/wandb/server.h"

namespace yatlab::wandb {
namespace {

using testing::CleanEnvironment;
using testing::holds;
using testing::kKey;
using testing::WandbServer;
using Row = std::vector<std::pair<std::string, double>>;
using Strings = std::vector<std::string>;

UploadOptions fast() {
  UploadOptions o;
  o.settle_seconds = 0;
  o.post_seconds = 0.02;
  o.hold_seconds = 0.2;
  o.file_patience = 0.5;
  o.full_seconds = 0;
  o.heartbeat_seconds = 0.1;
  o.retry_seconds = 0.02;
  o.longest_retry = 0.1;
  return o;
}

Settings settings_for(const WandbServer& server) {
  Settings s;
  s.mode = Mode::kOnline;
  s.base_url = server.url();
  s.key = std::make_shared<Secret>(kKey);
  return s;
}

RunDescription grouped_run(const std::string& id = "abcd1234") {
  RunDescription d;
  d.id = id;
  d.project = "demo";
  d.group = "xor";
  d.job_type = "yat";
  d.name = "yat seed=0";
  d.tags = {"t"};
  d.config = {{"lr", 0.1}};
  return d;
}

MetricDefinition metric_named(const std::string& name) {
  MetricDefinition out;
  out.name = name;
  return out;
}

/// A complete run with rows 0 .. rows-1, or its beginning.
fs::path write_run(const fs::path& folder, int rows, bool end = true, const std::string& id = "abcd1234") {
  RunLog log(folder, grouped_run(id));
  if (!log.continued()) {
    log.define(metric_named("epoch"));
    auto accuracy = metric_named("acc");
    accuracy.step_metric = "epoch";
    accuracy.goal = MetricDefinition::Goal::kMaximize;
    accuracy.max = accuracy.last = true;
    log.define(accuracy);
  }
  for (auto i = log.last_step() + 1; i < rows; ++i) {
    log.history(i, Row{{"acc", 0.5 + static_cast<double>(i)}, {"epoch", static_cast<double>(i)}});
    log.console("line " + std::to_string(i) + "\n");
  }
  log.system({{"cpu", 50}});
  log.flush();
  if (end) log.finish(0);
  return log.path();
}

struct PaperExpectation {
  std::vector<std::string> lines;
  mutable std::mutex mutex;
  void add(const std::string& text) {
    const std::lock_guard lock(mutex);
    lines.push_back(text);
  }
  std::string all() const {
    const std::lock_guard lock(mutex);
    std::string out;
    for (const auto& l : lines) out += l + "\n";
    return out;
  }
};

SyncOutcome do_sync(const std::vector<fs::path>& logs, const Settings& settings, PaperExpectation& said, double patience = 5,
                    UploadOptions upload = fast(), bool again = false) {
  SyncOptions options;
  options.again = again;
  options.upload = std::move(upload);
  options.patience = patience;
  options.say = [&](const std::string& text) { said.add(text); };
  return sync(logs, settings, options);
}

/// Steps of the rows on the server, in order of their lines.
std::vector<int> steps(const WandbServer::State& state) {
  std::vector<int> out;
  const auto it = state.stream.find("wandb-history.jsonl");
  if (it == state.stream.end()) return out;
  for (const auto& [offset, line] : it->second) out.push_back(nlohmann::json::parse(line).at("_step"));
  return out;
}

std::vector<int> up_to(int n) {
  std::vector<int> out;
  for (int i = 0; i < n; ++i) out.push_back(i);
  return out;
}

int most_often_sent(const WandbServer::State& state, const std::string& file) {
  int out = 0;
  for (const auto& [line, times] : state.times) {
    if (line.rfind(file + ":", 0) == 0) out = std::max(out, times);
  }
  return out;
}

template <class Condition>
bool becomes_true(const Condition& condition, double seconds = 10) {
  const double end = steady_now() + seconds;
  while (!condition()) {
    if (steady_now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace

TEST_CASE("a log is uploaded completely with rows, summary, console, config and files", "[wandb][upload]") {
  const TemporaryFolder folder;
  WandbServer server;
  fs::path path;
  std::string image;
  {
    auto d = grouped_run();
    d.metadata = {{"os", "Linux"}};
    d.program = "train.sh";
    RunLog log(folder.path(), d);
    path = log.path();
    log.define(metric_named("epoch"));
    auto accuracy = metric_named("acc");
    accuracy.step_metric = "epoch";
    accuracy.goal = MetricDefinition::Goal::kMaximize;
    accuracy.max = accuracy.best = true;
    log.define(accuracy);
    log.history(0, Row{{"acc", std::nan("")}, {"epoch", 0}});
    log.history(1, Row{{"acc", 0.5}, {"epoch", 1}});
    const auto value = log.image("fig", 2, std::string("\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR\0\0\0\x03\0\0\0\x02\x08", 25), "");
    image = value.at("path");
    log.history(2, Json{{"fig", value}});
    log.system({{"cpu", 12.5}});
    log.console("progress 1\rprogress 2\nunfinished");
    log.console("oops\n", true);
    std::ofstream(folder.path() / "w.bin") << "weights";
    log.artifact("model", "m", {{"w.bin", folder.path() / "w.bin"}, {"known.bin", folder.path() / "w.bin"}}, nullptr, {});
    log.finish(7);
  }
  PaperExpectation said;
  auto patient = fast();
  patient.hold_seconds = 60;  // the rows wait for the files however slow the machine is
  const auto done = do_sync({path}, settings_for(server), said, 60, patient);
  CHECK(done.uploaded == 1);
  CHECK(said.all() ==
        path.parent_path().filename().string() + ": 3 rows, 5 files, 1 artifact -> " + server.url() + "/ent/demo/runs/abcd1234\n");
  const auto state = server.state();
  CHECK(state.run.at("name") == "abcd1234");
  CHECK(state.run.at("project") == "demo");
  CHECK(state.run.at("groupName") == "xor");
  CHECK(state.run.at("jobType") == "yat");
  CHECK(state.run.at("tags") == Json({"t"}));
  const auto config = Json::parse(state.run.at("config").get<std::string>());
  CHECK(config.at("lr") == Json::parse(R"({"value":0.1})"));
  const auto& own = config.at("_wandb").at("value");
  CHECK(own.at("m") == Json::parse(R"([{"1":"epoch","6":[3]},{"1":"acc","5":1,"6":[1,3],"7":[2,4],"8":2}])"));
  CHECK(own.at("t").at("3") == Json({7, 13, 14, 15, 16, 57, 61, 62, 63, 64, 66}));
  CHECK(own.at("t").at("5").get<std::string>().rfind("yatlab ", 0) == 0);
  CHECK(own.at("t").at("13").get<std::string>().rfind("linux-", 0) == 0);
  CHECK(own.at("cli_version") == own.at("t").at("5"));
  CHECK(state.run.at("program") == "train.sh");
  const auto rows = state.lines("wandb-history.jsonl");
  CHECK(rows.find("\"acc\":NaN") != std::string::npos);
  CHECK(rows.find("\"acc\":0.5") != std::string::npos);
  CHECK(rows.find("\"_type\":\"image-file\"") != std::string::npos);
  CHECK(holds(state.lines("wandb-events.jsonl"), "\"system.cpu\":12.5,\"_wandb\":true,\"_timestamp\":"));
  const auto console = state.lines("output.log");
  CHECK(holds(console, " progress 2\n"));
  CHECK_FALSE(holds(console, "progress 1"));
  CHECK(holds(console, " unfinished\n"));
  CHECK(holds(console, "ERROR 20"));
  const auto summary = Json::parse(state.lines("wandb-summary.json"));
  CHECK(summary.at("acc") == Json::parse(R"({"max":0.5,"best":0.5})"));
  CHECK(summary.at("_wandb").at("runtime") == 0);
  CHECK(state.files.at(image) == read_file(path.parent_path() / "files" / image));
  CHECK(state.files.at("wandb-metadata.json") == read_file(path.parent_path() / "files/wandb-metadata.json"));
  CHECK(Json::parse(state.files.at("config.yaml")).contains("lr"));
  CHECK(Json::parse(state.files.at("wandb-summary.json")) == summary);
  CHECK(state.files.at("output.log") == "progress 2\noops\nunfinished\n");
  // One request each to create the run, to get upload addresses, and for all rows and the end.
  CHECK(state.count("UpsertBucket") == 1);
  CHECK(state.count("RunResumeStatus") == 0);
  CHECK(state.count("CreateRunFiles") == 1);
  CHECK(state.runs.at("abcd1234").posts == 1);
  CHECK(state.files.at("artifact/w.bin") == "weights");
  CHECK(Json::parse(state.files.at("manifest")).at("contents").at("w.bin").at("digest") == base64(md5("weights")));
  const auto contents = Json::parse(state.files.at("manifest")).at("contents");
  CHECK(contents.at("w.bin").at("birthArtifactID") == "A:" + state.run.at("artifact").at("clientID").get<std::string>());
  CHECK(contents.at("known.bin").at("birthArtifactID") == "A:earlier");  // not uploaded again
  CHECK(state.files.count("artifact/known.bin") == 0);
  CHECK(state.run.at("artifact").at("runName") == "abcd1234");
  CHECK(state.count("CommitArtifact") == 1);
  CHECK(std::find(state.uploaded.begin(), state.uploaded.end(), image) != state.uploaded.end());
  CHECK(state.complete);
  CHECK(state.exit_code == 7);
  CHECK_FALSE(state.gaps);
  CHECK(fs::exists(path.string() + ".synced"));
  CHECK(fs::exists(folder.path() / "w.bin"));  // the user's own
  CHECK(fs::is_empty(folder.path() / "artifact-staging"));
  // A second sync sends nothing.
  const auto requests = state.requests.size();
  CHECK(do_sync({path}, settings_for(server), said).done_before == 1);
  CHECK(server.state().requests.size() == requests);
}

TEST_CASE("a foreign log can only upload files of its own folder and no links", "[wandb][upload][security]") {
  const TemporaryFolder folder;
  WandbServer server;
  const auto secret = folder.path() / "secret", precious = folder.path() / "elsewhere/artifact-staging/x/precious";
  fs::create_directories(precious.parent_path());
  std::ofstream(secret) << "do not send";
  std::ofstream(precious) << "do not remove";
  fs::path path;
  {
    RunLog log(folder.path() / "wandb", grouped_run());
    path = log.path();
    log.image("fig", 0, std::string("\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR\0\0\0\x03\0\0\0\x02\x08", 25), "");
    for (const char* name : {"outside", "staged", "linked", "fine"}) log.artifact("model", name, {{"w.bin", secret}}, nullptr, {});
    log.finish(0);
  }
  // A malicious log: other paths in its records, links in the place of files.
  const auto hostile = path.parent_path() / "run-hostile.wandb";
  {
    LogReader reader(path);
    auto writer = LogWriter::create(hostile);
    for (std::string bytes; reader.next(bytes) == LogReader::Result::kRecord;) {
      pb::Record record;
      REQUIRE(record.ParseFromString(bytes));
      if (record.has_artifact()) {
        auto& entry = *record.mutable_artifact()->mutable_manifest()->mutable_contents(0);
        const auto& name = record.artifact().name();
        if (name == "outside") entry.set_local_path(secret.string());
        if (name == "staged") entry.set_local_path(precious.string());
        if (name == "linked") fs::remove(entry.local_path()), fs::create_symlink(secret, entry.local_path());
        if (name == "fine") std::ofstream(entry.local_path()) << "do send it";
      }
      writer.append(record.SerializeAsString());
    }
  }
  fs::remove(path);
  for (const auto& file : fs::recursive_directory_iterator(path.parent_path() / "files/media")) {
    if (file.is_regular_file()) fs::remove(file.path()), fs::create_symlink(secret, file.path());
  }
  PaperExpectation said;
  do_sync({hostile}, settings_for(server), said);
  const auto text = said.all();
  CHECK(holds(text, "artifact 'outside' contains files outside the run's folder"));
  CHECK(holds(text, "artifact 'staged' contains files outside the run's folder"));
  CHECK(holds(text, "artifact 'linked' contains files outside the run's folder"));
  CHECK(holds(text, ".png' is a link, or not a file in the run's folder: not uploaded"));
  const auto state = server.state();
  for (const auto& [name, bytes] : state.files) CHECK_FALSE(holds(bytes, "do not send"));
  CHECK(state.files.at("artifact/w.bin") == "do send it");
  CHECK(read_file(precious) == "do not remove");
  CHECK(read_file(secret) == "do not send");
}

TEST_CASE("the key travels in one header to one server, and never with a file", "[wandb][upload][security]") {
  const bool elsewhere = GENERATE(true, false);
  const TemporaryFolder folder;
  WandbServer server, storage;
  WandbServer::Faults faults;
  if (elsewhere) faults.put_base = "http://localhost:" + storage.url().substr(storage.url().rfind(':') + 1);
  server.set(faults);
  std::ofstream(folder.path() / "w.bin") << std::string(200000, 'w');
  const auto path = write_run(folder.path(), 3, false);
  {
    RunLog log(folder.path(), grouped_run());
    log.artifact("model", "m", {{"w.bin", folder.path() / "w.bin"}}, nullptr, {});
    log.finish(0);
  }
  PaperExpectation said;
  REQUIRE(do_sync({path}, settings_for(server), said).uploaded == 1);
  const auto basic = "Authorization: Basic " + base64("api:" + kKey);
  int puts = 0;
  for (const auto& requests : {server.state().requests, storage.state().requests}) {
    for (const auto& request : requests) {
      CHECK_FALSE(holds(request.head + request.body, kKey));
      if (request.method != "PUT") {
        CHECK(holds(request.head, basic));
        CHECK(holds(request.head, "Content-Type: application/json\r\n"));
        continue;
      }
      // Signed addresses get exactly the headers that the server gave.
      ++puts;
      CHECK_FALSE(holds(lower(request.head), "authorization"));
      CHECK_FALSE(holds(lower(request.head), "content-type"));
      CHECK_FALSE(holds(lower(request.head), "transfer-encoding"));
      if (!holds(request.path, "artifact") && !holds(request.path, "manifest")) CHECK(holds(request.head, "X-Signed: yes\r\n"));
    }
  }
  CHECK(puts == 5);  // console, summary, config; artifact and manifest
  CHECK((elsewhere ? storage : server).state().files.at("artifact/w.bin") == std::string(200000, 'w'));
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    if (!entry.is_regular_file()) continue;
    CHECK_FALSE(holds(read_file(entry.path()), kKey));
    CHECK_FALSE(holds(read_file(entry.path()), base64("api:" + kKey)));
  }
  CHECK_FALSE(holds(said.all(), kKey));
}

TEST_CASE("a file is uploaded with the headers requested by the server", "[wandb][upload]") {
  const TemporaryFolder folder;
  WandbServer server;
  WandbServer::Faults faults;
  faults.put_headers = {"Content-Type: image/png", "Authorization: Bearer of-the-storage"};
  server.set(faults);
  const auto path = write_run(folder.path(), 3);
  PaperExpectation said;
  REQUIRE(do_sync({path}, settings_for(server), said).uploaded == 1);
  int puts = 0;
  for (const auto& request : server.state().requests) {
    if (request.method != "PUT") continue;
    ++puts;
    CHECK(holds(request.head, "Content-Type: image/png\r\n"));
    CHECK(holds(request.head, "Authorization: Bearer of-the-storage\r\n"));
  }
  CHECK(puts == 3);
}

TEST_CASE("a server that redirects uploads to an unencrypted address is rejected", "[wandb][upload][security]") {
  const TemporaryFolder folder;
  WandbServer server;
  WandbServer::Faults faults;
  faults.put_base = "http://192.0.2.1";
  server.set(faults);
  const auto path = write_run(folder.path(), 3);
  PaperExpectation said;
  CHECK(do_sync({path}, settings_for(server), said).uploaded == 1);  // everything except the files
  CHECK(holds(said.all(), "refused to send data unencrypted to 'http://192.0.2.1'"));
  CHECK(holds(said.all(), "3 rows, 0 files, 3 refused"));
}

TEST_CASE("requests are retried after 429 and 5xx without loss or repetition", "[wandb][upload][faults]") {
  const TemporaryFolder folder;
  WandbServer server;
  WandbServer::Faults faults;
  faults.stream_statuses = {503, 429, 500, 502};
  server.set(faults);
  const auto path = write_run(folder.path(), 50);
  PaperExpectation said;
  CHECK(do_sync({path}, settings_for(server), said).uploaded == 1);
  const auto state = server.state();
  CHECK(steps(state) == up_to(50));
  CHECK(most_often_sent(state, "wandb-history.jsonl") == 1);
  CHECK(state.complete);
}

TEST_CASE("an HTML answer of a gateway causes a retry", "[wandb][upload][faults]") {
  const TemporaryFolder folder;
  WandbServer server;
  WandbServer::Faults faults;
  faults.html = 2;
  server.set(faults);
  const auto path = write_run(folder.path(), 5);
  PaperExpectation said;
  CHECK(do_sync({path}, settings_for(server), said).uploaded == 1);
  CHECK(steps(server.state()) == up_to(5));
}

TEST_CASE("rejected files do not stop other uploads and are sent on the next sync", "[wandb][upload][faults]") {
  const TemporaryFolder folder;
  WandbServer server;
  WandbServer::Faults faults;
  SECTION("by the storage") {
    faults.put_statuses = {{"", 403}};
    server.set(faults);
  }
  SECTION("by W&B") {
    faults.operation_statuses = {{"CreateRunFiles", 422}, {"CreateArtifact", 403}};
    server.set(faults);
  }
  const auto path = write_run(folder.path(), 20, false);
  std::ofstream(folder.path() / "w.bin") << "weights";
  {
    RunLog log(folder.path(), grouped_run());
    log.artifact("model", "m", {{"w.bin", folder.path() / "w.bin"}}, nullptr, {});
    log.finish(3);
  }
  PaperExpectation said;
  const auto done = do_sync({path}, settings_for(server), said);
  CHECK(done.uploaded == 1);
  CHECK(done.failed == 0);
  auto state = server.state();
  CHECK(steps(state) == up_to(20));
  CHECK(state.files.empty());
  CHECK(state.uploaded.empty());
  CHECK(state.complete);
  CHECK(state.exit_code == 3);
  CHECK(Json::parse(state.lines("wandb-summary.json")).at("_step") == 19);
  CHECK(fs::exists(path.string() + ".synced"));
  CHECK(holds(said.all(), "20 rows, 0 files, 4 refused -> "));
  CHECK(holds(said.all(), " was refused ("));
  CHECK(holds(said.all(), "HTTP 4"));
  CHECK(holds(said.all(), "sync --again tries it again"));
  CHECK(said.lines.size() <= 3);  // each reason once
  const auto remembered = Json::parse(read_file(path.string() + ".upload")).at("refused");
  CHECK(remembered.at("files").size() == 3);
  CHECK(remembered.at("artifacts").size() == 1);
  // Without --again nothing is sent.
  const auto requests = state.requests.size();
  CHECK(do_sync({path}, settings_for(server), said).done_before == 1);
  CHECK(server.state().requests.size() == requests);

  server.set({});
  PaperExpectation after;
  CHECK(do_sync({path}, settings_for(server), after, 5, fast(), true).uploaded == 1);
  state = server.state();
  CHECK(after.all() ==
        path.parent_path().filename().string() + ": 0 rows, 3 files, 1 artifact -> " + server.url() + "/ent/demo/runs/abcd1234\n");
  CHECK(state.files.count("config.yaml") == 1);
  CHECK(state.files.at("artifact/w.bin") == "weights");
  CHECK(steps(state) == up_to(20));
  CHECK(most_often_sent(state, "wandb-history.jsonl") == 1);
  CHECK(Json::parse(read_file(path.string() + ".upload")).at("refused").at("files").empty());
}

TEST_CASE("a run deleted on the server is uploaded again completely on the next sync", "[wandb][upload]") {
  const TemporaryFolder folder;
  WandbServer server, another;
  const auto path = write_run(folder.path(), 20);
  PaperExpectation said;
  REQUIRE(do_sync({path}, settings_for(server), said).uploaded == 1);
  const auto port = server.url();
  auto text = read_file(path.string() + ".upload");  // makes the state look as if it came from this server
  text.replace(text.find(port), port.size(), another.url());
  std::ofstream(path.string() + ".upload") << text;
  CHECK(do_sync({path}, settings_for(another), said, 5, fast(), true).uploaded == 1);
  CHECK(steps(another.state()) == up_to(20));
  CHECK(another.state().files.size() == 3);
}

TEST_CASE("files wait for temporarily failing storage and rows do not", "[wandb][upload][faults]") {
  const TemporaryFolder folder;
  WandbServer server;
  WandbServer::Faults faults;
  faults.put_statuses = {{"", 503}};
  faults.put_failures = 4;
  server.set(faults);
  const auto path = write_run(folder.path(), 20);
  PaperExpectation said;
  CHECK(do_sync({path}, settings_for(server), said, 20).uploaded == 1);
  CHECK(server.state().files.size() == 3);
  CHECK(server.state().uploaded.size() == 3);
  CHECK(most_often_sent(server.state(), "wandb-history.jsonl") == 1);
}

TEST_CASE("if storage fails too long the run is closed and files follow later", "[wandb][upload][faults]") {
  const TemporaryFolder folder;
  WandbServer server;
  WandbServer::Faults faults;
  faults.put_statuses = {{"config.yaml", 503}};
  server.set(faults);
  const auto path = write_run(folder.path(), 20);
  PaperExpectation said;
  CHECK(do_sync({path}, settings_for(server), said).failed == 1);
  CHECK(holds(said.all(), "not all uploaded: 1 file could not be uploaded; all rows were uploaded"));
  auto state = server.state();
  CHECK(steps(state) == up_to(20));
  CHECK(state.complete);
  CHECK(state.files.size() == 2);
  CHECK_FALSE(fs::exists(path.string() + ".synced"));
  server.set({});
  CHECK(do_sync({path}, settings_for(server), said).uploaded == 1);
  state = server.state();
  CHECK(state.files.size() == 3);
  CHECK(most_often_sent(state, "wandb-history.jsonl") == 1);
  CHECK(most_often_sent(state, "output.log") == 1);
  CHECK(fs::exists(path.string() + ".synced"));
  CHECK(holds(said.lines.back(), ": 0 rows, 1 file -> "));
}

TEST_CASE("live: a hanging file upload does not delay rows", "[wandb][live][faults]") {
  const TemporaryFolder folder;
  WandbServer server;
  WandbServer::Faults faults;
  faults.hang_put = "wandb-metadata.json";
  server.set(faults);
  auto d = grouped_run();
  d.metadata = {{"os", "Linux"}};
  PaperExpectation said;
  Uploader uploader(settings_for(server), fast(), [&](const std::string& text) { said.add(text); });
  RunLog log(folder.path(), d), other(folder.path(), grouped_run("other000"));
  uploader.follow(log.path());
  uploader.follow(other.path());
  log.history(0, Row{{"loss", 0}});
  REQUIRE(becomes_true([&] {
    const auto state = server.state();
    return std::any_of(state.requests.begin(), state.requests.end(), [](const auto& r) { return r.method == "PUT"; });
  }));
  for (int i = 1; i < 30; ++i) log.history(i, Row{{"loss", 1.0 * i}});
  other.finish(0);
  const auto rows = [&](const std::string& id) {
    const auto state = server.state();
    const auto it = state.runs.find(id);
    if (it == state.runs.end()) return std::size_t{0};
    const auto lines = it->second.stream.find("wandb-history.jsonl");
    return lines == it->second.stream.end() ? 0 : lines->second.size();
  };
  CHECK(becomes_true([&] { return rows("abcd1234") == 30; }));
  CHECK(becomes_true([&] { return server.state().runs.at("other000").complete; }));
  log.finish(0);
  const double begin = steady_now();
  CHECK(uploader.finish(0.5) == std::vector<fs::path>{log.folder()});
  CHECK(steady_now() - begin < 5);
  CHECK(server.state().runs.at("abcd1234").files.count("config.yaml") == 1);  // other files were sent before it
}

TEST_CASE("a run's last rows wait a limited time for its files", "[wandb][live][faults]") {
  const TemporaryFolder folder;
  WandbServer server;
  WandbServer::Faults faults;
  faults.hang_put = "config.yaml";
  server.set(faults);
  UploadOptions options;
  options.hold_seconds = 0.2;
  Uploader uploader(settings_for(server), options, {});
  uploader.follow(write_run(folder.path(), 5));
  CHECK(becomes_true([&] { return steps(server.state()) == up_to(5); }));
  CHECK_FALSE(server.state().complete);
  uploader.finish(0);
}

TEST_CASE("twenty concurrent runs need few requests each", "[wandb][upload][load]") {
  const TemporaryFolder folder;
  WandbServer server;
  WandbServer::Faults faults;
  faults.delay = 0.05;
  server.set(faults);
  std::vector<fs::path> logs;
  for (int i = 0; i < 20; ++i) logs.push_back(write_run(folder.path(), 10, true, "run" + std::to_string(i)));
  PaperExpectation said;
  CHECK(do_sync(logs, settings_for(server), said, 30, UploadOptions()).uploaded == 20);
  const auto state = server.state();
  REQUIRE(state.runs.size() == 20);
  for (const auto& [id, run] : state.runs) {
    INFO(id);
    CHECK(run.complete);
    CHECK(run.stream.at("wandb-history.jsonl").size() == 10);
    for (const auto& [line, times] : run.times) CHECK(times == 1);
    CHECK(run.files.size() == 3);
    CHECK(run.posts == 1);
  }
  CHECK(state.requests.size() == 20 * (3 + 3));
  // Many concurrent requests, over few persistent connections.
  CHECK(state.most_at_once > 4);
  CHECK(state.most_at_once <= 24);
  CHECK(state.connections <= 24);
  // Messages are in the order of the logs.
  REQUIRE(said.lines.size() == 20);
  for (std::size_t i = 0; i < 20; ++i) CHECK(said.lines[i].rfind(logs[i].parent_path().filename().string() + ": ", 0) == 0);
}

TEST_CASE("a retry delay received on one connection holds for all", "[wandb][upload][faults]") {
  const TemporaryFolder folder;
  WandbServer server;
  WandbServer::Faults faults;
  faults.delay = 0.02;
  faults.operation_statuses = {{"CreateRunFiles", 429}};
  faults.operation_failures = 1;
  faults.retry_after = "1";
  server.set(faults);
  std::vector<fs::path> logs;
  for (int i = 0; i < 12; ++i) logs.push_back(write_run(folder.path(), 3, true, "run" + std::to_string(i)));
  PaperExpectation said;
  CHECK(do_sync(logs, settings_for(server), said).uploaded == 12);
  const auto state = server.state();
  // After the first refused CreateRunFiles, no new requests are sent to W&B's server.
  double refused = -1;
  int under_way = 0;
  for (const auto& request : state.requests) {
    if (request.method == "PUT") continue;
    const double at = std::chrono::duration<double>(request.at - state.requests.front().at).count();
    if (refused < 0 && holds(request.body, "CreateRunFiles")) refused = at;
    if (refused >= 0 && at > refused + 0.02 && at < refused + 0.95) ++under_way;
  }
  REQUIRE(refused >= 0);
  CHECK(under_way <= 12);
  int late = 0;
  for (const auto& request : state.requests) {
    const double at = std::chrono::duration<double>(request.at - state.requests.front().at).count();
    late += request.method != "PUT" && at >= refused + 0.95;
  }
  CHECK(late >= 12);  // at least every run's rows
  for (const auto& [id, run] : state.runs) CHECK(run.complete);
}

TEST_CASE("a killed upload resumes without duplicate rows", "[wandb][upload][crash]") {
  const TemporaryFolder folder;
  WandbServer server;
  WandbServer::Faults faults;
  faults.delay = 0.01;
  server.set(faults);
  std::vector<fs::path> logs;
  constexpr int kRows = 1600;  // many more posts than the kills below wait for, however late this process notices them
  for (int i = 0; i < 4; ++i) logs.push_back(write_run(folder.path(), kRows, true, "run" + std::to_string(i)));
  auto options = fast();
  options.post_bytes = 3000;
  const auto settings = settings_for(server);
  const auto posts = [&] {
    int out = 0;
    for (const auto& [id, run] : server.state().runs) out += run.posts;
    return out;
  };
  for (int kill = 0; kill < 4; ++kill) {
    const int before = posts();
    const pid_t child = ::fork();
    if (child == 0) {
      PaperExpectation said;
      do_sync(logs, settings, said, 5, options);
      ::_exit(0);
    }
    CHECK(becomes_true([&] { return posts() >= before + 10; }));
    ::usleep(static_cast<useconds_t>(kill * 3700));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
  }
  PaperExpectation said;
  CHECK(do_sync(logs, settings, said, 5, options).failed == 0);
  const auto state = server.state();
  REQUIRE(state.runs.size() == 4);
  CHECK_FALSE(state.gaps);
  for (const auto& [id, run] : state.runs) {
    std::vector<int> rows;
    for (const auto& [offset, line] : run.stream.at("wandb-history.jsonl")) rows.push_back(nlohmann::json::parse(line).at("_step"));
    CHECK(rows == up_to(kRows));
    CHECK(run.complete);
  }
}

TEST_CASE("an alert is sent once", "[wandb][upload]") {
  const TemporaryFolder folder;
  WandbServer server;
  fs::path path;
  {
    RunLog log(folder.path(), grouped_run());
    path = log.path();
    log.alert("diverged", "loss is NaN", AlertLevel::kError);
    log.history(0, Row{{"loss", 1}});
    log.alert("slow", "very", AlertLevel::kInfo);
    log.flush();
  }
  PaperExpectation said;
  CHECK(do_sync({path}, settings_for(server), said).unended == 1);
  {
    RunLog log(folder.path(), grouped_run());
    log.alert("third", "text", AlertLevel::kWarn);
    log.finish(1);
  }
  CHECK(do_sync({path}, settings_for(server), said).uploaded == 1);
  CHECK(do_sync({path}, settings_for(server), said, 5, fast(), true).uploaded == 1);
  const auto state = server.state();
  Strings alerts;
  for (std::size_t i = 0; i < state.operations.size(); ++i) {
    if (state.operations[i] != "NotifyScriptableRunAlert") continue;
    const auto& v = state.variables[i];
    alerts.push_back(v.at("title").get<std::string>() + " " + v.at("severity").get<std::string>());
    CHECK(v.at("runName") == "abcd1234");
    CHECK(v.at("entityName") == "ent");
    CHECK(v.at("waitDuration") == 60000);
  }
  CHECK(alerts == Strings{"diverged ERROR", "slow INFO", "third WARN"});
}

TEST_CASE("a data set is made once, and used by every run", "[wandb][upload]") {
  const TemporaryFolder folder;
  WandbServer server;
  WandbServer::Faults faults;
  faults.delay = 0.01;
  server.set(faults);
  InputArtifact data;
  data.type = "dataset";
  data.name = "mnist";
  data.files = {{"a.gz", "https://example.org/a.gz", std::string(64, 'a'), 10}};
  std::vector<fs::path> logs;
  for (int i = 0; i < 6; ++i) {
    RunLog log(folder.path(), grouped_run("run" + std::to_string(i)));
    logs.push_back(log.path());
    log.input(data);
    log.history(0, Row{{"loss", 1}});
    log.finish(0);
  }
  PaperExpectation said;
  CHECK(do_sync(logs, settings_for(server), said).uploaded == 6);
  auto state = server.state();
  CHECK(state.count("CreateArtifact") == 1);
  CHECK(state.count("CreateArtifactFiles") == 0);  // there is nothing to upload
  CHECK(state.count("CommitArtifact") == 1);
  CHECK(state.count("UseArtifact") == 6);
  std::set<std::string> users;
  for (std::size_t i = 0; i < state.operations.size(); ++i) {
    const auto& v = state.variables[i];
    if (state.operations[i] == "CreateArtifact") CHECK(v.at("runName").is_null());  // no run made it
    if (state.operations[i] != "UseArtifact") continue;
    const auto& input = v.at("input");
    users.insert(input.at("runName").get<std::string>());
    CHECK(input.at("artifactID").get<std::string>().rfind("A:", 0) == 0);
    CHECK(input.at("entityName") == "ent");
    CHECK(input.at("projectName") == "demo");
  }
  CHECK(users.size() == 6);
  const auto manifest = Json::parse(state.files.at("manifest"));
  CHECK(manifest.at("contents").dump() ==
        R"({"a.gz":{"digest":")" + std::string(64, 'a') + R"(","size":10,"ref":"https://example.org/a.gz"}})");
  // Another process: the server has the artifact already.
  {
    RunLog log(folder.path(), grouped_run("later"));
    log.input(data);
    log.finish(0);
    logs = {log.path()};
  }
  CHECK(do_sync(logs, settings_for(server), said).uploaded == 1);
  state = server.state();
  CHECK(state.count("CreateArtifact") == 2);
  CHECK(state.count("CommitArtifact") == 1);
  CHECK(state.count("UseArtifact") == 7);
}

TEST_CASE("without file locks nobody is locked out", "[wandb][upload]") {
  struct Restore {
    int (*before)(int, int) = flock_function;
    ~Restore() { flock_function = before; }
  } restore;
  const TemporaryFolder folder;
  WandbServer server;
  for (const int code : {ENOSYS, EOPNOTSUPP, ENOLCK, EINVAL}) {
    static int fault;
    fault = code;
    flock_function = [](int, int) {
      errno = fault;
      return -1;
    };
    const auto path = write_run(folder.path() / std::to_string(code), 3, false);
    CHECK_FALSE(is_being_written(path));
    { RunLog log(path.parent_path().parent_path(), grouped_run()); }  // continues the same run
    PaperExpectation said;
    CHECK(do_sync({path}, settings_for(server), said).unended == 1);
  }
  static int calls;
  calls = 0;
  flock_function = [](int, int) {
    errno = calls++ == 0 ? EINTR : EWOULDBLOCK;
    return -1;
  };
  CHECK_FALSE(try_lock(0));
  CHECK(calls == 2);  // interruption by a signal is not an error
}

TEST_CASE("run_exists reports whether a run exists or why that is unknown", "[wandb][upload]") {
  WandbServer server;
  auto settings = settings_for(server);
  CHECK_FALSE(run_exists(settings, "abcd1234"));
  WandbServer::Faults faults;
  for (const int status : {401, 503}) {
    faults.graphql_status = status;
    server.set(faults);
    CHECK_THROWS_AS(run_exists(settings, "abcd1234"), ApiFailure);
  }
  CHECK(server.state().requests.size() == 3);  // one each
  server.stop();
  CHECK_THROWS_AS(run_exists(settings, "abcd1234"), ApiFailure);
}

TEST_CASE("a row in the official client's format with single-part paths is uploaded", "[wandb][upload][format]") {
  const TemporaryFolder folder;
  WandbServer server;
  const auto path = folder.path() / "offline-run-20231114_221320-golden01" / "run-golden01.wandb";
  fs::create_directories(path.parent_path());
  const std::string bytes =
      "3a572642e1be000ea1c5710a00010801aa01050a030a01782ff5498f2c000108028a01270a08676f6c64656e30311a0464656d6f220c0a0a0a026c7282010330"
      "2e318a01060880e2cfaa069a8603a65100010803124d0a0b12055f73746570820101300a1012085f72756e74696d65820103312e350a1b120a5f74696d657374"
      "616d7082010c313730303030303030312e350a0d12046c6f7373820104302e323512005913024b2a000108041a260a0d0a046c6f7373820104302e32350a1512"
      "065f77616e6462120772756e74696d6582010131503b213a1300010805"
      "6a0f080112060881e2cfaa061a0368690a8bc60cf8070001080692010210023"
      "1b9de140500010807a20100170a9b500500010808b20100";
  std::ofstream out(path, std::ios::binary);
  for (std::size_t i = 0; i + 2 <= bytes.size(); i += 2) out << static_cast<char>(std::stoi(bytes.substr(i, 2), nullptr, 16));
  out.close();
  PaperExpectation said;
  CHECK(do_sync({path}, settings_for(server), said).uploaded == 1);
  CHECK(server.state().lines("wandb-history.jsonl") == "{\"_step\":0,\"_runtime\":1.5,\"_timestamp\":1700000001.5,\"loss\":0.25}\n");
}

TEST_CASE("failures of concurrent requests count as one for the retry delay", "[wandb][upload][faults]") {
  Backoff backoff(2, 60);
  backoff.failed(100, -1, 99);
  CHECK(backoff.failures() == 1);
  const double until = backoff.ready_at();
  backoff.failed(100.1, -1, 99.5);  // started before the failure was known: counts as the same one
  CHECK(backoff.failures() == 1);
  CHECK(backoff.ready_at() == until);
  backoff.worked(99.9);  // so did this one: it proves nothing
  CHECK(backoff.failures() == 1);
  backoff.failed(100.2, 30, 99.9);  // but the server's Retry-After counts
  CHECK(backoff.ready_at() == 130.2);
  backoff.failed(131, 5, 131);
  CHECK(backoff.failures() == 2);
  CHECK(backoff.ready_at() == 136);
  backoff.worked(131.5);  // whatever else succeeds meanwhile
  CHECK(backoff.failures() == 0);
  CHECK_FALSE(backoff.ready(135.9));
  CHECK(backoff.ready(136));
}

TEST_CASE("Retry-After is respected", "[wandb][upload][faults]") {
  Backoff backoff(2, 60);
  CHECK(backoff.failed(100, 7) == 7);
  CHECK_FALSE(backoff.ready(106.9));
  CHECK(backoff.ready(107));
  double last = 0;
  Backoff growing(2, 60);
  for (int i = 0; i < 10; ++i) {
    const double wait = growing.failed(0, -1);
    const double base = std::min(60.0, 2 * std::pow(2.0, i));
    CHECK(wait >= base);
    CHECK(wait <= 1.25 * base);
    CHECK(wait > 0.7 * last);
    last = wait;
  }
}

TEST_CASE("after a lost answer the same lines are sent to the same offsets", "[wandb][upload][faults]") {
  const TemporaryFolder folder;
  WandbServer server;
  WandbServer::Faults faults;
  faults.accept_then_drop = true;
  server.set(faults);
  const auto path = write_run(folder.path(), 20);
  PaperExpectation said;
  CHECK(do_sync({path}, settings_for(server), said).uploaded == 1);
  CHECK(steps(server.state()) == up_to(20));
  CHECK_FALSE(server.state().gaps);
}

TEST_CASE("a rejected key ends the upload at once and is not shown", "[wandb][upload][faults]") {
  const TemporaryFolder folder;
  WandbServer server;
  WandbServer::Faults faults;
  faults.graphql_status = 401;
  server.set(faults);
  const auto path = write_run(folder.path(), 3);
  PaperExpectation said;
  const auto begin = steady_now();
  CHECK(do_sync({path}, settings_for(server), said).failed == 1);
  CHECK(steady_now() - begin < 2);
  CHECK(said.all() ==
        path.parent_path().filename().string() +
            ": not uploaded: UpsertBucket: HTTP 401: {\"error\":\"as you wished\"} (is the API key right for this server?)\n");
  CHECK_FALSE(fs::exists(path.string() + ".synced"));
}

TEST_CASE("a partially uploaded run resumes where it stopped", "[wandb][upload][resume]") {
  const TemporaryFolder folder;
  WandbServer server;
  const auto path = write_run(folder.path(), 30, false);
  PaperExpectation said;
  CHECK(do_sync({path}, settings_for(server), said).unended == 1);
  CHECK(holds(said.all(), "its log has no end: marked as failed there; sync it again if the run continues"));
  CHECK(server.state().exit_code == 1);
  CHECK_FALSE(fs::exists(path.string() + ".synced"));
  const auto requests = server.state().requests.size();
  CHECK(do_sync({path}, settings_for(server), said).unended == 1);  // the log has not grown since
  CHECK(server.state().requests.size() == requests);

  write_run(folder.path(), 75);
  CHECK(do_sync({path}, settings_for(server), said).uploaded == 1);
  const auto state = server.state();
  CHECK(steps(state) == up_to(75));
  CHECK(most_often_sent(state, "wandb-history.jsonl") == 1);
  CHECK(most_often_sent(state, "output.log") == 1);
  CHECK(most_often_sent(state, "wandb-events.jsonl") == 1);
  CHECK(state.exit_code == 0);
}

TEST_CASE("without a note of what was sent, the server is asked", "[wandb][upload][resume]") {
  const TemporaryFolder folder;
  WandbServer server;
  const auto path = write_run(folder.path(), 40, false);
  PaperExpectation said;
  do_sync({path}, settings_for(server), said);
  fs::remove(path.string() + ".upload");
  write_run(folder.path(), 60);
  CHECK(do_sync({path}, settings_for(server), said).uploaded == 1);
  const auto state = server.state();
  CHECK(steps(state) == up_to(60));
  CHECK(most_often_sent(state, "wandb-history.jsonl") == 1);
  CHECK_FALSE(state.gaps);

  auto settings = settings_for(server);
  settings.resume = Resume::kNever;
  const auto other = write_run(folder.path() / "b", 5);
  CHECK(do_sync({other}, settings, said).failed == 1);
  CHECK(holds(said.lines.back(), "WANDB_RESUME=never, but the server already has a run 'abcd1234'"));
  settings.resume = Resume::kMust;
  const auto unknown = write_run(folder.path() / "b", 5, true, "unknown0");
  CHECK(do_sync({unknown}, settings, said).failed == 1);
  CHECK(holds(said.lines.back(), "WANDB_RESUME=must, but the server has no run 'unknown0'"));
  CHECK(server.state().runs.count("unknown0") == 0);  // nor was one created
  CHECK_FALSE(run_exists(settings, "unknown0"));
  CHECK(run_exists(settings, "abcd1234"));
}

TEST_CASE("a log that ends in the middle of a record is uploaded up to there", "[wandb][upload][crash]") {
  const TemporaryFolder folder;
  WandbServer server;
  const auto path = write_run(folder.path(), 30);
  fs::resize_file(path, fs::file_size(path) - 60);
  PaperExpectation said;
  CHECK(do_sync({path}, settings_for(server), said).unended == 1);
  CHECK(holds(said.all(), "it is truncated inside a record"));
  CHECK(steps(server.state()) == up_to(30));
  CHECK(server.state().exit_code == 1);
}

TEST_CASE("large logs are uploaded in several requests", "[wandb][upload]") {
  const TemporaryFolder folder;
  WandbServer server;
  const auto path = write_run(folder.path(), 2000);
  auto options = fast();
  options.post_bytes = 20000;
  PaperExpectation said;
  CHECK(do_sync({path}, settings_for(server), said, 5, options).uploaded == 1);
  const auto state = server.state();
  CHECK(steps(state) == up_to(2000));
  CHECK_FALSE(state.gaps);
  std::size_t posts = 0, largest = 0;
  for (const auto& request : state.requests) {
    if (!holds(request.path, "file_stream")) continue;
    ++posts;
    largest = std::max(largest, request.body.size());
  }
  CHECK(posts > 10);
  CHECK(largest < 40000);
}

TEST_CASE("without a network sync gives up after its patience and resumes later", "[wandb][upload][faults]") {
  const TemporaryFolder folder;
  WandbServer server;
  const auto path = write_run(folder.path(), 10);
  const auto second = write_run(folder.path(), 10, true, "second00");
  server.stop();
  PaperExpectation said;
  const auto begin = steady_now();
  CHECK(do_sync({path, second}, settings_for(server), said, 0.3).failed == 2);
  CHECK(steady_now() - begin < 3);
  REQUIRE(said.lines.size() == 1);  // the second would fail the same way
  CHECK(std::regex_search(said.lines[0],
                          std::regex("Could(n't| not) connect to server\n  run the same command again to continue")));  // curl says either
  server.start_again();
  CHECK(do_sync({path, second}, settings_for(server), said).uploaded == 2);
}

TEST_CASE("logs that are being written, or uploaded, are left alone", "[wandb][upload]") {
  const TemporaryFolder folder;
  WandbServer server;
  RunLog log(folder.path(), grouped_run());
  PaperExpectation said;
  CHECK(do_sync({log.path()}, settings_for(server), said).skipped == 1);
  CHECK(holds(said.all(), "still being written; skipped"));
  const auto other = write_run(folder.path(), 3, true, "other000");
  const auto settings = settings_for(server);
  Api api(settings);
  RunUpload first(other, settings, fast());
  CHECK(first.step(api, 0, false) == RunUpload::State::kWaiting);
  CHECK(do_sync({other}, settings, said).skipped == 1);
  CHECK(holds(said.lines.back(), "being uploaded by another process; skipped"));
}

TEST_CASE("command line arguments are resolved to logs", "[wandb][upload]") {
  const TemporaryFolder folder;
  const auto wandb = folder.path() / "wandb";
  const auto a = write_run(wandb, 1, true, "aaaaaaaa"), b = write_run(wandb, 1, true, "bbbbbbbb");
  const std::vector<fs::path> both{a, b};
  CHECK(find_logs({wandb}) == both);
  CHECK(find_logs({folder.path()}) == both);
  CHECK(find_logs({b, a.parent_path(), wandb}) == both);
  CHECK(find_logs({b.parent_path() / ""}) == std::vector<fs::path>{b});
  CHECK(find_logs({wandb / "latest-run"}).front().filename() == b.filename());
  CHECK_THROWS_WITH(find_logs({folder.path() / "no"}), Catch::Matchers::ContainsSubstring("contains no W&B run") &&
                                                           Catch::Matchers::ContainsSubstring("there is no such file or folder"));
}

TEST_CASE("live: rows are uploaded while the log is written", "[wandb][live]") {
  const TemporaryFolder folder;
  WandbServer server;
  PaperExpectation said;
  Strings pages;
  Uploader uploader(
      settings_for(server), fast(), [&](const std::string& text) { said.add(text); },
      [&](const fs::path& path, const std::string& page) { pages.push_back(path.string() + " " + page); });
  RunLog log(folder.path(), grouped_run());
  uploader.follow(log.path());
  for (int i = 0; i < 200; ++i) log.history(i, Row{{"loss", 1.0 * i}});
  CHECK(becomes_true([&] { return steps(server.state()).size() == 200; }));
  CHECK_FALSE(server.state().complete);
  for (int i = 200; i < 250; ++i) log.history(i, Row{{"loss", 1.0 * i}});
  log.finish(0);
  CHECK(uploader.finish(10).empty());
  CHECK(uploader.project_page() == server.url() + "/ent/demo");
  CHECK(pages == Strings{log.path().string() + " " + server.url() + "/ent/demo/runs/abcd1234"});
  const auto state = server.state();
  CHECK(steps(state) == up_to(250));
  CHECK(most_often_sent(state, "wandb-history.jsonl") == 1);
  CHECK(state.complete);
  CHECK(state.exit_code == 0);
  CHECK(fs::exists(log.path().string() + ".synced"));
  CHECK(said.lines.empty());
}

TEST_CASE("live: logging never waits when the network goes and comes back", "[wandb][live][faults]") {
  const TemporaryFolder folder;
  WandbServer server;
  PaperExpectation said;
  Uploader uploader(settings_for(server), fast(), [&](const std::string& text) { said.add(text); });
  RunLog log(folder.path(), grouped_run());
  uploader.follow(log.path());
  log.history(0, Row{{"loss", 0}});
  REQUIRE(becomes_true([&] { return steps(server.state()).size() == 1; }));
  server.stop();
  double longest = 0;
  for (int i = 1; i < 300; ++i) {
    const double begin = steady_now();
    log.history(i, Row{{"loss", 1.0 * i}});
    longest = std::max(longest, steady_now() - begin);
    if (i % 30 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  CHECK(longest < 0.5);
  CHECK(becomes_true([&] { return holds(said.all(), "W&B cannot be reached or refuses requests"); }));
  server.start_again();
  log.finish(0);
  CHECK(uploader.finish(10).empty());
  CHECK(steps(server.state()) == up_to(300));
  CHECK_FALSE(server.state().gaps);
}

TEST_CASE("live: Stop in the web interface reaches the job", "[wandb][live]") {
  const TemporaryFolder folder;
  WandbServer server;
  Uploader uploader(settings_for(server), fast(), {});
  RunLog log(folder.path(), grouped_run()), other(folder.path(), grouped_run("other000"));
  uploader.follow(log.path());
  log.history(0, Row{{"loss", 0}});
  REQUIRE(becomes_true([&] { return steps(server.state()).size() == 1; }));
  CHECK_FALSE(uploader.stop_requested(log.path()));
  WandbServer::Faults faults;
  faults.stop = true;
  server.set(faults);
  CHECK(becomes_true([&] { return uploader.stop_requested(log.path()); }));  // heartbeats query it
  CHECK_FALSE(uploader.stop_requested(other.path()));
  uploader.finish(5);
}

TEST_CASE("live: finishing waits a limited time for a dead network", "[wandb][live][faults]") {
  const TemporaryFolder folder;
  WandbServer server;
  WandbServer::Faults faults;
  faults.hang = true;
  server.set(faults);
  auto uploader = std::make_unique<Uploader>(settings_for(server), fast(), [](const std::string&) {});
  const auto path = write_run(folder.path(), 5);
  uploader->follow(path);
  const double begin = steady_now();
  const auto left = uploader->finish(0.3);
  CHECK(steady_now() - begin < 3);
  CHECK(left == std::vector<fs::path>{path.parent_path()});
  uploader.reset();
  server.set({});
  server.stop();  // closes the hanging connection
  server.start_again();
  PaperExpectation said;
  CHECK(do_sync({path}, settings_for(server), said).uploaded == 1);
  CHECK(steps(server.state()) == up_to(5));
}

TEST_CASE("live: fifty runs at once", "[wandb][live][load]") {
  const TemporaryFolder folder;
  WandbServer server;
  Uploader uploader(settings_for(server), fast(), {});
  std::vector<std::thread> jobs;
  for (int j = 0; j < 50; ++j) {
    jobs.emplace_back([&, j] {
      RunLog log(folder.path(), grouped_run("run" + std::to_string(j)));
      uploader.follow(log.path());
      for (int i = 0; i < 40; ++i) log.history(i, Row{{"loss", 1.0 * i}});
      log.finish(0);
    });
  }
  for (auto& job : jobs) job.join();
  CHECK(uploader.finish(30).empty());
  int synced = 0;
  for (const auto& log : find_logs({folder.path()})) synced += fs::exists(log.string() + ".synced");
  CHECK(synced == 50);
}

}  // namespace yatlab::wandb

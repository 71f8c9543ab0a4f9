#include "core/wandb/upload.h"

#include <mutex>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <thread>

#include "catch.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/wandb/run_log.h"
#include "core/wandb/sync.h"
#include "core/wandb/text.h"
#include "core/wandb/uploader.h"
#include "holds.h"
#include "temporary_folder.h"
#include "wandb/environment.h"
#include "wandb/server.h"

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

/// A whole run with rows 0 .. rows-1, or its beginning.
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

struct Said {
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

SyncOutcome do_sync(const std::vector<fs::path>& logs, const Settings& settings, Said& said, double patience = 5,
                    UploadOptions upload = fast()) {
  SyncOptions options;
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
bool soon(const Condition& condition, double seconds = 10) {
  const double end = steady_now() + seconds;
  while (!condition()) {
    if (steady_now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace

TEST_CASE("a log arrives whole: rows, summary, console, config, files, end", "[wandb][upload]") {
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
    log.artifact("model", "m", {{"w.bin", folder.path() / "w.bin"}}, nullptr, {});
    log.finish(7);
  }
  Said said;
  const auto done = do_sync({path}, settings_for(server), said);
  CHECK(done.uploaded == 1);
  CHECK(said.all() == path.parent_path().filename().string() + ": 3 rows, 5 files, 1 artifact -> " + server.url() + "/ent/demo/runs/abcd1234\n");
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
  // One request each to make the run, to say where files go, and for all rows and the end.
  CHECK(state.count("UpsertBucket") == 1);
  CHECK(state.count("RunResumeStatus") == 0);
  CHECK(state.count("CreateRunFiles") == 1);
  CHECK(state.runs.at("abcd1234").posts == 1);
  CHECK(state.files.at("artifact/w.bin") == "weights");
  CHECK(Json::parse(state.files.at("manifest")).at("contents").at("w.bin").at("digest") == base64(md5("weights")));
  CHECK(std::count(state.operations.begin(), state.operations.end(), "CommitArtifact") == 1);
  CHECK(std::find(state.uploaded.begin(), state.uploaded.end(), image) != state.uploaded.end());
  CHECK(state.complete);
  CHECK(state.exit_code == 7);
  CHECK_FALSE(state.gaps);
  CHECK(fs::exists(path.string() + ".synced"));
  CHECK(fs::exists(folder.path() / "w.bin"));  // the user's own
  CHECK(fs::is_empty(folder.path() / "artifact-staging"));
  // Once more: nothing happens.
  const auto requests = state.requests.size();
  CHECK(do_sync({path}, settings_for(server), said).done_before == 1);
  CHECK(server.state().requests.size() == requests);
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
  Said said;
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
      // Signed addresses: what the server said belongs to them, and nothing else.
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

TEST_CASE("a file goes with the headers that the server names, whatever they are", "[wandb][upload]") {
  const TemporaryFolder folder;
  WandbServer server;
  WandbServer::Faults faults;
  faults.put_headers = {"Content-Type: image/png", "Authorization: Bearer of-the-storage"};
  server.set(faults);
  const auto path = write_run(folder.path(), 3);
  Said said;
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

TEST_CASE("a server that wants uploads to go elsewhere unencrypted is refused", "[wandb][upload][security]") {
  const TemporaryFolder folder;
  WandbServer server;
  WandbServer::Faults faults;
  faults.put_base = "http://192.0.2.1";
  server.set(faults);
  const auto path = write_run(folder.path(), 3);
  Said said;
  CHECK(do_sync({path}, settings_for(server), said).uploaded == 1);  // all but the files
  CHECK(holds(said.all(), "refused to send data unencrypted to 'http://192.0.2.1'"));
  CHECK(holds(said.all(), "3 rows, 0 files, 3 refused"));
}

TEST_CASE("429 and 5xx are waited out; nothing is lost or repeated", "[wandb][upload][faults]") {
  const TemporaryFolder folder;
  WandbServer server;
  WandbServer::Faults faults;
  faults.stream_statuses = {503, 429, 500, 502};
  server.set(faults);
  const auto path = write_run(folder.path(), 50);
  Said said;
  CHECK(do_sync({path}, settings_for(server), said).uploaded == 1);
  const auto state = server.state();
  CHECK(steps(state) == up_to(50));
  CHECK(most_often_sent(state, "wandb-history.jsonl") == 1);
  CHECK(state.complete);
}

TEST_CASE("Retry-After is obeyed", "[wandb][upload][faults]") {
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

TEST_CASE("an answer that is lost: the same lines go to the same places", "[wandb][upload][faults]") {
  const TemporaryFolder folder;
  WandbServer server;
  WandbServer::Faults faults;
  faults.accept_then_drop = true;
  server.set(faults);
  const auto path = write_run(folder.path(), 20);
  Said said;
  CHECK(do_sync({path}, settings_for(server), said).uploaded == 1);
  CHECK(steps(server.state()) == up_to(20));
  CHECK_FALSE(server.state().gaps);
}

TEST_CASE("a key that the server refuses ends the upload at once, and is not shown", "[wandb][upload][faults]") {
  const TemporaryFolder folder;
  WandbServer server;
  WandbServer::Faults faults;
  faults.graphql_status = 401;
  server.set(faults);
  const auto path = write_run(folder.path(), 3);
  Said said;
  const auto begin = steady_now();
  CHECK(do_sync({path}, settings_for(server), said).failed == 1);
  CHECK(steady_now() - begin < 2);
  CHECK(said.all() == path.parent_path().filename().string() +
                          ": not uploaded: UpsertBucket: HTTP 401: {\"error\":\"as you wished\"} (is the API key right for this server?)\n");
  CHECK_FALSE(fs::exists(path.string() + ".synced"));
}

TEST_CASE("a half-uploaded run goes on where it was, also on its own", "[wandb][upload][resume]") {
  const TemporaryFolder folder;
  WandbServer server;
  const auto path = write_run(folder.path(), 30, false);
  Said said;
  CHECK(do_sync({path}, settings_for(server), said).unended == 1);
  CHECK(holds(said.all(), "its log has no end: marked as failed there; sync it again should it go on"));
  CHECK(server.state().exit_code == 1);
  CHECK_FALSE(fs::exists(path.string() + ".synced"));
  const auto requests = server.state().requests.size();
  CHECK(do_sync({path}, settings_for(server), said).unended == 1);  // nothing has come since
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
  Said said;
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
  CHECK(holds(said.lines.back(), "WANDB_RESUME=never, and the server has a run 'abcd1234' already"));
  settings.resume = Resume::kMust;
  const auto unknown = write_run(folder.path() / "b", 5, true, "unknown0");
  CHECK(do_sync({unknown}, settings, said).failed == 1);
  CHECK(holds(said.lines.back(), "WANDB_RESUME=must, and the server knows no run 'unknown0'"));
  CHECK(server.state().runs.count("unknown0") == 0);  // nor has one been made
  CHECK_FALSE(run_exists(settings, "unknown0"));
  CHECK(run_exists(settings, "abcd1234"));
}

TEST_CASE("a log that ends in the middle of a record is uploaded up to there", "[wandb][upload][crash]") {
  const TemporaryFolder folder;
  WandbServer server;
  const auto path = write_run(folder.path(), 30);
  fs::resize_file(path, fs::file_size(path) - 60);
  Said said;
  CHECK(do_sync({path}, settings_for(server), said).unended == 1);
  CHECK(holds(said.all(), "it is cut off inside a record"));
  CHECK(steps(server.state()) == up_to(30));
  CHECK(server.state().exit_code == 1);
}

TEST_CASE("large logs go in several posts", "[wandb][upload]") {
  const TemporaryFolder folder;
  WandbServer server;
  const auto path = write_run(folder.path(), 2000);
  auto options = fast();
  options.post_bytes = 20000;
  Said said;
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

TEST_CASE("a network that is away: sync gives up after its patience, and goes on another time", "[wandb][upload][faults]") {
  const TemporaryFolder folder;
  WandbServer server;
  const auto path = write_run(folder.path(), 10);
  const auto second = write_run(folder.path(), 10, true, "second00");
  server.stop();
  Said said;
  const auto begin = steady_now();
  CHECK(do_sync({path, second}, settings_for(server), said, 0.3).failed == 2);
  CHECK(steady_now() - begin < 3);
  REQUIRE(said.lines.size() == 1);  // the second would fare the same
  CHECK(holds(said.lines[0], "Couldn't connect to server\n  the same command goes on from here"));
  server.start_again();
  CHECK(do_sync({path, second}, settings_for(server), said).uploaded == 2);
}

TEST_CASE("logs that are being written, or uploaded, are left alone", "[wandb][upload]") {
  const TemporaryFolder folder;
  WandbServer server;
  RunLog log(folder.path(), grouped_run());
  Said said;
  CHECK(do_sync({log.path()}, settings_for(server), said).skipped == 1);
  CHECK(holds(said.all(), "is still being written; left alone"));
  const auto other = write_run(folder.path(), 3, true, "other000");
  const auto settings = settings_for(server);
  Api api(settings);
  RunUpload first(other, settings, fast());
  CHECK(first.step(api, 0, false) == RunUpload::State::kWaiting);
  CHECK(do_sync({other}, settings, said).skipped == 1);
  CHECK(holds(said.lines.back(), "is being uploaded by another process; left alone"));
}

TEST_CASE("what words mean on a command line", "[wandb][upload]") {
  const TemporaryFolder folder;
  const auto wandb = folder.path() / "wandb";
  const auto a = write_run(wandb, 1, true, "aaaaaaaa"), b = write_run(wandb, 1, true, "bbbbbbbb");
  const std::vector<fs::path> both{a, b};
  CHECK(find_logs({wandb}) == both);
  CHECK(find_logs({folder.path()}) == both);
  CHECK(find_logs({b, a.parent_path(), wandb}) == both);
  CHECK(find_logs({b.parent_path() / ""}) == std::vector<fs::path>{b});
  CHECK(find_logs({wandb / "latest-run"}).front().filename() == b.filename());
  CHECK_THROWS_WITH(find_logs({folder.path() / "no"}), Catch::Matchers::Contains("holds no W&B run") && Catch::Matchers::Contains("there is no such file or folder"));
}

TEST_CASE("live: rows arrive while the log is written", "[wandb][live]") {
  const TemporaryFolder folder;
  WandbServer server;
  Said said;
  Uploader uploader(settings_for(server), fast(), [&](const std::string& text) { said.add(text); });
  RunLog log(folder.path(), grouped_run());
  uploader.follow(log.path());
  for (int i = 0; i < 200; ++i) log.history(i, Row{{"loss", 1.0 * i}});
  CHECK(soon([&] { return steps(server.state()).size() == 200; }));
  CHECK_FALSE(server.state().complete);
  for (int i = 200; i < 250; ++i) log.history(i, Row{{"loss", 1.0 * i}});
  log.finish(0);
  CHECK(uploader.finish(10).empty());
  CHECK(uploader.project_page() == server.url() + "/ent/demo");
  const auto state = server.state();
  CHECK(steps(state) == up_to(250));
  CHECK(most_often_sent(state, "wandb-history.jsonl") == 1);
  CHECK(state.complete);
  CHECK(state.exit_code == 0);
  CHECK(fs::exists(log.path().string() + ".synced"));
  CHECK(said.lines.empty());
}

TEST_CASE("live: the network goes and comes back; logging never waits for it", "[wandb][live][faults]") {
  const TemporaryFolder folder;
  WandbServer server;
  Said said;
  Uploader uploader(settings_for(server), fast(), [&](const std::string& text) { said.add(text); });
  RunLog log(folder.path(), grouped_run());
  uploader.follow(log.path());
  log.history(0, Row{{"loss", 0}});
  REQUIRE(soon([&] { return steps(server.state()).size() == 1; }));
  server.stop();
  double longest = 0;
  for (int i = 1; i < 300; ++i) {
    const double begin = steady_now();
    log.history(i, Row{{"loss", 1.0 * i}});
    longest = std::max(longest, steady_now() - begin);
    if (i % 30 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  CHECK(longest < 0.5);
  CHECK(soon([&] { return holds(said.all(), "W&B takes nothing at the moment"); }));
  server.start_again();
  log.finish(0);
  CHECK(uploader.finish(10).empty());
  CHECK(steps(server.state()) == up_to(300));
  CHECK_FALSE(server.state().gaps);
}

TEST_CASE("live: Stop pressed in the web interface reaches the job", "[wandb][live]") {
  const TemporaryFolder folder;
  WandbServer server;
  Uploader uploader(settings_for(server), fast(), {});
  RunLog log(folder.path(), grouped_run()), other(folder.path(), grouped_run("other000"));
  uploader.follow(log.path());
  log.history(0, Row{{"loss", 0}});
  REQUIRE(soon([&] { return steps(server.state()).size() == 1; }));
  CHECK_FALSE(uploader.stop_requested(log.path()));
  WandbServer::Faults faults;
  faults.stop = true;
  server.set(faults);
  CHECK(soon([&] { return uploader.stop_requested(log.path()); }));  // heartbeats ask
  CHECK_FALSE(uploader.stop_requested(other.path()));
  uploader.finish(5);
}

TEST_CASE("live: the end waits for a dead network no longer than it was told to", "[wandb][live][faults]") {
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
  server.stop();  // lets go of the hanging connection
  server.start_again();
  Said said;
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

// The live page's server, queried over loopback.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "catch.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/process.h"
#include "core/record/job_status.h"
#include "core/record/stop_request.h"
#include "plugins/serve/server/live_results.h"
#include "plugins/serve/server/log_columns.h"
#include "report/browser.h"
#include "report/chart_checks.h"
#include "report/fake_figures.h"
#include "report/fake_run.h"
#include "served.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

using ServeClock = std::chrono::steady_clock;

std::string next_of(const Got& got) {
  const auto at = got.head.find("X-Next: ");
  return at == std::string::npos ? "" : got.head.substr(at + 8, got.head.find('\r', at) - at - 8);
}

}  // namespace

TEST_CASE("the server requires a token and sets a cookie for it", "[serve]") {
  const Served s;
  const auto host = "Host: " + s.host() + "\r\n";
  for (const std::string path : {"/", "/page.js", "/api/runs", "/api/events", "/?token=secret-of-testz", "/?token="}) {
    CAPTURE(path);
    CHECK(s.ask(path, host).status == 401);
  }
  const auto first = s.ask("/?token=secret-of-tests", host);
  CHECK(first.status == 303);
  const auto cookie = "yatlab_" + std::to_string(s.server->port()) + "=secret-of-tests";
  CHECK(first.head.find("Set-Cookie: " + cookie + "; Path=/; HttpOnly; SameSite=Strict") != std::string::npos);
  const auto page = s.ask("/", host + "Cookie: other=1; " + cookie + "\r\n");
  CHECK(page.status == 200);
  CHECK(page.body.find("<!doctype html>") == 0);
  CHECK(page.head.find("default-src 'none'") != std::string::npos);
}

TEST_CASE("other hosts, cross-site requests and other methods are rejected", "[serve]") {
  const Served s;
  const std::string bearer = "Authorization: Bearer secret-of-tests\r\n";
  const auto port = std::to_string(s.server->port());
  CHECK(s.ask("/api/runs", bearer + "Host: evil.example:" + port + "\r\n").status == 403);
  CHECK(s.ask("/api/runs", bearer + "Host: evil.example\r\n").status == 403);
  CHECK(s.ask("/api/runs", bearer).status == 403);
  CHECK(s.ask("/api/runs", bearer + "Host: localhost:" + port + "\r\n").status == 200);
  CHECK(s.ask("/api/runs", s.own_fields() + "Origin: http://evil.example\r\n").status == 403);
  CHECK(s.ask("/api/runs", s.own_fields() + "Origin: http://" + s.host() + "\r\n").status == 200);
  CHECK(s.ask("/api/runs", s.own_fields(), "DELETE").status == 405);
  CHECK(s.ask("/api/runs", s.own_fields(), "POST").status == 405);
  CHECK(s.ask("/api/runs", s.own_fields() + "X: " + std::string(9000, 'x') + "\r\n").status == 431);
}

TEST_CASE("no path leads out of the folder of runs", "[serve]") {
  const Served s;
  write_file_atomic(s.scratch.path().parent_path() / "metrics.jsonl", "{\"step\": 1, \"secret\": 1}\n");
  const std::string up = "..%2F..%2F..%2F";
  for (const auto& target :
       {std::string("/api/run?run=..%2F.."), std::string("/api/run?run=mnist_inversion%2F.."), std::string("/api/run?run=%2Fetc"),
        "/api/run?run=mnist_inversion/" + s.run.run_id + "/..", std::string("/../../etc/passwd"),
        "/api/rows?run=" + s.name() + "&job=" + up + "..", "/api/rows?run=" + s.name() + "&job=%2Ftmp",
        std::string("/api/rows?run=") + s.name() + "&job=jobs%2F..%2F..%2F..%2F..", std::string("/api/run?run=mnist_inversion%00/x")}) {
    CAPTURE(target);
    const auto got = s.get(target);
    CHECK((got.status == 400 || got.status == 404));
    CHECK(got.body.find("secret") == std::string::npos);
  }
  // A link to a file outside the run is not served as its log.
  fs::create_directories(s.job("x"));
  fs::create_symlink(s.scratch.path().parent_path() / "metrics.jsonl", s.job("x") / "metrics.jsonl");
  CHECK(s.get("/api/rows?run=" + s.name() + "&job=jobs/x").body.empty());
  fs::remove(s.scratch.path().parent_path() / "metrics.jsonl");
}

TEST_CASE("the API lists runs and a run's arms, tables and jobs", "[serve]") {
  const Served s;
  const auto begin = ServeClock::now();
  const auto runs = s.get("/api/runs");
  CHECK(std::chrono::duration<double>(ServeClock::now() - begin).count() < 5);
  REQUIRE(runs.status == 200);
  REQUIRE(runs.json()["runs"].size() == 1);
  CHECK(runs.json()["runs"][0]["run"] == s.name());
  CHECK(s.get("/api/runs?filter=test/accuracy%3E0.92").json()["runs"][0]["found"][0]["arm"] == "yat");
  CHECK(s.get("/api/runs?filter=nonsense%3E0.92").status == 400);
  const auto run = s.get("/api/run?run=" + s.name()).json();
  CHECK(run["arms"].size() == 2);
  CHECK(run["arms"][1]["leads"] == true);
  CHECK(run["arms"][1]["n"] == 5);
  auto tie = s.run;
  tie.run_id = "2026-11-22_14-02-11-3fa9c1";
  for (std::size_t i = 0; i < 5; ++i) tie.jobs[i].metrics["test/accuracy"] = tie.jobs[i + 5].metrics["test/accuracy"];
  tie.write(s.scratch.path() / "mnist_inversion" / tie.run_id);
  for (const auto& arm : s.get("/api/run?run=mnist_inversion/" + tie.run_id).json()["arms"]) CHECK_FALSE(arm.contains("leads"));
  CHECK(run["arms"][1]["value"].get<double>() == Approx(0.9230));
  std::string order;
  for (const auto& part : run["html"]) order += part["id"].get<std::string>() + " ";
  CHECK(order == "head arms results figures curves jobs log protocol config made ");
  CHECK(run["html"][2]["html"].get<std::string>().find("class=\"badge reproduced\"") != std::string::npos);
  CHECK(run["html"].dump().find("href=") == std::string::npos);  // the server has no files of the run
  CHECK(run["jobs"]["rows"].size() == 10);
  CHECK(run["jobs"]["rows"][0]["state"] == "completed");
}

TEST_CASE("figures are drawn from existing data and missing data are reported", "[serve]") {
  Served s;
  auto with = mnist_run_with_artifacts();
  with.run_id = "2026-11-22_14-02-11-3fa9c1";
  with.write(s.scratch.path() / "mnist_inversion" / with.run_id);
  const auto listed = s.get("/api/run?run=mnist_inversion/" + with.run_id).json()["figures"];
  REQUIRE(listed.size() >= 1);
  CHECK(listed[0]["id"] == "fig:mnist_prototypes");
  const auto drawn = s.get("/api/figure?run=mnist_inversion/" + with.run_id + "&id=fig:mnist_prototypes").json();
  INFO(drawn.dump());
  REQUIRE(drawn.is_array());
  REQUIRE(drawn.size() == 1);
  CHECK(drawn[0]["svg"].get<std::string>().find("<svg") != std::string::npos);
  CHECK(drawn[0]["note"] == "One seed (0).");
  const auto without = s.get("/api/figure?run=" + s.name() + "&id=fig:mnist_prototypes");
  CHECK(without.json()["error"].get<std::string>().find("cannot draw figure") == 0);
  CHECK(without.json()["why"].get<std::string>().find("prototypes") != std::string::npos);
  CHECK(s.get("/api/figure?run=" + s.name() + "&id=fig:none").status == 404);
  CHECK_FALSE(is_there(s.scratch.path() / s.name() / "figures"));  // it only reads
}

TEST_CASE("the end of the log is sent in whole lines", "[serve]") {
  const Served s;
  CHECK(s.get("/api/log?run=" + s.name()).json()["log"] == "");
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "line " + std::to_string(i) + "\n";
  std::ofstream(s.scratch.path() / s.name() / "log.txt") << text;
  const auto log = s.get("/api/log?run=" + s.name()).json()["log"].get<std::string>();
  CHECK(log.size() <= 64 << 10);
  CHECK(log.size() > 60'000);
  CHECK(log.rfind("line ", 0) == 0);
  CHECK(text.compare(text.size() - log.size(), log.size(), log) == 0);
}

namespace {

/// An idle process, in the place of one that runs a job.
struct Worker {
  Worker() : pid(start_process({"sleep", "60"}, scratch.path() / "output")) {}
  ~Worker() {
    if (pid != 0) ::kill(pid, SIGKILL), ::waitpid(pid, nullptr, 0);
  }
  void does(const fs::path& job) const {
    JobStatus status;
    status.state = JobState::kRunning;
    status.host = host_name();
    status.pid = pid;
    write_job_status(job, status);
    write_heartbeat(job, {std::time(nullptr), 1, 10, 1, ""});
  }
  /// The signal that ended it; 0 while it is running.
  int ended_by() {
    int status = 0;
    for (int i = 0; i < 20; ++i) {
      if (::waitpid(pid, &status, WNOHANG) == pid) {
        pid = 0;
        return WIFSIGNALED(status) ? WTERMSIG(status) : -1;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return 0;
  }
  TemporaryFolder scratch;
  pid_t pid;
};

}  // namespace

TEST_CASE("stop reaches the processes of a run or a single job", "[serve]") {
  const Served s;
  Worker one, two;
  one.does(s.job("yat/seed=0"));
  two.does(s.job("yat/seed=1"));
  two.does(s.job("yat/seed=2"));
  const auto stop = [&](const std::string& job) {
    return s.ask("/api/stop?run=" + s.name() + job, s.own_fields() + "Content-Length: 0\r\n", "POST").json();
  };
  CHECK(s.get("/api/stop?run=" + s.name()).status == 404);  // GET changes nothing
  StopRequest first(s.job("yat/seed=1")), second(s.job("yat/seed=2"));
  CHECK_FALSE(second.made());
  CHECK(stop("&job=jobs/linear/seed=0")["asked"] == 0);  // does not run
  CHECK(stop("&job=../../elsewhere")["asked"] == 0);
  CHECK(stop("&job=jobs/yat/seed=2")["asked"] == 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  CHECK(second.made());
  CHECK_FALSE(first.made());
  CHECK(one.ended_by() == 0);
  CHECK(two.ended_by() == 0);
  CHECK(stop("")["asked"] == 2);
  CHECK(one.ended_by() == SIGTERM);
  CHECK(two.ended_by() == SIGTERM);
}

TEST_CASE("resume starts the run's command again unless the run is active", "[serve]") {
  Served s;
  auto run = s.run;
  run.overrides = {"trainer.epochs=2", "title=a b"};
  run.run_id = "2026-11-22_14-02-11-3fa9c1";
  run.write(s.scratch.path() / "mnist_inversion" / run.run_id);
  const TemporaryFolder scratch;
  const auto script = scratch.path() / "run.sh", out = scratch.path() / "words";
  std::ofstream(script) << "#!/bin/sh\necho begun\nprintf '%s\\n' \"$@\" > " << out.string() << ".new\nmv " << out.string() << ".new "
                        << out.string() << "\n";
  fs::permissions(script, fs::perms::owner_all);
  ::setenv("YATLAB_RUN", script.c_str(), 1);
  const auto resume = [&](const std::string& name) {
    return s.ask("/api/resume?run=" + name, s.own_fields() + "Content-Length: 0\r\n", "POST");
  };
  REQUIRE(resume("mnist_inversion/" + run.run_id).status == 200);
  for (int i = 0; i < 200 && !is_there(out); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  REQUIRE(is_there(out));
  CHECK(read_file(out) ==
        "run\nexperiments/mnist_inversion.yaml\ntrainer.epochs=2\ntitle=a b\nresults=" + s.scratch.path().string() + "\n");
  CHECK(s.get("/api/log?run=mnist_inversion/" + run.run_id).json()["resumed"] == "begun\n");
  Worker worker;
  worker.does(s.job("yat/seed=0"));
  const auto refused = resume(s.name());
  CHECK(refused.status == 400);
  CHECK(refused.json()["error"] == "this run is already in progress");
  ::unsetenv("YATLAB_RUN");
}

TEST_CASE("metric rows are sent from a byte offset in whole lines", "[serve]") {
  const Served s;
  const auto file = s.job("yat/seed=0") / "metrics.jsonl";
  const std::string first = "{\"step\": 1, \"train/loss\": 2}\n", second = "{\"step\": 2, \"train/loss\": \"nan\"}\n";
  std::ofstream(file) << first << second.substr(0, 9);
  const auto rows = "/api/rows?run=" + s.name() + "&job=jobs/yat/seed%3D0&from=";
  auto got = s.get(rows + "0");
  CHECK(got.body == first);
  REQUIRE(next_of(got) == std::to_string(first.size()));
  std::ofstream(file, std::ios::app) << second.substr(9);
  got = s.get(rows + next_of(got));
  CHECK(got.body == second);
  got = s.get(rows + next_of(got));
  CHECK(got.body.empty());
  CHECK(next_of(got) == std::to_string(first.size() + second.size()));
  std::ofstream(file) << first;  // started again
  CHECK(s.get(rows + next_of(got)).body == first);
  CHECK(s.get("/api/rows?run=" + s.name() + "&job=jobs/yat/seed%3D1").body.empty());
}

TEST_CASE("rows are sent as columns whatever their lines contain", "[serve]") {
  const auto columns = [](const std::string& bytes) {
    const auto end = bytes.find('\n') + 1;
    CHECK(end % 8 == 0);
    const auto head = Json::parse(bytes.substr(0, end));
    const std::size_t rows = head["rows"];
    REQUIRE(bytes.size() == end + 8 * rows * head["names"].size());
    std::map<std::string, std::vector<double>> out;
    for (std::size_t k = 0; k < head["names"].size(); ++k) {
      auto& column = out[head["names"][k]];
      column.resize(rows);
      std::memcpy(column.data(), bytes.data() + end + 8 * rows * k, 8 * rows);
    }
    return out;
  };
  const auto got =
      columns(log_columns("{\"step\":1,\"a\":0.1}\n"
                          "{\"step\": 2, \"a\": \"nan\", \"b\": -1e-3}\n"
                          "cut off {\"step\":\n"
                          "\n"
                          "{\"step\":3,\"b\":null,\"x\\\"y\":4}\n"
                          "{\"a\":1e400,\"step\":4}\n"
                          "{\"step\":5,\"a\":7"));
  REQUIRE(got.at("step").size() == 3);
  CHECK(got.at("step") == std::vector<double>{1, 2, 3});
  CHECK(got.at("a")[0] == 0.1);
  CHECK(std::isinf(got.at("a")[1]));
  CHECK(std::isnan(got.at("a")[2]));
  CHECK(std::isnan(got.at("b")[0]));
  CHECK(got.at("b")[1] == -1e-3);
  CHECK(std::isinf(got.at("b")[2]));
  CHECK(got.at("x\"y")[2] == 4);
  CHECK(columns(log_columns("")).empty());
  const Served s;
  std::ofstream(s.job("yat/seed=0") / "metrics.jsonl") << "{\"step\":1,\"train/loss\":2}\n{\"step\"";
  const auto sent = s.get("/api/rows?as=columns&run=" + s.name() + "&job=jobs/yat/seed%3D0&from=0");
  CHECK(next_of(sent) == "26");
  CHECK(columns(sent.body).at("train/loss") == std::vector<double>{2});
  CHECK(columns(s.get("/api/rows?as=columns&run=" + s.name() + "&job=jobs/yat/seed%3D1").body).empty());
}

TEST_CASE("slow clients are disconnected and do not block others", "[serve]") {
  const Served s(0.5, 8);
  std::vector<std::unique_ptr<Client>> slow;
  for (int i = 0; i < 40; ++i) {
    slow.push_back(std::make_unique<Client>(s.server->port()));
    slow.back()->send("GET / HT");
  }
  CHECK(s.get("/api/runs").status == 200);
  slow.back()->read("\nno such thing\n", 5);
  CHECK(slow.back()->closed);
}

TEST_CASE("runs that appear or vanish cause events", "[serve]") {
  const Served s;
  Client listener(s.server->port());
  listener.send(s.request("/api/events", s.own_fields()));
  CHECK(listener.read(": here").find("text/event-stream") != std::string::npos);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  fs::rename(s.scratch.path() / s.name(), s.scratch.path() / "mnist_inversion" / ".moved");
  CHECK(listener.read("{\"runs\":true}").find("{\"runs\":true}") != std::string::npos);
  CHECK(s.get("/api/run?run=" + s.name()).status == 404);
  CHECK(s.get("/api/runs").json()["runs"].empty());
}

TEST_CASE("a port in use is an error or the next port is used", "[serve]") {
  const Served s;
  HttpServerOptions options;
  options.port = s.server->port();
  CHECK_THROWS_AS(HttpServer(options), Error);
  options.ports = 20;
  CHECK(HttpServer(options).port() > s.server->port());
}

TEST_CASE("the page works live in a browser without errors and with labels as text", "[serve]") {
  if (Browser::program().empty()) {
    WARN("skipped: chromium is not installed (apt-get install chromium)");
    return;
  }
  Served s;
  const std::string label = "<script>window.broken=1</script>\"'\u202e";
  auto evil = s.run;
  evil.run_id = "2026-11-22_14-02-11-3fa9c1";
  evil.config.replace(evil.config.find("title: \"MNIST"), 13,
                      "labels: {yat: '<img src=x onerror=\"window.broken=1\">'}\ntitle: \"<b>MNIST");
  evil.overrides = {label};
  evil.jobs[9].state = "failed";
  evil.jobs[9].error = label;
  for (auto& job : evil.jobs) {
    for (int step = 1; step <= 50; ++step)
      job.curve.push_back(
          {{"step", step}, {"train/loss", step == 7 ? Json("nan") : Json(1.0 / step + 0.01 * job.seed)}, {"<i>name</i>", step}});
  }
  evil.write(s.scratch.path() / "mnist_inversion" / evil.run_id);
  auto curved = s.run;
  curved.run_id = "2026-11-20_14-02-11-3fa9c1";
  add_curves(curved);
  curved.write(s.scratch.path() / "mnist_inversion" / curved.run_id);
  std::ofstream(s.scratch.path() / "mnist_inversion" / evil.run_id / "log.txt") << "2026-11-22 begin yat seed=0\n";
  Browser browser;
  browser.resize(1400, 2400);
  const auto until = [&](const std::string& expression) {
    for (int i = 0; i < 200; ++i) {
      if (browser.eval(expression) == true) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  };
  browser.call("Page.navigate", {{"url", "http://" + s.host() + "/?token=secret-of-tests"}});
  REQUIRE(until("document.querySelectorAll('table.runs tbody tr').length === 3"));
  CHECK(browser.eval("location.href") == "http://" + s.host() + "/");
  CHECK(until("document.getElementById('live').textContent === 'live'"));
  browser.eval("location.hash = '#/run/mnist_inversion/" + evil.run_id + "'");
  REQUIRE(until("document.querySelectorAll('table.jobs tbody tr[data-dir]').length === 10"));
  REQUIRE(until("document.querySelectorAll('.chart[data-drawn=\"2\"]').length === 2"));
  CHECK(browser.eval("document.querySelectorAll('main script, main img, main b b').length") == 0);
  CHECK(browser.eval("window.broken === undefined") == true);
  CHECK(browser.eval("document.querySelector('h1').textContent").get<std::string>().rfind("<b>MNIST", 0) == 0);
  for (const int width : {360, 800, 1600}) {
    browser.resize(width, 900);
    CAPTURE(width);
    CHECK(browser.eval("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0);
  }
  CHECK(until("[...document.querySelectorAll('.drawn')].every(d => d.dataset.drawn === '1')"));
  CHECK(browser.eval("document.querySelectorAll('.drawn').length").get<int>() >= 1);
  browser.eval("document.querySelector('#log details').open = true");
  CHECK(until("document.querySelector('#log pre').textContent.includes('begin yat')"));
  // Two runs side by side, at the address that the list links to.
  browser.eval("location.hash = '#/compare/' + ['" + s.name() + "', 'mnist_inversion/" + evil.run_id +
               "'].map(encodeURIComponent).join(',')");
  CHECK(until("(document.querySelector('h1') || {}).textContent === '2 runs'"));
  // A run that appears while the list is open is added to it.
  browser.eval("location.hash = '#/'");
  REQUIRE(until("document.querySelectorAll('table.runs tbody tr').length === 3"));
  evil.run_id = "2026-11-23_14-02-11-3fa9c1";
  evil.write(s.scratch.path() / "mnist_inversion" / evil.run_id);
  CHECK(until("document.querySelectorAll('table.runs tbody tr').length === 4"));
  browser.eval("location.hash = '#/run/mnist_inversion/" + curved.run_id + "'");
  REQUIRE(until("document.querySelectorAll('table.jobs tbody tr[data-dir]').length === 10"));
  browser.resize(1200, 900);
  check_chart(browser);
  auto sweep = sweep_run();
  sweep.write(s.scratch.path() / sweep.experiment / sweep.run_id);
  browser.eval("location.hash = '#/run/" + sweep.experiment + "/" + sweep.run_id + "'");
  REQUIRE(until("document.querySelectorAll('.point').length === 14"));
  browser.eval("document.querySelector('.point').dispatchEvent(new MouseEvent('click', {bubbles: true}))");
  CHECK(browser.eval("document.getElementById('jobs-count').textContent").get<std::string>().rfind("3 of 45 jobs: ", 0) == 0);
  // The same points as a heat map: the one without a finite value has no cell.
  CHECK(browser.eval("[...document.querySelectorAll('.heat tbody tr')].map(r => r.querySelectorAll('.cell').length).join()") == "4,5,5");
  CHECK(browser.eval("[...document.querySelectorAll('.heat thead th, .heat tbody th')].map(t => t.textContent).join()") ==
        "1e-5,0.001,0.1,1,10,2,1,0.5");
  browser.eval("document.querySelector('.heat tbody tr:nth-child(2) td:nth-child(3) .cell').click()");
  CHECK(browser.eval("[...document.querySelectorAll('table.jobs tbody tr[data-dir]')].map(r => r.cells[1].textContent + ' ' + "
                     "r.cells[2].textContent).join()") == "0.001 1,0.001 1,0.001 1");
  for (const auto& complaint : browser.complaints) FAIL_CHECK(complaint);
  for (const auto& request : browser.requests) CHECK(request.rfind("http://" + s.host() + "/", 0) == 0);
}

TEST_CASE("events contain changed fields and new rows of a job", "[serve]") {
  const Served s;
  const auto running = s.job("yat/seed=0"), waiting = s.job("yat/seed=1");
  const auto file = running / "metrics.jsonl";
  for (const char* name : {"status.json", "summary.json"}) fs::remove(waiting / name);
  const auto set = [&](const fs::path& job, JobState state) {
    JobStatus status;
    status.state = state;
    status.host = host_name();
    status.pid = ::getpid();
    write_job_status(job, status);
  };
  const auto append = [&](const std::string& bytes) { std::ofstream(file, std::ios::app) << bytes; };
  const std::string row = "{\"step\": 1, \"train/loss\": 2}\n";
  append(row);
  set(running, JobState::kRunning);
  write_heartbeat(running, {std::time(nullptr), 1, 10, 1, ""});
  Client listener(s.server->port());
  listener.send(s.request("/api/events", s.own_fields()));
  listener.read(": here");
  const auto next_of = [&](const std::string& job) {
    for (int i = 0; i < 50; ++i) {
      const auto text = listener.read("\n\n");
      listener.forget();
      for (auto at = text.find("data: "); at != std::string::npos; at = text.find("data: ", at + 1)) {
        const auto event = Json::parse(text.substr(at + 6, text.find('\n', at) - at - 6));
        for (const auto& item : event.value("jobs", Json::array())) {
          if (item["job"] == job) return item;
        }
      }
    }
    return Json();
  };
  const auto first = next_of("jobs/yat/seed=0");
  CHECK(first["state"] == "running");
  CHECK(first["arm"] == "yat");
  CHECK(first["bytes"] == row.size());
  CHECK_FALSE(first.contains("rows"));  // the page has asked for them
  append(row + "{\"step\": 2,");
  auto item = next_of("jobs/yat/seed=0");
  CHECK(item["state"] == "running");
  CHECK_FALSE(item.contains("arm"));
  CHECK(item["from"] == row.size());
  CHECK(item["next"] == 2 * row.size());
  CHECK(item["rows"] == row);
  append(" \"train/loss\": 1}\n");
  item = next_of("jobs/yat/seed=0");
  CHECK(item["from"] == 2 * row.size());
  CHECK(item["rows"] == "{\"step\": 2, \"train/loss\": 1}\n");
  std::string many;
  for (int i = 0; i < 200; ++i) many += row;
  append(many);
  item = next_of("jobs/yat/seed=0");
  CHECK(item["bytes"] == 203 * row.size());
  CHECK_FALSE(item.contains("rows"));
  append(row);
  CHECK(next_of("jobs/yat/seed=0")["from"] == 203 * row.size());
  std::ofstream(file) << row;  // the job is done again
  CHECK_FALSE(next_of("jobs/yat/seed=0").contains("rows"));
  set(waiting, JobState::kRunning);
  write_heartbeat(waiting, {std::time(nullptr), 1, 10, 1, ""});
  CHECK(next_of("jobs/yat/seed=1")["state"] != "planned");
  set(running, JobState::kCompleted);
  CHECK(next_of("jobs/yat/seed=0")["state"] == "completed");
}

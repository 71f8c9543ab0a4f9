// The live page with runs that vanish, damaged files, misbehaving clients and hostile names.
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "catch.h"
#include "core/base/files.h"
#include "core/base/process.h"
#include "core/record/job_status.h"
#include "holds.h"
#include "report/browser.h"
#include "served.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

void wait_ms(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

/// All files below a folder, with their sizes.
std::map<std::string, std::uintmax_t> files_in(const fs::path& folder) {
  std::map<std::string, std::uintmax_t> out;
  for (const auto& name : files_below(folder)) out[name] = fs::file_size(folder / name);
  return out;
}

/// Makes folders unwritable for this process while it exists. Permissions do not bind root, who becomes another user for that time.
class Unwritable {
 public:
  explicit Unwritable(const fs::path& folder) : folder_(folder) {
    if (::geteuid() == 0) {
      root_ = ::seteuid(65534) == 0;
    } else {
      change(fs::perm_options::remove);
    }
  }
  ~Unwritable() {
    if (root_)
      (void)!::seteuid(0);
    else
      change(fs::perm_options::add);
  }
  Unwritable(const Unwritable&) = delete;
  Unwritable& operator=(const Unwritable&) = delete;

 private:
  void change(fs::perm_options how) {
    fs::permissions(folder_, fs::perms::owner_write, how);
    for (fs::recursive_directory_iterator it(folder_), end; it != end; ++it) fs::permissions(it->path(), fs::perms::owner_write, how);
  }
  fs::path folder_;
  bool root_ = false;
};

/// A browser that shows the page of a server.
struct Visit {
  explicit Visit(const Served& s) {
    browser.resize(1400, 2400);
    browser.call("Page.navigate", {{"url", "http://" + s.host() + "/?token=secret-of-tests"}});
  }
  bool until(const std::string& expression) {
    for (int i = 0; i < 200; ++i) {
      if (browser.eval(expression) == true) return true;
      wait_ms(50);
    }
    return false;
  }
  bool lists(int runs) { return until("document.querySelectorAll('table.runs tbody tr').length === " + std::to_string(runs)); }
  Browser browser;
};

bool no_browser() {
  if (!Browser::program().empty()) return false;
  WARN("skipped: no chromium (apt-get install chromium)");
  return true;
}

}  // namespace

TEST_CASE("the page reads rows in events as it reads them in the log", "[serve]") {
  if (no_browser()) return;
  const Served s;
  const auto job = s.job("yat/seed=0");
  fs::remove(job / "summary.json");
  JobStatus status;
  status.state = JobState::kRunning;
  status.host = host_name();
  status.pid = ::getpid();
  write_job_status(job, status);
  write_heartbeat(job, {std::time(nullptr), 1, 10, 1, ""});
  const auto append = [&](const std::string& rows) { std::ofstream(job / "metrics.jsonl", std::ios::app) << rows; };
  append("{\"step\":1,\"epoch\":0.1,\"train/loss\":2}\n");
  Visit visit(s);
  REQUIRE(visit.lists(1));
  visit.browser.eval("location.hash = '#/run/" + s.name() + "'");
  REQUIRE(visit.until("document.querySelectorAll('.chart').length > 0"));
  visit.browser.eval("log = () => document.querySelector('.chart').chart.board.logs.find(l => l.dir === 'jobs/yat/seed=0')");
  CHECK(visit.until("log().rows === 1"));
  append("{\"step\":2,\"epoch\":0.2,\"train/loss\":1.5}\n");
  REQUIRE(visit.until("log().rows === 2"));  // now the server knows how far the log is
  const auto requests = [&] {
    const auto& all = visit.browser.requests;
    return std::count_if(all.begin(), all.end(), [](const auto& address) { return address.find("/api/rows") != std::string::npos; });
  };
  wait_ms(1500);
  visit.browser.eval("1");
  const auto before = requests();
  append("{\"step\":3,\"train/loss\":\"nan\",\"extra\":7}\n{\"step\":4,\"epoch\":0.4,\"train/loss\":null}\n");
  REQUIRE(visit.until("log().rows === 4"));
  CHECK(visit.browser.eval("[...log().metrics.get('train/loss').y.all].join()") == "2,1.5,Infinity,Infinity");
  CHECK(visit.browser.eval("[...log().metrics.get('extra').at.all].join() + ':' + [...log().metrics.get('extra').y.all].join()") == "2:7");
  CHECK(visit.browser.eval("[...log().x.step.all].join()") == "1,2,3,4");
  CHECK(visit.browser.eval("[...log().x.epoch.all].join()") == "0.1,0.2,NaN,0.4");
  CHECK(requests() == before);
  for (const auto& complaint : visit.browser.complaints) FAIL_CHECK(complaint);
}

TEST_CASE("a run that is moved back and forth gives 200 or 404", "[serve]") {
  const Served s;
  std::atomic<bool> ended{false};
  const auto aside = s.scratch.path() / "mnist_inversion" / ".aside";
  std::thread moving([&] {
    while (!ended) {
      fs::rename(s.folder(), aside);
      wait_ms(3);
      fs::rename(aside, s.folder());
      wait_ms(3);
    }
  });
  std::map<int, int> seen;
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::seconds(1) ||
         (seen.size() < 2 && std::chrono::steady_clock::now() - begin < std::chrono::seconds(20))) {
    for (const std::string what :
         {"run?run=", "status?run=", "log?run=", "rows?job=jobs/yat/seed%3D0&run=", "figure?id=fig:mnist_prototypes&run="}) {
      const auto answer = s.get("/api/" + what + s.name());
      ++seen[answer.status];
      INFO(what << answer.body);
      CHECK((answer.status == 200 || answer.status == 404));
    }
    CHECK(s.get("/api/runs").status == 200);
  }
  ended = true;
  moving.join();
  CHECK(seen.size() == 2);
  CHECK(s.get("/api/run?run=" + s.name()).json()["arms"][1]["n"] == 5);
}

TEST_CASE("a moved run is listed at its new place", "[serve]") {
  const Served s;
  fs::create_directories(s.scratch.path() / "elsewhere");
  fs::rename(s.folder(), s.scratch.path() / "elsewhere" / s.run.run_id);
  CHECK(s.get("/api/run?run=" + s.name()).status == 404);
  const auto runs = s.get("/api/runs").json()["runs"];
  REQUIRE(runs.size() == 1);
  CHECK(runs[0]["run"] == "elsewhere/" + s.run.run_id);
  CHECK(s.get("/api/run?run=elsewhere/" + s.run.run_id).json()["jobs"]["rows"].size() == 10);
}

TEST_CASE("truncated files are reported and do not affect other runs", "[serve]") {
  const Served s;
  auto whole = s.run;
  whole.run_id = "2026-11-22_14-02-11-3fa9c1";
  whole.write(s.scratch.path() / "mnist_inversion" / whole.run_id);
  const auto halve = [](const fs::path& file) { fs::resize_file(file, fs::file_size(file) / 2); };
  const auto state_of = [&](std::size_t job) { return s.get("/api/run?run=" + s.name()).json()["jobs"]["rows"][job]["state"]; };
  halve(s.job("yat/seed=4") / "status.json");
  halve(s.job("yat/seed=3") / "summary.json");
  const auto run = s.get("/api/run?run=" + s.name());
  REQUIRE(run.status == 200);
  CHECK(run.json()["arms"][1]["n"] == 4);  // a summary counts without its status
  std::string problems;
  const auto shown = run.json();
  for (const auto& part : shown["html"]) {
    if (part["id"] == "problems") problems = part["html"];
  }
  INFO(problems);
  CHECK(holds(problems, "status.json"));
  CHECK(holds(problems, "summary.json"));
  CHECK(state_of(0) == "completed");
  CHECK(state_of(9) != "completed");
  // A log that loses its end while a page has read it: what the page has is behind the end, so it begins anew.
  const std::string line = "{\"step\": 1, \"train/loss\": 2}\n";
  const auto log = s.job("yat/seed=0") / "metrics.jsonl";
  std::ofstream(log) << line << line << line;
  const auto rows = "/api/rows?run=" + s.name() + "&job=jobs/yat/seed%3D0&from=";
  CHECK(s.get(rows + "0").body.size() == 3 * line.size());
  fs::resize_file(log, line.size() + line.size() / 2);
  const auto again = s.get(rows + std::to_string(3 * line.size()));
  CHECK(again.body == line);
  CHECK(again.head.find("X-From: 0") != std::string::npos);
  for (const char* from : {"-1", "1e9", "99999999999999999999999", "x", ""}) {
    CAPTURE(from);
    CHECK(s.get(rows + from).body.size() <= line.size());
  }
  for (const char* name : {"config.yaml", "plan.json"}) {
    CAPTURE(name);
    const auto bytes = read_file(s.folder() / name);
    halve(s.folder() / name);
    const auto broken = s.get("/api/run?run=" + s.name());
    CHECK((broken.status == 400 || broken.status == 404));
    CHECK(broken.json()["error"].get<std::string>().size() > 10);
    const auto runs = s.get("/api/runs").json()["runs"];
    REQUIRE(runs.size() == 2);
    CHECK(runs[1]["problem"].get<std::string>().find(name) != std::string::npos);
    CHECK(s.get("/api/run?run=mnist_inversion/" + whole.run_id).json()["arms"][1]["n"] == 5);
    std::ofstream(s.folder() / name, std::ios::binary) << bytes;
    CHECK(s.get("/api/run?run=" + s.name()).status == 200);
  }
}

TEST_CASE("a read-only folder of runs is served", "[serve]") {
  const Served s;
  std::ofstream(s.folder() / "log.txt") << "begun\n";
  std::ofstream(s.job("yat/seed=0") / "metrics.jsonl") << "{\"step\": 1, \"train/loss\": 2}\n";
  const auto before = files_in(s.scratch.path());
  {
    const Unwritable unwritable(s.scratch.path());
    CHECK_THROWS(write_file_unsynced(s.scratch.path() / "new", "x"));
    for (int i = 0; i < 2; ++i) CHECK(s.get("/api/runs").json()["runs"].size() == 1);
    CHECK(s.get("/api/run?run=" + s.name()).json()["arms"][1]["n"] == 5);
    CHECK(s.get("/api/log?run=" + s.name()).json()["log"] == "begun\n");
    CHECK(s.get("/api/rows?run=" + s.name() + "&job=jobs/yat/seed%3D0").body.size() == 29);
    // What would write says that it cannot.
    const auto resumed = s.ask("/api/resume?run=" + s.name(), s.own_fields() + "Content-Length: 0\r\n", "POST");
    CHECK(resumed.status != 200);
    CHECK(resumed.json()["error"].get<std::string>().size() > 10);
  }
  CHECK(files_in(s.scratch.path()) == before);
}

TEST_CASE("two pages receive the same events, also after one is closed", "[serve]") {
  const Served s;
  auto first = std::make_unique<Client>(s.server->port());
  Client second(s.server->port());
  for (auto* listener : {first.get(), &second}) {
    listener->send(s.request("/api/events", s.own_fields()));
    CHECK(listener->read(": here").find(": here") != std::string::npos);
  }
  wait_ms(300);
  auto run = s.run;
  run.run_id = "2026-11-22_14-02-11-3fa9c1";
  run.write(s.scratch.path() / "mnist_inversion" / run.run_id);
  for (auto* listener : {first.get(), &second}) CHECK(listener->read("{\"runs\":true}").find("{\"runs\":true}") != std::string::npos);
  first.reset();
  second.read("\nno such thing\n", 0.5);
  second.forget();
  run.run_id = "2026-11-23_14-02-11-3fa9c1";
  run.write(s.scratch.path() / "mnist_inversion" / run.run_id);
  CHECK(second.read("{\"runs\":true}").find("{\"runs\":true}") != std::string::npos);
}

TEST_CASE("no file is read while no run is active", "[serve]") {
  const Served s;
  for (fs::recursive_directory_iterator it(s.scratch.path()), end; it != end; ++it)
    fs::last_write_time(it->path(), fs::file_time_type::clock::now() - std::chrono::hours(2));
  Client listener(s.server->port());
  listener.send(s.request("/api/events", s.own_fields()));
  listener.read(": here");
  wait_ms(500);
  const int watch = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  ::inotify_add_watch(watch, s.scratch.path().c_str(), IN_OPEN | IN_ACCESS);
  for (fs::recursive_directory_iterator it(s.scratch.path()), end; it != end; ++it) {
    if (it->is_directory()) ::inotify_add_watch(watch, it->path().c_str(), IN_OPEN | IN_ACCESS);
  }
  char bytes[65536];
  while (::read(watch, bytes, sizeof bytes) > 0) {  // what this test opened
  }
  wait_ms(1000);  // ten checks
  CHECK(::read(watch, bytes, sizeof bytes) < 0);
  s.get("/api/run?run=" + s.name());
  CHECK(::read(watch, bytes, sizeof bytes) > 0);  // reading would have been seen
  ::close(watch);
}

TEST_CASE("500 slow or half-open clients do not delay others and are disconnected", "[serve]") {
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  if (limit.rlim_max < 1200) {
    WARN("skipped: fewer than 1,200 open files are allowed");
    return;
  }
  const auto before = limit.rlim_cur;
  limit.rlim_cur = std::max<rlim_t>(limit.rlim_cur, 1200);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
  {
    const Served s(2, 256);
    std::string text;
    for (int i = 0; i < 60'000; ++i)
      text += "{\"step\": " + std::to_string(i) + ", \"train/loss\": 0.123456789, \"test/loss\": 0.123456789}\n";
    std::ofstream(s.job("yat/seed=0") / "metrics.jsonl") << text;
    std::vector<std::unique_ptr<Client>> clients;
    const auto rows = s.request("/api/rows?run=" + s.name() + "&job=jobs/yat/seed%3D0", s.own_fields());
    for (int i = 0; i < 500; ++i) {
      clients.push_back(std::make_unique<Client>(s.server->port()));
      auto& client = *clients.back();
      if (i % 5 == 1) client.send("GET / HTTP/1.1\r\nHost: ");
      if (i % 5 == 2) client.send("POST /api/stop?run=x HTTP/1.1\r\n" + s.own_fields() + "Content-Length: 100\r\n\r\nhalf");
      if (i % 5 == 3) client.end_sending();
      if (i % 50 == 4) client.send(rows);  // and never reads the 4 MB
    }
    const auto begin = std::chrono::steady_clock::now();
    CHECK(s.get("/api/runs").status == 200);
    CHECK(s.get("/api/run?run=" + s.name()).status == 200);
    CHECK(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < 5);
    int left = 0;
    for (int i = 0; i < 500; ++i) {
      if (i % 50 == 4) continue;  // has half a minute to read
      clients[static_cast<std::size_t>(i)]->read("\nno such thing\n", 5);
      left += !clients[static_cast<std::size_t>(i)]->closed;
    }
    CHECK(left == 0);
  }
  limit.rlim_cur = before;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

TEST_CASE("child processes do not inherit sockets", "[serve]") {
  Served s;
  Client client(s.server->port());
  client.send("GET / HTTP/1.1\r\n");
  s.get("/api/runs");
  const TemporaryFolder scratch;
  const auto child = start_process({"sleep", "60"}, scratch.path() / "output");
  const auto port = s.server->port();
  s.stop();
  client.read("\nno such thing\n", 5);
  CHECK(client.closed);
  CHECK_NOTHROW(s.start_again(port));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_CASE("an open page reconnects when the server starts again", "[serve]") {
  if (no_browser()) return;
  Served s;
  Visit visit(s);
  REQUIRE(visit.lists(1));
  REQUIRE(visit.until("document.getElementById('live').className === 'on'"));
  const auto port = s.server->port();
  s.stop();
  CHECK(visit.until("document.getElementById('live').className === 'off'"));
  CHECK(visit.browser.eval("document.querySelectorAll('table.runs tbody tr').length") == 1);  // what was there stays
  auto run = s.run;
  run.run_id = "2026-11-22_14-02-11-3fa9c1";
  run.write(s.scratch.path() / "mnist_inversion" / run.run_id);
  s.start_again(port);
  CHECK(visit.until("document.getElementById('live').className === 'on'"));
  CHECK(visit.lists(2));
}

TEST_CASE("an open page reports that its run was removed", "[serve]") {
  if (no_browser()) return;
  const Served s;
  Visit visit(s), other(s);
  REQUIRE(visit.lists(1));
  REQUIRE(other.lists(1));
  visit.browser.eval("location.hash = '#/run/" + s.name() + "'");
  REQUIRE(visit.until("document.querySelectorAll('table.jobs tbody tr').length === 10"));
  fs::rename(s.folder(), s.scratch.path() / "mnist_inversion" / ".moved");
  CHECK(visit.until("(document.querySelector('[role=alert]') || document.body).textContent.includes('no run')"));
  CHECK(other.lists(0));
  fs::rename(s.scratch.path() / "mnist_inversion" / ".moved", s.folder());
  CHECK(other.lists(1));
}

TEST_CASE("hostile folder names and labels are shown as text, and links to them work", "[serve]") {
  if (no_browser()) return;
  const Served s;
  const std::string mark = "<img src=x onerror=window.broken=1>\n\"'&\u202e\u2066<script>window.broken=1</script>";
  auto run = s.run;
  run.experiment = "<img src=x onerror=window.broken=1>\n\"'&%2f#?\u202e\u2066";
  run.run_id = "2026-11-22_14-02-11 <b>\n\"'\u202e";
  run.title = mark;
  run.overrides = {mark};
  run.jobs[9].state = "failed";
  run.jobs[9].error = mark;
  run.config.replace(run.config.find("title: \"MNIST"), 7,
                     "labels: {yat: " + Json(mark).dump() + "}\nnotes: " + Json(mark).dump() + "\ntitle: ");
  run.write(s.scratch.path() / run.experiment / run.run_id);
  std::ofstream(s.scratch.path() / run.experiment / run.run_id / "notes.yaml")
      << "tags: [" << Json(mark).dump() << "]\nnote: " << Json(mark).dump() << "\n";
  Visit visit(s);
  REQUIRE(visit.lists(2));
  CHECK(visit.browser.eval("[...document.querySelectorAll('table.runs tbody tr')].map(r => r.dataset.run).includes(" +
                           Json(run.experiment + "/" + run.run_id).dump() + ")") == true);
  visit.browser.eval(
      "[...document.querySelectorAll('table.runs tbody tr')].find(r => r.dataset.run.startsWith('<')).querySelector('a').click()");
  CHECK(visit.until("document.querySelectorAll('table.jobs tbody tr[data-dir]').length === 10"));
  CHECK(visit.until("[...document.querySelectorAll('table.arms th')].some(h => h.textContent.includes('<script>'))"));
  CHECK(visit.browser.eval("document.querySelectorAll('main script, main img[src=x], main b b').length") == 0);
  CHECK(visit.browser.eval("window.broken === undefined") == true);
  for (const auto& complaint : visit.browser.complaints) FAIL_CHECK(complaint);
}

// What the live page costs, on made-up results: times, bytes and memory of the program `serve` and of a headless Chromium.
// docs/performance.md says how to run it, docs/measurements/serve.md what came out.
#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "bench/serve_folder.h"
#include "core/base/process.h"
#include "core/record/job_status.h"
#include "report/browser.h"
#include "serve/client.h"

namespace {

using namespace yatlab;
using namespace yatlab::testing;
using Clock = std::chrono::steady_clock;

constexpr const char *kToken = "token-of-benchmarks", *kServer = "127.0.0.2", *kRelay = "127.0.0.1";

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }
void wait(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::string ms(const std::vector<double>& seconds) {
  const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  return fmt::format("{:.0f} ms ({:.0f} to {:.0f}, n = {})", 1e3 * median(seconds), 1e3 * *least, 1e3 * *most, seconds.size());
}

/// The value of a line "Name:   123 kB" in MB.
double megabytes_in(const std::string& path, const std::string& name) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind(name + ":", 0) == 0) return std::stod(line.substr(name.size() + 1)) / 1024;
  }
  return 0;
}

double cpu_seconds(pid_t process) {
  std::ifstream in(fmt::format("/proc/{}/stat", process));
  std::string text{std::istreambuf_iterator<char>(in), {}};
  std::istringstream rest(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string word;
  double ticks = 0;
  for (int field = 3; rest >> word; ++field) {
    if (field == 14 || field == 15) ticks += std::stod(word);
  }
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

/// Read calls of a process so far (not of sockets).
long reads_of(pid_t process) {
  std::ifstream in(fmt::format("/proc/{}/io", process));
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("syscr: ", 0) == 0) return std::stol(line.substr(7));
  }
  return -1;
}

/// Memory of this process' browser in MB: of its pages (renderers), and of all its processes, each shared page counted in parts.
struct BrowserMemory {
  double pages = 0, all = 0;
};
BrowserMemory browser_memory() {
  BrowserMemory out;
  std::map<pid_t, pid_t> parents;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const auto pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    std::ifstream in(entry.path() / "stat");
    std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto name_end = text.rfind(')');
    if (name_end != std::string::npos) parents[pid] = std::atoi(text.c_str() + name_end + 4);
  }
  for (const auto& [pid, parent] : parents) {
    bool mine = false;
    for (auto at = parents.find(pid); at != parents.end() && at->second > 1; at = parents.find(at->second))
      mine = mine || at->second == ::getpid();
    if (!mine) continue;
    std::ifstream in(fmt::format("/proc/{}/cmdline", pid));
    std::string words{std::istreambuf_iterator<char>(in), {}};
    if (words.find("chrom") == std::string::npos) continue;
    const double size = megabytes_in(fmt::format("/proc/{}/smaps_rollup", pid), "Pss");
    out.all += size;
    if (words.find("--type=renderer") != std::string::npos) out.pages += size;
  }
  return out;
}

/// Passes connections on to the server, and counts their bytes in both directions.
class Relay {
 public:
  Relay() : listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    ::inet_pton(AF_INET, kRelay, &address.sin_addr);
    socklen_t size = sizeof address;
    if (::bind(listening_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listening_, 64) != 0 ||
        ::getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      throw std::runtime_error("no port");
    port = ntohs(address.sin_port);
    accepting_ = std::thread([this] { accept_all(); });
  }
  ~Relay() {
    ended_ = true;
    ::shutdown(listening_, SHUT_RDWR);
    accepting_.join();
    for (auto& thread : passing_) thread.join();
    ::close(listening_);
  }
  std::uint16_t port = 0;
  std::atomic<long> sent{0}, received{0};  ///< by the browser
  long bytes() const { return sent + received; }

 private:
  void accept_all() {
    for (;;) {
      const int browser = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
      if (browser < 0) return;
      passing_.emplace_back([this, browser] { pass(browser); });
    }
  }
  void pass(int browser) {
    const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    ::inet_pton(AF_INET, kServer, &address.sin_addr);
    std::vector<char> buffer(1 << 16);
    if (::connect(server, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
      pollfd both[] = {{browser, POLLIN, 0}, {server, POLLIN, 0}};
      for (bool open = true; open && !ended_;) {
        if (::poll(both, 2, 200) <= 0) continue;
        for (const int from : {0, 1}) {
          if (both[from].revents == 0) continue;
          const auto n = ::recv(both[from].fd, buffer.data(), buffer.size(), 0);
          if (n <= 0) open = false;
          if (n > 0) (from == 0 ? sent : received) += n;
          for (ssize_t done = 0; done < n;) {
            const auto m = ::send(both[1 - from].fd, buffer.data() + done, static_cast<std::size_t>(n - done), MSG_NOSIGNAL);
            if (m <= 0) break;
            done += m;
          }
        }
      }
    }
    ::close(server);
    ::close(browser);
  }

  int listening_;
  std::atomic<bool> ended_{false};
  std::thread accepting_;
  std::vector<std::thread> passing_;
};

/// The program `serve`, as a process of its own.
class Server {
 public:
  Server(const fs::path& results, std::uint16_t at) : port(at), begun_(Clock::now()) {
    pid = start_process({(program_path().parent_path() / "yatlab").string(), "serve", results.string(), "--host", kServer, "--port",
                         std::to_string(port), "--token", kToken},
                        output_.path() / "output");
  }
  ~Server() {
    ::kill(pid, SIGTERM);
    ::waitpid(pid, nullptr, 0);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Seconds from its start to the first byte of an answer.
  double first_byte() {
    for (;;) {
      try {
        Client client(port, kServer);
        client.send(request("/"));
        client.read("H");
        return since(begun_);
      } catch (const std::runtime_error&) {
        if (since(begun_) > 10) throw;
        wait(0.0005);
      }
    }
  }
  Got get(const std::string& target) const {
    Client client(port, kServer);
    client.send(request(target));
    return answer_in(client.read("\nno such thing\n", 60));
  }
  /// Asks some times, and prints what that takes.
  void measure(const std::string& target, int times) const {
    std::vector<double> took;
    const double before = cpu_seconds(pid);
    std::size_t size = 0;
    for (int i = 0; i < times; ++i) {
      const auto begin = Clock::now();
      size = get(target).body.size();
      took.push_back(since(begin));
    }
    fmt::print("{}: {}, {:.2f} s of CPU each, {} bytes\n", target, ms(took), (cpu_seconds(pid) - before) / times, size);
  }
  double most_memory() const { return megabytes_in(fmt::format("/proc/{}/status", pid), "VmHWM"); }
  std::string address(const char* host) const { return fmt::format("http://{}:{}/", host, port); }

  std::uint16_t port;
  pid_t pid = 0;

 private:
  std::string request(const std::string& target) const {
    return fmt::format("GET {} HTTP/1.1\r\nHost: {}:{}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\r\n", target, kServer, port,
                       kToken);
  }
  TemporaryFolder output_;
  Clock::time_point begun_;
};

/// A page in a headless browser that notes when parts of it appeared.
class Page {
 public:
  Page() {
    browser.resize(1400, 1000);
    browser.call("Page.addScriptToEvaluateOnNewDocument", {{"source", R"js(
      window.seen = {};
      window.tasks = [];
      new PerformanceObserver(list => { for (const e of list.getEntries()) { tasks.push(e.duration); window.quiet = e.startTime + e.duration; } })
        .observe({type: 'longtask', buffered: true});
      new MutationObserver(() => {
        for (const name of ['runs', 'arms', 'jobs']) {
          const rows = document.querySelectorAll('table.' + name + ' tbody tr').length;
          if (seen[name] || !rows) continue;
          seen[name] = {rows};
          requestAnimationFrame(() => setTimeout(() => { seen[name].painted = performance.now(); }));
        }
      }).observe(document, {childList: true, subtree: true});)js"}});
  }
  void go(const std::string& address) { browser.call("Page.navigate", {{"url", address}}); }
  bool until(const std::string& expression, double seconds = 120) {
    for (const auto begin = Clock::now(); since(begin) < seconds; wait(0.02)) {
      if (browser.eval(expression) == true) return true;
    }
    fmt::print("not within {} s: {}\n", seconds, expression);
    return false;
  }
  double number(const std::string& expression) {
    const auto value = browser.eval(expression);
    return value.is_number() ? value.get<double>() : 0;
  }
  /// Seconds after the navigation began.
  double painted(const std::string& part) {
    return until("!!(window.seen && seen." + part + " && seen." + part + ".painted)") ? number("seen." + part + ".painted") / 1e3 : 0;
  }
  /// Waits until no request was made for a while, at most two minutes; returns seconds until the last one.
  double requests_end() {
    const auto begin = Clock::now();
    double last = 0;
    for (auto before = browser.requests.size(); since(begin) - last < 3 && since(begin) < 120; wait(0.05)) {
      browser.eval("0");
      if (browser.requests.size() != before) last = since(begin);
      before = browser.requests.size();
    }
    return last;
  }
  void print_memory(const Server& server) {
    const auto memory = browser_memory();
    fmt::print("memory: server {:.0f} MB at most; page {:.0f} MB, whole browser {:.0f} MB\n", server.most_memory(), memory.pages,
               memory.all);
  }
  Browser browser;
};

std::uint16_t free_port() { return Relay().port; }

/// Opens a run's page, through the relay, and waits for its table of arms.
void open_run(Page& page, const Server& server, const FakeRun& run) {
  page.go(server.address(kRelay) + "?token=" + kToken);
  page.painted("runs");
  page.browser.eval("location.hash = '#/run/" + run.experiment + "/" + run.run_id + "'");
  page.painted("arms");
}

void forget_index(const fs::path& results) { fs::remove(results / ".index.sqlite"); }

/// The list of 300 runs with 12,000 jobs.
void measure_runs(const fs::path& results) {
  write_many_runs(results);
  Page page;
  for (const bool cold : {true, false}) {
    std::vector<double> answered, first, painted;
    double cpu = 0, rows = 0;
    constexpr int kTimes = 5;
    for (int i = 0; i < kTimes; ++i) {
      if (cold) forget_index(results);
      Server server(results, free_port());
      server.first_byte();
      const auto begin = Clock::now();
      server.get("/api/runs");
      answered.push_back(since(begin));
      cpu += cpu_seconds(server.pid) / kTimes;
    }
    for (int i = 0; i < kTimes; ++i) {
      if (cold) forget_index(results);
      Server server(results, free_port());
      server.first_byte();
      page.go(server.address(kServer) + "?token=" + kToken);
      painted.push_back(page.painted("runs"));
      rows = page.number("seen.runs.rows");
      first.push_back(page.number("performance.getEntriesByName('first-contentful-paint')[0].startTime") / 1e3);
      page.go("about:blank");
      page.until("location.href === 'about:blank'");
    }
    fmt::print("{} index: /api/runs {}, {:.2f} s of CPU; first contentful paint {}; {} rows painted {}\n", cold ? "cold" : "warm",
               ms(answered), cpu, ms(first), rows, ms(painted));
  }
  Server server(results, free_port());
  server.first_byte();
  server.measure("/api/runs", 5);
  server.measure("/api/runs?filter=test/accuracy%3E0.9", 5);
  page.go(server.address(kServer) + "?token=" + kToken);
  page.painted("runs");
  page.print_memory(server);
}

/// One run of 5,000 jobs and 1,000,000 rows.
void measure_large(const fs::path& results) {
  write_large_run(results);
  Page page;
  Server server(results, free_port());
  server.first_byte();
  const std::string run = "large/2026-11-28_12-00-00-abcdef", job = "jobs/arm_00/seed=0,optimizer.lr=0.0001";
  server.measure("/api/run?run=" + run, 5);
  server.measure("/api/status?run=" + run, 5);
  server.measure("/api/rows?run=" + run + "&job=" + job, 20);
  const auto address = server.address(kServer);
  page.go(address + "?token=" + kToken);
  page.painted("runs");
  page.go("about:blank");
  page.until("location.href === 'about:blank'");
  page.go(address + "#/run/" + run);
  const double arms = page.painted("arms");
  fmt::print("table of arms painted {:.2f} s, of jobs {:.2f} s after the navigation\n", arms, page.painted("jobs"));
  page.requests_end();
  fmt::print("longest task of the page {:.0f} ms\n", page.number("Math.max(0, ...tasks)"));
  page.print_memory(server);
  page.browser.eval("tasks.length = 0; document.querySelector('#curves').scrollIntoView()");
  const auto requests = page.browser.requests.size();
  const double before = cpu_seconds(server.pid), curves = page.requests_end();
  fmt::print("curves: {} requests in {:.1f} s, {:.1f} s of the server's CPU; longest task of the page {:.0f} ms\n",
             page.browser.requests.size() - requests, curves, cpu_seconds(server.pid) - before, page.number("Math.max(0, ...tasks)"));
  page.print_memory(server);
}

/// A run of 40 jobs with 12 metrics at 10,000 steps: from opening it until all 12 charts are painted with all rows.
void measure_curves(const fs::path& results) {
  write_curves(results);
  std::vector<double> painted;
  double cpu = 0;
  constexpr int kTimes = 5;
  for (int i = 0; i < kTimes; ++i) {
    Page page;
    page.browser.resize(1600, 2600);
    Server server(results, free_port());
    server.first_byte();
    page.go(server.address(kServer) + "?token=" + kToken);
    page.painted("runs");
    const double before = cpu_seconds(server.pid);
    page.browser.eval("window.begun = performance.now(); location.hash = '#/run/curves/2026-11-28_13-00-00-abcdef'");
    page.painted("arms");
    page.browser.eval("document.querySelector('#curves').scrollIntoView()");
    page.requests_end();
    painted.push_back(page.number("(Math.max(quiet, ...performance.getEntriesByType('resource').map(e => e.responseEnd)) - begun) / 1e3"));
    cpu += (cpu_seconds(server.pid) - before) / kTimes;
    if (i == kTimes - 1) page.print_memory(server);
  }
  fmt::print("12 charts of 40 curves of 10,000 steps: {}; {:.2f} s of the server's CPU\n", ms(painted), cpu);
}

/// A run with 100 open jobs: the time from a logged row to the page, and the bytes of a round in which each job logs one row.
void measure_live(const fs::path& results) {
  auto run = run_of_arms("open", "2026-11-28_14-00-00-abcdef", 10);
  const fs::path folder = results / run.experiment / run.run_id;
  Random random(4);
  const std::vector<std::string> metrics = {"train/loss", "test/loss", "test/accuracy"};
  for (const auto& arm : run.arms) {
    for (int seed = 0; seed < 10; ++seed) {
      FakeRun::Job job;
      job.arm = arm;
      job.seed = seed;
      job.state = "running";
      write_rows(folder, job, 50, metrics, random);
      run.jobs.push_back(job);
    }
  }
  run.write(folder);
  int step = 500;
  const auto beat = [&] {
    for (const auto& job : run.jobs) write_heartbeat(folder / FakeRun::directory(job), {std::time(nullptr), step, 100'000, 12.5, ""});
  };
  const auto log = [&](double value) {
    step += 10;
    for (const auto& job : run.jobs) {
      std::ofstream(folder / FakeRun::directory(job) / "metrics.jsonl", std::ios::app)
          << fmt::format("{{\"step\":{},\"epoch\":{},\"train/loss\":{:.9g},\"test/loss\":{:.9g},\"test/accuracy\":{:.9g}}}\n", step,
                         0.001 * step, value, 2 * value, 3 * value);
    }
  };
  for (const auto& job : run.jobs) {
    JobStatus status;
    status.state = JobState::kRunning;
    status.host = host_name();
    status.pid = ::getpid();
    status.attempt = 1;
    write_job_status(folder / FakeRun::directory(job), status, Durable::kNo);
  }
  beat();
  Relay relay;
  Page page;
  page.browser.resize(1400, 6000);
  Server server(results, relay.port);
  server.first_byte();
  open_run(page, server, run);
  page.until("document.querySelectorAll('.chart canvas').length >= 3");
  page.browser.eval("document.querySelector('#curves').scrollIntoView()");
  const auto quiet = [&](double seconds) {
    auto before = relay.bytes();
    for (auto last = Clock::now(); since(last) < seconds; wait(0.02)) {
      page.browser.eval("0");
      if (relay.bytes() != before) before = relay.bytes(), last = Clock::now();
    }
  };
  quiet(3);
  std::vector<double> took, bytes, sent;
  std::vector<double> requests;
  const double cpu = cpu_seconds(server.pid);
  const auto begin = Clock::now();
  for (int round = 0; round < 10; ++round) {
    const auto before = relay.bytes(), sent_before = relay.sent.load();
    const auto asked = page.browser.requests.size();
    page.browser.eval(R"js((() => {
      const canvas = () => document.querySelector('.chart canvas').toDataURL();
      const before = canvas();
      window.changed = 0;
      const look = () => { if (canvas() !== before) window.changed = Date.now(); else setTimeout(look, 10); };
      look();
    })())js");
    wait(0.37 * round - std::floor(0.37 * round));  // at another moment between two checks of the server
    const double now = static_cast<double>(
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count());
    log(0.5 + round);
    beat();
    if (page.until("window.changed > 0", 20)) took.push_back((page.number("window.changed") - now) / 1e3);
    quiet(2.5);
    bytes.push_back(static_cast<double>(relay.bytes() - before));
    sent.push_back(static_cast<double>(relay.sent - sent_before));
    requests.push_back(static_cast<double>(page.browser.requests.size() - asked));
  }
  fmt::print(
      "100 open jobs: a logged row is drawn after {}; a round takes {:.0f} kB ({:.0f} to {:.0f}), {:.0f} kB of them requests ({}); "
      "the server's CPU {:.1f} % of a core\n",
      ms(took), median(bytes) / 1e3, *std::min_element(bytes.begin(), bytes.end()) / 1e3,
      *std::max_element(bytes.begin(), bytes.end()) / 1e3, median(sent) / 1e3, median(requests),
      100 * (cpu_seconds(server.pid) - cpu) / since(begin));
  page.go("about:blank");
}

/// A server that has nothing to do.
void measure_idle(const fs::path& results) {
  auto run = run_of_arms("finished", "2026-11-28_15-00-00-abcdef", 2);
  Random random(5);
  for (const auto& arm : run.arms) run.jobs.push_back(made_up_job(arm, 0, random));
  const fs::path folder = results / run.experiment / run.run_id;
  run.write(folder);
  for (fs::recursive_directory_iterator it(results), end; it != end; ++it)  // a run that was touched within the hour counts as begun
    fs::last_write_time(it->path(), fs::file_time_type::clock::now() - std::chrono::hours(2));
  std::vector<double> took;
  for (int i = 0; i < 21; ++i) took.push_back(Server(results, free_port()).first_byte());
  fmt::print("first byte after the start: {}\n", ms(took));
  Relay relay;
  Page page;
  Server server(results, relay.port);
  server.first_byte();
  open_run(page, server, run);
  page.requests_end();
  const auto reads = reads_of(server.pid);
  const auto bytes = relay.bytes();
  const double cpu = cpu_seconds(server.pid);
  wait(60);
  fmt::print("a minute of an open page without active runs: {} reads, {} bytes over HTTP, {:.0f} ms of CPU, server {:.0f} MB\n",
             reads_of(server.pid) - reads, relay.bytes() - bytes, 1e3 * (cpu_seconds(server.pid) - cpu), server.most_memory());
  page.go("about:blank");
}

const std::map<std::string, void (*)(const fs::path&)> kMeasures = {
    {"runs", measure_runs}, {"large", measure_large}, {"curves", measure_curves}, {"live", measure_live}, {"idle", measure_idle}};
const std::map<std::string, void (*)(const fs::path&)> kFolders = {
    {"runs", write_many_runs}, {"large", write_large_run}, {"curves", write_curves}};

int usage(int status) {
  fmt::print(status == 0 ? stdout : stderr,
             "usage: bench_serve [runs] [large] [curves] [live] [idle]\n       bench_serve --write FOLDER runs|large|curves\n");
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 1 && words[0] == "--help") return usage(0);
  if (words.size() == 3 && words[0] == "--write" && kFolders.count(words[2]) > 0) {
    kFolders.at(words[2])(words[1]);
    return 0;
  }
  if (words.empty()) words = {"runs", "large", "curves", "live", "idle"};
  if (std::any_of(words.begin(), words.end(), [](const auto& word) { return kMeasures.count(word) == 0; })) return usage(2);
  if (Browser::program().empty()) {
    fmt::print(stderr, "no chromium (apt-get install chromium)\n");
    return 1;
  }
  for (const auto& word : words) {
    const TemporaryFolder folder;
    fmt::print("== {}\n", word);
    std::fflush(stdout);
    kMeasures.at(word)(folder.path());
    std::fflush(stdout);
  }
}

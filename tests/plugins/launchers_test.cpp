// The launcher `local`. Also run under the thread sanitizer (YATLAB_PRESET=tsan).
#include <atomic>
#include <thread>
#include <vector>

#include "catch.h"
#include "core/base/node.h"
#include "core/plan/launcher.h"

namespace yatlab {
namespace {

/// Jobs that only call a function.
class Calls final : public Launch {
 public:
  Calls(std::size_t jobs, std::function<void(std::size_t)> call) : jobs_(jobs), call_(std::move(call)) {}
  std::size_t jobs() const override { return jobs_; }
  const JobSpec& job(std::size_t i) const override { return specs_.empty() ? none_ : specs_[i]; }
  /// Each job's trainer.device.
  void on(const std::vector<std::string>& devices) {
    for (const auto& device : devices) {
      Node trainer = Node::map();
      trainer.set("device", Node(device));
      specs_.emplace_back();
      specs_.back().config = Node::map();
      specs_.back().config.set("trainer", std::move(trainer));
    }
  }
  fs::path folder(std::size_t) const override { return {}; }
  /// Groups neighbouring jobs, as many as allowed.
  std::vector<std::vector<std::size_t>> stacks(const StackRule& rule, std::size_t) const override {
    std::vector<std::vector<std::size_t>> out;
    for (std::size_t i = 0; i < jobs_; ++i) {
      if (i % rule.most == 0) out.emplace_back();
      out.back().push_back(i);
    }
    return out;
  }
  void run_here(const std::vector<std::size_t>& jobs) override {
    together_ += jobs.size() > 1;
    for (const auto i : jobs) call_(i);
  }
  int together() const { return together_; }
  std::vector<std::string> command(std::size_t) const override { return {}; }
  std::unique_ptr<ExternalJob> follow(std::size_t) override { return nullptr; }
  fs::path run_folder() const override { return {}; }
  void leave_to_queue(std::size_t, const std::string&) override {}
  bool wait() const override { return true; }
  bool stopping() const override { return over_; }
  bool failed_fast() const override { return false; }
  std::atomic<bool> over_{false};

 private:
  std::size_t jobs_;
  std::function<void(std::size_t)> call_;
  std::atomic<int> together_{0};
  JobSpec none_;
  std::vector<JobSpec> specs_;
};

}  // namespace

TEST_CASE("the local launcher runs every job once in order and waits for all", "[launcher][threads]") {
  const auto launcher = Registry<Launcher>::create(Node("local"));
  constexpr std::size_t kJobs = 300;
  for (const std::size_t workers : {1, 2, 4}) {
    INFO(workers);
    std::vector<int> times(kJobs, 0);          // each entry belongs to one job
    std::vector<std::size_t> order(kJobs, 0);  // when the job began
    std::atomic<std::size_t> begun{0};
    std::atomic<int> running{0}, most{0};
    Calls launch(kJobs, [&](std::size_t job) {
      order[job] = begun++;
      const int now = ++running;
      for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
      }
      std::this_thread::yield();
      ++times[job];
      --running;
    });
    launcher->run(launch, workers);
    CHECK(times == std::vector<int>(kJobs, 1));
    CHECK(most <= static_cast<int>(workers));
    CHECK(running == 0);
    for (std::size_t job = 0; job < kJobs; ++job)
      CHECK(order[job] + workers > job);  // earlier jobs were taken first: at most the other workers' have not begun yet
  }
}

TEST_CASE("the local launcher runs each job once, alone or in stacks", "[launcher][threads]") {
  const auto done_by = [](Node stack) {
    Node spec = Node::map();
    spec.set("name", Node("local"));
    spec.set("stack", std::move(stack));
    std::vector<int> times(100, 0);
    Calls launch(times.size(), [&](std::size_t job) { ++times[job]; });
    Registry<Launcher>::create(spec)->run(launch, 3);
    CHECK(times == std::vector<int>(100, 1));
    return launch.together();
  };
  CHECK(done_by(Node("off")) == 0);
  CHECK(done_by(Node("auto")) == 1);
  CHECK(done_by(Node(std::int64_t{7})) == 15);  // 7 * 14 and a pair
  CHECK(done_by(Node(std::int64_t{99})) == 1);  // the last one is alone
}

TEST_CASE("the local launcher starts no more jobs once the run is over", "[launcher]") {
  std::atomic<int> done{0};
  Calls launch(100, [&](std::size_t) {
    if (++done == 3) launch.over_ = true;
  });
  Registry<Launcher>::create(Node("local"))->run(launch, 1);
  CHECK(done == 3);
}

TEST_CASE("the local launcher uses at most as many workers as cores and jobs", "[launcher]") {
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const auto by_cores = Registry<Launcher>::create(Node("local"));
  CHECK(by_cores->workers(1000, 1) == cores);
  CHECK(by_cores->workers(1000, cores) == 1);
  CHECK(by_cores->workers(1000, 10 * cores) == 1);
  CHECK(by_cores->workers(1, 1) == 1);
  CHECK(by_cores->workers(0, 1) == 1);
  const auto three = Registry<Launcher>::create(Node(Node::Map{{"name", "local"}, {"workers", 3}}));
  CHECK(three->workers(1000, 100) == 3);
  CHECK(three->workers(2, 1) == 2);
}

TEST_CASE("GPU jobs are limited by slots and CPU jobs do not wait for them", "[launcher][threads]") {
  for (const std::int64_t per_gpu : {1, 2}) {
    INFO(per_gpu);
    Node spec = Node::map();
    spec.set("name", Node("local"));
    spec.set("gpu_slots", Node(per_gpu));
    const auto launcher = Registry<Launcher>::create(spec);
    std::vector<std::string> devices;
    for (int i = 0; i < 60; ++i) devices.push_back(i % 3 == 0 ? "cuda" : i % 3 == 1 ? "cuda:0" : "cuda:1");
    for (int i = 0; i < 60; ++i) devices.emplace_back("cpu");
    std::atomic<int> on[3]{}, most[3]{}, done{0};
    Calls launch(devices.size(), [&](std::size_t job) {
      const int place = devices[job] == "cpu" ? 2 : devices[job] == "cuda:1" ? 1 : 0;
      const int now = ++on[place];
      for (int seen = most[place]; now > seen && !most[place].compare_exchange_weak(seen, now);) {
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      --on[place];
      ++done;
    });
    launch.on(devices);
    launcher->run(launch, 6);
    CHECK(done == 120);
    CHECK(most[0] <= per_gpu);
    CHECK(most[1] <= per_gpu);
    CHECK(most[2] > 2);
    if (per_gpu == 2) CHECK(most[0] == 2);
  }
}

}  // namespace yatlab

#include "plugins/wandb/log/system_metrics.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "catch.h"
#include "temporary_folder.h"

namespace yatlab::wandb {
namespace {

/// Fake /proc files: two cores, two interfaces, the disk that holds `folder`, and another.
void write_proc(const fs::path& proc, const fs::path& folder, int step) {
  fs::create_directories(proc / "net");
  fs::create_directories(proc / "self");
  // user nice system idle iowait irq softirq steal; of 200 ticks a step core 0 works 100, core 1 works 10.
  std::ofstream(proc / "stat") << fmt::format(
      "cpu  {} 0 0 {} 0 0 0 0 0 0\ncpu0 {} 0 {} {} {} 0 0 0 0 0\ncpu1 {} 0 0 {} 0 0 0 0 0 0\nintr 5\n", 110 * step, 290 * step, 60 * step,
      40 * step, 90 * step, 10 * step, 10 * step, 190 * step);
  std::ofstream(proc / "meminfo") << "MemTotal:       8388608 kB\nMemFree:  1 kB\nMemAvailable:   2097152 kB\n";
  std::ofstream(proc / "self/status") << "Name: x\nVmRSS:    1048576 kB\nThreads:  7\n";
  std::ofstream(proc / "net/dev")
      << "Inter-|   Receive                          |  Transmit\n face |bytes    packets errs drop fifo frame compressed multicast|bytes\n"
      << fmt::format("    lo: {} 1 0 0 0 0 0 0 {} 1 0 0 0 0 0 0\n  eth0:{} 9 0 0 0 0 0 0 {} 9 0 0 0 0 0 0\n", 1000 + step, 1000 + step,
                     5000 + 100 * step, 7000 + 10 * step);
  struct ::stat status {};
  REQUIRE(::stat(folder.c_str(), &status) == 0);
  std::ofstream(proc / "diskstats") << fmt::format("   {}       {} sdx1 10 0 {} 5 20 0 {} 9 0 0 0\n", major(status.st_dev),
                                                   minor(status.st_dev), 100 + 2048 * step, 100 + 6144 * step)
                                    << "   7       0 loop0 10 0 99999 5 20 0 99999 9 0 0 0\n";
}

}  // namespace

TEST_CASE("system metrics have the names that W&B's pages expect", "[wandb][system]") {
  const TemporaryFolder folder;
  const auto proc = folder.path() / "proc";
  write_proc(proc, folder.path(), 1);
  SystemMetrics metrics(folder.path(), proc);
  write_proc(proc, folder.path(), 3);
  const auto sampled = metrics.sample();
  const std::map<std::string, double> values(sampled.begin(), sampled.end());
  CHECK(values.at("cpu") == Approx(27.5));
  CHECK(values.at("cpu.0.cpu_percent") == Approx(50));
  CHECK(values.at("cpu.1.cpu_percent") == Approx(5));
  CHECK(values.at("memory_percent") == Approx(75));
  CHECK(values.at("proc.memory.percent") == Approx(12.5));
  CHECK(values.at("proc.memory.rssMB") == Approx(1024));
  CHECK(values.at("proc.memory.availableMB") == Approx(2048));
  CHECK(values.at("proc.cpu.threads") == 7);
  CHECK(values.at("network.recv") == 2 * 101);  // over all interfaces, from the beginning
  CHECK(values.at("network.sent") == 2 * 11);
  CHECK(values.at("disk.sdx1.in") == Approx(2));  // MB
  CHECK(values.at("disk.sdx1.out") == Approx(6));
  CHECK(values.count("disk.loop0.in") == 0);
  const auto space = fs::space(folder.path());
  CHECK(values.at("disk./.usageGB") == Approx(static_cast<double>(space.capacity - space.free) / (1 << 30)).epsilon(0.1));
  CHECK(values.at("disk./.usagePercent") > 0);
  // Loads count from the last call, transfers from the beginning.
  write_proc(proc, folder.path(), 4);
  const auto again = metrics.sample();
  const std::map<std::string, double> later(again.begin(), again.end());
  CHECK(later.at("cpu.0.cpu_percent") == Approx(50));
  CHECK(later.at("network.recv") == 3 * 101);
  CHECK(metrics.hardware().at("memory").at("total") == std::to_string(8388608ull * 1024));
}

TEST_CASE("this machine's load can be read", "[wandb][system]") {
  SystemMetrics metrics;
  const auto sampled = metrics.sample();
  const std::map<std::string, double> values(sampled.begin(), sampled.end());
  for (const char* name : {"proc.memory.rssMB", "network.sent", "disk./.usageGB"}) CHECK(values.count(name) == 1);
  CHECK(values.at("proc.memory.rssMB") > 1);
}

}  // namespace yatlab::wandb

// kill -9 at any moment costs time, but never a byte.

#include <algorithm>
#include <cstdlib>

#include "catch.h"
#include "cli/support.h"

namespace yatlab {
namespace {

using testing::Desk;
using testing::differences;
using testing::job_files;
using testing::Process;

/// The folder of the real MNIST, if it exists.
fs::path real_mnist() {
  std::vector<fs::path> roots{fs::path(YATLAB_SOURCE_DIR) / "data", fs::path(YATLAB_SOURCE_DIR) / "../shared/data"};
  if (const char* given = std::getenv("YATLAB_DATA")) roots.insert(roots.begin(), given);
  for (const auto& root : roots) {
    if (fs::exists(root / "mnist/train-images-idx3-ubyte.gz")) return fs::canonical(root);
  }
  return {};
}

std::string experiment(bool real) {
  return std::string("name: tiny\ndefaults:\n  - /dataset: ") + (real ? "mnist" : "synthetic_digits") +
         "\n  - /architecture: prototype_classifier\n  - _self_\n" +
         (real ? "dataset: {limit: 3000, test_limit: 500}\n" : "dataset: {train_size: 3000, test_size: 500}\n") +
         R"(trainer: {epochs: 12, batch_size: 64, log_every: 10, checkpoint_steps: 20}
seeds: [0, 1]
launcher: {workers: 2}
arms:
  linear: [operator=dot]
  yat: [operator=yat, architecture.scale=n_over_log]
analyses: [prototype_norms, prototype_inversion, prototype_images]
)";
}

/// Whether a checkpoint is being written now.
bool checkpoint_half_written(const fs::path& run) {
  std::error_code gone;  // the other process adds and removes while we look
  for (const char* job : {"linear/seed=0", "linear/seed=1", "yat/seed=0", "yat/seed=1"}) {
    for (fs::directory_iterator step(run / "jobs" / job / "checkpoints", gone), end; !gone && step != end; step.increment(gone)) {
      std::error_code inner;
      for (fs::directory_iterator file(step->path(), inner); !inner && file != end; file.increment(inner)) {
        if (file->path().extension() == ".tmp") return true;
      }
    }
    gone.clear();
  }
  return false;
}

std::size_t log_size(const fs::path& run) {
  std::error_code missing;
  const auto size = fs::file_size(run / "log.txt", missing);
  return missing ? 0 : static_cast<std::size_t>(size);
}

}  // namespace

TEST_CASE("a run that is killed repeatedly gives bitwise identical results", "[cli][crash][slow]") {
  const fs::path data = real_mnist();
  const std::string text = experiment(!data.empty());
  const auto environment = [&](const Desk& desk) {
    auto out = desk.environment();
    if (!data.empty()) out["YATLAB_DATA"] = data.string();
    return out;
  };
  const std::vector<std::string> command = {"tiny.yaml", "--quiet"};

  const Desk unbroken(text);
  {
    Process process(command, unbroken.path(), unbroken.path() / "output.txt", environment(unbroken));
    const int status = process.wait();
    INFO(read_file(unbroken.path() / "output.txt"));
    REQUIRE(status == 0);
  }
  const auto expected = job_files(unbroken.run());
  REQUIRE(expected.size() ==
          4 * (4 + 8 + 3 * 3 + 2 + 3));  // job.yaml, metrics, summary, manifest; two checkpoints; three analyses; prototypes; what is shown

  const Desk desk(text);
  int kills = 0, torn = 0;
  /// Starts the command and kills it `delay` ms after it has begun to work (negative: at the moment when
  /// a checkpoint is being written). False when it came to its end before.
  const auto attempt = [&](int delay) {
    const auto log = log_size(desk.run());
    Process process(command, desk.path(), desk.path() / "output.txt", environment(desk));
    if (!process.wait_until([&] { return log_size(desk.run()) > log; })) return false;
    if (delay < 0) {
      if (!process.wait_until([&] { return checkpoint_half_written(desk.run()); })) return false;
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(delay));
    }
    process.signal(SIGKILL);
    process.wait();
    if (!process.ended_by_signal()) return false;
    ++kills;
    torn += checkpoint_half_written(desk.run());
    return true;
  };

  for (const int delay : {0, -1, 7, 40, -1, 90, -1, 23, 130, -1, 60, -1}) {
    INFO("kill " << kills << ", delay " << delay);
    if (!attempt(delay)) break;
  }
  CHECK(kills >= 8);
  CHECK(torn >= 1);  // some of the kills hit a checkpoint while it was written

  Process last(command, desk.path(), desk.path() / "output.txt", environment(desk));
  const int status = last.wait();
  INFO(read_file(desk.path() / "output.txt"));
  REQUIRE(status == 0);
  CHECK(differences(expected, job_files(desk.run())).empty());
  for (const auto& entry : fs::recursive_directory_iterator(fs::canonical(desk.run()) / "jobs")) {
    INFO(entry.path().string());
    CHECK(entry.path().extension() != ".tmp");  // no leftovers either
  }
  const auto summary = nlohmann::json::parse(read_file(desk.run() / "summary.json"));
  CHECK(summary.at("status") == "complete");
  // A single run directory: every attempt continued it.
  int runs = 0;
  for (const auto& entry : fs::directory_iterator(desk.path() / "results/tiny")) runs += !entry.is_symlink();
  CHECK(runs == 1);
}

}  // namespace yatlab

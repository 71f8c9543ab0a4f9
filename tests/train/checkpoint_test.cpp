#include <ATen/ATen.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "catch.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/model/checkpoint.h"
#include "core/record/checkpoint_folders.h"
#include "failing_files.h"
#include "temporary_folder.h"

namespace yatlab {
namespace {

/// A checkpoint in which every value equals the step.
Checkpoint checkpoint_of(std::int64_t step, std::int64_t size = 6) {
  const auto value = static_cast<double>(step);
  return {step,
          {{"weight", at::full({2, size / 2}, value)}, {"alpha", at::full({1}, -value)}},
          {{"first.0", at::full({size}, value + 0.5)}, {"steps", at::full({1}, step, at::kLong)}},
          "{\"step\": " + std::to_string(step) + "}\n"};
}

void require_whole(const Checkpoint& c) {
  const auto expected = checkpoint_of(c.step, c.model[0].second.numel() == 1 ? c.model[1].second.numel() : c.model[0].second.numel());
  const auto same = [](NamedTensors a, NamedTensors b) {
    const auto by_name = [](const auto& x, const auto& y) { return x.first < y.first; };
    std::sort(a.begin(), a.end(), by_name);
    std::sort(b.begin(), b.end(), by_name);
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      REQUIRE(a[i].first == b[i].first);
      REQUIRE(a[i].second.scalar_type() == b[i].second.scalar_type());
      REQUIRE(at::equal(a[i].second, b[i].second));
    }
  };
  same(c.model, expected.model);
  same(c.optimizer, expected.optimizer);
  REQUIRE(c.state == expected.state);
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(folder)) out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

std::string step_name(std::int64_t step) { return fmt::format("step={:09}", step); }

/// The same while another process adds and removes entries.
std::vector<std::string> names_in_while_changing(const fs::path& folder) {
  std::error_code ignored;
  std::vector<std::string> out{""};
  for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
    out.push_back(at->path().filename().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

void overwrite(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

}  // namespace

TEST_CASE("a checkpoint is loaded completely", "[checkpoint]") {
  const TemporaryFolder folder;
  const CheckpointStore store(folder.path() / "checkpoints");
  CHECK_FALSE(store.load_latest());
  store.save(checkpoint_of(7));
  const auto loaded = store.load_latest();
  REQUIRE(loaded);
  CHECK(loaded->step == 7);
  require_whole(*loaded);
  CHECK(names_in(folder.path() / "checkpoints") == std::vector<std::string>{"step=000000007"});
  CHECK(names_in(folder.path() / "checkpoints/step=000000007") ==
        std::vector<std::string>{"manifest.json", "model.safetensors", "optimizer.safetensors", "state.json"});
  store.remove_all();
  CHECK_FALSE(fs::exists(folder.path() / "checkpoints"));
}

TEST_CASE("the manifest lists every file with its size and checksum", "[checkpoint]") {
  const TemporaryFolder folder;
  CheckpointStore(folder.path()).save(checkpoint_of(3));
  const fs::path directory = folder.path() / "step=000000003";
  const auto manifest = nlohmann::json::parse(read_file(directory / "manifest.json"));
  CHECK(manifest.at("step") == 3);
  CHECK(manifest.at("schema") == 1);
  REQUIRE(manifest.at("files").size() == 3);
  for (const auto& [name, entry] : manifest.at("files").items()) {
    CHECK(entry.at("bytes") == fs::file_size(directory / name));
    CHECK(entry.at("sha256") == sha256(read_file(directory / name)));
  }
}

TEST_CASE("the newest two checkpoints are kept and saving a step again replaces it", "[checkpoint]") {
  const TemporaryFolder folder;
  const CheckpointStore store(folder.path());
  for (const int step : {5, 9, 10, 100}) store.save(checkpoint_of(step));
  CHECK(names_in(folder.path()) == std::vector<std::string>{"step=000000010", "step=000000100"});
  store.save(checkpoint_of(100, 8));
  CHECK(names_in(folder.path()) == std::vector<std::string>{"step=000000010", "step=000000100"});
  const auto loaded = store.load_latest();
  REQUIRE(loaded);
  CHECK(loaded->step == 100);
  require_whole(*loaded);
}

TEST_CASE("an incomplete checkpoint is ignored and the previous one used", "[checkpoint]") {
  struct Harm {
    const char* name;
    void (*act)(const fs::path& checkpoint);
  };
  const Harm harms[] = {
      {"no manifest", [](const fs::path& c) { fs::remove(c / "manifest.json"); }},
      {"empty manifest", [](const fs::path& c) { overwrite(c / "manifest.json", ""); }},
      {"short manifest", [](const fs::path& c) { fs::resize_file(c / "manifest.json", fs::file_size(c / "manifest.json") / 2); }},
      {"manifest without its files", [](const fs::path& c) { overwrite(c / "manifest.json", "{\"step\": 2}"); }},
      {"manifest that is not an object", [](const fs::path& c) { overwrite(c / "manifest.json", "[1, 2]"); }},
      {"short model", [](const fs::path& c) { fs::resize_file(c / "model.safetensors", fs::file_size(c / "model.safetensors") - 1); }},
      {"one bit of the optimizer's state",
       [](const fs::path& c) {
         auto bytes = read_file(c / "optimizer.safetensors");
         bytes.back() = static_cast<char>(bytes.back() ^ 1);
         overwrite(c / "optimizer.safetensors", bytes);
       }},
      {"no state", [](const fs::path& c) { fs::remove(c / "state.json"); }},
      {"another state of the same length",
       [](const fs::path& c) {
         auto bytes = read_file(c / "state.json");
         bytes[9] = '9';
         overwrite(c / "state.json", bytes);
       }},
      {"no model", [](const fs::path& c) { fs::remove(c / "model.safetensors"); }},
  };
  for (const auto& harm : harms) {
    INFO(harm.name);
    const TemporaryFolder folder;
    const CheckpointStore store(folder.path());
    store.save(checkpoint_of(1));
    store.save(checkpoint_of(2));
    harm.act(folder.path() / "step=000000002");
    std::vector<std::string> problems;
    const auto loaded = store.load_latest(&problems);
    REQUIRE(loaded);
    CHECK(loaded->step == 1);
    require_whole(*loaded);
    const bool was_whole = fs::exists(folder.path() / "step=000000002/manifest.json");
    REQUIRE(problems.size() == (was_whole ? 1 : 0));
    if (was_whole) CHECK(problems[0].find("step=000000002: ") != std::string::npos);
    // The next save of that step repairs it.
    store.save(checkpoint_of(2));
    CHECK(store.load_latest()->step == 2);
    harm.act(folder.path() / "step=000000001");
    harm.act(folder.path() / "step=000000002");
    CHECK_FALSE(store.load_latest());
  }
}

TEST_CASE("leftovers of a crash are ignored", "[checkpoint]") {
  const TemporaryFolder folder;
  const CheckpointStore store(folder.path());
  store.save(checkpoint_of(4));
  overwrite(folder.path() / "step=000000004/model.safetensors.tmp123", "half");
  overwrite(folder.path() / "step=000000009", "a file, no folder");
  fs::create_directory(folder.path() / "step=000000008");
  overwrite(folder.path() / "step=000000008/model.safetensors.tmp", "half");
  fs::create_directory(folder.path() / "other");
  std::vector<std::string> problems;
  const auto loaded = store.load_latest(&problems);
  REQUIRE(loaded);
  CHECK(loaded->step == 4);
  CHECK(problems.empty());  // never complete: nothing was lost
}

TEST_CASE("a broken newer checkpoint never displaces the last valid one", "[checkpoint]") {
  const TemporaryFolder folder;
  const CheckpointStore store(folder.path());
  store.save(checkpoint_of(10));
  // Two attempts that died before their manifests.
  for (const char* dead : {"step=000000020", "step=000000030"}) fs::create_directory(folder.path() / dead);
  REQUIRE(store.load_latest()->step == 10);
  store.save(checkpoint_of(15));  // the next checkpoint of a resumed run
  const auto loaded = store.load_latest();
  REQUIRE(loaded);
  CHECK(loaded->step == 15);
}

TEST_CASE("temporary checkpoints are removed after a planned one and displace none", "[checkpoint]") {
  const TemporaryFolder folder;
  const CheckpointStore store(folder.path());
  const auto save = [&](std::int64_t step, bool passing) {
    auto checkpoint = checkpoint_of(step);
    checkpoint.passing = passing;
    store.save(checkpoint);
    return saved_checkpoints(folder.path());
  };
  using Steps = std::vector<std::int64_t>;
  CHECK(save(3, true) == Steps{3});
  CHECK(save(6, true) == Steps{3, 6});
  CHECK(save(8, true) == Steps{6, 8});
  CHECK(store.load_latest()->passing);
  CHECK(save(10, false) == Steps{10});
  CHECK(save(13, true) == Steps{10, 13});
  CHECK(save(16, true) == Steps{10, 13, 16});
  CHECK(save(20, false) == Steps{10, 20});
  CHECK(save(24, true) == Steps{10, 20, 24});
  CHECK(save(30, false) == Steps{20, 30});
  CHECK(save(31, true) == Steps{20, 30, 31});
}

TEST_CASE("a checkpoint file that cannot be opened is not treated as damaged", "[checkpoint]") {
  const TemporaryFolder folder;
  const CheckpointStore store(folder.path());
  store.save(checkpoint_of(1));
  store.save(checkpoint_of(2));
  using testing::FailingFiles;
  FailingFiles count(FailingFiles::Call::kOpen);
  {
    const FileCallsReplaced replaced(count);
    REQUIRE(store.load_latest()->step == 2);
  }
  for (long n = 0; n < count.calls(); ++n) {
    INFO("open " << n);
    FailingFiles refuses(FailingFiles::Call::kOpen, n, EMFILE, false);
    const FileCallsReplaced replaced(refuses);
    CHECK_THROWS_AS(store.load_latest(), Error);  // the older one is not used instead
  }
  CHECK(store.load_latest()->step == 2);
}

TEST_CASE("a saved checkpoint is synced with its files and folders", "[checkpoint]") {
  // Records the names of synced files without syncing.
  class Synced final : public FileCalls {
   public:
    int sync(int fd) override {
      std::error_code ignored;
      paths.push_back(fs::read_symlink("/proc/self/fd/" + std::to_string(fd), ignored));
      return 0;
    }
    std::vector<fs::path> paths;
  };
  const TemporaryFolder folder;
  const fs::path root = fs::canonical(folder.path()) / "checkpoints";
  const CheckpointStore store(root);
  Synced synced;
  {
    const FileCallsReplaced in_place(synced);
    store.save(checkpoint_of(7));
  }
  const auto last = [&](const fs::path& path) {
    const auto found = std::find(synced.paths.rbegin(), synced.paths.rend(), path);
    return found == synced.paths.rend() ? -1 : static_cast<int>(synced.paths.rend() - found);
  };
  const fs::path own = root / step_name(7);
  // Files have a temporary name when they are synced.
  std::size_t files = 0;
  for (const auto& path : synced.paths) files += path.parent_path() == own;
  CHECK(files >= 4);
  CHECK(last(own) > 0);
  CHECK(last(root) == static_cast<int>(synced.paths.size()));  // after all other files exist
}

TEST_CASE("a process killed while saving leaves a complete checkpoint", "[checkpoint]") {
  const TemporaryFolder folder;
  const fs::path root = folder.path() / "checkpoints";
  const CheckpointStore store(root);
  store.save(checkpoint_of(1, 4096));
  std::int64_t last = 1;
  int attempt = 0;
  for (const int microseconds : {0, 300, 700, 1500, 2500, 4000, 6000, 9000, 13000, 20000}) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (std::int64_t step = last + 1;; ++step) store.save(checkpoint_of(step, 4096));
    }
    REQUIRE(child > 0);
    // However slow the disk is, the kill comes after a save has begun, or (every other time) after one has ended.
    const bool one_whole = ++attempt % 2 == 0;
    const auto far_enough = [&] {
      const auto newest = names_in_while_changing(root).back();
      return newest > step_name(last) && (!one_whole || fs::exists(root / newest / "manifest.json"));
    };
    while (!far_enough()) std::this_thread::sleep_for(std::chrono::microseconds(100));
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const auto loaded = store.load_latest();
    REQUIRE(loaded);
    CHECK(loaded->step >= last);  // a saved checkpoint is never lost
    require_whole(*loaded);
    last = loaded->step;
  }
  CHECK(last > 1);
}

}  // namespace yatlab

// The disk refuses a tracker's n-th call, for every n: the run continues, and the next start adds the missing data exactly once.

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <map>
#include <set>

#include "catch.h"
#include "core/base/file_calls.h"
#include "experiment/support.h"
#include "plugins/tensorboard/trackers/event.pb.h"
#include "plugins/tensorboard/trackers/event_file.h"
#include "plugins/wandb/log/log_file.h"
#include "plugins/wandb/log/run_log.h"
#include "plugins/wandb/log/sync.h"
#include "trackers/wandb/environment.h"
#include "trackers/wandb/log_reader.h"

namespace yatlab {
namespace {

using testing::Workspace;

/// Refuses the n-th call that concerns a folder, or all from the n-th on, like a full disk: writes are only half done, and removals succeed.
class RefusingBelow final : public FileCalls {
 public:
  explicit RefusingBelow(const fs::path& folder, long n = LONG_MAX, bool forever = false)
      : folder_(fs::weakly_canonical(folder).string()), n_(n), forever_(forever) {}
  long calls() const { return calls_; }

  int open(const char* path, int flags, mode_t mode) override { return refuses(path) ? -1 : FileCalls::open(path, flags, mode); }
  ssize_t write(int fd, const void* bytes, std::size_t size) override {
    if (!refuses(path_of(fd))) return FileCalls::write(fd, bytes, size);
    if (size > 1) FileCalls::write(fd, bytes, size / 2);
    errno = ENOSPC;
    return -1;
  }
  int sync(int fd) override { return refuses(path_of(fd)) ? -1 : FileCalls::sync(fd); }
  int truncate(int fd, off_t size) override { return refuses(path_of(fd)) ? -1 : FileCalls::truncate(fd, size); }
  int rename(const char* from, const char* to) override { return refuses(to) ? -1 : FileCalls::rename(from, to); }
  int make_link(const char* target, const char* link) override { return refuses(link) ? -1 : FileCalls::make_link(target, link); }
  int make_folder(const char* path, mode_t mode) override { return refuses(path) ? -1 : FileCalls::make_folder(path, mode); }

 private:
  static std::string path_of(int fd) {
    std::error_code none;
    return fs::read_symlink(fmt::format("/proc/self/fd/{}", fd), none).string();
  }
  bool refuses(const std::string& path) {
    if (fs::weakly_canonical(path).string().rfind(folder_, 0) != 0) return false;
    const long i = calls_++;
    errno = ENOSPC;
    return i == n_ || (i > n_ && forever_);
  }

  std::string folder_;
  long n_;
  bool forever_;
  std::atomic<long> calls_{0};
};

std::string experiment_with(const std::string& tracker) {
  return "name: tiny\ndefaults:\n  - /dataset: synthetic_digits\n  - /architecture: prototype_classifier\n  - _self_\n"
         "dataset: {train_size: 40, test_size: 20}\ntrainer: {epochs: 3, batch_size: 20, log_every: 1, checkpoint_steps: 2, "
         "checkpoint_seconds: 1000}\n"
         "seeds: [0, 1]\nlauncher: {workers: 1}\ntrackers: [" +
         tracker +
         "]\narms: {yat: [operator=yat]}\nanalyses: [prototype_images]\n"
         "report: {default_figures: false}\nfigures: {format: png, fig:curves: {plot: learning_curves}}\n";
}

/// The contents of a job's metrics.jsonl, by step and name.
using Shown = std::map<std::pair<std::int64_t, std::string>, std::vector<double>>;
Shown rows_of(const fs::path& job) {
  Shown out;
  std::ifstream in(job / "metrics.jsonl");
  for (std::string line; std::getline(in, line);) {
    const auto row = nlohmann::json::parse(line);
    for (const auto& [name, value] : row.items()) {
      if (name != "step" && name != "epoch") out[{row.at("step"), name}].push_back(value.get<float>());
    }
  }
  return out;
}

/// What TensorBoard shows of a folder: a START invalidates earlier events of its step and later ones.
struct Board {
  Shown scalars;
  std::map<std::pair<std::int64_t, std::string>, int> objects, ends;
  std::size_t files = 0;
};
Board board_of(const fs::path& folder) {
  Board out;
  for (const auto& path : entries_of(folder)) {
    ++out.files;
    const auto bytes = read_file(path);
    const auto whole = tensorboard::each_record(bytes, [&](std::string_view record) {
      tensorboard::Event event;
      REQUIRE(event.ParseFromArray(record.data(), static_cast<int>(record.size())));
      if (event.session_log().status() == tensorboard::SessionLog::START) {
        const std::pair<std::int64_t, std::string> from{event.step(), ""};
        out.scalars.erase(out.scalars.lower_bound(from), out.scalars.end());
        out.objects.erase(out.objects.lower_bound(from), out.objects.end());
        out.ends.erase(out.ends.lower_bound(from), out.ends.end());
      }
      for (const auto& value : event.summary().value()) {
        if (value.value_case() == tensorboard::Summary::Value::kSimpleValue) {
          if (value.tag().rfind("final/", 0) != 0) out.scalars[{event.step(), value.tag()}].push_back(value.simple_value());
        } else if (value.tag() == "_hparams_/session_end_info") {
          ++out.ends[{event.step(), value.tag()}];
        } else if (value.tag().rfind("_hparams_/", 0) != 0) {
          ++out.objects[{event.step(), value.tag()}];
        }
      }
    });
    CHECK(whole == bytes.size());
  }
  return out;
}

void check_board(const fs::path& results, const fs::path& run) {
  const auto folder = results / "tensorboard/tiny" / run.filename();
  for (const std::string seed : {"0", "1"}) {
    INFO("seed " << seed);
    const auto board = board_of(folder / "yat" / ("seed=" + seed));
    CHECK(board.files == 1);
    CHECK(board.scalars == rows_of(run / "jobs/yat" / ("seed=" + seed)));
    CHECK(board.objects == decltype(board.objects){{{6, "prototype_weights"}, 1}, {{6, "prototypes"}, 1}});
    CHECK(board.ends.size() == 1);
  }
  CHECK(entries_of(folder / "report").size() == 1);
  CHECK(entries_of(folder).size() == 2);  // yat, report
}

void check_logs(const fs::path& wandb, const fs::path& run) {
  std::map<std::string, fs::path> logs;
  for (const auto& log : wandb::find_logs({wandb})) {
    INFO(log.string());
    CHECK(wandb::has_ended(log.parent_path()));
    wandb::LogReader reader(log);
    std::string record;
    auto result = reader.next(record);
    while (result == wandb::LogReader::Result::kRecord) result = reader.next(record);
    CHECK(result == wandb::LogReader::Result::kEnd);
    CHECK(logs.emplace(testing::field(testing::records_of(log, 17).front(), 8), log).second);
  }
  CHECK(logs.size() == 3);
  for (const std::string seed : {"0", "1"}) {
    INFO("seed " << seed);
    REQUIRE(logs.count("yat seed=" + seed) == 1);
    Shown logged;
    std::set<std::string> pictures;
    for (const auto& row : testing::records_of(logs.at("yat seed=" + seed), 2)) {
      const auto items = testing::read_items(row, 1);
      std::int64_t step = -1;
      for (const auto& [key, value] : items) {
        if (key == "_step") step = std::stoll(value);
      }
      for (const auto& [key, value] : items) {
        // Via double, as in rows_of: a mean of two floats may be halfway between two others, and its text is not exact.
        if (value[0] == '{') CHECK(pictures.insert(key).second);
        if (key[0] != '_' && key != "epoch" && value[0] != '{') logged[{step, key}].push_back(static_cast<float>(std::stod(value)));
      }
    }
    CHECK(logged == rows_of(run / "jobs/yat" / ("seed=" + seed)));
    CHECK(pictures == std::set<std::string>{"prototype_weights", "prototypes"});
  }
}

/// `folder`: the tracker's, below the workspace.
template <class Check>
void refuse_every_call(const std::string& tracker, const std::string& folder, const Check& check) {
  testing::CleanEnvironment environment;
  const auto attempt = [&](const Workspace& w, FileCalls& calls) {
    environment.set("WANDB_DIR", w.path().string());
    const FileCallsReplaced replaced(calls);
    return w.run().exit_code;
  };
  const Workspace unbroken(experiment_with(tracker));
  RefusingBelow count(unbroken.path() / folder);
  REQUIRE(attempt(unbroken, count) == 0);
  REQUIRE(count.calls() > 30);
  int refused_at_once = 0;
  for (const bool forever : {false, true}) {
    for (long n = 0; n < count.calls(); n += forever ? 3 : 1) {
      INFO(tracker << ": call " << n << " of " << count.calls() << (forever ? " and all after it" : ""));
      const Workspace w(experiment_with(tracker));
      RefusingBelow calls(w.path() / folder, n, forever);
      try {
        const int status = attempt(w, calls);
        CHECK(status == 0);  // no tracker error ends a run
      } catch (const Error& e) {
        INFO(e.what());
        CHECK(e.kind() == ErrorKind::kConfig);  // but a tracker that cannot start fails before anything else
        CHECK_FALSE(e.why().empty());
        ++refused_at_once;
      }
      environment.set("WANDB_DIR", w.path().string());
      const auto run = w.run();
      CHECK(run.exit_code == 0);
      check(w.path(), run.directory);
      for (const auto& entry : fs::recursive_directory_iterator(w.path() / folder)) {
        INFO(entry.path().string());
        CHECK(entry.path().extension() != ".tmp");
      }
    }
  }
  CHECK(refused_at_once > 0);
}

}  // namespace

TEST_CASE("tensorboard: after any failed call a restart logs every row once", "[tensorboard][faults][slow]") {
  refuse_every_call("tensorboard", "results/tensorboard", [](const fs::path& w, const fs::path& run) { check_board(w / "results", run); });
}

TEST_CASE("wandb: after any failed call a restart logs every row once", "[wandb][faults][slow]") {
  refuse_every_call("{name: wandb, mode: offline, system_seconds: 1000}", "wandb",
                    [](const fs::path& w, const fs::path& run) { check_logs(w / "wandb", run); });
}

}  // namespace yatlab

#include "core/train/checkpoint_writer.h"

#include <ATen/ATen.h>
#include <pthread.h>

#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>

#include "catch.h"
#include "core/base/error.h"
#include "core/base/file_calls.h"
#include "core/base/files.h"
#include "core/record/checkpoint_folders.h"
#include "failing_files.h"
#include "holds.h"
#include "temporary_folder.h"
#include "train/training.h"

namespace yatlab {
namespace {

using testing::FailingFiles;
using testing::Recorder;
using testing::Setup;
using testing::train;

/// A disk that accepts no tensors until it is released.
class SlowDisk final : public FileCalls {
 public:
  int open(const char* path, int flags, mode_t mode) override {
    if (std::string_view(path).find(".safetensors") != std::string_view::npos) {
      std::unique_lock lock(mutex_);
      asked_ = true;
      ready_.notify_all();
      // A thread that waits for the disk before releasing it would otherwise wait forever.
      if (!ready_.wait_for(lock, std::chrono::seconds(20), [&] { return free_; })) timed_out_ = true;
    }
    return FileCalls::open(path, flags, mode);
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    free_ = true;
    ready_.notify_all();
  }
  void wait_until_asked() {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [&] { return asked_; });
  }
  bool timed_out() const { return timed_out_; }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  bool asked_ = false, free_ = false, timed_out_ = false;
};

Checkpoint small_checkpoint(double value) {
  return {7,
          {{"weight", at::full({3, 2}, value)}, {"transposed", at::arange(6, at::kDouble).add(value).view({2, 3}).t()}},
          {{"moment", at::full({2}, value)}},
          "{}\n"};
}

/// Treats every checkpoint as a large one.
class NoCopies {
 public:
  NoCopies() { CheckpointWriter::largest_copy = 0; }
  ~NoCopies() { CheckpointWriter::largest_copy = before_; }
  NoCopies(const NoCopies&) = delete;
  NoCopies& operator=(const NoCopies&) = delete;

 private:
  std::uintmax_t before_ = CheckpointWriter::largest_copy;
};

/// Rows of length 1, which it normalizes itself on each use.
class UnitRows final : public Architecture {
 public:
  struct Params {
    static void declare(Fields&, Params&) {}
  };
  explicit UnitRows(const Params&) {}
  void build(const BuildContext& context) override {
    weight_ = register_parameter("weight", at::arange(context.num_classes * 4, at::kFloat).sin().view({-1, 4}));
  }
  Tensor forward(const Tensor& inputs) override {
    {
      const at::NoGradGuard no_grad;
      weight_.div_(weight_.norm(2, 1, true));
    }
    return inputs.matmul(weight_.t());
  }

 private:
  Tensor weight_;
};
YATLAB_REGISTER(Architecture, UnitRows, "test_unit_rows", "for a test: rows of length 1");

}  // namespace

TEST_CASE("a checkpoint keeps the values at its start while they change", "[checkpoint]") {
  const TemporaryFolder folder;
  const auto at_once = folder.path() / "at_once", beside = folder.path() / "beside";
  CheckpointStore(at_once).save(small_checkpoint(1));
  SlowDisk disk;
  const FileCallsReplaced replaced(disk);
  CheckpointWriter writer{CheckpointStore(beside)};
  const auto checkpoint = small_checkpoint(1);
  writer.begin(checkpoint);
  for (auto [name, tensor] : checkpoint.model) tensor.add_(1);
  for (auto [name, tensor] : checkpoint.optimizer) tensor.add_(1);
  CHECK(writer.written() == std::nullopt);
  CHECK(saved_checkpoints(beside).empty());
  CHECK_THROWS_AS(writer.begin(checkpoint), Error);  // one at a time
  disk.let_go();
  CHECK(writer.wait() == 7);
  CHECK(writer.wait() == std::nullopt);  // reported once
  CHECK(writer.written() == std::nullopt);
  for (const char* name : {"model.safetensors", "optimizer.safetensors", "state.json", "manifest.json"}) {
    CHECK(read_file(beside / "step=000000007" / name) == read_file(at_once / "step=000000007" / name));
  }
}

TEST_CASE("tensors of a large checkpoint are copied only if they change meanwhile", "[checkpoint]") {
  const TemporaryFolder folder;
  const auto at_once = folder.path() / "at_once", beside = folder.path() / "beside";
  CheckpointStore(at_once).save(small_checkpoint(1));
  const NoCopies none;
  SlowDisk disk;
  const FileCallsReplaced replaced(disk);
  CheckpointWriter writer{CheckpointStore(beside)};
  const auto checkpoint = small_checkpoint(1);
  Tensor weight = checkpoint.model[0].second, transposed = checkpoint.model[1].second, moment = checkpoint.optimizer[0].second;
  REQUIRE(writer.release_parameters());  // nothing is being read
  const auto uses = weight.storage().use_count();
  writer.begin(checkpoint, {weight, moment});
  CHECK(weight.storage().use_count() > uses);
  transposed.add_(1);  // not declared as resting
  SECTION("parameters may change after they are written") {
    std::thread later([&] {
      disk.wait_until_asked();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      disk.let_go();
    });
    CHECK(writer.release_parameters());
    later.join();
    weight.add_(1);
    moment.add_(1);
    CHECK(writer.wait() == 7);
    for (const char* name : {"model.safetensors", "optimizer.safetensors", "state.json", "manifest.json"}) {
      CHECK(read_file(beside / "step=000000007" / name) == read_file(at_once / "step=000000007" / name));
    }
  }
  SECTION("a changed tensor is detected and copied from then on") {
    moment.add_(1);
    disk.let_go();
    CHECK_FALSE(writer.release_parameters());
    CHECK(writer.wait() == 7);
    moment.sub_(1);
    transposed.sub_(1);
    writer.begin(checkpoint, {weight, moment});
    moment.add_(1);
    CHECK(writer.release_parameters());
    CHECK(writer.wait() == 7);
    CHECK(read_file(beside / "step=000000007" / "manifest.json") == read_file(at_once / "step=000000007" / "manifest.json"));
  }
  CHECK_FALSE(disk.timed_out());
}

TEST_CASE("without a second thread a checkpoint is written synchronously", "[checkpoint]") {
  // A stack size beyond any address space: from now on no thread can be created.
  class NoThreads {
   public:
    NoThreads() {
      pthread_attr_init(&before_);
      REQUIRE(pthread_getattr_default_np(&before_) == 0);
      pthread_attr_t endless;
      pthread_attr_init(&endless);
      REQUIRE(pthread_attr_setstacksize(&endless, std::size_t{1} << 48) == 0);
      REQUIRE(pthread_setattr_default_np(&endless) == 0);
      pthread_attr_destroy(&endless);
    }
    ~NoThreads() {
      pthread_setattr_default_np(&before_);
      pthread_attr_destroy(&before_);
    }
    NoThreads(const NoThreads&) = delete;
    NoThreads& operator=(const NoThreads&) = delete;

   private:
    pthread_attr_t before_;
  };
  const TemporaryFolder folder;
  const CheckpointStore store(folder.path());
  CheckpointWriter writer(store);
  {
    const NoThreads none;
    REQUIRE_THROWS_AS(std::thread([] {}).join(), std::system_error);
    writer.begin(small_checkpoint(1));
  }
  CHECK(store.load_latest()->step == 7);
  CHECK(writer.wait() == 7);
  CHECK(writer.wait() == std::nullopt);
}

TEST_CASE("errors while a checkpoint is written are thrown to the caller that waits", "[checkpoint]") {
  const TemporaryFolder folder;
  const CheckpointStore store(folder.path());
  CheckpointWriter writer(store);
  {
    FailingFiles calls(FailingFiles::Call::kWrite, 0, ENOSPC, true);
    const FileCallsReplaced replaced(calls);
    writer.begin(small_checkpoint(1));
    CHECK_THROWS_AS(writer.wait(), Error);
    writer.begin(small_checkpoint(1));
    const auto asked = [&] {
      while (!writer.written()) std::this_thread::yield();
    };
    CHECK_THROWS_AS(asked(), Error);
  }
  CHECK_FALSE(store.load_latest());
  writer.begin(small_checkpoint(2));  // the next one can start
  CHECK(writer.wait() == 7);
  CHECK(store.load_latest()->step == 7);
}

TEST_CASE("training continues during a checkpoint with identical results", "[checkpoint][trainer]") {
  Setup s;
  s.params.checkpoint_steps = 5;  // of 21 steps
  const TemporaryFolder folder;
  Recorder expected_rows;
  const auto expected = train(s, folder.path() / "quick", expected_rows);

  SlowDisk disk;
  const FileCallsReplaced replaced(disk);
  Recorder rows;
  const auto result = train(s, folder.path() / "slow", rows, [&] {
    if (rows.progress.back().step == 8) disk.let_go();
    return false;
  });
  CHECK_FALSE(disk.timed_out());
  CHECK(result.model == expected.model);
  CHECK(rows.rows == expected_rows.rows);
  CHECK(rows.checkpoints == std::vector<std::int64_t>{5, 10, 15, 20, 21});
  for (const auto step : {20, 21}) {
    const auto name = checkpoint_folder(folder.path() / "slow", step).filename() / "manifest.json";
    CHECK(read_file(folder.path() / "slow" / name) == read_file(folder.path() / "quick" / name));
  }
}

TEST_CASE("an update waits for a large checkpoint and training gives identical results", "[checkpoint][trainer]") {
  Setup s;
  s.params.checkpoint_steps = 15;                    // of 21 steps
  s.params.early_stopping.metric = "test/accuracy";  // the best model's copies are saved too
  const TemporaryFolder folder;
  Recorder expected_rows;
  const auto expected = train(s, folder.path() / "copied", expected_rows);

  const NoCopies none;
  SlowDisk disk;
  const FileCallsReplaced replaced(disk);
  std::int64_t held_at = -1;
  Recorder rows;
  std::thread later([&] {
    disk.wait_until_asked();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));  // enough for the next forward and backward pass
    held_at = rows.progress.back().step;
    disk.let_go();
  });
  const auto result = train(s, folder.path() / "lent", rows);
  later.join();
  CHECK(held_at == 15);
  CHECK_FALSE(disk.timed_out());
  CHECK(result.model == expected.model);
  CHECK(rows.rows == expected_rows.rows);
  CHECK(rows.checkpoints == expected_rows.checkpoints);
  CHECK(rows.notices.empty());
  for (const auto step : {15, 21}) {
    const auto name = checkpoint_folder(folder.path(), step).filename() / "manifest.json";
    CHECK(read_file(folder.path() / "lent" / name) == read_file(folder.path() / "copied" / name));
  }
}

TEST_CASE("a model that changes its own parameters is checkpointed by copies with a notice", "[checkpoint][trainer]") {
  Setup s;
  s.architecture = spec("test_unit_rows");
  s.op = spec("dot");
  s.params.checkpoint_steps = 5;
  const TemporaryFolder folder;
  Recorder expected_rows;
  const auto expected = train(s, folder.path() / "copied", expected_rows);
  const NoCopies none;
  Recorder rows;
  const auto result = train(s, folder.path() / "lent", rows);
  CHECK(result.model == expected.model);
  REQUIRE(rows.notices.size() == 1);
  CHECK(testing::holds(rows.notices[0], "the checkpoint of step 5 is written again, from a copy"));
  CHECK(rows.checkpoints == std::vector<std::int64_t>{5, 5, 10, 15, 20, 21});
  const auto last = checkpoint_folder(folder.path(), 20).filename() / "manifest.json";
  CHECK(read_file(folder.path() / "lent" / last) == read_file(folder.path() / "copied" / last));
}

TEST_CASE("a disk that accepts no checkpoint ends a training soon", "[checkpoint][trainer]") {
  Setup s;
  s.params.checkpoint_steps = 5;
  s.params.epochs = 300;
  const TemporaryFolder folder;
  Recorder rows;
  FailingFiles calls(FailingFiles::Call::kWrite, 0, ENOSPC, true);
  const FileCallsReplaced replaced(calls);
  CHECK_THROWS_AS(train(s, folder.path(), rows), Error);
  CHECK(rows.progress.back().step <= 10);  // the next one is due here at the latest
  CHECK(rows.checkpoints.empty());
}

}  // namespace yatlab

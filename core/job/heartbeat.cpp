#include "core/job/heartbeat.h"

#include <chrono>
#include <ctime>

#include "core/base/error.h"

namespace yatlab {
namespace {

double seconds_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

HeartbeatWriter::HeartbeatWriter(fs::path directory) : directory_(std::move(directory)) {
  write();
  thread_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, std::chrono::seconds(kHeartbeatSeconds), [this] { return over_; })) {
      lock.unlock();
      write();
      lock.lock();
    }
  });
}

HeartbeatWriter::~HeartbeatWriter() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ended_.notify_all();
  thread_.join();
  try {
    remove_tree(directory_ / "heartbeat.json");
  } catch (const Error&) {
  }
}

void HeartbeatWriter::see(const Progress& progress) {
  const double seconds = seconds_now();
  const std::lock_guard lock(mutex_);
  if (first_step_ < 0) {
    first_step_ = progress.step;
    first_seconds_ = seconds;
  }
  now_.step = progress.step;
  now_.total_steps = progress.total_steps;
  now_.what = progress.what;
  if (seconds > first_seconds_) now_.per_second = static_cast<double>(progress.step - first_step_) / (seconds - first_seconds_);
}

void HeartbeatWriter::write() {
  Heartbeat now;
  {
    const std::lock_guard lock(mutex_);
    now = now_;
  }
  now.at = std::time(nullptr);
  try {
    write_heartbeat(directory_, now);
  } catch (const Error&) {
  }
}

}  // namespace yatlab

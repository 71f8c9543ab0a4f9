#include "core/record/stop_request.h"

#include <chrono>

namespace yatlab {
namespace {

constexpr std::int64_t kEvery = 500;  // milliseconds

fs::path stop_file(const fs::path& job) { return job / ".stop"; }

}  // namespace

void request_stop_of(const fs::path& job) { write_file_atomic(stop_file(job), ""); }

StopRequest::StopRequest(const fs::path& job) : file_(stop_file(job)) {
  std::error_code ignored;
  fs::remove(file_, ignored);
}

StopRequest::~StopRequest() {
  std::error_code ignored;
  fs::remove(file_, ignored);
}

bool StopRequest::made() {
  using std::chrono::milliseconds;
  const auto now = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
  auto due = next_look_.load();
  if (now >= due && next_look_.compare_exchange_strong(due, now + kEvery)) {
    std::error_code ignored;
    if (fs::exists(file_, ignored)) made_ = true;
  }
  return made_;
}

}  // namespace yatlab

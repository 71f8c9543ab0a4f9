#include "core/job/followed_job.h"
#include "core/plan/job_spec.h"

#include <algorithm>
#include <fstream>

#include "core/record/checkpoint_folders.h"
#include "core/record/job_history.h"
#include "core/record/job_status.h"

namespace yatlab {
namespace {

/// The bytes of a file from offset `at` on; "" if there are none.
std::string tail_of(const fs::path& path, std::uint64_t at) {
  std::ifstream in(path, std::ios::binary);
  if (!in.seekg(static_cast<std::streamoff>(at))) return {};
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

FollowedJob::FollowedJob(fs::path directory, JobObserver& observer) : directory_(std::move(directory)), observer_(observer) {
  const auto saved = saved_checkpoints(directory_ / "checkpoints");
  checkpoints_.insert(saved.begin(), saved.end());
  if (saved.empty()) return;
  std::uint64_t end = 0;
  const auto text = tail_of(directory_ / "metrics.jsonl", 0);
  for (std::size_t at = 0, next; (next = text.find('\n', at)) != std::string::npos; at = next + 1) {
    const auto line = text.substr(at, next - at);
    const auto row = row_in(line);
    if (!row || row->step > saved.back()) break;
    end = next + 1;
    rows_.push_back({end, row->step, line});
  }
  observer_.on_resume(saved.back());
}

void FollowedJob::take_back() {
  const auto path = directory_ / "metrics.jsonl";
  std::error_code ec;
  const auto size = fs::file_size(path, ec);
  const auto stands = [&] {
    if (rows_.empty()) return true;
    const auto& last = rows_.back();
    return !ec && size >= last.end &&
           tail_of(path, last.end - last.line.size() - 1).compare(0, last.line.size() + 1, last.line + "\n") == 0;
  };
  if (stands()) return;
  const auto text = tail_of(path, 0);
  while (!rows_.empty()) {
    const auto& last = rows_.back();
    const auto begin = last.end - last.line.size() - 1;
    if (text.size() >= last.end && text.compare(begin, last.line.size(), last.line) == 0) break;
    rows_.pop_back();
  }
  observer_.on_resume(rows_.empty() ? 0 : rows_.back().step);
}

void FollowedJob::look() {
  take_back();
  const auto begin = rows_.empty() ? 0 : rows_.back().end;
  const auto text = tail_of(directory_ / "metrics.jsonl", begin);
  for (std::size_t at = 0, next; (next = text.find('\n', at)) != std::string::npos; at = next + 1) {
    const auto line = text.substr(at, next - at);
    const auto row = row_in(line);
    if (!row) break;
    rows_.push_back({begin + next + 1, row->step, line});
    observer_.on_metrics(*row);
  }
  for (const auto step : saved_checkpoints(directory_ / "checkpoints")) {
    if (!checkpoints_.insert(step).second) continue;
    observer_.on_checkpoint(step, checkpoint_folder(directory_ / "checkpoints", step));
  }
  const auto beat = read_heartbeat(directory_);
  if (!beat || beat->at == beat_) return;
  beat_ = beat->at;
  Progress progress;
  progress.step = beat->step;
  progress.total_steps = beat->total_steps;
  progress.what = beat->what;
  observer_.on_progress(progress);
}

}  // namespace yatlab

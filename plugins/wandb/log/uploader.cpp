#include "plugins/wandb/log/uploader.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>

namespace yatlab::wandb {
namespace {

using State = RunUpload::State;

constexpr std::size_t kOpenAtOnce = 256, kBusyAtOnce = 32;
constexpr int kDetails = 20;
constexpr double kHurrySeconds = 10, kLookSeconds = 0.2;

bool is_over(State state) { return state == State::kUploaded || state == State::kUnended || state == State::kFailed; }

}  // namespace

Uploader::Uploader(Settings settings, UploadOptions options, std::function<void(const std::string&)> notice,
                   std::function<void(const fs::path&, const std::string&)> connected)
    : settings_(std::move(settings)),
      options_(std::move(options)),
      notice_(std::move(notice)),
      connected_(std::move(connected)),
      api_(settings_, options_.retry_seconds, options_.longest_retry) {
  // Signals go to the training threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { work(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Uploader::~Uploader() { finish(0); }

void Uploader::follow(const fs::path& log) {
  std::shared_ptr<RunUpload> run;
  try {
    run = std::make_shared<RunUpload>(log, settings_, options_);
  } catch (const std::exception& e) {
    say(e.what());
    return;
  }
  const std::lock_guard lock(mutex_);
  runs_.push_back(std::move(run));
  states_[log.string()] = State::kWaiting;
  api_.wake();
}

bool Uploader::stop_requested(const fs::path& log) const {
  const std::lock_guard lock(mutex_);
  return !stopped_.empty() && stopped_.count(log.string()) > 0;
}

std::string Uploader::project_page() const {
  const std::lock_guard lock(mutex_);
  return project_page_;
}

// Each message once, however many runs it concerns.
void Uploader::say(const std::string& text) {
  {
    const std::lock_guard lock(mutex_);
    if (!logged_messages_.insert(text).second) return;
  }
  if (notice_) notice_(settings_.key ? settings_.key->redact(text) : text);
}

void Uploader::step(RunUpload& run, bool closing) {
  const auto state = run.step(api_, steady_now(), closing);
  if (state == State::kFailed) say(fmt::format("upload stopped: {}; the run continues, and its log is complete", run.problem()));
  for (const auto& text : run.take_notices()) {
    if (details_++ < kDetails) say(text);
    if (details_ == kDetails) say("more messages like this are not shown: the .upload files beside the logs list them all");
  }
  const auto& a = run.address();
  if (run.connected() && shown_.insert(run.log().string()).second && connected_)
    connected_(run.log(), settings_.page(a.entity, a.project, a.id));
  const std::lock_guard lock(mutex_);
  states_[run.log().string()] = state;
  if (run.connected()) {
    project_page_ = settings_.page(a.entity, a.project, "");
    project_page_.resize(project_page_.rfind("/runs/"));
  }
  if (run.stop_requested()) stopped_.insert(run.log().string());
}

void Uploader::work() {
  bool away = false;
  std::unique_lock lock(mutex_);
  while (!ending_) {
    const auto runs = runs_;
    const bool closing = closing_;
    lock.unlock();
    // Each open run costs two descriptors and some memory; completing some runs is better than half of each.
    std::size_t open = 0, busy = 0;
    for (const auto& run : runs) open += run->is_open(), busy += run->busy();
    for (const auto& run : runs) {
      if (!run->is_open() && (open >= kOpenAtOnce || busy >= kBusyAtOnce)) continue;
      if (!run->due(steady_now())) continue;
      open += !run->is_open();
      const bool was_busy = run->busy();
      step(*run, closing);
      busy += run->busy() && !was_busy;
    }
    if (api_.failures() >= 2 && !away) {
      away = true;
      say(fmt::format("W&B cannot be reached or refuses requests ({}); the run continues, and the upload is retried", api_.last_failure()));
    } else if (api_.failures() == 0 && away) {
      away = false;
      say("the W&B server answers again; the missing data are being sent");
    }
    lock.lock();
    // Remove finished runs to free their memory.
    runs_.erase(std::remove_if(runs_.begin(), runs_.end(), [&](const auto& run) { return is_over(states_[run->log().string()]); }),
                runs_.end());
    changed_.notify_all();
    if (ending_) break;
    lock.unlock();
    api_.run(closing ? 0.05 : 0.2);
    lock.lock();
  }
}

std::vector<fs::path> Uploader::finish(double seconds, const std::function<bool()>& hurry) {
  std::vector<fs::path> out;
  if (!thread_.joinable()) return out;
  {
    std::unique_lock lock(mutex_);
    closing_ = true;
    api_.wake();
    using Clock = std::chrono::steady_clock;
    const auto in = [](double s) { return std::chrono::time_point_cast<Clock::duration>(Clock::now() + std::chrono::duration<double>(s)); };
    auto deadline = in(seconds);
    for (bool hurried = false; !runs_.empty() && Clock::now() < deadline;) {
      if (!hurried && hurry && hurry()) hurried = true, deadline = std::min(deadline, in(kHurrySeconds));
      changed_.wait_until(lock, std::min(deadline, in(kLookSeconds)), [&] { return runs_.empty(); });
    }
    ending_ = true;
  }
  api_.abort();
  thread_.join();
  for (const auto& [log, state] : states_) {
    if (state != State::kUploaded && state != State::kUnended) out.push_back(fs::path(log).parent_path());
  }
  return out;
}

}  // namespace yatlab::wandb

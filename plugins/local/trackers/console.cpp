#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>

#include "core/base/print.h"
#include "core/base/text.h"
#include "core/plan/plan.h"
#include "core/plan/tracker.h"

namespace yatlab {

/// Progress in the terminal: one live line per running job; plain lines when the output is not a
/// terminal.
class Console final : public Tracker {
 public:
  struct Params {
    double refresh_seconds = 0.2;
    double plain_seconds = 30;
    std::int64_t list_jobs = 40;
    static void declare(Fields& f, Params& p) {
      f.field("refresh_seconds", p.refresh_seconds, "between two redraws in a terminal").positive().max(1e7);
      f.field("plain_seconds", p.plain_seconds, "between two lines of a job elsewhere").positive().max(1e7);
      f.field("list_jobs", p.list_jobs, "plans with more jobs show totals instead of a line for each").positive();
    }
  };
  explicit Console(const Params& p) : p_(p), live_(isatty(STDOUT_FILENO) != 0) {}

  void on_run_start(const RunInfo& info) override {
    total_ = info.plan.jobs.size() + info.plan.to_come;
    begin_ = Clock::now();
    for (const auto& job : info.plan.jobs) label_width_ = std::max(label_width_, display_width(job.label()));
    label_width_ = std::min<std::size_t>(label_width_, 48);
    terse_ = total_ > static_cast<std::size_t>(p_.list_jobs);
  }
  void on_job_start(const JobSpec& job, const JobBeginning& beginning) override {
    const std::lock_guard lock(mutex_);
    if (beginning.kept) {
      kept_[job.directory] = true;
      ++done_;
      return;
    }
    running_[job.directory] = {job.label(), {}, {}, Clock::now(), Clock::now()};
  }
  void on_metrics(const JobSpec& job, const MetricRow& row) override {
    const std::lock_guard lock(mutex_);
    auto& line = running_[job.directory];
    for (const auto& [name, value] : row.metrics) line.metrics[name] = value;
  }
  void on_progress(const JobSpec& job, const Progress& progress) override {
    const auto now = Clock::now();
    const std::lock_guard lock(mutex_);
    auto& line = running_[job.directory];
    line.progress = progress;
    if (live_) {
      if (seconds(drawn_, now) < p_.refresh_seconds) return;
      drawn_ = now;
      redraw();
    } else if (seconds(line.printed, now) > p_.plain_seconds) {
      line.printed = now;
      say("  {}\n", text_of(line));
      std::fflush(stdout);
    }
  }
  void on_job_finish(const JobSpec& job, JobState state, const Metrics& metrics, const std::string& why) override {
    const std::lock_guard lock(mutex_);
    if (kept_.count(job.directory)) return;
    const auto it = running_.find(job.directory);
    const double took = it == running_.end() ? 0 : seconds(it->second.begin, Clock::now());
    if (it != running_.end()) running_.erase(it);
    erase_live_lines();
    if (terse_ && state == JobState::kCompleted) {
      ++done_;
      show_totals();
    } else if (state == JobState::kInterrupted) {
      say("  {}  interrupted, saved\n", pad(job.label(), static_cast<int>(label_width_)));
    } else {
      ++done_;
      say("  {}  {}{}  {}  [{}/{}]\n", pad(job.label(), static_cast<int>(label_width_)),
          state == JobState::kCompleted ? "" : std::string(to_string(state)) + "  ",
          state == JobState::kCompleted && why.empty() ? headline(metrics) : why.substr(0, why.find('\n')), format_duration(took), done_,
          total_);
    }
    if (live_) redraw();
    std::fflush(stdout);
  }
  void on_run_finish() override {
    const std::lock_guard lock(mutex_);
    erase_live_lines();
    std::fflush(stdout);
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Line {
    std::string label;
    Progress progress;
    Metrics metrics;
    Clock::time_point begin, printed;
  };

  static double seconds(Clock::time_point from, Clock::time_point to) { return std::chrono::duration<double>(to - from).count(); }

  static std::string bar(double share) {
    constexpr int kCells = 20;
    static const char* const kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int eighths = static_cast<int>(share * kCells * 8 + 0.5);
    std::string out;
    for (int i = 0; i < eighths / 8; ++i) out += "█";
    out += kEighths[eighths % 8];
    return pad(out, kCells);
  }

  /// The few metrics that tell most: losses and accuracies.
  static std::string headline(const Metrics& metrics) {
    std::string out;
    for (const char* name : {"train/loss", "test/loss", "test/accuracy", "train/accuracy", "inverted/accuracy", "target/step"}) {
      const auto it = metrics.find(name);
      if (it != metrics.end()) out += fmt::format("{}{} {:.4g}", out.empty() ? "" : "  ", name, it->second);
    }
    return out;
  }

  std::string text_of(const Line& line) const {
    const auto& p = line.progress;
    if (p.total_steps == 0) return pad(line.label, static_cast<int>(label_width_)) + "  starting";
    const double share = static_cast<double>(p.step) / static_cast<double>(p.total_steps);
    if (!p.what.empty()) {
      return fmt::format("{}  {} {:3.0f} %  {}", pad(line.label, static_cast<int>(label_width_)), bar(share), 100 * share, p.what);
    }
    const double spent = seconds(line.begin, Clock::now());
    const double rate = spent > 0 ? static_cast<double>(p.samples) / spent : 0.0;
    std::string out = fmt::format("{}  epoch {}/{}  {} {:3.0f} %  {}/s  loss {:.4g}", pad(line.label, static_cast<int>(label_width_)),
                                  p.epoch, p.epochs, bar(share), 100 * share, format_count(rate), p.loss);
    const auto accuracy = line.metrics.find("test/accuracy");
    if (accuracy != line.metrics.end() && p.epoch > 1) out += fmt::format("  acc {:.4f}", accuracy->second);
    if (share > 0.02) out += "  eta " + format_duration(spent * (1 - share) / share);
    return out;
  }

  /// A line for every twentieth of the plan, or for every plain_seconds of a slow one.
  void show_totals() {
    const auto now = Clock::now();
    const bool due = done_ == total_ || done_ * 20 / total_ > shown_ * 20 / total_ || seconds(printed_, now) > p_.plain_seconds;
    if (live_ || !due) return;
    shown_ = done_;
    printed_ = now;
    say("  {}\n", totals_text());
  }
  std::string totals_text() const {
    const double spent = seconds(begin_, Clock::now());
    const auto here = done_ - kept_.size();
    std::string out = fmt::format("{}/{} jobs done", done_, total_);
    if (here > 0 && done_ < total_) {
      out += "  eta " + format_duration(spent * static_cast<double>(total_ - done_) / static_cast<double>(here));
    }
    return out;
  }

  void erase_live_lines() {
    if (drawn_lines_ > 0) say("{}{}", terminal_code(fmt::format("[{}A", drawn_lines_)), terminal_code("[J"));
    drawn_lines_ = 0;
  }
  void redraw() {
    winsize size{};
    const std::size_t columns = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
    erase_live_lines();
    for (const auto& [key, line] : running_) {
      std::string text = for_terminal("  " + text_of(line));
      while (display_width(text) >= columns) {  // a wrapped line could not be erased
        text.pop_back();
        while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
      }
      say("{}\n", text);
      ++drawn_lines_;
    }
    if (terse_) {
      say("  {}\n", totals_text());
      ++drawn_lines_;
    }
    std::fflush(stdout);
  }

  Params p_;
  bool live_;
  std::mutex mutex_;
  std::map<std::string, Line> running_;
  std::map<std::string, bool> kept_;
  bool terse_ = false;  // too many jobs for a line each
  std::size_t total_ = 0, done_ = 0, shown_ = 0, label_width_ = 0;
  int drawn_lines_ = 0;
  Clock::time_point begin_, drawn_, printed_ = Clock::now();
};

YATLAB_REGISTER(Tracker, Console, "console", "progress in the terminal");

}  // namespace yatlab

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "core/base/print.h"
#include "core/base/text.h"
#include "core/plan/plan.h"
#include "core/plan/tracker.h"
#include "core/system/terminal.h"
#include "core/table/text_grid.h"

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
      f.field("refresh_seconds", p.refresh_seconds, "seconds between redraws in a terminal").positive().max(1e7);
      f.field("plain_seconds", p.plain_seconds, "seconds between lines of a job if the output is not a terminal").positive().max(1e7);
      f.field("list_jobs", p.list_jobs, "plans with more jobs show totals instead of a line for each").positive();
    }
  };
  explicit Console(const Params& p) : p_(p), live_(is_screen()) {}

  void on_run_start(const RunInfo& info) override {
    total_ = info.plan.jobs.size() + info.plan.to_come;
    workers_ = std::max<std::size_t>(1, info.workers);
    begin_ = Clock::now();
    for (const auto& job : info.plan.jobs) {
      label_width_ = std::max(label_width_, display_width(job.label()));
      ++left_of_arms_[job.arm];
    }
    label_width_ = std::min<std::size_t>(label_width_, 48);
    columns_ = columns();
    terse_ = total_ > static_cast<std::size_t>(p_.list_jobs);
  }
  void on_job_start(const JobSpec& job, const JobBeginning& beginning) override {
    const std::lock_guard lock(mutex_);
    if (beginning.kept) {
      kept_[job.directory] = true;
      return count_done(job.arm);
    }
    running_[job.directory] = {job.label(), job.arm, {}, {}, Clock::now(), Clock::now()};
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
    if (state == JobState::kCompleted) took_[job.arm].add(took);
    if (state != JobState::kInterrupted) count_done(job.arm);
    erase_live_lines();
    columns_ = columns();
    if (terse_ && state == JobState::kCompleted) {
      show_totals();
    } else if (state == JobState::kInterrupted) {
      say("  {}  interrupted, saved\n", padded(job.label()));
    } else {
      const auto begin = "  " + padded(job.label()) + "  ", end = fmt::format("  {}  [{}/{}]", format_duration(took), done_, total_);
      if (state == JobState::kCompleted && why.empty()) {
        const auto taken = display_width(begin) + display_width(end);
        say("{}{}{}\n", begin, headline(metrics, columns_ > taken ? columns_ - taken : 0), end);
      } else {
        const auto what = state == JobState::kCompleted ? "" : std::string(to_string(state)) + "  ";
        const auto text = begin + what + why.substr(0, why.find('\n')) + end;
        say("{}", display_width(text) <= columns_ ? text + "\n" : wrapped("  ", text.substr(2), columns_));
      }
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
    std::string label, arm;
    Progress progress;
    Metrics metrics;
    Clock::time_point begin, printed;
  };

  /// How long the finished jobs of an arm took, in seconds.
  struct Times {
    double n = 0, sum = 0, squares = 0;
    void add(double took) { ++n, sum += took, squares += took * took; }
    double mean() const { return sum / n; }
    double variance() const { return n > 1 ? std::max(0.0, (squares - sum * sum / n) / (n - 1)) : 0; }
  };

  static double seconds(Clock::time_point from, Clock::time_point to) { return std::chrono::duration<double>(to - from).count(); }

  static std::string bar(double share, int cells = 20) {
    static const char* const kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int eighths = static_cast<int>(share * cells * 8 + 0.5);
    std::string out;
    for (int i = 0; i < eighths / 8; ++i) out += "█";
    out += kEighths[eighths % 8];
    return pad(out, cells);
  }

  void count_done(const std::string& arm) {
    ++done_;
    auto& left = left_of_arms_[arm];
    if (left > 0) --left;  // jobs that a search adds were not counted
  }

  /// Columns of the terminal; no limit if the output is a file or a pipe.
  std::size_t columns() const { return static_cast<std::size_t>(live_ ? terminal_width(80) : std::numeric_limits<int>::max()); }

  /// A job's label in the column of labels, which takes at most two fifths of a terminal.
  std::string padded(const std::string& label) const {
    const auto width = std::max<std::size_t>(16, std::min(label_width_, columns_ / 5 * 2));
    return pad(live_ ? cut_in_the_middle(label, width) : label, static_cast<int>(std::min(width, label_width_)));
  }

  /// Losses and accuracies, as many as fit into `room` columns.
  static std::string headline(const Metrics& metrics, std::size_t room) {
    std::string out;
    for (const char* name : {"test/accuracy", "test/loss", "train/loss", "train/accuracy", "inverted/accuracy", "target/step"}) {
      const auto it = metrics.find(name);
      if (it == metrics.end()) continue;
      const auto text = fmt::format("{}{} {:.4g}", out.empty() ? "" : "  ", name, it->second);
      if (out.size() + text.size() > room && !out.empty()) break;
      out += text;
    }
    return out;
  }

  /// With a shorter bar, and then fewer fields, where the terminal has no room for all: loss and remaining time stay longest.
  std::string text_of(const Line& line) const {
    const auto& p = line.progress;
    if (p.total_steps == 0) return padded(line.label) + "  starting";
    const double share = static_cast<double>(p.step) / static_cast<double>(p.total_steps);
    const auto room = columns_ > 3 ? columns_ - 3 : 0;  // the indent, and a blank at the end
    if (!p.what.empty()) {
      const auto begin = fmt::format("{}  {} {:3.0f} %  ", padded(line.label), bar(share, columns_ < 80 ? 8 : 20), 100 * share);
      const auto taken = display_width(begin);
      return begin + (live_ ? cut_in_the_middle(p.what, std::max<std::size_t>(8, room - std::min(room, taken))) : p.what);
    }
    const double spent = seconds(line.begin, Clock::now());
    const double rate = spent > 0 ? static_cast<double>(p.samples) / spent : 0.0;
    const auto accuracy = line.metrics.find("test/accuracy");
    const auto written = [&](int cells, int dropped) {
      auto out = padded(line.label);
      if (dropped < 3) out += fmt::format("  epoch {}/{}", p.epoch, p.epochs);
      out += fmt::format("  {}{:3.0f} %", cells > 0 ? bar(share, cells) + " " : "", 100 * share);
      if (dropped < 2) out += fmt::format("  {}/s", format_count(rate));
      out += fmt::format("  loss {:.4g}", p.loss);
      if (dropped < 1 && accuracy != line.metrics.end() && p.epoch > 1) out += fmt::format("  acc {:.4f}", accuracy->second);
      if (share > 0.02) out += "  eta " + format_duration(spent * (1 - share) / share);
      return out;
    };
    auto out = written(20, 0);
    for (const auto& [cells, dropped] :
         {std::pair(12, 0), std::pair(6, 0), std::pair(6, 1), std::pair(0, 1), std::pair(0, 2), std::pair(0, 3)}) {
      if (display_width(out) <= room) break;
      out = written(cells, dropped);
    }
    return out;
  }

  /// Prints a line after every twentieth of the plan, or every plain_seconds if that is sooner.
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
    std::string out = fmt::format("{}/{} jobs done  {} elapsed", done_, total_, format_duration(spent));
    if (const auto left = time_left()) {
      out += "  about " + format_duration(left->first) + " left";
      if (left->second >= 1) out += " (± " + format_duration(left->second) + ")";
    } else if (here > 0 && done_ < total_) {
      out += "  about " + format_duration(spent * static_cast<double>(total_ - done_) / static_cast<double>(here)) + " left";
    }
    return out;
  }

  /// Estimated seconds until the last job ends, and their standard deviation, from the finished jobs of each arm; nullopt if an arm has none.
  std::optional<std::pair<double, double>> time_left() const {
    double seconds_left = 0, variance = 0;
    std::size_t counted = 0;
    for (const auto& [arm, jobs] : left_of_arms_) {
      if (jobs == 0) continue;
      const auto took = took_.find(arm);
      if (took == took_.end()) return std::nullopt;
      counted += jobs;
      seconds_left += took->second.mean() * static_cast<double>(jobs);
      variance += took->second.variance() * static_cast<double>(jobs);
    }
    if (counted == 0 || counted != total_ - done_) return std::nullopt;  // a search adds jobs
    for (const auto& [key, line] : running_) {
      if (const auto took = took_.find(line.arm); took != took_.end())
        seconds_left -= std::min(took->second.mean(), seconds(line.begin, Clock::now()));
    }
    // More jobs than workers run at the same time in a stack.
    const double side_by_side =
        static_cast<double>(std::max<std::size_t>(1, std::min(std::max(workers_, running_.size()), total_ - done_)));
    return std::pair(seconds_left / side_by_side, std::sqrt(variance) / side_by_side);
  }

  void erase_live_lines() {
    if (drawn_lines_ > 0) say("{}{}", terminal_code(fmt::format("[{}A", drawn_lines_)), terminal_code("[J"));
    drawn_lines_ = 0;
  }
  void redraw() {
    columns_ = columns();
    erase_live_lines();
    for (const auto& [key, line] : running_) {
      std::string text = for_terminal("  " + text_of(line));
      while (display_width(text) >= columns_) {  // a wrapped line could not be erased
        text.pop_back();
        while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
      }
      say("{}\n", text);
      ++drawn_lines_;
    }
    if (total_ > 1 && !running_.empty()) {
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
  std::size_t total_ = 0, done_ = 0, shown_ = 0, label_width_ = 0, workers_ = 1, columns_ = 80;
  std::map<std::string, std::size_t> left_of_arms_;  // jobs that are not finished
  std::map<std::string, Times> took_;                // by arm
  int drawn_lines_ = 0;
  Clock::time_point begin_, drawn_, printed_ = Clock::now();
};

YATLAB_REGISTER(Tracker, Console, "console", "progress in the terminal");

}  // namespace yatlab

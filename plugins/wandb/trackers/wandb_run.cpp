#include "plugins/wandb/trackers/wandb_run.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/record/job_history.h"

namespace yatlab {
namespace {

/// The value that represents an object in a row.
wandb::Json value_of(wandb::RunLog& log, const Media& media, std::int64_t step) {
  if (const auto* image = std::get_if<Image>(&media.value)) return log.image(media.name, step, image->png, media.caption);
  if (const auto* table = std::get_if<TableData>(&media.value)) return log.table(media.name, step, table->columns, table->rows);
  if (const auto* histogram = std::get_if<Histogram>(&media.value)) {
    return histogram->counts.empty() ? wandb::Json() : wandb::RunLog::histogram(histogram->edges, histogram->counts);
  }
  std::string page = "<pre style=\"white-space: pre-wrap\">";
  for (const char c : std::get<Markdown>(media.value).text) {
    page += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return log.html(media.name, step, page + "</pre>\n");
}

}  // namespace

void WandbRun::add(const MetricRow& row, const fs::path& job_directory) {
  catch_up(job_directory, row.step);
  take(row);
}

void WandbRun::add(const Media& media) {
  if (media.step <= log_->last_step() && log_->had_object(media.name)) return;  // logged before the process was killed
  // Steps must increase: a late object goes into the pending row, or the next.
  const auto step = std::max({media.step, step_, log_->last_step() + 1});
  if (step != step_) write();
  step_ = step;
  auto value = value_of(*log_, media, step);
  if (!value.is_null()) objects_[media.name] = std::move(value);
}

void WandbRun::complete(const fs::path& job_directory) {
  catch_up(job_directory, std::numeric_limits<std::int64_t>::max());
  write();
}

void WandbRun::take(const MetricRow& row) {
  if (step_ != row.step) write();
  step_ = row.step;
  numbers_["epoch"] = row.epoch;
  if (row.tokens) numbers_["tokens"] = static_cast<double>(*row.tokens);
  text_ = text_ || row.tokens;
  for (const auto& [name, value] : row.metrics) numbers_[name] = value;
}

void WandbRun::catch_up(const fs::path& job_directory, std::int64_t before) {
  if (std::exchange(caught_up_, true)) return;
  for_each_row(job_directory, [&](const MetricRow& row) {
    if (row.step > log_->last_step() && row.step < before) take(row);
  });
}

void WandbRun::define(const std::string& name) {
  if (!defined_.insert(name).second) return;
  using Goal = wandb::MetricDefinition::Goal;
  wandb::MetricDefinition metric;
  metric.name = name;
  if (name != "epoch" && name != "tokens") {
    const auto better = metrics_.metric(name).better;
    metric.goal = better == Direction::kHigher ? Goal::kMaximize : better == Direction::kLower ? Goal::kMinimize : Goal::kNone;
    metric.max = better == Direction::kHigher;
    metric.min = better == Direction::kLower;
    metric.best = metric.last = better != Direction::kNone;
    // Evaluations are plotted over epochs or tokens, single steps over steps. Epochs say little for a text that is read once.
    if (name.rfind("train/", 0) != 0) metric.step_metric = text_ ? "tokens" : "epoch";
  }
  log_->define(metric);
}

void WandbRun::write() {
  if (step_ < 0 || (numbers_.empty() && objects_.empty())) return;
  if (!numbers_.empty()) define("epoch");
  if (text_) define("tokens");
  for (const auto& [name, value] : numbers_) define(name);
  log_->history(step_, {numbers_.begin(), numbers_.end()}, objects_);
  numbers_.clear();
  objects_ = wandb::Json::object();
}

}  // namespace yatlab

// One W&B run: rows, objects and definitions of metrics.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "core/base/files.h"
#include "core/base/media.h"
#include "core/experiment/report_config.h"
#include "core/record/metric_row.h"
#include "plugins/wandb/log/run_log.h"

namespace yatlab {

/// Writes a job's rows and objects to a run's log, one row per step. Not thread-safe.
class WandbRun {
 public:
  /// `metrics`: directions of the metrics; must outlive this.
  WandbRun(std::unique_ptr<wandb::RunLog> log, const ReportConfig& metrics) : log_(std::move(log)), metrics_(metrics) {}

  wandb::RunLog& log() { return *log_; }
  /// Adds a row, which is written once its step is complete. Before the first row, adds rows of `job_directory`'s metrics.jsonl that the log
  /// lacks, because a process was killed before writing them or there was no tracker then.
  void add(const MetricRow& row, const fs::path& job_directory);
  /// Adds a picture, table, histogram or text at its step, unless the continued log already had it.
  void add(const Media& media);
  /// Writes the pending row, and all rows of metrics.jsonl that the log still lacks.
  void complete(const fs::path& job_directory);

  double last_console_output = 0;  ///< when progress was last written to the console

 private:
  void catch_up(const fs::path& job_directory, std::int64_t before);
  void take(const MetricRow& row);
  void write();
  void define(const std::string& name);

  std::unique_ptr<wandb::RunLog> log_;
  const ReportConfig& metrics_;
  std::int64_t step_ = -1;  // of the pending row
  std::map<std::string, double> numbers_;
  wandb::Json objects_ = wandb::Json::object();
  std::set<std::string> defined_;
  bool text_ = false;  // rows count tokens
  bool caught_up_ = false;
};

}  // namespace yatlab

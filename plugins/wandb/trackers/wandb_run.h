// One run of W&B's: rows, objects and definitions of metrics.
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

/// Puts a job's rows and objects into a run's log, a step a row. One thread at a time.
class WandbRun {
 public:
  /// `metrics`: their directions; must outlive this.
  WandbRun(std::unique_ptr<wandb::RunLog> log, const ReportConfig& metrics) : log_(std::move(log)), metrics_(metrics) {}

  wandb::RunLog& log() { return *log_; }
  /// Takes a row in; it is written once its step is over. Before the first one, rows of `job_directory`'s metrics.jsonl that the log
  /// lacks: a process was killed at the wrong moment, or there was no tracker then.
  void add(const MetricRow& row, const fs::path& job_directory);
  /// Takes a picture, table, histogram or text in, at its step, unless the log had it before it was continued.
  void add(const Media& media);
  /// Writes what waits, and what the log still lacks of the whole metrics.jsonl.
  void complete(const fs::path& job_directory);

  double said = 0;  ///< when progress was last written to the console

 private:
  void catch_up(const fs::path& job_directory, std::int64_t before);
  void take(const MetricRow& row);
  void write();
  void define(const std::string& name);

  std::unique_ptr<wandb::RunLog> log_;
  const ReportConfig& metrics_;
  std::int64_t step_ = -1;  // of what waits
  std::map<std::string, double> numbers_;
  wandb::Json objects_ = wandb::Json::object();
  std::set<std::string> defined_;
  bool text_ = false;  // rows count tokens
  bool caught_up_ = false;
};

}  // namespace yatlab

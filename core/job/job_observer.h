#pragma once

#include <cstdint>
#include <string>

#include "core/base/files.h"
#include "core/base/media.h"
#include "core/record/metric_row.h"

namespace yatlab {

/// Receives the output of a running job, in this process or another, and may request that it stop. Calls come from the job's thread.
class JobObserver {
 public:
  virtual ~JobObserver() = default;
  /// The job resumes from the checkpoint of `step`; rows of later steps are void.
  virtual void on_resume(std::int64_t /*step*/) {}
  virtual void on_metrics(const MetricRow&) {}
  /// A complete checkpoint is in `folder`.
  virtual void on_checkpoint(std::int64_t /*step*/, const fs::path& /*folder*/) {}
  virtual void on_media(const Media&) {}
  virtual void on_progress(const Progress&) {}
  /// What is damaged, and how it is handled.
  virtual void on_notice(const std::string& /*text*/) {}
  /// Called after every step, so it must be cheap.
  virtual bool wants_stop() { return false; }
  /// Why a search ended the job's trial early (then `wants_stop` is true); "" if it did not.
  virtual std::string why_pruned() { return {}; }
};

}  // namespace yatlab

#pragma once

#include <cstdint>
#include <string>

#include "core/base/files.h"
#include "core/base/media.h"
#include "core/record/metric_row.h"

namespace yatlab {

/// Sees what a running job makes, in this process or another, and may ask it to stop. Calls come from the job's thread.
class JobObserver {
 public:
  virtual ~JobObserver() = default;
  /// The job goes on from the checkpoint of `step`; rows of later steps are void.
  virtual void on_resume(std::int64_t /*step*/) {}
  virtual void on_metrics(const MetricRow&) {}
  /// A checkpoint lies in `folder`, whole.
  virtual void on_checkpoint(std::int64_t /*step*/, const fs::path& /*folder*/) {}
  virtual void on_media(const Media&) {}
  virtual void on_progress(const Progress&) {}
  /// Something is damaged, and what is done about it.
  virtual void on_notice(const std::string& /*text*/) {}
  /// Asked after every step: must be cheap.
  virtual bool wants_stop() { return false; }
  /// Why a search ended the job's trial early, for which `wants_stop` is true; "" where it did not.
  virtual std::string why_pruned() { return {}; }
};

}  // namespace yatlab

// A fake run on disk, read back.
#pragma once

#include "core/experiment/report_config.h"
#include "core/record/run_view.h"
#include "report/fake_run.h"

namespace yatlab::testing {

/// A run on disk with its report's config.
struct WrittenRun {
  TemporaryFolder scratch;
  RunView run;
  ReportConfig config;
  explicit WrittenRun(const FakeRun& fake) {
    fake.write(scratch.path());
    run = RunView::load(scratch.path());
    config = ReportConfig::read(run.config, true);
  }
};

}  // namespace yatlab::testing

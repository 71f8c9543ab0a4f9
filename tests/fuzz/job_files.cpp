// A run's folder, read back and reported: config.yaml, plan.json, then its only job's status.json, summary.json, metrics.jsonl,
// artifacts/claim.json and manifest.json, in this order.
#include <nlohmann/json.hpp>

#include "core/base/manifest.h"
#include "core/experiment/report_config.h"
#include "core/record/run_view.h"
#include "core/report/report.h"
#include "fuzz.h"

namespace yatlab::fuzz {

void fuzz_input(std::string_view input) {
  static const MemoryFolder folder;
  std::error_code ignored;
  fs::remove_all(folder.path() / "tables", ignored);  // their names come from the input
  const auto parts = parts_of(input, 7);
  folder.write("config.yaml", parts[0]);
  folder.write("plan.json", parts[1]);
  const fs::path job = "jobs/a/seed=0";
  folder.write(job / "status.json", parts[2]);
  folder.write(job / "summary.json", parts[3]);
  folder.write(job / "metrics.jsonl", parts[4]);
  folder.write(job / "artifacts/claim.json", parts[5]);
  unsealed(std::string(parts[6]));
  if (const auto manifest = nlohmann::json::parse(parts[6], nullptr, false); manifest.is_object()) {
    accepted([&] { damage_of(folder.path() / job, manifest); });
  }
  accepted([&] {
    const auto run = RunView::load(folder.path());
    for (const auto& one : run.jobs) run.curve(one);
    for (const auto& point : run.points()) point_label(point);
    run.status();
  });
  ReportOptions options;
  options.figures = false;  // gnuplot would be another process per input
  accepted([&] { write_report(folder.path(), options); });
}

}  // namespace yatlab::fuzz

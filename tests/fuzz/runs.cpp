// Results folders: config.yaml, plan.json, the only job's job.yaml, status.json, summary.json, metrics.jsonl and manifest.json, then
// notes.yaml, environment.json, the record of a paper's report (summary.json), and arguments of `yatlab runs`, one per line.
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/library/compare_runs.h"
#include "core/library/export_runs.h"
#include "core/library/prune_runs.h"
#include "core/library/run_list.h"
#include "core/library/run_status.h"
#include "core/record/run_notes.h"
#include "core/report/recorded_report.h"
#include "fuzz.h"
#include "plugins/serve/server/log_columns.h"

namespace yatlab::fuzz {

void fuzz_input(std::string_view input) {
  static const MemoryFolder folder;
  const auto parts = parts_of(input, 11);
  const fs::path run = "e/2026-11-21_14-02-11-3fa9c1", job = run / "jobs/a/seed=0";
  folder.write(run / "config.yaml", parts[0]);
  folder.write(run / "plan.json", parts[1]);
  folder.write(job / "job.yaml", parts[2]);
  folder.write(job / "status.json", parts[3]);
  folder.write(job / "summary.json", parts[4]);
  folder.write(job / "metrics.jsonl", parts[5]);
  folder.write(job / "manifest.json", parts[6]);
  folder.write(run / "notes.yaml", parts[7]);
  folder.write(run / "environment.json", parts[8]);
  folder.write("recorded/summary.json", parts[9]);
  const auto path = folder.path() / run;
  expect(log_columns(parts[5]).find('\n') % 8 == 7, "the columns of a log are not aligned");
  accepted([&] { read_recorded(folder.path() / "recorded", Node()); });
  accepted([&] {
    const auto index = RunIndex::open(folder.path());
    expect(index.runs().size() == 1, "a run is lost");
    const auto again = RunIndex::open(folder.path());
    expect(again.runs_read() == 0 && again.jobs_read() == 0, "what was read is read again");
    runs_text(again, find_runs(again, {}), 0);
    runs_json(find_runs(again, {}));
    std::size_t jobs = 0;
    for (const auto& found : again.runs()) jobs += again.jobs(found).size();
    expect(jobs == again.runs().front().jobs(), "jobs are lost");
    std::vector<std::string> words;
    for (const auto& word : split(parts[10], '\n')) words.push_back(word);
    accepted([&] { runs_text(again, find_runs(again, words), 0); });
  });
  accepted([&] { status_text(read_run_now(path, 0)); });
  accepted([&] { status_json(read_run_now(path, 0)); });
  accepted([&] {
    const auto comparison = compare_runs(path, path, true);
    for (const auto& v : comparison.config) expect(v.equal(), "a run differs from itself");
    comparison_report(comparison, true);
    comparison_json(comparison, true);
  });
  for (const auto rows : {ExportRows::kJobs, ExportRows::kSteps}) {
    for (const auto format : {ExportFormat::kCsv, ExportFormat::kJsonLines}) {
      accepted([&] {
        std::string text;
        const auto done = export_runs({path}, rows, format, [&](std::string_view piece) { text += piece; });
        if (format == ExportFormat::kCsv) return;
        std::size_t lines = 0;
        for (const auto& line : split(text, '\n')) {
          if (line.empty()) continue;
          ++lines;
          const auto json = nlohmann::json::parse(line, nullptr, false);
          expect(json.is_object() && json.size() == done.columns, "a line that is not a row");
        }
        expect(lines == done.rows, "rows are lost");
      });
    }
  }
  accepted([&] {
    PruneRequest request;
    request.results = folder.path();
    request.runs = run_folders(folder.path());
    request.named = request.runs;
    request.checkpoints = CheckpointRule::kNone;
    plan_prune(request);
  });
}

}  // namespace yatlab::fuzz

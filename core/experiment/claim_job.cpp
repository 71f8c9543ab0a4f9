#include <fmt/format.h>

#include "core/base/failure.h"
#include "core/experiment/claim.h"
#include "core/experiment/job_files.h"
#include "core/train/threads.h"

namespace yatlab {

JobResult run_claim_job(const JobSpec& job, const fs::path& directory, const JobHooks& hooks) {
  const Node& config = job.config;
  set_compute_threads(static_cast<int>(config.at("trainer").at("threads").as_int()));
  const Node& spec = config.at("claim");
  const auto& component = Registry<Claim>::table().at(spec.at("name").as_string());
  const auto claim = Registry<Claim>::create(spec);
  ClaimContext context{OperatorChoice(config.at("operator")), static_cast<std::uint64_t>(job.seed),
                       config.at("effort").as_double(), progress_of(hooks)};
  CheckedClaim checked{component.name, claim->title(), component.doc, claim->how(), context.op.name(), {}};
  in_component("claim", component.name, [&] { claim->check(context, checked.evidence); });

  const auto& evidence = checked.evidence;
  Metrics metrics;
  double failed = 0;
  for (const auto& check : evidence.checks()) failed += check.passed() ? 0 : 1;
  metrics["checks"] = static_cast<double>(evidence.checks().size());
  metrics["checks_failed"] = failed;
  write_file_atomic(directory / "artifacts" / "claim.json", claim_to_json(checked).dump(2) + "\n");
  auto summary = summary_head(job, "completed", metrics);
  summary["verdict"] = to_string(evidence.status());
  write_json(directory / "summary.json", summary);
  const auto* decisive = evidence.decisive();
  return {JobState::kCompleted, metrics,
          fmt::format("{}{}", to_string(evidence.status()),
                      decisive ? fmt::format(": {}, {}", decisive->what, decisive->comparison()) : "")};
}

}  // namespace yatlab

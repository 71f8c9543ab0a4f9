#include <fmt/format.h>

#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/job/job_files.h"
#include "core/measure/claim.h"
#include "core/plan/check_arm.h"
#include "core/plan/component_lists.h"
#include "core/plan/job_spec.h"
#include "core/train/threads.h"

namespace yatlab {
namespace {

/// `claims:` completed: those of a list, or all registered ones.
Node completed_claims(const Node& claims) {
  if (claims.is_list()) return completed_list<Claim>(claims);
  if (!claims.is_string() || claims.as_string() != "all") {
    throw config_error(fmt::format("claims: {} is neither a list nor all", shortened(claims.to_flow())), claims.origin().describe(), {},
                       "write [thm:mercer, prop:lipschitz] or all ('yatlab list claims' shows the choices)");
  }
  Node all = Node::list();
  for (const auto& name : Registry<Claim>::table().names()) all.push_back(Node(name));
  return completed_list<Claim>(all);
}

/// Checks one statement; leaves artifacts/claim.json.
class ClaimJob final : public JobType {
 public:
  std::string name() const override { return "claim"; }
  std::string activity() const override { return "checking a claim"; }
  std::vector<std::string> frozen_keys() const override { return {"operator", "effort"}; }
  std::string source() const override { return "core/job/claim_job.cpp"; }
  void complete(Node& experiment, const std::string& arm) const override {
    experiment.set("claims", completed_claims(experiment.at("claims")));
    require_component(experiment, "operator", arm);
  }
  std::vector<JobPart> parts(const Node& experiment) const override {
    std::vector<JobPart> out;
    for (const auto& claim : experiment.at("claims").as_list()) out.push_back({"claim", claim});
    return out;
  }
  ArmNames check(ArmCheck& arm) const override {
    for (const auto& part : arm.frozen.parts) arm.guarded(part.value, [&] { Registry<Claim>::create(part.value); });
    ArmNames names;
    names.add_results(
        {MetricDoc("checks").neither().as(NumberFormat::kInteger), MetricDoc("checks_failed").lower().as(NumberFormat::kInteger)});
    names.artifacts = {"claim"};
    return names;
  }
  JobResult run(const JobContext& context) const override;
};

}  // namespace

const JobType& claim_job() {
  static const ClaimJob type;
  return type;
}

JobResult ClaimJob::run(const JobContext& context) const {
  const auto& [job, directory, data, observer, with] = context;
  const Node& config = job.config;
  set_compute_threads(static_cast<int>(config.at("trainer").at("threads").as_int()));
  const Node& spec = config.at("claim");
  const ClaimContext choice{OperatorChoice(config.at("operator")), static_cast<std::uint64_t>(job.seed), config.at("effort").as_double(),
                            progress_of(observer)};
  const CheckedClaim checked = check_claim(spec, choice);

  const auto& evidence = checked.evidence;
  Metrics metrics;
  double failed = 0;
  for (const auto& check : evidence.checks()) failed += check.passed() ? 0 : 1;
  metrics["checks"] = static_cast<double>(evidence.checks().size());
  metrics["checks_failed"] = failed;
  write_file_atomic(directory / "artifacts" / "claim.json", dump_json(claim_to_json(checked), 2) + "\n");
  JobSummary summary{job.hash, JobState::kCompleted, metrics};
  summary.verdict = to_string(evidence.status());
  write_job_summary(directory, summary);
  const auto* decisive = evidence.decisive();
  return {
      JobState::kCompleted, metrics,
      fmt::format("{}{}", to_string(evidence.status()), decisive ? fmt::format(": {}, {}", decisive->what, decisive->comparison()) : "")};
}

}  // namespace yatlab

#include <fmt/format.h>

#include "core/base/failure.h"
#include "core/job/job_files.h"
#include "core/measure/study.h"
#include "core/model/build_model.h"
#include "core/plan/check_arm.h"
#include "core/plan/component_lists.h"
#include "core/plan/job_spec.h"
#include "core/train/threads.h"

namespace yatlab {

namespace {

/// Runs `studies` on the arm's components; nothing is trained.
class StudyJob final : public JobType {
 public:
  std::string name() const override { return "study"; }
  std::string activity() const override { return "a study of untrained components"; }
  std::vector<std::string> frozen_keys() const override { return {"operator", "normalizer", "architecture", "studies"}; }
  std::string source() const override { return "core/job/study_job.cpp"; }
  void complete(Node& experiment, const std::string&) const override {
    experiment.set("studies", completed_list<Study>(experiment.at("studies")));
  }
  ArmNames check(ArmCheck& arm) const override {
    const Node& config = arm.frozen.config;
    if (const Node& spec = config.at("architecture"); !spec.is_null()) arm.parts.model = Registry<Architecture>::create(spec);
    ArmNames names;
    for (const auto& spec : config.at("studies").as_list()) {
      arm.guarded(spec, [&] {
        const auto study = Registry<Study>::create(spec);
        study->check(arm.parts);
        names.add(study->names(arm.parts), fmt::format("study '{}'", spec.at("name").as_string()));
      });
    }
    return names;
  }
  JobResult run(const JobContext& context) const override;
};

}  // namespace

const JobType& study_job() {
  static const StudyJob type;
  return type;
}

JobResult StudyJob::run(const JobContext& running) const {
  const JobSpec& job = running.job;
  const fs::path& directory = running.directory;
  JobObserver& observer = running.observer;
  const Node& config = job.config;
  set_compute_threads(static_cast<int>(config.at("trainer").at("threads").as_int()));
  StudyContext context;
  if (!config.at("operator").is_null()) context.op = std::make_shared<OperatorChoice>(config.at("operator"));
  context.normalizer = optional_component<Normalizer>(config.at("normalizer"));
  context.seed = static_cast<std::uint64_t>(job.seed);
  context.model = [&](std::vector<std::int64_t> input_shape, std::int64_t outputs, std::uint64_t seed) {
    if (config.at("architecture").is_null()) {
      throw config_error(fmt::format("arm '{}' has no architecture", job.arm), "studies", "one of its studies needs a model",
                         "add '- /architecture: ...' to the defaults, or architecture=... to the arm");
    }
    return ModelBuilder(config, std::move(input_shape), outputs, seed).build();
  };
  const auto progress = progress_of(observer);
  const auto& studies = config.at("studies").as_list();
  FoundSoFar found;
  for (std::size_t i = 0; i < studies.size(); ++i) {
    const auto n = static_cast<double>(studies.size());
    const auto name = studies[i].at("name").as_string();
    context.progress = [&](double share, const std::string& what) {
      progress((static_cast<double>(i) + share) / n, what.empty() ? name : what);
    };
    context.progress(0, name);
    const auto findings = in_component("study", name, [&] { return Registry<Study>::create(studies[i])->run(context); });
    keep_findings(findings, directory, found);
  }
  show_media(std::move(found.media), 0, directory, observer);
  write_job_summary(directory, {job.hash, JobState::kCompleted, found.metrics});
  return {JobState::kCompleted, found.metrics, {}};
}

}  // namespace yatlab

#include <fmt/format.h>

#include "core/base/failure.h"
#include "core/experiment/job_files.h"
#include "core/experiment/study.h"
#include "core/train/threads.h"

namespace yatlab {

JobResult run_study_job(const JobSpec& job, const fs::path& directory, const JobHooks& hooks) {
  const Node& config = job.config;
  set_compute_threads(static_cast<int>(config.at("trainer").at("threads").as_int()));
  StudyContext context;
  if (!config.at("operator").is_null()) context.op = std::make_shared<OperatorChoice>(config.at("operator"));
  context.normalizer = optional_component<Normalizer>(config.at("normalizer"));
  context.seed = static_cast<std::uint64_t>(job.seed);
  context.model = [&](std::vector<std::int64_t> input_shape, std::int64_t outputs, std::uint64_t seed) {
    if (config.at("architecture").is_null()) {
      throw config_error(fmt::format("arm '{}' has no architecture", job.arm), "studies", "one of its studies looks at a model",
                         "add '- /architecture: ...' to the defaults, or architecture=... to the arm");
    }
    auto model = Registry<Architecture>::create(config.at("architecture"));
    BuildContext build;
    build.op = context.op ? context.op->make() : nullptr;
    build.normalizer = context.normalizer;
    build.input_shape = std::move(input_shape);
    build.num_classes = outputs;
    build.seed = seed;
    model->build(build);
    return model;
  };
  const auto progress = progress_of(hooks);
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
  show_media(std::move(found.media), 0, directory, hooks);
  write_json(directory / "summary.json", summary_head(job, "completed", found.metrics));
  return {JobState::kCompleted, found.metrics, {}};
}

}  // namespace yatlab

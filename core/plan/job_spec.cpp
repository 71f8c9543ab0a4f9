#include "core/plan/job_spec.h"

#include <fmt/format.h>

#include "core/compose/identity.h"
#include "core/compose/job_type.h"
#include "core/record/run_view.h"
#include "core/registry/plugin_library.h"

namespace yatlab {
namespace {

JobSpec spec_of(const JobFile& file) {
  JobSpec out;
  out.type = &job_type(file.type);
  out.arm = file.arm;
  out.seed = file.seed;
  out.params = file.params;
  out.part = file.part;
  out.config = file.config;
  out.resources = file.resources;
  out.hash = file.hash;
  return out;
}

}  // namespace

std::string JobSpec::label() const {
  std::string out = fmt::format("{} seed={}", arm, seed);
  for (const auto& [key, value] : params) out += fmt::format(" {}={}", key, value.to_flow());
  return out;
}

const Node* JobSpec::dataset() const { return (trained.is_null() ? config : trained).find("dataset"); }

JobSpec read_job(const fs::path& job_directory) {
  const auto file = read_job_file(job_directory);
  auto out = spec_of(file);
  for (const auto& needed : file.needs) out.trained = read_job_file(job_directory / needed).config;
  for (const auto& found : analyses_in(job_directory, {})) {
    auto analysis = spec_of(read_job_file(job_directory / found.directory));
    analysis.directory = found.directory;
    analysis.trained = out.config;
    out.analyses.push_back(std::move(analysis));
  }
  return out;
}

JobFile job_file(const JobSpec& job, const Node& data) {
  JobFile out;
  out.type = job.type->name();
  out.arm = job.arm;
  out.seed = job.seed;
  out.params = job.params;
  out.part = job.part;
  out.hash = job.hash;
  out.uses = uses_of(*job.type, job.config);
  if (!job.trained.is_null()) out.needs = {"../.."};
  out.config = job.config;
  out.resources = job.resources;
  out.data = data;
  auto libraries = libraries_of(job.config);
  if (!job.trained.is_null()) libraries.merge(libraries_of(job.trained));
  for (const auto& plugin : loaded_plugins()) {
    if (libraries.count(plugin.path.string())) out.libraries.push_back({plugin.path.string(), plugin.sha256});
  }
  return out;
}

}  // namespace yatlab

#include "core/compose/job_type.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"

namespace yatlab {

const std::vector<const JobType*>& job_types() {
  static const std::vector<const JobType*> all = {&training_job(), &analysis_job(), &study_job(), &claim_job()};
  return all;
}

const JobType& job_type(const std::string& name) {
  std::vector<std::string> names;
  for (const auto* type : job_types()) {
    if (type->name() == name) return *type;
    names.push_back(type->name());
  }
  throw data_error(fmt::format("unknown type of job '{}'", shortened(name)), {}, "types of jobs: " + join(names, ", "));
}

const JobType& job_type_of(const Node& experiment) {
  if (!experiment.at("claims").is_null()) return claim_job();
  if (!experiment.at("studies").as_list().empty() && experiment.at("dataset").is_null()) return study_job();
  return training_job();
}

}  // namespace yatlab

#include "core/experiment/job_stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/experiment/job_type.h"
#include "core/experiment/launcher.h"
#include "core/experiment/plan_sizes.h"
#include "core/train/build_model.h"
#include "core/train/task.h"

namespace yatlab {
namespace {

/// Fewer members are no reason to begin another stack.
constexpr std::size_t kFew = 4;

/// A component's config without what may differ from member to member.
std::string without(const Node& component, const std::vector<std::string>& keys) {
  if (component.is_null()) return "null";
  std::string out;
  for (const auto& [key, value] : component.as_map()) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) out += key + ": " + value.to_flow() + "\n";
  }
  return out;
}

struct Parts {
  std::shared_ptr<Architecture> architecture;
  std::shared_ptr<Operator> op;
  std::shared_ptr<Task> task;
};

Parts parts_of(const Node& config) {
  return {Registry<Architecture>::create(config.at("architecture")), optional_component<Operator>(config.at("operator")),
          Registry<Task>::create(config.at("task"))};
}

std::string why_alone(const JobSpec& job, const Parts& parts) {
  const auto& trainer = job.config.at("trainer");
  const auto name_of = [&](const char* kind) { return job.config.at(kind).at("name").as_string(); };
  if (!parts.architecture->stacks()) return fmt::format("architecture={} does not stack", name_of("architecture"));
  if (parts.op && !parts.op->stacks()) return fmt::format("operator={} does not stack", name_of("operator"));
  if (!parts.task->stacks()) return fmt::format("task={} does not stack", name_of("task"));
  if (trainer.at("device").as_string() != "cpu") return "trainer.device is not cpu";
  if (!trainer.at("micro_batch").is_null()) return "trainer.micro_batch adds gradients up";
  return {};
}

/// Equal for jobs that can train together; "" for those that train alone.
std::string key_of(const JobSpec& job) {
  if (job.type != &training_job()) return {};
  const auto parts = parts_of(job.config);
  if (!why_alone(job, parts).empty()) return {};
  const auto& trainer = job.config.at("trainer");
  std::string out = without(job.config.at("architecture"), parts.architecture->stacked_parameters()) + "\n";
  out += without(job.config.at("operator"), parts.op ? parts.op->stacked_parameters() : std::vector<std::string>()) + "\n";
  for (const char* kind : {"normalizer", "task", "dataset"}) out += job.config.at(kind).to_flow() + "\n";
  for (const char* key : {"batch_size", "threads"}) out += trainer.at(key).to_flow() + "\n";
  return out;
}

}  // namespace

std::size_t stack_limit(const Node& given) {
  if (given.is_bool() && !given.as_bool()) return 1;
  if (given.is_string() && given.as_string() == "off") return 1;
  if (given.is_string() && given.as_string() == "auto") return kAutoStack;
  if (given.is_int() && given.as_int() > 1) return static_cast<std::size_t>(given.as_int());
  throw config_error(fmt::format("'launcher.stack' cannot be {}", shortened(given.to_flow())), given.origin().describe(), {},
                     "use auto, off, or how many jobs may train together, from 2");
}

std::string why_alone(const JobSpec& job) {
  if (job.type != &training_job()) return fmt::format("{} is no training", job.type->activity());
  return why_alone(job, parts_of(job.config));
}

std::vector<std::vector<std::size_t>> stacks_of(const std::vector<const JobSpec*>& jobs, std::size_t limit, std::size_t workers) {
  std::vector<std::vector<std::size_t>> out;
  std::map<std::string, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto key = limit > 1 ? key_of(*jobs[i]) : std::string();
    if (key.empty()) {
      out.push_back({i});
    } else {
      alike[key].push_back(i);
    }
  }
  for (auto& [key, members] : alike) {
    std::stable_sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) { return jobs[a]->seed < jobs[b]->seed; });
    const auto count = members.size();
    const auto stacks = std::max((count + limit - 1) / limit, std::min(workers, std::max<std::size_t>(1, count / kFew)));
    for (std::size_t k = 0; k < stacks; ++k) {
      out.emplace_back(members.begin() + static_cast<std::ptrdiff_t>(k * count / stacks),
                       members.begin() + static_cast<std::ptrdiff_t>((k + 1) * count / stacks));
    }
  }
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return *std::min_element(a.begin(), a.end()) < *std::min_element(b.begin(), b.end()); });
  return out;
}

std::string stacks_text(const Plan& plan) {
  const auto launcher = Registry<Launcher>::create(plan.experiment.at("launcher"));
  if (launcher->stack() == 1) return {};
  std::vector<const JobSpec*> jobs;
  std::map<std::string, std::size_t> alone;  // why -> jobs
  for (const auto& job : plan.jobs) {
    jobs.push_back(&job);
    if (auto why = why_alone(job); !why.empty()) ++alone[why];
  }
  std::vector<std::size_t> sizes;
  for (const auto& stack : stacks_of(jobs, launcher->stack(), launcher->workers(jobs.size(), threads_per_job(plan)))) {
    if (stack.size() > 1) sizes.push_back(stack.size());
  }
  std::string out;
  if (!sizes.empty()) {
    std::size_t members = 0;
    for (const auto size : sizes) members += size;
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    out = fmt::format("{} jobs train together, in {} stack{} of {}", members, sizes.size(), sizes.size() == 1 ? "" : "s", *least);
    if (*most > *least) out += fmt::format(" to {}", *most);
  }
  for (const auto& [why, count] : alone) out += fmt::format("{}{} alone: {}", out.empty() ? "" : "; ", count, why);
  return out.empty() ? "no two jobs are alike enough to train together" : out;
}

}  // namespace yatlab

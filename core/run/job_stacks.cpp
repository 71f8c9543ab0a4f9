#include "core/run/job_stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/compose/job_type.h"
#include "core/model/build_model.h"
#include "core/model/stacked_architecture.h"
#include "core/ops/stacked_operator.h"
#include "core/run/plan_sizes.h"
#include "core/train/stacked_task.h"

namespace yatlab {
namespace {

/// Minimum number of members for which another stack is worthwhile.
constexpr std::size_t kFew = 4;
/// Number of stacks per worker that keeps all workers busy nearly to the end; more and smaller stacks would only be slower.
constexpr std::size_t kEnough = 4;

/// A component's config without what may differ from member to member.
std::string without(const Node& component, const std::vector<std::string>& keys) {
  if (component.is_null()) return "null";
  std::string out;
  for (const auto& [key, value] : component.as_map()) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) out += key + ": " + value.to_flow() + "\n";
  }
  return out;
}

/// Whether, and with which jobs, a job can train in a stack.
struct Stackability {
  std::string why_alone;  ///< "" if it can train with others
  std::string key;        ///< equal for those that can train together
};

Stackability stackability_of(const JobSpec& job, const StackRule& rule) {
  if (job.type != &training_job()) return {fmt::format("{} is not a training", job.type->activity()), {}};
  const auto& config = job.config;
  const auto& trainer = config.at("trainer");
  const auto not_stackable = [&](const char* kind, const char* why = "cannot be stacked") {
    return Stackability{fmt::format("{}={} {}", kind, config.at(kind).at("name").as_string(), why), {}};
  };
  const auto architecture = Registry<Architecture>::create(config.at("architecture"));
  const auto op = optional_component<Operator>(config.at("operator"));
  const auto* stacked = as_stacked(*architecture);
  if (!stacked) return not_stackable("architecture");
  if (op && !stacks(*op)) return not_stackable("operator");
  if (!std::dynamic_pointer_cast<StackedTask>(Registry<Task>::create(config.at("task")))) return not_stackable("task");
  if (rule.where_faster && !stacked->faster_in_stacks()) return not_stackable("architecture", "is not faster in a stack");
  if (trainer.at("device").as_string() != "cpu") return {"trainer.device is not cpu", {}};
  if (!trainer.at("micro_batch").is_null()) return {"trainer.micro_batch accumulates gradients", {}};
  Stackability out;
  out.key = without(config.at("architecture"), stacked->stacked_parameters()) + "\n";
  out.key += without(config.at("operator"), op ? stacked_parameters(*op) : std::vector<std::string>()) + "\n";
  for (const char* kind : {"normalizer", "task", "dataset"}) out.key += config.at(kind).to_flow() + "\n";
  for (const char* key : {"batch_size", "threads"}) out.key += trainer.at(key).to_flow() + "\n";
  return out;
}

std::vector<std::vector<std::size_t>> stacks_of(const std::vector<const JobSpec*>& jobs, const std::vector<Stackability>& stackable,
                                                std::size_t limit, std::size_t workers) {
  std::vector<std::vector<std::size_t>> out;
  std::map<std::string, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (stackable[i].key.empty()) {
      out.push_back({i});
    } else {
      alike[stackable[i].key].push_back(i);
    }
  }
  const auto least = alike.size() < kEnough * workers ? workers : 1;  // stacks of those that could be one
  for (auto& [key, members] : alike) {
    std::stable_sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) { return jobs[a]->seed < jobs[b]->seed; });
    const auto count = members.size();
    const auto stacks = std::max((count + limit - 1) / limit, std::min(least, std::max<std::size_t>(1, count / kFew)));
    for (std::size_t k = 0; k < stacks; ++k) {
      out.emplace_back(members.begin() + static_cast<std::ptrdiff_t>(k * count / stacks),
                       members.begin() + static_cast<std::ptrdiff_t>((k + 1) * count / stacks));
    }
  }
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return *std::min_element(a.begin(), a.end()) < *std::min_element(b.begin(), b.end()); });
  return out;
}

}  // namespace

std::string why_alone(const JobSpec& job, const StackRule& rule) { return stackability_of(job, rule).why_alone; }

std::vector<std::vector<std::size_t>> stacks_of(const std::vector<const JobSpec*>& jobs, const StackRule& rule, std::size_t workers) {
  std::vector<Stackability> stackable(jobs.size());  // alone
  if (rule.most > 1)
    std::transform(jobs.begin(), jobs.end(), stackable.begin(), [&](const JobSpec* job) { return stackability_of(*job, rule); });
  return stacks_of(jobs, stackable, rule.most, workers);
}

std::string stacks_text(const Plan& plan) {
  const auto launcher = Registry<Launcher>::create(plan.experiment.at("launcher"));
  const auto rule = launcher->stack();
  if (rule.most == 1) return {};
  std::vector<const JobSpec*> jobs;
  std::map<std::string, std::size_t> alone;  // why -> jobs
  std::vector<Stackability> stackable;
  for (const auto& job : plan.jobs) {
    jobs.push_back(&job);
    if (!stackable.emplace_back(stackability_of(job, rule)).why_alone.empty()) ++alone[stackable.back().why_alone];
  }
  std::vector<std::size_t> sizes;
  for (const auto& stack : stacks_of(jobs, stackable, rule.most, launcher->workers(jobs.size(), threads_per_job(plan)))) {
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
  return out.empty() ? "no two jobs are similar enough to train together" : out;
}

}  // namespace yatlab

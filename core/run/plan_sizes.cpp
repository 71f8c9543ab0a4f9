#include "core/run/plan_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/plan/plan.h"

namespace yatlab {
namespace {

std::string counted(std::size_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

}  // namespace

std::size_t threads_per_job(const Plan& plan) {
  std::size_t out = 1;
  for (const auto& job : plan.jobs) out = std::max(out, static_cast<std::size_t>(job.config.at("trainer").at("threads").as_int()));
  return out;
}

std::string plan_sizes(const Plan& plan) {
  // An arm that lacks a swept key has fewer points than the others, so count them in the jobs.
  std::map<std::string, std::set<std::string>> points;
  bool claims = !plan.jobs.empty();
  for (const auto& job : plan.jobs) {
    std::string point;
    for (const auto& [key, value] : job.params) point += key + "=" + value.to_flow() + " ";
    points[job.arm].insert(point);
    claims = claims && job.part == "claim" && job.params.size() == 1;
  }
  std::size_t least = plan.jobs.size(), most = 0;
  for (const auto& [arm, all] : points) {
    least = std::min(least, all.size());
    most = std::max(most, all.size());
  }
  std::string out = counted(plan.arms.size(), "arm");
  const char* what = claims ? "claim" : "point";
  if (most > 1 && least == most) out += " x " + counted(most, what);
  if (most > 1 && least != most) out += fmt::format(" x {} to {}", least, counted(most, what));
  return out + fmt::format(" x {} = {}", counted(plan.seeds.size(), "seed"), counted(plan.jobs.size(), "job"));
}

}  // namespace yatlab

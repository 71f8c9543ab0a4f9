#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/plan/launcher.h"
#include "core/plan/plan.h"

namespace yatlab {

/// Why a job cannot train in any stack; "" if it can.
std::string why_alone(const JobSpec& job, const StackRule& rule);

/// Groups jobs, given by index in `jobs`, into stacks that train together (core/train/training_stack.h); stacks are in the order of their first job.
/// Jobs of a stack have the same shapes, data, batch size and loss. Jobs with the same seed are adjacent, because they share their batches. Large
/// stacks are split so that every worker has one, if each keeps a few members; not if there are already several stacks per worker.
std::vector<std::vector<std::size_t>> stacks_of(const std::vector<const JobSpec*>& jobs, const StackRule& rule, std::size_t workers);

/// Describes which jobs of a plan will be stacked, and why others will not; "" if the launcher does not stack jobs.
std::string stacks_text(const Plan& plan);

}  // namespace yatlab

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/plan/launcher.h"
#include "core/plan/plan.h"

namespace yatlab {

/// Why a job trains in no stack, whatever others there are; "" where it could.
std::string why_alone(const JobSpec& job, const StackRule& rule);

/// Jobs, by their place in `jobs`, in the order of their first: those of one list train together (core/train/training_stack.h). They have the same
/// shapes, data, batch size and loss, and differ in what stays each one's own. One seed's jobs are neighbours: they see the same batches. There are as many
/// stacks as `workers`, if that leaves a few members to each, so that none is idle; where there are several for each worker anyway, none is parted.
std::vector<std::vector<std::size_t>> stacks_of(const std::vector<const JobSpec*>& jobs, const StackRule& rule, std::size_t workers);

/// What of a plan will be stacked as its launcher says, and what will not, and why: for people. "" where nothing is to be.
std::string stacks_text(const Plan& plan);

}  // namespace yatlab

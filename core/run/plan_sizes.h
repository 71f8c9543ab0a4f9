#pragma once

#include <cstddef>
#include <string>

namespace yatlab {

struct Plan;

/// "3 arms x 3 points x 5 seeds = 45 jobs". Points (of claims: claims) are listed where an arm has more than one;
/// where arms differ in them, "x 1 to 3 points".
std::string plan_sizes(const Plan& plan);

/// The maximum number of threads that one of its jobs uses.
std::size_t threads_per_job(const Plan& plan);

}  // namespace yatlab

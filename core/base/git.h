#pragma once

#include <string>
#include <vector>

namespace yatlab {

/// What `git <arguments>` prints, without the blanks around it; empty where there is no git, no repository, or no answer.
std::string git_answer(const std::vector<std::string>& arguments);

}  // namespace yatlab

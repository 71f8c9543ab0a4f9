#pragma once

#include <string>
#include <vector>

#include "core/base/files.h"

namespace yatlab {

/// What `git <arguments>` prints in `folder`, without the blanks around it; empty where there is no git, no repository, or no answer. Nothing that
/// the repository's own configuration names is started: no hook, no file system monitor.
std::string git_answer(const fs::path& folder, const std::vector<std::string>& arguments);

}  // namespace yatlab

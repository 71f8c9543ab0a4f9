#pragma once

#include <string>
#include <vector>

#include "core/base/files.h"

namespace yatlab {

/// The output of `git <arguments>` in `folder`, trimmed; empty if git, the repository or an answer is missing. Starts nothing that
/// the repository's own configuration names: no hook, no file system monitor.
std::string git_answer(const fs::path& folder, const std::vector<std::string>& arguments);

}  // namespace yatlab

#include "core/system/git.h"

#include "core/base/error.h"
#include "core/base/process.h"
#include "core/base/text.h"

namespace yatlab {

std::string git_answer(const fs::path& folder, const std::vector<std::string>& arguments) {
  std::vector<std::string> argv{"git", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  try {
    const auto result = run_process(argv, folder);
    return result.status == 0 ? trim(result.output) : "";
  } catch (const Error&) {  // no git on this machine
    return {};
  }
}

}  // namespace yatlab

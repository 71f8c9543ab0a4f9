#include "core/cli/runs.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace yatlab::cli {

std::filesystem::path find_run(const std::string& word, const std::filesystem::path& results) {
  std::error_code ec;
  for (const auto& run : {std::filesystem::path(word), results / word / "latest"}) {
    if (std::filesystem::exists(run / "plan.json", ec)) return run;
  }
  throw config_error(fmt::format("'{}' is no run", word), "command line", "it has no plan.json",
                     "name a run directory, such as results/mnist_inversion/latest");
}

}  // namespace yatlab::cli

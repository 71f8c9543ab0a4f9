#include "core/record/tracker_folder.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/files.h"

namespace yatlab {

void check_tracker_folder(const std::string& directory, const std::string& hint) {
  if (directory.empty()) return;
  const auto here = fs::current_path();
  const auto below = (here / directory).lexically_normal().lexically_relative(here);
  if (!below.empty() && *below.begin() != "..") return;
  throw config_error(fmt::format("the tracker's folder '{}' is not inside the current folder", directory), "tracker.directory",
                     fmt::format("the current folder is '{}'", here.string()), hint);
}

}  // namespace yatlab

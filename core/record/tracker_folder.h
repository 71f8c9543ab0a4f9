#pragma once

#include <string>

namespace yatlab {

/// Throws a config error for a folder that is not below the working directory: an experiment's file may come from
/// anybody, and must not choose where on the disk to write. Empty is allowed. `hint`: how users can set the folder themselves.
void check_tracker_folder(const std::string& directory, const std::string& hint);

}  // namespace yatlab

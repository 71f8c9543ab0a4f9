#pragma once

#include <string>

namespace yatlab {

/// Refuses, with a config error, a folder that is not below the one where the program runs: an experiment's file, which may be
/// anybody's, must not say where on the disk to write. Empty is fine. `hint`: how the user says so himself.
void check_tracker_folder(const std::string& directory, const std::string& hint);

}  // namespace yatlab

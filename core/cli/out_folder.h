#pragma once

#include <string>

#include "core/base/files.h"

namespace yatlab::cli {

/// Throws a config error where `--out` names a file and a folder is written: a name that ends as files do (x.safetensors), unless such a folder
/// is there or the name ends in '/'. `written`: what is in the folder, for the error ("the weights are its model.safetensors").
void require_folder_name(const fs::path& out, const std::string& written);

/// The other way round: throws where `--out` names a folder and a file is written. `file`: a name for it.
void require_file_name(const fs::path& out, const std::string& file);

}  // namespace yatlab::cli

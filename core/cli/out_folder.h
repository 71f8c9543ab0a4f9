#pragma once

#include <string>

#include "core/base/files.h"

namespace yatlab::cli {

/// Throws a config error if `--out` looks like a file name (x.safetensors) although a folder is written, unless such a folder exists or the name
/// ends in '/'. `written`: the contents of the folder, for the error ("the weights are its model.safetensors").
void require_folder_name(const fs::path& out, const std::string& written);

/// The reverse: throws a config error if `--out` is a folder although a file is written. `file`: a name for it, for the error.
void require_file_name(const fs::path& out, const std::string& file);

}  // namespace yatlab::cli

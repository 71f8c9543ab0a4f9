#pragma once

#include <filesystem>
#include <string>

namespace yatlab::cli {

/// The run that a word means: its folder, or the name of an experiment whose newest run lies below `results`. Otherwise a config error.
std::filesystem::path find_run(const std::string& word, const std::filesystem::path& results = "results");

}  // namespace yatlab::cli

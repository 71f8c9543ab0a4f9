#pragma once

#include <filesystem>

namespace yatlab::cli {

/// experiments/paper.yml of the working folder or of the program's project; empty when there is none.
std::filesystem::path paper_claims();

}  // namespace yatlab::cli

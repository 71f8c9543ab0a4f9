#pragma once

#include <string_view>

namespace yatlab::cli {

/// The files core/commands/completion/yatlab.*, embedded by the build.
extern const std::string_view kBashScript, kZshScript, kFishScript;

}  // namespace yatlab::cli

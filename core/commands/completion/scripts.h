#pragma once

#include <string_view>

namespace yatlab::cli {

/// The files core/commands/completion/yatlab.*, built in.
extern const std::string_view kBashScript, kZshScript, kFishScript;

}  // namespace yatlab::cli

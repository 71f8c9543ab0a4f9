#pragma once

#include "core/cli/command.h"

namespace yatlab::cli {

int serve_command(const Command& self, const std::vector<std::string>& arguments);

}  // namespace yatlab::cli

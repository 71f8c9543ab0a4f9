#pragma once

#include <string>
#include <vector>

#include "core/config/interpolation.h"

namespace yatlab {

/// Empty when there is no such resolver.
Resolver find_resolver(const std::string& name);
std::vector<std::string> resolver_names();

}  // namespace yatlab

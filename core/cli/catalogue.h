#pragma once

#include <map>
#include <string>

#include "core/base/node.h"

namespace yatlab::cli {

/// Every configs/dataset/*.yaml by the name of its file, as written; the first folder on the path of configs wins.
std::map<std::string, Node> declared_datasets();

}  // namespace yatlab::cli

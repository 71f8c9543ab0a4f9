#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/registry/registry.h"

namespace yatlab::cli {

/// The table of a kind as a person calls it: "operators" is "operator". nullptr when there is none.
ComponentTable* find_table_called(std::string kind);
/// The same; config error with the nearest kind when there is none.
ComponentTable& table_called(const std::string& kind);

/// Name (with aliases) and doc of each component of a kind.
std::vector<std::pair<std::string, std::string>> component_rows(const ComponentTable& table);
/// Two aligned columns.
void print_rows(const std::vector<std::pair<std::string, std::string>>& rows);

}  // namespace yatlab::cli

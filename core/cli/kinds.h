#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/registry/registry.h"

namespace yatlab::cli {

/// The table of a kind by name; the plural is accepted ("operators"). nullptr if there is no such kind.
ComponentTable* find_table_called(std::string kind);
/// The same, but a config error that suggests the nearest kind.
ComponentTable& table_called(const std::string& kind);

/// Name (with aliases) and doc of each component of a kind.
std::vector<std::pair<std::string, std::string>> component_rows(const ComponentTable& table);
/// Two aligned columns.
void print_rows(const std::vector<std::pair<std::string, std::string>>& rows);

}  // namespace yatlab::cli

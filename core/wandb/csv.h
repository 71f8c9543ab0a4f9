#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace yatlab::wandb {

struct CsvTable {
  std::vector<std::string> columns;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();  ///< lists; what reads as a number is one, empty is null
};

/// RFC 4180, as the reports' tables are written. Short lines are filled up with null.
CsvTable read_csv(std::string_view text);

}  // namespace yatlab::wandb

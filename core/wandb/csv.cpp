#include "core/wandb/csv.h"

#include <cmath>
#include <cstdlib>

namespace yatlab::wandb {
namespace {

using Json = nlohmann::ordered_json;

Json value_of(const std::string& field) {
  if (field.empty()) return nullptr;
  char* end = nullptr;
  const double number = std::strtod(field.c_str(), &end);
  if (*end != '\0' || !std::isfinite(number) || field.find_first_of("xX") != std::string::npos) return field;
  if (std::fabs(number) < 1e15 && number == std::floor(number) && field.find_first_of(".eE") == std::string::npos) {
    return static_cast<std::int64_t>(number);
  }
  return number;
}

}  // namespace

CsvTable read_csv(std::string_view text) {
  CsvTable out;
  std::vector<std::string> fields;
  std::string field;
  bool quoted = false, header = true;
  const auto end_line = [&] {
    fields.push_back(std::move(field));
    field.clear();
    if (header) {
      out.columns = std::move(fields);
      header = false;
    } else {
      Json row = Json::array();
      for (std::size_t i = 0; i < out.columns.size(); ++i) row.push_back(i < fields.size() ? value_of(fields[i]) : Json());
      out.rows.push_back(std::move(row));
    }
    fields.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"') {
        field += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        field += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      fields.push_back(std::move(field));
      field.clear();
    } else if (c == '\n') {
      end_line();
    } else if (c != '\r') {
      field += c;
    }
  }
  if (!field.empty() || !fields.empty()) end_line();
  return out;
}

}  // namespace yatlab::wandb

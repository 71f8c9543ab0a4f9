#include "core/base/media.h"
#include "core/base/json_text.h"

#include <algorithm>
#include <cmath>

namespace yatlab {
namespace {

std::string cell_text(const nlohmann::ordered_json& cell) {
  if (cell.is_null()) return "";
  std::string out;
  for (const char c : cell.is_string() ? cell.get<std::string>() : dump_json_replacing(cell)) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

}  // namespace

std::string to_markdown(const TableData& table) {
  if (!table.markdown.empty()) return table.markdown;
  std::string out = "|", line = "|";
  for (const auto& name : table.columns) {
    out += " " + cell_text(name) + " |";
    line += " --- |";
  }
  out += "\n" + line + "\n";
  for (const auto& row : table.rows) {
    out += "|";
    for (const auto& cell : row) out += " " + cell_text(cell) + " |";
    out += "\n";
  }
  return out;
}

Histogram histogram_of(const std::vector<double>& values, std::size_t bins) {
  std::vector<double> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite), [](double v) { return std::isfinite(v); });
  if (finite.empty() || bins == 0) return {};
  const auto [least, most] = std::minmax_element(finite.begin(), finite.end());
  const double low = *least, high = *most;
  if (low == high) {
    // Edges must ascend even where a unit is less than the distance between two doubles.
    const double half = std::max(0.5, std::abs(low) * 1e-6);
    return {{low - half, low + half}, {static_cast<double>(finite.size())}};
  }
  Histogram out;
  const double width = (high - low) / static_cast<double>(bins);
  for (std::size_t i = 0; i < bins; ++i) out.edges.push_back(low + width * static_cast<double>(i));
  out.edges.push_back(high);
  out.counts.assign(bins, 0);
  for (const double v : finite) {
    const auto bin = static_cast<std::size_t>((v - low) / width);
    out.counts[std::min(bin, bins - 1)] += 1;  // the highest value belongs to the last bin
  }
  return out;
}

}  // namespace yatlab

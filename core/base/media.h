#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

namespace yatlab {

/// A picture: the bytes of a PNG file.
struct Image {
  std::string png;
};

/// Table rows with cells: numbers, texts, bools or null.
struct TableData {
  std::vector<std::string> columns;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();  ///< a list of lists, each as long as `columns`
  std::string markdown = {};  ///< formatted for trackers that show only text; empty: built from the cells
};
/// The table as Markdown: its own, or its cells.
std::string to_markdown(const TableData& table);

/// Counts of values between edges[i] and edges[i + 1].
struct Histogram {
  std::vector<double> edges;  ///< ascending, one more than counts
  std::vector<double> counts;
};

struct Markdown {
  std::string text;
};

/// Non-numeric results of a run. Reports, analyses and studies create them; every tracker shows the types that it supports.
struct Media {
  std::string name;  ///< "prototypes"; a '/' groups: "tables/mnist"
  std::variant<Image, TableData, Histogram, Markdown> value;
  std::string caption = {};
  std::int64_t step = -1;  ///< training step; -1: at the end of the job
};

/// `bins` bins of equal width over the finite values; a single bin if all are equal. Empty without values.
Histogram histogram_of(const std::vector<double>& values, std::size_t bins = 64);

}  // namespace yatlab

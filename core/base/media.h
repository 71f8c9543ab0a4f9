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

/// Rows of cells: numbers, text, truth values or null.
struct TableData {
  std::vector<std::string> columns;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();  ///< a list of lists, each as long as `columns`
  std::string markdown = {};  ///< laid out for people, where a tracker shows text alone; empty: the cells as they stand
};
/// The table as Markdown: its own, or its cells.
std::string to_markdown(const TableData& table);

/// How many values fell between edges[i] and edges[i + 1].
struct Histogram {
  std::vector<double> edges;  ///< ascending, one more than counts
  std::vector<double> counts;
};

struct Markdown {
  std::string text;
};

/// What a run shows besides numbers. Reports, analyses and studies make them; every tracker shows those that it can.
struct Media {
  std::string name;  ///< "prototypes"; a '/' groups: "tables/mnist"
  std::variant<Image, TableData, Histogram, Markdown> value;
  std::string caption = {};
  std::int64_t step = -1;  ///< of training; -1: when the job was over
};

/// `bins` bins of equal width over the finite values; a single bin when all are equal. Nothing without values.
Histogram histogram_of(const std::vector<double>& values, std::size_t bins = 64);

}  // namespace yatlab

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yatlab {

/// Labelled sparse rows.
struct LibsvmRows {
  std::vector<std::string> labels;    ///< as text: "+1" is "1"
  std::vector<std::size_t> begins;    ///< offset of each row in the two lists below; has one more element than rows
  std::vector<std::int64_t> columns;  ///< from 0
  std::vector<float> values;
  std::vector<std::int64_t> lines;  ///< line of each row in the file, from 1
  std::int64_t width = 0;           ///< the highest column, plus one
  bool from_zero = false;           ///< the file's indices count from 0, because one of them is 0; else from 1

  std::size_t size() const { return labels.size(); }
};

/// LIBSVM's text format: each line is a label and then `index:value` for non-zero values. Indices ascend, from 1, or, if one is 0 (as scikit-learn
/// writes them), from 0. Text after '#' is a comment; empty lines are skipped. `name` is used in error messages. Data error, with the line, for
/// everything else.
LibsvmRows parse_libsvm(std::string_view text, const std::string& name);

/// For the rows of a file without index 0 that belongs to a file with one: makes them count from 0, too.
void count_from_zero(LibsvmRows& rows);

}  // namespace yatlab

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yatlab {

/// Labelled sparse rows.
struct LibsvmRows {
  std::vector<std::string> labels;    ///< as text: "+1" is "1"
  std::vector<std::size_t> begins;    ///< of each row in the two lists below; one more than rows
  std::vector<std::int64_t> columns;  ///< from 0
  std::vector<float> values;
  std::vector<std::int64_t> lines;  ///< of each row in the file, from 1
  std::int64_t width = 0;           ///< the highest column, plus one
  bool from_zero = false;           ///< the file's indices count from 0, for one of them is 0; else from 1

  std::size_t size() const { return labels.size(); }
};

/// LIBSVM's text format: a line is a label and then `index:value` for what is not zero, with indices that ascend, from 1, or, where one is 0 (as
/// scikit-learn writes them), from 0; what stands behind '#' is a comment, empty lines are none. `name` is what errors call it. Data error, with the line,
/// for everything else.
LibsvmRows parse_libsvm(std::string_view text, const std::string& name);

/// Rows of a file that happens to have no index 0, beside one that has: counted from 0, too.
void count_from_zero(LibsvmRows& rows);

}  // namespace yatlab

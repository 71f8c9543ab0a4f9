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
  std::int64_t width = 0;  ///< the highest column, plus one

  std::size_t size() const { return labels.size(); }
};

/// LIBSVM's text format: a line is a label and then `index:value` for what is not zero, with indices from 1 that ascend; what stands behind '#' is a
/// comment, empty lines are none. `name` is what errors call it. Data error, with the line, for everything else.
LibsvmRows parse_libsvm(std::string_view text, const std::string& name);

}  // namespace yatlab

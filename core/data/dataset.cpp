#include "core/data/dataset.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace yatlab {

const Split& Split::in_tensors(const std::string& who) const {
  if (!rows || inputs.defined()) return *this;
  throw config_error(
      fmt::format("{} needs the samples as tensors, but these {} samples are read from several files, one batch at a time", who, size()),
      {}, {}, "remove it, set dataset.limit so low that the first file is enough, or use only one training file");
}

std::vector<std::string> DataShape::usual_splits(bool validation) {
  return validation ? std::vector<std::string>{"train", "validation", "test"} : std::vector<std::string>{"train", "test"};
}

std::vector<std::string> Dataset::class_names() const {
  std::vector<std::string> out;
  for (std::int64_t i = 0; i < num_classes(); ++i) out.push_back(std::to_string(i));
  return out;
}

}  // namespace yatlab

#include "core/data/dataset.h"

namespace yatlab {

std::vector<std::string> Dataset::class_names() const {
  std::vector<std::string> out;
  for (std::int64_t i = 0; i < num_classes(); ++i) out.push_back(std::to_string(i));
  return out;
}

}  // namespace yatlab

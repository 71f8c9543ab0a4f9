#include "core/measure/analysis.h"

#include <ATen/ATen.h>

namespace yatlab {

nlohmann::ordered_json tensor_to_json(const Tensor& tensor) {
  const Tensor flat = tensor.detach().to(at::kCPU, at::kDouble).contiguous().view(-1);
  nlohmann::ordered_json out{{"shape", tensor.sizes().vec()}};
  auto& data = out["data"] = nlohmann::ordered_json::array();
  for (std::int64_t i = 0; i < flat.numel(); ++i) data.push_back(flat.data_ptr<double>()[i]);
  return out;
}

}  // namespace yatlab

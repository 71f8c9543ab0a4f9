#include "core/plan/slow_precision.h"

namespace yatlab {

std::string slow_precision(const Node& frozen, const CpuFlags& cpu) {
  const Node* trainer = frozen.find("trainer");
  const Node* device = trainer ? trainer->find("device") : nullptr;
  const Node* architecture = frozen.find("architecture");
  const Node* precision = architecture && architecture->is_map() ? architecture->find("precision") : nullptr;
  if (!device || !precision || device->as_string() != "cpu" || precision->as_string() != "bfloat16" || cpu.fast_bfloat16()) return {};
  return "architecture.precision=bfloat16 is slow on this CPU, which has no fast bfloat16 instructions; architecture.precision=float32 "
         "is faster";
}

}  // namespace yatlab

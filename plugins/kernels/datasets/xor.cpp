#include <ATen/ATen.h>

#include "core/base/hash.h"
#include "core/data/dataset.h"

namespace yatlab {

/// The four points of exclusive or, class 1 where exactly one coordinate is 1. There is nothing to generalise to, so "test" is "train".
class Xor final : public Dataset {
 public:
  DataShape shape() const override {
    return {DataShape::Inputs::kDense, DataShape::Targets::kClasses, input_shape(), num_classes(), DataShape::usual_splits()};
  }
  std::map<std::string, Split> load(const DataContext&) override {
    const Split points{at::tensor({0.f, 0.f, 0.f, 1.f, 1.f, 0.f, 1.f, 1.f}).view({4, 2}),
                       at::tensor(std::vector<std::int64_t>{0, 1, 1, 0}, at::kLong)};
    return {{"train", points}, {"test", points}};
  }
  const Provenance& provenance() const override { return provenance_; }
  std::vector<std::int64_t> input_shape() const override { return {2}; }
  std::int64_t num_classes() const override { return 2; }

 private:
  Provenance provenance_{"xor", sha256("00:0 01:1 10:1 11:0"), "embedded", "", {}};
};

YATLAB_REGISTER(Dataset, Xor, "xor", "the four points of exclusive or");

}  // namespace yatlab

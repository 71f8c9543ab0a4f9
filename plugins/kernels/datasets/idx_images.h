#pragma once

#include <memory>

#include "core/data/locate.h"
#include "plugins/kernels/datasets/shaping.h"

namespace yatlab {

/// Image sets laid out like MNIST: four IDX files under the keys train_images, train_labels, test_images, test_labels. Their names, checksums and
/// URLs come from the config (`configs/dataset/<name>.yaml`). Each such data set derives from this class and sets its name:
/// plugins/kernels/datasets/mnist.cpp.
class IdxImages : public Dataset {
 public:
  struct Params {
    Node files;
    std::vector<std::string> mirrors, system_paths;
    ComponentRef substitute;
    Shaping shaping;
    static void declare(Fields& f, Params& p);
  };

  DataShape shape() const override;
  /// inputs: float32 [N, rows, columns], targets: int64 [N].
  std::map<std::string, Split> load(const DataContext& context) override;
  const Provenance& provenance() const override { return provenance_; }
  std::vector<std::int64_t> input_shape() const override { return shape_; }
  std::int64_t num_classes() const override { return static_cast<std::int64_t>(classes_.size()); }
  std::vector<std::string> class_names() const override { return classes_; }

 protected:
  IdxImages(std::string name, std::vector<std::string> classes, const Params& params);

 private:
  Split read(const std::map<std::string, std::filesystem::path>& paths, const std::string& split) const;
  std::map<std::string, Split> load_substitute(const DataContext& context, const std::string& why);

  std::string name_;
  std::vector<std::string> classes_;
  std::vector<std::int64_t> shape_ = {28, 28};
  Params params_;
  Provenance provenance_;
};

}  // namespace yatlab

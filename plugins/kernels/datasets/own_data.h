#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/kernels/datasets/own_samples.h"

namespace yatlab {

/// A data set of the user's own files. What derives from it reads them; how they are divided and scaled, and what they are called, is the same for all.
class OwnData : public Dataset {
 public:
  const Provenance& provenance() const override { return provenance_; }
  std::vector<std::int64_t> input_shape() const override { return shape_; }
  std::int64_t num_classes() const override { return static_cast<std::int64_t>(classes_.size()); }
  std::vector<std::string> class_names() const override { return classes_; }

 protected:
  /// A load begins: `title` is what tables and captions call the set, the name of `file` where that is empty.
  void begin(const std::string& title, const std::string& file);
  const std::string& called() const { return provenance_.name; }
  /// A file that was read: its name and its sum.
  void add_file(const std::filesystem::path& path);
  /// A folder that was read; `content` tells its files apart: their names and sums.
  void add_folder(const std::filesystem::path& path, std::string_view content);
  /// The splits of what was read (see shape_own_samples).
  std::map<std::string, Split> finish(std::map<std::string, OwnSamples> parts, const OwnShaping& shaping, const DataContext& context);

 private:
  Provenance provenance_;
  std::string sums_;
  std::vector<std::string> classes_;
  std::vector<std::int64_t> shape_;
};

}  // namespace yatlab

#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/kernels/datasets/own_samples.h"

namespace yatlab {

/// A data set from the user's own files. Derived classes read the files; splitting, scaling and naming are the same for all.
class OwnData : public Dataset {
 public:
  const Provenance& provenance() const override { return provenance_; }
  std::vector<std::int64_t> input_shape() const override { return shape_; }
  std::int64_t num_classes() const override { return static_cast<std::int64_t>(classes_.size()); }
  std::vector<std::string> class_names() const override { return classes_; }

 protected:
  /// Starts a load. `title` is the set's name in tables and captions; if empty, the name of `file`.
  void begin(const std::string& title, const std::string& file);
  const std::string& called() const { return provenance_.name; }
  /// Records a file that was read: its name and its checksum.
  void add_file(const std::filesystem::path& path);
  /// Records a folder that was read; `content` has the names and checksums of its files.
  void add_folder(const std::filesystem::path& path, std::string_view content);
  /// The splits of the samples that were read (see shape_own_samples).
  std::map<std::string, Split> finish(std::map<std::string, OwnSamples> parts, const OwnShaping& shaping, const DataContext& context);

 private:
  Provenance provenance_;
  std::string sums_;
  std::vector<std::string> classes_;
  std::vector<std::int64_t> shape_;
};

}  // namespace yatlab

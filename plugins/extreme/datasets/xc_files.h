#pragma once

#include <memory>

#include "core/data/locate.h"
#include "plugins/extreme/datasets/sparse_shaping.h"

namespace yatlab {

/// Data sets in the text format of the Extreme Classification Repository: files under the keys train and
/// test, and, where they exist, validation and labels (names). File names, checksums and addresses come from the
/// config (configs/dataset/<name>.yaml). A data set of this kind derives from it and gives its name:
/// plugins/extreme/datasets/bibtex.cpp.
class XcFiles : public Dataset {
 public:
  struct Params {
    Node files;
    std::string folder;
    std::vector<std::string> mirrors, system_paths;
    ComponentRef substitute;
    SparseShaping shaping;
    static void declare(Fields& f, Params& p);
  };

  DataShape shape() const override;
  /// inputs: [N, features], targets: [N, labels], both CSR (core/data/sparse_rows.h). The parsed form is cached in <data.root>/.cache/xc.
  std::map<std::string, Split> load(const DataContext& context) override;
  const Provenance& provenance() const override { return provenance_; }
  /// {features} and labels; known after `load`, as the files' headers define them.
  std::vector<std::int64_t> input_shape() const override { return {features_}; }
  std::int64_t num_classes() const override { return labels_; }
  /// From the file `labels`: lines "index<tab>id<tab>name" (.tsv), or one name per line. Numbers when it is
  /// not declared or does not exist.
  std::vector<std::string> class_names() const override;

 protected:
  XcFiles(std::string name, const Params& params);

 private:
  Split read(const std::filesystem::path& path, const DataContext& context);
  void read_names(const std::filesystem::path& path);
  std::map<std::string, Split> load_substitute(const DataContext& context, const std::string& why);

  std::string name_;
  std::int64_t features_ = 0, labels_ = 0;
  std::vector<std::string> names_;
  Params params_;
  Provenance provenance_;
};

}  // namespace yatlab

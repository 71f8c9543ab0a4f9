#include "plugins/kernels/datasets/idx_images.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/data/substitute.h"
#include "plugins/kernels/datasets/idx.h"

namespace yatlab {
namespace {

const std::vector<std::string> kImageKeys = {"train_images", "train_labels", "test_images", "test_labels"};

}  // namespace

void IdxImages::Params::declare(Fields& f, Params& p) {
  f.map("files", p.files, "train_images, train_labels, test_images, test_labels: each {file, sha256, content_sha256, urls}");
  f.field("mirrors", p.mirrors, "URLs of folders that hold the files, tried in order");
  f.field("system_paths", p.system_paths, "folders where a system package installs the files");
  f.component("substitute", p.substitute, "dataset",
              "data set to use instead, with a notice, if the files are not available; null: an error");
  Shaping::declare(f, p.shaping);
}

IdxImages::IdxImages(std::string name, std::vector<std::string> classes, const Params& params)
    : name_(std::move(name)), classes_(std::move(classes)), params_(params) {}

DataShape IdxImages::shape() const {
  return {DataShape::Inputs::kDense, DataShape::Targets::kClasses, shape_, num_classes(),
          DataShape::usual_splits(params_.shaping.validation > 0)};
}

std::map<std::string, Split> IdxImages::load(const DataContext& context) {
  const auto set = declare_files(name_, params_.files, params_.mirrors, params_.system_paths);
  for (const auto& key : kImageKeys) {
    if (!params_.files.has(key)) {
      throw config_error(fmt::format("'dataset.files.{}' is required", key), params_.files.origin().describe(), {},
                         fmt::format("configs/dataset/{}.yaml has it: use dataset={}", name_, name_));
    }
  }
  const auto located = locate(set, context);
  if (!located.missing.empty()) {
    if (context.require_real || params_.substitute.empty()) throw missing_error(set, context, located.missing);
    return load_substitute(context, located.missing);
  }
  std::map<std::string, Split> splits;
  for (const char* split : {"train", "test"}) splits[split] = read(located.paths, split);
  shape_splits(splits, params_.shaping, context.seed);
  provenance_ = {name_, combined_sha256(set), located.tier, "", {}};
  for (const auto& [key, path] : located.paths) provenance_.files.push_back(path.string());
  return splits;
}

Split IdxImages::read(const std::map<std::string, std::filesystem::path>& paths, const std::string& split) const {
  const auto& image_path = paths.at(split + "_images");
  const auto& label_path = paths.at(split + "_labels");
  Split out{read_idx(image_path, 3), read_idx(label_path, 1).to(at::kLong)};
  if (out.inputs.sizes().slice(1) != at::IntArrayRef(shape_)) {
    throw data_error(fmt::format("'{}' contains images of the wrong size", image_path.string()), {},
                     fmt::format("expected {}, found {} x {}", fmt::join(shape_, " x "), out.inputs.size(1), out.inputs.size(2)));
  }
  if (out.inputs.size(0) != out.targets.size(0)) {
    throw data_error(fmt::format("'{}' and '{}' have different lengths", image_path.string(), label_path.string()), {},
                     fmt::format("{} images, {} labels", out.inputs.size(0), out.targets.size(0)));
  }
  if (out.size() == 0) throw data_error(fmt::format("'{}' contains no images", image_path.string()));
  if (const auto highest = out.targets.max().item<std::int64_t>(); highest >= num_classes()) {
    throw data_error(fmt::format("'{}' contains a label out of range", label_path.string()), {},
                     fmt::format("expected 0 to {}, found {}", num_classes() - 1, highest));
  }
  return out;
}

std::map<std::string, Split> IdxImages::load_substitute(const DataContext& context, const std::string& why) {
  auto stand_in = yatlab::load_substitute(name_, params_.substitute, context, why, "generated data");
  const auto& dataset = *stand_in.dataset;
  if (dataset.input_shape() != shape_ || dataset.num_classes() != num_classes()) {
    throw unfit_substitute(name_, params_.substitute,
                           fmt::format("inputs {} and {} classes, expected {} and {}", fmt::join(dataset.input_shape(), " x "),
                                       dataset.num_classes(), fmt::join(shape_, " x "), num_classes()));
  }
  shape_splits(stand_in.splits, params_.shaping, context.seed);
  classes_ = dataset.class_names();
  provenance_ = stand_in.provenance;
  provenance_.tier = "embedded";
  return std::move(stand_in.splits);
}

}  // namespace yatlab

#include "plugins/extreme/datasets/xc_files.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "core/base/files.h"
#include "core/base/text.h"
#include "core/data/checked_text.h"
#include "core/data/substitute.h"
#include "plugins/extreme/datasets/xc_cache.h"

namespace yatlab {
namespace {

const std::vector<std::string> kXcKeys = {"train", "test", "validation", "labels"};

}  // namespace

void XcFiles::Params::declare(Fields& f, Params& p) {
  f.map("files", p.files, "train, test, and optionally validation and labels (names); each {file, sha256, git_blob, urls}");
  f.field("folder", p.folder, "folder of the files below data.root and data.search_path; empty: the set's name");
  f.field("mirrors", p.mirrors, "URLs of folders that hold the files, tried in order");
  f.field("system_paths", p.system_paths, "folders where a system package puts the files");
  f.component("substitute", p.substitute, "dataset",
              "dataset to use instead, with a warning, when the files cannot be had; null: an error");
  SparseShaping::declare(f, p.shaping);
}

XcFiles::XcFiles(std::string name, const Params& params) : name_(std::move(name)), params_(params) {}

DataShape XcFiles::shape() const {
  return {DataShape::Inputs::kSparseRows,
          DataShape::Targets::kLabelSets,
          {},
          0,
          DataShape::usual_splits(params_.shaping.validation > 0 || params_.files.has("validation"))};
}

std::map<std::string, Split> XcFiles::load(const DataContext& context) {
  for (const auto& key : {"train", "test"}) {
    if (!params_.files.has(key)) {
      throw config_error(fmt::format("'dataset.files.{}' is required", key), params_.files.origin().describe(), {},
                         fmt::format("use a data set that has a config, such as dataset=bibtex, or declare the file"));
    }
  }
  for (const auto& [key, node] : params_.files.as_map()) {
    if (std::find(kXcKeys.begin(), kXcKeys.end(), key) == kXcKeys.end()) {
      throw config_error(fmt::format("unknown key 'dataset.files.{}'", key), node.origin().describe(), {}, suggestion(key, kXcKeys));
    }
  }
  auto set = declare_files(name_, params_.files, params_.mirrors, params_.system_paths, "dataset", params_.folder);
  // Names are optional: without them labels are numbered, and the data set is otherwise the same.
  FileSet names = set;
  const auto is_names = [](const DataFile& f) { return f.key == "labels"; };
  set.files.erase(std::remove_if(set.files.begin(), set.files.end(), is_names), set.files.end());
  names.files.erase(std::remove_if(names.files.begin(), names.files.end(), std::not_fn(is_names)), names.files.end());

  const auto located = locate(set, context);
  if (!located.missing.empty()) {
    if (context.require_real || params_.substitute.empty()) throw missing_error(set, context, located.missing);
    return load_substitute(context, located.missing);
  }
  std::map<std::string, Split> splits;
  features_ = labels_ = 0;
  for (const auto& key : {"train", "test", "validation"}) {
    const auto it = located.paths.find(key);
    if (it != located.paths.end()) splits[key] = read(it->second, context);
  }
  shape_sparse_splits(splits, params_.shaping, context.seed);
  provenance_ = {name_, combined_sha256(set), located.tier, "", {}};
  for (const auto& [key, path] : located.paths) provenance_.files.push_back(path.string());
  names_.clear();
  for (const auto& file : names.files) {
    if (const auto state = look_up(file, names, context); state.kind == FileState::kPresent) read_names(state.path);
  }
  return splits;
}

Split XcFiles::read(const fs::path& path, const DataContext& context) {
  XcOptions options;
  options.open_end = true;  // the checksum has shown that the file is complete
  auto rows = read_xc_cached(path, context.root / ".cache" / "xc", options, [&](const std::string& text) { tell(context, text); });
  if (rows.features.size(0) == 0) throw data_error(fmt::format("'{}' has no rows", path.string()));
  const auto features = rows.features.size(1), labels = rows.labels.size(1);
  if (features_ == 0) {
    features_ = features;
    labels_ = labels;
  } else if (features != features_ || labels != labels_) {
    throw data_error(
        fmt::format("'{}' does not match the training file", path.string()), {},
        fmt::format("it has {} features and {} labels, the training file has {} and {}", features, labels, features_, labels_));
  }
  return {std::move(rows.features), std::move(rows.labels)};
}

void XcFiles::read_names(const fs::path& path) {
  const auto bytes = read_file(path);
  const std::string text(checked_rows(bytes, path.string()));
  const auto count = std::count(text.begin(), text.end(), '\n') + (!text.empty() && text.back() != '\n' ? 1 : 0);
  if (count != labels_) {
    throw data_error(fmt::format("'{}' does not have one name for each label", path.string()), {},
                     fmt::format("{} lines, {} labels", count, labels_));
  }
  auto lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  if (path.extension() == ".tsv") {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto parts = split(lines[i], '\t');
      if (parts.size() < 2 || parts[0] != std::to_string(i)) {
        throw data_error("a label's name on the wrong line", fmt::format("{}:{}", path.string(), i + 1),
                         fmt::format("expected '{}<tab>id<tab>name', found '{}'", i, shortened(lines[i])));
      }
      lines[i] = parts.back();
    }
  }
  names_ = std::move(lines);
}

std::vector<std::string> XcFiles::class_names() const { return names_.empty() ? Dataset::class_names() : names_; }

std::map<std::string, Split> XcFiles::load_substitute(const DataContext& context, const std::string& why) {
  auto stand_in = yatlab::load_substitute(name_, params_.substitute, context, why, "other data");
  if (stand_in.dataset->input_shape().size() != 1 || stand_in.splits.at("train").inputs.layout() != at::kSparseCsr) {
    throw unfit_substitute(name_, params_.substitute, "its rows are not sparse");
  }
  shape_sparse_splits(stand_in.splits, params_.shaping, context.seed);
  features_ = stand_in.dataset->input_shape()[0];
  labels_ = stand_in.dataset->num_classes();
  names_ = stand_in.dataset->class_names();
  provenance_ = stand_in.provenance;
  return std::move(stand_in.splits);
}

}  // namespace yatlab

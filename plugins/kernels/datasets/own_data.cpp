#include "plugins/kernels/datasets/own_data.h"

#include <ATen/core/Tensor.h>

#include "core/base/hash.h"
#include "core/data/locate.h"

namespace yatlab {

void OwnData::begin(const std::string& title, const std::string& file) {
  sums_.clear();
  const auto path = (std::filesystem::path(file) / "x").parent_path();  // removes a trailing slash
  provenance_ = {title.empty() ? path.filename().string() : title, {}, "local", "", {}};
}

void OwnData::add_file(const std::filesystem::path& path) {
  provenance_.files.push_back(path.string());
  sums_ += sha256_file(path);
}

void OwnData::add_folder(const std::filesystem::path& path, std::string_view content) {
  provenance_.files.push_back(path.string());
  sums_ += content;
}

std::map<std::string, Split> OwnData::finish(std::map<std::string, OwnSamples> parts, const OwnShaping& shaping,
                                             const DataContext& context) {
  provenance_.sha256 = sha256(sums_);
  auto shaped = shape_own_samples(called(), std::move(parts), shaping, [&](const std::string& text) { tell(context, text); });
  classes_ = std::move(shaped.classes);
  shape_ = shaped.splits.at("train").inputs.sizes().slice(1).vec();
  return std::move(shaped.splits);
}

}  // namespace yatlab
